"""The chart of an alert that watches neither a tile nor a saved search."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from pulumi_clouddb.schema.base import Text, identity, prop
from pulumi_clouddb.schema.check.rules import SERVER, Rule, ServerMessage, rule
from pulumi_clouddb.schema.values import objects
from pulumi_clouddb.schema.vendor import alternatives
from pulumi_clouddb.things.dashboards.chart_rules import RULES, ChartKinds, each_object
from pulumi_clouddb.things.dashboards.tile_config_fields import (
    BUILDER,
    RAW_SQL,
    REQUIRED,
    WITH_ALERTS,
    ChartFields,
    ConfigType,
    DisplayType,
)

_CONDITION = {"where", "whereLanguage"}
_NAME = {"name"}

KINDS = ChartKinds(
    "charts",
    {kind: BUILDER[kind] | _CONDITION | _NAME for kind in WITH_ALERTS},
    {kind: RAW_SQL[kind] | _NAME for kind in WITH_ALERTS},
    {kind: REQUIRED[kind] for kind in WITH_ALERTS},
)
"""The kinds of charts that an alert can have."""

_PARAMETERS = ("intervalSeconds", "intervalMilliseconds")
_MACRO = re.compile(r"\$__(timeInterval(_ms)?|interval_s)\b")
"""Macros by which raw SQL names the interval; they have no effect in comments."""

_COMMENT = re.compile(r"""('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")|--[^\n]*|/\*.*?(?:\*/|$)""", re.DOTALL)

NO_INTERVAL = "Raw SQL alert query is invalid: SQL used for alerts must include an interval parameter or macro."
"""The refusal of a query over time without an interval."""


def names_the_interval(sql: str) -> bool:
    """Return whether raw SQL has the interval of the check, as a query over time needs."""
    return any(each in sql for each in _PARAMETERS) or bool(_MACRO.search(_COMMENT.sub(r"\1", sql)))


class AlertChart(ChartFields):
    """The chart of an alert with source `inline`: what it computes, from a source or with raw SQL."""

    RULES: ClassVar[tuple[Rule[AlertChart], ...]] = (
        *KINDS.rules_of_display_type(),
        rule(
            lambda chart: chart.display_type,
            f"must be {WITH_ALERTS[0].value}, {WITH_ALERTS[1].value} or {WITH_ALERTS[2].value}",
            lambda chart: chart.display_type not in WITH_ALERTS and f", not {chart.display_type!r}",
            given=lambda chart: chart.display_type,
            refusal=ServerMessage(f"Invalid discriminator value. Expected {alternatives(WITH_ALERTS)}", "displayType"),
            source=SERVER("api/src/utils/zod.ts"),
        ),
        *KINDS.rules(),
        *KINDS.rules_of_values(),
        *RULES,
        rule(
            lambda chart: chart.sql_template,
            "must name the interval of the check over time, as `$__timeInterval(Timestamp)` or "
            "`{intervalSeconds:Int64}`",
            lambda chart: (
                chart.config_type == ConfigType.SQL
                and chart.display_type != DisplayType.NUMBER
                and not names_the_interval(chart.sql_template or "")
            ),
            given=lambda chart: chart.sql_template,
            source=SERVER("common-utils/src/core/utils.ts"),
        ),
    )

    name: Text | None = prop("Name of the chart, from which the title of the alert is derived.")


def counts_rows(chart: Mapping[str, Any]) -> bool:
    """Return whether all values of a chart are numbers of rows."""
    values = [each.get("aggFn") for each in objects(chart.get("select"))]
    return bool(values) and all(each in ("count", "count_distinct") for each in values) and not chart.get("formulas")


_USUAL: Mapping[str, Any] = {
    "asRatio": False,
    "fillNulls": True,
    "alignDateRangeToGranularity": True,
    "compareToPreviousPeriod": False,
    "fitYAxisToData": False,
    "showOperandSeries": True,
}
_USUAL_TEXTS: Mapping[str, Any] = {"where": "", "whereLanguage": "lucene"}
_USUAL_VALUE: Mapping[str, Any] = {**_USUAL_TEXTS, "valueExpression": ""}


def with_defaults(chart: object) -> object:
    """Return a chart with the defaults that servers fill in, in any order of its entries."""
    if not isinstance(chart, Mapping):
        return chart
    given = {name: value for name, value in chart.items() if value not in (None, [], "")}
    filled = {**_USUAL, **_USUAL_TEXTS, **given}
    if isinstance(select := given.get("select"), list):
        items = dict(each_object(select))
        filled["select"] = [
            {**_USUAL_VALUE, **{name: value for name, value in items[index].items() if value is not None}}
            if index in items
            else item
            for index, item in enumerate(select)
        ]
    return identity(filled)
