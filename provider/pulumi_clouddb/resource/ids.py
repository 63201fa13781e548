"""Ids with the id of a parent in front, as in state and imports."""

from __future__ import annotations

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.schema.resource_type import ResourceType


def refuse_malformed(type_: ResourceType, object_id: str) -> None:
    """Reject the id of an object to import that has a part too many or too few, or an empty one.

    Raises:
        ResourceError: The id has another form.
    """
    parts = object_id.split("/")
    counts = {form.count("/") + 1 for form in type_.import_ids} | ({1} if type_.state_inputs else set())
    fits = type_.id_has_slashes or len(parts) in counts
    if not fits or not all(part and part == part.strip() for part in parts):
        raise ResourceError(
            f"{object_id!r} is not the id of {type_.with_article}", f"It is written {' or '.join(type_.import_ids)}."
        )


def located(object_id: str, service_id: str | None) -> tuple[str | None, str]:
    """Return the service and the id in `serviceId/ID`, or the given service for an id without one.

    Raises:
        ResourceError: The id has neither form.
    """
    before, slash, own = object_id.rpartition("/")
    if not own or "/" in before or (slash and not before):
        raise ResourceError(
            f"{object_id!r} is not the id of a dashboard or alert",
            "It is written ID, or serviceId/ID in the stack of a service.",
        )
    return (before, own) if slash else (service_id, object_id)


def of_pipe(object_id: str, kind: str = "PipeScaling") -> tuple[str, str]:
    """Return the service and the pipe in `serviceId/pipeId`, the id of a PipeScaling or of a Pipe to import.

    Raises:
        ResourceError: The id has another form.
    """
    service_id, slash, pipe_id = object_id.partition("/")
    if not slash or not service_id or not pipe_id or "/" in pipe_id:
        raise ResourceError(f"{object_id!r} is not the id of a {kind}", "It is written serviceId/pipeId.")
    return service_id, pipe_id
