"""The operations on dashboards; both forms, managed and self-hosted, do the same."""

from __future__ import annotations

from typing import Any

from pulumi_clouddb.models.base import Text, prop, wire_names
from pulumi_clouddb.models.check import Failure
from pulumi_clouddb.models.dashboard import DashboardBody, Tile

from . import alerts
from .bodies import checked, part_of
from .dashboard_record import WATCHABLE, kind_of, record_of
from .errors import HTTPError, InvalidBodyError
from .observability import checked_id, stack_of
from .state import Call, SandboxState
from .store import Document

DASHBOARDS = "dashboards"

_TILE = part_of(
    Tile,
    set(wire_names(Tile)) - {"key"},  # keys are the provider's own; they are never sent
    id=(Text | None, prop("Id of the tile, as the server gave it; on creation it is without effect.")),
)


class _Body(DashboardBody):
    """What the server takes: name and tiles are required, tiles may have ids."""

    tiles: list[_TILE] | None = prop("Tiles, in order.", required=True)  # type: ignore[valid-type]


def list_all(state: SandboxState, call: Call) -> list[Document]:
    """List the dashboards of a stack, in falling order of their names, as the vendor's servers do."""
    found = state.listed(call, DASHBOARDS, stack_of(state, call))
    return sorted(found, key=lambda document: str(document["name"]), reverse=True) if state.settings.quirks else found


def get(state: SandboxState, call: Call) -> Document:
    """Read one dashboard."""
    id_ = checked_id(call.params["dashboardId"])
    document = state.store.get(DASHBOARDS, id_, stack_of(state, call))
    if document is None:
        raise missing()
    return document


def missing() -> HTTPError:
    """There is no such dashboard; the vendor's self-hosted server says so in plain text."""
    return HTTPError(404, "Not Found", plain=True)


def create(state: SandboxState, call: Call) -> Document:
    """Create a dashboard; ids of tiles that came with it are replaced."""
    stack = stack_of(state, call)
    return add(state, stack, _checked(state, call.body))


def add(state: SandboxState, stack: str, body: dict[str, Any]) -> Document:
    """Make the dashboard that a body describes."""
    document = record_of(state, state.ids.object_id(), body)
    state.store.put(DASHBOARDS, document["id"], document, stack)
    return document


def update(state: SandboxState, call: Call) -> Document:
    """Replace a dashboard; only tags stay when left out.

    A tile keeps its id only when the dashboard has it already. Alerts of tiles that are gone, or that got another id,
    or that cannot raise any, are deleted without a word, as the vendor's servers do.
    """
    old = get(state, call)
    body = _checked(state, call.body)
    document = record_of(state, old["id"], body, [tile["id"] for tile in old["tiles"]], old["tags"])
    state.store.put(DASHBOARDS, document["id"], document)
    for alert in alerts.of_dashboard(state, document["id"]):
        if not any(tile["id"] == alert["tileId"] and _keeps_alerts(state, tile) for tile in document["tiles"]):
            state.store.delete(alerts.ALERTS, alert["id"])
    return document


def delete(state: SandboxState, call: Call) -> None:
    """Delete a dashboard with its alerts; one that is not there is no error, as with the vendor's servers."""
    id_ = checked_id(call.params["dashboardId"])
    if state.store.get(DASHBOARDS, id_, stack_of(state, call)):
        remove(state, id_)


def remove(state: SandboxState, id_: str) -> bool:
    """Remove a dashboard with its alerts; tell whether there was one."""
    for alert in alerts.of_dashboard(state, id_):
        state.store.delete(alerts.ALERTS, alert["id"])
    return state.store.delete(DASHBOARDS, id_)


def _keeps_alerts(state: SandboxState, tile: dict[str, Any]) -> bool:
    kind = kind_of(tile)
    return kind is None or kind in WATCHABLE or not state.settings.quirks


def _checked(state: SandboxState, body: Any) -> dict[str, Any]:
    # Words that the server no longer knows are dropped here, as by the server.
    checked_body = checked(_Body, state.dialect.from_server("Dashboard", body))
    failures = []
    for index, tile in enumerate(checked_body["tiles"]):
        if "series" in tile and "config" in tile:
            failures.append(Failure(f"tiles[{index}]", "must have series or config, not both"))
    if failures:
        raise InvalidBodyError(failures)
    return checked_body
