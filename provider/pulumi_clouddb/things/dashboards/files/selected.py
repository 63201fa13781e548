"""Selected values of a file."""

from __future__ import annotations

from pulumi_clouddb.schema.observability import SearchLanguage
from pulumi_clouddb.schema.values import Path, WireDict
from pulumi_clouddb.things.dashboards.tile_parts import LEVELS, AggFn, PeriodAggFn

from .conditions import Condition, MixedLanguagesError, both, condition
from .file import FileValue
from .losses import Losses
from .parts import Parts

_AGGREGATIONS = frozenset(each.value for each in AggFn)

METRIC_VALUE = "Value"
"""The column of values in tables of metrics; the page writes none for a metric, and the API requires one."""

_OF_HEATMAP = frozenset({"count_expression", "heatmap_scale_type"})
_NOT_OF_HEATMAP = frozenset(FileValue.model_fields) - _OF_HEATMAP - {"value_expression"}


class Selected:
    """Writes selected values; if `finds_rows`, all have a condition, and the renderer also finds the rows by them."""

    def __init__(self, losses: Losses, *, finds_rows: bool) -> None:
        self._losses, self._parts, self._finds_rows = losses, Parts(losses), finds_rows

    def of_heatmap(self, value: FileValue, path: Path) -> WireDict:
        """Return the value of a heatmap; what it has besides is not read by the page."""
        with self._losses.reading(value, path, without_meaning=_NOT_OF_HEATMAP) as read:
            if not read.value_expression:
                self._losses.error((*path, "valueExpression"), "it is empty")
            written: WireDict = {"valueExpression": read.value_expression}
            if read.count_expression is not None:
                written["countExpression"] = read.count_expression
            if read.heatmap_scale_type is not None:
                written["heatmapScaleType"] = read.heatmap_scale_type
        return written

    def of_chart(self, value: FileValue, path: Path, chart: Condition) -> WireDict:
        """Return a value of a chart, which has a condition of its own."""
        with self._losses.reading(value, path, without_meaning=_OF_HEATMAP | {"ordering"}) as read:
            agg_fn = read.agg_fn or AggFn.NONE.value
            if agg_fn not in _AGGREGATIONS:
                self._losses.error((*path, "aggFn"), f"the API has no aggregation {agg_fn!r}")
            written: WireDict = {"aggFn": agg_fn, **self._expression(read, agg_fn, path), **self._level(read, path)}
            written |= self._condition(read, path, chart)
            for name, text in (
                ("alias", read.alias),
                ("metricType", read.metric_type),
                ("metricName", read.metric_name),
            ):
                if text is not None:
                    written[name] = text
            if read.is_delta:
                written["periodAggFn"] = PeriodAggFn.DELTA.value
            if read.number_format is not None:
                written["numberFormat"] = self._parts.number_format(read.number_format, (*path, "numberFormat"))
            self._losses_of(read, path)
        return written

    def _expression(self, read: FileValue, agg_fn: str, path: Path) -> WireDict:
        expression = read.value_expression
        if agg_fn == AggFn.COUNT:  # the renderer ignores what the editor has left there
            return {}
        if expression or not (read.metric_type or read.metric_name):
            if not expression:
                self._losses.error((*path, "valueExpression"), f"it is empty, and aggFn is {agg_fn!r}")
            return {"valueExpression": expression}
        return {"valueExpression": METRIC_VALUE}

    def _level(self, read: FileValue, path: Path) -> WireDict:
        level = read.level
        if read.agg_fn != AggFn.QUANTILE or level is None:  # the renderer reads it for quantiles alone
            return {}
        if level not in LEVELS:
            self._losses.error((*path, "level"), f"the API has the levels {', '.join(map(str, LEVELS))}, not {level:g}")
        return {"level": level}

    def _condition(self, read: FileValue, path: Path, chart: Condition) -> WireDict:
        # Without a language, renderSelectList reads it as Lucene, and renderWhere as SQL; the query of a metric has it
        # only there.
        is_metric = bool(read.metric_type or read.metric_name)
        usual = SearchLanguage.SQL if is_metric else SearchLanguage.LUCENE
        own = condition(read.agg_condition, read.agg_condition_language or usual.value)
        if own and read.agg_condition_language is None and self._finds_rows and not is_metric:
            self._losses.error(
                (*path, "aggCondition"),
                "it has no aggConditionLanguage: the page finds the rows by it in SQL, and computes the value by it in "
                "Lucene",
            )
            return {}
        try:
            joined = both(chart, own)
        except MixedLanguagesError as error:
            self._losses.error(
                (*path, "aggCondition"),
                f"the API has one condition for each value, and {chart.text!r} of the tile ({chart.language}) cannot "
                f"be joined with {own.text!r} ({own.language}): {str(error)!r} has no certain equivalent in SQL",
            )
            return {}
        # An empty condition in the server's usual language, which its page writes, too.
        language = joined.language if joined else read.agg_condition_language or SearchLanguage.LUCENE.value
        return {"where": joined.text, "whereLanguage": language}

    def _losses_of(self, read: FileValue, path: Path) -> None:
        # The renderer reads the language only without an aggregation (renderSelectList).
        if read.value_expression_language not in (None, SearchLanguage.SQL.value) and read.agg_fn is None:
            self._losses.error((*path, "valueExpressionLanguage"), "the API has only expressions in SQL")
        if read.metric_name_sql:
            self._losses.error((*path, "metricNameSql"), "the API selects a metric only by its name")
        if read.color is not None:
            self._losses.warn((*path, "color"), "the API has no colour of a value")
        if read.color_rules:
            self._losses.warn((*path, "colorRules"), "the API has no colours of a value")
