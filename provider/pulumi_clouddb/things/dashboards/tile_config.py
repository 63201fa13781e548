"""Contents of a tile on the vendor's servers: one object whose `displayType` determines its fields.

One type and not a union: Pulumi renames the keys of a dict in Python only where the type is one class, and the same
`displayType` is used with a source and with raw SQL, which no discriminator can distinguish.
"""

from __future__ import annotations

from typing import Any, ClassVar, cast

from pulumi_clouddb.schema.check.rules import Rule, ServerMessage, rule
from pulumi_clouddb.schema.vendor import alternatives, among

from .chart_rules import RULES, ChartKinds, each_object, selected
from .tile_config_fields import BUILDER, RAW_SQL, REQUIRED, DisplayType, TileConfigFields

KINDS = ChartKinds("tiles", BUILDER, RAW_SQL, REQUIRED)
"""The kinds of tiles."""


def _has_sql(config: TileConfigFields) -> str | None:
    return (
        f", not {config.display_type!r}" if config.config_type == "sql" and config.display_type not in RAW_SQL else None
    )


_RULES = (
    *KINDS.rules_of_display_type(),
    rule(
        lambda config: config.config_type,
        f"must be left out for every displayType but {among(RAW_SQL)}",
        _has_sql,
        refusal=ServerMessage(f"Invalid discriminator value. Expected {alternatives(RAW_SQL)}", "displayType"),
    ),
    *KINDS.rules(),
    *KINDS.rules_of_values(),
    rule(
        lambda config: config.select,
        "must have a valueExpression for displayType heatmap",
        lambda config: (
            config.display_type == DisplayType.HEATMAP
            and any(not item.get("valueExpression") for _, item in each_object(selected(config) or ()))
        ),
        refusal=ServerMessage("Required", "select.0.valueExpression"),
    ),
    *RULES,
)


class TileConfig(TileConfigFields):
    """Contents of a tile; `displayType` determines its fields."""

    RULES: ClassVar[tuple[Rule[TileConfig], ...]] = cast("tuple[Rule[Any], ...]", _RULES)
