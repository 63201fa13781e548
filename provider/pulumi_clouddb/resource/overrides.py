"""What an override found before it changed it, kept over the death of this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pulumi_clouddb.client.errors import CloudDBError
from pulumi_clouddb.create.evidence import Normalizer, digests, shows_what_was_sent
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.base import Model
from pulumi_clouddb.schema.convert import RecordT, construct, to_wire

Answer = TypeVar("Answer")

MOST_ATTEMPTS = 20
"""That many interrupted attempts in a row are remembered."""


def remember(session: Session, object_id: str, found: RecordT, wanted: Model, meaning: Normalizer) -> RecordT:
    """Return what is put back one day: what was found now, or what an interrupted attempt found before it changed it.

    Earlier attempts count only if the object is as one of them wanted it. Otherwise they were refused, or somebody has
    changed the object since.

    Args:
        session: What to work with; the create of the override is pending.
        object_id: The id of the override.
        found: What the object has now.
        wanted: What is about to be sent.
        meaning: What a property's value means.
    """
    pending, now = session.entry.record, to_wire(found)
    if session.entry.previous and pending.found is None:
        session.warn(
            f"An interrupted run was creating {pending.what}{f' (id {pending.id})' if pending.id else ''}; the program "
            "no longer asks for it. If it is there and nobody needs it, delete it by hand."
        )
    attempts = [pending.digests, *pending.earlier][:MOST_ATTEMPTS]
    ours = any(shows_what_was_sent(pending.model_copy(update={"digests": each}), now, meaning) for each in attempts)
    if session.entry.previous and pending.found is not None and ours:
        original = pending.found
        pending.earlier = attempts
    else:
        original = now
        pending.earlier = []
    pending.found = original
    pending.id = object_id
    pending.started, pending.response_lost = session.runtime.time(), False
    pending.digests = digests(pending, to_wire(wanted), meaning)
    session.entry.write()
    return construct(type(found), original)


def changed_or_forgotten(session: Session, change: Callable[[], Answer]) -> Answer:
    """Return what `change` answers; if the server has not carried it out for certain, forget the attempt.

    What was found is forgotten with it, unless an earlier attempt may have changed the object.
    """
    try:
        return change()
    except CloudDBError:
        entry = session.entry
        if not entry.record.response_lost and entry.record.earlier:
            entry.record.digests, *entry.record.earlier = entry.record.earlier
            entry.write()
        elif not entry.record.response_lost:
            entry.forget()
        raise
