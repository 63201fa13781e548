"""The bodies of operations in the kept facts and the overlay: their schemas and trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from support.trees import Tree, merged

from .facts import CLOUD, OBSERVABILITY, Facts, Schema, kept, plain
from .here import used
from .overlay import OVERLAY, corrected
from .shapes import tree_of

RESULTS = ("result", "data")
"""The properties of the envelopes that contain the result."""
EMPTY = {"status", "requestId"}
"""The properties of an envelope without a result."""
SELF_HOSTED = "self_hosted_"


@dataclass(frozen=True)
class Body:
    """The body of a request, or the result in the envelope of a response, in one description.

    Attributes:
        file: The file with the facts of the description.
        schema: The schema; None if the body is empty.
    """

    file: Path
    schema: Schema | None

    @property
    def tree(self) -> Tree:
        """The properties, and the values of enums."""
        return {} if self.schema is None else tree_of(facts_of(self.file), self.schema)


@cache
def facts_of(file: Path) -> Facts:
    """Return the kept facts with the overlay."""
    return corrected(kept(file), (each for each in OVERLAY if each.file == file))


@cache
def described(name: str) -> tuple[tuple[Path, Mapping[str, Any]], ...]:
    """Return an operation here as the descriptions have it, with the file of each, the newest one last.

    The cloud's observability servers run the program of the self-hosted ones, whose description is newer.
    """
    found = []
    for file in (CLOUD, OBSERVABILITY):
        for path, operation in facts_of(file).operations.items():
            if {name, SELF_HOSTED + name} & {each.name for each in used().get(plain(path), ())}:
                found.append((file, operation))
    return tuple(found)


@cache
def bodies_of(name: str, part: str) -> tuple[Body, ...]:
    """Return a body of an operation here as the descriptions have it, the newest one last.

    Args:
        name: The name of the operation.
        part: `request`, `response` for the result in the envelope of a success, or a status for the whole response.
    """
    return tuple(Body(file, _schema(file, operation, part)) for file, operation in described(name))


def tree_of_body(name: str, part: str) -> Tree:
    """Return the properties of a body of an operation here, and the values of enums, in all descriptions.

    Raises:
        LookupError: None has the operation.
    """
    if not described(name):
        raise LookupError(f"no description has {name}: add it to tests/description/overlay.py")
    return merged(each.tree for each in bodies_of(name, part))


def status_of(operation: Mapping[str, Any]) -> str:
    """Return the status of a success."""
    return next(str(status) for status in operation["responses"] if status.startswith("2"))


def _schema(file: Path, operation: Mapping[str, Any], part: str) -> Schema | None:
    if part == "request":
        return _content(operation.get("request", {}))
    if part == "response":
        schema = _content(operation["responses"][status_of(operation)])
        return schema and _result(facts_of(file), schema)
    return _content(operation["responses"][part])


def _content(content: Mapping[str, Schema]) -> Schema | None:
    """Return the schema of a body, which has one type of content."""
    return next(iter(content.values()), None)


def _result(facts: Facts, envelope: Schema) -> Schema | None:
    """Return the schema of the result in an envelope; of a response without one, that of the whole."""
    envelope = facts.resolved(envelope)
    if envelope.get("type") in ("string", "array"):
        return envelope
    properties = envelope.get("properties", {})
    if properties.keys() <= EMPTY:
        return None
    return next((properties[each] for each in RESULTS if each in properties), envelope)
