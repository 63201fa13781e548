"""Types that several kinds of tiles share."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import Required, TypedDict

from .notation import Words, one_of

Language = Literal["sql", "lucene"]
Aggregation = Literal["avg", "count", "count_distinct", "last_value", "max", "min", "quantile", "sum", "any", "none"]
Metric = Literal["sum", "gauge", "histogram", "summary", "exponential histogram"]
Expression = Annotated[str, Field(max_length=10000)]
Colour = Annotated[
    str,
    Words(
        "chart-blue chart-orange chart-red chart-cyan chart-green chart-pink chart-purple "
        "chart-light-blue chart-brown chart-gray chart-success chart-warning chart-error"
    ),
]
Unit = Annotated[
    str,
    Words(
        "bytes_iec bytes_si bits_iec bits_si kibibytes kilobytes mebibytes megabytes gibibytes "
        "gigabytes tebibytes terabytes pebibytes petabytes packets_sec bytes_sec_iec bytes_sec_si "
        "bits_sec_iec bits_sec_si kibibytes_sec kibibits_sec kilobytes_sec kilobits_sec mebibytes_sec "
        "mebibits_sec megabytes_sec megabits_sec gibibytes_sec gibibits_sec gigabytes_sec "
        "gigabits_sec tebibytes_sec tebibits_sec terabytes_sec terabits_sec pebibytes_sec "
        "pebibits_sec petabytes_sec petabits_sec cps ops rps reads_sec wps iops cpm opm rpm_reads wpm"
    ),
]


class NumberFormat(TypedDict, total=False):
    output: Literal["currency", "percent", "byte", "time", "number", "data_rate", "throughput", "duration"]
    mantissa: int
    thousandSeparated: bool
    average: bool
    decimalBytes: bool
    factor: float
    currencySymbol: str
    numericUnit: Unit
    unit: str


class SelectedValue(TypedDict, total=False):
    aggFn: Required[Aggregation]
    valueExpression: Expression
    alias: Expression
    level: Annotated[float, one_of(0.5, 0.9, 0.95, 0.99)]  # text in the cloud's description, by mistake
    where: Expression
    whereLanguage: Language
    metricName: str
    metricType: Metric
    periodAggFn: Literal["delta"]
    numberFormat: NumberFormat


class HeatmapValue(TypedDict, total=False):
    valueExpression: Required[Annotated[Expression, Field(min_length=1)]]
    countExpression: Expression
    heatmapScaleType: Literal["log", "linear"]


class Formula(TypedDict, total=False):
    expression: Required[Annotated[str, Field(max_length=1024)]]
    alias: str
    numberFormat: NumberFormat


class NumberRule(TypedDict, total=False):
    """A colour for numbers above or below a limit."""

    operator: Required[Literal["gt", "gte", "lt", "lte"]]
    value: Required[float]
    color: Required[Colour]
    label: Annotated[str, Field(max_length=40)]


class RangeRule(TypedDict, total=False):
    """A colour for numbers in a range."""

    operator: Required[Literal["between"]]
    value: Required[Annotated[list[float], Field(min_length=2, max_length=2)]]
    color: Required[Colour]
    label: Annotated[str, Field(max_length=40)]


class ValueRule(TypedDict, total=False):
    """A colour for values that are equal, or not equal, to another."""

    operator: Required[Literal["eq", "neq"]]
    value: Required[float | Annotated[str, Field(max_length=200)]]
    color: Required[Colour]
    label: Annotated[str, Field(max_length=40)]


ColourRule = Annotated[NumberRule | RangeRule | ValueRule, Field(discriminator="operator")]


class BackgroundChart(TypedDict, total=False):
    type: Required[Literal["line", "area"]]
    color: Colour


class ById(TypedDict, total=False):
    mode: Required[Literal["id"]]
    id: Required[str]


class ByTemplate(TypedDict, total=False):
    """A target by a template of its name."""

    mode: Required[Literal["template"]]
    template: Required[Annotated[str, Field(min_length=1)]]


class ClickFilter(TypedDict, total=False):
    kind: Required[Literal["expressionTemplate"]]
    expression: Required[Annotated[str, Field(min_length=1)]]
    template: Required[Annotated[str, Field(min_length=1)]]


class ClickInside(TypedDict, total=False):
    """A click that opens a search or a dashboard."""

    type: Required[Literal["search", "dashboard"]]
    target: Required[Annotated[ById | ByTemplate, Field(discriminator="mode")]]
    whereTemplate: str
    whereLanguage: Language
    filters: list[ClickFilter]


class ClickOutside(TypedDict, total=False):
    """A click that opens a URL."""

    type: Required[Literal["external"]]
    urlTemplate: Required[Annotated[str, Field(min_length=1)]]


Click = Annotated[ClickInside | ClickOutside, Field(discriminator="type")]
