"""Dashboards: tiles with a grid position, each showing series (or the newer `config`, passed through as it is)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from .base import FilledText, Flag, JsonObject, Model, Number, Record, Text, Uuid, identity, prop, wire_names
from .observability import MANAGED_FORM, ObservabilityArgs
from .resource_type import FunctionType, ResourceType
from .rules import Rule, RuleContext
from .values import UNKNOWN, WireDict, WireValues
from .view import if_known, known_or

SERVER_FORM = "__server"
"""Where state keeps the dashboard as the server answered it last: the measure of drift."""


class Series(Model):
    """One series of a tile: what is aggregated, from which source, under which condition."""

    type: Text | None = prop("Kind of series, such as `time`, `table`, `number`, `search` or `markdown`.")
    source_id: Text | None = prop("Id of the data source.")
    data_source: Text | None = prop("Kind of data source. Newer servers know the source by sourceId alone.")
    agg_fn: Text | None = prop("Aggregation, such as `count`, `avg`, `max` or `quantile`.")
    field: Text | None = prop("Field or expression that is aggregated.")
    where: Text | None = prop("Condition; empty for all. Newer servers want it given, if empty.")
    where_language: Text | None = prop("Language of the condition, such as `sql` or `lucene`.")
    group_by: list[Text] | None = prop("Fields to group by, in order. Newer servers want it given, if empty.")
    metric_data_type: Text | None = prop("Kind of metric, such as `gauge`, `sum` or `histogram`.")
    metric_name: Text | None = prop("Name of the metric.")


class Tile(Model):
    """One tile of a dashboard."""

    key: FilledText | None = prop(
        "Name of this tile within its dashboard, by which it is known for life: renaming or moving a tile keeps its "
        "alerts as long as its key stays.",
        unset="the tile's name",
        provider_only=True,
    )
    name: Text | None = prop("Title of the tile.")
    x: Number | None = prop("Column of the left edge on the grid.")
    y: Number | None = prop("Row of the upper edge on the grid.")
    w: Number | None = prop("Width on the grid.")
    h: Number | None = prop("Height on the grid.")
    as_ratio: Flag | None = prop("Whether the first series is shown divided by the second.")
    series: list[Series] | None = prop("What the tile shows.")
    config: JsonObject | None = prop(
        "What the tile shows, in the form newer servers speak; passed through as it is. Instead of series."
    )


def key_of(tile: Tile) -> Any:
    """Return the key of a tile: the one given, else its name (None or UNKNOWN if there is neither yet)."""
    return tile.key if tile.key is not None else tile.name


def tile_key(tile: WireValues) -> Any:
    """Return the key of a tile by wire name; see `key_of`."""
    return tile["key"] if tile.get("key") is not None else tile.get("name")


def _by_key(tiles: Any) -> Any:
    """Tiles mean the same with their key written out or left to their name."""
    if not isinstance(tiles, list):
        return tiles
    return [identity({**tile, "key": tile_key(tile)}) if isinstance(tile, Mapping) else tile for tile in tiles]


def _names_and_places(tiles: Any) -> Any:
    """Of tiles, return their names and places: what they show comes back in other words, with defaults."""
    return [{key: tile.get(key) for key in ("name", "x", "y", "w", "h")} for tile in tiles or ()]


class DashboardBody(Model):
    """The body of a create or update of a dashboard."""

    name: Text | None = prop("Name of the dashboard; it need not be unique.", required=True)
    tags: list[Text] | None = prop("Labels to find it by. Taken out again, they are cleared.", clears=[])
    tiles: list[Tile] | None = prop("Tiles, in order.", required=True, compare=_by_key, evidence=_names_and_places)


def _keys(args: DashboardArgs) -> Iterator[object]:
    """Yield the key of each tile: None where there is none, `UNKNOWN` where that is not known yet."""
    tiles = args.tiles or []
    for index in range(len(tiles)):
        key: object = UNKNOWN
        with if_known:
            key = key_of(tiles[index])
        yield key


def _keys_unique(args: DashboardArgs, _: RuleContext) -> str | None:
    counted = Counter(key for key in _keys(args) if isinstance(key, str))
    duplicates = sorted(key for key, count in counted.items() if count > 1)
    if duplicates:
        return f", but {', '.join(map(repr, duplicates))} occurs more than once; give these tiles a key"
    return None


def _keys_present(args: DashboardArgs, _: RuleContext) -> str | None:
    nameless = [str(index) for index, key in enumerate(_keys(args)) if not key]
    return f"; without one: number {', '.join(nameless)}" if nameless else None


def _one_content(args: DashboardArgs, _: RuleContext) -> str | None:
    both = []
    for tile in args.tiles or ():
        with if_known:
            if isinstance(key_of(tile), str) and _has_series(tile) and _has_config(tile):
                both.append(repr(key_of(tile)))
    return f": {', '.join(both)}" if both else None


def _has_series(tile: Tile) -> bool:
    return known_or(True, lambda: tile.series is not None)


def _has_config(tile: Tile) -> bool:
    return known_or(True, lambda: tile.config is not None)


class DashboardArgs(ObservabilityArgs, DashboardBody):
    """What a program may say about a dashboard."""

    RULES: ClassVar[tuple[Rule[DashboardArgs], ...]] = (
        Rule(lambda args: args.tiles, _keys_present, "must each have a key or a name"),
        Rule(lambda args: args.tiles, _keys_unique, "must have unique keys"),
        Rule(lambda args: args.tiles, _one_content, "must have series or config, not both"),
    )


class TileResponse(Record):
    """One tile as the server answers it, in its own form."""

    id: Text | None = prop("Id of the tile; alerts refer to it.")
    name: Text | None = prop("Title of the tile.")
    x: Number | None = prop("Column of the left edge on the grid.")
    y: Number | None = prop("Row of the upper edge on the grid.")
    w: Number | None = prop("Width on the grid.")
    h: Number | None = prop("Height on the grid.")
    as_ratio: Flag | None = prop("Whether the first series is shown divided by the second.")
    series: list[Series] | None = prop("What the tile shows; newer servers answer config instead.")
    config: WireDict | None = prop("What the tile shows, as newer servers put it.")


class DashboardResponse(Record):
    """The dashboard as the server answers it."""

    id: Text | None = prop("Id of the dashboard.")
    name: Text | None = prop("Name of the dashboard.")
    tags: list[Text] | None = prop("Labels.")
    tiles: list[TileResponse] | None = prop("Tiles, in order.")


class TileIds(Record):
    """The ids of a dashboard's tiles."""

    tile_ids: dict[str, str] | None = prop(
        "Id of each tile by the tile's key; give it to an alert as `tileId`.", copies=("tiles",)
    )


class ServerForm(Record):
    """A dashboard as a server answered it, whatever it holds."""

    name: Any = prop("Name of the dashboard.")
    tags: Any = prop("Labels.")
    tiles: Any = prop("Tiles, in order.")


class DashboardOwn(TileIds):
    """What this provider adds to the state of a dashboard."""

    server_form: ServerForm | None = prop("The dashboard as the server answered it last.", alias=SERVER_FORM)


class DashboardState(TileIds, DashboardArgs):
    """What Pulumi keeps of a dashboard: the inputs as given, and the ids of the tiles."""


DASHBOARD = ResourceType(
    name="Dashboard",
    description=(
        "A dashboard of the observability server. Its tiles keep their ids, and so their alerts, from update to update."
    ),
    inputs=DashboardArgs,
    record=ServerForm,
    own=DashboardOwn,
    state=DashboardState,
    required_outputs=("name", "tiles", "tileIds"),
    state_inputs=("serviceId",),
    kept={SERVER_FORM: wire_names(DashboardBody)},
)


class GetDashboardArgs(Model):
    """Arguments of getDashboard."""

    dashboard_id: FilledText = prop("Id of the dashboard.", required=True)
    service_id: Uuid | None = prop(MANAGED_FORM)


class ListDashboardsArgs(Model):
    """Arguments of listDashboards."""

    service_id: Uuid | None = prop(MANAGED_FORM)


class DashboardList(Record):
    """Answer of listDashboards."""

    dashboards: list[DashboardResponse] = prop("The dashboards, in the server's order.", required=True)


GET_DASHBOARD = FunctionType("getDashboard", "Reads one dashboard by its id.", GetDashboardArgs, DashboardResponse)
LIST_DASHBOARDS = FunctionType("listDashboards", "Lists the dashboards of a stack.", ListDashboardsArgs, DashboardList)
