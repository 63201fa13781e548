"""Contents of a tile on the vendor's servers: one object whose `displayType` determines its fields.

One type and not a union: Pulumi renames the keys of a dict in Python only where the type is one class, and the same
`displayType` is used with a source and with raw SQL, which no discriminator can distinguish.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Any, ClassVar, cast

from pydantic.alias_generators import to_snake

from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.rules import Rule, RuleContext, ServerMessage
from pulumi_clouddb.schema.values import UNKNOWN, UnknownValueError, WireValues
from pulumi_clouddb.schema.vendor import alternatives, among, rule
from pulumi_clouddb.schema.view import raw_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .tile_config_fields import (
    BUILDER,
    HEATMAP_VALUE,
    MOST_SELECTED,
    ONE_SELECTED,
    RAW_SQL,
    REQUIRED,
    SQL_REQUIRED,
    TEXT_SELECTED,
    ConfigType,
    DisplayType,
    TileConfigFields,
    fields_of_config,
)
from .tile_parts import SelectItem

_SIGNS = re.compile(r"[A-Z0-9.+\-*/()\s]*")
_NO_LETTER = re.compile(r"[A-Z][A-Z0-9.]|[0-9.][A-Z]|\*\s*\*|/\s*/")
_PARTS = (ast.Expression, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.UnaryOp, ast.USub, ast.Constant)


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


def _kind(config: TileConfigFields) -> str:
    """Return the display type in words, for failures."""
    display = f"which is {config.display_type!r}"
    return f"{display} with raw SQL" if config.config_type == ConfigType.SQL else display


SELECT = "select"
_OF_SERIES = frozenset({"where", "whereLanguage"})
"""Fields that tiles of other types have in each entry of `select`."""


def _belongs(wire: str) -> Rule[TileConfigFields]:
    """Return the rule that a field is only for display types that have it; servers drop it for others."""
    of_source = [kind for kind, names in BUILDER.items() if wire in names]
    of_sql = [kind for kind, names in RAW_SQL.items() if wire in names]
    kinds = [f"displayType {among(of_source)}"] if of_source else []
    if of_sql and of_sql != of_source:
        kinds.append(f"raw SQL of displayType {among(of_sql)}")
    elif not of_sql:
        kinds[0] += " without raw SQL" if set(of_source) & set(RAW_SQL) else ""
    attribute = to_snake(wire)

    def test(config: TileConfigFields, _: RuleContext) -> str | None:
        if raw_of(config, attribute) is None:  # so it is with most of them
            return None
        names = fields_of_config(config.display_type, config.config_type)
        if names is None or wire in names:
            return None
        instead = ", or set it in each entry of select" if wire in _OF_SERIES and SELECT in names else ""
        return f", {_kind(config)}: remove it{instead}"

    return Rule(attrgetter(attribute), test, f"is for {' and '.join(kinds)}", CLICKHOUSE)


def _needed(wire: str) -> Rule[TileConfigFields]:
    """Return the rule that a display type requires a field."""
    kinds = [kind for kind, names in REQUIRED.items() if wire in names]
    text = "with raw SQL" if wire in SQL_REQUIRED else f"without raw SQL for displayType {among(kinds)}"
    attribute = to_snake(wire)

    def test(config: TileConfigFields, _: RuleContext) -> bool:
        if raw_of(config, attribute) is not None or config.display_type not in REQUIRED:
            return False
        return wire in (SQL_REQUIRED if config.config_type == ConfigType.SQL else REQUIRED[str(config.display_type)])

    return Rule(attrgetter(attribute), test, f"is required {text}", CLICKHOUSE, ServerMessage("Required", wire))


def _has_sql(config: TileConfigFields) -> str | None:
    return (
        f", not {config.display_type!r}" if config.config_type == "sql" and config.display_type not in RAW_SQL else None
    )


def _builds(config: TileConfigFields) -> bool:
    """Return whether the values of `select` are built from a source."""
    return config.config_type != ConfigType.SQL and config.display_type in BUILDER


def _selected(config: TileConfigFields) -> list[object] | None:
    """Return the values of `select`, if it should be a list and is one."""
    select = raw_of(config, "select")
    listed = _builds(config) and config.display_type not in (*TEXT_SELECTED, DisplayType.MARKDOWN)
    return select if listed and isinstance(select, list) else None


def _form_of_select(config: TileConfigFields) -> str | None:
    select = raw_of(config, "select")
    if select is None or not _builds(config) or config.display_type == DisplayType.MARKDOWN:
        return None
    of_text = config.display_type in TEXT_SELECTED
    if isinstance(select, str) is of_text:
        return None
    form = "a text of columns" if of_text else "a list of objects that each have an aggFn"
    return f", {_kind(config)}: give it {form}"


def _some_selected(config: TileConfigFields) -> str | None:
    select = _selected(config)
    return None if select is None or 1 <= len(select) <= MOST_SELECTED else f", not {len(select)}"


def _one_selected(config: TileConfigFields) -> str | None:
    select = _selected(config)
    if select is None or len(select) <= 1:
        return None
    alone = config.display_type in ONE_SELECTED
    number = config.display_type == DisplayType.NUMBER and not raw_of(config, "formulas")
    return f", {_kind(config)} and has {len(select)}" if alone or number else None


def _ratio_of_two(config: TileConfigFields) -> str | None:
    select = _selected(config)
    return f", not {len(select)}" if config.as_ratio and select is not None and len(select) != 2 else None


def _objects(values: Iterable[object]) -> Iterator[tuple[int, WireValues]]:
    for index, value in enumerate(values):
        if isinstance(value, dict):
            yield index, value


def _aggregated(config: TileConfigFields) -> str | None:
    if config.display_type == DisplayType.HEATMAP:
        return None
    lacking = [f"[{index}]" for index, item in _objects(_selected(config) or ()) if item.get("aggFn") is None]
    return f"; missing in {', '.join(lacking)}" if lacking else None


def _heatmap_value(config: TileConfigFields) -> str | None:
    of_heatmap = config.display_type == DisplayType.HEATMAP
    for index, item in _objects(_selected(config) or ()):
        given = {name for name, value in item.items() if value is not None}
        known = given & SELECTED_NAMES
        wrong = known - HEATMAP_VALUE if of_heatmap else known & (HEATMAP_VALUE - {"valueExpression"})
        if wrong:
            return f"; select[{index}] has {among(sorted(wrong))}, {_kind(config)}"
    return None


def _readable_formulas(config: TileConfigFields) -> str | None:
    select = _selected(config)
    for index, formula in _objects(raw_of(config, "formulas") or ()):
        expression = formula.get("expression")
        if expression is UNKNOWN:
            raise UnknownValueError(("formulas", index, "expression"))
        fault = _fault_of(expression, len(select)) if isinstance(expression, str) and select is not None else None
        if fault:
            return f"; formulas[{index}] {fault}"
    return None


def _one_formula(config: TileConfigFields) -> str | None:
    formulas = raw_of(config, "formulas")
    several = config.display_type == DisplayType.NUMBER and isinstance(formulas, list) and len(formulas) > 1
    return f", not {len(formulas)}" if several else None


SELECTED_NAMES = frozenset(wire_names(SelectItem))

_NAMES = sorted({name for table in (BUILDER, RAW_SQL) for names in table.values() for name in names})

_RULES = (
    rule(
        lambda config: config.display_type,
        lambda config: config.display_type is None,
        "is required",
        f"Invalid discriminator value. Expected {alternatives(BUILDER)}",
        "displayType",
    ),
    rule(
        lambda config: config.config_type,
        _has_sql,
        f"must be left out for every displayType but {among(RAW_SQL)}",
        f"Invalid discriminator value. Expected {alternatives(RAW_SQL)}",
        "displayType",
    ),
    *map(_needed, ("sourceId", "select", "connectionId", "sqlTemplate")),
    *map(_belongs, _NAMES),
    rule(
        lambda config: config.select,
        _form_of_select,
        f"must be text for displayType {among(TEXT_SELECTED)}, and a list for every other",
        "Invalid input",
        "select",
    ),
    rule(
        lambda config: config.select,
        _some_selected,
        f"must have 1 to {MOST_SELECTED} elements",
        "Array must contain at least 1 element(s)",
        "select",
    ),
    rule(
        lambda config: config.select,
        _one_selected,
        f"must have exactly 1 element for displayType {among(ONE_SELECTED)}, and for number without formulas",
        "Number tiles support a single select item unless formulas are used (extra items are formula operands)",
        "select",
    ),
    rule(lambda config: config.select, _aggregated, "must each have an aggFn", "Required", "select.0.aggFn"),
    rule(
        lambda config: config.select,
        lambda config: (
            config.display_type == DisplayType.HEATMAP
            and any(not item.get("valueExpression") for _, item in _objects(_selected(config) or ()))
        ),
        "must have a valueExpression for displayType heatmap",
        "Required",
        "select.0.valueExpression",
    ),
    rule(
        lambda config: config.select,
        _heatmap_value,
        f"has {among(sorted(HEATMAP_VALUE))} for displayType heatmap, and the others for every other",
    ),
    rule(
        lambda config: config.as_ratio,
        _ratio_of_two,
        "needs exactly 2 elements of select",
        "asRatio can only be used with exactly two select items",
    ),
    rule(
        lambda config: config.formulas,
        _readable_formulas,
        "must be arithmetic over the values of select, whose letters are A, B, C, in order",
        "Invalid formula",
        "formulas.0.expression",
    ),
    rule(
        lambda config: config.formulas,
        lambda config: bool(config.as_ratio and raw_of(config, "formulas")),
        "must be left out if asRatio is true",
        'formulas cannot be combined with asRatio; express the ratio as a formula instead (e.g. "A / B")',
        "formulas",
    ),
    rule(
        lambda config: config.formulas,
        _one_formula,
        "must have at most 1 element for displayType number",
        "Number charts support a single formula",
        "formulas",
    ),
    rule(
        lambda config: config.show_operand_series,
        lambda config: config.show_operand_series is not None and not raw_of(config, "formulas"),
        "is for configs with formulas",
    ),
)


class TileConfig(TileConfigFields):
    """Contents of a tile; `displayType` determines its fields."""

    RULES: ClassVar[tuple[Rule[Any], ...]] = cast("tuple[Rule[Any], ...]", _RULES)
