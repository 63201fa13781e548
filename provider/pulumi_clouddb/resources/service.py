"""The managed database service: created once, waited for, changed in place, stopped before it is deleted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from pulumi_clouddb.api.errors import (
    CloudDBError,
    Conflict,
    Gone,
    MaybeDone,
    NotOffered,
    Refused,
    ResourceError,
)
from pulumi_clouddb.api.operations import OPERATIONS
from pulumi_clouddb.models.service import BASIC_DETAILS, REPLICA_SCALING, SERVICE, TOTAL_MEMORY, ServiceResponse
from pulumi_clouddb.models.service_states import COMING, DELETED, FAILED, GONE, HALTED
from pulumi_clouddb.models.values import UNKNOWN, contains_unknown

from .base import LAST_ERROR, MANAGED, Difference, Live, ResourceHandler, State, parse
from .creation import CreateRequest, create_once
from .same import a_set, access_list, as_is, moment
from .service_life import (
    SERVICES,
    Waited,
    exists,
    find_service,
    first_line,
    state_of,
    wait_until,
    wait_until_ready,
)
from .service_password import reset_password
from .session import Session


def _switches(value: Any) -> Any:
    """Endpoints mean, per protocol, whether it is open; only those that the user names count."""
    if not isinstance(value, list):
        return value
    named = [entry for entry in value if isinstance(entry, Mapping) and isinstance(entry.get("protocol"), str)]
    return {entry["protocol"]: entry.get("enabled") is not False for entry in named}


class ServiceHandler(ResourceHandler):
    """A service; its password is answered once, at creation, and lives in state only."""

    type = SERVICE
    meanings: ClassVar = {
        "ipAccessList": access_list,
        "privateEndpointIds": a_set,
        "endpoints": _switches,
        "createdAt": moment,
    }

    def same(self, name: str, old: Any, new: Any) -> bool:
        """Compare by meaning; of the endpoints in state only those that the inputs name count."""
        if name == "endpoints" and isinstance(old, list) and isinstance(new, list):
            served, wanted = _switches(old), _switches(new)
            return all(served.get(protocol, False) == enabled for protocol, enabled in wanted.items())
        return super().same(name, old, new)

    def diff(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> Difference:
        """Compare; refuse a change that would need another database, unless that is allowed.

        Raises:
            ResourceError: A field that cannot change in place changes, and `allowReplacement` is not set.
        """
        changed = self.changed(old, new)
        fixed = tuple(name for name in changed if name in self.type.immutable and name in new)
        known = tuple(name for name in fixed if not contains_unknown(new[name]))
        if known and not new.get("allowReplacement"):
            raise _refuse_replacement(old, new, known)
        if fixed and new.get("allowReplacement") and old.get("deletionProtection"):
            raise ResourceError(
                f"changing {_list(fixed)} would delete service {old.get('name')!r}, which is protected",
                "Set deletionProtection to false and run `pulumi up` once before this change.",
            )
        replaces = fixed if new.get("allowReplacement") else ()
        same_name = new.get("name") == old.get("name") and not new.get("allowDuplicateName")
        shown = changed + self.taken_up(old, new) + self.unfinished(old)
        return Difference(shown, replaces, delete_first=bool(replaces) and same_name)

    def unfinished(self, old: Mapping[str, Any]) -> tuple[str, ...]:
        """Name what the last run left: a service still on its way, failed, or without its password."""
        unready = state_of(old) in COMING | FAILED and old.get("waitTimeoutMinutes") != 0
        return super().unfinished(old) or (("state",) if unready else ())

    def create(self, session: Session, inputs: State) -> tuple[str, State]:
        """Create the service, or adopt the one whose response was lost, and wait until it runs."""
        minutes = inputs.get("waitTimeoutMinutes")
        created = create_once(session, self._request(inputs))
        began = session.runtime.monotonic()
        waited = wait_until_ready(session, created.id, created.record, minutes)
        password = (created.result or {}).get("password")
        if created.result is not None and isinstance(password, str) and password:
            state = self._state(session, inputs, waited, password=password)
        else:
            state = self._take_over(session, created.id, waited, inputs)
        if not inputs.get("allowDuplicateName"):
            self._warn_of_duplicates(session, created.id, inputs["name"], session.runtime.monotonic() - began)
        return created.id, state

    def imported(self, session: Session, object_id: str, hints: Mapping[str, Any]) -> tuple[str, Live]:  # noqa: ARG002
        """Take over a running service; its password stays unknown here, and what is open stays the server's."""
        record = find_service(session, object_id)
        if record is None:
            raise self.missing(object_id)
        server = _server(record)
        fixed = {name: record[name] for name in self.type.immutable if name in record}
        reported = {name: value for name, value in {**fixed, **server}.items() if name != "endpoints"}
        inputs = self.importable(session, {}, reported)
        return object_id, Live(self.state(inputs, server), inputs)

    def foreseen(self, old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> State:
        """Foresee; the endpoints are more than what the inputs say of them."""
        state = super().foreseen(old, new)
        left_alone = old is not None and "endpoints" in old and "endpoints" not in self.changed(old, new)
        state["endpoints"] = old["endpoints"] if old is not None and left_alone else UNKNOWN
        return state

    def affected(self, old: Mapping[str, Any], changed: tuple[str, ...]) -> Iterable[str]:
        """Name what scaling, private endpoints and finishing the last run bring along."""
        yield "state"
        if set(changed) & {*REPLICA_SCALING, *TOTAL_MEMORY}:
            yield from (name for name in (*REPLICA_SCALING, *TOTAL_MEMORY) if name in old)
        if "privateEndpointIds" in changed:
            yield "availablePrivateEndpointIds"
        if not old.get("password") and old.get(LAST_ERROR):
            yield "password"

    def read(self, session: Session, object_id: str, state: State) -> Live | None:
        """Find the service in the shared list."""
        try:
            record = find_service(session, object_id)
        except NotOffered:
            return self.unreadable(session, state, "a service")
        if record is None:
            return None
        server = _server(record)
        live = self.live(state, server, password=state.get("password"))
        live.state["endpoints"] = _merge_endpoints(server.get("endpoints"), state.get("endpoints"))
        if "endpoints" in state.get(MANAGED, ()):
            live.inputs["endpoints"] = [
                {"protocol": entry["protocol"], "enabled": entry["enabled"]}
                for entry in live.state["endpoints"]
                if "enabled" in entry
            ]
        if state.get(LAST_ERROR) and (state_of(record) in COMING | FAILED or not state.get("password")):
            live.state[LAST_ERROR] = state[LAST_ERROR]
        return live

    def update(self, session: Session, object_id: str, old: State, new: State) -> State:
        """Send what changed, and finish what the last run left."""
        changed = self.changed(old, new)
        fixed = tuple(name for name in changed if name in self.type.immutable and name in new)
        if fixed:
            raise _refuse_replacement(old, new, fixed)
        record = self._finish(session, object_id, old, new)
        password = old.get("password")
        if not password and old.get(LAST_ERROR):
            password = reset_password(session, object_id, new)
        record = self._send(session, object_id, old, new, [name for name in changed if name in new]) or record
        if record is None:
            record = self._known(session, object_id) or self.heard(old)
        waited = wait_until_ready(session, object_id, record, new.get("waitTimeoutMinutes"))
        return self._state(session, new, waited, password=password, before=old)

    def delete(self, session: Session, object_id: str, state: State) -> None:
        """Stop the service, delete it, and wait until it is gone.

        Raises:
            ResourceError: The service is protected, or did not stop or go in time.
        """
        what = f"service {state.get('name')!r} ({object_id})"
        if state.get("deletionProtection"):
            raise ResourceError(
                f"{what} is not deleted: deletionProtection is set",
                "Set deletionProtection to false, run `pulumi up`, then delete it.",
            )
        minutes = state.get("waitTimeoutMinutes") or session.wait_minutes
        try:
            record = self._now(session, object_id)
            if record is None:
                return
            record = self._stopped(session, object_id, record, what, minutes)
            if record is None:
                return
            self._delete_once_settled(session, object_id, minutes)
        except Gone:
            session.reads.drop(SERVICES)
            if self._now(session, object_id):  # the response to one request is not enough to forget a database
                raise
            return
        finally:
            session.reads.drop(SERVICES)
        if state.get("waitTimeoutMinutes") != 0:
            self._see_it_gone(session, object_id, record, what, minutes)

    # -- creating ------------------------------------------------------------------------------------------------

    def _request(self, inputs: State) -> CreateRequest:
        return CreateRequest(
            what=f"service {inputs['name']!r}",
            name=inputs["name"],
            operation=OPERATIONS["create_service"],
            body=self.body(inputs),
            collection=SERVICES,
            part="service",
            meaning=self._evidence,
            counts=exists,
            unique=not inputs.get("allowDuplicateName"),
            locks_out=True,
        )

    def _evidence(self, name: str, value: Any) -> Any:
        """Return what of a property tells this service from others; what is open, and secrets, come back otherwise."""
        if name == "endpoints" or name in self.type.secrets:
            return None
        return self.meanings.get(name, as_is)(value)

    def _take_over(self, session: Session, service_id: str, waited: Waited, inputs: State) -> State:
        """Make a service whose response was lost what it should be; its first password is lost, so it gets another.

        What does not arrive stays, in state, as the server has it, so that the next `up` sends it again.
        """
        password = None
        try:
            password = reset_password(session, service_id, inputs)
        except CloudDBError as error:
            waited.problem = f"its first password was lost with the response, and not reset: {first_line(error)}"
        state = self._state(session, inputs, waited, password=password)
        before = self._as_served(state, waited.record or {})
        changed = self.changed(before, inputs)
        fixed = tuple(name for name in changed if name in self.type.immutable)
        if fixed:
            raise ResourceError(
                f"service {inputs['name']!r} ({service_id}) was created by an interrupted run with another "
                f"{_list(fixed)}",
                "Put that back, or delete the service, then run again.",
            )
        try:
            self._send(session, service_id, before, inputs, changed)
        except CloudDBError as error:
            state = self._as_served(state, self._seen(session, service_id) or waited.record or {})
            state[LAST_ERROR] = f"adopted after an interrupted run, but not brought up to date: {first_line(error)}"
            session.warn(f"Service {inputs['name']!r} ({service_id}) was {state[LAST_ERROR]}")
        return state

    def _seen(self, session: Session, service_id: str) -> dict[str, Any] | None:
        """Return the record of the service as it is now, or None where it cannot be read at this moment."""
        try:
            return self._known(session, service_id, max_age=0.0)
        except CloudDBError:
            return None

    def _as_served(self, state: State, record: Mapping[str, Any]) -> State:
        """Return state in which every input that the server shows otherwise is as the server shows it."""
        own = {name: state.get(name) for name in ("password", LAST_ERROR)}
        served = self.live(state, _server(record), **own).state
        served["endpoints"] = _merge_endpoints(_server(record).get("endpoints"), state.get("endpoints"))
        return served

    def _warn_of_duplicates(self, session: Session, service_id: str, name: str, seconds: float) -> None:
        """Look whether another machine has created a service of that name at the same moment.

        Args:
            session: Where to look.
            service_id: The service that this run has created.
            name: Its name.
            seconds: How long ago it was created: older lists say nothing.
        """
        try:
            listed = session.records(SERVICES, max_age=seconds)
        except CloudDBError:  # not worth an error: the service is there
            return
        others = [
            record["id"]
            for record in listed or ()
            if record.get("name") == name and record["id"] != service_id and exists(record)
        ]
        if others:
            session.warn(
                f"Another service is named {name!r}, too: {', '.join(others)}. It was created at the same moment as "
                f"{service_id}, somewhere else. Delete the one that nobody needs."
            )

    # -- updating ------------------------------------------------------------------------------------------------

    def _finish(self, session: Session, service_id: str, old: State, new: State) -> dict[str, Any] | None:
        """Finish what the last run left: wait for a service on its way, start one that failed."""
        if not self.unfinished(old):
            return None
        record = self._known(session, service_id) or {"state": old.get("state")}
        waited = wait_until_ready(session, service_id, record, new.get("waitTimeoutMinutes"))
        if state_of(waited.record) in FAILED:
            waited = self._start(session, service_id, waited, new.get("waitTimeoutMinutes"))
        if waited.problem:
            failed = state_of(waited.record) in FAILED
            raise ResourceError(
                f"service {old.get('name')!r} ({service_id}): {waited.problem}",
                "Start it in the console, or delete it with `pulumi destroy --target URN`, then run `pulumi up` again."
                if failed
                else "Look at it in the console, then run `pulumi up` again.",
            )
        return waited.record

    def _start(self, session: Session, service_id: str, failed: Waited, minutes: float | None) -> Waited:
        try:
            record = session.client.call(OPERATIONS["command_service"], {"command": "start"}, service_id=service_id)
        except (Refused, NotOffered) as error:
            return Waited(failed.record, f"{failed.problem}, and it cannot be started: {error.words}")
        finally:
            session.reads.drop(SERVICES)
        return wait_until_ready(session, service_id, record, minutes)

    def _known(self, session: Session, service_id: str, *, max_age: float | None = None) -> dict[str, Any] | None:
        """Return the record of the service, or None where it cannot be read."""
        age = session.config.poll_interval_seconds if max_age is None else max_age
        try:
            return find_service(session, service_id, max_age=age)
        except NotOffered:
            return None

    def _send(
        self, session: Session, service_id: str, old: State, new: State, changed: list[str] | tuple[str, ...]
    ) -> dict[str, Any] | None:
        """Send the changed fields to the operations that take them; return the last record answered.

        Raises:
            ApiError: One was refused; those before it have been carried out.
        """
        record: dict[str, Any] | None = None
        details = [name for name in changed if name in BASIC_DETAILS]
        try:
            if details:
                now = _server(self._known(session, service_id) or {}) or old
                body = {name: _detail(name, now.get(name), new[name]) for name in details}
                record = self._patch(session, service_id, "update_service", body, new)
            for operation, names in (("scale_service", REPLICA_SCALING), ("scale_service_total", TOTAL_MEMORY)):
                body = {name: new[name] for name in changed if name in names}
                if body:
                    record = self._patch(session, service_id, operation, body, new)
        finally:
            if changed:
                session.reads.drop(SERVICES)  # also after a failure: the one before it may have been carried out
        return record

    def _patch(
        self, session: Session, service_id: str, operation: str, body: Mapping[str, Any], new: State
    ) -> dict[str, Any] | None:
        """Send one update; if the response is lost, the service itself says whether it took."""
        try:
            answer: dict[str, Any] = session.client.call(OPERATIONS[operation], body, service_id=service_id)
        except MaybeDone:
            session.reads.drop(SERVICES)
            record = self._known(session, service_id, max_age=0.0)
            served = _server(record or {})
            if record is None or any(not self.same(name, served.get(name), new[name]) for name in body):
                raise
            return record
        return answer

    # -- deleting ------------------------------------------------------------------------------------------------

    def _now(self, session: Session, service_id: str) -> dict[str, Any] | None:
        """Return the record of the service, an empty one where it cannot be read, or None when it is gone."""
        try:
            return find_service(session, service_id, max_age=session.config.poll_interval_seconds)
        except NotOffered:
            return {}

    def _stopped(
        self, session: Session, service_id: str, record: dict[str, Any], what: str, minutes: float
    ) -> dict[str, Any] | None:
        """Stop the service; return its record once it stands still, or None when there is nothing left to delete."""
        if state_of(record) in HALTED or state_of(record) is None:
            return record
        if state_of(record) != "stopping":
            try:
                session.client.call(OPERATIONS["command_service"], {"command": "stop"}, service_id=service_id)
            except (Conflict, NotOffered):
                return record
            session.reads.drop(SERVICES)
        waited = wait_until(session, service_id, {"state": "stopping"}, minutes, HALTED | GONE, "stopped")
        if waited.problem:
            raise ResourceError(f"{what} is not deleted: {waited.problem}", "Run again to go on.")
        return waited.record if waited.record and exists(waited.record) else None

    def _delete_once_settled(self, session: Session, service_id: str, minutes: float) -> None:
        """Delete; a server may still be settling a stop that it already reported, and answers 409 until it has."""
        deadline = session.runtime.monotonic() + minutes * 60
        while True:
            try:
                session.client.call(OPERATIONS["delete_service"], service_id=service_id)
                return
            except Conflict:
                if session.runtime.monotonic() >= deadline:
                    raise
            session.sleep(session.config.poll_interval_seconds)

    def _see_it_gone(
        self, session: Session, service_id: str, record: dict[str, Any], what: str, minutes: float
    ) -> None:
        if state_of(record) is None:
            return
        waited = wait_until(session, service_id, record, minutes, DELETED, "gone")
        if waited.problem:
            raise ResourceError(f"{what} was deleted, but {waited.problem}", "Run again to look once more.")

    # -- state ---------------------------------------------------------------------------------------------------

    def _state(
        self,
        session: Session,
        inputs: State,
        waited: Waited,
        *,
        password: str | None,
        before: Mapping[str, Any] | None = None,
    ) -> State:
        outputs = {name: value for name, value in self.heard(before or {}).items() if name != LAST_ERROR}
        served = {"endpoints": before["endpoints"]} if before and "endpoints" in before else {}
        server = {**outputs, **served, **_server(waited.record or {})}
        state = self.state(inputs, server, password=password, lastError=waited.problem)
        state["endpoints"] = _merge_endpoints(server.get("endpoints"), inputs.get("endpoints"))
        if waited.problem:
            session.warn(
                f"Service {inputs.get('name')!r} exists and is in state, but is not ready: {waited.problem}\n"
                "The next `pulumi up` goes on from here."
            )
        return state


def _server(record: Mapping[str, Any]) -> State:
    return parse(ServiceResponse, record)


def _merge_endpoints(served: Any, given: Any) -> list[State]:
    """List what is served, and mark the protocols that the user turned on or off."""
    wanted = _switches([entry for entry in given or () if "enabled" in entry or "host" not in entry])
    merged = [
        {**entry, "enabled": True} if entry.get("protocol") in wanted else dict(entry)
        for entry in served or ()
        if isinstance(entry, Mapping)
    ]
    protocols = {entry.get("protocol") for entry in merged}
    off = [{"protocol": protocol, "enabled": False} for protocol in wanted if protocol not in protocols]
    return merged + off


def _detail(name: str, now: Any, wanted: Any) -> Any:
    """Return what *update basic details* takes for one field: lists go as what to add and what to remove."""
    if name == "ipAccessList":
        have, want = access_list(now or []), access_list(wanted)
        return {
            "add": [entry for entry in wanted if not access_list([entry]) <= have],
            "remove": [entry for entry in now or [] if not access_list([entry]) <= want],
        }
    if name == "privateEndpointIds":
        have, want = set(now or ()), set(wanted)
        return {"add": sorted(want - have), "remove": sorted(have - want)}
    if name == "endpoints":
        return [{"protocol": entry["protocol"], "enabled": entry.get("enabled") is not False} for entry in wanted]
    return wanted


def _refuse_replacement(old: Mapping[str, Any], new: Mapping[str, Any], names: tuple[str, ...]) -> ResourceError:
    secret = SERVICE.secrets
    changes = ", ".join(
        f"{name}" if name in secret else f"{name} ({old.get(name)!r} to {new.get(name)!r})" for name in names
    )
    return ResourceError(
        f"service {old.get('name')!r} cannot change {changes} in place: that would delete this database",
        "Put it back, or set allowReplacement to true to delete the service and create another, without its data.",
    )


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(names)
