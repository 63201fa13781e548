"""Contents of a tile on the vendor's servers: one object whose `displayType` determines its fields.

One type and not a union: Pulumi renames the keys of a dict in Python only where the type is one class, and the same
`displayType` is used with a source and with raw SQL, which no discriminator can distinguish.
"""

from __future__ import annotations

from typing import Any, ClassVar, cast

from pulumi_clouddb.schema.rules import Rule
from pulumi_clouddb.schema.vendor import alternatives, among, rule
from pulumi_clouddb.schema.view import raw_of

from .chart_rules import RULES, ChartKinds, each_object, is_built, kind_of, selected
from .tile_config_fields import BUILDER, RAW_SQL, REQUIRED, TEXT_SELECTED, DisplayType, TileConfigFields

KINDS = ChartKinds("tiles", BUILDER, RAW_SQL, REQUIRED)
"""The kinds of tiles."""


def _has_sql(config: TileConfigFields) -> str | None:
    return (
        f", not {config.display_type!r}" if config.config_type == "sql" and config.display_type not in RAW_SQL else None
    )


def _form_of_select(config: TileConfigFields) -> str | None:
    select = raw_of(config, "select")
    if select is None or not is_built(config) or config.display_type == DisplayType.MARKDOWN:
        return None
    of_text = config.display_type in TEXT_SELECTED
    if isinstance(select, str) is of_text:
        return None
    form = "a text of columns" if of_text else "a list of objects that each have an aggFn"
    return f", {kind_of(config)}: give it {form}"


_RULES = (
    *KINDS.rules_of_display_type(),
    rule(
        lambda config: config.config_type,
        _has_sql,
        f"must be left out for every displayType but {among(RAW_SQL)}",
        f"Invalid discriminator value. Expected {alternatives(RAW_SQL)}",
        "displayType",
    ),
    *KINDS.rules(),
    rule(
        lambda config: config.select,
        _form_of_select,
        f"must be text for displayType {among(TEXT_SELECTED)}, and a list for every other",
        "Invalid input",
        "select",
    ),
    *KINDS.rules_of_values(),
    rule(
        lambda config: config.select,
        lambda config: (
            config.display_type == DisplayType.HEATMAP
            and any(not item.get("valueExpression") for _, item in each_object(selected(config) or ()))
        ),
        "must have a valueExpression for displayType heatmap",
        "Required",
        "select.0.valueExpression",
    ),
    *RULES,
)


class TileConfig(TileConfigFields):
    """Contents of a tile; `displayType` determines its fields."""

    RULES: ClassVar[tuple[Rule[Any], ...]] = cast("tuple[Rule[Any], ...]", _RULES)
