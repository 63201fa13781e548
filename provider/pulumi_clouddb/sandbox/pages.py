"""Lists that come in pages: `limit` and `offset` cut a part out."""

from __future__ import annotations

from collections.abc import Sequence

from .responses import Listing, bad_request
from .state import Call
from .store import Document

MOST_ON_A_PAGE = 1000


def paged(call: Call, found: Sequence[Document]) -> Listing:
    """Return the part of a list that a request asks for, or refuse what it asks for."""
    limit, offset = _number(call, "limit", MOST_ON_A_PAGE, least=1), _number(call, "offset", 0, least=0)
    if limit > MOST_ON_A_PAGE:
        raise bad_request(f"Query validation failed: limit: Number must be less than or equal to {MOST_ON_A_PAGE}")
    return Listing(list(found[offset : offset + limit]), {"total": len(found), "limit": limit, "offset": offset})


def _number(call: Call, name: str, default: int, *, least: int) -> int:
    text = call.query.get(name, str(default))
    if not text.isdecimal() or int(text) < least:
        raise bad_request(f"Query validation failed: {name}: Expected a number of at least {least}")
    return int(text)
