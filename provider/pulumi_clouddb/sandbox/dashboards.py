"""Dashboards: ids of tiles, the defaults that servers add, the newer form of a tile, and their alerts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pulumi_clouddb.api.collections.dashboards import Dashboards
from pulumi_clouddb.models.base import Text, prop, wire_names
from pulumi_clouddb.models.check import Failure
from pulumi_clouddb.models.dashboard import DashboardBody, Tile

from . import alerts
from .bodies import checked, part_of
from .responses import HTTPError, InvalidBodyError
from .served import Served
from .state import Call, SandboxState
from .store import Document

_TILE = part_of(
    Tile,
    set(wire_names(Tile)) - {"key"},  # keys are the provider's own; they are never sent
    id=(Text | None, prop("Id of the tile, as the server gave it; on creation it is without effect.")),
)


class _Body(DashboardBody):
    """What the server takes: name and tiles are required, tiles may have ids."""

    tiles: list[_TILE] | None = prop("Tiles, in order.", required=True)  # type: ignore[valid-type]


class ServedDashboards(Served):
    """The dashboards of a stack."""

    def list(self, state: SandboxState, call: Call) -> Any:
        """List the dashboards of a stack, in falling order of their names, as the vendor's servers do."""
        found = super().list(state, call)
        return sorted(found, key=lambda each: str(each["name"]), reverse=True) if state.settings.quirks else found

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return the body, or refuse it. Words that the server no longer knows are dropped, as by the server."""
        body = checked(_Body, state.dialect.from_server(self.record, call.body))
        failures = [
            Failure(f"tiles[{index}]", "must have series or config, not both")
            for index, tile in enumerate(body["tiles"])
            if "series" in tile and "config" in tile
        ]
        if failures:
            raise InvalidBodyError(failures)
        return body

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Make the dashboard that a body describes; ids of tiles that came with it are replaced."""
        document = _record(state, state.ids.object_id(), fields)
        state.store.put(self.kind, document["id"], document, parent)
        return document

    def update(self, state: SandboxState, call: Call) -> Document:
        """Replace a dashboard; only tags stay when left out.

        A tile keeps its id only when the dashboard has it already. Alerts of tiles that are gone, or that got another
        id, or that cannot raise any, are deleted without a word, as the vendor's servers do.
        """
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
        if state.store.get(self.kind, id_, self.parent(state, call)):
            self.remove(state, id_)

    def remove(self, state: SandboxState, id_: str) -> None:
        """Remove a dashboard with its alerts."""
        for alert in alerts.SERVED.of_dashboard(state, id_):
            alerts.SERVED.remove(state, alert["id"])
        super().remove(state, id_)

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the record; newer servers answer tiles with `config`, never with `series`."""
        if not state.settings.answer_config:
            return document
        return {**document, "tiles": [_newer(tile) for tile in document["tiles"]]}

    def missing(self) -> HTTPError:
        """There is no such dashboard; the vendor's self-hosted server says so in plain text."""
        return HTTPError(404, "Not Found", plain=True)


SERVED = ServedDashboards(Dashboards, DashboardBody, name="Dashboard", tiles=[])

WATCHABLE = ("time", "number", "line", "stacked_bar")
"""Kinds of tiles whose alerts survive an update of the dashboard."""

_DISPLAY_TYPES = {"time": "line"}
_WITH_RATIO = ("line", "stacked_bar", "table")


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


def _kind(tile: Mapping[str, Any]) -> str | None:
    """Return what kind of tile it is, as far as it says so."""
    if isinstance(config := tile.get("config"), dict):
        return config.get("displayType")
    series = tile.get("series") or [{}]
    kind: str | None = series[0].get("type")
    return kind


def _keeps_alerts(state: SandboxState, tile: Mapping[str, Any]) -> bool:
    kind = _kind(tile)
    return kind is None or kind in WATCHABLE or not state.settings.quirks


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
    if config.get("displayType") in _WITH_RATIO:
        filled.setdefault("asRatio", False)
    return filled


def _newer(tile: Mapping[str, Any]) -> dict[str, Any]:
    if "config" in tile:
        return dict(tile)
    place = {name: value for name, value in tile.items() if name not in ("series", "asRatio")}
    return {**place, "config": _config(tile.get("series") or [{}], tile.get("asRatio", False))}


def _config(series: list[dict[str, Any]], as_ratio: bool) -> dict[str, Any]:
    """Turn series into a config. It loses what the newer form has no place for, as the vendor's servers do."""
    first = series[0]
    kind = first.get("type", "time")
    config: dict[str, Any] = {"displayType": _DISPLAY_TYPES.get(kind, kind), "sourceId": first.get("sourceId", "")}
    if kind == "markdown":
        return {"displayType": kind, "markdown": first.get("field", "")}
    if kind == "search":
        where = {"where": first.get("where", ""), "whereLanguage": first.get("whereLanguage", "lucene")}
        return {**config, "select": first.get("field", ""), **where}
    config["select"] = [_select_item(item) for item in series]
    if first.get("groupBy"):
        config["groupBy"] = ",".join(first["groupBy"])
    if config["displayType"] in _WITH_RATIO:
        config["asRatio"] = as_ratio
    return config


def _select_item(series: Mapping[str, Any]) -> dict[str, Any]:
    item = {
        "aggFn": series.get("aggFn", "count"),
        "valueExpression": series.get("field", ""),
        "where": series.get("where", ""),
        "whereLanguage": series.get("whereLanguage", "lucene"),
    }
    for theirs, ours in (("metricType", "metricDataType"), ("metricName", "metricName")):
        if ours in series:
            item[theirs] = series[ours]
    return item
