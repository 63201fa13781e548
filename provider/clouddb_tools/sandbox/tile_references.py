"""References of tiles to containers, sources, connections and other dashboards.

The checks and their order follow the vendor's observability server 2.36.0
(routers/external-api/v2/utils/dashboards.ts, `validateDashboardTiles`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pulumi_clouddb.things.dashboards.tile_config_fields import ConfigType, DisplayType
from pulumi_clouddb.things.dashboards.tile_parts import OnClickTargetMode, OnClickType
from pulumi_clouddb.things.sources.parts import SourceKind

from . import connections, sources
from .ids import is_object_id
from .state import SandboxState
from .store import Document
from .vendor_dashboards import container_errors

Config = Mapping[str, Any]

_OF_FORMULAS = (SourceKind.LOG, SourceKind.TRACE, SourceKind.METRIC)
_OF_SEARCHES = (SourceKind.LOG, SourceKind.TRACE)


def first_error(
    state: SandboxState,
    stack: str,
    body: Document,
    containers: list[Document],
    before: Iterable[Document] = (),
) -> str | None:
    """Return the first error about a reference that is broken or of the wrong kind, or None.

    Args:
        state: The sandbox.
        stack: The parent of the dashboard.
        body: The body of a create or update.
        containers: The containers of the dashboard after this request.
        before: The tiles of the dashboard before it; unchanged tiles are not checked for the kinds of their sources.
    """
    if errors := container_errors(body["tiles"], containers):
        return "; ".join(errors)
    tiles = [each for each in body["tiles"] if isinstance(each.get("config"), dict)]
    old = {each.get("id"): each.get("config") or {} for each in before}
    changed = [each["config"] for each in tiles if not _is_unchanged(each["config"], old.get(each.get("id")))]
    board = _Board(body, [each["config"] for each in tiles], changed, _Objects(state, stack))
    for broken, text in CHECKS:
        if ids := [*broken(board)]:
            return f"{text}: {', '.join(dict.fromkeys(ids))}"
    return None


@dataclass(frozen=True)
class _Board:
    """A dashboard in a request.

    Attributes:
        body: The body.
        configs: The configs of its tiles.
        changed: Those of them that change.
        objects: What they can refer to.
    """

    body: Document
    configs: list[Config]
    changed: list[Config]
    objects: _Objects

    def clicks(self, kind: OnClickType) -> list[str]:
        """Return the ids of the targets of click actions."""
        return [each["target"]["id"] for each in map(_click, self.configs) if each and each["type"] == kind]

    # -- the ids of each check, in the order of CHECKS -------------------------------------------------------------

    def unknown_sources(self) -> Iterator[str]:
        named = [*_named(self.body, "sourceId"), *self.clicks(OnClickType.SEARCH)]
        return (each for each in named if not self.objects.source(each))

    def unknown_connections(self) -> Iterator[str]:
        return (each for each in _named(self.body, "connectionId") if not self.objects.connection(each))

    def sources_elsewhere(self) -> Iterator[str]:
        return (each["sourceId"] for each in self.configs if _is_sql(each) and self.objects.is_elsewhere(each))

    def sources_of_heatmaps(self) -> list[str]:
        return self.objects.of_other_kinds(self.changed, _is_heatmap, (SourceKind.TRACE,))

    def sources_of_formulas(self) -> list[str]:
        return self.objects.of_other_kinds(self.changed, lambda each: bool(each.get("formulas")), _OF_FORMULAS)

    def unknown_dashboards(self) -> Iterator[str]:
        return (each for each in self.clicks(OnClickType.DASHBOARD) if not self.objects.dashboard(each))

    def sources_of_searches(self) -> Iterator[str]:
        return (each for each in self.clicks(OnClickType.SEARCH) if self.objects.kind(each) not in _OF_SEARCHES)


CHECKS: tuple[tuple[Callable[[_Board], Iterable[str]], str], ...] = (
    (_Board.unknown_sources, "Could not find the following source IDs"),
    (_Board.unknown_connections, "Could not find the following connection IDs"),
    (_Board.sources_elsewhere, "The following source IDs do not match the specified connections"),
    (
        _Board.sources_of_heatmaps,
        "Heatmap tiles require a Trace source. The following source IDs are not Trace sources",
    ),
    (
        _Board.sources_of_formulas,
        "Tiles with formulas require a Metric, Log, or Trace source. The following source IDs are not formula-capable",
    ),
    (_Board.unknown_dashboards, "Could not find the following onClick dashboard IDs"),
    (_Board.sources_of_searches, "The following onClick search source IDs are not log or trace sources"),
)
"""The checks in the order of the server, each with the message that precedes the ids."""


class _Objects:
    """The sources and dashboards of an observability server."""

    def __init__(self, state: SandboxState, stack: str) -> None:
        self._state, self._stack = state, stack

    def source(self, id_: Any) -> Document | None:
        return sources.SERVED.find(self._state, self._stack, str(id_))

    def connection(self, id_: str) -> Document | None:
        return connections.SERVED.find(self._state, self._stack, id_)

    def dashboard(self, id_: str) -> bool:
        return self._state.store.get("dashboards", id_.lower(), self._stack) is not None

    def kind(self, id_: Any) -> Any:
        return (self.source(id_) or {}).get("kind")

    def is_elsewhere(self, config: Config) -> bool:
        """Return whether the source of a raw SQL tile uses another connection than the tile."""
        source = self.source(config["sourceId"]) if "sourceId" in config else None
        return source is not None and source.get("connection") != config.get("connectionId")

    def of_other_kinds(
        self, configs: Iterable[Config], where: Callable[[Config], bool], kinds: tuple[SourceKind, ...]
    ) -> list[str]:
        """Return the ids of the configs' sources that are of other kinds."""
        ids = [each["sourceId"] for each in configs if where(each) and not _is_sql(each) and "sourceId" in each]
        return [each for each in ids if self.kind(each) not in kinds]


def _is_sql(config: Config) -> bool:
    return config.get("configType") == ConfigType.SQL


def _is_heatmap(config: Config) -> bool:
    return config.get("displayType") == DisplayType.HEATMAP


def _is_unchanged(config: Config, before: Config | None) -> bool:
    names = ("displayType", "configType", "sourceId", "formulas")
    return before is not None and all(config.get(name) == before.get(name) for name in names)


def _click(config: Config) -> Document | None:
    """Return the click action of a config if it names its target by id."""
    click = config.get("onClick")
    by_id = isinstance(click, dict) and (click.get("target") or {}).get("mode") == OnClickTargetMode.ID
    return click if by_id else None


def _named(value: Any, name: str) -> Iterator[str]:
    """Yield the ids under this name at any depth of a body."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if key == name and isinstance(item, str) and is_object_id(item):
            yield item
        yield from _named(item, name)
