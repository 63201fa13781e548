"""Rules about dashboards: their tags, and the sources, queries, keys and number of their tiles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_policy import Severity

from pulumi_clouddb.policy.rule import Context, Finding, Findings, Settings, rule, setting, shown, violation
from pulumi_clouddb.policy.views import if_known
from pulumi_clouddb.schema.observability import SearchLanguage
from pulumi_clouddb.schema.values import UNKNOWN
from pulumi_clouddb.schema.view import is_complete, path_of
from pulumi_clouddb.things.dashboards.dashboard import DASHBOARD, Dashboard
from pulumi_clouddb.things.dashboards.tile import SeriesType, Tile
from pulumi_clouddb.things.dashboards.tile_config_fields import ConfigType, DisplayType


class Tags(Settings):
    """The settings of dashboard-tagged."""

    tags: list[str] = setting("Tags that every dashboard needs; if there are none, any one tag is enough.", default=[])


@rule(
    DASHBOARD,
    "dashboard-tagged",
    "A dashboard has the required tags.",
    severity=Severity.LOW,
    comply="Set tags.",
    tags=("documentation",),
    settings=Tags,
)
def dashboard_tagged(dashboard: Dashboard, context: Context[Tags]) -> Findings:
    """Check the tags, once all of them are known."""
    tags, required = dashboard.tags, context.settings.tags
    if not is_complete(tags):
        return
    if missing := [tag for tag in required if tag not in (tags or ())]:
        yield Finding(path_of(dashboard, "tags"), f"does not contain {', '.join(map(shown, missing))}", "add the tags")
    elif not tags:
        yield Finding(path_of(dashboard, "tags"), "is empty", "set at least 1 tag, such as the name of the team")


@dashboard_tagged.fix
def _add_tags(dashboard: Dashboard, context: Context[Tags]) -> Mapping[str, Any]:
    """Adds the required tags at the end."""
    tags = list(dashboard.tags or ())
    missing = [tag for tag in context.settings.tags if tag not in tags]
    return {"tags": tags + missing} if missing else {}


@rule(
    DASHBOARD,
    "dashboard-tiles-name-source",
    "Each tile of a dashboard has a data source.",
    severity=Severity.MEDIUM,
    comply="Set sourceId to the id of a Source, or to that of getSource with its name.",
    tags=("observability",),
)
def dashboard_tiles_name_source(dashboard: Dashboard, _: Context[Settings]) -> Findings:
    """Check each series, and each tile with `config`; text needs no source."""
    wanted = "set the id of a Source, or of getSource with its name"
    for tile in dashboard.tiles or ():
        with if_known:
            for series in tile.series or ():
                with if_known:
                    if series.type != SeriesType.MARKDOWN and not series.source_id:
                        yield violation(series, "source_id", wanted)
        with if_known:
            if tile.config is not None and _lacks_source(tile.config):
                yield Finding(f"{path_of(tile, 'config')}.sourceId", "is not set", wanted)


def _lacks_source(config: Mapping[str, Any]) -> bool:
    """Return whether a tile has no source, and is neither text nor raw SQL on a connection."""
    display, kind, source = (config.get(name) for name in ("displayType", "configType", "sourceId"))
    if UNKNOWN in (display, kind, source) or display == DisplayType.MARKDOWN:
        return False
    return not source and not (kind == ConfigType.SQL and config.get("connectionId"))


class TimeBound(Settings):
    """The settings of dashboard-sql-time-bound."""

    bounds: list[str] = setting(
        "Parameters and macros for the dashboard's time range; raw SQL must contain one of them.",
        default=["startDateMilliseconds", "$__fromTime", "$__timeFilter", "$__dateFilter", "$__dateTimeFilter"],
    )


@rule(
    DASHBOARD,
    "dashboard-sql-time-bound",
    "Raw SQL on a dashboard reads only the time range of the dashboard.",
    severity=Severity.HIGH,
    comply="Limit the time column to the time range of the dashboard, for example with $__timeFilter(Timestamp).",
    tags=("cost", "observability"),
    settings=TimeBound,
)
def dashboard_sql_time_bound(dashboard: Dashboard, context: Context[TimeBound]) -> Findings:
    """Check the SQL of tiles, and queries within SQL conditions: the server limits neither."""
    bounds = context.settings.bounds
    for tile in dashboard.tiles or ():
        for path, sql in _raw_sql(tile):
            if not any(bound in sql for bound in bounds):
                yield Finding(path, "does not use the time range of the dashboard", f"add one of {', '.join(bounds)}")


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
    "Each tile has a key, so that it keeps its alerts when it is renamed.",
    severity=Severity.LOW,
    comply="Set a key for each tile; otherwise its name is the key.",
    tags=("operations", "observability"),
)
def dashboard_tile_keys(dashboard: Dashboard, _: Context[Settings]) -> Findings:
    """Check the key of each tile."""
    for tile in dashboard.tiles or ():
        with if_known:
            if tile.key is None:
                yield violation(
                    tile, "key", "set a short key that never changes: otherwise a renamed tile loses its alerts"
                )


class Size(Settings):
    """The settings of dashboard-size."""

    maximum_tiles: int = setting("Maximum number of tiles on a dashboard.", default=30, ge=1)


@rule(
    DASHBOARD,
    "dashboard-size",
    "A dashboard has no more tiles than the limit.",
    severity=Severity.LOW,
    comply="Split the dashboard into several.",
    tags=("cost", "observability"),
    settings=Size,
)
def dashboard_size(dashboard: Dashboard, context: Context[Size]) -> Findings:
    """Check the number of tiles: each one sends a query whenever somebody opens the dashboard."""
    count, maximum = len(dashboard.tiles or ()), context.settings.maximum_tiles
    if count > maximum:
        yield Finding(path_of(dashboard, "tiles"), f"has {count} elements", f"use at most {maximum}")
