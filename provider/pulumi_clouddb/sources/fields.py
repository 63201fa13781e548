"""The fields of a data source, as a request has them; each kind has its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated

from pulumi_clouddb.schema.base import FilledText, Flag, Model, Text, Timestamp, Whole, identity, prop
from pulumi_clouddb.schema.observability import OnStack
from pulumi_clouddb.schema.wording import Choice, Form


class SourceKind(Choice):
    """What a data source holds."""

    LOG = "log", "log records"
    TRACE = "trace", "spans"
    METRIC = "metric", "metrics"
    SESSION = "session", "sessions of users"
    PROMQL = "promql", "metrics of a server with the API of Prometheus"


class TextIndexUse(Choice):
    """Whether a search uses text indexes."""

    AUTO = "auto", "where one covers the column"
    ENABLED = "enabled", "always"
    DISABLED = "disabled", "never"


USUAL_PRECISION = 3
"""Decimal digits of a duration where nobody says them."""


def _granularity(value: str) -> str:
    if not re.fullmatch(r"\d+[smhd]", value):
        raise ValueError("must be a whole number with a unit, s, m, h or d, such as 15m")
    return value


Granularity = Annotated[
    Text, Form(_granularity, "must be a whole number with a unit, `s`, `m`, `h` or `d`, such as `15m`")
]


class SourceFrom(Model):
    """The table of a data source."""

    database_name: FilledText | None = prop("Name of the database.", required=True)
    table_name: Text | None = prop("Name of the table; none for kind `metric`, which has `metricTables`.")


def _table(place: object) -> object:
    """Return a table; an empty name is none."""
    if not isinstance(place, Mapping):
        return place
    return {name: value for name, value in identity(place).items() if value != ""}


class QuerySetting(Model):
    """A setting of the database for the queries of a data source."""

    setting: FilledText | None = prop("Name of the setting.", required=True)
    value: FilledText | None = prop("Its value.", required=True)


class SourceFilterColumn(Model):
    """A column that filters a data source."""

    name: FilledText | None = prop("Name of the column.", required=True)
    label: FilledText | None = prop("What people see.", required=True)


class SourceFilterSettings(Model):
    """Where the values of a data source's filters come from."""

    database_name: FilledText | None = prop("Name of the database.", required=True)
    table_name: FilledText | None = prop("Name of the table.", required=True)
    columns: list[SourceFilterColumn] | None = prop("Columns that filter.", required=True, max_length=10)


class HighlightedAttribute(Model):
    """An attribute that the detail view shows first."""

    sql_expression: FilledText | None = prop("SQL expression of the attribute.", required=True)
    lucene_expression: Text | None = prop("Its form in Lucene, for searches.")
    alias: Text | None = prop("What people see.")


class AggregatedColumn(Model):
    """A column that a materialized view aggregates."""

    agg_fn: FilledText | None = prop("How it is aggregated, such as `count`, `sum` or `avg`.", required=True)
    source_column: Text | None = prop("Column of the table; all but `count` need one.")
    mv_column: FilledText | None = prop("Column of the view.", required=True)


class MaterializedView(Model):
    """A materialized view that answers queries faster."""

    database_name: FilledText | None = prop("Name of the database.", required=True)
    table_name: FilledText | None = prop("Name of the view.", required=True)
    dimension_columns: Text | None = prop("Columns that are not aggregated, separated by commas.", required=True)
    min_granularity: Granularity | None = prop("Granularity of its timestamps.", required=True)
    min_date: Timestamp | None = prop("From when on it has data; always, where it is left out.")
    timestamp_column: FilledText | None = prop("Column of the timestamp.", required=True)
    aggregated_columns: list[AggregatedColumn] | None = prop("What it aggregates.", required=True, min_length=1)


class MetadataViews(Model):
    """Tables from which fields and their values are suggested."""

    key_rollup_table: Text | None = prop("Table of the names of fields.")
    kv_rollup_table: FilledText | None = prop("Table of fields with their values.", required=True)
    granularity: Granularity | None = prop("Granularity of these tables.", required=True)


class SourceFields(OnStack):
    """The body of *Create source*, field by field (openapi: `Source`, `ClickStackSource`)."""

    name: FilledText | None = prop("Name of the source.", required=True)
    kind: SourceKind | None = prop("What it holds.", required=True)
    connection: FilledText | None = prop(
        "Id of the connection to the database; in the managed form that of another source, see listSources.",
        required=True,
    )
    from_: SourceFrom | None = prop("The table it reads.", required=True, compare=_table)
    section: Text | None = prop("Group in which people find it.", max_length=256)
    disabled: Flag | None = prop("Whether people are not offered it.", unset=False)
    query_settings: list[QuerySetting] | None = prop("Settings of the database for its queries.", max_length=10)
    timestamp_value_expression: FilledText | None = prop("Column or expression of the time of a row.")

    default_table_select_expression: FilledText | None = prop("Columns that a search shows.")
    service_name_expression: Text | None = prop("Expression of the service's name.")
    service_version_expression: Text | None = prop("Expression of the service's version.")
    severity_text_expression: Text | None = prop("Expression of the severity.")
    body_expression: Text | None = prop("Expression of the message.")
    event_attributes_expression: Text | None = prop("Expression of the event's attributes.")
    resource_attributes_expression: Text | None = prop("Expression of the resource's attributes.")
    displayed_timestamp_value_expression: Text | None = prop("Time that people see and sort by.")
    metric_source_id: Text | None = prop("Id of the source of metrics.")
    trace_source_id: Text | None = prop("Id of the source of traces.")
    trace_id_expression: Text | None = prop("Expression of the trace's id.")
    span_id_expression: Text | None = prop("Expression of the span's id.")
    implicit_column_expression: Text | None = prop("Column that words without a field are searched in.")
    known_columns_list_expression: Text | None = prop("Columns that all tables behind a distributed one have.")
    use_text_index_for_implicit_column: TextIndexUse | None = prop("Whether searches use text indexes.")
    highlighted_trace_attribute_expressions: list[HighlightedAttribute] | None = prop(
        "Attributes that the view of a trace shows first."
    )
    highlighted_row_attribute_expressions: list[HighlightedAttribute] | None = prop(
        "Attributes that the view of a row shows first."
    )
    materialized_views: list[MaterializedView] | None = prop("Materialized views that answer queries faster.")
    metadata_materialized_views: MetadataViews | None = prop("Tables from which fields and values are suggested.")
    filter_settings: SourceFilterSettings | None = prop("Columns that people filter every query by.")
    table_filter_expression: Text | None = prop(
        "Condition in SQL that every query of the source has. Anybody with a connection reads around it: for access, "
        "use a row policy of the database."
    )
    order_by_expression: Text | None = prop("Order of the rows, such as that of the table's key.")

    duration_expression: FilledText | None = prop("Expression of the span's duration.")
    duration_precision: Whole | None = prop("Decimal digits of the duration.", ge=0, le=9, unset=USUAL_PRECISION)
    parent_span_id_expression: FilledText | None = prop("Expression of the parent span's id.")
    span_name_expression: FilledText | None = prop("Expression of the span's name.")
    span_kind_expression: FilledText | None = prop("Expression of the span's kind.")
    log_source_id: Text | None = prop("Id of the source of logs.")
    session_source_id: Text | None = prop("Id of the source of sessions.")
    status_code_expression: Text | None = prop("Expression of the span's status.")
    status_message_expression: Text | None = prop("Expression of the status's message.")
    span_events_value_expression: Text | None = prop("Expression of the span's events.")
    span_links_value_expression: Text | None = prop("Expression of the span's links.")
    sample_rate_expression: Text | None = prop("Expression of how many spans one span stands for.")

    metric_tables: dict[str, Text] | None = prop(
        "Table of each kind of metrics.",
    )
    series_table: Text | None = prop("Table of the series of all kinds of metrics.")
