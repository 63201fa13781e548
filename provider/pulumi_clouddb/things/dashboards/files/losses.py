"""What a file of a dashboard has and the API cannot express, each with its place."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from pulumi_clouddb.schema.choice import ClosedChoice
from pulumi_clouddb.schema.values import Path, show_path

from .file import FileObject

ObjectT = TypeVar("ObjectT", bound=FileObject)


class Severity(ClosedChoice, because="an object with an error is left out"):
    """How much is lost."""

    ERROR = "error", "the tile or filter would show other data, and is left out"
    WARNING = "warning", "it looks or behaves differently, and shows the same data"


@dataclass(frozen=True)
class Loss:
    """A part of a file that the API cannot express.

    Attributes:
        place: Where it is: `tile 'Requests', config.limit`.
        message: What is lost, in words.
        severity: Whether the tile or filter would show other data.
        tile: The key of its tile; None for parts of the dashboard itself.
    """

    place: str
    message: str
    severity: Severity
    tile: str | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


class Losses:
    """Collects losses, and counts the keys of a file as read: each one that nobody reads is a loss.

    Args:
        where: The words for the object that all places begin with, such as `tile 'Requests'`; empty for the dashboard.
        tile: The key of its tile.
    """

    def __init__(self, where: str = "", tile: str | None = None) -> None:
        self.found: list[Loss] = []
        self._where, self._tile = where, tile

    @property
    def has_error(self) -> bool:
        """Whether the object would show other data."""
        return any(each.severity is Severity.ERROR for each in self.found)

    def warn(self, path: Path, message: str) -> None:
        """Add a loss of looks or behavior."""
        self._add(path, message, Severity.WARNING)

    def error(self, path: Path, message: str) -> None:
        """Add a loss that changes the data shown."""
        self._add(path, message, Severity.ERROR)

    def _add(self, path: Path, message: str, severity: Severity) -> None:
        place = ", ".join(filter(None, (self._where, show_path(path))))
        self.found.append(Loss(place, message, severity, self._tile))

    @contextmanager
    def reading(self, item: ObjectT, path: Path, *, without_meaning: Collection[str] = ()) -> Iterator[ObjectT]:
        """Return an object of a file for reading; at the end, report each of its keys that was not read.

        Not so the attributes that have no meaning for the API or in this position.
        """
        read = _Read(item)
        yield cast(ObjectT, read)
        for attribute, name in item.names():
            if attribute not in read.attributes and attribute not in without_meaning:
                known = attribute in type(item).model_fields
                self.warn((*path, name), NOT_IN_API if known else UNKNOWN_KEY)


NOT_IN_API = "the API has no such property"
UNKNOWN_KEY = "this package does not know this property"


class _Read:
    """Reads attributes of an object, and records which."""

    def __init__(self, item: FileObject) -> None:
        self._item, self.attributes = item, set[str]()

    def __getattr__(self, name: str) -> Any:
        self.attributes.add(name)
        return getattr(self._item, name)
