"""Rules over several fields of a chart: of the config of a tile, and of an alert that has its own chart."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter

from pydantic.alias_generators import to_snake

from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.check.rules import API, SERVER, Rule, ServerMessage, rule
from pulumi_clouddb.schema.check.wording import LATER
from pulumi_clouddb.schema.values import UNKNOWN, UnknownValueError, WireValues
from pulumi_clouddb.schema.vendor import NO_CODE, alternatives, among, one_statement, typed_parameters
from pulumi_clouddb.schema.view import raw_of

from .columns import COLUMNS, SELECT
from .parts import required
from .tile_config_fields import (
    HEATMAP_VALUE,
    MOST_SELECTED,
    OF_COLUMNS,
    ONE_SELECTED,
    SQL_REQUIRED,
    ChartFields,
    ConfigType,
    DisplayType,
)
from .tile_parts import SelectItem

_BODY = SERVER("api/src/utils/zod.ts")
_NEEDED = ("sourceId", SELECT, COLUMNS, "connectionId", "sqlTemplate")
SELECTED_NAMES = frozenset(wire_names(SelectItem))

_SIGNS = re.compile(r"[A-Z0-9.+\-*/()\s]*")
_NO_LETTER = re.compile(r"[A-Z][A-Z0-9.]|[0-9.][A-Z]|\*\s*\*|/\s*/")
_PARTS = (ast.Expression, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.UnaryOp, ast.USub, ast.Constant)
_IN_EACH_VALUE = (SELECT, "remove it, or set it in each entry of select")
_INSTEAD: Mapping[str, tuple[str, str]] = {
    "where": _IN_EACH_VALUE,
    "whereLanguage": _IN_EACH_VALUE,
    SELECT: (COLUMNS, "write columns, a text, in place of it"),
    COLUMNS: (SELECT, "write select, a list of values, in place of it"),
}
"""For a field that a chart does not have, the field that it may have in place of it, and the advice then."""


@dataclass(frozen=True)
class ChartKinds:
    """The display types of one kind of chart, and the fields of each by wire name.

    Attributes:
        noun: What servers call such a chart, in the plural.
        builder: The fields of a chart that is built from a source, besides `displayType`.
        raw_sql: The fields of a chart of raw SQL, besides `displayType` and `configType`.
        required: The fields that a chart from a source requires.
    """

    noun: str
    builder: Mapping[str, frozenset[str]]
    raw_sql: Mapping[str, frozenset[str]]
    required: Mapping[str, frozenset[str]]

    def fields(self, display_type: str | None, config_type: str | None) -> frozenset[str] | None:
        """Return the fields of a chart; None if there is no such kind."""
        table = self.raw_sql if config_type == ConfigType.SQL else self.builder
        return table.get(display_type) if display_type is not None else None

    def rules(self) -> Iterator[Rule[ChartFields]]:
        """Yield the rules on which fields a display type requires, and which it has."""
        needed = [name for name in _NEEDED if any(name in each for each in (*self.required.values(), SQL_REQUIRED))]
        yield from map(self._needed, needed)
        kinds = [*self.builder.values(), *self.raw_sql.values()]
        yield from map(self._belongs, sorted(frozenset.union(*kinds) - frozenset.intersection(*kinds)))

    def _belongs(self, wire: str) -> Rule[ChartFields]:
        """Return the rule that a field is only for display types that have it; servers drop it for others."""
        of_source = [kind for kind, names in self.builder.items() if wire in names]
        of_sql = [kind for kind, names in self.raw_sql.items() if wire in names]
        kinds = [f"displayType {among(of_source)}"] if of_source else []
        if of_sql and of_sql != of_source:
            kinds.append(f"raw SQL of displayType {among(of_sql)}")
        elif not of_sql:
            kinds[0] += " without raw SQL" if set(of_source) & set(self.raw_sql) else ""

        def test(chart: ChartFields) -> str | None:
            names = self.fields(chart.display_type, chart.config_type)
            if names is None or wire in names:
                return None
            other, advice = _INSTEAD.get(wire, ("", ""))
            return f"; {kind_of(chart)}: {advice if other in names else 'remove it'}"

        read = attrgetter(to_snake(wire))
        return rule(read, f"is for {' and '.join(kinds)}", test, given=read, source=_BODY)

    def _needed(self, wire: str) -> Rule[ChartFields]:
        """Return the rule that a display type requires a field."""
        kinds = [kind for kind, names in self.required.items() if wire in names]
        text = "with raw SQL" if wire in SQL_REQUIRED else f"without raw SQL for displayType {among(kinds)}"
        read = attrgetter(to_snake(wire))

        def when(chart: ChartFields) -> bool:
            by_source = self.required.get(str(chart.display_type))
            return by_source is not None and wire in (
                SQL_REQUIRED if chart.config_type == ConfigType.SQL else by_source
            )

        return required(read, f"is required {text}", _BODY, when)

    def rules_of_display_type(self) -> Iterator[Rule[ChartFields]]:
        """Yield the rules on the display type itself."""
        yield rule(
            lambda chart: chart.display_type,
            "is required",
            lambda chart: chart.display_type is None,
            refusal=ServerMessage(f"Invalid discriminator value. Expected {alternatives(self.builder)}", "displayType"),
            source=_BODY,
        )

    def rules_of_values(self) -> Iterator[Rule[ChartFields]]:
        """Yield the rules on the values of `select`."""
        alone = [kind for kind in ONE_SELECTED if kind in self.builder]
        others = f"displayType {among(alone)}, and for " if alone else ""
        yield rule(
            lambda chart: chart.select,
            f"must have 1 to {MOST_SELECTED} elements",
            _some_selected,
            refusal=ServerMessage("Array must contain at least 1 element(s)", "select"),
            source=_BODY,
        )
        yield rule(
            lambda chart: chart.select,
            f"must have exactly 1 element for {others}number without formulas",
            _one_selected,
            refusal=ServerMessage(
                f"Number {self.noun} support a single select item unless formulas are used "
                "(extra items are formula operands)",
                "select",
            ),
            source=_BODY,
        )
        yield typed_parameters(lambda chart: chart.sql_template, "{startDateMilliseconds:Int64}")
        yield one_statement(lambda chart: chart.sql_template)
        yield rule(
            lambda chart: chart.select,
            "must each have an aggFn",
            _aggregated,
            refusal=ServerMessage("Required", "select.0.aggFn"),
            source=API("SelectItem"),
        )


def kind_of(chart: ChartFields) -> str:
    """Return the display type in words, for failures."""
    display = f"displayType is {chart.display_type!r}"
    return f"{display} with raw SQL" if chart.config_type == ConfigType.SQL else display


def is_built(chart: ChartFields) -> bool:
    """Return whether the values of `select` are built from a source."""
    return chart.config_type != ConfigType.SQL and chart.display_type is not None


def selected(chart: ChartFields) -> list[object] | None:
    """Return the values of `select`, if it should be a list and is one."""
    select = raw_of(chart, SELECT)
    listed = is_built(chart) and chart.display_type not in (*OF_COLUMNS, DisplayType.MARKDOWN)
    return select if listed and isinstance(select, list) else None


def each_object(values: Iterable[object]) -> Iterator[tuple[int, WireValues]]:
    """Yield the objects in a list, with their indexes."""
    for index, value in enumerate(values):
        if isinstance(value, dict):
            yield index, value


def _some_selected(chart: ChartFields) -> str | None:
    select = selected(chart)
    return None if select is None or 1 <= len(select) <= MOST_SELECTED else f", not {len(select)}"


def _one_selected(chart: ChartFields) -> str | None:
    select = selected(chart)
    if select is None or len(select) <= 1:
        return None
    alone = chart.display_type in ONE_SELECTED
    number = chart.display_type == DisplayType.NUMBER and not raw_of(chart, "formulas")
    return f"; {kind_of(chart)}, and select has {len(select)}" if alone or number else None


def _aggregated(chart: ChartFields) -> str | None:
    if chart.display_type == DisplayType.HEATMAP:
        return None
    lacking = [f"[{index}]" for index, item in each_object(selected(chart) or ()) if item.get("aggFn") is None]
    return f"; missing in {', '.join(lacking)}" if lacking else None


def _of_heatmaps(chart: ChartFields) -> str | None:
    of_heatmap = chart.display_type == DisplayType.HEATMAP
    for index, item in each_object(selected(chart) or ()):
        given = {name for name, value in item.items() if value is not None}
        known = given & SELECTED_NAMES
        wrong = known - HEATMAP_VALUE if of_heatmap else known & (HEATMAP_VALUE - {"valueExpression"})
        if wrong:
            return f"; select[{index}] has {among(sorted(wrong))}, and {kind_of(chart)}"
    return None


def _ratio_of_two(chart: ChartFields) -> str | None:
    select = selected(chart) if chart.as_ratio else None
    return f", not {len(select)}" if select is not None and len(select) != 2 else None


def _fault_of(expression: str, values: int) -> str | None:
    """Return why an expression is not a formula over this number of values, such as `A / (A + B) * 100`."""
    if not _SIGNS.fullmatch(expression) or _NO_LETTER.search(expression):
        return "has more than numbers, letters, + - * / and parentheses"
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "cannot be read"
    letters = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            letters.add(node.id)
        elif not isinstance(node, (*_PARTS, ast.Load)):
            return "cannot be read"
    unknown = sorted(each for each in letters if ord(each) - ord("A") >= values)
    if unknown:
        return f"names {', '.join(unknown)}, but there are {values} value(s) in select"
    return None if letters else "contains no value of select"


def _readable_formulas(chart: ChartFields) -> str | None:
    select = selected(chart)
    for index, formula in each_object(raw_of(chart, "formulas") or ()):
        expression = formula.get("expression")
        if expression is UNKNOWN:
            raise UnknownValueError(("formulas", index, "expression"))
        fault = _fault_of(expression, len(select)) if isinstance(expression, str) and select is not None else None
        if fault:
            return f"; formulas[{index}] {fault}"
    return None


def _one_formula(chart: ChartFields) -> str | None:
    count = len(chart.formulas or ())
    return f", not {count}" if chart.display_type == DisplayType.NUMBER and count > 1 else None


def _of_sql(pattern: str) -> Callable[[ChartFields], bool]:
    return lambda chart: bool(re.search(pattern, NO_CODE.sub("''", chart.sql_template or "")))


_HAS_INTERVAL = _of_sql(r"\$__(timeInterval|interval_s)|\{\s*interval(S|Millis)econds\b")
_HAS_TIME = _of_sql(r"\$__(timeFilter|dateFilter|dateTimeFilter|dt|fromTime|toTime)(_ms)?\b|\{\s*(start|end)DateMillis")
_READS = _of_sql(r"(?i)\bFROM\b")
_NEEDS_SOURCE = _of_sql(r"\$__(filters|sourceTable)\b")
_OVER_TIME = (DisplayType.LINE, DisplayType.STACKED_BAR)


OF_TIME: Rule[ChartFields] = rule(
    lambda chart: chart.sql_template,
    "should have a time filter, such as `$__timeFilter`, if displayType is line or stacked_bar",
    lambda chart: chart.display_type in _OVER_TIME and _READS(chart) and not _HAS_TIME(chart),
    given=lambda chart: (chart.sql_template, chart.display_type),
    warns=True,
    then="The server accepts it; no time range applies to the chart.",
    source=SERVER("common-utils/src/core/utils.ts"),
)
"""The rule of tiles, which follow the range of the page; an alert has none."""

RULES: tuple[Rule[ChartFields], ...] = (
    rule(
        lambda chart: chart.sql_template,
        "should group by a fixed interval, and not by `$__timeInterval`, unless displayType is line or stacked_bar",
        lambda chart: chart.display_type not in _OVER_TIME and _HAS_INTERVAL(chart),
        given=lambda chart: (chart.sql_template, chart.display_type),
        warns=True,
        source=SERVER("common-utils/src/rawSqlParams.ts"),
    ),
    rule(
        lambda chart: chart.source_id,
        "is needed for `$__filters` and `$__sourceTable` in sqlTemplate",
        lambda chart: chart.source_id is None and _NEEDS_SOURCE(chart),
        given=lambda chart: chart.sql_template,
        warns=True,
        then=LATER,
        source=SERVER("common-utils/src/macros.ts"),
    ),
    rule(
        lambda chart: chart.select,
        f"has {among(sorted(HEATMAP_VALUE))} for displayType heatmap, and the others for every other",
        _of_heatmaps,
        source=API("HeatmapSelectItem"),
    ),
    rule(
        lambda chart: chart.as_ratio,
        "needs exactly 2 elements of select",
        _ratio_of_two,
        given=lambda chart: chart.as_ratio,
        source=API("LineBuilderChartConfig.asRatio"),
        refusal=ServerMessage("asRatio can only be used with exactly two select items"),
    ),
    rule(
        lambda chart: chart.formulas,
        "must be arithmetic over the values of select, whose letters are A, B, C, in order",
        _readable_formulas,
        given=lambda chart: chart.formulas,
        source=SERVER("common-utils/src/core/formula.ts"),
        refusal=ServerMessage("Invalid formula", "formulas.0.expression"),
    ),
    rule(
        lambda chart: chart.formulas,
        "must be left out if asRatio is true",
        lambda chart: chart.as_ratio and len(chart.formulas or ()),
        given=lambda chart: chart.formulas,
        source=API("LineBuilderChartConfig.formulas"),
        refusal=ServerMessage(
            'formulas cannot be combined with asRatio; express the ratio as a formula instead (e.g. "A / B")',
            "formulas",
        ),
    ),
    rule(
        lambda chart: chart.formulas,
        "must have at most 1 element for displayType number",
        _one_formula,
        given=lambda chart: chart.formulas,
        source=SERVER("common-utils/src/dashboardValidation.ts"),
        refusal=ServerMessage("Number charts support a single formula", "formulas"),
    ),
    rule(
        lambda chart: chart.show_operand_series,
        "is for configs with formulas",
        lambda chart: not chart.formulas,
        given=lambda chart: chart.show_operand_series,
        source=API("LineBuilderChartConfig.showOperandSeries"),
    ),
)
"""The rules on what is computed from the values of `select`."""
