"""API keys: created with a secret that is answered once, or adopted and put back as they were."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from pulumi_clouddb.api.errors import CloudDBError, Gone, MaybeDone, NotOffered, ResourceError
from pulumi_clouddb.api.operations import OPERATIONS
from pulumi_clouddb.api.reads import Collection
from pulumi_clouddb.models.api_key import API_KEY, KeyBody, KeyResponse, KeyState, OnKeyDelete
from pulumi_clouddb.models.base import wire_names

from .base import MANAGED, Live, ResourceHandler, State, parse
from .creation import CreateRequest, CreateResult, create_once
from .marks import KeyMark
from .overrides import changed_or_forgotten, remember
from .same import a_set, access_list, as_is, moment
from .service_life import first_line
from .session import SHARED_READ_SECONDS, Session

KEYS = Collection(OPERATIONS["list_keys"])
FIELDS = wire_names(KeyBody)
ATTEMPTS = 3
"""A key whose answer was lost is deleted, as nobody knows its secret, and made anew."""


class ApiKeyHandler(ResourceHandler):
    """A key of the organization."""

    type = API_KEY
    meanings: ClassVar = {"expireAt": moment, "ipAccessList": access_list, "roles": a_set}

    def create(self, session: Session, inputs: State) -> tuple[str, State]:
        """Adopt the key that `keyId` names, or create one."""
        return self._adopt(session, inputs) if inputs.get("keyId") else self._create(session, inputs)

    def imported(self, session: Session, object_id: str, hints: Mapping[str, Any]) -> tuple[str, Live]:  # noqa: ARG002
        """Adopt a key as it is; nobody but its first owner knows its secret."""
        key = _find(session, object_id)
        if key is None:
            raise self.missing(object_id)
        inputs = self.importable(session, {"keyId": object_id}, key)
        return object_id, Live(self.state(inputs, key, adopted=True, original=_reported(key)), inputs)

    def affected(self, old: Mapping[str, Any], changed: tuple[str, ...]) -> Iterable[str]:  # noqa: ARG002
        """Name nothing: what only the server knows of a key stays as it is."""
        return ()

    def read(self, session: Session, object_id: str, state: State) -> Live | None:
        """Find the key in the shared list; where there is none, ask for it by an update that changes nothing."""
        try:
            key = _find(session, object_id)
        except NotOffered:
            return self.unreadable(session, state, "a key")
        if key is None:
            return None
        kept = {name: state.get(name) for name in ("accessKeyId", "keySecret", "adopted", "original")}
        return self.live(state, key, **kept)

    def update(self, session: Session, object_id: str, old: State, new: State) -> State:
        """Send what changed; what was taken out goes back to what was found, or, for `expireAt`, to never."""
        original = old.get("original") or {}
        changed = self.changed(old, new)
        body = {name: _wire(name, new[name]) for name in changed if name in FIELDS and name in new}
        for name in changed:
            if name in FIELDS and name not in new and (name in original or name == "expireAt"):
                body[name] = _wire(name, original.get(name))
        key = self._send(session, object_id, body) if body else {}
        return self.state(new, {**self.heard(old), **key})

    def delete(self, session: Session, object_id: str, state: State) -> None:
        """Delete what was created, put back what was adopted, or do what `onDelete` says."""
        default = OnKeyDelete.RESTORE if state.get("adopted") else OnKeyDelete.DELETE
        choice = state.get("onDelete") or default
        try:
            if choice == OnKeyDelete.DELETE:
                self._delete(session, object_id)
            elif choice == OnKeyDelete.DISABLE:
                self._send(session, object_id, {"state": KeyState.DISABLED.value})
            elif choice == OnKeyDelete.RESTORE:
                self._restore(session, object_id, state)
        except Gone:
            if _find(session, object_id, max_age=0.0) is not None:  # one 404 is not enough to leave it as it is
                raise
        finally:
            session.reads.drop(KEYS)

    def _delete(self, session: Session, key_id: str) -> None:
        try:
            session.client.call(OPERATIONS["delete_key"], key_id=key_id)
        except Gone:
            if _find(session, key_id, max_age=0.0) is not None:
                raise ResourceError(
                    f"API key {key_id} is not deleted: the server says that there is none, and still lists it",
                    "Run again; if it stays so, delete the key in the console.",
                ) from None

    # -- creating ------------------------------------------------------------------------------------------------

    def _create(self, session: Session, inputs: State) -> tuple[str, State]:
        request = CreateRequest(
            what=f"API key {inputs['name']!r}",
            name=inputs["name"],
            operation=OPERATIONS["create_key"],
            body={name: _wire(name, value) for name, value in self.body(inputs).items()},
            collection=KEYS,
            part="key",
            meaning=self._meaning,
            # The secret of a key whose response was lost is known to nobody: a key that was used is another's.
            may_be_lost=lambda record: not record.get("usedAt"),
            locks_out=True,
            way_on="Delete those that nobody needs, or adopt one with keyId",
        )
        for _ in range(ATTEMPTS):
            created = create_once(session, request)
            access_key_id, secret = _credentials(created)
            if secret:
                server = parse(KeyResponse, created.record)
                state = self.state(inputs, server, accessKeyId=access_key_id, keySecret=secret, adopted=False)
                return created.id, self._up_to_date(session, created, inputs, state)
            self._discard(session, request, created)
        raise ResourceError(
            f"{request.what} was created {ATTEMPTS} times, and its secret was lost with the response each time",
            "Nothing is left behind: these keys are deleted again. Run again once the connection is better.",
        )

    def _up_to_date(self, session: Session, created: CreateResult, inputs: State, state: State) -> State:
        """Bring a key that an interrupted run has made to inputs that may have changed since."""
        if created.result is not None:
            return state
        live = self.live(state, parse(KeyResponse, created.record)).state
        changed = [name for name in self.changed(live, inputs) if name in FIELDS and name in inputs]
        if not changed:
            return state
        key = self._send(session, created.id, {name: _wire(name, inputs[name]) for name in changed})
        return {**state, **self.state(inputs, key)}

    def _discard(self, session: Session, request: CreateRequest, created: CreateResult) -> None:
        """Delete a key of ours whose secret nobody knows."""
        try:
            session.client.call(OPERATIONS["delete_key"], key_id=created.id)
        except Gone:
            pass
        except CloudDBError as error:
            raise ResourceError(
                f"{request.what} exists ({created.id}), but its secret was lost with the response, "
                f"and it could not be deleted: {first_line(error)}",
                "Run again: it is deleted and made anew.",
            ) from None
        finally:
            session.reads.drop(KEYS)
        session.entry.forget()

    def _adopt(self, session: Session, inputs: State) -> tuple[str, State]:
        key_id = inputs["keyId"]
        found = _find(session, key_id, max_age=0.0)
        if found is None:
            raise ResourceError(
                f"API key {key_id} does not exist in this organization",
                "Check keyId: it is the id of the key's record, not the user name of HTTP Basic.",
            )
        wanted = {name: inputs[name] for name in FIELDS if name in inputs}
        original = remember(session, key_id, _reported(found), wanted, self._meaning)
        body = {
            name: _wire(name, value)
            for name, value in wanted.items()
            if not (name in found and self.same(name, found[name], value))
        }
        key = changed_or_forgotten(session, lambda: self._send(session, key_id, body)) if body else found
        return key_id, self.state(inputs, key, adopted=True, original=original)

    def _meaning(self, name: str, value: Any) -> Any:
        return self.meanings.get(name, as_is)(value)

    # -- changing ------------------------------------------------------------------------------------------------

    def _send(self, session: Session, key_id: str, body: Mapping[str, Any]) -> State:
        """Update the key; if the answer is lost, the key itself says whether it took."""
        try:
            answer = session.client.call(OPERATIONS["update_key"], body, key_id=key_id)
        except MaybeDone:
            session.response_was_lost()
            session.reads.drop(KEYS)
            key = _find(session, key_id) or {}
            if any(not self.same(name, key.get(name), value) for name, value in body.items()):
                raise
            return key
        session.reads.drop(KEYS)
        return parse(KeyResponse, answer)

    def _restore(self, session: Session, key_id: str, state: State) -> None:
        original = state.get("original") or {}
        managed = [name for name in FIELDS if name in state.get(MANAGED, ())]
        lost = [name for name in managed if name not in original and name != "expireAt"]
        if lost:
            session.warn(
                f"API key {key_id}: this server did not report {', '.join(lost)} when the key was adopted, "
                "so that stays as it is now."
            )
        body = {
            name: _wire(name, original.get(name))
            for name in managed
            if name not in lost and not self.same(name, state.get(name), original.get(name))
        }
        if body:
            self._send(session, key_id, body)


def _credentials(created: CreateResult) -> tuple[str | None, str | None]:
    """Return id and secret for HTTP Basic: those that were made here, else those of the response."""
    if isinstance(created.mark, KeyMark):
        return created.mark.key_id, created.mark.key_secret
    result = created.result or {}
    return result.get("keyId"), result.get("keySecret")


def _find(session: Session, key_id: str, *, max_age: float = SHARED_READ_SECONDS) -> State | None:
    """Return the key's record, or None when it is gone for certain.

    Where a server offers neither the list nor the single read, an update without any field is a read: the interface
    documents it, and all its fields are optional.
    """
    for record in session.listed(KEYS, max_age=max_age):
        if record["id"] == key_id:
            return parse(KeyResponse, record)
    try:
        try:
            answer = session.client.call(OPERATIONS["get_key"], key_id=key_id)
        except NotOffered:
            answer = session.client.call(OPERATIONS["update_key"], {}, key_id=key_id)
    except Gone:
        return None
    return parse(KeyResponse, answer)


def _reported(key: Mapping[str, Any]) -> State:
    """Return what a key has, to put it back one day; without an expiry there is none to put back."""
    return {name: key[name] for name in FIELDS if key.get(name) is not None}


def _wire(name: str, value: Any) -> Any:
    """Return what is sent: a key that never expires has a null there."""
    return (value or None) if name == "expireAt" else value
