"""Reads objects as an import does, and holds that a program can say them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pulumi_clouddb.client.errors import (
    ClientError,
    CloudDBError,
    NotFoundError,
    ResourceError,
    UnsupportedOperationError,
)
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.lifecycle import ReadResult
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.observability import OnStack
from pulumi_clouddb.schema.values import WireDict, whole_numbers

from .choice import Item
from .inventory import Note

SERVICE_ID = property_name(OnStack, lambda args: args.service_id)

OF_ONE_OBJECT = (ResourceError, NotFoundError, UnsupportedOperationError, ClientError)
"""Errors that say something about one object; any other would come again for the next."""


@dataclass(frozen=True)
class Found:
    """An object as it was read.

    Attributes:
        kind: The Pulumi name of its resource.
        name: The name it gets in the stack.
        object_id: Its id as state holds it.
        live: Its state and inputs.
        import_id: Its id as an import takes it; empty where that of state is enough.
        service_id: The service whose observability server holds it, or None.
    """

    kind: str
    name: str
    object_id: str
    live: ReadResult
    import_id: str = ""
    service_id: str | None = None

    @property
    def inputs(self) -> WireDict:
        """The inputs that leave it as it is, as a program writes them: where it is comes first."""
        written: WireDict = whole_numbers(self.live.inputs)
        return {**{name: written[name] for name in (SERVICE_ID,) if name in written}, **written}


def read(session: Session, kind: str, name: str, object_id: str) -> Found:
    """Read an object; nothing is written to the server.

    Raises:
        ResourceError: There is no such object.
        ApiError: It could not be read.
    """
    own_id, live = lifecycle.read(session, RESOURCES[kind], object_id, {}, {})
    if live is None:
        raise RESOURCES[kind].missing(own_id)
    service_id = live.inputs.get(SERVICE_ID)
    return Found(kind, name, own_id, live, object_id, service_id if isinstance(service_id, str) else None)


def read_all(session: Session, items: Iterable[Item], notes: list[Note]) -> list[tuple[Item, Found]]:
    """Read objects as they are listed; those that no program can say are left out, with the reason.

    Raises:
        ApiError: A server could not be reached, lets nobody in, or failed.
    """
    found: list[tuple[Item, Found]] = []
    for item in items:
        one, reasons = _read(session, item)
        if one is None or reasons:
            notes.append(Note(item.kind, item.shown, "; ".join(reasons)))
        else:
            found.append((item, one))
    return found


def _read(session: Session, item: Item) -> tuple[Found | None, list[str]]:
    """Return an object, and why it is left out."""
    try:
        one = read(session, item.kind, "", item.object_id)
        return one, list(_faults(session, one))
    except OF_ONE_OBJECT as error:
        return None, [f"left out: {_first_line(error)}"]


def _faults(session: Session, found: Found) -> Iterable[str]:
    """Yield why a program that says an object would fail or change it: servers hold what they take from nobody."""
    resource = RESOURCES[found.kind]
    checked = resource.check(session, found.inputs)
    for failure in checked.failures:
        yield " ".join(f"left out: {failure.path} {failure.reason}".split())
    if not checked.failures:
        changed = lifecycle.diff(session, resource, found.object_id, found.live.state, checked.inputs).changed
        if changed:
            yield f"left out: a program cannot say {', '.join(changed)} as the server has it"


def _first_line(error: CloudDBError) -> str:
    return str(error).partition("\n")[0]
