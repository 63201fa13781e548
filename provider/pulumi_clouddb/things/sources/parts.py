"""The parts of a data source: its kinds, and the objects in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, ClassVar

from pulumi_clouddb.schema.base import (
    Code,
    FilledData,
    FilledSqlPart,
    FilledText,
    Flag,
    Model,
    SqlPart,
    Text,
    Timestamp,
    identity,
    prop,
)
from pulumi_clouddb.schema.check.rules import SERVER, Rule, rule
from pulumi_clouddb.schema.check.wording import Form, doubted, matching
from pulumi_clouddb.schema.choice import ClosedChoice, OpenChoice
from pulumi_clouddb.schema.vendor import FilledTableName, TableName


class SourceKind(ClosedChoice, because="it decides which properties a source has"):
    """Kinds of data sources."""

    LOG = "log", "log records"
    TRACE = "trace", "spans"
    METRIC = "metric", "metrics"
    SESSION = "session", "sessions of users"
    PROMQL = "promql", "metrics of a server with the API of Prometheus"
    NETFLOW = "netflow", "flows of a network, on self-hosted servers newer than 2.36"


class TextIndexUse(OpenChoice):
    """Whether a search uses text indexes."""

    AUTO = "auto", "where one covers the column"
    ENABLED = "enabled", "always"
    DISABLED = "disabled", "never"


class ColumnAggFn(OpenChoice):
    """Aggregations of the columns of materialized views."""

    AVG = "avg"
    COUNT = "count"
    COUNT_DISTINCT = "count_distinct"
    LAST_VALUE = "last_value"
    MAX = "max"
    MIN = "min"
    QUANTILE = "quantile"
    SUM = "sum"
    ANY = "any"
    NONE = "none"
    INCREASE = "increase"
    HISTOGRAM = "histogram"


USUAL_PRECISION = 3
"""The default number of decimal digits of a duration."""


def _granularity(value: str) -> str:
    if not re.fullmatch(r"\d+[smhd]", value):
        raise ValueError("must be a whole number with a unit, s, m, h or d, such as 15m")
    return value


Granularity = Annotated[
    Text, Form(_granularity, "must be a whole number with a unit, `s`, `m`, `h` or `d`, such as `15m`")
]


_A_DATABASE = doubted("should be the name of a database without a table", matching(r"[^.]*"))
DatabaseName = Annotated[FilledText, _A_DATABASE]


class SourceFrom(Model):
    """The table of a data source."""

    database_name: DatabaseName | None = prop("Name of the database.", required=True)
    table_name: TableName | None = prop("Name of the table; left out for kind `metric`, which has `metricTables`.")


def named_table(place: object) -> object:
    """Return a table without an empty name."""
    if not isinstance(place, Mapping):
        return place
    return {name: value for name, value in identity(place).items() if value != ""}


def _setting(value: str) -> str:
    return re.sub(r"(?i)\A\s*SET\s+|\s*=.*", "", value)


_A_NAME = doubted("should be a name alone", _setting)


class QuerySetting(Model):
    """A setting of the database for the queries of a data source."""

    setting: Annotated[FilledText, _A_NAME] | None = prop("Name of the setting.", required=True)
    value: FilledData | None = prop("Value of the setting.", required=True)


class SourceFilterColumn(Model):
    """A column that filters a data source."""

    name: FilledText | None = prop("Name of the column.", required=True)
    label: FilledText | None = prop("Label in the page.", required=True)
    value_expression: SqlPart | None = prop("SQL expression of the values to choose from.")
    allow_all: Flag | None = prop("Whether the filter can be left open.", unset=False)


class SourceFilterSettings(Model):
    """The table with the values of a data source's filters."""

    database_name: DatabaseName | None = prop("Name of the database.", required=True)
    table_name: FilledTableName | None = prop("Name of the table.", required=True)
    columns: list[SourceFilterColumn] | None = prop("Columns that filter.", required=True, max_length=10)


class HighlightedAttribute(Model):
    """An attribute that the detail view shows first."""

    sql_expression: FilledSqlPart | None = prop("SQL expression of the attribute.", required=True)
    lucene_expression: Code | None = prop("Lucene expression of the attribute, for searches.")
    alias: Text | None = prop("Label in the page.")


class AggregatedColumn(Model):
    """A column that a materialized view aggregates."""

    RULES: ClassVar[tuple[Rule[AggregatedColumn], ...]] = (
        rule(
            lambda column: column.source_column,
            "is required for every aggFn except count",
            lambda column: column.agg_fn != ColumnAggFn.COUNT and not column.source_column,
            source=SERVER("common-utils/src/types.ts"),
        ),
    )

    agg_fn: ColumnAggFn | None = prop("Aggregation.", required=True)
    source_column: Text | None = prop("Column of the table.")
    mv_column: FilledText | None = prop("Column of the view.", required=True)


class MaterializedView(Model):
    """A materialized view that makes queries faster."""

    database_name: DatabaseName | None = prop("Name of the database.", required=True)
    table_name: FilledTableName | None = prop("Name of the view.", required=True)
    dimension_columns: Text | None = prop("Columns that are not aggregated, separated by commas.", required=True)
    min_granularity: Granularity | None = prop("Granularity of its timestamps.", required=True)
    min_date: Timestamp | None = prop("Time of its first data; if left out, the view has all data.")
    timestamp_column: FilledText | None = prop("Column of the timestamp.", required=True)
    aggregated_columns: list[AggregatedColumn] | None = prop("Columns that it aggregates.", required=True, min_length=1)


class MetadataViews(Model):
    """Tables for suggestions of fields and their values."""

    key_rollup_table: TableName | None = prop("Table of the names of fields.")
    kv_rollup_table: FilledTableName | None = prop("Table of fields with their values.", required=True)
    granularity: Granularity | None = prop("Granularity of these tables.", required=True)
