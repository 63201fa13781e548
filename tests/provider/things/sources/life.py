"""Lives of data sources."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lives.life import Life
from lives.wire import both_forms
from support.ids import CONNECTION, LOGS, METRICS

HOSTED = Life(
    name="Source",
    kind="sources",
    before=f"""name='Shop logs', kind='log', connection='{CONNECTION}', timestamp_value_expression='Timestamp',
        from_=clouddb.SourceFromArgs(database_name='shop', table_name='logs'),
        default_table_select_expression='Timestamp, Body', body_expression='Body', section='shop'""",
    after=f"""name='Shop spans', kind='trace', connection='{CONNECTION}', timestamp_value_expression='Start',
        from_=clouddb.SourceFromArgs(database_name='shop', table_name='spans'),
        default_table_select_expression='Start, SpanName', duration_expression='Duration', duration_precision=6,
        trace_id_expression='TraceId', span_id_expression='SpanId', parent_span_id_expression='ParentSpanId',
        span_name_expression='SpanName', span_kind_expression='SpanKind', log_source_id='{LOGS}',
        query_settings=[clouddb.QuerySettingArgs(setting='max_threads', value='4')]""",
    updated=frozenset(
        {
            *("name", "kind", "timestampValueExpression", "from", "defaultTableSelectExpression", "bodyExpression"),
            *("section", "durationExpression", "durationPrecision", "traceIdExpression", "spanIdExpression"),
            *("parentSpanIdExpression", "spanNameExpression", "spanKindExpression", "logSourceId", "querySettings"),
        }
    ),
    drift=lambda sandbox, id_: sandbox.change("sources", id_, name="Mine now", durationPrecision=9),
    drifted=frozenset({"name", "durationPrecision"}),
    as_wanted=lambda source: (
        (source["name"], source["kind"], source["durationPrecision"]) == ("Shop spans", "trace", 6)
        and source["from"] == {"databaseName": "shop", "tableName": "spans"}
        and source["querySettings"] == [{"setting": "max_threads", "value": "4"}]
        and "bodyExpression" not in source
    ),
)
LIVES = {"self-hosted source": HOSTED, "managed source": HOSTED.of_a_service}

TABLE = {"databaseName": "shop", "tableName": "logs"}
BEFORE: dict[str, Any] = {
    "name": "Shop logs",
    "kind": "log",
    "connection": CONNECTION,
    "from": TABLE,
    "timestampValueExpression": "Timestamp",
    "defaultTableSelectExpression": "Timestamp, Body",
    "bodyExpression": "Body",
}
AFTER: dict[str, Any] = {
    "name": "Shop logs",
    "kind": "log",
    "connection": CONNECTION,
    "from": {**TABLE, "tableName": "log_records"},
    "timestampValueExpression": "Start",
    "defaultTableSelectExpression": "Timestamp, Body",
    "metricSourceId": METRICS,
    "querySettings": [{"setting": "max_threads", "value": "4"}],
    "highlightedRowAttributeExpressions": [{"sqlExpression": "ServiceName", "alias": "service"}],
}
DETAILS = {
    "from.tableName": "UPDATE",
    "timestampValueExpression": "UPDATE",
    "bodyExpression": "DELETE",
    "metricSourceId": "ADD",
    "querySettings": "ADD",
    "highlightedRowAttributeExpressions": "ADD",
}
OPERATIONS = ("create_source", "update_source", "delete_source", "list_sources")

WIRE_LIVES = both_forms(
    "source",
    replace(
        HOSTED,
        drift=lambda sandbox, id_: sandbox.change("sources", id_, name="Mine now", timestampValueExpression="End"),
        drifted=frozenset({"name", "timestampValueExpression"}),
    ),
    OPERATIONS,
    BEFORE,
    AFTER,
    DETAILS,
    left_alone=frozenset({"name", "kind", "connection"}),
)

OF_NO_INPUT = frozenset({"id"})
"""Outputs that tell nothing of an input."""
