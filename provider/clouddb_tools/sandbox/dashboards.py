"""Dashboards: the ids of their tiles, the defaults that servers add, and the removal of alerts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pulumi_clouddb.schema.base import Text, prop, wire_names
from pulumi_clouddb.schema.check.findings import Failure
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.things.dashboards.api import Dashboards
from pulumi_clouddb.things.dashboards.dashboard import Dashboard
from pulumi_clouddb.things.dashboards.tile import SeriesType, Tile
from pulumi_clouddb.things.dashboards.tile_config_fields import WITH_ALERTS

from . import alerts, tile_references, vendor_dashboards
from .bodies import body_with, checked, part_of
from .responses import Bare, HTTPError, InvalidBodyError, bad_request
from .served import Served
from .state import Call, SandboxState
from .store import Document
from .vendor_dashboards import WITH_RATIO, CreateBody, UpdateBody

_TILE = part_of(
    body_of(Tile),
    wire_names(body_of(Tile)),
    id=(Text | None, prop("Id of the tile that the server assigned; a create ignores it.")),
)
_TILES: Any = list[_TILE] | None  # type: ignore[valid-type]
_BODY = body_with(Dashboard, tiles=(_TILES, prop("Tiles, in order.", required=True)))
"""The body of a create or update; name and tiles are required, and tiles may have ids."""


class ServedDashboards(Served):
    """The dashboards of an observability server."""

    def list(self, state: SandboxState, call: Call) -> Any:
        """List the dashboards of an observability server."""
        boards = super().list(state, call)
        return sorted(boards, key=lambda each: str(each["name"]), reverse=True) if state.settings.quirks else boards

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return the validated body."""
        body = checked(_BODY, state.dialect.from_server(self.record, call.body), context=state.context)
        failures = [
            Failure(f"tiles[{index}]", "must have series or config, not both")
            for index, tile in enumerate(body["tiles"])
            if "series" in tile and "config" in tile
        ]
        if failures:
            raise InvalidBodyError(failures)
        return body

    def create(self, state: SandboxState, call: Call) -> Document:
        """Create a dashboard from the body."""
        if not state.settings.is_clickhouse:
            return super().create(state, call)
        body = vendor_dashboards.checked(call.body, CreateBody)
        if error := tile_references.first_error(state, self.parent(state, call), body, body.get("containers", [])):
            raise bad_request(error)
        return self.add(state, self.parent(state, call), body)

    def validate(self, state: SandboxState, call: Call) -> Bare:
        """Validate the body of a create, and return it in normalized form."""
        errors = [_split(each) for each in vendor_dashboards.dashboard_errors(call.body, CreateBody)]
        body = (
            None if errors else vendor_dashboards.normalized(vendor_dashboards.without_unknown(call.body, CreateBody))
        )
        parent = self.parent(state, call)
        error = tile_references.first_error(state, parent, body, body.get("containers", [])) if body else None
        if error:
            body, errors = None, [("", error)]
        listed = [{"path": path, "message": message} for path, message in errors]
        normalized = state.dialect.to_server(self.record, body)
        return Bare({"valid": body is not None, "errors": listed, "normalized": normalized})

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add the dashboard that a body describes, with new ids of its tiles."""
        make = _vendor_record if state.settings.is_clickhouse else _record
        document = make(state, state.ids.object_id(), fields)
        state.store.put(self.kind, document["id"], document, parent)
        return document

    def update(self, state: SandboxState, call: Call) -> Document:
        """Replace a dashboard; tags are kept if the body omits them.

        A tile keeps its id only if the dashboard has that id already. Alerts on removed tiles, and on tiles that
        support none, are deleted silently, as by the vendor's servers.
        """
        if state.settings.is_clickhouse:
            body = self.validated_first(call, lambda: vendor_dashboards.checked(call.body, UpdateBody))
            old = self.get(state, call)
            containers = body["containers"] if "containers" in body else old.get("containers") or []
            parent = self.parent(state, call)
            if error := tile_references.first_error(state, parent, body, containers, old["tiles"]):
                raise bad_request(error)
            document = _vendor_record(state, old["id"], body, old)
        else:
            old, body = self.get(state, call), self.fields(state, call)
            document = _record(state, old["id"], body, [tile["id"] for tile in old["tiles"]], old["tags"])
        state.store.put(self.kind, document["id"], document)
        tiles = {tile["id"] for tile in document["tiles"] if _keeps_alerts(state, tile)}
        alerts.SERVED.remove_where(
            state, lambda alert: alert.get("dashboard") == document["id"] and alert["tileId"] not in tiles
        )
        return document

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete a dashboard with its alerts."""
        id_ = self.id_of(call)
        if self.find(state, self.parent(state, call), id_):
            self.remove(state, id_)

    def remove(self, state: SandboxState, id_: str) -> None:
        """Remove a dashboard with its alerts."""
        alerts.SERVED.remove_where(state, lambda alert: alert.get("dashboard") == id_)
        super().remove(state, id_)

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the record; the vendor's servers return tiles with `config`, never with `series`."""
        return vendor_dashboards.shown(document) if state.settings.is_clickhouse else document

    def missing(self) -> HTTPError:
        """Return the error for an unknown id, which is plain text on the self-hosted server."""
        return HTTPError(404, "Not Found", plain=True)


SERVED = ServedDashboards(Dashboards, body_of(Dashboard), name="Dashboard", tiles=[])

_WATCHABLE = (SeriesType.TIME, *WITH_ALERTS)
"""Kinds of tiles that keep their alerts when the dashboard is updated."""


def _record(
    state: SandboxState, id_: str, body: Mapping[str, Any], known_tiles: Iterable[str] = (), tags: Iterable[str] = ()
) -> Document:
    """Return the record for a body.

    Args:
        state: The sandbox; its setting `quirks` adds defaults and removes duplicate tags.
        id_: Id of the dashboard.
        body: The checked body of a create or update.
        known_tiles: Ids of the dashboard's tiles; a tile keeps its id only if it is one of these.
        tags: Tags if the body has none.
    """
    quirks = state.settings.quirks
    known = set(known_tiles)
    tiles = []
    for tile in body["tiles"]:
        tile_id = tile.get("id") if tile.get("id") in known else state.ids.object_id()
        content = _with_defaults(tile) if quirks else tile
        tiles.append({"id": tile_id, **{name: value for name, value in content.items() if name != "id"}})
    labels = list(body.get("tags", tags))
    return {**body, "id": id_, "tags": list(dict.fromkeys(labels)) if quirks else labels, "tiles": tiles}


_KEPT = ("tags", "filters", "savedQuery", "savedQueryLanguage", "savedFilterValues", "containers")
"""Fields that the vendor's servers keep if an update omits them."""


def _vendor_record(
    state: SandboxState, id_: str, body: Mapping[str, Any], old: Mapping[str, Any] | None = None
) -> Document:
    """Return the record for a body on the vendor's servers, which replace unknown ids."""
    old = old or {}
    known = {each.get("id") for name in ("tiles", "filters") for each in old.get(name) or ()}
    record = {**{name: old[name] for name in _KEPT if name in old}, **body, "id": id_}
    for name in ("tiles", "filters"):
        if name in body:
            record[name] = [
                {**each, "id": each["id"] if each.get("id") in known else state.ids.object_id()} for each in body[name]
            ]
    whole = vendor_dashboards.shown(vendor_dashboards.stored(record))
    whole["tiles"] = [
        vendor_dashboards.with_languages_as_sent(tile, sent, replaced=bool(old))
        for tile, sent in zip(whole["tiles"], body["tiles"], strict=True)
    ]
    return whole


def _split(error: str) -> tuple[str, str]:
    """Return the path and the message of an error."""
    path, separator, message = error.partition(": ")
    return (path, message) if separator and " " not in path else ("", error)


def _keeps_alerts(state: SandboxState, tile: Mapping[str, Any]) -> bool:
    if isinstance(config := tile.get("config"), dict):
        kind = config.get("displayType")
    else:
        kind = (tile.get("series") or [{}])[0].get("type")
    return kind is None or kind in _WATCHABLE or not state.settings.quirks


def _with_defaults(tile: Mapping[str, Any]) -> dict[str, Any]:
    if "config" in tile:
        return {**tile, "config": _config_with_defaults(tile["config"])}
    series = [{"where": "", "whereLanguage": "lucene", **item} for item in tile.get("series", [])]
    return {"asRatio": False, **tile, "series": series}


def _config_with_defaults(config: Mapping[str, Any]) -> dict[str, Any]:
    filled = dict(config)
    if isinstance(config.get("select"), list):
        usual = {"valueExpression": "", "where": "", "whereLanguage": "lucene"}
        filled["select"] = [{**usual, **item} if isinstance(item, dict) else item for item in config["select"]]
    if config.get("displayType") in WITH_RATIO:
        filled.setdefault("asRatio", False)
    return filled
