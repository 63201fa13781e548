"""What the vendor's servers do differently with a dashboard.

They have filters, containers and languages of conditions. They drop unknown properties of a tile, and delete the alerts
of a tile that is removed, or changed to a kind without alerts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pulumi_clouddb.client.errors import ApiError, ResourceError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.replaced import Dialects, InterfaceDialect, Update, VendorDialect
from pulumi_clouddb.schema.base import names_with
from pulumi_clouddb.schema.check.findings import failures_of
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.convert import construct, to_wire
from pulumi_clouddb.schema.names import ID, NAME, property_name
from pulumi_clouddb.schema.observability import SearchLanguage
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.values import UNKNOWN, Path, WireDict, WireValues, objects, show_path
from pulumi_clouddb.schema.vendor import among
from pulumi_clouddb.schema.view import if_known, view_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from pulumi_clouddb.things.alerts.api import Alerts
from pulumi_clouddb.things.sources.api import Sources

from .api import keeps_alerts
from .dashboard import Dashboard, containers_fault
from .drift import CONFIG, CONTAINERS, CONTENTS, FILTERS, TILES, form_of, sent_tile, tiles_of, without_ids
from .layout import CONTAINER_ID, TAB_ID, TABS
from .parts import DashboardFilter, is_variable
from .tile import Tile, key_of
from .tile_config import TileConfig
from .tile_config_fields import DISPLAY_TYPE, WITH_ALERTS, ConfigType, DisplayType
from .tile_ids import known_ids
from .tile_parts import OnClickTargetMode, OnClickType

DashboardUpdate = Update[Dashboard]
Key = Callable[[WireValues], object]

_Need = tuple[object, tuple[str, ...], str]
"""The id of a source, the kinds that it may have, and why."""

_OF_FORMULAS = (Sources.KINDS.LOG, Sources.KINDS.TRACE, Sources.KINDS.METRIC)
_OF_SEARCHES = (Sources.KINDS.LOG, Sources.KINDS.TRACE)

NEW_FILTER = "new"
"""The id of a new filter in a request: the server assigns another one."""

_LANGUAGE = property_name(TileConfig, lambda config: config.where_language)
_VARIABLE = property_name(DashboardFilter, lambda item: item.variable_name)
_SOURCES = property_name(DashboardFilter, lambda item: item.applies_to_source_ids)

_MADE_BY_THE_PAGE = (
    "this package did not make: PromQL tiles, and what only the page of the server can set (conditions of a whole "
    "chart, groups given as a list, colour rules by text, granularity, colours of series), are not shown to any client "
    "and are then deleted. Duplicate the dashboard in the page first if it has any of these."
)


class DashboardDialect(InterfaceDialect):
    """Dashboards on servers of the interface."""

    def server_refusal(self, session: Session, inputs: WireValues, old: WireValues | None) -> ResourceError | None:
        """Return why the server would refuse checked inputs, as far as a preview can know."""
        return None

    def sent_tile(self, tile: Tile) -> WireDict:
        """Return a tile as it is sent, without its id."""
        return sent_tile(tile)

    def new_body(self, given: WireDict, wanted: Dashboard) -> WireDict:
        """Return the body of a create; `given` are the properties of the program as they are sent."""
        return {**given, TILES: [self.sent_tile(tile) for tile in wanted.tiles or ()]}

    def body(self, given: WireDict, update: DashboardUpdate) -> WireDict:
        """Return the body of an update, with the known ids of tiles: a tile without its id would lose its alerts."""
        old, tiles = update.old, update.wanted.tiles or ()
        ids = known_ids(old.actual.tile_ids or {}, old.wanted.tiles or (), tiles)
        known = [{ID: ids[key_of(tile)]} if key_of(tile) in ids else {} for tile in tiles]
        sent = [{**tile_id, **self.sent_tile(tile)} for tile_id, tile in zip(known, tiles, strict=True)]
        return {**self.unmanaged(update), **given, **update.clearing_values(), TILES: sent}

    def warn_of_losses(self, session: Session, update: DashboardUpdate, body: WireValues) -> None:
        """Warn of what the server deletes with an update."""

    def problem_of_alerts(self, tile: WireValues) -> str:
        """Return why no alert should watch a tile, to follow the name of its dashboard; empty if it may."""
        return ""

    def without_dropped(self, session: Session, wanted: Dashboard, form: WireValues) -> Dashboard:
        """Return the arguments without the properties that the server has dropped, and warn of each."""
        return wanted

    def warn_of_import(self, session: Session) -> bool:
        """Warn of what an import may not show; return whether there may be such a thing."""
        return False


class VendorDashboards(DashboardDialect, VendorDialect):
    """Dashboards on the vendor's servers."""

    def server_refusal(self, session: Session, inputs: WireValues, old: WireValues | None) -> ResourceError | None:
        """Return why the server would refuse a tile: its container is new, or its source has another kind."""
        fault = None if old else containers_fault(view_of(Dashboard, {CONTAINERS: [], **inputs}))
        if fault:
            return ResourceError(
                f"a new dashboard has only the containers and tabs that it declares{fault}",
                "Declare it in `containers`, or remove it from the tile.",
            )
        return _refusal_of_sources(session, inputs, old)

    def sent_tile(self, tile: Tile) -> WireDict:
        """Return a tile as it is sent; the vendor's API requires the language of a search, even without a condition."""
        sent = super().sent_tile(tile)
        config = sent.get(CONFIG)
        if isinstance(config, Mapping) and config.get(DISPLAY_TYPE) == DisplayType.SEARCH:
            sent[CONFIG] = {_LANGUAGE: SearchLanguage.LUCENE.value, **config}
        return sent

    def unmanaged(self, update: DashboardUpdate) -> WireDict:
        """Return the unmanaged properties, without those that the server returns and does not accept.

        Its page makes filter values of other kinds. The API refuses them, and keeps them if a request leaves them out
        (test_dashboards_of_the_page.py). A property that leaving out clears is always sent.
        """
        more, model = super().unmanaged(update), body_of(Dashboard)
        shown = {**more, FILTERS: without_ids(more[FILTERS])} if FILTERS in more else more
        failures = failures_of(model, shown, RuleContext(vocabulary=CLICKHOUSE))
        refused = {each.name for each in failures} & set(names_with(model, "clears"))
        return {name: value for name, value in more.items() if name not in refused}

    def body(self, given: WireDict, update: DashboardUpdate) -> WireDict:
        """Return the body of an update, with the unmanaged properties of filters, containers and tiles."""
        body, current, before = super().body(given, update), update.current.answer, to_wire(update.old.wanted)
        if update.wanted.filters is not None:
            body[FILTERS] = _sent_filters(body[FILTERS], objects(current.get(FILTERS)), objects(before.get(FILTERS)))
        if update.wanted.containers is not None:
            containers = objects(current.get(CONTAINERS)), objects(before.get(CONTAINERS))
            body[CONTAINERS] = _with_unmanaged(body[CONTAINERS], *containers, _own_id)
        body[TILES] = _sent_tiles(body[TILES], update, objects(body.get(CONTAINERS)))
        return body

    def warn_of_losses(self, session: Session, update: DashboardUpdate, body: WireValues) -> None:
        """Warn of the alerts that the server deletes, whoever created them, and of tiles that its page has made."""
        what = f"dashboard {update.wanted.name!r}"
        if lost := _lost_alerts(session, update, body):
            session.warn(
                f"Updating {what} deletes alerts, because their tiles are removed or get a type without alerts: "
                f"{', '.join(lost)}. An alert that is still wanted needs another tile."
            )
        if update.old.actual.imported:
            session.warn(f"This update replaces the tiles of {what}, which {_MADE_BY_THE_PAGE}")

    def problem_of_alerts(self, tile: WireValues) -> str:
        """Return that the server deletes the alerts of a tile, if its kind is known to keep none."""
        kind = tile[CONFIG].get(DISPLAY_TYPE) if isinstance(tile.get(CONFIG), Mapping) else None
        if keeps_alerts(tile) or not isinstance(kind, str):
            return ""
        return f"where it is a {kind} tile, and only {among(WITH_ALERTS)} tiles keep alerts"

    def without_dropped(self, session: Session, wanted: Dashboard, form: WireValues) -> Dashboard:
        """Return the arguments without the properties of configs that the server has dropped, and warn of each."""
        tiles = [to_wire(tile) for tile in wanted.tiles or ()]
        lost = [
            (index, path)
            for index, (tile, shown) in enumerate(zip(tiles, tiles_of(form), strict=False))
            # The last one first, so that those before it stay in their places.
            for path in reversed([*_dropped(tile.get(CONFIG) or {}, shown.get(CONFIG))])
        ]
        for index, path in lost:
            place = show_path((TILES, index, CONFIG, *path))
            session.warn(f"The server has dropped {place} of dashboard {wanted.name!r}: remove it from the program.")
            tiles[index][CONFIG] = _without_path(tiles[index][CONFIG], path)
        return construct(type(wanted), {**to_wire(wanted), TILES: tiles}) if lost else wanted

    def warn_of_import(self, session: Session) -> bool:
        """Warn of tiles that the server's page has made."""
        session.warn(f"The next update of an imported dashboard replaces tiles that {_MADE_BY_THE_PAGE}")
        return True


def _refusal_of_sources(session: Session, inputs: WireValues, old: WireValues | None) -> ResourceError | None:
    """Return why the server would refuse a changed tile, as far as the list of sources shows it; None if it does not.

    Only tiles that need a kind of source cause a request.
    """
    before = objects((old or {}).get(TILES))
    changed = [each for each in objects(inputs.get(TILES)) if each not in before]
    needs = [(view_of(Tile, each), need) for each in changed for need in _needs_of(each)]
    listed = session.try_reading(session.api.of(Sources, inputs.get("serviceId")).records) if needs else None
    for tile, (source_id, kinds, why) in needs:
        source = (listed or {}).get(str(source_id))
        if source is not None and source.kind is not None and source.kind not in kinds:
            return ResourceError(
                f"tile {key_of(tile)!r} {why}, which needs a source of kind {among(kinds)}; source {source_id} is of "
                f"kind {source.kind}",
                "Give the tile a source of that kind, or change the tile.",
            )
    return None


def _needs_of(tile: WireValues) -> Iterator[_Need]:
    config = tile.get("config")
    if not isinstance(config, Mapping):
        return
    chart = view_of(TileConfig, config)
    with if_known:
        if chart.config_type != ConfigType.SQL and chart.display_type == DisplayType.HEATMAP:
            yield config.get("sourceId"), (Sources.KINDS.TRACE,), "is a heatmap"
    with if_known:
        if chart.config_type != ConfigType.SQL and config.get("formulas") not in (None, [], UNKNOWN):
            yield config.get("sourceId"), _OF_FORMULAS, "has formulas"
    with if_known:
        click = chart.on_click
        if click and click.type == OnClickType.SEARCH and click.target and click.target.mode == OnClickTargetMode.ID:
            yield click.target.id, _OF_SEARCHES, "opens a search"


DIALECTS = Dialects(DashboardDialect(), VendorDashboards())


# -- what an update keeps ----------------------------------------------------------------------------------------------


def _sent_filters(
    filters: list[WireValues], current: Iterable[WireValues], before: Iterable[WireValues]
) -> list[WireDict]:
    """Return the program's filters as an update sends them, with the ids that the server has assigned."""
    sent = []
    for item in _with_unmanaged(filters, current, before, _key_of_filters(filters, current)):
        seen = view_of(DashboardFilter, item)
        gone = set() if is_variable(seen) else {_VARIABLE}
        gone |= {_SOURCES} if seen.is_broadcast_enabled is False else set()
        sent.append({ID: NEW_FILTER, **_without(item, gone)})
    return sent


def _sent_tiles(tiles: list[WireDict], update: DashboardUpdate, containers: Iterable[WireValues]) -> list[WireDict]:
    """Return the program's tiles as an update sends them, with their unmanaged properties, such as their containers.

    The contents of a tile are always the program's, in either form.
    """
    keys = {tile_id: key for key, tile_id in (update.old.actual.tile_ids or {}).items()}
    managed = {key_of(tile): set(to_wire(tile)) for tile in update.old.wanted.tiles or ()}
    current = {str(tile.get(ID)): tile for tile in tiles_of(form_of(update.current))}
    tabs = {_own_id(each): set(map(_own_id, objects(each.get(TABS)))) for each in containers}
    sent = []
    for tile in tiles:
        tile_id = str(tile.get(ID))
        known = _without(current.get(tile_id, {}), CONTENTS | managed.get(keys.get(tile_id), set()))
        container = tile.get(CONTAINER_ID, known.get(CONTAINER_ID))
        gone = set() if container in tabs else {CONTAINER_ID, TAB_ID}
        gone |= set() if known.get(TAB_ID) in tabs.get(container, ()) else {TAB_ID}
        sent.append({**_without(known, gone), **tile})
    return sent


def _with_unmanaged(
    items: Iterable[WireValues], current: Iterable[WireValues], before: Iterable[WireValues], key: Key
) -> list[WireDict]:
    """Return the program's objects, each with the server's properties that the program does not set and did not set."""
    current_by_key = {key(each): each for each in current}
    managed = {key(each): each for each in before}
    return [
        {**_without(current_by_key.get(key(item), {}), managed.get(key(item), {})), **_without(item, ())}
        for item in items
    ]


def _without(values: WireValues, names: Iterable[str]) -> WireDict:
    """Return an object without some properties, and without those that are null."""
    left_out = set(names)
    return {name: value for name, value in values.items() if name not in left_out and value is not None}


def _key_of_filters(*several: Iterable[WireValues]) -> Key:
    """Return the key that identifies a filter in each list; the ids are set by the server."""
    for filters in several:
        known = [_name_and_expression(each) for each in filters]
        if len(set(known)) < len(known):
            return _name_expression_and_source
    return _name_and_expression


def _name_and_expression(item: WireValues) -> tuple[object, ...]:
    seen = view_of(DashboardFilter, item)
    return seen.name, seen.expression


def _name_expression_and_source(item: WireValues) -> tuple[object, ...]:
    return (*_name_and_expression(item), view_of(DashboardFilter, item).source_id)


def _own_id(item: WireValues) -> object:
    return item.get(ID)


# -- what the server drops ---------------------------------------------------------------------------------------------


def _lost_alerts(session: Session, update: DashboardUpdate, body: WireValues) -> list[str]:
    """Return, in words, the alerts that the server deletes with an update; none if they cannot be listed."""
    kept = {str(tile.get(ID)) for tile in tiles_of(body) if keeps_alerts(tile)}
    names = {str(tile.get(ID)): tile.get(NAME) for tile in tiles_of(form_of(update.current))}
    losing = {tile_id: name for tile_id, name in names.items() if tile_id not in kept}
    if not losing:
        return []
    try:
        alerts = (session.api.of(Alerts, update.wanted.service_id).records() or {}).values()
    except ApiError:
        return []  # the update does not depend on it
    lost = [each for each in alerts if each.tile_id in losing and each.dashboard in (None, update.object_id)]
    return [f"{each.name!r} ({each.id}) on tile {losing[str(each.tile_id)]!r}" for each in lost]


def _dropped(sent: object, answered: object, path: Path = ()) -> Iterator[Path]:
    """Yield the path of each value that was sent and is missing in the response, which may omit empty values."""
    if isinstance(sent, Mapping) and isinstance(answered, Mapping):
        for name, value in sent.items():
            if name not in answered:
                if value not in (None, "", [], {}, False):
                    yield (*path, name)
            else:
                yield from _dropped(value, answered[name], (*path, name))
    elif isinstance(sent, list) and isinstance(answered, list):
        yield from ((*path, index) for index in range(len(answered), len(sent)))
        for index, (value, shown) in enumerate(zip(sent, answered, strict=False)):
            yield from _dropped(value, shown, (*path, index))


def _without_path(value: Any, path: Path) -> Any:
    """Return a value without the one at a path."""
    first, *rest = path
    inner = {first: _without_path(value[first], tuple(rest))} if rest else {}
    if isinstance(value, Mapping):
        return {name: inner.get(name, item) for name, item in value.items() if rest or name != first}
    return [inner.get(index, item) for index, item in enumerate(value) if rest or index != first]
