"""Changes that are sent with what was read of an object, and changes whose response is lost.

On this machine, nobody else changes an object between the read and the write. If the response is lost, the object
itself shows whether the server carried the change out.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any, TypeVar

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.errors import AmbiguousError, ApiError, ResponseLostError
from pulumi_clouddb.client.retries import wait_for_retry
from pulumi_clouddb.create.session import Session

AnswerT = TypeVar("AnswerT")
RecordT = TypeVar("RecordT")

ATTEMPTS = 3
"""How often a change is sent if each response is lost."""


def settled(
    session: Session,
    send: Callable[[], RecordT],
    look: Callable[[], RecordT | None],
    took: Callable[[RecordT], bool],
) -> RecordT:
    """Send a change, and return its response, or the object that shows that the server carried it out.

    Servers and load balancers close idle connections, sometimes at the moment of a request. If the server did not
    carry out the change then, it is sent once more: it sets values, so that it may arrive twice.

    Args:
        session: The session of the resource.
        send: Sends the change.
        look: Reads the object; None if it cannot be read.
        took: Returns whether the object shows the change.

    Raises:
        ApiError: The server refused, or neither a response nor the object shows that it carried the change out.
    """
    sent_again = False
    while True:
        try:
            return send()
        except AmbiguousError as error:
            session.response_was_lost()
            record = look()
            if record is not None and took(record):
                return record
            if sent_again or not (isinstance(error, ResponseLostError) and error.closed):
                raise
        sent_again = True


def repeated(send: Callable[[], AnswerT]) -> AnswerT:
    """Send a change again if its response is lost: what arrives twice sets the same values.

    Raises:
        ApiError: The server refused, or each response was lost.
    """
    for _ in range(ATTEMPTS - 1):
        with suppress(AmbiguousError):
            return send()
    return send()


def held(session: Session, objects: Collection[Any], object_id: str, change: Callable[[Session], AnswerT]) -> AnswerT:
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
