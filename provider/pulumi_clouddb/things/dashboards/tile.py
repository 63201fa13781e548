"""Tiles of a dashboard: a place on the grid, and the contents, as series or, in the newer form, as config."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import Annotated, Any, ClassVar

from pydantic.alias_generators import to_snake

from pulumi_clouddb.schema.base import (
    Answer,
    Code,
    FilledText,
    Flag,
    JsonObject,
    Model,
    Number,
    Prose,
    SqlPart,
    Text,
    identity,
    prop,
)
from pulumi_clouddb.schema.check.rules import API, OURS, SERVER, Rule, ServerMessage, name_of, rule
from pulumi_clouddb.schema.check.within import Typed
from pulumi_clouddb.schema.check.wording import OBJECT_ID
from pulumi_clouddb.schema.choice import ClosedChoice, OpenChoice
from pulumi_clouddb.schema.matching import tile_key
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.observability import QueryLanguage
from pulumi_clouddb.schema.thing import Part, answered, option
from pulumi_clouddb.schema.vendor import alternatives, among, only_there, within
from pulumi_clouddb.schema.view import raw_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .columns import with_columns
from .number_format import NumberFormat
from .parts import LONGEST_ID, MetricDataType, required
from .tile_config import TileConfig
from .tile_config_fields import SIZES, USUAL_SIZE
from .tile_parts import AggFn, aggregated_twice, of_quantile

COLUMNS = 24
MOST_GROUPS = 10
LONGEST_MARKDOWN = 100_000


class SeriesType(ClosedChoice, because="it decides which properties a series has"):
    """Kind of series on the vendor's servers."""

    TIME = "time", "lines or bars over time"
    TABLE = "table", "a table"
    NUMBER = "number", "one number"
    SEARCH = "search", "rows of a search"
    MARKDOWN = "markdown", "text"


class SeriesDisplayType(OpenChoice):
    """Display of a series of type `time`."""

    LINE = "line", "lines"
    STACKED_BAR = "stacked_bar", "bars"


class SortOrder(OpenChoice):
    """Order of the rows of a table."""

    ASC = "asc"
    DESC = "desc"


_QUERY = "type sourceId aggFn level field alias where whereLanguage numberFormat metricDataType metricName"

SERIES: Mapping[str, frozenset[str]] = {
    SeriesType.TIME: frozenset(f"{_QUERY} groupBy displayType".split()),
    SeriesType.TABLE: frozenset(f"{_QUERY} groupBy sortOrder".split()),
    SeriesType.NUMBER: frozenset(_QUERY.split()),
    SeriesType.SEARCH: frozenset(["type", "sourceId", "fields", "where", "whereLanguage"]),
    SeriesType.MARKDOWN: frozenset({"type", "content"}),
}
"""The fields of each type of series, by wire name."""

_REQUIRED: Mapping[str, frozenset[str]] = {
    SeriesType.TIME: frozenset(["sourceId", "aggFn", "where", "groupBy"]),
    SeriesType.TABLE: frozenset(["sourceId", "aggFn", "where", "groupBy"]),
    SeriesType.NUMBER: frozenset(["sourceId", "aggFn", "where"]),
    SeriesType.SEARCH: frozenset(["sourceId", "fields", "where"]),
    SeriesType.MARKDOWN: frozenset({"content"}),
}
"""The fields that each type requires."""

ONE_SERIES = (SeriesType.NUMBER, SeriesType.SEARCH, SeriesType.MARKDOWN)
"""The types with one series in a tile."""


def _needed(wire: str) -> Rule[Series]:
    read = attrgetter(to_snake(wire))
    kinds = [kind for kind, names in _REQUIRED.items() if wire in names]
    text = f"is required for type {among(kinds)}"
    return required(read, text, _BODY, lambda series: series.type in kinds, CLICKHOUSE)


def _belongs(wire: str) -> Rule[Series]:
    """Return the rule that a field is only for types that have it; servers drop it for others."""
    read = attrgetter(to_snake(wire))
    kinds = [kind for kind, names in SERIES.items() if wire in names]

    def test(series: Series) -> str | None:
        if series.type in kinds or series.type not in SERIES or raw_of(series, to_snake(wire)) in ("", []):
            return None
        return f"; type is {series.type!r}: remove it"

    return rule(read, f"is for type {among(kinds)}", test, given=read, only=CLICKHOUSE, source=_BODY)


def _nothing_aggregated(series: Series) -> str | None:
    aggregates = series.type in (SeriesType.TIME, SeriesType.TABLE, SeriesType.NUMBER)
    if not aggregates or series.agg_fn not in _AGGREGATING or series.field or series.metric_name:
        return None
    return f"; aggFn is {series.agg_fn!r}"


_BODY = SERVER("api/src/utils/zod.ts")
_AGGREGATING = frozenset(each.value for each in AggFn) - {AggFn.COUNT, AggFn.NONE}


class Series(Model):
    """One series of a tile: an aggregation over the rows of a source that meet a condition."""

    RULES: ClassVar[tuple[Rule[Series], ...]] = (
        rule(
            lambda series: series.type,
            "is required",
            lambda series: series.type is None,
            only=CLICKHOUSE,
            refusal=ServerMessage(f"Invalid discriminator value. Expected {alternatives(SERIES)}", "type"),
            source=_BODY,
        ),
        *map(_needed, ("sourceId", "aggFn", "where", "groupBy", "fields", "content")),
        *map(_belongs, sorted(frozenset.union(*SERIES.values()) - {"type"})),
        rule(
            lambda series: series.field,
            "is required for every aggFn except count and none",
            _nothing_aggregated,
            source=API("TimeChartSeries.field"),
            warns=True,
            only=CLICKHOUSE,
        ),
        aggregated_twice(lambda series: series.field, lambda series: series.agg_fn),
        of_quantile(lambda series: series.level, lambda series: series.agg_fn),
    )

    type: Text | None = prop("Kind of series.", within=within(SeriesType))
    source_id: Text | None = prop("Id of the data source.", within=within(pattern=OBJECT_ID))
    data_source: Text | None = prop("Kind of data source. Newer servers need only `sourceId`.")
    agg_fn: Text | None = prop("Aggregation.", within=within(AggFn))
    field: Text | None = prop("Field or expression that is aggregated.")
    where: Code | None = prop("Condition; empty for all. Newer servers require it, even if empty.")
    where_language: Text | None = prop(
        "Language of the condition.", unset=QueryLanguage.LUCENE, with_text="where", within=within(QueryLanguage)
    )
    group_by: list[SqlPart] | None = prop(
        "Fields to group by, in order. Newer servers require it, even if empty.",
        within=within(max_length=MOST_GROUPS),
    )
    metric_data_type: Text | None = prop("Kind of metric.", within=within(MetricDataType))
    metric_name: Text | None = prop("Name of the metric.")
    level: Number | None = only_there("Level of a quantile.", within=within(ge=0, le=1))
    alias: Text | None = only_there("Displayed name.")
    number_format: NumberFormat | None = only_there("Format of its numbers.")
    display_type: SeriesDisplayType | None = only_there("Display.", unset=SeriesDisplayType.LINE)
    sort_order: SortOrder | None = only_there("Order of the rows by `field`.")
    fields: list[Code] | None = only_there("Columns that are shown.")
    content: Prose | None = only_there("The text, in Markdown.", max_length=LONGEST_MARKDOWN)


SERIES_TYPE = property_name(Series, lambda series: series.type)


def _with(field: Callable[[Tile], object], other: Callable[[Tile], object]) -> Rule[Tile]:
    """Return the rule that a position is given whole, or not at all."""

    def test(tile: Tile) -> str | None:
        return "; leave out both to have the tile placed" if field(tile) is None else None

    return rule(field, f"is required if {name_of(other)} is given", test, given=other, source=OURS)


def _series_of(tile: Tile) -> list[object]:
    series = raw_of(tile, "series")
    return series if isinstance(series, list) else []


def _types(tile: Tile) -> Iterator[object]:
    for each in _series_of(tile):
        if isinstance(each, Mapping):
            yield each.get("type")


def _one_type(tile: Tile) -> str | None:
    types = {kind for kind in _types(tile) if isinstance(kind, str)}
    return f", not {among(sorted(types))}" if len(types) > 1 else None


def _one_series(tile: Tile) -> str | None:
    several = len(_series_of(tile)) > 1 and next(_types(tile), None) in ONE_SERIES
    return _count(tile) if several else None


def _count(tile: Tile) -> str:
    return f", not {len(_series_of(tile))}"


_PLACE: tuple[Callable[[Tile], object], ...] = (
    lambda tile: tile.x,
    lambda tile: tile.y,
    lambda tile: tile.w,
    lambda tile: tile.h,
)
_PLACED = "Without x and y, the provider places the tile."


def _by_kind(side: int) -> str:
    """Return the width or the height of tiles by display type, in words."""
    kinds: dict[int, list[str]] = {}
    for kind, size in SIZES.items():
        kinds.setdefault(size[side], []).append(kind)
    words = [f"{number} for {among(names)}" for number, names in kinds.items() if number != USUAL_SIZE[side]]
    return f"{', '.join(words)}, otherwise {USUAL_SIZE[side]}"


class Tile(Part):
    """One tile of a dashboard."""

    ANSWER_WORDS = "One tile as the server returns it, in its own form."
    RULES: ClassVar[tuple[Rule[Tile], ...]] = (
        required(lambda tile: tile.name, "is required", API("TileBase"), only=CLICKHOUSE),
        *(required(read, "", API("TileBase"), only=CLICKHOUSE) for read in _PLACE),  # check fills these in
        rule(
            lambda tile: tile.config,
            "is required, or series",
            lambda tile: tile.series is None and tile.config is None,
            only=CLICKHOUSE,
            source=_BODY,
            refusal=ServerMessage("Tile must have either series or config"),
        ),
        rule(
            lambda tile: tile.series,
            "must be of one type",
            _one_type,
            given=lambda tile: tile.series,
            only=CLICKHOUSE,
            source=API("TileInput.series"),
            refusal=ServerMessage("All series must have the same type", "series"),
        ),
        rule(
            lambda tile: tile.series,
            f"must be one for type {among(ONE_SERIES)}",
            _one_series,
            given=lambda tile: tile.series,
            only=CLICKHOUSE,
            source=SERVER("api/src/utils/externalApi.ts"),
        ),
        rule(
            lambda tile: tile.as_ratio,
            "needs exactly 2 series",
            lambda tile: tile.as_ratio and _series_of(tile) and len(_series_of(tile)) != 2 and _count(tile),
            given=lambda tile: tile.as_ratio,
            only=CLICKHOUSE,
            source=API("TileInput.asRatio"),
        ),
        rule(
            lambda tile: tile.as_ratio,
            "must be in config if config is given",
            lambda _: True,
            given=lambda tile: (tile.as_ratio, tile.config),
            only=CLICKHOUSE,
            source=API("TileInput.asRatio"),
            refusal=ServerMessage(
                "asRatio property is not supported when using config property. Specify config.asRatio instead."
            ),
        ),
        rule(
            lambda tile: tile.tab_id,
            "needs a containerId",
            lambda tile: tile.container_id is None,
            given=lambda tile: tile.tab_id,
            only=CLICKHOUSE,
            source=API("TileBase.tabId"),
        ),
        _with(lambda tile: tile.x, lambda tile: tile.y),
        _with(lambda tile: tile.y, lambda tile: tile.x),
        rule(
            lambda tile: tile.w,
            f"should be at most {COLUMNS} together with x, the columns of the grid",
            lambda tile: max(tile.x or 0, tile.w or 0) <= COLUMNS < (tile.x or 0) + (tile.w or 0),
            given=lambda tile: (tile.x, tile.w),
            warns=True,
            only=CLICKHOUSE,
            source=SERVER("app/src/DBDashboardPage.tsx"),
        ),
    )

    id: Text | None = answered(
        "Id of the tile; alerts refer to it.",
        answer=Answer(instead=", and give the tile a `key`: the output `tileIds` contains the id of each key"),
    )
    key: FilledText | None = option(
        "Identity of this tile within its dashboard: a renamed or moved tile keeps its alerts as long as its key "
        "does not change.",
        unset="the tile's name",
    )
    name: Text | None = prop("Title of the tile.")
    x: Number | None = prop(
        f"Column of the left edge on the grid. {_PLACED}",
        answer=Answer("Column of the left edge on the grid."),
        within=within(ge=0, le=COLUMNS - 1),
    )
    y: Number | None = prop(
        f"Row of the upper edge on the grid. {_PLACED}",
        answer=Answer("Row of the upper edge on the grid."),
        within=within(ge=0),
    )
    w: Number | None = prop(
        f"Width on the grid; if left out, {_by_kind(0)}.",
        answer=Answer("Width on the grid."),
        within=within(ge=1, le=COLUMNS),
    )
    h: Number | None = prop(
        f"Height on the grid; if left out, {_by_kind(1)}.", answer=Answer("Height on the grid."), within=within(ge=1)
    )
    container_id: Text | None = only_there(
        "Container of the tile.", taken_out="the tile leaves it", min_length=1, max_length=LONGEST_ID
    )
    tab_id: Text | None = only_there(
        "Tab of the container.", taken_out="the tile leaves it", min_length=1, max_length=LONGEST_ID
    )
    as_ratio: Flag | None = prop("Whether the first series is shown divided by the second.")
    series: list[Series] | None = prop(
        "Contents of the tile in the older form, for servers of the dialect `neutral`; set `config` for others.",
        answer=Answer("Contents of the tile; newer servers return config instead.", type=list[Series]),
        within=within(min_length=1),
    )
    config: Annotated[JsonObject, Typed(TileConfig, CLICKHOUSE, JsonObject)] | None = prop(
        "Contents of the tile: what it shows, and from which source. Properties that this package does not know are "
        "sent unchanged, with a warning; in the neutral dialect all properties are.",
        answer=Answer("Contents of the tile, in the form of newer servers."),
    )


def names_and_places(tiles: Any) -> object:
    """Return names and places of tiles: servers return their contents in another form, with defaults."""
    return [{key: tile.get(key) for key in ("name", "x", "y", "w", "h")} for tile in tiles or ()]


def key_of(tile: Tile) -> Any:
    """Return the key of a tile, or its name if it has none (None or UNKNOWN without both)."""
    return tile.key if tile.key is not None else tile.name


def by_key(tiles: object) -> object:
    """Return tiles with their keys, by default their names, and with their columns under one name."""
    if not isinstance(tiles, list):
        return tiles
    named = with_columns(tiles)
    return [identity({**tile, "key": tile_key(tile)}) if isinstance(tile, Mapping) else tile for tile in named]
