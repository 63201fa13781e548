"""What the vendor's servers do otherwise with a dashboard.

They have filters, containers and languages of conditions. They drop what they do not know of a tile, and delete the
alerts of a tile that goes, or turns into a kind that has none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from pydantic import BaseModel

from pulumi_clouddb.alerts.api import Alerts
from pulumi_clouddb.client.errors import ApiError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.observability import Dialects, InterfaceDialect, Update, VendorDialect
from pulumi_clouddb.schema.base import names_marked
from pulumi_clouddb.schema.check import failures_of
from pulumi_clouddb.schema.convert import construct, fields_of, to_wire
from pulumi_clouddb.schema.names import ID
from pulumi_clouddb.schema.rules import RuleContext
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.values import Path, WireDict, WireValues, show_path
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .dashboard import Dashboard
from .parts import (
    dropped,
    losing_alerts,
    of_language,
    sent_containers,
    sent_filters,
    sent_tiles,
    with_language,
    without,
)
from .server_form import CONFIG, CONTAINERS, FILTERS, TILES, form_of, known_ids, sent_tile, tiles_of, without_ids
from .tile import Tile, key_of
from .tile_config import TileConfig

DashboardUpdate = Update[Dashboard]

_MADE_BY_THE_PAGE = (
    "this package did not make: PromQL tiles, and what only the page of the server can set (conditions of a whole "
    "chart, groups given as a list, colour rules by text, granularity, colours of series), are not shown to any client "
    "and are then deleted. Duplicate the dashboard in the page first if it has any of these."
)


class DashboardDialect(InterfaceDialect):
    """Dashboards on servers of the interface."""

    def warn_of_unknown(self, session: Session, inputs: WireValues, secret: Collection[str]) -> None:
        """Warn of the properties of tiles that this package does not know, unless the tiles are secret."""

    def sent_tile(self, tile: Tile) -> WireDict:
        """Return a tile as it is sent, without its id."""
        return sent_tile(tile)

    def new_body(self, given: WireDict, wanted: Dashboard) -> WireDict:
        """Return the body of a create; `given` are the properties of the program as they are sent."""
        return {**given, TILES: [self.sent_tile(tile) for tile in wanted.tiles or ()]}

    def body(self, given: WireDict, update: DashboardUpdate) -> WireDict:
        """Return the body of an update: a tile without its id would lose its alerts.

        Args:
            given: The properties of the program as they are sent.
            update: The update.
        """
        old, tiles = update.old, update.wanted.tiles or ()
        ids = known_ids(old.actual.tile_ids or {}, old.wanted.tiles or (), tiles)
        known = [{ID: ids[key_of(tile)]} if key_of(tile) in ids else {} for tile in tiles]
        sent = [{**tile_id, **self.sent_tile(tile)} for tile_id, tile in zip(known, tiles, strict=True)]
        return {**self.sent_along(update), **given, **update.cleared(), TILES: sent}

    def warn_of_losses(self, session: Session, update: DashboardUpdate, body: WireValues) -> None:
        """Warn of what the server deletes with an update."""

    def without_dropped(self, session: Session, wanted: Dashboard, form: WireValues) -> Dashboard:  # noqa: ARG002
        """Return the arguments without what the server has dropped of them, and warn of it."""
        return wanted

    def warn_of_import(self, session: Session) -> bool:  # noqa: ARG002
        """Warn of what an import may not show; return whether there may be such a thing."""
        return False


class VendorDashboards(DashboardDialect, VendorDialect):
    """Dashboards on the vendor's servers."""

    def warn_of_unknown(self, session: Session, inputs: WireValues, secret: Collection[str]) -> None:
        """Warn of the properties of configs that this package does not know: a server may be newer."""
        tiles = inputs.get(TILES)
        for index, tile in enumerate(tiles if isinstance(tiles, list) and TILES not in secret else ()):
            config = tile.get(CONFIG) if isinstance(tile, Mapping) else None
            for path in _unknown_names(TileConfig, config, (TILES, index, CONFIG)):
                session.warn(
                    f"Dashboard.{show_path(path)} is not a property that this package knows; it is sent as it is. "
                    "Check its spelling: a server that does not know it either drops it."
                )

    def sent_tile(self, tile: Tile) -> WireDict:
        """Return a tile as it is sent, with the languages of its conditions."""
        return with_language(super().sent_tile(tile))

    def sent_along(self, update: DashboardUpdate) -> WireDict:
        """Return the unmanaged properties, without what the server answers, and does not take back.

        Its page makes filter values of other kinds, which its API refuses, and keeps where they are left out
        (tests/dashboards/test_dashboards_of_the_page.py). What it clears where it is left out is always sent.
        """
        more, model = super().sent_along(update), body_of(Dashboard)
        shown = {**more, FILTERS: without_ids(more[FILTERS])} if FILTERS in more else more
        failures = failures_of(model, shown, RuleContext(vocabulary=CLICKHOUSE))
        refused = {each.name for each in failures} & set(names_marked(model, "clears"))
        return {name: value for name, value in more.items() if name not in refused}

    def body(self, given: WireDict, update: DashboardUpdate) -> WireDict:
        """Return the body of an update, with what the server alone knows of filters, containers and tiles."""
        body, held, before = super().body(given, update), update.held.answer, to_wire(update.old.wanted)
        if update.wanted.filters is not None:
            body[FILTERS] = sent_filters(body[FILTERS], held.get(FILTERS), before.get(FILTERS))
        if update.wanted.containers is not None:
            body[CONTAINERS] = sent_containers(body[CONTAINERS], held.get(CONTAINERS), before.get(CONTAINERS))
        body[TILES] = sent_tiles(body[TILES], tiles_of(form_of(update.held)), update.old, body.get(CONTAINERS))
        return of_language(body)

    def warn_of_losses(self, session: Session, update: DashboardUpdate, body: WireValues) -> None:
        """Warn of the alerts that the server deletes, whoever created them, and of tiles that its page has made."""
        what = f"dashboard {update.wanted.name!r}"
        if lost := _lost_alerts(session, update, body):
            session.warn(
                f"Updating {what} deletes alerts, since their tiles go or are turned into a kind that has none: "
                f"{', '.join(lost)}. An alert that is still wanted needs another tile."
            )
        if update.old.actual.imported:
            session.warn(f"This update replaces the tiles of {what}, which {_MADE_BY_THE_PAGE}")

    def without_dropped(self, session: Session, wanted: Dashboard, form: WireValues) -> Dashboard:
        """Return the arguments without what the server has dropped of configs, and warn of each."""
        tiles = [to_wire(tile) for tile in wanted.tiles or ()]
        lost = [
            (index, path)
            for index, (tile, theirs) in enumerate(zip(tiles, tiles_of(form), strict=False))
            for path in sorted(dropped(tile.get(CONFIG) or {}, theirs.get(CONFIG)), key=str, reverse=True)
        ]
        for index, path in lost:
            place = show_path((TILES, index, CONFIG, *path))
            session.warn(f"The server has dropped {place} of dashboard {wanted.name!r}: take it out of the program.")
            tiles[index][CONFIG] = without(tiles[index][CONFIG], path)
        return construct(type(wanted), {**to_wire(wanted), TILES: tiles}) if lost else wanted

    def warn_of_import(self, session: Session) -> bool:
        """Warn of tiles that the server's page has made."""
        session.warn(f"The next update of an imported dashboard replaces tiles that {_MADE_BY_THE_PAGE}")
        return True


def _lost_alerts(session: Session, update: DashboardUpdate, body: WireValues) -> list[str]:
    """Return, in words, the alerts that the server deletes with an update; none if they cannot be listed."""
    losing = losing_alerts(tiles_of(form_of(update.held)), tiles_of(body))
    if not losing:
        return []
    try:
        alerts = session.api.of(Alerts, update.wanted.service_id).listed()
    except ApiError:
        return []  # the update does not depend on it
    lost = [each for each in alerts if each.tile_id in losing and each.dashboard in (None, update.object_id)]
    return [f"{each.name!r} ({each.id}) on tile {losing[str(each.tile_id)]!r}" for each in lost]


def _unknown_names(model: type[BaseModel], value: object, path: Path = ()) -> Iterator[Path]:
    """Yield the path of each property in an object, or in a list of objects, that its model does not have."""
    if isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _unknown_names(model, item, (*path, index))
    elif isinstance(value, dict):
        inner = {wire: nested for wire, _, nested in fields_of(model)}
        for name, item in value.items():
            if name not in inner:
                yield (*path, name)
            elif nested := inner[name]:
                yield from _unknown_names(nested, item, (*path, name))


DIALECTS = Dialects(DashboardDialect(), VendorDashboards())
