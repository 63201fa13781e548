"""A change whose response is lost: the object itself shows whether the server carried it out."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from pulumi_clouddb.client.errors import AmbiguousError, ResponseLostError
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
