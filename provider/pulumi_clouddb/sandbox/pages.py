"""Lists that come in pages: `limit` and `offset` cut a part out."""

from __future__ import annotations

import math
from collections.abc import Sequence

from starlette.datastructures import QueryParams

from .responses import Listing, bad_request
from .state import Call
from .store import Document

MOST_ON_A_PAGE = 1000


def paged(call: Call, found: Sequence[Document]) -> Listing:
    """Return the part of a list that a request asks for, or refuse what it asks for."""
    limit, of_limit = _number(call, "limit", MOST_ON_A_PAGE, least=1)
    offset, of_offset = _number(call, "offset", 0, least=0)
    if limit > MOST_ON_A_PAGE:
        of_limit.append(f"limit: Number must be less than or equal to {MOST_ON_A_PAGE}")
    if said := of_limit + of_offset:
        raise bad_request(f"Query validation failed: {'; '.join(said)}")
    return Listing(list(found[offset : offset + limit]), {"total": len(found), "limit": limit, "offset": offset})


def _number(call: Call, name: str, default: int, *, least: int) -> tuple[int, list[str]]:
    """Return a number of the query, read as JavaScript does, and what the servers say of it."""
    query = call.query
    given = query.getlist(name) if isinstance(query, QueryParams) else [query[name]] if name in query else []
    texts = given or [str(default)]
    try:
        number = float(texts[0].strip() or 0) if len(texts) == 1 else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        return default, [f"{name}: Expected number, received nan"]
    said = [] if number.is_integer() else [f"{name}: Expected integer, received float"]
    said += [] if number >= least else [f"{name}: Number must be greater than or equal to {least}"]
    return int(number), said
