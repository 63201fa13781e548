"""Ids of objects that belong to another one, as the user and state write them."""

from __future__ import annotations

from pulumi_clouddb.client.errors import ResourceError


def located(object_id: str, service_id: str | None) -> tuple[str | None, str]:
    """Return the service, if any, and the id of a dashboard or alert that the user names as `ID` or `serviceId/ID`.

    Args:
        object_id: What the user wrote.
        service_id: The service, where something else names it.

    Raises:
        ResourceError: It is written in neither form.
    """
    before, slash, own = object_id.rpartition("/")
    if not own or "/" in before or (slash and not before):
        raise ResourceError(
            f"{object_id!r} is not the id of a dashboard or alert",
            "It is written ID, or serviceId/ID in the stack of a service.",
        )
    return (before, own) if slash else (service_id, object_id)


def of_pipe(object_id: str, kind: str = "PipeScaling") -> tuple[str, str]:
    """Return the service and the pipe of `serviceId/pipeId`, the id of a PipeScaling, and what a Pipe is imported by.

    Raises:
        ResourceError: It is written otherwise.
    """
    service_id, slash, pipe_id = object_id.partition("/")
    if not slash or not service_id or not pipe_id or "/" in pipe_id:
        raise ResourceError(f"{object_id!r} is not the id of a {kind}", "It is written serviceId/pipeId.")
    return service_id, pipe_id
