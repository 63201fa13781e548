"""The config of a tile: its properties depend on `displayType`, and on whether it is raw SQL."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag
from typing_extensions import Required, TypedDict

from .notation import SELF_HOSTED
from .tile_parts import (
    BackgroundChart,
    Click,
    Colour,
    ColourRule,
    Expression,
    Formula,
    HeatmapValue,
    Language,
    NumberFormat,
    SelectedValue,
)

Values = Annotated[list[SelectedValue], Field(min_length=1, max_length=20)]
OneValue = Annotated[list[SelectedValue], Field(min_length=1, max_length=1)]
Formulas = Annotated[list[Formula], Field(max_length=10), SELF_HOSTED]
Most = Annotated[int, Field(ge=0)]


class OverTime(TypedDict, total=False):
    """The common properties of lines and bars over time."""

    sourceId: Required[str]
    select: Required[Values]
    groupBy: Expression
    asRatio: bool
    alignDateRangeToGranularity: bool
    fillNulls: bool
    numberFormat: NumberFormat
    seriesLimit: Annotated[Most, SELF_HOSTED]
    formulas: Formulas
    showOperandSeries: Annotated[bool, SELF_HOSTED]


class Line(OverTime, total=False):
    displayType: Required[Literal["line"]]
    fitYAxisToData: bool
    compareToPreviousPeriod: bool


class StackedBar(OverTime, total=False):
    displayType: Required[Literal["stacked_bar"]]


class Table(TypedDict, total=False):
    displayType: Required[Literal["table"]]
    sourceId: Required[str]
    select: Required[Values]
    groupBy: Expression
    having: Expression
    orderBy: Expression
    asRatio: bool
    numberFormat: NumberFormat
    groupByColumnsOnLeft: bool
    onClick: Click
    formulas: Formulas
    showOperandSeries: Annotated[bool, SELF_HOSTED]


class Number(TypedDict, total=False):
    displayType: Required[Literal["number"]]
    sourceId: Required[str]
    select: Required[Values]
    formulas: Annotated[list[Formula], Field(max_length=1), SELF_HOSTED]
    numberFormat: NumberFormat
    color: Colour
    colorRules: Annotated[list[ColourRule], Field(max_length=10)]
    backgroundChart: BackgroundChart


class ByGroup(TypedDict, total=False):
    """A pie, or bars by group."""

    displayType: Required[Literal["pie", "bar"]]
    sourceId: Required[str]
    select: Required[OneValue]
    groupBy: Expression
    orderBy: Expression
    numberFormat: NumberFormat
    limit: Most


class Heatmap(TypedDict, total=False):
    displayType: Required[Literal["heatmap"]]
    sourceId: Required[str]
    select: Required[Annotated[list[HeatmapValue], Field(min_length=1, max_length=1)]]
    where: Expression
    whereLanguage: Language
    numberFormat: NumberFormat


class Search(TypedDict, total=False):
    displayType: Required[Literal["search"]]
    sourceId: Required[str]
    select: Required[Expression]
    where: Expression
    whereLanguage: Required[Language]


class EventPatterns(TypedDict, total=False):
    displayType: Required[Literal["event_patterns"]]
    sourceId: Required[str]
    select: Expression
    where: Expression
    whereLanguage: Language


class Markdown(TypedDict, total=False):
    displayType: Required[Literal["markdown"]]
    markdown: Annotated[str, Field(max_length=50000)]


class RawSql(TypedDict, total=False):
    """The common properties of all tiles of raw SQL."""

    configType: Required[Literal["sql"]]
    connectionId: Required[str]
    sqlTemplate: Required[Annotated[str, Field(max_length=100000)]]
    sourceId: str
    numberFormat: NumberFormat


class SqlStackedBar(RawSql, total=False):
    displayType: Required[Literal["stacked_bar"]]
    fillNulls: bool
    alignDateRangeToGranularity: bool


class SqlLine(RawSql, total=False):
    displayType: Required[Literal["line"]]
    compareToPreviousPeriod: bool
    fillNulls: bool
    alignDateRangeToGranularity: bool
    fitYAxisToData: bool


class SqlTable(RawSql, total=False):
    displayType: Required[Literal["table"]]
    onClick: Click


class SqlNumber(RawSql, total=False):
    displayType: Required[Literal["number"]]
    color: Colour


class SqlByGroup(RawSql, total=False):
    """A pie, or bars by group, of raw SQL."""

    displayType: Required[Literal["pie", "bar"]]


def _kind(config: Any) -> str:
    if not isinstance(config, dict):
        return ""
    return f"{config.get('configType', 'builder')} {config.get('displayType')}".replace("pie", "bar")


Config = Annotated[
    Annotated[Line, Tag("builder line")]
    | Annotated[StackedBar, Tag("builder stacked_bar")]
    | Annotated[Table, Tag("builder table")]
    | Annotated[Number, Tag("builder number")]
    | Annotated[ByGroup, Tag("builder bar")]
    | Annotated[Heatmap, Tag("builder heatmap")]
    | Annotated[Search, Tag("builder search")]
    | Annotated[EventPatterns, Tag("builder event_patterns")]
    | Annotated[Markdown, Tag("builder markdown")]
    | Annotated[SqlLine, Tag("sql line")]
    | Annotated[SqlStackedBar, Tag("sql stacked_bar")]
    | Annotated[SqlTable, Tag("sql table")]
    | Annotated[SqlNumber, Tag("sql number")]
    | Annotated[SqlByGroup, Tag("sql bar")],
    Discriminator(_kind),
]
