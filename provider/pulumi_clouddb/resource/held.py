"""Changes that are sent with what was read of an object: on this machine, nobody else changes it in between."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, TypeVar

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.errors import ApiError
from pulumi_clouddb.client.retries import wait_for_retry
from pulumi_clouddb.create.session import Session

ResultT = TypeVar("ResultT")


def held(session: Session, objects: Collection[Any], object_id: str, change: Callable[[Session], ResultT]) -> ResultT:
    """Return the result of `change`, which reads an object and writes it, while no other change on this machine does.

    A server refuses writes while it works on an object, which may take minutes. The hold ends before each of these
    waits, and the object is read again after it, so that other changes of that time are not lost.

    Args:
        session: The session of the resource.
        objects: The collection of the object.
        object_id: Its id there.
        change: Reads and writes it in the session that it is called with.

    Raises:
        ApiError: The server refused.
        ResourceError: Others hold the object for too long.
    """
    for attempt in count():
        try:
            with session.holding(objects.object_key(object_id)):
                return change(session.repeating(lambda _: False))
        except ApiError as error:
            if not (error.may_pass and error.operation.writes and session.api.repeats(error)):
                raise
            refusal = error
        wait_for_retry(session.runtime, refusal, attempt)
    raise AssertionError  # count() does not end
