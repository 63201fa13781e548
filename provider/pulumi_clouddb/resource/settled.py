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
"""How often a change is sent whose response is lost each time."""


def settled(
    session: Session,
    send: Callable[[], RecordT],
    look: Callable[[], RecordT | None],
    took: Callable[[RecordT], bool],
) -> RecordT:
    """Send a change of values; return its response, or the object that shows that the server carried it out.

    Servers and load balancers close idle connections, now and then at the moment of a request. A change that was not
    carried out then is sent once more: it sets values, so that it may arrive twice.

    Args:
        session: What to work with.
        send: Sends the change.
        look: Reads the object; None where it cannot be read.
        took: Whether the object is as the change leaves it.

    Raises:
        ApiError: The server refused, or neither a response nor the object shows that it carried the change out.
    """
    try:
        return send()
    except AmbiguousError as error:
        shown = _shown(session, look, took)
        if shown is not None:
            return shown
        if not (isinstance(error, ResponseLostError) and error.closed):
            raise
    try:
        return send()
    except AmbiguousError:
        shown = _shown(session, look, took)
        if shown is None:
            raise
        return shown


def _shown(session: Session, look: Callable[[], RecordT | None], took: Callable[[RecordT], bool]) -> RecordT | None:
    """Return the object as it is, if it is as the change leaves it."""
    session.response_was_lost()
    record = look()
    return record if record is not None and took(record) else None


def repeated(send: Callable[[], AnswerT]) -> AnswerT:
    """Send a change of values again where its response is lost: what arrives twice sets the same.

    Raises:
        ApiError: The server refused, or each response was lost.
    """
    for _ in range(ATTEMPTS - 1):
        with suppress(AmbiguousError):
            return send()
    return send()
