"""Data sources: tables of logs, traces, metrics, sessions and flows, and how they are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, ClassVar, TypeAlias

from pulumi_clouddb.schema.base import Compare, FilledSqlPart, FilledText, Flag, SqlPart, Text, Whole, prop, wire_name
from pulumi_clouddb.schema.check.rules import API, OURS, SERVER, Rule, rule
from pulumi_clouddb.schema.check.wording import AN_ID, OBJECT_ID, TAKE_ID
from pulumi_clouddb.schema.names import each_of, property_names
from pulumi_clouddb.schema.observability import LinkedId, OnStack
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import answered
from pulumi_clouddb.schema.vendor import AN_ORDER, TableName, repeated
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .parts import (
    USUAL_PRECISION,
    HighlightedAttribute,
    MaterializedView,
    MetadataViews,
    QuerySetting,
    SourceFilterSettings,
    SourceFrom,
    SourceKind,
    TextIndexUse,
    named_table,
)
from .source_links import SourceLinkFields

LOG, TRACE, METRIC, SESSION = SourceKind.LOG, SourceKind.TRACE, SourceKind.METRIC, SourceKind.SESSION
NETFLOW = SourceKind.NETFLOW
METRIC_TABLES = ("gauge", "sum", "histogram", "summary", "exponential histogram")


Reader: TypeAlias = "Callable[[Source], object]"
Readers: TypeAlias = "Callable[[Source], tuple[object, ...]]"


def _of_flows(it: Source) -> tuple[object, ...]:
    return (
        it.bytes_expression,
        it.packets_expression,
        it.src_addr_expression,
        it.dst_addr_expression,
        it.src_port_expression,
        it.dst_port_expression,
        it.protocol_expression,
    )


KINDS: dict[tuple[SourceKind, ...], Readers] = {
    (LOG,): lambda it: (it.severity_text_expression, it.body_expression, it.table_filter_expression),
    (TRACE,): lambda it: (
        it.sample_rate_expression,
        it.span_links_value_expression,
        it.duration_expression,
        it.duration_precision,
        it.parent_span_id_expression,
        it.span_name_expression,
        it.span_kind_expression,
        it.session_source_id,
        it.status_code_expression,
        it.status_message_expression,
        it.span_events_value_expression,
    ),
    (METRIC,): lambda it: (it.metric_tables, it.series_table),
    (NETFLOW,): lambda it: (
        *_of_flows(it),
        it.sampling_rate_expression,
        it.exporter_expression,
        it.in_if_expression,
        it.out_if_expression,
    ),
    (LOG, TRACE, NETFLOW): lambda it: (it.default_table_select_expression, it.implicit_column_expression),
    (LOG, TRACE): lambda it: (
        it.displayed_timestamp_value_expression,
        it.order_by_expression,
        it.service_version_expression,
        it.event_attributes_expression,
        it.metric_source_id,
        it.trace_id_expression,
        it.span_id_expression,
        it.known_columns_list_expression,
        it.use_text_index_for_implicit_column,
        it.highlighted_trace_attribute_expressions,
        it.highlighted_row_attribute_expressions,
        it.materialized_views,
        it.metadata_materialized_views,
        it.filter_settings,
    ),
    (LOG, SESSION): lambda it: (it.trace_source_id,),
    (TRACE, METRIC): lambda it: (it.log_source_id,),
    (LOG, TRACE, METRIC): lambda it: (it.service_name_expression,),
    (LOG, TRACE, METRIC, SESSION): lambda it: (it.resource_attributes_expression,),
}
"""The properties that only some kinds have; all kinds have the others."""

NEEDS: dict[tuple[SourceKind, ...], Readers] = {
    (LOG, TRACE, NETFLOW): lambda it: (it.default_table_select_expression,),
    (NETFLOW,): _of_flows,
    (TRACE,): lambda it: (
        it.duration_expression,
        it.trace_id_expression,
        it.span_id_expression,
        it.parent_span_id_expression,
        it.span_name_expression,
        it.span_kind_expression,
    ),
    (METRIC,): lambda it: (it.metric_tables, it.resource_attributes_expression),
    (SESSION,): lambda it: (it.trace_source_id,),
}
"""The properties that some kinds require."""


APART: Mapping[SourceKind, tuple[str, ...]] = {
    LOG: property_names(SourceLinkFields, lambda links: (links.metric_source_id,)),
    TRACE: property_names(SourceLinkFields, lambda links: (links.log_source_id, links.session_source_id)),
}
"""The links that an import leaves to a SourceLinks if the other source refers back: programs create this one later."""


def links_of_kind(kind: SourceKind | None) -> tuple[str, ...]:
    """Return the wire names of the links that sources of a kind have."""
    return tuple(
        wire_name(Source, name)
        for name in SourceLinkFields.model_fields
        if any(
            kind in kinds and wire_name(Source, name) in property_names(Source, read) for kinds, read in KINDS.items()
        )
    )


def links_apart(source: Source, others: Mapping[str, Source]) -> tuple[str, ...]:
    """Return the wire names of the links of a source that a SourceLinks has, as the other source refers back.

    `others` are the sources of its server, by id.
    """
    answer = source.answer
    targets = {name: others.get(str(answer.get(name))) for name in APART.get(source.kind or LOG, ())}
    return tuple(name for name, target in targets.items() if target and answer.get("id") in target.answer.values())


def _words(kinds: tuple[SourceKind, ...]) -> str:
    *first, last = (kind.value for kind in kinds)
    return f"kinds {', '.join(first)} and {last}" if first else f"kind {last}"


def _of_its_kind(read: Reader, kinds: tuple[SourceKind, ...]) -> Rule[Source]:
    return rule(
        read,
        f"is for {_words(kinds)} only",
        lambda source: None if source.kind in kinds else f", not {source.kind}",
        given=lambda source: (read(source), source.kind),
        source=_SCHEMAS,
    )


def _needed(read: Reader, kinds: tuple[SourceKind, ...]) -> Rule[Source]:
    text = f"is required for {_words(kinds)}"
    return rule(read, text, lambda source: source.kind in kinds and not read(source), source=_SCHEMAS)


def _rules_by_kind() -> Iterator[Rule[Source]]:
    for table, made in ((KINDS, _of_its_kind), (NEEDS, _needed)):
        for kinds, fields in table.items():
            yield from (made(read, kinds) for read in each_of(fields))


def _time(source: Source) -> bool:
    if source.kind is None or source.timestamp_value_expression is not None:
        return False
    return source.kind != SESSION or source.service_id is None


def _only_self_hosted(field: Callable[[Source], object]) -> Rule[Source]:
    """Return the rule of a property that is missing in the description of the cloud's servers."""
    return rule(
        field,
        "is for self-hosted servers only",
        lambda source: bool(field(source)),
        given=lambda source: source.service_id,
        source=API("ClickStackSource"),
    )


def _unknown_table(source: Source) -> str | None:
    unknown = [name for name in source.metric_tables or () if name not in METRIC_TABLES]
    return f", not {unknown[0][:80]!r}" if unknown else None


def _connection(source: Source) -> str | None:
    id_ = source.connection or ""
    return None if re.fullmatch(OBJECT_ID, id_) else f", not {id_[:80]!r}{TAKE_ID}"


_SCHEMAS = SERVER("common-utils/src/types.ts")
_COLUMNS = ("Duration", "SpanName")
_NANOSECONDS = 9


class Source(OnStack):
    """A data source (OpenAPI: `Source`, `ClickStackSource`); in the interface an open record with an id and a name."""

    RULES: ClassVar[tuple[Rule[Source], ...]] = (
        *_rules_by_kind(),
        rule(
            lambda source: source.connection,
            f"must be {AN_ID}",
            _connection,
            given=lambda source: source.connection,
            source=SERVER("api/src/routers/external-api/v2/sources.ts"),
        ),
        rule(
            lambda source: source.from_,
            "needs a tableName, except for kind metric",
            lambda source: source.kind != METRIC and source.from_ and not source.from_.table_name,
            given=lambda source: source.kind,
            source=_SCHEMAS,
        ),
        rule(
            lambda source: source.timestamp_value_expression,
            "is required, except for kind session in the managed form",
            _time,
            source=_SCHEMAS,
        ),
        rule(
            lambda source: source.metric_tables,
            f"accepts only tables of {', '.join(METRIC_TABLES)}",
            _unknown_table,
            source=API("MetricTables"),
        ),
        rule(
            lambda source: source.metric_tables,
            "must name at least one table",
            lambda source: bool(source.metric_tables) and not any((source.metric_tables or {}).values()),
            source=API("MetricTables"),
        ),
        _only_self_hosted(lambda source: source.table_filter_expression),
        _only_self_hosted(lambda source: source.order_by_expression),
        _only_self_hosted(lambda source: source.sample_rate_expression),
        _only_self_hosted(lambda source: source.span_links_value_expression),
        _only_self_hosted(lambda source: source.series_table),
        rule(
            lambda source: source.kind,
            "must not be netflow in the managed form: only self-hosted servers have it",
            lambda source: source.kind == NETFLOW,
            given=lambda source: source.service_id,
            source=API("ClickStackSource"),
        ),
        rule(
            lambda source: source.filter_settings,
            "is for the managed form only",
            lambda source: source.service_id is None,
            given=lambda source: source.filter_settings,
            source=API("ClickStackSourceFilterSettings"),
        ),
        rule(
            lambda source: source.metric_tables,
            "should each be a table of their own",
            lambda source: repeated(filter(None, (source.metric_tables or {}).values())),
            warns=True,
            source=API("MetricTables"),
        ),
        rule(
            lambda source: source.parent_span_id_expression,
            "should be another column than spanIdExpression",
            lambda source: source.parent_span_id_expression == source.span_id_expression,
            given=lambda source: source.parent_span_id_expression,
            warns=True,
            source=OURS,
        ),
        rule(
            lambda source: source.duration_precision,
            "should be 9 for the column Duration of the collector's tables, which is in nanoseconds",
            lambda source: (
                (source.duration_expression, source.span_name_expression) == _COLUMNS
                and source.duration_precision != _NANOSECONDS
            ),
            warns=True,
            source=SERVER("docker/hyperdx/entry.local.base.sh"),
        ),
    )

    name: FilledText | None = prop("Name of the source.", required=True)
    kind: SourceKind | None = prop("Kind of data.", required=True)
    connection: FilledText | None = prop(
        "Id of the connection to the database; in the managed form that of another source, see getSource.",
        required=True,
    )
    from_: SourceFrom | None = prop("Table that it reads.", required=True, compare=Compare(named_table))
    section: Text | None = prop("Group that lists it in the page.", max_length=256)
    disabled: Flag | None = prop("Whether the page does not offer it.", unset=False)
    query_settings: list[QuerySetting] | None = prop("Settings of the database for its queries.", max_length=10)
    timestamp_value_expression: FilledSqlPart | None = prop("Column or expression of the time of a row.")

    default_table_select_expression: FilledSqlPart | None = prop("Columns that a search shows.")
    service_name_expression: SqlPart | None = prop("Expression of the service's name.")
    service_version_expression: SqlPart | None = prop(
        "Expression of the service's version; if left out, the resource attribute `service.version`."
    )
    severity_text_expression: SqlPart | None = prop("Expression of the severity.")
    body_expression: SqlPart | None = prop("Expression of the message.")
    event_attributes_expression: SqlPart | None = prop("Expression of the event's attributes.")
    resource_attributes_expression: SqlPart | None = prop("Expression of the resource's attributes.")
    displayed_timestamp_value_expression: SqlPart | None = prop(
        "Expression of the time that the user interface shows and sorts by."
    )
    metric_source_id: LinkedId | None = prop("Id of the source of metrics.")
    trace_source_id: LinkedId | None = prop("Id of the source of traces.")
    trace_id_expression: SqlPart | None = prop("Expression of the trace's id.")
    span_id_expression: SqlPart | None = prop("Expression of the span's id.")
    implicit_column_expression: SqlPart | None = prop("Column to search for words without a field.")
    known_columns_list_expression: SqlPart | None = prop("Columns that all tables behind a distributed table have.")
    use_text_index_for_implicit_column: TextIndexUse | None = prop("Whether searches use text indexes.")
    highlighted_trace_attribute_expressions: list[HighlightedAttribute] | None = prop(
        "Attributes that the view of a trace shows first."
    )
    highlighted_row_attribute_expressions: list[HighlightedAttribute] | None = prop(
        "Attributes that the view of a row shows first."
    )
    materialized_views: list[MaterializedView] | None = prop("Materialized views that make queries faster.")
    metadata_materialized_views: MetadataViews | None = prop("Tables for suggestions of fields and values.")
    filter_settings: SourceFilterSettings | None = prop("Columns that filter every query.")
    table_filter_expression: SqlPart | None = prop(
        "SQL condition of every query of the source. Anybody with a connection can bypass it; to restrict access, "
        "use a "
        "row policy of the database."
    )
    order_by_expression: Annotated[SqlPart, AN_ORDER] | None = prop(
        "Order of the rows, such as that of the table's key."
    )

    duration_expression: FilledSqlPart | None = prop("Expression of the span's duration.")
    duration_precision: Whole | None = prop("Decimal digits of the duration.", ge=0, le=9, unset=USUAL_PRECISION)
    parent_span_id_expression: FilledSqlPart | None = prop("Expression of the parent span's id.")
    span_name_expression: FilledSqlPart | None = prop("Expression of the span's name.")
    span_kind_expression: FilledSqlPart | None = prop("Expression of the span's kind.")
    log_source_id: LinkedId | None = prop("Id of the source of logs.")
    session_source_id: LinkedId | None = prop("Id of the source of sessions.")
    status_code_expression: SqlPart | None = prop("Expression of the span's status.")
    status_message_expression: SqlPart | None = prop("Expression of the status's message.")
    span_events_value_expression: SqlPart | None = prop("Expression of the span's events.")
    span_links_value_expression: SqlPart | None = prop("Expression of the span's links.")
    sample_rate_expression: SqlPart | None = prop("Expression of the number of spans that one span represents.")

    metric_tables: dict[str, TableName] | None = prop(
        "Table of each kind of metrics.",
    )
    series_table: TableName | None = prop("Table of the series of all kinds of metrics.")

    bytes_expression: FilledSqlPart | None = prop("Expression of the number of bytes.")
    packets_expression: FilledSqlPart | None = prop("Expression of the number of packets.")
    src_addr_expression: FilledSqlPart | None = prop("Expression of the source's address.")
    dst_addr_expression: FilledSqlPart | None = prop("Expression of the destination's address.")
    src_port_expression: FilledSqlPart | None = prop("Expression of the source's port.")
    dst_port_expression: FilledSqlPart | None = prop("Expression of the destination's port.")
    protocol_expression: FilledSqlPart | None = prop("Expression of the protocol.")
    sampling_rate_expression: SqlPart | None = prop(
        "Expression of the number of packets that one counted packet is for."
    )
    exporter_expression: SqlPart | None = prop("Expression of the exporter's name.")
    in_if_expression: SqlPart | None = prop("Expression of the input interface's name.")
    out_if_expression: SqlPart | None = prop("Expression of the output interface's name.")
    id: Text | None = answered("Id of the source; series name it as `sourceId`.")


SOURCE = ResourceType(
    Source,
    "A table of logs, traces, metrics, sessions or flows, and how it is read.",
    required_outputs=("name", "kind", "connection"),
    state_inputs=("serviceId",),
    only=CLICKHOUSE,
)
