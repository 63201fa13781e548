"""The fields of a tile's config, and the display types of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pulumi_clouddb.schema.base import Flag, Prose, SqlPart, SqlTemplate, Whole, prop
from pulumi_clouddb.schema.choice import ClosedChoice
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.observability import QueryLanguage
from pulumi_clouddb.schema.vendor import AN_ORDER, Condition, Expression, ObjectId, OpenModel

from .number_format import NumberFormat
from .tile_parts import BackgroundChart, ChartPaletteToken, ColorRule, Formula, OnClick, SelectItem

MOST_SELECTED = 20
MOST_FORMULAS = 10
MOST_COLOR_RULES = 10
LONGEST_SQL = 100_000
LONGEST_MARKDOWN = 50_000


class DisplayType(ClosedChoice, because="it decides which properties a tile has"):
    """Kinds of contents of a tile."""

    LINE = "line", "lines over time"
    STACKED_BAR = "stacked_bar", "bars over time"
    TABLE = "table", "a table"
    NUMBER = "number", "one number"
    PIE = "pie", "a pie"
    BAR = "bar", "bars by group"
    HEATMAP = "heatmap", "how values are spread over time"
    SEARCH = "search", "rows of a search"
    EVENT_PATTERNS = "event_patterns", "patterns of messages"
    MARKDOWN = "markdown", "text"


class ConfigType(ClosedChoice, because="it decides which properties a tile has"):
    """Where the data of a tile comes from, if not from a source."""

    SQL = "sql", "raw SQL on a connection"


WITH_ALERTS = (DisplayType.LINE, DisplayType.STACKED_BAR, DisplayType.NUMBER)
"""The display types whose tiles keep their alerts when the dashboard is updated."""

USUAL_SIZE = (12, 10)
SIZES: Mapping[str, tuple[int, int]] = {
    DisplayType.NUMBER: (6, 6),
    DisplayType.TABLE: (24, 12),
    DisplayType.SEARCH: (24, 12),
    DisplayType.MARKDOWN: (12, 8),
}
"""Width and height of a new tile by display type, as on the server's page (getDefaultTileSize of HyperDX); others have
USUAL_SIZE."""

_OVER_TIME = (
    "sourceId select groupBy asRatio alignDateRangeToGranularity fillNulls numberFormat formulas showOperandSeries "
    "seriesLimit"
)
_BY_GROUP = "sourceId select groupBy orderBy numberFormat limit"
_COLUMNS = (
    "sourceId select groupBy having orderBy asRatio numberFormat groupByColumnsOnLeft onClick formulas "
    "showOperandSeries"
)
_ONE_NUMBER = "sourceId select numberFormat formulas color colorRules backgroundChart"
_ROWS = "sourceId columns where whereLanguage"
_SQL = "connectionId sqlTemplate sourceId numberFormat"

BUILDER: Mapping[str, frozenset[str]] = {
    DisplayType.LINE: frozenset(f"{_OVER_TIME} compareToPreviousPeriod fitYAxisToData".split()),
    DisplayType.STACKED_BAR: frozenset(_OVER_TIME.split()),
    DisplayType.TABLE: frozenset(_COLUMNS.split()),
    DisplayType.NUMBER: frozenset(_ONE_NUMBER.split()),
    DisplayType.PIE: frozenset(_BY_GROUP.split()),
    DisplayType.BAR: frozenset(_BY_GROUP.split()),
    DisplayType.HEATMAP: frozenset(["sourceId", "select", "where", "whereLanguage", "numberFormat"]),
    DisplayType.SEARCH: frozenset(_ROWS.split()),
    DisplayType.EVENT_PATTERNS: frozenset(_ROWS.split()),
    DisplayType.MARKDOWN: frozenset({"markdown"}),
}
"""The fields of each display type besides `displayType`, by wire name."""

RAW_SQL: Mapping[str, frozenset[str]] = {
    DisplayType.LINE: frozenset(
        f"{_SQL} compareToPreviousPeriod fillNulls alignDateRangeToGranularity fitYAxisToData seriesLimit".split()
    ),
    DisplayType.STACKED_BAR: frozenset(f"{_SQL} fillNulls alignDateRangeToGranularity seriesLimit".split()),
    DisplayType.TABLE: frozenset(f"{_SQL} onClick".split()),
    DisplayType.NUMBER: frozenset(f"{_SQL} color".split()),
    DisplayType.PIE: frozenset(_SQL.split()),
    DisplayType.BAR: frozenset(_SQL.split()),
}
"""The fields of each display type with raw SQL, besides `configType`."""

REQUIRED: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(BUILDER, frozenset({"sourceId", "select"})),
    DisplayType.SEARCH: frozenset({"sourceId", "columns"}),
    DisplayType.EVENT_PATTERNS: frozenset({"sourceId"}),
    DisplayType.MARKDOWN: frozenset(),
}
"""The fields that each display type requires; raw SQL requires `connectionId` and `sqlTemplate`."""

SQL_REQUIRED = frozenset({"connectionId", "sqlTemplate"})

HEATMAP_VALUE = frozenset({"valueExpression", "countExpression", "heatmapScaleType"})
"""The fields of the selected value of a heatmap; the last two are of heatmaps only."""

OF_COLUMNS = (DisplayType.SEARCH, DisplayType.EVENT_PATTERNS)
"""The display types with `columns` in place of `select`."""

ONE_SELECTED = (DisplayType.PIE, DisplayType.BAR, DisplayType.HEATMAP)
"""The display types that show exactly one value."""


class ChartFields(OpenModel):
    """The fields of every chart over time or of one number: of a tile, and of an alert that has its own."""

    display_type: DisplayType | None = prop("Kind of contents.")
    config_type: ConfigType | None = prop("Where the data is from.", unset="the source `sourceId`")
    source_id: ObjectId | None = prop("Id of the data source; getSource finds it by name.")
    select: list[SelectItem] | None = prop("Values to show.")
    group_by: Expression | None = prop("Expression to group by.")
    where: Condition | None = prop("Condition on rows; empty for all.")
    where_language: QueryLanguage | None = prop(
        "Language of the condition.", unset=QueryLanguage.LUCENE, with_text="where"
    )
    as_ratio: Flag | None = prop("Whether the first of two values is shown divided by the second.", unset=False)
    formulas: list[Formula] | None = prop("Values computed from those of `select`.", max_length=MOST_FORMULAS)
    show_operand_series: Flag | None = prop("Whether the operands of formulas are shown, too.", unset=True)
    number_format: NumberFormat | None = prop("Format of numbers.")
    align_date_range_to_granularity: Flag | None = prop("Whether the time range is rounded.", unset=True)
    fill_nulls: Flag | None = prop("Whether gaps are shown as zero.", unset=True)
    compare_to_previous_period: Flag | None = prop("Whether the previous period is shown, too.", unset=False)
    fit_y_axis_to_data: Flag | None = prop("Whether the axis of values begins at the smallest value.", unset=False)
    series_limit: Whole | None = prop("Largest number of series; zero for all.", ge=0)
    color: ChartPaletteToken | None = prop("Colour of the number.")
    color_rules: list[ColorRule] | None = prop("Colours under conditions.", max_length=MOST_COLOR_RULES)
    background_chart: BackgroundChart | None = prop("A line behind the number.")
    connection_id: ObjectId | None = prop("Id of the connection that runs the SQL.")
    sql_template: SqlTemplate | None = prop(
        "The SQL, with parameters and macros such as `$__timeFilter(Timestamp)`.", max_length=LONGEST_SQL
    )


class TileConfigFields(ChartFields):
    """The fields of a config, before the rules over several of them."""

    columns: SqlPart | None = prop("Columns of the rows, in SQL, separated by commas.", api="select")
    having: Expression | None = prop("Condition on groups, in SQL.")
    order_by: Annotated[Expression, AN_ORDER] | None = prop("Order, in SQL.")
    limit: Whole | None = prop("Largest number of groups; zero for all.", ge=0)
    group_by_columns_on_left: Flag | None = prop("Whether the columns of groups come first.", unset=False)
    on_click: OnClick | None = prop("Target of a click on a row.")
    markdown: Prose | None = prop("The text, in Markdown.", max_length=LONGEST_MARKDOWN)


DISPLAY_TYPE = property_name(TileConfigFields, lambda config: config.display_type)
