"""The columns of the vendor's own tables, which the OpenTelemetry collector fills.

Facts of the observability server 2.36.0: docker/otel-collector/schema/seed/00002_otel_logs.sql, 00005_otel_traces.sql
and 00003_otel_metrics.sql.
"""

from __future__ import annotations

from collections.abc import Mapping

LOGS = frozenset(
    [
        "Timestamp",
        "TraceId",
        "SpanId",
        "TraceFlags",
        "SeverityText",
        "SeverityNumber",
        "ServiceName",
        "Body",
        "ResourceSchemaUrl",
        "ResourceAttributes",
        "ScopeSchemaUrl",
        "ScopeName",
        "ScopeVersion",
        "ScopeAttributes",
        "LogAttributes",
        "EventName",
        "ResourceAttributeItems",
        "ScopeAttributeItems",
        "LogAttributeItems",
    ]
)
TRACES = frozenset(
    [
        "Timestamp",
        "TraceId",
        "SpanId",
        "ParentSpanId",
        "TraceState",
        "SpanName",
        "SpanKind",
        "ServiceName",
        "ResourceAttributes",
        "ScopeName",
        "ScopeVersion",
        "SpanAttributes",
        "Duration",
        "StatusCode",
        "StatusMessage",
        "Events.Timestamp",
        "Events.Name",
        "Events.Attributes",
        "Links.TraceId",
        "Links.SpanId",
        "Links.TraceState",
        "Links.Attributes",
        "SampleRate",
        "ResourceAttributeItems",
        "SpanAttributeItems",
    ]
)
GAUGE = frozenset(
    [
        "ResourceAttributes",
        "ResourceSchemaUrl",
        "ScopeName",
        "ScopeVersion",
        "ScopeAttributes",
        "ScopeDroppedAttrCount",
        "ScopeSchemaUrl",
        "ServiceName",
        "MetricName",
        "MetricDescription",
        "MetricUnit",
        "Attributes",
        "StartTimeUnix",
        "TimeUnix",
        "Value",
        "Flags",
    ]
)

COLUMNS: Mapping[str, frozenset[str]] = {"log": LOGS, "trace": TRACES, "metric": GAUGE}
"""The columns by the kind of the data source; for metrics, those of gauges."""
