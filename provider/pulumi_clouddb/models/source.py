"""Data sources: tables of logs, traces, metrics and sessions, and how they are read."""

from __future__ import annotations

from .base import Flag, Model, NoRecord, Number, Record, Text, Uuid, prop
from .observability import MANAGED_FORM, ObservabilityArgs
from .resource_type import FunctionType, ResourceType
from .source_fields import SourceFields
from .source_rules import RULES
from .values import WireDict
from .vocabulary import CLICKHOUSE


class SourceBody(SourceFields):
    """The body of *Create source*."""

    RULES = RULES


class SourceArgs(ObservabilityArgs, SourceBody):
    """What a program may say about a data source."""


class SourceResponse(Record):
    """A data source as the server answers it: in the interface an open record with an id and a name."""

    id: Text | None = prop("Id of the source; series name it as `sourceId`.")
    name: Text | None = prop("Name of the source.")
    kind: Text | None = prop("What it holds.")
    connection: Text | None = prop("Id of the connection to the database.")
    from_: WireDict | None = prop("The table it reads.")
    section: Text | None = prop("Group in which people find it.")
    disabled: Flag | None = prop("Whether people are not offered it.")
    query_settings: list[WireDict] | None = prop("Settings of the database for its queries.")
    timestamp_value_expression: Text | None = prop("Column or expression of the time of a row.")
    default_table_select_expression: Text | None = prop("Columns that a search shows.")
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
    use_text_index_for_implicit_column: Text | None = prop("Whether searches use text indexes.")
    highlighted_trace_attribute_expressions: list[WireDict] | None = prop(
        "Attributes that the view of a trace shows first."
    )
    highlighted_row_attribute_expressions: list[WireDict] | None = prop(
        "Attributes that the view of a row shows first."
    )
    materialized_views: list[WireDict] | None = prop("Materialized views that answer queries faster.")
    metadata_materialized_views: WireDict | None = prop("Tables from which fields and values are suggested.")
    filter_settings: WireDict | None = prop("Columns that people filter every query by.")
    duration_expression: Text | None = prop("Expression of the span's duration.")
    duration_precision: Number | None = prop("Decimal digits of the duration.")
    parent_span_id_expression: Text | None = prop("Expression of the parent span's id.")
    span_name_expression: Text | None = prop("Expression of the span's name.")
    span_kind_expression: Text | None = prop("Expression of the span's kind.")
    log_source_id: Text | None = prop("Id of the source of logs.")
    session_source_id: Text | None = prop("Id of the source of sessions.")
    status_code_expression: Text | None = prop("Expression of the span's status.")
    status_message_expression: Text | None = prop("Expression of the status's message.")
    span_events_value_expression: Text | None = prop("Expression of the span's events.")
    metric_tables: WireDict | None = prop("Table of each kind of metrics.")


class SourceState(SourceArgs, SourceResponse):
    """What Pulumi keeps of a data source: the inputs as given, and what the server made of them."""


SOURCE = ResourceType(
    name="Source",
    description="A table of logs, traces, metrics or sessions, and how it is read.",
    inputs=SourceArgs,
    record=SourceResponse,
    own=NoRecord,
    state=SourceState,
    required_outputs=("name", "kind", "connection"),
    state_inputs=("serviceId",),
    only=CLICKHOUSE,
)


class ListSourcesArgs(Model):
    """Arguments of listSources."""

    service_id: Uuid | None = prop(MANAGED_FORM)
    name: Text | None = prop("Only sources of exactly this name, or the one of this id.")


class SourceList(Record):
    """Answer of listSources."""

    sources: list[WireDict] = prop(
        "The sources, each with all the fields the server reports (`id`, `name` …).", required=True
    )


LIST_SOURCES = FunctionType("listSources", "Lists the data sources of a stack.", ListSourcesArgs, SourceList)
