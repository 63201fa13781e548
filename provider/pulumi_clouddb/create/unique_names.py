"""Names that only one object may have: the object that has one, the resources that a run will create, the refusals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.client.list_cache import ListKey

from .create_request import CreateRequest, RecordT

RENAMED = (
    "If resources were renamed in the program, put their old names back, run `pulumi up`, and rename them again, each "
    "with an alias of its old name."
)


@dataclass
class Planned:
    """The new resources of a run, as far as its checks have shown: Pulumi's engine checks one after the other.

    Attributes:
        in_state: URNs that are in state: what is checked as new under one of them is a replacement.
        released: Ids of the objects that this run renames.
        new: The resources to create, by URN, each with the request and the id of the object that has its name already.
        lists: The objects that the server listed, where it answered in time.
    """

    in_state: set[str] = field(default_factory=set)
    released: set[str] = field(default_factory=set)
    new: dict[str, tuple[CreateRequest[Any], str] | None] = field(default_factory=dict)
    lists: dict[ListKey, Mapping[str, Any] | None] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The names of the new resources in the program."""
        return [urn.split("::", 3)[-1] for urn in self.new]


def taken_by(request: CreateRequest[RecordT], listed: Mapping[str, RecordT] | None) -> str | None:
    """Return the id of the listed object that has the name of the one to create, if only one may have it."""
    if not request.unique:
        return None
    objects = request.collection
    there = ((object_id, record) for object_id, record in (listed or {}).items() if objects.exists(record))
    return next((object_id for object_id, record in there if objects.name_of(record) == request.name), None)


def refuse_taken(planned: Planned, request: CreateRequest[Any], object_id: str, to_replace: str = "") -> ResourceError:
    """Return the refusal of a second object of a name.

    Args:
        planned: The new resources of the run.
        request: What is created.
        object_id: The object that has the name.
        to_replace: What to do to replace that object; by default that of the request.
    """
    new = f". New resources of this run so far: {', '.join(planned.names)}" if len(planned.names) > 1 else ""
    both = f", or set {request.allowed_by}" if request.allowed_by else ""
    return ResourceError(
        f"{request.what} exists already, with the id {object_id}; a second one of the same name is not created{new}",
        f"{RENAMED} If it is to be replaced, {to_replace or request.to_replace}. "
        f"If it is yours otherwise, import it (`pulumi import`, or `clouddb import-file`, with the id {object_id}), "
        f"or delete it. Else choose another name{both}.",
    )


def refuse_second(request: CreateRequest[Any]) -> ResourceError:
    """Return the refusal of an object if another one of its name is being created."""
    both = f", or set {request.allowed_by} on both" if request.allowed_by else ""
    return ResourceError(
        f"{request.what} is being created by this program already; a second one of the same name is not created",
        f"Two resources of the program ask for it: give one of them another name{both}.",
    )
