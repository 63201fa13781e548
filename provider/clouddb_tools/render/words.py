"""Values, queries and thresholds as text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_clouddb.schema.view import raw_of, view_of
from pulumi_clouddb.things.alerts.alert import Alert
from pulumi_clouddb.things.alerts.parts import ThresholdType
from pulumi_clouddb.things.dashboards.number_format import NumberFormat, NumberFormatOutput
from pulumi_clouddb.things.dashboards.tile import Series, SortOrder
from pulumi_clouddb.things.dashboards.tile_config import TileConfig
from pulumi_clouddb.things.dashboards.tile_parts import AggFn, ColorRule, Formula, OnClick, OnClickTarget, SelectItem

Fact = tuple[str, str]
"""A label, such as `group by`, and its text; a fact with an empty text is not drawn."""

PLACEHOLDER = "###"
"""Replaces digits, so that no number looks like a measurement."""

RATIO: Fact = ("ratio", "the first value divided by the second")

_FORMATS: Mapping[str, str] = {
    NumberFormatOutput.CURRENCY: f"$ {PLACEHOLDER}",
    NumberFormatOutput.PERCENT: f"{PLACEHOLDER} %",
    NumberFormatOutput.BYTE: f"{PLACEHOLDER} B",
    NumberFormatOutput.TIME: "##:##:##",
    NumberFormatOutput.DURATION: f"{PLACEHOLDER} s",
}


def text(value: Any) -> str:
    """Return a value as text: strings as they are, other values as JSON; empty for None."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return f"{value:.15g}"  # `:g` writes 1234567 as 1.23457e+06
    return json.dumps(value, ensure_ascii=False)


def texts(value: Any) -> tuple[str, ...]:
    """Return the elements of a list as texts; another value is one element."""
    if isinstance(value, list):
        return tuple(map(text, value))
    return (text(value),) if text(value) else ()


def objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects in a list."""
    if isinstance(value, list):
        yield from (each for each in value if isinstance(each, Mapping))


def condition_words(alert: Alert) -> str:
    """Return the condition of an alert, such as `at or above 100`."""
    low, high = _bounds(alert)
    given = text(raw_of(alert, "threshold_type"))
    try:
        meaning = ThresholdType(given).meaning
    except ValueError:
        return f"{given} {low}".strip()
    return re.sub(r"\bit\b", lambda _: low, meaning).replace("`thresholdMax`", high)


SYMBOLS = {
    ThresholdType.ABOVE: "≥ {low}",
    ThresholdType.ABOVE_EXCLUSIVE: "> {low}",
    ThresholdType.BELOW: "< {low}",
    ThresholdType.BELOW_OR_EQUAL: "≤ {low}",
    ThresholdType.EQUAL: "= {low}",
    ThresholdType.NOT_EQUAL: "≠ {low}",
    ThresholdType.BETWEEN: "{low} to {high}",
    ThresholdType.NOT_BETWEEN: "< {low}, > {high}",
}
"""The conditions of alerts in symbols, for narrow tiles."""


def condition_symbols(kind: ThresholdType | None, alert: Alert) -> str:
    """Return the condition of an alert in symbols, such as `≥ 100`; empty if the type is unknown."""
    low, high = _bounds(alert)
    return SYMBOLS[kind].format(low=low, high=high) if kind else ""


def _bounds(alert: Alert) -> tuple[str, str]:
    return text(raw_of(alert, "threshold")), text(raw_of(alert, "threshold_max")) or "?"


def number_words(number_format: Any) -> str:
    """Return a number in a format, with placeholders for its digits."""
    if not isinstance(number_format, Mapping):
        return PLACEHOLDER
    view = view_of(NumberFormat, number_format)
    if unit := text(raw_of(view, "unit") or raw_of(view, "numeric_unit")):
        return f"{PLACEHOLDER} {unit.replace('_', ' ')}"
    output, symbol = text(raw_of(view, "output")), text(raw_of(view, "currency_symbol"))
    if output == NumberFormatOutput.CURRENCY and symbol:
        return f"{symbol} {PLACEHOLDER}"
    return _FORMATS.get(output, PLACEHOLDER)


# -- queries -----------------------------------------------------------------------------------------------------------


def config_facts(config: TileConfig) -> Iterator[Fact]:
    """Yield the query of a tile with a config, and how its result is displayed."""
    yield "columns", text(raw_of(config, "columns"))
    for each in objects(raw_of(config, "select")):
        item = view_of(SelectItem, each)
        yield "value", _value(item, raw_of(item, "value_expression"), _where(item))
        if isinstance(count := item.count_expression, str):
            yield "count", count
    for each in objects(raw_of(config, "formulas")):
        formula = view_of(Formula, each)
        yield "formula", text(raw_of(formula, "expression")) + _alias(formula)
    if raw_of(config, "as_ratio") is True:
        yield RATIO
    yield "group by", text(raw_of(config, "group_by"))
    yield "where", _where(config)
    yield "having", text(raw_of(config, "having"))
    yield "order by", text(raw_of(config, "order_by"))
    yield "SQL", " ".join(text(raw_of(config, "sql_template")).split())
    yield from _display_facts(config)


def table_heads(config: TileConfig) -> Iterator[str]:
    """Yield the heads of a table as the page shows them: each value by its alias, and groups last unless told."""
    groups = filter(None, [text(raw_of(config, "group_by"))])
    first = raw_of(config, "group_by_columns_on_left") is True
    if first:
        yield from groups
    if raw_of(config, "show_operand_series") is not False:
        for item in (view_of(SelectItem, each) for each in objects(raw_of(config, "select"))):
            yield text(raw_of(item, "alias")) or _value(item, raw_of(item, "value_expression"), _where(item))
    for formula in (view_of(Formula, each) for each in objects(raw_of(config, "formulas"))):
        yield text(raw_of(formula, "alias")) or text(raw_of(formula, "expression"))
    if not first:
        yield from groups


def _display_facts(config: TileConfig) -> Iterator[Fact]:
    yield "limit", text(raw_of(config, "limit") or raw_of(config, "series_limit") or None)
    if isinstance(number_format := raw_of(config, "number_format"), Mapping):
        yield "numbers", number_words(number_format)
    for each in objects(raw_of(config, "color_rules")):
        rule = view_of(ColorRule, each)
        yield "colour", f"{text(raw_of(rule, 'operator'))} {text(raw_of(rule, 'value'))}: {text(raw_of(rule, 'color'))}"
    click = raw_of(config, "on_click")
    if isinstance(click, Mapping):
        yield "click", _click(view_of(OnClick, click))


def _click(click: OnClick) -> str:
    target, name = raw_of(click, "target"), ""
    if isinstance(target, Mapping):
        view = view_of(OnClickTarget, target)
        name = text(raw_of(view, "id") or raw_of(view, "template"))
    return f"{text(raw_of(click, 'type'))} {name or text(raw_of(click, 'url_template'))}".strip()


def series_facts(series: Series) -> Iterator[Fact]:
    """Yield the query of a series."""
    condition, field = _where(series), raw_of(series, "field")
    if raw_of(series, "agg_fn") is not None or field is not None:
        yield "value", _value(series, field, condition)
    else:
        yield "where", condition
    yield "columns", ", ".join(texts(raw_of(series, "fields")))
    yield "group by", ", ".join(texts(raw_of(series, "group_by")))
    order = text(raw_of(series, "sort_order"))
    yield "order", {SortOrder.ASC.value: "ascending", SortOrder.DESC.value: "descending"}.get(order, order)


def _value(item: SelectItem | Series, expression: Any, condition: str) -> str:
    """Return a value with its condition and alias, such as `count() where level:error as errors`."""
    argument = " of ".join(part for part in (text(expression), text(raw_of(item, "metric_name"))) if part)
    value = _aggregation(text(raw_of(item, "agg_fn")), argument, raw_of(item, "level"))
    where = f" where {condition}" if condition else ""
    return f"{value}{where}{_alias(item)}".strip()


def _aggregation(function: str, argument: str, level: Any) -> str:
    """Return an aggregation, such as `p95(Duration)`."""
    if function == AggFn.QUANTILE and isinstance(level, (int, float)):
        return f"p{level * 100:g}({argument})"
    return argument if function in ("", AggFn.NONE) else f"{function}({argument})"


def _where(query: TileConfig | SelectItem | Series) -> str:
    """Return the condition of a query and its language."""
    condition, language = text(raw_of(query, "where")), text(raw_of(query, "where_language"))
    return f"{condition}  ({language})" if condition and language else condition


def _alias(item: SelectItem | Series | Formula) -> str:
    alias = text(raw_of(item, "alias"))
    return f" as {alias}" if alias else ""
