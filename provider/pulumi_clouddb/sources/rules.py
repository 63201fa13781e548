"""Which kind of data source has which properties, and which of them it needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import attrgetter

from pulumi_clouddb.schema.rules import Rule, RuleContext

from .fields import SourceFields, SourceKind

LOG, TRACE, METRIC, SESSION = SourceKind.LOG, SourceKind.TRACE, SourceKind.METRIC, SourceKind.SESSION
METRIC_TABLES = ("gauge", "sum", "histogram", "summary", "exponential histogram")


KINDS: dict[tuple[SourceKind, ...], str] = {
    (LOG,): "severity_text_expression body_expression table_filter_expression",
    (TRACE,): "sample_rate_expression span_links_value_expression "
    "duration_expression duration_precision parent_span_id_expression span_name_expression "
    "span_kind_expression session_source_id status_code_expression status_message_expression "
    "span_events_value_expression",
    (METRIC,): "metric_tables series_table",
    (LOG, TRACE): "default_table_select_expression displayed_timestamp_value_expression order_by_expression "
    "service_version_expression "
    "event_attributes_expression metric_source_id trace_id_expression span_id_expression implicit_column_expression "
    "known_columns_list_expression use_text_index_for_implicit_column highlighted_trace_attribute_expressions "
    "highlighted_row_attribute_expressions materialized_views metadata_materialized_views filter_settings",
    (LOG, SESSION): "trace_source_id",
    (TRACE, METRIC): "log_source_id",
    (LOG, TRACE, METRIC): "service_name_expression",
    (LOG, TRACE, METRIC, SESSION): "resource_attributes_expression",
}
"""The kinds that have a property; all have the others."""

NEEDS: dict[tuple[SourceKind, ...], str] = {
    (LOG, TRACE): "default_table_select_expression",
    (TRACE,): "duration_expression trace_id_expression span_id_expression parent_span_id_expression "
    "span_name_expression span_kind_expression",
    (METRIC,): "metric_tables resource_attributes_expression",
    (SESSION,): "trace_source_id",
}
"""The kinds that need a property."""


def _words(kinds: tuple[SourceKind, ...]) -> str:
    *first, last = (kind.value for kind in kinds)
    return f"kinds {', '.join(first)} and {last}" if first else f"kind {last}"


def _of_its_kind(attribute: str, kinds: tuple[SourceKind, ...]) -> Rule[SourceFields]:
    read = attrgetter(attribute)

    def test(source: SourceFields, _: RuleContext) -> str | None:
        return None if source.kind is None or source.kind in kinds or read(source) is None else f", not {source.kind}"

    return Rule(read, test, f"is for {_words(kinds)} only")


def _needed(attribute: str, kinds: tuple[SourceKind, ...]) -> Rule[SourceFields]:
    read = attrgetter(attribute)
    return Rule(read, lambda source, _: source.kind in kinds and not read(source), f"is required for {_words(kinds)}")


def _rules_by_kind() -> Iterator[Rule[SourceFields]]:
    for table, rule in ((KINDS, _of_its_kind), (NEEDS, _needed)):
        for kinds, attributes in table.items():
            yield from (rule(attribute, kinds) for attribute in attributes.split())


def _table(source: SourceFields, _: RuleContext) -> bool:
    return source.kind not in (None, METRIC) and source.from_ is not None and not source.from_.table_name


def _time(source: SourceFields, _: RuleContext) -> bool:
    if source.kind is None or source.timestamp_value_expression is not None:
        return False
    return source.kind != SESSION or source.service_id is None


_SELF_HOSTED = (
    "service_version_expression",
    "table_filter_expression",
    "order_by_expression",
    "sample_rate_expression",
    "span_links_value_expression",
    "series_table",
)
"""What the description of the cloud's servers does not have."""


def _only_self_hosted(attribute: str) -> Rule[SourceFields]:
    read = attrgetter(attribute)
    return Rule(
        read, lambda source, _: bool(read(source)) and source.service_id is not None, "is for self-hosted servers only"
    )


def _metric_tables(source: SourceFields, _: RuleContext) -> str | None:
    if source.metric_tables is None:
        return None
    unknown = [name for name in source.metric_tables if name not in METRIC_TABLES]
    return f", not {unknown[0][:80]!r}" if unknown else None


def _connection(source: SourceFields, _: RuleContext) -> str | None:
    id_ = source.connection
    return None if id_ is None or re.fullmatch("[0-9a-fA-F]{24}", id_) else f", not {id_[:80]!r}"


RULES: tuple[Rule[SourceFields], ...] = (
    *_rules_by_kind(),
    Rule(lambda source: source.connection, _connection, "must be an id of 24 hexadecimal digits"),
    Rule(lambda source: source.from_, _table, "needs a tableName, but for kind metric"),
    Rule(
        lambda source: source.timestamp_value_expression,
        _time,
        "is required, but for kind session in the managed form",
    ),
    Rule(lambda source: source.metric_tables, _metric_tables, f"has tables of {', '.join(METRIC_TABLES)}"),
    *map(_only_self_hosted, _SELF_HOSTED),
    Rule(
        lambda source: source.filter_settings,
        lambda source, _: source.filter_settings is not None and source.service_id is None,
        "is for the managed form only",
    ),
)
"""The rules of a data source."""
