"""The life of an object with one front end: created, previewed, refreshed, updated, changed by hand, repaired, deleted.

Each step reports what a user would find wrong. An object remains on the server only if its deletion fails; the sweep
deletes it.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import httpx
from pydantic.alias_generators import to_camel

from lives.life import fill
from pulumi_clouddb.client.operation import Operation
from pulumi_clouddb.registry import RESOURCES
from support.grpc_driver import GrpcDriver, HostError, NotReadyError, Outputs

from .account import Account, Kind, result_of
from .guard import Request, Run, creation_of
from .proxy import Proxy

Values = dict[str, Any]

LONGEST_CALL = 3600.0
"""Timeout of a call in seconds: a service takes minutes, and the rate limit may add as many."""


class Step(str, Enum):
    """The steps of a life, in their order."""

    CREATE = "create"
    PREVIEW = "clean preview"
    REFRESH = "clean refresh"
    UPDATE = "update"
    DRIFT = "drift"
    REPAIR = "repair"
    IMPORT = "import"
    DELETE = "delete"
    LOST = "lost response"


@dataclass(frozen=True)
class Subject:
    """An object of a life.

    Attributes:
        name: Its name in the report.
        resource: Its Pulumi type.
        kind: The server that has such objects.
        before: The inputs at creation, by wire name; `$name` is a value of the world.
        after: The inputs of the update.
        by_hand: The body of the request that changes the object by hand.
        change: The operation of that request; by default, the one that updates such objects.
    """

    name: str
    resource: str
    kind: Kind
    before: Values
    after: Values
    by_hand: Values
    change: Operation | None = None


SUBJECTS = (
    Subject(
        "role",
        "Role",
        Kind.CLOUD,
        {
            "name": "Reader",
            "policies": [
                _VIEW := {
                    "allowDeny": "ALLOW",
                    "permissions": ["control-plane:service:view"],
                    "resources": ["instance/*"],
                }
            ],
        },
        {"name": "Reader of tables", "policies": [{**_VIEW, "tags": {"grants": ["GRANT SELECT ON shop.*"]}}]},
        {"name": "Changed by hand"},
    ),
    Subject(
        "webhook",
        "Webhook",
        Kind.OBSERVABILITY,
        {"name": "Pager", "service": "generic", "url": "https://events.example.com/pager"},
        {
            "name": "Mail",
            "service": "generic",
            "url": "https://events.example.com/mail",
            "description": "Wakes nobody.",
        },
        {"name": "Changed by hand"},
    ),
)


@dataclass
class Played:
    """The result of a life with one front end.

    Attributes:
        problems: What a user would find wrong, by step; a step that was not reached is missing.
        seconds: How long each step took.
    """

    subject: Subject
    front_end: str
    problems: dict[Step, list[str]] = field(default_factory=dict)
    seconds: dict[Step, float] = field(default_factory=dict)

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
        world: The values of `$` names.
    """

    def __init__(
        self, account: Account, proxy: Proxy, driver: GrpcDriver, front_end: str, world: dict[str, str]
    ) -> None:
        self._account, self._proxy, self._driver, self._front_end = account, proxy, driver, front_end
        self._world, self._commands = world, itertools.count(60)
        driver.longest_call = LONGEST_CALL

    def play(self, subject: Subject) -> Played:
        """Play a whole life; it ends with the deletion in any case."""
        return _Life(self, subject).played

    # -- used by a life ----------------------------------------------------------------------------------------------

    def next_command(self) -> None:
        """Continue as a later command, without cached reads."""
        timeout = {"clouddb:requestTimeoutSeconds": str(60 + next(self._commands) % 500)}
        self._driver.configure({**self._account.stack_config, **timeout})

    def inputs(self, values: Values) -> Values:
        """Return inputs with the run's name and the values of the world."""
        return named(self._account.run, fill(values, self._world))


def named(run: Run, inputs: Values) -> Values:
    """Return inputs whose name is one of this run."""
    return {**inputs, **({"name": run.name(str(inputs["name"]))} if "name" in inputs else {})}


class _Life:
    def __init__(self, player: Player, subject: Subject) -> None:
        self._player, self._subject = player, subject
        self._account, self._driver, self._proxy = player._account, player._driver, player._proxy
        self.played = Played(subject, player._front_end)
        self._problems: list[str] = []
        self._made: Outputs | None = None
        self._inputs = player.inputs(subject.before)
        self._after = player.inputs(subject.after)
        self._by_hand = player.inputs(subject.by_hand)
        for part in (self._grow, self._delete_in_the_end, self._lose_in_the_end):
            with suppress(_StoppedError):
                part()

    def _grow(self) -> None:
        with self._step(Step.CREATE):
            self._create()
        with self._step(Step.PREVIEW):
            self._clean()
        with self._step(Step.REFRESH):
            self._refresh()
        with self._step(Step.UPDATE):
            self._update(self._after)
        with self._step(Step.DRIFT):
            self._drift()
        with self._step(Step.REPAIR):
            self._update(self._inputs)
        if self._driver_imports:
            with self._step(Step.IMPORT):
                self._import()

    def _delete_in_the_end(self) -> None:
        if self._made is not None:
            with self._step(Step.DELETE):
                self._delete()

    def _lose_in_the_end(self) -> None:
        if self.played.passed:
            with self._step(Step.LOST):
                self._lose()

    @contextmanager
    def _step(self, step: Step) -> Iterator[None]:
        """Play one step: an error of the provider or the server is a problem, and ends the life."""
        self._proxy.who = f"{self.played.front_end}: {self._subject.name}: {step.value}"
        self._problems = self.played.problems[step] = []
        started = time.monotonic()
        try:
            yield
        except (HostError, httpx.HTTPError, ValueError) as error:
            self._problems.append(str(error))
            raise _StoppedError from None
        finally:
            self.played.seconds[step] = time.monotonic() - started

    # -- steps -------------------------------------------------------------------------------------------------------

    def _create(self) -> None:
        self._check(self._inputs)
        self._player.next_command()
        try:
            self._made = self._driver.create(self._subject.resource, self._inputs, urn=self._urn)
        except NotReadyError as error:
            self._made = error.outputs
            raise
        finally:
            self._problems += [f"warns: {each}" for each in self._driver.warnings]

    def _clean(self) -> None:
        made = self._state
        found = self._driver.diff(self._subject.resource, made.id, made.outputs, self._inputs, self._inputs)
        if found.changes:
            self._problems.append(f"a preview shows {dict(found.details or {}) or 'a change'}")

    def _refresh(self) -> None:
        read = self._read()
        found = _of_program(read.inputs or {})
        if changed := sorted(n for n in {*self._inputs, *found} if self._inputs.get(n) != found.get(n)):
            self._problems.append(f"a refresh reports other {', '.join(changed)}")
        self._made = read
        self._clean()

    def _update(self, inputs: Values) -> None:
        self._check(inputs)
        made = self._state
        found = self._driver.diff(self._subject.resource, made.id, made.outputs, inputs, made.inputs or self._inputs)
        if not found.changes or found.replaces:
            self._problems.append(f"a preview shows {'a replacement' if found.replaces else 'no change'}")
        self._player.next_command()
        self._made = self._driver.update(self._subject.resource, made.id, made.outputs, inputs)
        self._inputs = inputs
        self._clean()
        self._refresh()

    def _drift(self) -> None:
        self._change_by_hand()
        read = self._read()
        found = self._driver.diff(self._subject.resource, read.id, read.outputs, self._inputs, read.inputs)
        if not found.changes:
            self._problems.append("a refresh does not find the change that was made by hand")
        self._made = read

    def _import(self) -> None:
        self._player.next_command()
        found = self._driver.import_(self._subject.resource, self._state.id)
        inputs = found.inputs or {}
        self._check(inputs)
        diff = self._driver.diff(self._subject.resource, found.id, found.outputs, inputs, inputs)
        if diff.changes:
            self._problems.append(f"a preview after the import shows {dict(diff.details or {})}")

    def _delete(self) -> None:
        made = self._state
        self._player.next_command()
        self._driver.delete(self._subject.resource, made.id, made.outputs)
        if self._record(made.id) is not None:
            self._problems.append("the object still exists")
        elif self._read().id:
            self._problems.append("a refresh still finds the object")
        self._made = None

    def _lose(self) -> None:
        """Create the object again, lose the response, and check that the provider adopts the only one."""
        self._inputs = self._player.inputs(self._subject.before)
        self._proxy.lose(self._creates)
        try:
            self._create_twice()
        finally:
            unused = self._proxy.is_losing
            self._proxy.keep_all()
        if unused:
            self._problems.append("no create was sent")
        same = [each for each in self._records() if self._account.run.marks(each)]
        if len(same) != 1 or str(same[0]["id"]) not in self._state.id:
            self._problems.append(f"{len(same)} objects exist instead of the one in state")
        self._clean()
        self._refresh()
        self._delete()

    def _create_twice(self) -> None:
        try:
            self._create()
        except NotReadyError:
            raise
        except HostError:  # the next command adopts it
            self._create()

    def _creates(self, request: Request) -> bool:
        creation = creation_of(request)
        return creation is not None and creation.collection is self._collection

    # -- parts -------------------------------------------------------------------------------------------------------

    @property
    def _driver_imports(self) -> bool:
        return self.played.front_end == "plugin"

    @property
    def _collection(self) -> Any:
        return RESOURCES[self._subject.resource].collection

    @property
    def _urn(self) -> str:
        return (
            f"urn:pulumi:{self._account.run.token}::tests::clouddb:index:{self._subject.resource}::{self._subject.name}"
        )

    @property
    def _state(self) -> Outputs:
        assert self._made is not None
        return self._made

    def _check(self, inputs: Values) -> None:
        failures = self._driver.check(self._subject.resource, inputs).failures
        self._problems += [f"the inputs are refused: {each}" for each in failures]

    def _read(self) -> Outputs:
        self._player.next_command()
        made = self._state
        return self._driver.read(self._subject.resource, made.id, made.outputs, self._inputs)

    def _path(self, operation: Operation, id_: str = "") -> str:
        return self._account.path(operation, **{to_camel(self._collection.id_part): id_})

    def _form(self, forms: Any) -> Operation:
        operation: Operation = forms.managed if self._account.kind is Kind.CLOUD else forms.self_hosted
        return operation

    def _records(self) -> list[Values]:
        response = self._account.raw("GET", self._path(self._form(self._collection.LIST)), who=self._proxy.who)
        found: list[Values] = result_of(response)
        return found

    def _record(self, id_: str) -> Values | None:
        return next((each for each in self._records() if each["id"] == id_), None)

    def _change_by_hand(self) -> None:
        operation = self._subject.change or self._form(self._collection.UPDATE)
        id_ = self._state.id
        body = self._by_hand
        if operation.method == "PUT":
            body = {**_sendable(self._record(id_) or {}), **body}
        result_of(self._account.raw(operation.method, self._path(operation, id_), body, who=self._proxy.who))


SET_BY_SERVER = frozenset({"id", "teamId", "createdAt", "updatedAt", "state", "silenced", "executionErrors"})
"""The fields of an observability server's record that no request may have."""


def _sendable(record: Values) -> Values:
    return {name: value for name, value in record.items() if name not in SET_BY_SERVER}


def _of_program(inputs: Values) -> Values:
    """Return inputs without those that the classes of the SDK add."""
    return {name: value for name, value in inputs.items() if not name.startswith("__")}


def subjects_of(kind: Kind, chosen: Callable[[Subject], bool] = lambda _: True) -> list[Subject]:
    """Return the subjects of a server."""
    return [each for each in SUBJECTS if each.kind is kind and chosen(each)]
