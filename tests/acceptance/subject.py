"""What a life needs to know of an object, and the steps of a life."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from pulumi_clouddb.client.operation import Operation
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.base import names_with
from pulumi_clouddb.schema.vocabulary import VocabularyName
from real_server.request import Values

from .account import Kind
from .guard import Run

NAMES = ("name", "displayName")
"""The inputs that contain the run's token."""

SET_BY_SERVER = ("id", "teamId", "createdAt", "updatedAt", "state", "silenced", "executionErrors")
"""The properties of an observability server's record that no request has."""


class Step(str, Enum):
    """The steps of a life, in their order."""

    CREATE = "create"
    PREVIEW = "clean preview"
    REFRESH = "clean refresh"
    UPDATE = "update"
    DRIFT = "drift"
    REPAIR = "repair"
    IMPORT = "import"
    CLEAR = "clear"
    DELETE = "delete"
    LOST = "lost response"
    EDITS = "ten edits"


@dataclass(frozen=True)
class Subject:
    """An object that the provider creates, updates, repairs, imports, clears and deletes.

    Attributes:
        name: Its name in the report.
        resource: Its Pulumi type.
        kind: The server that has such objects.
        before: The inputs at creation, by wire name; `<service.id>` is a value of the world.
        updates: The inputs of each update in turn, by what it changes.
        by_hand: Returns the body of the request with which a user changes the record; None if no update changes it.
        cleared: Inputs without optional properties; None if the life has no such step.
        edits: Inputs of ten edits, each in addition to all others.
        stays: Properties that the server never changes.
        must: Inputs in addition to `cleared` that an edit of another property needs.
        beyond: Properties that a user can set and the provider does not have.
        of_vendor: The names of updates that only the vendor's servers support.
        need: The entry of the file of needs without which the life is skipped.
        remains: Whether the object is restored instead of deleted.
        adopted: Whether a record has all that was sent, so that the object of a lost response is adopted; otherwise the
            provider refuses, and names it.
        change: The operation of the change by hand; by default, the one that updates such objects.
        named: How a name gets the token of the run.
    """

    name: str
    resource: str
    kind: Kind
    before: Values
    updates: Mapping[str, Values]
    by_hand: Callable[[Values], Values] | None
    cleared: Values | None = None
    edits: Callable[[int], Values] | None = None
    stays: frozenset[str] = frozenset()
    must: Values = field(default_factory=dict)
    beyond: Values = field(default_factory=dict)
    of_vendor: frozenset[str] = frozenset()
    need: str | None = None
    remains: bool = False
    adopted: bool = True
    change: Operation | None = None
    named: Callable[[Run, str], str] = Run.name

    def in_run(self, run: Run, values: Values) -> Values:
        """Return inputs or a body whose name has the token of the run."""
        texts = {each: str(values[each]) for each in NAMES if values.get(each) is not None}
        named = {each: self.named(run, text) for each, text in texts.items() if run.token not in text}
        return {**values, **named}

    def in_dialect(self, dialect: VocabularyName, inputs: Values) -> Values:
        """Return the inputs that a dialect has."""
        if dialect is VocabularyName.CLICKHOUSE:
            return inputs
        vendors = names_with(RESOURCES[self.resource].type.inputs, "only")
        return {name: value for name, value in inputs.items() if name not in vendors}

    def updates_in(self, dialect: VocabularyName) -> dict[str, Values]:
        """Return the updates that the servers of a dialect support."""
        of_vendor = dialect is VocabularyName.CLICKHOUSE
        return {what: each for what, each in self.updates.items() if of_vendor or what not in self.of_vendor}

    def is_known_in(self, dialect: VocabularyName) -> bool:
        """Return whether the servers of a dialect have such objects."""
        only = RESOURCES[self.resource].type.only
        return only is None or only is dialect

    @property
    def all_inputs(self) -> list[Values]:
        """All inputs, in the order of the life."""
        return [self.before, *self.updates.values(), *([self.cleared] if self.cleared is not None else [])]


def sendable(record: Values, **changed: Any) -> Values:
    """Return the body of a PUT that changes an observability server's record."""
    return {**{name: value for name, value in record.items() if name not in SET_BY_SERVER}, **changed}
