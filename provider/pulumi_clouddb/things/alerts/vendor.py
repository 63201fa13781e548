"""What the vendor's servers do differently with an alert: they delete those of some tiles, and replace channels."""

from __future__ import annotations

from collections.abc import Sequence

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.replaced import Dialects, InterfaceDialect, Update, VendorDialect
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.names import property_name, property_names
from pulumi_clouddb.schema.values import WireDict, WireValues
from pulumi_clouddb.schema.vendor import among
from pulumi_clouddb.things.dashboards.api import TILE_IDS, Dashboards
from pulumi_clouddb.things.saved_searches.api import SavedSearches

from .alert import Alert
from .parts import LONGEST_NAME, AlertSource, same_channel

CHANNEL = property_name(Alert, lambda alert: alert.channel)
CHANNELS = property_name(Alert, lambda alert: alert.channels)
TITLE = property_names(Alert, lambda alert: (alert.display_name, alert.tags))
"""The properties that servers derive from the watched object if nobody sets them."""


class AlertDialect(InterfaceDialect):
    """Alerts on servers of the interface."""

    def lost(self, session: Session, wanted: Alert) -> ResourceError | None:
        """Return why an alert must not be created: the next update of its dashboard would delete it."""
        return None

    def previewed(self, session: Session, wanted: Alert) -> ResourceError | None:
        """Return the same for a preview, which also warns of a tile that is not there."""
        return None

    def derived(self, session: Session, alert: Alert, service_id: str | None) -> WireDict:
        """Return the title and tags that the server derives from the watched object, as far as it can be read."""
        return {}


class VendorAlerts(AlertDialect, VendorDialect):
    """Alerts on the vendor's servers."""

    def lost(self, session: Session, wanted: Alert) -> ResourceError | None:
        """Return why an alert must not be created, if it is on a tile of a kind that loses its alerts."""
        if wanted.source != AlertSource.TILE or not wanted.dashboard_id:
            return None
        tile = session.api.of(Dashboards, wanted.service_id).tile_losing_alerts(wanted.dashboard_id, wanted.tile_id)
        if tile is None:
            return None
        name, kind = tile
        alert = f"Alert {wanted.name!r}" if wanted.name else "An alert"
        return ResourceError(
            f"{alert} cannot be on tile {name!r} of dashboard {wanted.dashboard_id}: the server deletes the "
            f"alerts of a {kind} tile with the next update of the dashboard",
            f"Watch a tile of displayType {among(Dashboards.WITH_ALERTS)}.",
        )

    def previewed(self, session: Session, wanted: Alert) -> ResourceError | None:
        """Return the same for a preview, which also warns of a tile that is not there."""
        _warn_of_missing_tile(session, wanted)
        return self.lost(session, wanted)

    def derived(self, session: Session, alert: Alert, service_id: str | None) -> WireDict:
        """Return the title and tags that the server derives from the watched object, as far as it can be read."""
        watched = session.try_reading(lambda: _watched(session, alert, service_id))
        if watched is None:
            return {}
        name, tags = watched
        return dict(zip(TITLE, ((name or "Alert")[:LONGEST_NAME], tags), strict=True))

    def unmanaged(self, update: Update[Alert]) -> WireDict:
        """Return the unmanaged properties; of channels, those that no program manages."""
        unmanaged, wanted, current = super().unmanaged(update), to_wire(update.wanted), to_wire(update.current)
        channel, channels = wanted.get(CHANNEL), wanted.get(CHANNELS)
        on_server = [each for each in current.get(CHANNELS) or [current.get(CHANNEL)] if each]
        others = {name: value for name, value in unmanaged.items() if name not in (CHANNEL, CHANNELS)}
        if channels is not None:
            return {**others, CHANNELS: [_completed(each, on_server) for each in channels]}
        if channel is not None:
            return {**others, **_with_unmanaged_channels(to_wire(update.old.wanted), channel, on_server)}
        return unmanaged


def _warn_of_missing_tile(session: Session, wanted: Alert) -> None:
    """Warn of a tile that the server does not show, unless the run knows its dashboard, whose `claims` have the tiles.

    It may exist: servers accept alerts on tiles that only their page can make, and show these to no client.
    """
    board, tile, named = wanted.dashboard_id, wanted.tile_id, f"Alert {wanted.name!r}" if wanted.name else "An alert"
    if not session.urn or not board or not tile or session.run.owns(board):  # a run knows none without a URN
        return
    if session.api.of(Dashboards, wanted.service_id).lacks_tile(board, tile):
        session.warn(
            f"{named} watches tile {tile!r} of dashboard {board}, and the server shows no such tile: it may belong to "
            f"another environment.\nTake the id from the output {TILE_IDS} of the dashboard, or from listDashboards."
        )


def _watched(session: Session, alert: Alert, service_id: str | None) -> tuple[str | None, list[str]] | None:
    """Return the name and the tags of what an alert watches; None if it does not exist."""
    if alert.source == AlertSource.INLINE:
        return (alert.chart_config or {}).get("name"), []
    if alert.source == AlertSource.SAVED_SEARCH:
        search = session.api.of(SavedSearches, service_id).find(alert.saved_search_id or "")
        return (search.name, search.tags or []) if search else None
    board = session.api.of(Dashboards, service_id).find(alert.dashboard_id or "")
    if board is None:
        return None
    tile = next((each for each in board.tiles or () if each.id == alert.tile_id), None)
    return f"{board.name} - {(tile and tile.name) or 'Tile'}", board.tags or []


def _completed(channel: WireDict, on_server: Sequence[WireDict]) -> WireDict:
    """Return a channel with the properties that only the server has."""
    known = next((each for each in on_server if same_channel(each) == same_channel(channel)), {})
    return {**{name: value for name, value in known.items() if value is not None}, **channel}


def _with_unmanaged_channels(old: WireValues, channel: WireDict, on_server: Sequence[WireDict]) -> WireDict:
    """Return the managed channel, followed by the channels that were never managed."""
    managed = [same_channel(each) for each in (old.get(CHANNEL), channel) if each is not None]
    others = [each for each in on_server if same_channel(each) not in managed] if old.get(CHANNELS) is None else []
    channel = _completed(channel, on_server)
    return {CHANNEL: channel, **({CHANNELS: [channel, *others]} if others else {})}


DIALECTS = Dialects(AlertDialect(), VendorAlerts())
