"""Dashboards: ids of tiles, the defaults that servers add, the newer form of a tile, and their alerts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pulumi_clouddb.dashboards.api import Dashboards
from pulumi_clouddb.dashboards.dashboard import Dashboard
from pulumi_clouddb.dashboards.tile import SeriesType, Tile
from pulumi_clouddb.dashboards.tile_config_fields import WITH_ALERTS
from pulumi_clouddb.schema.base import Text, prop, wire_names
from pulumi_clouddb.schema.check import Failure
from pulumi_clouddb.schema.thing import body_of

from . import alerts, targets, vendor_dashboards
from .bodies import body_with, checked, part_of
from .responses import Bare, HTTPError, InvalidBodyError, bad_request
from .served import Served
from .state import Call, SandboxState
from .store import Document
from .vendor_dashboards import WITH_RATIO, CreateBody, UpdateBody

_TILE = part_of(
    body_of(Tile),
    wire_names(body_of(Tile)),
    id=(Text | None, prop("Id of the tile, as the server gave it; on creation it is without effect.")),
)


_TILES: Any = list[_TILE] | None  # type: ignore[valid-type]
_BODY = body_with(Dashboard, tiles=(_TILES, prop("Tiles, in order.", required=True)))
"""What the server takes: name and tiles are required, tiles may have ids."""


class ServedDashboards(Served):
    """The dashboards of a stack."""

    def list(self, state: SandboxState, call: Call) -> Any:
        """List the dashboards of a stack, in falling order of their names, as the vendor's servers do."""
        found = super().list(state, call)
        return sorted(found, key=lambda each: str(each["name"]), reverse=True) if state.settings.quirks else found

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return the body, or refuse it. Words that the server no longer knows are dropped, as by the server."""
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
        """Create a dashboard of the body."""
        if not state.settings.is_clickhouse:
            return super().create(state, call)
        body = vendor_dashboards.checked(call.body, CreateBody)
        if said := targets.fault_of(state, self.parent(state, call), body, body.get("containers", [])):
            raise bad_request(said)
        return self.add(state, self.parent(state, call), body)

    def validate(self, state: SandboxState, call: Call) -> Bare:
        """Judge the body of a create, and answer what it would become."""
        said = vendor_dashboards.refusals_of(call.body, CreateBody)
        errors = [dict(zip(("path", "message"), _split(each), strict=True)) for each in said]
        body = None if said else vendor_dashboards.normalized(vendor_dashboards.kept_of(call.body, CreateBody))
        parent = self.parent(state, call)
        fault = targets.fault_of(state, parent, body, body.get("containers", [])) if body else None
        if fault:
            body, errors = None, [{"path": "", "message": fault}]
        return Bare({"valid": body is not None, "errors": errors, "normalized": body})

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Make the dashboard that a body describes; ids of tiles that came with it are replaced."""
        make = _vendor_record if state.settings.is_clickhouse else _record
        document = make(state, state.ids.object_id(), fields)
        state.store.put(self.kind, document["id"], document, parent)
        return document

    def update(self, state: SandboxState, call: Call) -> Document:
        """Replace a dashboard; only tags stay when left out.

        A tile keeps its id only when the dashboard has it already. Alerts of tiles that are gone, or that got another
        id, or that cannot raise any, are deleted without a word, as the vendor's servers do.
        """
        if state.settings.is_clickhouse:
            body = self.judged(call, lambda: vendor_dashboards.checked(call.body, UpdateBody))
            old = self.get(state, call)
            containers = body["containers"] if "containers" in body else old.get("containers") or []
            if said := targets.fault_of(state, self.parent(state, call), body, containers, old["tiles"]):
                raise bad_request(said)
            document = _vendor_record(state, old["id"], body, old)
        else:
            old, body = self.get(state, call), self.fields(state, call)
            document = _record(state, old["id"], body, [tile["id"] for tile in old["tiles"]], old["tags"])
        state.store.put(self.kind, document["id"], document)
        for alert in alerts.SERVED.of_dashboard(state, document["id"]):
            if not any(tile["id"] == alert["tileId"] and _keeps_alerts(state, tile) for tile in document["tiles"]):
                alerts.SERVED.remove(state, alert["id"])
        return document

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete a dashboard with its alerts; one that is not there is no error, as with the vendor's servers."""
        id_ = self.id_of(call)
        if self.find(state, self.parent(state, call), id_):
            self.remove(state, id_)

    def remove(self, state: SandboxState, id_: str) -> None:
        """Remove a dashboard with its alerts."""
        for alert in alerts.SERVED.of_dashboard(state, id_):
            alerts.SERVED.remove(state, alert["id"])
        super().remove(state, id_)

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the record; the vendor's servers answer tiles with `config`, never with `series`."""
        return vendor_dashboards.shown(document) if state.settings.is_clickhouse else document

    def missing(self) -> HTTPError:
        """There is no such dashboard; the vendor's self-hosted server says so in plain text."""
        return HTTPError(404, "Not Found", plain=True)


SERVED = ServedDashboards(Dashboards, body_of(Dashboard), name="Dashboard", tiles=[])

_WATCHABLE = (SeriesType.TIME, *WITH_ALERTS)
"""Kinds of tiles whose alerts survive an update of the dashboard."""


def _record(
    state: SandboxState, id_: str, body: Mapping[str, Any], known_tiles: Iterable[str] = (), tags: Iterable[str] = ()
) -> Document:
    """Return the record that a body makes.

    Args:
        state: The sandbox; its setting `quirks` adds defaults and takes doubles out of the tags.
        id_: Id of the dashboard.
        body: The checked body of a create or update.
        known_tiles: Ids of tiles that the dashboard has; a tile keeps its id only when it is one of these.
        tags: Tags where the body holds none.
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
"""What an update of the vendor's servers keeps where it is left out."""


def _vendor_record(
    state: SandboxState, id_: str, body: Mapping[str, Any], old: Mapping[str, Any] | None = None
) -> Document:
    """Return the record that a body makes on the vendor's servers: they replace ids that they do not know."""
    old = old or {}
    known = {each.get("id") for name in ("tiles", "filters") for each in old.get(name) or ()}
    record = {**{name: old[name] for name in _KEPT if name in old}, **body, "id": id_}
    for name in ("tiles", "filters"):
        if name in body:
            record[name] = [
                {**each, "id": each["id"] if each.get("id") in known else state.ids.object_id()} for each in body[name]
            ]
    return vendor_dashboards.shown(vendor_dashboards.stored(record))


def _split(said: str) -> tuple[str, str]:
    """Return the path of what the servers say, and what they say of it."""
    path, found, words = said.partition(": ")
    return (path, words) if found and " " not in path else ("", said)


def _kind(tile: Mapping[str, Any]) -> str | None:
    """Return what kind of tile it is, as far as it says so."""
    if isinstance(config := tile.get("config"), dict):
        return config.get("displayType")
    series = tile.get("series") or [{}]
    kind: str | None = series[0].get("type")
    return kind


def _keeps_alerts(state: SandboxState, tile: Mapping[str, Any]) -> bool:
    kind = _kind(tile)
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
