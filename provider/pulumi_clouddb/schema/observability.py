"""Things on an observability server, of a service or self-hosted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, Field

from .base import FilledText, Text, Uuid, extras, identity
from .check.wording import AN_ID, TAKE_ID, doubted, matching
from .choice import ClosedChoice, OpenChoice
from .convert import plain
from .defaults import models_in
from .thing import Thing, option
from .values import WireDict, WireValues
from .vocabulary import CLICKHOUSE

MANAGED_FORM = (
    "Id of the service whose observability server has it (managed form). "
    "Without it the self-hosted server of clouddb:stackUrl is used."
)

LONGEST_TAG = 32
MOST_TAGS = 50
"""Characters of a label, and labels of an object, that servers accept at most."""

Tag = Annotated[Text, Field(max_length=LONGEST_TAG)]
"""A label of an alert or of a saved search."""

_AN_ID = doubted(f"should be {AN_ID}", matching("([0-9a-fA-F]{24})?"), CLICKHOUSE, TAKE_ID)
StackId = Annotated[FilledText, _AN_ID]
LinkedId = Annotated[Text, _AN_ID]
"""The id of an object of an observability server, and one that may be empty."""


class OnStack(Thing):
    """Anything on an observability server."""

    service_id: Uuid | None = option(MANAGED_FORM, replaces=True)


class SearchLanguage(OpenChoice):
    """The language of a condition."""

    LUCENE = "lucene", "words and fields, as typed into the search bar"
    SQL = "sql", "an SQL expression"


class QueryLanguage(OpenChoice):
    """The language of a condition of a tile."""

    LUCENE = "lucene", "words and fields, as typed into the search bar"
    SQL = "sql", "an SQL expression"
    PROMQL = "promql", "an expression of Prometheus, on self-hosted servers"


class FilterKind(ClosedChoice, because="it decides which stored filters an update sends back"):
    """The language of a pinned filter."""

    SQL = "sql", "a predicate such as `ServiceName IN ('checkout')`"


def with_kind(filters: object) -> object:
    """Return filters with the default kind filled in, as servers return them."""
    if not isinstance(filters, list):
        return filters
    usual = {"type": FilterKind.SQL.value}
    return [{**usual, **each} if isinstance(each, Mapping) else each for each in identity(filters)]


def with_languages(model: type[BaseModel], values: WireValues) -> WireDict:
    """Return a body with the language of each text and of each selected value, also in the objects in it.

    The vendor's server returns lucene for a selected value without a language, but stores none, and after an update
    null, with which its page can neither save nor export the dashboard (2.36.0: `aggConditionLanguage` in
    `convertToInternalSelectItem` and `DerivedColumnSchema`; tests/provider/resources/test_page_of_the_server.py).
    With a condition, an alert evaluates it as Lucene in one clause of its query and as SQL in the other, fails, and
    never fires (renderChartConfig.ts, `aggConditionLanguage ?? ...`; tests/provider/contract/cases_languages.py).
    """
    filled = {name: _each_with_languages(models_in(model).get(name), value) for name, value in values.items()}
    for name, property_ in extras(model, "sent_with").items():
        if filled.get(property_) is not None and filled.get(name) is None:
            filled[name] = plain(extras(model, "unset")[name][0])
    return filled


def _each_with_languages(model: type[BaseModel] | None, value: object) -> object:
    if isinstance(value, list):
        return [_each_with_languages(model, each) for each in value]
    return with_languages(model, value) if model and isinstance(value, Mapping) else value
