"""Bodies of dashboards as the vendor's servers take, refuse and answer them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_clouddb.models.base import Text, prop
from pulumi_clouddb.models.dashboard import MOST_TILES, DashboardBody
from pulumi_clouddb.models.dashboard_fields import DashboardFilter, SavedFilterValue, variable_of
from pulumi_clouddb.models.saved_search import FilterKind, SearchLanguage
from pulumi_clouddb.models.tile import Tile
from pulumi_clouddb.models.tile_config_fields import TEXT_SELECTED, ConfigType, DisplayType
from pulumi_clouddb.models.values import whole_numbers
from pulumi_clouddb.models.vendor import within
from pulumi_clouddb.models.view import view_of

from .bodies import known_of
from .store import Document
from .vendor_tiles import answered, taken
from .zod import kind_of, refusals, refuse

LONGEST_TILE_ID = 36
PAIR = 2
PROMQL = "promql"
_LANGUAGES = ("whereLanguage", "savedQueryLanguage")
NULLABLE = ("savedQuery", "savedQueryLanguage")


class ServedTile(Tile):
    """A tile of a request; it may have an id."""

    id: Text | None = prop("Id of the tile, as the server gave it.", max_length=LONGEST_TILE_ID)


class ServedFilter(DashboardFilter):
    """A filter of an update; it has an id."""

    id: Text = prop("Id of the filter, as the server gave it.", required=True)


class CreateBody(DashboardBody):
    """The body of a create."""

    tiles: list[ServedTile] | None = prop(  # type: ignore[assignment]
        "Tiles, in order.", required=True, within=within(of_list=True, max_length=MOST_TILES)
    )


class UpdateBody(CreateBody):
    """The body of an update."""

    filters: list[ServedFilter] | None = prop("Filters at the top.")  # type: ignore[assignment]


def refusals_of(body: Any, model: type[CreateBody]) -> list[str]:
    """Return what the servers say of a body, nothing where they take it."""
    given = {} if body is None else body
    if not isinstance(given, dict):
        return [f"Expected object, received {kind_of(given)}"]
    kept = kept_of(given, model)
    said = refusals(model, _judged(kept), NULLABLE)
    for index, tile in enumerate(given["tiles"] if isinstance(given.get("tiles"), list) else ()):
        at = f"tiles.{index}.config"
        if not any(each.startswith(at) for each in said) and _is_no_ratio(tile):
            said.append(f"{at}: asRatio can only be used with exactly two select items")
    return said or [*_of_whole(kept)]


def _is_no_ratio(tile: Any) -> bool:
    """Tell whether the config of a tile asks for a ratio of other than two values, also where it has no ratio."""
    config = tile.get("config") if isinstance(tile, dict) else None
    if not isinstance(config, dict) or not config.get("asRatio"):
        return False
    select = config.get("select")
    return not isinstance(select, list) or len(select) != PAIR


def _judged(value: Any) -> Any:
    """Return a body with a language that the model has in place of `promql`, which filters alone are refused."""
    if isinstance(value, list):
        return [_judged(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: SearchLanguage.SQL.value
        if name in _LANGUAGES and each == PROMQL
        else each
        if name == "filters"
        else _judged(each)
        for name, each in value.items()
    }


def checked(body: Any, model: type[CreateBody]) -> Document:
    """Return a body without what the servers drop, or refuse it with everything that they say of it."""
    refuse(refusals_of(body, model))
    return stored(kept_of(body, model))


def normalized(body: Document) -> Document:
    """Return a body as the servers read it, with the conditions that they fill in."""
    filled = read(body)
    return {**filled, "tiles": [_with_conditions(each) for each in filled["tiles"]]}


def _with_conditions(tile: Document) -> Document:
    config = tile.get("config")
    if not isinstance(config, dict) or config.get("configType") == ConfigType.SQL:
        return tile
    kind, filled = config.get("displayType"), dict(config)
    if kind in (*TEXT_SELECTED, DisplayType.HEATMAP):
        filled = {**({"select": ""} if kind == DisplayType.EVENT_PATTERNS else {}), "where": "", **filled}
    elif isinstance(config.get("select"), list):
        filled["select"] = [{"where": "", **each} for each in config["select"]]
    return {**tile, "config": filled}


def kept_of(body: Document, model: type[CreateBody]) -> Document:
    """Return a body without the names that nobody knows; of filters the servers refuse them."""
    kept: Document = known_of(model, body)
    if "filters" in body:
        kept["filters"] = body["filters"]
    if isinstance(body.get("tiles"), list):
        kept["tiles"] = [taken(each) for each in kept["tiles"]]
        for tile in kept["tiles"]:
            if isinstance(tile, dict):
                tile.pop("key", None)
    return kept


def read(body: Document) -> Document:
    """Return a body with what the servers fill in when they read it."""
    if "savedFilterValues" not in body:
        return body
    usual = {"type": FilterKind.SQL.value}
    return {**body, "savedFilterValues": [{**usual, **each} for each in body["savedFilterValues"]]}


def stored(body: Document) -> Document:
    """Return a body as the servers store it: a query has a language, and no tag is there twice."""
    filled = read(body)
    if "savedQueryLanguage" not in body and "savedQuery" in body:
        language = {None: {"savedQueryLanguage": None}, "": {}}
        filled = {**filled, **language.get(body["savedQuery"], {"savedQueryLanguage": "lucene"})}
    return {**filled, "tags": list(dict.fromkeys(body["tags"]))} if "tags" in body else filled


def _of_whole(body: Document) -> Iterator[str]:
    """Yield what is wrong with parts of a body together."""
    if body.get("savedQuery") is not None and body.get("savedQueryLanguage", "") is None:
        yield "savedQueryLanguage: savedQueryLanguage cannot be null when savedQuery is provided"
    for index, tile in enumerate(body["tiles"]):
        if "series" in tile and "config" in tile:
            yield f"tiles.{index}: Tile cannot have both series and config"
    for index, id_ in _twice([each.get("id") for each in body["tiles"]]):
        yield f"tiles.{index}.id: Duplicate tile ID: {id_}. Omit the ID to generate a unique one."
    for index, id_ in _twice([each["id"] for each in body.get("containers", ())]):
        yield f'containers.{index}.id: Container IDs must be unique: "{id_}"'
    for index, each in enumerate(body.get("containers", ())):
        for place, id_ in _twice([tab["id"] for tab in each.get("tabs") or ()]):
            yield f'containers.{index}.tabs.{place}.id: Duplicate tab id "{id_}" in container "{each["id"]}"'
    filters = [view_of(DashboardFilter, each) for each in body.get("filters", ())]
    names = [variable_of(each) if each.is_variable_enabled else None for each in filters]
    for index, name in _twice(names):
        yield f'filters.{index}.variableName: Variable names must be unique: "{name}"'


def _twice(values: list[Any]) -> Iterator[tuple[int, Any]]:
    for index, value in enumerate(values):
        if value and value in values[:index]:
            yield index, value


def lost_references(tiles: list[Document], containers: list[Document]) -> list[str]:
    """Return what the servers say of tiles whose container or tab is not there."""
    tabs = {each["id"]: [tab["id"] for tab in each.get("tabs") or ()] for each in containers}
    said = []
    for index, tile in enumerate(tiles):
        container, tab = tile.get("containerId"), tile.get("tabId")
        if container is not None and container not in tabs:
            said.append(f'tiles.{index}.containerId: Tile references unknown containerId "{container}"')
        elif tab is not None and container is None:
            said.append(f"tiles.{index}.tabId: tabId requires containerId to be set")
        elif tab is not None and tab not in tabs[container]:
            said.append(f'tiles.{index}.tabId: Tile references unknown tabId "{tab}" in container "{container}"')
    return said


def shown(document: Mapping[str, Any]) -> Document:
    """Return a dashboard as the servers answer it; objects made by hand may lack anything."""
    containers = document.get("containers") or []
    tiles = [_placed(answered(each), containers) for each in document.get("tiles") or ()]
    record = {
        "id": document["id"],
        "name": document.get("name"),
        "tiles": tiles,
        "tags": document.get("tags") or [],
        "filters": document.get("filters") or [],
        "savedQuery": document.get("savedQuery"),
        "savedQueryLanguage": document.get("savedQueryLanguage"),
        "savedFilterValues": [_saved_value(each) for each in document.get("savedFilterValues") or ()],
    }
    whole: Document = whole_numbers({**record, "containers": containers} if containers else record)
    return whole


def _saved_value(value: Document) -> Document:
    known: Document = known_of(SavedFilterValue, value)
    return {"type": FilterKind.SQL.value, **known}


def _placed(tile: Document, containers: list[Document]) -> Document:
    """Return a tile without a container or tab that is not there."""
    gone: tuple[str, ...] = ()
    if lost_references([tile], containers):
        known = any(each["id"] == tile.get("containerId") for each in containers)
        gone = ("tabId",) if known else ("containerId", "tabId")
    return {name: value for name, value in tile.items() if name not in gone}
