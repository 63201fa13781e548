"""Rules about dashboards: that people find them, that their tiles show something, and at what price."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_policy import Severity

from pulumi_clouddb.dashboards.dashboard import DASHBOARD, Dashboard
from pulumi_clouddb.dashboards.tile import SeriesType, Tile
from pulumi_clouddb.dashboards.tile_config_fields import ConfigType, DisplayType
from pulumi_clouddb.policy.rule import Context, Finding, Findings, Settings, rule, setting, violation
from pulumi_clouddb.policy.views import if_known
from pulumi_clouddb.schema.observability import SearchLanguage
from pulumi_clouddb.schema.values import UNKNOWN
from pulumi_clouddb.schema.view import is_complete, path_of


class Tags(Settings):
    """What a dashboard is found by."""

    tags: list[str] = setting(
        "Tags that each dashboard carries; without any, one tag of its own is enough.", default=[]
    )


@rule(
    DASHBOARD,
    "dashboard-tagged",
    "A dashboard carries the tags that people look for.",
    severity=Severity.LOW,
    comply="Give tags.",
    tags=("documentation",),
    settings=Tags,
)
def dashboard_tagged(dashboard: Dashboard, context: Context[Tags]) -> Findings:
    """Judge the tags, once all of them are known."""
    tags, wanted = dashboard.tags, context.settings.tags
    if not is_complete(tags):
        return
    if wanted and not set(wanted) <= set(tags or ()):
        yield Finding(path_of(dashboard, "tags"), "lacks a tag", f"give {', '.join(wanted)}")
    elif not tags:
        yield Finding(path_of(dashboard, "tags"), "is empty", "give at least 1 tag, such as the name of the team")


@dashboard_tagged.fix
def _tagged(dashboard: Dashboard, context: Context[Tags]) -> Mapping[str, Any]:
    """Adds the tags that are wanted, after those that are there."""
    there = list(dashboard.tags or ())
    missing = [tag for tag in context.settings.tags if tag not in there]
    return {"tags": there + missing} if missing else {}


@rule(
    DASHBOARD,
    "dashboard-tiles-name-source",
    "Each tile of a dashboard names the data source it shows.",
    severity=Severity.MEDIUM,
    comply="Give sourceId, as listSources answers it.",
    tags=("observability",),
)
def dashboard_tiles_name_source(dashboard: Dashboard, _: Context[Settings]) -> Findings:
    """Judge each series, and each tile in the newer form; those that show text need none."""
    wanted = "give the id of a data source, as listSources answers it"
    for tile in dashboard.tiles or ():
        with if_known:
            for series in tile.series or ():
                with if_known:
                    if series.type != SeriesType.MARKDOWN and not series.source_id:
                        yield violation(series, "source_id", wanted)
        with if_known:
            if tile.config is not None and not _names_source(tile.config):
                yield Finding(f"{path_of(tile, 'config')}.sourceId", "is not given", wanted)


def _names_source(config: Mapping[str, Any]) -> bool:
    """Whether a tile in the newer form shows text, or names its source; raw SQL may name a connection instead."""
    kinds = [config.get(name) for name in ("displayType", "configType", "sourceId")]
    named = config.get("sourceId") or (kinds[1] == ConfigType.SQL and config.get("connectionId"))
    return UNKNOWN in kinds or kinds[0] == DisplayType.MARKDOWN or bool(named)


class TimeBound(Settings):
    """How SQL shows that it keeps to the range of time that the dashboard is set to."""

    bounds: list[str] = setting(
        "Texts of which raw SQL must hold one: parameters and macros that carry the dashboard's range of time.",
        default=["startDateMilliseconds", "$__fromTime", "$__timeFilter", "$__dateFilter", "$__dateTimeFilter"],
    )


@rule(
    DASHBOARD,
    "dashboard-sql-time-bound",
    "Raw SQL on a dashboard reads no more than the range of time shown.",
    severity=Severity.HIGH,
    comply="Bound the time column with the dashboard's own range, such as $__timeFilter(Timestamp).",
    tags=("cost", "observability"),
    settings=TimeBound,
)
def dashboard_sql_time_bound(dashboard: Dashboard, context: Context[TimeBound]) -> Findings:
    """Judge the SQL of tiles in the newer form, and queries within conditions in SQL: the server bounds neither."""
    bounds = context.settings.bounds
    for tile in dashboard.tiles or ():
        for path, sql in _raw_sql(tile):
            if not any(bound in sql for bound in bounds):
                yield Finding(path, "is SQL without a time bound", f"use one of {', '.join(bounds)} in it")


def _raw_sql(tile: Tile) -> Iterator[tuple[str, str]]:
    with if_known:
        config = tile.config or {}
        template = config.get("sqlTemplate")
        if config.get("configType") == ConfigType.SQL and isinstance(template, str):
            yield f"{path_of(tile, 'config')}.sqlTemplate", template
    with if_known:
        for series in tile.series or ():
            with if_known:
                where = series.where or ""
                if series.where_language == SearchLanguage.SQL and re.search(r"\bselect\b", where, re.IGNORECASE):
                    yield path_of(series, "where"), where


@rule(
    DASHBOARD,
    "dashboard-tile-keys",
    "Each tile has a key, so that renaming it keeps its alerts.",
    severity=Severity.LOW,
    comply="Give each tile a key; without one its name is the key.",
    tags=("operations", "observability"),
)
def dashboard_tile_keys(dashboard: Dashboard, _: Context[Settings]) -> Findings:
    """Judge each tile."""
    for tile in dashboard.tiles or ():
        with if_known:
            if tile.key is None:
                yield violation(tile, "key", "give a short one that stays: renaming the tile would lose its alerts")


class Size(Settings):
    """How large a dashboard may be."""

    maximum_tiles: int = setting("Tiles of one dashboard that are allowed.", default=30, ge=1)


@rule(
    DASHBOARD,
    "dashboard-size",
    "A dashboard asks no more at a time than the service can answer.",
    severity=Severity.LOW,
    comply="Split the dashboard by purpose.",
    tags=("cost", "observability"),
    settings=Size,
)
def dashboard_size(dashboard: Dashboard, context: Context[Size]) -> Findings:
    """Judge the number of tiles: each one is a query whenever someone looks."""
    count, most = len(dashboard.tiles or ()), context.settings.maximum_tiles
    if count > most:
        yield Finding(path_of(dashboard, "tiles"), f"has {count} elements", f"keep to {most}")
