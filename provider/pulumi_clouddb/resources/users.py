"""Who names an object: what is deleted although others still need it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from pulumi_clouddb.api.collection import SHARED_LIST_SECONDS, Collection
from pulumi_clouddb.api.errors import ApiError

from .session import Session


def users_of(
    session: Session,
    object_id: str,
    service_id: str | None,
    collections: Mapping[str, type[Collection[Any]]],
    max_age: float = SHARED_LIST_SECONDS,
) -> list[str]:
    """Return, in words, the objects whose records name an id, as far as they can be listed.

    Args:
        session: What to work with.
        object_id: The id.
        service_id: The service that holds them, or None on the self-hosted server.
        collections: Where they may be, by the word for such an object.
        max_age: Seconds that a shared list may be old.
    """
    found = []
    for word, kind in collections.items():
        objects = session.api.of(kind, service_id)
        with suppress(ApiError):
            found += [
                f"{word} {objects.name_of(record)!r} (id {objects.id_of(record)})"
                for record in objects.listed(max_age=max_age)
                if object_id in str(record.answer) and objects.id_of(record) != object_id
            ]
    return found
