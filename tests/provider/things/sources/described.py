"""Data sources; each kind has properties of its own."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import Required, TypedDict

from description.exchange import both_forms, collection
from description.notation import CLOUD, SELF_HOSTED, Moment


class Table(TypedDict, total=False):
    databaseName: Required[str]
    tableName: Required[str]


class MetricTable(TypedDict, total=False):
    """The database of metrics, which have a table for each kind of metric."""

    databaseName: Required[str]
    tableName: str | None


class QuerySetting(TypedDict, total=False):
    setting: Required[str]
    value: Required[str]


class FilterColumn(TypedDict, total=False):
    name: Required[str]
    label: Required[str]


class FilterSettings(TypedDict, total=False):
    """The origin of the values of filters."""

    databaseName: Required[str]
    tableName: Required[str]
    columns: Required[list[FilterColumn]]


class Highlighted(TypedDict, total=False):
    """An attribute that is shown first."""

    sqlExpression: Required[str]
    luceneExpression: str | None
    alias: str | None


class AggregatedColumn(TypedDict, total=False):
    sourceColumn: str | None
    aggFn: Required[str]
    mvColumn: Required[str]


class MaterializedView(TypedDict, total=False):
    databaseName: Required[str]
    tableName: Required[str]
    dimensionColumns: Required[str]
    minGranularity: Required[Annotated[str, Field(pattern=r"^\d+(s|m|h|d)$")]]
    minDate: Moment | None
    timestampColumn: Required[str]
    aggregatedColumns: Required[list[AggregatedColumn]]


class MetadataViews(TypedDict, total=False):
    """Tables from which fields are suggested."""

    keyRollupTable: str
    kvRollupTable: str
    granularity: str


MetricTables = TypedDict(
    "MetricTables",
    {"gauge": str, "histogram": str, "sum": str, "summary": str, "exponential histogram": str},
    total=False,
)


class OfAll(TypedDict, total=False):
    """The properties of every kind."""

    id: str  # read only
    name: Required[str]
    section: Annotated[str, Field(max_length=256)]
    disabled: bool | None
    connection: Required[str]
    querySettings: list[QuerySetting] | None


class OfRows(OfAll, total=False):
    """The properties of logs and traces."""

    from_: Required[Annotated[Table, Field(alias="from")]]
    filterSettings: Annotated[FilterSettings | None, CLOUD]
    defaultTableSelectExpression: Required[str]
    timestampValueExpression: Required[str]
    serviceNameExpression: str | None
    serviceVersionExpression: Annotated[str | None, SELF_HOSTED]
    eventAttributesExpression: str | None
    resourceAttributesExpression: str | None
    metricSourceId: str | None
    implicitColumnExpression: str | None
    knownColumnsListExpression: str | None
    useTextIndexForImplicitColumn: Literal["auto", "enabled", "disabled"] | None
    highlightedTraceAttributeExpressions: list[Highlighted] | None
    highlightedRowAttributeExpressions: list[Highlighted] | None
    materializedViews: list[MaterializedView] | None
    metadataMaterializedViews: MetadataViews | None


class Log(OfRows, total=False):
    kind: Required[Literal["log"]]
    severityTextExpression: str | None
    bodyExpression: str | None
    displayedTimestampValueExpression: str | None
    traceSourceId: str | None
    traceIdExpression: str | None
    spanIdExpression: str | None


class Trace(OfRows, total=False):
    kind: Required[Literal["trace"]]
    durationExpression: Required[str]
    durationPrecision: Required[Annotated[int, Field(ge=0, le=9)]]
    traceIdExpression: Required[str]
    spanIdExpression: Required[str]
    parentSpanIdExpression: Required[str]
    spanNameExpression: Required[str]
    spanKindExpression: Required[str]
    logSourceId: str | None
    sessionSourceId: str | None
    statusCodeExpression: str | None
    statusMessageExpression: str | None
    spanEventsValueExpression: str | None


class Metric(OfAll, total=False):
    kind: Required[Literal["metric"]]
    from_: Required[Annotated[MetricTable, Field(alias="from")]]
    metricTables: Required[MetricTables]
    timestampValueExpression: Required[str]
    resourceAttributesExpression: Required[str]
    logSourceId: str | None


class Session(OfAll, total=False):
    kind: Required[Literal["session"]]
    from_: Required[Annotated[Table, Field(alias="from")]]
    timestampValueExpression: str | None
    traceSourceId: Required[str]


class PromQl(OfAll, total=False):
    kind: Required[Literal["promql"]]
    from_: Required[Annotated[Table, Field(alias="from")]]
    timestampValueExpression: Required[str]


Source = Annotated[Log | Trace | Metric | Session | PromQl, Field(discriminator="kind")]
"""A source, in requests and responses."""


EXCHANGES = both_forms(collection("source", "sources", Source, Source, Source))
