"""The parts of a tile's config: selected values, formulas, colours, and targets of clicks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, ClassVar

from pydantic import Field

from pulumi_clouddb.schema.base import Number, SqlPart, Text, prop
from pulumi_clouddb.schema.check.rules import API, SEEN, SERVER, Rule, ServerMessage, rule
from pulumi_clouddb.schema.check.wording import LATER, OBJECT_ID, TAKE_ID
from pulumi_clouddb.schema.choice import ClosedChoice, OpenChoice
from pulumi_clouddb.schema.observability import QueryLanguage
from pulumi_clouddb.schema.values import is_number
from pulumi_clouddb.schema.vendor import LONGEST_EXPRESSION, ArgsT, Condition, Expression, OpenModel, RowTemplate, among
from pulumi_clouddb.schema.view import raw_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .number_format import NumberFormat
from .parts import MetricDataType, required

MOST_CLICK_FILTERS = 50
LONGEST_FORMULA = 1024
LONGEST_LABEL = 40
LONGEST_VALUE = 200


class AggFn(OpenChoice):
    """Aggregations."""

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


LEVELS = (0.5, 0.9, 0.95, 0.99)


class PeriodAggFn(OpenChoice):
    """Comparisons of a gauge within a period."""

    DELTA = "delta"


class HeatmapScaleType(OpenChoice):
    """Scale of the values of a heatmap."""

    LOG = "log"
    LINEAR = "linear"


class ChartPaletteToken(OpenChoice):
    """A colour by its meaning in the theme."""

    CHART_BLUE = "chart-blue"
    CHART_ORANGE = "chart-orange"
    CHART_RED = "chart-red"
    CHART_CYAN = "chart-cyan"
    CHART_GREEN = "chart-green"
    CHART_PINK = "chart-pink"
    CHART_PURPLE = "chart-purple"
    CHART_LIGHT_BLUE = "chart-light-blue"
    CHART_BROWN = "chart-brown"
    CHART_GRAY = "chart-gray"
    CHART_SUCCESS = "chart-success"
    CHART_WARNING = "chart-warning"
    CHART_ERROR = "chart-error"


class ColorOperator(OpenChoice):
    """Comparisons of a number with the value of a rule."""

    GT = "gt", "above it"
    GTE = "gte", "at or above it"
    LT = "lt", "below it"
    LTE = "lte", "at or below it"
    BETWEEN = "between", "within two numbers"
    EQ = "eq", "equal to it"
    NEQ = "neq", "not equal to it"


class BackgroundChartType(OpenChoice):
    """Kind of the line behind a number."""

    LINE = "line"
    AREA = "area"


class OnClickType(OpenChoice):
    """Target of a click on a row of a table."""

    SEARCH = "search", "the search of a source"
    DASHBOARD = "dashboard", "a dashboard"
    EXTERNAL = "external", "an address"


class OnClickTargetMode(ClosedChoice, because="it decides which properties a target has"):
    """Ways to name the target of a click."""

    ID = "id", "by its id"
    TEMPLATE = "template", "by its name, from the row"


def _something_aggregated(item: SelectItem) -> str | None:
    if item.agg_fn in (None, AggFn.COUNT) or item.value_expression:
        return None
    return f"; aggFn is {item.agg_fn!r}"


def _percentile(item: SelectItem) -> str | None:
    found = re.fullmatch(r"p(\d+)", str(item.agg_fn))
    return f": for {found[0]}, write aggFn quantile and level 0.{found[1]}" if found else None


_AGGREGATED = re.compile(
    r"(?is)(?!.*\b(SELECT|OVER)\b)(.*\b(count|sum|avg|min|max|any|uniq|quantile|median|groupArray)\w*\s*\(|\s*DISTINCT\b)"
)


def aggregated_twice(field: Callable[[ArgsT], str | None], function: Callable[[ArgsT], str | None]) -> Rule[ArgsT]:
    """Return the rule that an aggregated expression contains no aggregation, but for subqueries and windows."""

    def test(args: ArgsT) -> str | None:
        alone = function(args) in (None, AggFn.COUNT, AggFn.NONE) or not _AGGREGATED.match(field(args) or "")
        return None if alone else f"; aggFn is {function(args)!r}: leave that out, or write aggFn none"

    return rule(
        field,
        "should have no aggregation or DISTINCT of its own unless aggFn is none",
        test,
        given=field,
        warns=True,
        then=LATER,
        only=CLICKHOUSE,
        source=SEEN("hyperdxio/hyperdx#1174"),
    )


def of_quantile(level: Callable[[ArgsT], float | None], function: Callable[[ArgsT], str | None]) -> Rule[ArgsT]:
    """Return the rule that a quantile has a level."""
    return rule(
        level,
        "should be given for aggFn quantile: write 0.95, for example",
        lambda args: function(args) == AggFn.QUANTILE and level(args) is None,
        warns=True,
        only=CLICKHOUSE,
        source=API("SelectItem"),
    )


_METRICS = SERVER("api/src/mcp/tools/query/schemas.ts")
_HISTOGRAMS = (MetricDataType.HISTOGRAM, MetricDataType.EXPONENTIAL_HISTOGRAM)
_OF_HISTOGRAMS = (None, AggFn.QUANTILE, AggFn.COUNT)


def _only_of(
    field: Callable[[SelectItem], object], value: str | None, kind: MetricDataType, then: str
) -> Rule[SelectItem]:
    """Return the rule that a value, or any if it is None, is for one kind of metric."""
    return rule(
        field,
        f"{f'`{value}` ' if value else ''}is for metricType {kind.value}",
        lambda item: value in (None, field(item)) and item.metric_type != kind,
        given=field,
        warns=True,
        then=then,
        source=_METRICS,
    )


OF_METRICS: tuple[Rule[SelectItem], ...] = (
    rule(
        lambda item: item.metric_name,
        "is required with metricType",
        lambda item: not item.metric_name,
        given=lambda item: item.metric_type,
        warns=True,
        then=LATER,
        source=_METRICS,
    ),
    rule(
        lambda item: item.metric_type,
        "is required with metricName",
        lambda item: bool(item.metric_name) and item.metric_type is None,
        given=lambda item: item.metric_name,
        warns=True,
        then=LATER,
        source=_METRICS,
    ),
    rule(
        lambda item: item.metric_type,
        "should be another one than summary, which is not drawn",
        lambda item: item.metric_type == MetricDataType.SUMMARY,
        given=lambda item: item.metric_type,
        warns=True,
        then=LATER,
        source=API("MetricTables.summary"),
    ),
    rule(
        lambda item: item.agg_fn,
        "should be quantile or count for a histogram",
        lambda item: item.metric_type in _HISTOGRAMS and item.agg_fn not in _OF_HISTOGRAMS,
        given=lambda item: item.metric_type,
        warns=True,
        then=LATER,
        source=_METRICS,
    ),
    _only_of(lambda item: item.agg_fn, AggFn.INCREASE.value, MetricDataType.SUM, LATER),
    _only_of(lambda item: item.period_agg_fn, None, MetricDataType.GAUGE, "The server ignores it."),
)
"""What servers store, and cannot draw (common-utils/src/core/renderChartConfig.ts, histogram.ts of HyperDX throw)."""


class SelectItem(OpenModel):
    """One value that a tile shows."""

    RULES: ClassVar[tuple[Rule[SelectItem], ...]] = (
        *OF_METRICS,
        aggregated_twice(lambda item: item.value_expression, lambda item: item.agg_fn),
        of_quantile(lambda item: item.level, lambda item: item.agg_fn),
        rule(
            lambda item: item.agg_fn,
            "has percentiles as quantile with a level",
            _percentile,
            given=lambda item: item.agg_fn,
            warns=True,
            source=API("AggregationFunction"),
        ),
        rule(
            lambda item: item.level,
            f"should be one of {', '.join(map(str, LEVELS))}",
            lambda item: None if item.level in LEVELS else f", not {item.level:g}",
            given=lambda item: item.level,
            warns=True,
            source=API("QuantileLevel"),
            refusal=ServerMessage("Invalid input", "level"),
        ),
        rule(
            lambda item: item.level,
            "is for aggFn quantile only",
            lambda item: item.level and item.agg_fn != AggFn.QUANTILE and f"; aggFn is {item.agg_fn!r}: remove it",
            given=lambda item: item.level,
            source=API("SelectItem"),
            refusal=ServerMessage("Level can only be used with quantile aggregation function"),
        ),
        rule(
            lambda item: item.value_expression,
            "must be left out for aggFn count",
            lambda item: item.value_expression and item.agg_fn == AggFn.COUNT,
            given=lambda item: item.value_expression,
            source=API("SelectItem"),
            refusal=ServerMessage("Value expression cannot be used with count aggregation function"),
        ),
        rule(
            lambda item: item.value_expression,
            "is required for every aggFn except count",
            _something_aggregated,
            source=API("SelectItem"),
            refusal=ServerMessage("Value expression is required for non-count aggregation functions"),
        ),
    )

    agg_fn: AggFn | None = prop("Aggregation.")
    value_expression: Expression | None = prop("Column or expression to aggregate.")
    level: Number | None = prop("Level of a quantile.")
    alias: Text | None = prop("Displayed name.", max_length=LONGEST_EXPRESSION)
    where: Condition | None = prop("Condition; empty for all.", unset="empty")
    where_language: QueryLanguage | None = prop(
        "Language of the condition.", unset=QueryLanguage.LUCENE, with_text=("where", "aggFn")
    )
    number_format: NumberFormat | None = prop("Format of its numbers.", unset="that of the tile")
    metric_type: MetricDataType | None = prop("Kind of metric, for sources of metrics.")
    metric_name: Text | None = prop("Name of the metric, for sources of metrics.")
    period_agg_fn: PeriodAggFn | None = prop("Comparison of a gauge within a period.")
    count_expression: Expression | None = prop("Expression to count in each cell of a heatmap.", unset="`count()`")
    heatmap_scale_type: HeatmapScaleType | None = prop("Scale of the values of a heatmap.")


class Formula(OpenModel):
    """A value computed from those of `select`."""

    expression: SqlPart = prop(
        "Arithmetic with a letter for each value of `select`, in order: `A / (A + B)`.",
        required=True,
        max_length=LONGEST_FORMULA,
    )
    alias: Text | None = prop("Displayed name.", unset="the expression")
    number_format: NumberFormat | None = prop("Format of its numbers.")


def _fits_operator(item: ColorRule) -> str | None:
    value = raw_of(item, "value")
    fits = {
        ColorOperator.BETWEEN: isinstance(value, list) and len(value) == 2 and all(map(is_number, value)),
        ColorOperator.EQ: is_number(value) or (isinstance(value, str) and len(value) <= LONGEST_VALUE),
        ColorOperator.NEQ: is_number(value) or (isinstance(value, str) and len(value) <= LONGEST_VALUE),
    }.get(item.operator, is_number(value))
    return None if value is None or fits else f", not {value!r:.80}"


def _reversed(item: ColorRule) -> str | None:
    value = raw_of(item, "value")
    is_pair = item.operator == ColorOperator.BETWEEN and isinstance(value, list) and len(value) == 2
    if not is_pair or not all(map(is_number, value)) or value[0] <= value[1]:
        return None
    return f", not [{value[0]:g}, {value[1]:g}]"


class ColorRule(OpenModel):
    """A colour of a number under a condition; the last rule that applies counts."""

    RULES: ClassVar[tuple[Rule[ColorRule], ...]] = (
        rule(
            lambda item: item.value,
            "must be a number, for operator between two numbers, and for eq and neq a number or at most "
            f"{LONGEST_VALUE} characters",
            _fits_operator,
            source=API("NumberTileColorCondition"),
            refusal=ServerMessage("Invalid input", "value"),
        ),
        rule(
            lambda item: item.value,
            "should have the lower number first",
            _reversed,
            warns=True,
            source=API("BetweenColorCondition"),
        ),
    )

    operator: ColorOperator = prop("Comparison.", required=True)
    value: object = prop("Value to compare with.", required=True)
    color: ChartPaletteToken = prop("The colour.", required=True)
    label: Text | None = prop("Label of the rule.", max_length=LONGEST_LABEL)


class BackgroundChart(OpenModel):
    """A line behind a number that shows how it has changed."""

    type: BackgroundChartType = prop("Kind of line.", required=True)
    color: ChartPaletteToken | None = prop("Colour of the line.", unset="that of the number")


class OnClickFilterKind(OpenChoice):
    """Kind of filter of a click."""

    EXPRESSION_TEMPLATE = "expressionTemplate"


class OnClickFilter(OpenModel):
    """A filter of the target of a click."""

    kind: OnClickFilterKind = prop("Kind of filter.", required=True)
    expression: Annotated[Expression, Field(min_length=1)] = prop("Expression to filter by.", required=True)
    template: Annotated[RowTemplate, Field(min_length=1)] = prop(
        "The value, with columns of the row such as `{{ServiceName}}`.", required=True
    )


def _target_by_id(target: OnClickTarget) -> str | None:
    if target.mode != OnClickTargetMode.ID:
        return None
    return None if target.id and re.fullmatch(OBJECT_ID, target.id) else f", not {target.id!r}{TAKE_ID}"


class OnClickTarget(OpenModel):
    """The source or dashboard that a click opens."""

    RULES: ClassVar[tuple[Rule[OnClickTarget], ...]] = (
        rule(
            lambda target: target.id,
            "must be an id of 24 hexadecimal digits if mode is id",
            _target_by_id,
            source=API("OnClickTarget"),
            refusal=ServerMessage("Invalid ObjectId", "id"),
        ),
        rule(
            lambda target: target.template,
            "is required if mode is template",
            lambda target: target.mode == OnClickTargetMode.TEMPLATE and not target.template,
            source=API("OnClickTarget"),
            refusal=ServerMessage("Required", "template"),
        ),
    )

    mode: OnClickTargetMode = prop("How the target is named.", required=True)
    id: Text | None = prop("Id of the target.")
    template: RowTemplate | None = prop("Name of the target, with columns of the row such as `{{ServiceName}}`.")


_WITH_TARGET = (OnClickType.SEARCH, OnClickType.DASHBOARD)


class OnClick(OpenModel):
    """Target of a click on a row of a table."""

    RULES: ClassVar[tuple[Rule[OnClick], ...]] = (
        required(
            lambda click: click.target,
            f"is required for type {among(_WITH_TARGET)}",
            API("OnClick"),
            lambda click: click.type in _WITH_TARGET,
        ),
        rule(
            lambda click: click.url_template,
            "is required for type external",
            lambda click: click.type == OnClickType.EXTERNAL and not click.url_template,
            source=API("OnClickExternal"),
            refusal=ServerMessage("Required", "urlTemplate"),
        ),
        rule(
            lambda click: click.url_template,
            "should begin with https://, http:// or a column of the row",
            lambda click: not (click.url_template or "{{").startswith(("https://", "http://", "{{")),
            warns=True,
            source=API("OnClickExternal.urlTemplate"),
        ),
    )

    type: OnClickType = prop("Kind of target.", required=True)
    target: OnClickTarget | None = prop("The source or dashboard.")
    where_template: Condition | None = prop("Condition, with columns of the row such as `{{ServiceName}}`.")
    where_language: QueryLanguage | None = prop(
        "Language of the condition.", unset=QueryLanguage.LUCENE, with_text="whereTemplate"
    )
    filters: list[OnClickFilter] | None = prop("Filters at the target.", max_length=MOST_CLICK_FILTERS)
    url_template: RowTemplate | None = prop(
        "The address, with columns of the row; the result must begin with `https://`."
    )
