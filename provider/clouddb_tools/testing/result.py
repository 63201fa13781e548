"""The result of a preview, up, refresh or destroy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

NO_CHANGE = frozenset({"same", "read", "refresh"})


@dataclass(frozen=True)
class Step:
    """One step on one resource.

    `op` is the engine's name: create, update, delete, same, read, refresh, replace, and the two halves of a
    replacement, create-replacement and delete-replaced. `changed` names the top-level properties that differ,
    `replaced_by` those that force the replacement.
    """

    op: str
    urn: str
    type: str
    name: str
    changed: tuple[str, ...] = ()
    replaced_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Diagnostic:
    """A message for the user: severity is debug, info, warning or error."""

    severity: str
    message: str
    urn: str = ""

    def __str__(self) -> str:
        return f"{self.severity}: {self.message}"


@dataclass(frozen=True)
class ResourceState:
    """A resource in the stack's state; secrets are `Secret` objects."""

    urn: str
    type: str
    name: str
    id: str = ""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    outputs: Mapping[str, Any] = field(default_factory=dict)
    parent: str = ""
    dependencies: tuple[str, ...] = ()
    protect: bool = False
    external: bool = False
    delete: bool = False


@dataclass
class Result:
    """The outcome of one operation.

    `changes` counts steps by name as the CLI's summary does: a replacement counts once, as replace, and the stack
    itself counts too. `stdout` contains the lines that the program and the provider host printed.
    """

    operation: str
    steps: list[Step] = field(default_factory=list)
    changes: dict[str, int] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    stdout: list[str] = field(default_factory=list)
    ok: bool = True
    seconds: float = 0.0

    @property
    def no_changes(self) -> bool:
        """Whether no resource was changed or needs a change."""
        return all(op in NO_CHANGE for op in self.changes)

    @property
    def errors(self) -> list[str]:
        """The texts of the error diagnostics."""
        return [each.message for each in self.diagnostics if each.severity == "error"]

    def ops(self, name: str) -> list[str]:
        """Return the ops of the steps on resources with this name, in order."""
        return [step.op for step in self.steps if step.name == name]


class StackError(Exception):
    """An operation failed; `result` contains its steps until then."""

    def __init__(self, result: Result) -> None:
        self.result = result
        super().__init__("\n".join(result.errors) or f"{result.operation} failed without a message")
