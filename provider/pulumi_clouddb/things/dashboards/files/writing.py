"""Dashboards as files that the server's page imports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from pulumi_clouddb.schema.observability import SearchLanguage
from pulumi_clouddb.schema.values import UNKNOWN, Path, WireDict, WireValues, objects
from pulumi_clouddb.things.dashboards.parts import LIST
from pulumi_clouddb.things.dashboards.tile_config_fields import OF_COLUMNS, ConfigType, DisplayType
from pulumi_clouddb.things.dashboards.tile_parts import AggFn, OnClickTargetMode, OnClickType

from .api_form import in_document_form
from .losses import Loss, Losses
from .names import Kind

VERSION = "0.1.0"
"""The version that the page writes; its import ignores it (`convertToDashboardTemplate` of HyperDX 2.36.0)."""

NameOf: TypeAlias = Callable[[Kind, str], "str | None"]
"""Returns the name of an object by its id; None if it is unknown."""

_OF_BOARD = ("name", "tags", "containers", "savedQuery", "savedQueryLanguage", "savedFilterValues")


def template_of(board: WireValues, name_of: NameOf) -> tuple[WireDict, list[Loss]]:
    """Return the content of the file for a dashboard, and what is lost: references whose name is unknown.

    The dashboard is by wire name, in the form of programs or of the API.
    """
    document = in_document_form(board)
    losses: list[Loss] = []
    written: WireDict = {"version": VERSION}
    written |= {name: document[name] for name in _OF_BOARD if document.get(name) not in (None, [])}
    written["tiles"] = [
        _tile(tile, index, losses, name_of) for index, tile in enumerate(objects(document.get("tiles")))
    ]
    filters = [_filter(item, index, losses, name_of) for index, item in enumerate(objects(document.get("filters")))]
    return {**written, **({"filters": filters} if filters else {})}, losses


class _Names:
    """Replaces ids by names."""

    def __init__(self, losses: Losses, name_of: NameOf) -> None:
        self._losses, self._name_of = losses, name_of

    def __call__(self, kind: Kind, value: object, path: Path) -> str | None:
        """Return a name; an id whose name is unknown stays, and is reported."""
        if not isinstance(value, str):
            what = "is known only after an update" if value is UNKNOWN else "is missing"
            self._losses.error(path, f"the id of the {kind.value} {what}")
            return None
        name = self._name_of(kind, value)
        if name is None:
            self._losses.warn(path, f"the name of the {kind.value} {value} is unknown: choose one at the import")
        return name or value


def _tile(tile: WireValues, index: int, found: list[Loss], name_of: NameOf) -> WireDict:
    config = tile.get("config")
    config = dict(config) if isinstance(config, Mapping) else {}
    key = str(tile.get("id") or config.get("name") or index)
    losses = Losses(f"tile {config.get('name') or key!r}", key)
    kept = {name: value for name, value in tile.items() if name not in ("id", "config") and value is not None}
    written = {"id": key, **kept, "config": _config(config, _Names(losses, name_of))}
    found += losses.found
    return written


def _config(config: WireDict, name: _Names) -> WireDict:
    """Return a config with names, and with the keys that the page requires."""
    display, written = config.get("displayType"), {"name": "", **config}
    if display == DisplayType.MARKDOWN:
        return {**written, "source": "", "where": "", "select": []}
    raw = config.get("configType") == ConfigType.SQL
    if raw:
        written["connection"] = name(Kind.CONNECTION, config.get("connection"), ("config", "connection")) or ""
    if not raw or config.get("source"):
        written["source"] = name(Kind.SOURCE, config.get("source"), ("config", "source")) or ""
    if isinstance(config.get("onClick"), Mapping):
        written["onClick"] = _on_click(config["onClick"], name)
    if not raw:
        written.setdefault("where", "")
        written.setdefault("whereLanguage", SearchLanguage.LUCENE.value)
        written.setdefault("select", "" if display in OF_COLUMNS else [])
        if isinstance(written["select"], list):
            written["select"] = [_value(each, display) for each in objects(written["select"])]
    return written


def _value(value: WireValues, display: object) -> WireDict:
    usual = {"aggCondition": "", "aggConditionLanguage": SearchLanguage.LUCENE.value, "valueExpression": ""}
    counted = {"aggFn": AggFn.COUNT.value} if display == DisplayType.HEATMAP else {}
    return {**counted, **usual, **value}


def _on_click(click: WireValues, name: _Names) -> WireDict:
    target = click.get("target")
    if not isinstance(target, Mapping) or target.get("mode") != OnClickTargetMode.ID:
        return dict(click)
    kind = Kind.DASHBOARD if click.get("type") == OnClickType.DASHBOARD else Kind.SOURCE
    named = name(kind, target.get("id"), ("config", "onClick", "target")) or ""
    return {**click, "target": {**target, "id": named}}


def _filter(item: WireValues, index: int, found: list[Loss], name_of: NameOf) -> WireDict:
    """Return a filter; the page requires an id, and gives it another one."""
    losses = Losses(f"filter {item.get('name')!r}")
    name = _Names(losses, name_of)
    written = {"id": f"filter-{index + 1}", **item}
    if item.get("type") != LIST:
        written["source"] = name(Kind.SOURCE, item.get("source"), ("source",)) or ""
    applies = item.get("appliesToSourceIds")
    if isinstance(applies, list) and applies:
        path = "appliesToSourceIds"
        written[path] = [name(Kind.SOURCE, each, (path, place)) or "" for place, each in enumerate(applies)]
    found += losses.found
    return written
