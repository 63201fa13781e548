"""The life of an object with one front end: created, previewed, refreshed, updated, changed by hand, repaired, deleted.

Each step reports what a user would find wrong. An object remains on the server only if its deletion fails; the sweep
deletes it.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import httpx
from pydantic.alias_generators import to_camel

from lives.life import own_id
from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.client.errors import CloudDBError
from pulumi_clouddb.client.operation import Forms, Operation
from pulumi_clouddb.registry import RESOURCES
from real_server.play import differences
from real_server.request import Values, filled, without
from support.grpc_driver import GrpcDriver, HostError, NotReadyError, Outputs

from . import cloud, observability
from .account import Account, Kind, result_of
from .guard import Request, creation_of, in_terms_of_interface
from .proxy import Proxy
from .subject import SET_BY_SERVER, Step, Subject, sendable
from .world import UnavailableError, World, names_in

LONGEST_CALL = 3600.0
"""Timeout of a call in seconds: a service takes minutes, and the rate limit may add as many."""

SHOWN_MINUTES = 5.0
"""How long a server may take until a change by hand is in the record, and until a deleted object is gone."""

EDITS = 10
TIMES = ("updatedAt",)
PLUGIN = "plugin"
"""The front end that imports; dynamic mode imports with the Pulumi CLI only."""


@dataclass
class Played:
    """The result of a life with one front end.

    Attributes:
        problems: What a user would find wrong, by step; a step that was not reached is missing.
        seconds: How long each step took.
        skipped: Why the life was not played; empty if it was.
    """

    subject: Subject
    front_end: str
    problems: dict[Step, list[str]] = field(default_factory=dict)
    seconds: dict[Step, float] = field(default_factory=dict)
    skipped: str = ""

    @property
    def passed(self) -> bool:
        """Whether nothing was wrong."""
        return not any(self.problems.values())


class _StoppedError(Exception):
    """A step failed, so that the next ones cannot be played."""


class Player:
    """Plays lives with one front end.

    Args:
        account: Where.
        proxy: Loses a response.
        driver: The front end, configured for the account.
        front_end: Its name.
        world: The objects that lives refer to.
        edits: Whether to edit each object ten times, too.
    """

    def __init__(
        self, account: Account, proxy: Proxy, driver: GrpcDriver, front_end: str, world: World, edits: bool = False
    ) -> None:
        self.account, self.proxy, self.driver, self.front_end = account, proxy, driver, front_end
        self.world, self.edits = world, edits
        self._commands = itertools.count(60)
        driver.longest_call = LONGEST_CALL

    def play(self, subject: Subject) -> Played:
        """Play a whole life; it ends with the deletion in any case."""
        played = Played(subject, self.front_end)
        self.proxy.who = f"{self.front_end}: {subject.name}: world"
        try:
            self.world.make(sorted(names_in([*subject.all_inputs, subject.must, subject.beyond])))
        except UnavailableError as error:
            played.skipped = str(error)
            return played
        except (CloudDBError, ValueError, httpx.HTTPError) as error:
            played.problems[Step.CREATE] = [f"what it refers to could not be made: {error}"]
            return played
        _Life(self, played).play()
        return played

    def next_command(self) -> None:
        """Continue as a later command, without cached reads."""
        timeout = {"clouddb:requestTimeoutSeconds": str(60 + next(self._commands) % 500)}
        self.driver.configure({**self.account.stack_config, **timeout})

    def inputs(self, subject: Subject, values: Values) -> Values:
        """Return inputs with the values of the world, and the run's token in their name; `*` is a set of inputs."""
        found = filled(values, self.world.kept)
        found = {**found.pop("*", {}), **found}
        return subject.in_dialect(self.account.dialect, subject.in_run(self.account.run, found))


class _Life:
    """One life.

    Attributes:
        made: The object in state; None before the create and after the deletion.
        inputs: The inputs of the program.
    """

    def __init__(self, player: Player, played: Played) -> None:
        self._player, self._played, self._subject = player, played, played.subject
        self._account, self._driver, self._proxy = player.account, player.driver, player.proxy
        self._resource = RESOURCES[self._subject.resource]
        self._problems: list[str] = []
        self.made: Outputs | None = None
        self.inputs = self._filled(self._subject.before)

    def play(self) -> None:
        """Play the steps; the object is deleted whichever of them fails."""
        before = {*self._proxy.ledger.made}
        for part in (self._grow, self._shrink, self._repeat):
            with suppress(_StoppedError):
                part()
        for path in [each for each in self._proxy.ledger.made if each not in before]:
            self._account.patiently("DELETE", path, who=self._proxy.who)  # the next life has the same names

    def _grow(self) -> None:
        with self._step(Step.CREATE):
            self._create()
        with self._step(Step.PREVIEW):
            self._clean("a preview")
        with self._step(Step.REFRESH):
            self._refresh()
        with self._step(Step.UPDATE):
            for what, inputs in self._subject.updates_in(self._account.dialect).items():
                self._attempt_update(what, self._filled(inputs))
        if self._subject.by_hand is not None:
            with self._step(Step.DRIFT):
                self._drift()
            with self._step(Step.REPAIR):
                self._update(self.inputs)
        if self._player.front_end == PLUGIN:
            with self._step(Step.IMPORT):
                self._import()
        if self._subject.cleared is not None:
            with self._step(Step.CLEAR):
                self._clear(self._filled(self._subject.cleared))

    def _shrink(self) -> None:
        if self.made is not None:
            with self._step(Step.DELETE):
                self._delete()

    def _repeat(self) -> None:
        """Play what creates the object again."""
        if not self._played.passed:
            return
        if not self._subject.remains:
            with self._step(Step.LOST):
                self._lose()
        if self._player.edits and self._subject.edits is not None and self._subject.cleared is not None:
            with self._step(Step.EDITS):
                self._edits_beside_everything()
                self._edits_beside_little()

    @contextmanager
    def _step(self, step: Step) -> Iterator[None]:
        """Play one step: an error of the provider or the server is a problem, and ends the life."""
        self._proxy.who = f"{self._played.front_end}: {self._subject.name}: {step.value}"
        self._problems = self._played.problems[step] = []
        started = time.monotonic()
        try:
            yield
        except (HostError, httpx.HTTPError, ValueError) as error:
            self._problems.append(str(error))
            raise _StoppedError from None
        finally:
            self._played.seconds[step] = time.monotonic() - started

    # -- steps -------------------------------------------------------------------------------------------------------

    def _create(self) -> None:
        self._check(self.inputs)
        self._player.next_command()
        try:
            self.made = self._driver.create(self._subject.resource, self.inputs, urn=self._urn)
        except NotReadyError as error:
            self.made = error.outputs
            raise
        self._problems += [f"warns: {each}" for each in self._driver.warnings]

    def _clean(self, what: str) -> None:
        made = self._state
        found = self._driver.diff(self._subject.resource, made.id, made.outputs, self.inputs, self.inputs)
        if found.changes:
            self._problems.append(f"{what} shows {dict(found.details or {}) or 'a change'}")

    def _refresh(self) -> None:
        read = self._read()
        for each in differences(self.inputs, _of_program(read.inputs or {})):
            self._problems.append(f"a refresh reports {each}".replace("the real server has", "the inputs had"))
        self.made = read
        self._clean("a preview after a refresh")

    def _attempt_update(self, what: str, inputs: Values) -> None:
        """Update; a refused update is a problem, and the next one starts from the state on the server."""
        before = self.inputs
        try:
            self._update(inputs)
        except HostError as error:
            self._problems.append(f"{what}: {error}" if what else str(error))
            self.inputs = before
            self.made = self._read()

    def _update(self, inputs: Values) -> None:
        """Update from the inputs of the program, or of the last refresh, and check that nothing is left to do."""
        self._check(inputs)
        made = self._state
        old = _of_program(made.inputs or self.inputs)
        found = self._driver.diff(self._subject.resource, made.id, made.outputs, inputs, old)
        if not found.changes or found.replaces:
            self._problems.append(f"a preview shows {'a replacement' if found.replaces else 'no change'}")
        self._player.next_command()
        self.made = self._driver.update(self._subject.resource, made.id, made.outputs, inputs)
        self.inputs = inputs
        self._problems += [f"warns: {each}" for each in self._driver.warnings]
        self._clean("a preview after the update")
        self._refresh()

    def _drift(self) -> None:
        by_hand = self._subject.by_hand
        assert by_hand is not None
        self._change(by_hand(self._shown()))
        read = self._account.until(self._read, self._differs, SHOWN_MINUTES)
        if not self._differs(read):
            self._problems.append("a refresh does not find the change that was made by hand")
        self.made = read

    def _differs(self, read: Outputs) -> bool:
        """Return whether a preview after a refresh shows a change."""
        return self._driver.diff(self._subject.resource, read.id, read.outputs, self.inputs, read.inputs).changes

    def _import(self) -> None:
        """Import the object, and check that an update with the imported inputs changes nothing."""
        made, first = self._state, self._shown()
        self._player.next_command()
        found = self._driver.import_(self._subject.resource, self._import_id)
        inputs = found.inputs or {}
        self._check(inputs, inputs)
        diff = self._driver.diff(self._subject.resource, found.id, found.outputs, inputs, inputs)
        if diff.changes:
            self._problems.append(f"a preview after the import shows {dict(diff.details or {}) or 'a change'}")
        if self._subject.edits is not None:
            self._player.next_command()
            self._driver.update(self._subject.resource, made.id, found.outputs, inputs)
            for each in differences(without(first, *TIMES), without(self._shown(), *TIMES)):
                text = f"an update with the imported inputs changes {each}"
                self._problems.append(text.replace("the real server has", "the object had"))

    def _clear(self, cleared: Values) -> None:
        self.made = self._read()
        self._update(cleared)

    def _delete(self) -> None:
        made, left = self._state, self._shown()
        self._player.next_command()
        self._driver.delete(self._subject.resource, made.id, made.outputs)
        if self._subject.remains:
            self.made = None
            return
        if self._account.until(self._record, lambda seen: seen is None, SHOWN_MINUTES) is not None:
            self._problems.append("the object still exists")
        elif self._refreshed().id:
            self._problems.append("a refresh still finds the object")
        self.made = None
        if self._subject.cleared is not None and Step.CLEAR in self._played.problems:
            self._as_new(left)

    def _as_new(self, left: Values) -> None:
        """Check that the object was, without optional properties, like a new one."""
        self._player.next_command()
        self.made = self._driver.create(self._subject.resource, self.inputs)
        ids = (*SET_BY_SERVER, *self._subject.stays)
        fresh = _without_ids(without(self._shown(), *ids))
        for each in differences(fresh, _without_ids(without(left, *ids))):
            self._problems.append(f"cleared, {each}".replace("the real server has", "a new one has"))
        self._remove()

    def _lose(self) -> None:
        """Create the object again, lose the response, and check that the provider adopts the only one."""
        subject = self._subject
        self.inputs = self._filled(subject.before if subject.cleared is None else subject.cleared)
        before = {self._id_of(each) for each in self._records()}
        self._proxy.lose(self._creates)
        try:
            refusal = self._create_twice()
        finally:
            unused = self._proxy.is_losing
            self._proxy.keep_all()
        if unused:
            self._problems.append("no create was sent")
        new = self._account.until(lambda: {self._id_of(each) for each in self._records()} - before, bool, SHOWN_MINUTES)
        if self.made is None:
            self._check_refused(refusal, new)
            return
        if new != {self._own_id}:
            self._problems.append(f"{len(new)} new objects exist instead of the one in state")
        self._clean("a preview")
        self._refresh()
        self._remove()

    def _create_twice(self) -> str:
        """Create the object; if that fails, the next command adopts it. Return the refusal of that."""
        try:
            self._create()
        except NotReadyError:
            raise
        except HostError:
            try:
                self._create()
            except HostError as error:
                if self._subject.adopted:
                    raise
                return str(error)
        return ""

    def _check_refused(self, refusal: str, new: set[str]) -> None:
        """Check that the provider names the only object that it does not adopt, and delete it as a user."""
        if len(new) != 1 or not all(each in refusal for each in new):
            self._problems.append(f"{len(new)} new objects exist, and the provider refuses with: {refusal}")
        for record in [each for each in self._records() if self._id_of(each) in new]:
            self._delete_by_hand(record)

    def _delete_by_hand(self, record: Values) -> None:
        """Delete an object as a user does, and wait until it is gone; a private endpoint is one of the organization."""
        operation, body = self._form(self._resource.collection.DELETE), None
        if operation.method != "DELETE":
            body = {"privateEndpoints": {"remove": [without(record, "description")]}}
        id_ = self._id_of(record)
        result_of(self._account.patiently(operation.method, self._path(operation, id_), body, who=self._proxy.who))
        self._account.until(
            lambda: id_ in map(self._id_of, self._records()), lambda is_there: not is_there, SHOWN_MINUTES
        )

    # -- ten edits ---------------------------------------------------------------------------------------------------

    def _edits_beside_everything(self) -> None:
        """Let the program set all properties that a user has set, and edit the object ten times.

        The plugin imports the object. Dynamic mode cannot import, so the program creates it.
        """
        body = self._filled(self._subject.before)
        beyond = filled(self._subject.beyond, self._player.world.kept)
        self._player.next_command()
        if self._player.front_end == PLUGIN:
            path = self._path(self._form(self._resource.collection.CREATE))
            sent = self._body({**body, **beyond})
            made = result_of(self._account.raw("POST", path, sent, who=self._proxy.who))
            self.made = self._driver.import_(self._subject.resource, str(made["id"]))
            self.inputs = _of_program(self.made.inputs or {})
        else:
            self.inputs = body
            self.made = self._driver.create(self._subject.resource, body)
            self._change({**sendable(self._shown()), **beyond})
        self._edit()

    def _edits_beside_little(self) -> None:
        """Do the same with a program that sets only required properties."""
        subject = self._subject
        self.inputs = self._filled({**(subject.cleared or {}), **subject.must})
        whole = self._body(self._filled({**subject.before, **subject.beyond}))
        self._player.next_command()
        self.made = self._driver.create(subject.resource, self.inputs)
        record = self._shown()
        self._change({**sendable(_with_ids(whole, record)), "name": record["name"]})
        self._edit()

    def _edit(self) -> None:
        edits, first, inputs = self._subject.edits, self._shown(), self.inputs
        assert edits is not None
        for number in range(1, EDITS + 1):
            self._player.next_command()
            changed = {**inputs, **self._filled(edits(number))}
            checked = self._driver.check(self._subject.resource, changed, inputs)
            self._problems += [f"edit {number} is refused: {failure}" for failure in checked.failures]
            read = self._read()
            self.made = self._driver.update(self._subject.resource, read.id, read.outputs, checked.inputs)
            self.inputs = inputs = changed
        expected = without({**first, **self._filled(edits(EDITS))}, *TIMES)
        for each in differences(expected, without(self._shown(), *TIMES)):
            self._problems.append(f"after {EDITS} edits {each}".replace("the real server has", "the object had"))
        self.made = self._read()
        self._clean(f"a preview after {EDITS} edits")
        self._remove()

    # -- parts -------------------------------------------------------------------------------------------------------

    def _filled(self, values: Values) -> Values:
        return self._player.inputs(self._subject, values)

    def _remove(self) -> None:
        made = self._state
        self._player.next_command()
        self._driver.delete(self._subject.resource, made.id, made.outputs)
        self.made = None

    def _check(self, inputs: Values, old: Values | None = None) -> None:
        failures = self._driver.check(self._subject.resource, inputs, old).failures
        self._problems += [f"the inputs are refused: {each}" for each in failures]

    def _read(self) -> Outputs:
        """Return the object as a refresh finds it, also one that some refreshes do not find: a list lags.

        Raises:
            ValueError: None finds it.
        """
        found, waited = self._refreshed(), time.monotonic()
        if not found.id:
            found = self._account.until(self._refreshed, lambda seen: seen.id, SHOWN_MINUTES)
            if not found.id:
                raise ValueError("no refresh finds the object")
            self._problems.append(f"a refresh does not find the object for {time.monotonic() - waited:.0f} seconds")
        return found

    def _refreshed(self) -> Outputs:
        self._player.next_command()
        made = self._state
        return self._driver.read(self._subject.resource, made.id, made.outputs, self.inputs)

    def _creates(self, request: Request) -> bool:
        """Return whether a request creates the object; a change of the organization creates a private endpoint."""
        creation = creation_of(request)
        if hasattr(self._resource.collection, "part"):
            return request.writes
        return creation is not None and creation.collection is self._resource.collection

    @property
    def _urn(self) -> str:
        type_ = f"clouddb:index:{self._subject.resource}"
        return f"urn:pulumi:{self._account.run.token}::tests::{type_}::{self._subject.name}"

    @property
    def _state(self) -> Outputs:
        assert self.made is not None
        return self.made

    # -- the object on the server ------------------------------------------------------------------------------------

    @property
    def _own_id(self) -> str:
        """The id of the object in lists."""
        return own_id(self._resource.collection.plural(), self._state.id)

    @property
    def _import_id(self) -> str:
        id_ = self._state.id
        service_id = self.inputs.get("serviceId")
        of_service = "serviceId" in self._resource.type.immutable and "/" not in id_ and id_ != service_id
        return f"{service_id}/{id_}" if service_id and of_service else id_

    def _path(self, operation: Operation, id_: str = "") -> str:
        texts = {name: value for name, value in self.inputs.items() if isinstance(value, str)}
        return self._account.path(operation, **{**texts, to_camel(self._resource.collection.id_part): id_})

    def _form(self, forms: Forms) -> Operation:
        return forms.managed if self._account.kind is Kind.CLOUD else forms.self_hosted

    def _records(self) -> list[Values]:
        """Return the records of the collection; overrides have one of their own."""
        collection = self._resource.collection
        operation = self._form(getattr(collection, "LIST", None) or collection.GET)
        result = result_of(self._account.raw("GET", self._path(operation, self._own), who=self._proxy.who))
        part = getattr(collection, "part", None)
        found: list[Values] = result[part] if part and isinstance(result, dict) else result
        return found if isinstance(found, list) else [found]

    @property
    def _own(self) -> str:
        return self._own_id if self.made is not None else ""

    def _id_of(self, record: Values) -> str:
        collection = self._resource.collection
        named = in_terms_of_interface(collection.model.__name__, record)
        return "/".join(str(named.get(each)) for each in collection.identity)

    def _record(self) -> Values | None:
        collection = self._resource.collection
        is_only = getattr(collection, "GET", None) is getattr(collection, "LIST", None)  # and has no id
        return next((each for each in self._records() if is_only or self._id_of(each) == self._own_id), None)

    def _shown(self) -> Values:
        """Return the record once a list has it.

        Raises:
            ValueError: None has it.
        """
        found: Values | None = self._account.until(self._record, lambda seen: seen is not None, SHOWN_MINUTES)
        if found is None:
            raise ValueError("no list has the object")
        return found

    def _body(self, inputs: Values) -> Values:
        """Return the body of the request by which a user sets these inputs."""
        record = self._form(self._resource.collection.CREATE).record
        body: Values = DIALECTS[self._account.dialect].to_server(record, inputs)
        return body

    def _change(self, body: Values) -> None:
        """Change the object as a user does."""
        operation = self._subject.change or self._form(self._resource.collection.UPDATE)
        sent = self._subject.in_run(self._account.run, filled(body, self._player.world.kept))
        path = self._path(operation, self._own_id)
        result_of(self._account.patiently(operation.method, path, sent, who=self._proxy.who))


def _of_program(inputs: Values) -> Values:
    """Return inputs without those that the classes of the SDK add."""
    return {name: value for name, value in inputs.items() if not name.startswith("__")}


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


def subjects_of(kind: Kind, *, every: bool = False) -> Sequence[Subject]:
    """Return the subjects of a server, with or without all variants."""
    if kind is Kind.CLOUD:
        return cloud.SUBJECTS
    return observability.SUBJECTS if every else observability.WITH_ALL
