"""What the tiles of a dashboard name: containers, sources, connections, and where a click leads.

What is refused, and in which order, follows the vendor's observability server 2.36.0
(routers/external-api/v2/utils/dashboards.ts, `validateDashboardTiles`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pulumi_clouddb.dashboards.tile_config_fields import ConfigType, DisplayType
from pulumi_clouddb.dashboards.tile_parts import OnClickTargetMode, OnClickType
from pulumi_clouddb.sources.fields import SourceKind

from . import connections, sources
from .ids import is_object_id
from .state import SandboxState
from .store import Document
from .vendor_dashboards import lost_references

Config = Mapping[str, Any]

_OF_FORMULAS = (SourceKind.LOG, SourceKind.TRACE, SourceKind.METRIC)
_OF_SEARCHES = (SourceKind.LOG, SourceKind.TRACE)
_NOT_OF_FORMULAS = (
    "Tiles with formulas require a Metric, Log, or Trace source. The following source IDs are not formula-capable"
)


def fault_of(
    state: SandboxState,
    stack: str,
    body: Document,
    containers: list[Document],
    before: Iterable[Document] = (),
) -> str | None:
    """Return what the servers say of the first thing that is not there, or does not fit; None where all is well.

    `containers` are those of the dashboard once the body is carried out, and `before` the tiles that it has: what they
    have shown already is not judged again.
    """
    if lost := lost_references(body["tiles"], containers):
        return "; ".join(lost)
    configs = [each["config"] for each in body["tiles"] if isinstance(each.get("config"), dict)]
    known = {each.get("id"): each.get("config") or {} for each in before}
    changed = [
        each["config"]
        for each in body["tiles"]
        if isinstance(each.get("config"), dict) and not _is_as_before(each["config"], known.get(each.get("id")))
    ]
    there = _Found(state, stack)
    clicks = [(each["type"], each["target"]["id"]) for each in map(_click, configs) if each]
    searched = [id_ for kind, id_ in clicks if kind == OnClickType.SEARCH]
    named = [*_named(body, "sourceId"), *searched]
    for ids, text in (
        ([each for each in named if not there.source(each)], "Could not find the following source IDs"),
        (
            [each for each in _named(body, "connectionId") if not connections.SERVED.find(state, stack, each)],
            "Could not find the following connection IDs",
        ),
        (
            [each["sourceId"] for each in configs if _is_sql(each) and there.is_elsewhere(each)],
            "The following source IDs do not match the specified connections",
        ),
        (
            there.of_other_kinds(changed, _is_heatmap, (SourceKind.TRACE,)),
            "Heatmap tiles require a Trace source. The following source IDs are not Trace sources",
        ),
        (
            there.of_other_kinds(changed, lambda each: bool(each.get("formulas")), _OF_FORMULAS),
            _NOT_OF_FORMULAS,
        ),
        (
            [id_ for kind, id_ in clicks if kind == OnClickType.DASHBOARD and not there.dashboard(id_)],
            "Could not find the following onClick dashboard IDs",
        ),
        (
            [each for each in searched if there.kind(each) not in _OF_SEARCHES],
            "The following onClick search source IDs are not log or trace sources",
        ),
    ):
        if ids:
            return f"{text}: {', '.join(dict.fromkeys(ids))}"
    return None


class _Found:
    """What a stack has."""

    def __init__(self, state: SandboxState, stack: str) -> None:
        self._state, self._stack = state, stack

    def source(self, id_: Any) -> Document | None:
        return sources.SERVED.find(self._state, self._stack, str(id_))

    def dashboard(self, id_: str) -> bool:
        return self._state.store.get("dashboards", id_.lower(), self._stack) is not None

    def kind(self, id_: Any) -> Any:
        return (self.source(id_) or {}).get("kind")

    def is_elsewhere(self, config: Config) -> bool:
        """Return whether the source of raw SQL reads from another connection."""
        source = self.source(config["sourceId"]) if "sourceId" in config else None
        return source is not None and source.get("connection") != config.get("connectionId")

    def of_other_kinds(
        self, configs: Iterable[Config], where: Callable[[Config], bool], kinds: tuple[SourceKind, ...]
    ) -> list[str]:
        """Return the sources of some configs that are of none of these kinds."""
        ids = [each["sourceId"] for each in configs if where(each) and not _is_sql(each) and "sourceId" in each]
        return [each for each in ids if self.kind(each) not in kinds]


def _is_sql(config: Config) -> bool:
    return config.get("configType") == ConfigType.SQL


def _is_heatmap(config: Config) -> bool:
    return config.get("displayType") == DisplayType.HEATMAP


def _is_as_before(config: Config, before: Config | None) -> bool:
    names = ("displayType", "configType", "sourceId", "formulas")
    return before is not None and all(config.get(name) == before.get(name) for name in names)


def _click(config: Config) -> Document | None:
    """Return where a click leads, if that is named by its id."""
    click = config.get("onClick")
    by_id = isinstance(click, dict) and (click.get("target") or {}).get("mode") == OnClickTargetMode.ID
    return click if by_id else None


def _named(value: Any, name: str) -> Iterator[str]:
    """Yield the texts of this name in a body."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if key == name and isinstance(item, str) and is_object_id(item):
            yield item
        yield from _named(item, name)
