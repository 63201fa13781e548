"""Contents of tiles of a file, as configs of the API.

The source of each rule is `convertToExternalTileChartConfig` and `convertToInternalTileConfig` of HyperDX 2.36.0
(external-api/v2/utils/dashboards.ts in packages/api); of what a display type ignores, its page
(DBDashboardPage.tsx) and `convertTo…ChartConfig` in packages/common-utils/src/core/utils.ts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pulumi_clouddb.schema.observability import SearchLanguage
from pulumi_clouddb.schema.values import Path, WireDict
from pulumi_clouddb.schema.vendor import among
from pulumi_clouddb.things.dashboards.tile_config import KINDS
from pulumi_clouddb.things.dashboards.tile_config_fields import (
    OF_COLUMNS,
    ONE_SELECTED,
    RAW_SQL,
    ConfigType,
    DisplayType,
)

from .conditions import Condition, condition
from .file import FileConfig, FileFormula, FileValue, Values
from .losses import Losses
from .names import Kind, Refer
from .parts import Parts
from .selected import Selected

_LINES = frozenset({DisplayType.LINE, DisplayType.STACKED_BAR})
_GROUPED = frozenset({DisplayType.PIE, DisplayType.BAR})
_TABLE = frozenset({DisplayType.TABLE})
_ROWS = frozenset({DisplayType.HEATMAP, DisplayType.SEARCH, DisplayType.EVENT_PATTERNS})
_CHARTS = _LINES | _GROUPED | _TABLE | {DisplayType.NUMBER}

READ_BY = {
    "group_by": _LINES | _GROUPED | _TABLE,
    "select_group_by": _LINES | _GROUPED | _TABLE,
    "having": _CHARTS,
    "order_by": _GROUPED | _TABLE,
    "limit": _GROUPED | _TABLE | {DisplayType.NUMBER},
    "series_limit": _LINES | _GROUPED | {DisplayType.HEATMAP},
    "compare_to_previous_period": _LINES,
    "fit_y_axis_to_data": _LINES,
    "fill_nulls": _LINES,
    "align_date_range_to_granularity": _LINES,
    "series_return_type": _CHARTS,
    "ratio_mode": _LINES | _TABLE,
    "formulas": _CHARTS,
    "show_operand_series": _LINES | _TABLE,
    "group_by_columns_on_left": _TABLE,
    "alternate_row_background": _TABLE,
    "on_click": _TABLE,
    "color": frozenset({DisplayType.NUMBER}),
    "color_rules": frozenset({DisplayType.NUMBER}),
    "background_chart": frozenset({DisplayType.NUMBER}),
    "number_format": _CHARTS | {DisplayType.HEATMAP},
}
"""The display types whose page reads a key of a config; editors leave keys of a former display type behind."""

MEANINGLESS = frozenset(
    {
        # The page takes these from the source, whatever the file contains.
        *("implicit_column_expression", "body_expression", "use_text_index_for_implicit_column"),
        *("sample_weight_expression", "metric_tables"),
        "granularity",  # the page uses that of the dashboard (DBDashboardPage.tsx)
        "event_table_select",  # the columns of a search before the editor made a chart of it
        "filters_logical_operator",  # of `filters`, which are reported
        *("where_language", "having_language"),  # of `where` and `having`
        *("ratio_mode", "show_operand_series", "select_group_by"),  # of a ratio, of formulas, of groups
        *("name", "config_type"),  # of the tile, and of what is written
    }
)
"""Keys of a config that mean nothing by themselves."""

_OF_ALL = frozenset({"display_type", "alert"})
OF_RAW_SQL = _OF_ALL | {
    *("source", "connection", "sql_template", "number_format", "compare_to_previous_period"),
    *("fill_nulls", "align_date_range_to_granularity", "fit_y_axis_to_data", "on_click", "color", "color_rules"),
    *("alternate_row_background", "series_limit"),
}
"""The keys that the page reads of a config with raw SQL."""

_OF_SQL_ALONE = frozenset({"connection", "sql_template", "promql_expression", "step"})
_FLAGS = (
    "compare_to_previous_period",
    "align_date_range_to_granularity",
    "fit_y_axis_to_data",
    "group_by_columns_on_left",
)


def without_meaning(display: str, config_type: str | None) -> frozenset[str]:
    """Return the keys of a config, as attributes, that the page does not read for this display type."""
    known = frozenset(FileConfig.model_fields)
    if display == DisplayType.MARKDOWN:
        return known - _OF_ALL - {"markdown"}
    unread = frozenset(name for name, kinds in READ_BY.items() if display not in kinds)
    if config_type == ConfigType.SQL:
        return known - OF_RAW_SQL | unread
    return MEANINGLESS | _OF_SQL_ALONE | unread | {"markdown"}


def config_of(config: FileConfig, losses: Losses, refer: Refer) -> WireDict:
    """Return the config of a tile; without meaning if `losses` has an error afterwards."""
    display, config_type, path = config.display_type, config.config_type, ("config",)
    fields = KINDS.fields(display, config_type) if config_type in (None, ConfigType.SQL) else None
    if display is None or fields is None:
        losses.error(path, _unsupported(display, config_type))
        return {}
    ignored = without_meaning(display, config_type)
    with losses.reading(config, path, without_meaning=ignored) as read:
        writer = _Config(read, path, losses, refer, fields, ignored)
        written: WireDict = {"displayType": read.display_type}
        if display == DisplayType.MARKDOWN:
            written |= {} if read.markdown is None else {"markdown": read.markdown}
        elif config_type == ConfigType.SQL:
            written |= {"configType": config_type, **writer.of_sql(), **writer.looks()}
        else:
            written |= {**writer.of_source(), **writer.looks()}
        if read.alert is not None:
            losses.warn((*path, "alert"), "alerts are not part of a dashboard; declare an Alert on this tile")
    return written


def _unsupported(display: str | None, config_type: str | None) -> str:
    if config_type == "promql":
        return "the API has no PromQL tiles"
    if config_type == ConfigType.SQL:
        return f"the API has raw SQL only for displayType {among(RAW_SQL)}, not {display!r}"
    if config_type is not None:
        return f"{config_type!r} is not a configType of the API"
    return f"{display!r} is not a displayType of the API" if display else "the tile has no displayType"


@dataclass
class _Config:
    """Writes one config."""

    read: FileConfig
    path: Path
    losses: Losses
    refer: Refer
    fields: Collection[str]
    ignored: Collection[str]

    @property
    def display(self) -> str:
        """The display type."""
        return str(self.read.display_type)

    def of_sql(self) -> WireDict:
        """Return what is special to raw SQL."""
        read, written = self.read, WireDict()
        written["connectionId"] = self._reference(Kind.CONNECTION, "connection", read.connection)
        written["sqlTemplate"] = read.sql_template
        if not read.sql_template:
            self.losses.error((*self.path, "sqlTemplate"), "the tile has no SQL")
        if read.source:
            written["sourceId"] = self._reference(Kind.SOURCE, "source", read.source)
        return written

    def of_source(self) -> WireDict:
        """Return what is special to configs with a source."""
        read, written = self.read, WireDict()
        written["sourceId"] = self._reference(Kind.SOURCE, "source", read.source)
        chart = condition(read.where, read.where_language)
        if self.display in _ROWS and chart:
            written |= {"where": chart.text, "whereLanguage": chart.language}
        elif self.display in _ROWS:
            written |= {"where": "", "whereLanguage": read.where_language or SearchLanguage.LUCENE.value}
        written |= self._selected(Condition("", chart.language) if self.display in _ROWS else chart)
        written |= self._computed()
        if self.display not in _ROWS:
            written |= self._groups()
        if read.filters:
            self.losses.warn((*self.path, "filters"), "the page replaces these conditions by those of its filters")
        return written

    def _reference(self, kind: Kind, key: str, name: str | None) -> object:
        if not name:
            self.losses.error((*self.path, key), f"the {kind.value} is missing: it did not exist at the export")
            return None
        return self.refer(kind, name)

    def _selected(self, chart: Condition) -> WireDict:
        select, path = self.read.select, (*self.path, "select")
        if self.display in OF_COLUMNS:
            if isinstance(select, list) and select:
                self.losses.error(path, "a search has columns as text, and no list of values")
            return {"columns": select if isinstance(select, str) else ""}
        if not isinstance(select, list) or not select:
            self.losses.error(path, "the API has no text of columns for charts" if select else "it is empty")
            return {}
        writer = Selected(self.losses, finds_rows=all(condition(each.agg_condition, None) for each in select))
        if self.display == DisplayType.HEATMAP:
            self._only_first(select, "the first is shown")
            return {"select": [writer.of_heatmap(select[0], (*path, 0))]}
        if self.display in ONE_SELECTED or (self.display == DisplayType.NUMBER and not self.read.formulas):
            self._only_first(select, "the page shows the first")
            select = select[:1]
        return {"select": [writer.of_chart(value, (*path, index), chart) for index, value in enumerate(select)]}

    def _only_first(self, select: list[FileValue], words: str) -> None:
        if len(select) == 1:
            return
        path = (*self.path, "select")
        if self.read.order_by and self.display in _GROUPED:
            self.losses.error(path, "the API has one value for this displayType, and orderBy may refer to the others")
        else:
            self.losses.warn(path, f"the API has one value for this displayType: {words}")

    def _computed(self) -> WireDict:
        """Return formulas and ratios."""
        read, formulas = self.read, self.read.formulas or []
        count = len(read.select) if isinstance(read.select, list) else 0
        ratio = read.series_return_type == "ratio" and count == 2 and not formulas  # the renderer decides the same way
        return {**(self._formulas(formulas) if formulas else {}), **(self._ratio() if ratio else {})}

    def _formulas(self, formulas: list[FileFormula]) -> WireDict:
        read, path = self.read, (*self.path, "formulas")
        if "formulas" not in self.fields:
            if "formulas" not in self.ignored:
                self.losses.error(path, f"the API has no formulas for displayType {self.display}")
            return {}
        parts = Parts(self.losses)
        written: WireDict = {"formulas": [parts.formula(each, (*path, index)) for index, each in enumerate(formulas)]}
        if self.display == DisplayType.NUMBER and len(formulas) > 1:
            self.losses.warn(path, "the API has one formula for a number: the first is shown")
            written["formulas"] = written["formulas"][:1]
        if "showOperandSeries" in self.fields and read.show_operand_series is not None:
            written["showOperandSeries"] = read.show_operand_series
        return written

    def _ratio(self) -> WireDict:
        read = self.read
        if "asRatio" not in self.fields:
            if "series_return_type" not in self.ignored:
                path = (*self.path, "seriesReturnType")
                self.losses.error(path, f"the API has no ratio for displayType {self.display}")
            return {}
        if read.ratio_mode == "share_of_total" and read.group_by:
            self.losses.error((*self.path, "ratioMode"), "the API has only ratios within each group")
        return {"asRatio": True}

    def _groups(self) -> WireDict:
        """Return groups, their conditions, their order and their number."""
        read, written = self.read, WireDict()
        if "groupBy" in self.fields and (text := self._text("groupBy", read.group_by)):
            written["groupBy"] = text
            if read.select_group_by is False:
                self.losses.error((*self.path, "selectGroupBy"), "the API always shows the columns of the groups")
        if "orderBy" in self.fields and (text := self._text("orderBy", read.order_by)):
            written["orderBy"] = text
        if read.having and read.having.strip():
            if "having" not in self.fields:
                self.losses.error((*self.path, "having"), f"the API has none for displayType {self.display}")
            elif read.having_language not in (None, SearchLanguage.SQL.value):
                self.losses.error((*self.path, "having"), "the API has only conditions in SQL here")
            else:
                written["having"] = read.having
        limit = self._limit()
        if self.display in _GROUPED and limit is not None:
            written["limit"] = limit
        return written

    def _limit(self) -> int | None:
        """Return the largest number of groups of pies and bars: `limit` counts before `seriesLimit`."""
        read, path = self.read, (*self.path, "limit")
        if "limit" in self.ignored or read.limit is None:
            return None if "series_limit" in self.ignored else read.series_limit
        otherwise = read.series_limit if self.display in _GROUPED else None
        with self.losses.reading(read.limit, path) as each:
            rows = each.limit
            if each.offset and rows is not None:  # the renderer reads it only beside a limit
                self.losses.error((*path, "offset"), "the API cannot leave out the first rows")
        if rows is None:
            return otherwise
        if self.display == DisplayType.NUMBER:  # it shows the only row
            if rows < 1:
                self.losses.error((*path, "limit"), "the page shows no number, and the API cannot hide it")
            return None
        if self.display == DisplayType.TABLE:
            self.losses.warn((*path, "limit"), f"the API has no limit of rows: the table shows more than {rows:g}")
            return None
        if rows <= 0 or rows != int(rows):
            self.losses.error((*path, "limit"), f"the API cannot show {rows:g} groups")
        return int(rows)

    def _text(self, name: str, values: Values | None) -> str:
        """Return columns as text; the API has no list of them."""
        if not isinstance(values, list):
            return values if values and values.strip() else ""
        texts = []
        for index, value in enumerate(values):
            path = (*self.path, name, index)
            if value.agg_fn or value.agg_condition or not value.value_expression:
                self.losses.error(path, "the API has only expressions here")
                continue
            unused = ("agg_fn", "agg_condition", "agg_condition_language", "value_expression_language", "level")
            with self.losses.reading(value, path, without_meaning=unused) as each:
                text = str(each.value_expression)
                text += f" {each.ordering}" if each.ordering and name == "orderBy" else ""
                text += f' AS "{each.alias}"' if each.alias and name == "groupBy" else ""
            texts.append(text)
        return ", ".join(texts)

    def looks(self) -> WireDict:
        """Return what determines only how the data is shown."""
        read, written, parts = self.read, WireDict(), Parts(self.losses)
        written |= dict(self._flags())
        written |= dict(self._series())
        if "number_format" not in self.ignored and read.number_format is not None:
            written["numberFormat"] = parts.number_format(read.number_format, (*self.path, "numberFormat"))
        if "on_click" not in self.ignored and read.on_click is not None:
            written |= parts.on_click(read.on_click, (*self.path, "onClick"), self.refer)
        written |= self._colours(parts)
        if "alternate_row_background" not in self.ignored and read.alternate_row_background:
            self.losses.warn((*self.path, "alternateRowBackground"), "the API has no colour of every other row")
        return written

    def _flags(self) -> Iterator[tuple[str, bool]]:
        for attribute in _FLAGS:
            name = FileConfig.model_fields[attribute].alias or attribute
            value = None if attribute in self.ignored else getattr(self.read, attribute)
            if value is not None and name in self.fields:
                yield name, value
            elif value:
                self.losses.warn((*self.path, name), f"the API has none for displayType {self.display}")

    def _series(self) -> Iterator[tuple[str, object]]:
        read = self.read
        if "fill_nulls" not in self.ignored and read.fill_nulls is not None:
            if read.fill_nulls is False:
                yield "fillNulls", False
            elif read.fill_nulls != 0:
                self.losses.error((*self.path, "fillNulls"), f"the API fills gaps with 0, not with {read.fill_nulls}")
        if "seriesLimit" in self.fields and read.series_limit is not None:
            yield "seriesLimit", read.series_limit
        elif self.display == DisplayType.HEATMAP and read.series_limit:
            # An editor leaves it behind, and the page uses it.
            message = f"the API has none: more than the {read.series_limit} largest buckets are shown"
            self.losses.warn((*self.path, "seriesLimit"), message)

    def _colours(self, parts: Parts) -> WireDict:
        read, written = self.read, WireDict()
        if "color" not in self.ignored and read.color is not None:
            written |= parts.colour(read.color, (*self.path, "color"))
        if "color_rules" not in self.ignored and read.color_rules:
            if "colorRules" in self.fields:
                written |= parts.colour_rules(read.color_rules, (*self.path, "colorRules"))
            else:
                self.losses.warn((*self.path, "colorRules"), "the API has none for raw SQL")
        if "background_chart" not in self.ignored and read.background_chart is not None:
            written |= parts.background_chart(read.background_chart, (*self.path, "backgroundChart"))
            self._behind_number()
        return written

    def _behind_number(self) -> None:
        """Name what the line behind a number reads as a line does (NumberTileBackgroundChart.tsx)."""
        for attribute in ("fill_nulls", "align_date_range_to_granularity"):
            if getattr(self.read, attribute) is False:
                name = FileConfig.model_fields[attribute].alias or attribute
                self.losses.warn((*self.path, name), "the API has none for the line behind a number")
