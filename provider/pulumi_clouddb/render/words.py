"""What is written into a picture: values, queries and thresholds in words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_clouddb.alerts.alert import Alert
from pulumi_clouddb.alerts.fields import ThresholdType
from pulumi_clouddb.dashboards.number_format import NumberFormat, NumberFormatOutput
from pulumi_clouddb.dashboards.tile import Series, SortOrder
from pulumi_clouddb.dashboards.tile_config import TileConfig
from pulumi_clouddb.dashboards.tile_config_fields import TEXT_SELECTED
from pulumi_clouddb.dashboards.tile_parts import AggFn, ColorRule, Formula, OnClick, OnClickTarget, SelectItem
from pulumi_clouddb.schema.view import raw_of, view_of

Fact = tuple[str, str]
"""A label, such as `group by`, and what it says."""

PLACEHOLDER = "###"
"""Stands for digits, so that no number can be taken for a measurement."""

_UNITS = {
    NumberFormatOutput.CURRENCY: f"$ {PLACEHOLDER}",
    NumberFormatOutput.PERCENT: f"{PLACEHOLDER} %",
    NumberFormatOutput.BYTE: f"{PLACEHOLDER} B",
    NumberFormatOutput.TIME: "##:##:##",
    NumberFormatOutput.DURATION: f"{PLACEHOLDER} s",
}
_PERIOD = re.compile(r"\bit\b")


def text(value: Any) -> str:
    """Return a value as people write it; nothing for what is not there."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return f"{value:g}"
    return json.dumps(value, ensure_ascii=False)


def texts(value: Any) -> tuple[str, ...]:
    """Return the elements of a list as people write them; what is no list is one element."""
    if isinstance(value, list):
        return tuple(map(text, value))
    return (text(value),) if text(value) else ()


def objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects in a list."""
    if isinstance(value, list):
        yield from (each for each in value if isinstance(each, Mapping))


def threshold_words(alert: Alert) -> str:
    """Return when an alert is raised, such as `at or above 100`."""
    low, high = text(raw_of(alert, "threshold")), text(raw_of(alert, "threshold_max"))
    given = text(raw_of(alert, "threshold_type"))
    try:
        words = ThresholdType(given).meaning
    except ValueError:
        return f"{given} {low}".strip()
    return _PERIOD.sub(lambda _: low, words).replace("`thresholdMax`", high or "?")


SHORT = {
    ThresholdType.ABOVE: "≥ {low}",
    ThresholdType.ABOVE_EXCLUSIVE: "> {low}",
    ThresholdType.BELOW: "< {low}",
    ThresholdType.BELOW_OR_EQUAL: "≤ {low}",
    ThresholdType.EQUAL: "= {low}",
    ThresholdType.NOT_EQUAL: "≠ {low}",
    ThresholdType.BETWEEN: "{low} to {high}",
    ThresholdType.NOT_BETWEEN: "< {low}, > {high}",
}
"""Thresholds where there is no room for words."""


def short_threshold(kind: ThresholdType | None, alert: Alert) -> str:
    """Return when an alert is raised in signs, such as `≥ 100`; nothing where no type is known."""
    low, high = text(raw_of(alert, "threshold")), text(raw_of(alert, "threshold_max"))
    return SHORT[kind].format(low=low, high=high or "?") if kind else ""


def number_words(form: Any) -> str:
    """Return a number in its format, with signs in place of digits."""
    if not isinstance(form, Mapping):
        return PLACEHOLDER
    view = view_of(NumberFormat, form)
    output, unit = text(raw_of(view, "output")), text(raw_of(view, "unit") or raw_of(view, "numeric_unit"))
    symbol = text(raw_of(view, "currency_symbol"))
    shape = next((shape for kind, shape in _UNITS.items() if kind == output), PLACEHOLDER)
    if output == NumberFormatOutput.CURRENCY and symbol:
        shape = f"{symbol} {PLACEHOLDER}"
    return f"{PLACEHOLDER} {unit.replace('_', ' ')}" if unit else shape


# -- queries -----------------------------------------------------------------------------------------------------------


def aggregated(function: str, expression: str, level: Any) -> str:
    """Return an aggregation, such as `p95(Duration)`."""
    if function == AggFn.QUANTILE and isinstance(level, (int, float)):
        return f"p{level * 100:g}({expression})"
    if function in ("", AggFn.NONE):
        return expression
    return f"{function}({expression})"


def _where(condition: Any, language: Any) -> str:
    words = text(condition)
    return f"{words}  ({text(language)})" if words and text(language) else words


def _value(function: Any, expression: Any, level: Any, metric: Any, condition: str, alias: Any) -> str:
    inner = " of ".join(part for part in (text(expression), text(metric)) if part)
    words = aggregated(text(function), inner, level)
    return " ".join(
        [words, *([f"where {condition}"] if condition else []), *([f"as {text(alias)}"] if text(alias) else [])]
    ).strip()


def _selected(item: SelectItem) -> str:
    return _value(
        raw_of(item, "agg_fn"),
        raw_of(item, "value_expression"),
        raw_of(item, "level"),
        raw_of(item, "metric_name"),
        _where(raw_of(item, "where"), raw_of(item, "where_language")),
        raw_of(item, "alias"),
    )


def config_facts(config: TileConfig) -> Iterator[Fact]:
    """Yield what a tile with a config asks for."""
    select = raw_of(config, "select")
    if isinstance(select, str):
        yield "columns" if raw_of(config, "display_type") in TEXT_SELECTED else "value", select
    for item in objects(select):
        yield "value", _selected(view_of(SelectItem, item))
        if isinstance(counted := view_of(SelectItem, item).count_expression, str):
            yield "count", counted
    for formula in objects(raw_of(config, "formulas")):
        view = view_of(Formula, formula)
        alias = text(raw_of(view, "alias"))
        yield "formula", text(raw_of(view, "expression")) + (f" as {alias}" if alias else "")
    if raw_of(config, "as_ratio") is True:
        yield "ratio", "the first value divided by the second"
    yield "group by", text(raw_of(config, "group_by"))
    yield "where", _where(raw_of(config, "where"), raw_of(config, "where_language"))
    yield "having", text(raw_of(config, "having"))
    yield "order by", text(raw_of(config, "order_by"))
    yield "SQL", " ".join(text(raw_of(config, "sql_template")).split())
    yield from _shown_as(config)


def _shown_as(config: TileConfig) -> Iterator[Fact]:
    yield "limit", text(raw_of(config, "limit") or raw_of(config, "series_limit") or None)
    if isinstance(raw_of(config, "number_format"), Mapping):
        yield "numbers", number_words(raw_of(config, "number_format"))
    for rule in objects(raw_of(config, "color_rules")):
        view = view_of(ColorRule, rule)
        words = f"{text(raw_of(view, 'operator'))} {text(raw_of(view, 'value'))}: {text(raw_of(view, 'color'))}"
        yield "colour", words
    click = raw_of(config, "on_click")
    if isinstance(click, Mapping):
        yield "click", _click(view_of(OnClick, click))


def _click(click: OnClick) -> str:
    target = raw_of(click, "target")
    named = ""
    if isinstance(target, Mapping):
        view = view_of(OnClickTarget, target)
        named = text(raw_of(view, "id") or raw_of(view, "template"))
    return f"{text(raw_of(click, 'type'))} {named or text(raw_of(click, 'url_template'))}".strip()


def series_facts(series: Series) -> Iterator[Fact]:
    """Yield what one series of a tile asks for."""
    condition = _where(raw_of(series, "where"), raw_of(series, "where_language"))
    if raw_of(series, "agg_fn") is not None or raw_of(series, "field") is not None:
        yield (
            "value",
            _value(
                raw_of(series, "agg_fn"),
                raw_of(series, "field"),
                raw_of(series, "level"),
                raw_of(series, "metric_name"),
                condition,
                raw_of(series, "alias"),
            ),
        )
    else:
        yield "where", condition
    yield "columns", ", ".join(texts(raw_of(series, "fields")))
    yield "group by", ", ".join(texts(raw_of(series, "group_by")))
    order = text(raw_of(series, "sort_order"))
    yield "order", {SortOrder.ASC.value: "ascending", SortOrder.DESC.value: "descending"}.get(order, order)
