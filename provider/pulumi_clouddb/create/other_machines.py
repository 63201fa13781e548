"""Finding the object of an interrupted run of the same stack on another machine, which did not keep its disk.

This machine has no record of that create. But services and keys of the `clickhouse` dialect carry a mark that follows
from the stack, the resource and the second of the request. That second is `createdAt` less the time that the request
took, so that every machine of the stack can compute the mark. After a day an object is left alone: somebody may have
dropped it from state on purpose (`pulumi state delete`).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from math import ceil, floor

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.client.marks import nonce_of, second_of

from .create_request import CreateRequest, RecordT
from .evidence import CLOCK_SECONDS, created_at, latest_commit_seconds, owned_ids
from .pending import MADE_SECONDS
from .session import Session

NONCE_SECONDS = 120.0
"""How long the attempts of one create share a nonce. Other machines search as far back; no setting changes it.

Each second of the search is one more mark that somebody else's key may show by chance: of the keys of one name that
nobody has used, one in 85,000.
"""


def nonce_for(
    session: Session, request: CreateRequest[RecordT], listed: Mapping[str, RecordT] | None, sent_at: float | None
) -> str:
    """Return the nonce of a request that is sent now: that of the last attempt, if it was sent shortly before.

    Args:
        session: The session of the resource.
        request: What is created.
        listed: What exists; none of it carries the mark of the nonce.
        sent_at: The time by the server's clock, if it is known.
    """
    nonce, stack = session.entry.record.nonce, session.stack
    if stack is None or sent_at is None or 0 <= sent_at - second_of(nonce) <= NONCE_SECONDS:
        return nonce
    for second in count(floor(sent_at), -1):
        nonce = nonce_of(stack, session.urn, request.generation, second)
        mark = request.collection.mark(nonce)
        if mark is None or not any(map(mark.is_on, (listed or {}).values())):
            break
    return nonce


def find_marked(
    session: Session, request: CreateRequest[RecordT], listed: Mapping[str, RecordT] | None
) -> tuple[RecordT, str] | None:
    """Return the object that another machine created for this resource, and its nonce, or None if there is none.

    Objects in state, and those that this machine has created, are left out.

    Raises:
        ResourceError: There is more than one.
    """
    now = request.collection.server_time()
    collection = request.collection
    if session.stack is None or now is None or collection.mark(session.entry.record.nonce) is None:
        return None
    marked = {
        object_id: (record, nonce)
        for object_id, record in (listed or {}).items()
        if collection.exists(record)
        and collection.may_be_lost(record)
        and (nonce := _nonce_on(session, request, record, now))
    }
    if not marked:  # do not read all pending creates without need
        return None
    owned = owned_ids(session, session.pending.others(session.entry.path))
    found = {object_id: each for object_id, each in marked.items() if object_id not in owned}
    if len(found) > 1:
        raise ResourceError(
            f"{request.what}: interrupted runs on other machines have created more than one: {', '.join(found)}",
            "Delete all but one of them, then run again: the remaining one is adopted.",
        )
    return next(iter(found.values()), None)


def is_marked(session: Session, request: CreateRequest[RecordT], record: RecordT) -> bool:
    """Return whether an object carries a mark of this resource, so that its create adopts it."""
    now = request.collection.server_time()
    return now is not None and _nonce_on(session, request, record, now) is not None


def _nonce_on(session: Session, request: CreateRequest[RecordT], record: RecordT, now: float) -> str | None:
    """Return the nonce of the mark on an object, if it is a mark of this resource."""
    created = created_at(record.answer)
    if session.stack is None or created is None or now - created > MADE_SECONDS:
        return None
    longest = latest_commit_seconds(session.config) + NONCE_SECONDS + CLOCK_SECONDS
    window = range(ceil(created + CLOCK_SECONDS), floor(created - longest) - 1, -1)
    for second in request.collection.marked_in(record, request.name, window):
        nonce = nonce_of(session.stack, session.urn, request.generation, second)
        mark = request.collection.mark(nonce)
        if mark is not None and mark.is_on(record):
            return nonce
    return None
