"""Data sources of an observability server."""

from __future__ import annotations

from collections.abc import Collection

from pulumi_clouddb.resource.functions import list_all
from pulumi_clouddb.resource.observability import ObservabilityResource
from pulumi_clouddb.schema.assumptions import ALL, MEASURED, Assumption
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.things.dashboards.api import Dashboards
from pulumi_clouddb.things.saved_searches.api import SavedSearches

from .api import Sources
from .fields import USUAL_PRECISION, SourceFrom, SourceKind
from .source import SOURCE, Source

PRECISION = property_name(Source, lambda args: args.duration_precision)
FROM = property_name(Source, lambda args: args.from_)
TABLE_NAME = property_name(SourceFrom, lambda place: place.table_name)


METRICS_NEED_A_TABLE_NAME = Assumption(
    "A source of metrics is refused without a name of a table, which may be empty.", MEASURED, ALL
)
SOURCE_UPDATE_REPLACES = Assumption("An update of a source clears the properties that it omits.", MEASURED, ALL)


class SourceResource(ObservabilityResource[Source]):
    """A data source of a managed or self-hosted server."""

    type = SOURCE
    collection = Sources
    users = (("dashboard", Dashboards), ("saved search", SavedSearches))
    functions = (list_all(SOURCE, Sources, whole=True, by_name=True, called="data sources"),)

    def body(self, wanted: Source, names: Collection[str] | None = None) -> WireDict:
        """Return the body of a request, with the properties that servers require.

        These are the table of a source of metrics, which may be empty, and the precision of a source of traces.
        """
        body = super().body(wanted, names)
        if wanted.kind == SourceKind.TRACE:
            body.setdefault(PRECISION, USUAL_PRECISION)
        if wanted.kind == SourceKind.METRIC and FROM in body:
            body[FROM] = {TABLE_NAME: "", **body[FROM]}
        return body
