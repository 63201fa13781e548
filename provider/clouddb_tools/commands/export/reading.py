"""Reads objects as an import does, and checks that a program can declare them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property

from pulumi_clouddb.client.errors import (
    ClientError,
    NotFoundError,
    ResourceError,
    UnsupportedOperationError,
    first_line,
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
from .names import NO_WISH, Wish

SERVICE_ID = property_name(OnStack, lambda args: args.service_id)

OF_ONE_OBJECT = (ResourceError, NotFoundError, UnsupportedOperationError, ClientError)
"""Errors that affect one object only."""


@dataclass(frozen=True)
class Found:
    """An object as read from the server.

    Attributes:
        kind: The Pulumi name of its resource.
        name: The resource name in the stack.
        object_id: Its id in state.
        live: Its state and inputs.
        import_id: Its import id; empty if it is the id in state.
        service_id: The service whose observability server it is on, or None.
        by_hint: Whether its inputs have some that an import by id alone leaves out.
        wish: The preferred name of its resource.
        completed: The inputs that check adds by itself if a program leaves them out.
    """

    kind: str
    name: str
    object_id: str
    live: ReadResult
    import_id: str = ""
    service_id: str | None = None
    by_hint: bool = False
    wish: Wish = NO_WISH
    completed: frozenset[str] = frozenset()

    @cached_property
    def inputs(self) -> WireDict:
        """The inputs for a program that changes nothing, with the service id first."""
        inputs: WireDict = whole_numbers(self.live.inputs)
        return {**{name: inputs[name] for name in (SERVICE_ID,) if name in inputs}, **inputs}


def read(session: Session, kind: str, name: str, object_id: str, shared: Iterable[str] = ()) -> Found:
    """Read an object; nothing is written to the server.

    Args:
        session: The servers.
        kind: The Pulumi name of its resource.
        name: The resource name in the stack.
        object_id: Its import id.
        shared: The inputs that the program is to manage though other resources can set them.

    Raises:
        ResourceError: There is no such object.
        ApiError: It could not be read.
    """
    hints: WireDict = {each: [] for each in shared}
    own_id, live = lifecycle.read(session, RESOURCES[kind], object_id, {}, hints)
    if live is None:
        raise RESOURCES[kind].missing(own_id)
    service_id = live.inputs.get(SERVICE_ID)
    in_service = service_id if isinstance(service_id, str) else None
    return Found(kind, name, own_id, live, object_id, in_service, not hints.keys().isdisjoint(live.inputs))


def read_all(session: Session, items: Iterable[Item], notes: list[Note]) -> list[tuple[Item, Found]]:
    """Read objects as they are listed; add a note for each one that a program cannot declare, and omit it.

    Raises:
        ApiError: A server could not be reached, rejects the credentials, or failed.
    """
    objects: list[tuple[Item, Found]] = []
    silent = session.silent()  # checks of less than an object has

    @cache
    def added(kind: str) -> frozenset[str]:
        return frozenset(RESOURCES[kind].check(silent, {}).inputs)

    for item in items:
        try:
            found = read(session, item.kind, "", item.object_id, item.shared)
            faults = list(_faults(session, found))
        except OF_ONE_OBJECT as error:
            faults = [first_line(error)]
        else:
            if not faults:
                objects.append((item, replace(found, completed=_completed(silent, found, added(found.kind)))))
        if faults:
            notes.append(Note(item.kind, item.shown, f"omitted: {'; '.join(faults)}"))
    return objects


def _completed(session: Session, found: Found, added: frozenset[str]) -> frozenset[str]:
    """Return the names of the inputs that check adds, with the same values, if a program leaves them out."""
    resource = RESOURCES[found.kind]

    def is_added(name: str) -> bool:
        others = {other: value for other, value in found.inputs.items() if other != name}
        checked: WireDict = resource.check(session, others).inputs
        return bool(checked.get(name) == found.inputs[name])

    return frozenset(filter(is_added, added & found.inputs.keys()))


def _faults(session: Session, found: Found) -> Iterable[str]:
    """Yield why a program that declares an object would fail or change it: servers contain values that they reject."""
    resource = RESOURCES[found.kind]
    checked = resource.check(session, found.inputs)
    for failure in checked.failures:
        yield " ".join(f"{failure.path} {failure.reason}".split())
    if not checked.failures:
        changed = lifecycle.diff(session, resource, found.object_id, found.live.state, checked.inputs).changed
        if changed:
            yield f"a program cannot declare the server's values of {', '.join(changed)}"
