"""Contents of a tile on the vendor's servers: one object whose `displayType` determines its fields.

One type and not a union: Pulumi renames the keys of a dict in Python only where the type is one class, and the same
`displayType` is used with a source and with raw SQL, which no discriminator can distinguish.
"""

from __future__ import annotations

from typing import ClassVar

from pulumi_clouddb.schema.check.rules import API, Rule, ServerMessage, rule
from pulumi_clouddb.schema.vendor import alternatives, among

from .chart_rules import OF_TIME, RULES, ChartKinds, each_object, selected
from .tile_config_fields import BUILDER, RAW_SQL, REQUIRED, ConfigType, DisplayType, TileConfigFields

KINDS = ChartKinds("tiles", BUILDER, RAW_SQL, REQUIRED)
"""The kinds of tiles."""


class TileConfig(TileConfigFields):
    """Contents of a tile; `displayType` determines its fields."""

    RULES: ClassVar[tuple[Rule[TileConfig], ...]] = (
        *KINDS.rules_of_display_type(),
        rule(
            lambda config: config.config_type,
            f"must be left out for every displayType but {among(RAW_SQL)}",
            lambda config: (
                config.config_type == ConfigType.SQL
                and config.display_type not in RAW_SQL
                and f", not {config.display_type!r}"
            ),
            given=lambda config: config.config_type,
            refusal=ServerMessage(f"Invalid discriminator value. Expected {alternatives(RAW_SQL)}", "displayType"),
            source=API("TileConfig"),
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
            source=API("HeatmapSelectItem.valueExpression"),
        ),
        *RULES,
        OF_TIME,
    )
