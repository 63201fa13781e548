"""Names that only one object may have: who has one already, and the refusal of a second."""

from __future__ import annotations

from typing import Any

from pulumi_clouddb.client.errors import ResourceError

from .create_request import CreateRequest, RecordT
from .session import Session

RENAMED = (
    "If resources were renamed in the program, put their old names back, run `pulumi up`, and rename them again, each "
    "with an alias of its old name."
)


def taken_by(request: CreateRequest[RecordT], listed: list[RecordT] | None) -> str | None:
    """Return the id of the listed object that has the name of the one to create, if only one may have it."""
    if not request.unique:
        return None
    objects = request.collection
    there = (record for record in listed or () if objects.exists(record))
    return next((objects.id_of(record) for record in there if objects.name_of(record) == request.name), None)


def refuse_taken(session: Session, request: CreateRequest[Any], object_id: str, to_replace: str = "") -> ResourceError:
    """Return the refusal of a second object of a name."""
    names = session.planned.names
    new = f". New resources of this run so far: {', '.join(names)}" if len(names) > 1 else ""
    both = f", or set {request.allowed_by}" if request.allowed_by else ""
    return ResourceError(
        f"{request.what} exists already, with the id {object_id}; a second one of the same name is not created{new}",
        f"{RENAMED} If it is to be replaced, {to_replace or request.to_replace}. "
        f"If it is yours otherwise, import it (`pulumi import`, or `clouddb import-file`, with the id {object_id}), "
        f"or delete it. Else choose another name{both}.",
    )


def refuse_second(request: CreateRequest[Any]) -> ResourceError:
    """Return the refusal of an object of whose name another one is being created."""
    both = f", or set {request.allowed_by} on both" if request.allowed_by else ""
    return ResourceError(
        f"{request.what} is being created by this program already; a second one of the same name is not created",
        f"Two resources of the program ask for it: give one of them another name{both}.",
    )
