"""Dashboards of an observability server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pulumi_clouddb.client.collection import SHARED_LIST_SECONDS
from pulumi_clouddb.client.errors import ApiError, ClientError
from pulumi_clouddb.client.operation import observability
from pulumi_clouddb.client.replaced import ReplacedCollection
from pulumi_clouddb.client.version import Version
from pulumi_clouddb.schema.names import ID, NAME, property_name
from pulumi_clouddb.schema.values import WireDict, WireValues, objects
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from pulumi_clouddb.things.alerts.api import Alerts

from .dashboard import Dashboard
from .drift import CONFIG, FILTERS, SERIES_OF_TILE, TILES, shows_tiles
from .tile import SERIES_TYPE, SeriesType
from .tile_config_fields import DISPLAY_TYPE, WITH_ALERTS

TILE_IDS = property_name(Dashboard, lambda board: board.tile_ids)


class Dashboards(ReplacedCollection[Dashboard]):
    """The dashboards of one server."""

    model = Dashboard
    id_part = "dashboard_id"
    versioned = True

    LIST = observability(
        "list_dashboards", "GET", "/dashboards", "Dashboard", "list the dashboards", managed=True, hosted=True
    )
    CREATE = observability("create_dashboard", "POST", "/dashboards", "Dashboard", "create the dashboard")
    GET = observability("get_dashboard", "GET", "/dashboards/{dashboardId}", "Dashboard", "read the dashboard")
    UPDATE = observability("update_dashboard", "PUT", "/dashboards/{dashboardId}", "Dashboard", "update the dashboard")
    DELETE = observability("delete_dashboard", "DELETE", "/dashboards/{dashboardId}", "None", "delete the dashboard")
    VALIDATE = observability(
        "validate_dashboard", "POST", "/dashboards/validate", "None", "validate the dashboard", only=CLICKHOUSE
    )

    WITH_ALERTS = WITH_ALERTS
    """The kinds of tiles whose alerts the vendor's servers keep."""

    def tile_losing_alerts(self, dashboard_id: str, tile_id: str | None) -> tuple[str, str] | None:
        """Return name and kind of a tile whose alerts the server deletes with the next update of its dashboard.

        None if the tile keeps them, or if the server does not list it. A shared list may be old, so a new list has to
        confirm it.
        """
        tile: WireValues = {}
        for max_age in (SHARED_LIST_SECONDS, 0.0):
            tile = next((each for each in self._tiles(dashboard_id, max_age) or () if each.get(ID) == tile_id), {})
            if keeps_alerts(tile):
                return None
        return str(tile.get(NAME)), str((tile.get(CONFIG) or {}).get(DISPLAY_TYPE))

    def lacks_tile(self, dashboard_id: str, tile_id: str) -> bool:
        """Return whether the server shows a dashboard without this tile, or none of this id, also in a new list."""
        for max_age in (SHARED_LIST_SECONDS, 0.0):
            tiles = self._tiles(dashboard_id, max_age)
            if tiles is None or any(each.get(ID) == tile_id for each in tiles):
                return False
        return True

    def _tiles(self, dashboard_id: str, max_age: float) -> list[WireValues] | None:
        """Return the tiles that the server shows of a dashboard, none if there is no such one; None if unknown."""
        try:
            board = self.find(dashboard_id, max_age=max_age)
        except ApiError:
            return None
        return (objects(board.answer[TILES]) if shows_tiles(board) else None) if board else []

    def replace(
        self, object_id: str, body: WireValues, before: Dashboard | None, version: Version | None = None
    ) -> Dashboard:
        """Replace a whole dashboard; the server deletes the alerts of removed tiles."""
        try:
            with _naming_places(body):
                return super().replace(object_id, body, before, version)
        finally:
            self.api.of(Alerts, self.parent).outdate()

    def posted(self, body: WireValues) -> WireDict:
        """Send the body of a create and return the result."""
        with _naming_places(body):
            return super().posted(body)

    def shows_all(self, listed: Dashboard, known: WireValues) -> bool:
        """Return whether a listed dashboard has its tiles, and all other known properties."""
        return shows_tiles(listed) and super().shows_all(listed, known)

    def delete(self, object_id: str) -> None:
        """Delete a dashboard, and with it the alerts on its tiles."""
        try:
            super().delete(object_id)
        finally:
            self.api.of(Alerts, self.parent).outdate()

    def invalidate(self) -> None:
        """Drop the shared list, and that of alerts, which are deleted with their tiles."""
        super().invalidate()
        self.api.of(Alerts, self.parent).invalidate()


@contextmanager
def _naming_places(body: WireValues) -> Iterator[None]:
    """Name the tiles and filters with the ids that the server does not find: its message has only the ids."""
    try:
        yield
    except ClientError as error:
        ids = set(re.findall(r"\b[0-9a-f]{24}\b", error.message, re.IGNORECASE)) if error.status == 400 else set()
        kinds = {"tile": objects(body.get(TILES)), "filter": objects(body.get(FILTERS))}
        named = [
            f"{kind} {each.get(NAME)!r}"
            for kind, items in kinds.items()
            for each in items
            if any(id_ in str(each) for id_ in ids)
        ]
        if not named:
            raise
        raise error.with_more(f"used by {', '.join(named)}") from None


def keeps_alerts(tile: WireValues) -> bool:
    """Return whether the alerts of a tile survive an update, as far as its kind determines it."""
    config, series = tile.get(CONFIG), tile.get(SERIES_OF_TILE)
    if isinstance(config, Mapping):
        return config.get(DISPLAY_TYPE) in (None, *WITH_ALERTS)
    first = series[0] if isinstance(series, list) and series else {}
    return not isinstance(first, Mapping) or first.get(SERIES_TYPE) in (None, SeriesType.TIME, SeriesType.NUMBER)
