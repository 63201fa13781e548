"""Lives of objects with the provider: create, update, drift, repair, import, reset and delete."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import httpx

from support.grpc_driver import GrpcDriver, HostError, Outputs
from support.plugin import NativePlugin

from .play import differences, make_world
from .request import Values, filled, without
from .subjects import SET_BY_SERVER, Subject

EDITS = 10
TIMES = ("updatedAt",)


class Lives:
    """Runs lives with one front end against one server.

    Args:
        http: A client of the server, with the token of a user; its base is the root of the API.
    """

    def __init__(self, driver: GrpcDriver, http: httpx.Client, config: Mapping[str, str]) -> None:
        self._driver, self._http, self._config = driver, http, dict(config)
        self._commands = itertools.count(60)
        self.world = make_world(http)

    def life(self, subject: Subject) -> Iterator[str]:
        """Run a complete life and yield all problems."""
        before, after, cleared = (filled(each, self.world) for each in (subject.before, subject.after, subject.cleared))
        self._next_command()
        yield from self._checked("the first inputs", subject, before)
        made = self._driver.create(subject.resource, before)
        yield from self._warned("create")
        yield from self._clean("a preview after create", subject, made.id, made.outputs, before)
        state, inputs = made.outputs, before
        yield from self._refreshed("after create", subject, made.id, state, inputs)

        yield from self._checked("the later inputs", subject, after)
        state, inputs = yield from self._updated("edit", subject, made.id, state, inputs, after)

        self._put(subject, made.id, subject.by_hand)
        self._next_command()
        read = self._driver.read(subject.resource, made.id, state, inputs)
        if not self._driver.diff(subject.resource, made.id, read.outputs, inputs, read.inputs).changes:
            yield "drift is not seen"
        state, inputs = yield from self._updated("repair", subject, made.id, read.outputs, read.inputs or {}, inputs)

        if isinstance(self._driver, NativePlugin):
            yield from self._imported(subject, made.id)

        self._next_command()
        read = self._driver.read(subject.resource, made.id, state, inputs)
        state, inputs = yield from self._updated("clearing", subject, made.id, read.outputs, read.inputs or {}, cleared)
        left = self._record(subject, made.id)
        self._next_command()
        self._driver.delete(subject.resource, made.id, state)
        if self._record(subject, made.id) is not None:
            yield "delete leaves it there"
        if read_again := self._driver.read(subject.resource, made.id, state, inputs).id:
            yield f"a read after deletion finds {read_again}"
        yield from self._as_new(subject, left, cleared)

    def edits_beside_everything(self, subject: Subject) -> Iterator[str]:
        """Let the program set all properties that a user has set, edit it ten times, and yield all other changes.

        The plugin imports the object. Dynamic mode cannot import, so the program creates it.
        """
        body = filled(subject.before, self.world)
        if isinstance(self._driver, NativePlugin):
            object_id = self._made_by_hand(subject, {**body, **filled(subject.beyond, self.world)})
            self._next_command()
            found = self._driver.import_(subject.resource, object_id)
            yield from self._edited(subject, object_id, found.outputs, found.inputs or {})
        else:
            self._next_command()
            found = self._driver.create(subject.resource, body)
            self._put(subject, found.id, lambda record: {**record, **filled(subject.beyond, self.world)})
            yield from self._edited(subject, found.id, found.outputs, body)

    def edits_beside_little(self, subject: Subject) -> Iterator[str]:
        """Do the same with a program that sets only required properties."""
        inputs = filled({**subject.cleared, **subject.must}, self.world)
        whole = filled({**subject.before, **subject.beyond}, self.world)
        self._next_command()
        found = self._driver.create(subject.resource, inputs)
        self._put(subject, found.id, lambda record: {**_with_ids(whole, record), "name": record["name"]})
        yield from self._edited(subject, found.id, found.outputs, inputs)

    def _edited(self, subject: Subject, object_id: str, state: Values, inputs: Values) -> Iterator[str]:
        first = self._record(subject, object_id) or {}
        for number in range(1, EDITS + 1):
            self._next_command()
            changed = {**inputs, **subject.edits(number)}
            checked = self._driver.check(subject.resource, changed, inputs)
            yield from (f"edit {number}: check: {failure}" for failure in checked.failures)
            self._next_command()
            read = self._driver.read(subject.resource, object_id, state, inputs)
            state = self._driver.update(subject.resource, object_id, read.outputs, checked.inputs).outputs
            inputs = changed
        left = self._record(subject, object_id) or {}
        for each in differences(without({**first, **subject.edits(EDITS)}, *TIMES), without(left, *TIMES)):
            yield f"after {EDITS} edits {each}".replace("the real server has", "the object had")
        self._next_command()
        read = self._driver.read(subject.resource, object_id, state, inputs)
        yield from self._clean("a preview after ten edits", subject, object_id, read.outputs, inputs)
        self._driver.delete(subject.resource, object_id, state)

    def _made_by_hand(self, subject: Subject, body: Values) -> str:
        response = self._http.post(subject.collection, json=body)
        _check(response)
        return str(response.json()["data"]["id"])

    def _put(self, subject: Subject, object_id: str, change: Callable[[Values], Values]) -> None:
        """Change the object as a user."""
        record = self._record(subject, object_id) or {}
        body = without(change(record), *SET_BY_SERVER)
        _check(self._http.put(f"{subject.collection}/{object_id}", json=body))

    # -- parts -----------------------------------------------------------------------------------------------------

    def _next_command(self) -> None:
        """Continue as a later command without cached reads."""
        timeout = {"clouddb:requestTimeoutSeconds": str(next(self._commands) % 500 + 60)}
        self._driver.configure({**self._config, **timeout})

    def _record(self, subject: Subject, object_id: str) -> Values | None:
        found: list[Values] = self._http.get(subject.collection).raise_for_status().json()["data"]
        return next((each for each in found if each["id"] == object_id), None)

    def _checked(self, what: str, subject: Subject, inputs: Values) -> Iterator[str]:
        for failure in self._driver.check(subject.resource, inputs).failures:
            yield f"{what} are refused: {failure}"

    def _warned(self, what: str) -> Iterator[str]:
        yield from (f"{what} warns: {each}" for each in self._driver.warnings)

    def _clean(self, what: str, subject: Subject, object_id: str, state: Values, inputs: Values) -> Iterator[str]:
        found = self._driver.diff(subject.resource, object_id, state, inputs, inputs)
        if found.changes:
            yield f"{what} shows {dict(found.details or {}) or 'a change'}"

    def _refreshed(self, what: str, subject: Subject, object_id: str, state: Values, inputs: Values) -> Iterator[str]:
        self._next_command()
        read = self._driver.read(subject.resource, object_id, state, inputs)
        for each in differences(inputs, read.inputs or {}):
            yield f"a refresh {what} reports {each}".replace("the real server has", "the inputs had")
        yield from self._clean(f"a preview after a refresh {what}", subject, object_id, read.outputs, inputs)

    def _updated(self, what: str, subject: Subject, object_id: str, state: Values, old: Values, new: Values) -> Any:
        """Update, yield problems, and return state and inputs."""
        found = self._driver.diff(subject.resource, object_id, state, new, old)
        if not found.changes or found.replaces:
            yield f"{what}: a preview shows {'a replacement' if found.replaces else 'no change'}"
        self._next_command()
        updated = self._driver.update(subject.resource, object_id, state, new)
        yield from self._warned(what)
        yield from self._clean(f"a preview after {what}", subject, object_id, updated.outputs, new)
        yield from self._refreshed(f"after {what}", subject, object_id, updated.outputs, new)
        return updated.outputs, new

    def _imported(self, subject: Subject, object_id: str) -> Iterator[str]:
        """Import the object, and check that an edit of the imported inputs changes nothing else."""
        self._next_command()
        found: Outputs = self._driver.import_(subject.resource, object_id)
        inputs = found.inputs or {}
        checked = self._driver.check(subject.resource, inputs, inputs)
        yield from (f"the imported inputs are refused: {failure}" for failure in checked.failures)
        yield from self._clean("a preview after an import", subject, object_id, found.outputs, inputs)
        first = self._record(subject, object_id)
        self._next_command()
        self._driver.update(subject.resource, object_id, found.outputs, inputs)
        for each in differences(without(first or {}, *TIMES), without(self._record(subject, object_id) or {}, *TIMES)):
            yield f"an update with the imported inputs changes {each}".replace("the real server has", "the object had")

    def _as_new(self, subject: Subject, left: Values | None, cleared: Values) -> Iterator[str]:
        """Check that a reset object equals a new one."""
        self._next_command()
        try:
            fresh = self._driver.create(subject.resource, cleared)
        except HostError as error:
            yield f"the cleared inputs cannot be created: {error}"
            return
        record = self._record(subject, fresh.id) or {}
        ids = (*SET_BY_SERVER, *subject.stays)
        for each in differences(_without_ids(without(record, *ids)), _without_ids(without(left or {}, *ids))):
            yield f"cleared, {each}".replace("the real server has", "a new one has")
        self._driver.delete(subject.resource, fresh.id, fresh.outputs)


def _check(response: httpx.Response) -> None:
    """Check that a user's request succeeded.

    Raises:
        HostError: It was refused.
    """
    if response.status_code != httpx.codes.OK:
        raise HostError(f"by hand: {response.request.method} {response.request.url.path}: {response.text}")


def _with_ids(body: Values, record: Values) -> Values:
    """Return a body with the ids of a record's tiles."""
    if "tiles" not in body:
        return body
    tiles = [{**each, "id": known["id"]} for each, known in zip(body["tiles"], record["tiles"], strict=True)]
    filters = [{**each, "id": str(index)} for index, each in enumerate(body.get("filters", ()))]
    return {**body, "tiles": tiles, **({"filters": filters} if filters else {})}


def _without_ids(record: Any) -> Any:
    """Return a record without the ids of its tiles and filters."""
    parts = {name: [without(each, "id") for each in record[name]] for name in ("tiles", "filters") if name in record}
    return {**record, **parts}
