"""Things on an observability server, of a service or self-hosted."""

from __future__ import annotations

from collections.abc import Mapping

from .base import Uuid, identity
from .choice import Choice
from .thing import Thing, option

MANAGED_FORM = (
    "Id of the service whose observability server has it (managed form). "
    "Without it the self-hosted server of clouddb:stackUrl is used."
)


class OnStack(Thing):
    """Anything on an observability server."""

    service_id: Uuid | None = option(MANAGED_FORM, replaces=True)


class SearchLanguage(Choice):
    """The language of a condition."""

    LUCENE = "lucene", "words and fields, as typed into the search bar"
    SQL = "sql", "an SQL expression"


class QueryLanguage(Choice):
    """The language of a condition of a tile."""

    LUCENE = "lucene", "words and fields, as typed into the search bar"
    SQL = "sql", "an SQL expression"
    PROMQL = "promql", "an expression of Prometheus, on self-hosted servers"


class FilterKind(Choice):
    """The language of a pinned filter."""

    SQL = "sql", "a predicate such as `ServiceName IN ('checkout')`"


def with_kind(filters: object) -> object:
    """Return filters with the default kind filled in, as servers return them."""
    if not isinstance(filters, list):
        return filters
    usual = {"type": FilterKind.SQL.value}
    return [{**usual, **each} if isinstance(each, Mapping) else each for each in identity(filters)]
