"""A file of a dashboard as inputs of a Dashboard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pulumi_clouddb.schema.observability import SearchLanguage
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.things.dashboards.parts import LABEL, LIST, QUERY, VARIABLES_ONLY, SavedFilterKind

from .api_form import in_document_form
from .conditions import MixedLanguagesError, condition, in_sql
from .file import (
    FileContainer,
    FileDashboard,
    FileFilter,
    FileFilterValue,
    FileTile,
    Form,
    dashboard_of,
    form_of_file,
    loaded,
)
from .losses import Loss, Losses
from .names import Kind, Refer
from .tiles import config_of

_OF_THE_SERVER = frozenset(
    {
        *("id", "own_id", "own_version", "team", "created_by", "updated_by", "created_at", "updated_at"),
        *("version", "description"),  # of the file: the page does not store them, either
        *("saved_query_language", "provisioned"),  # of `savedQuery`; reported if it is true
    }
)


@dataclass(frozen=True)
class Converted:
    """A file as inputs.

    Attributes:
        inputs: Inputs of a Dashboard, by wire name.
        losses: What the API cannot express, in the order of the file.
    """

    inputs: WireDict
    losses: Sequence[Loss]


def read_file(text: str) -> FileDashboard:
    """Return the dashboard in the text of a file.

    Raises:
        ResourceError: The text is no dashboard.
    """
    content = loaded(text)
    return dashboard_of(in_document_form(content) if form_of_file(content) is Form.API else content)


def converted(board: FileDashboard, refer: Refer) -> Converted:
    """Return the inputs for a file, without the tiles and filters that would show other data."""
    losses = Losses()
    found: list[Loss] = []
    with losses.reading(board, (), without_meaning=_OF_THE_SERVER) as read:
        inputs: WireDict = {"name": read.name, "tiles": []}
        if read.tags:
            inputs["tags"] = read.tags
        if read.provisioned:
            losses.warn(("provisioned",), "the server's provisioner writes this dashboard again each minute")
        inputs |= _saved(read, losses)
        containers = read.containers or []
        if containers:
            inputs["containers"] = [_container(each, index, losses) for index, each in enumerate(containers)]
        if filters := _filters(read.filters or [], found, refer):
            inputs["filters"] = filters
        tabs = {each.id: {tab.id for tab in each.tabs or ()} for each in containers}
        for key, tile in zip(_keys(read.tiles), read.tiles, strict=True):
            inputs["tiles"] += _tile(tile, key, tabs, found, refer)
    return Converted(inputs, [*losses.found, *found])


def _keys(tiles: Sequence[FileTile]) -> list[str]:
    """Return a unique key for each tile: its id, or else its name."""
    wanted = [(tile.id or tile.config.name or "").strip() or "tile" for tile in tiles]
    several = {wish for wish, count in Counter(wanted).items() if count > 1}
    keys: list[str] = []
    for index, wish in enumerate(wanted):
        key = f"{wish}-{index + 1}" if wish in several else wish
        while key in keys or (key != wish and key in wanted):
            key += "-"
        keys.append(key)
    return keys


def _tile(tile: FileTile, key: str, tabs: Mapping[str, set[str]], found: list[Loss], refer: Refer) -> list[WireDict]:
    """Return a tile as a list, which is empty if it would show other data."""
    name = tile.config.name or ""
    losses = Losses(f"tile {name or key!r}", key)
    with losses.reading(tile, (), without_meaning={"id"}) as read:
        written: WireDict = {"key": key, "name": name}
        for place, value in (("x", read.x), ("y", read.y), ("w", read.w), ("h", read.h)):
            if value is not None:
                written[place] = value
        container, tab = read.container_id, read.tab_id
        if container and container not in tabs:
            losses.warn(("containerId",), f"the dashboard has no container {container!r}")
        elif container:
            written["containerId"] = container
            if tab and tab not in tabs[container]:
                losses.warn(("tabId",), f"the container has no tab {tab!r}")
            elif tab:
                written["tabId"] = tab
        elif tab:
            losses.warn(("tabId",), "the tile is in no container")
        written["config"] = config_of(read.config, losses, refer)
    found += losses.found
    return [] if losses.has_error else [written]


def _filters(items: Sequence[FileFilter], found: list[Loss], refer: Refer) -> list[WireDict]:
    """Return the filters; of those that a Dashboard cannot tell apart, only the first."""
    written: list[WireDict] = []
    known = set[tuple[str | None, ...]]()
    for item in items:
        identity = (item.name, item.expression, item.source)
        if identity in known:
            losses = Losses(f"filter {item.name!r}")
            losses.error(
                (), "a Dashboard tells filters apart by name, expression and source, and another one has these"
            )
            found += losses.found
        else:
            written += _filter(item, found, refer)
        known.add(identity)
    return written


def _filter(item: FileFilter, found: list[Loss], refer: Refer) -> list[WireDict]:
    """Return a filter as a list, which is empty if tiles would show other data; the server assigns its id."""
    losses = Losses(f"filter {item.name!r}")
    broadcasts = item.is_broadcast_enabled is not False and item.type not in VARIABLES_ONLY
    is_variable = bool(item.is_variable_enabled) or item.type in VARIABLES_ONLY
    unused = {"id", "where_language"}
    unused |= set() if broadcasts else {"applies_to_source_ids"}
    unused |= set() if is_variable else {"variable_name"}
    with losses.reading(item, (), without_meaning=unused) as read:
        written: WireDict = {"type": read.type, "name": read.name, **_values_of_filter(read, losses, refer)}
        applies = read.applies_to_source_ids if broadcasts else None
        optional = {
            "sourceMetricType": read.source_metric_type,
            "where": read.where or None,
            "whereLanguage": (read.where_language or SearchLanguage.SQL.value) if read.where else None,
            "appliesToSourceIds": [refer(Kind.SOURCE, each) for each in applies] if applies else None,
            "isBroadcastEnabled": read.is_broadcast_enabled,
            "isVariableEnabled": read.is_variable_enabled,
            "variableName": read.variable_name if is_variable else None,
        }
        written |= {name: value for name, value in optional.items() if value is not None}
    found += losses.found
    return [] if losses.has_error else [written]


def _values_of_filter(read: FileFilter, losses: Losses, refer: Refer) -> WireDict:
    """Return where the values of a filter come from."""
    if read.type == LIST:
        options = read.options or []
        if not options or not all(isinstance(each, str) for each in options):
            losses.error(("options",), "the API has a list of texts")
        return {"options": options}
    if read.type not in (QUERY, LABEL):
        losses.error(("type",), f"the API has no filters of the type {read.type!r}")
        return {}
    name, value = ("expression", read.expression) if read.type == QUERY else ("label", read.label)
    written: WireDict = {name: value}
    if not value:
        losses.error((name,), "it is missing")
    if read.type == LABEL and read.match is not None:
        written["match"] = read.match
    if read.source:
        written["sourceId"] = refer(Kind.SOURCE, read.source)
    else:
        losses.error(("source",), "the source is missing: it did not exist at the export")
    return written


def _container(item: FileContainer, index: int, losses: Losses) -> WireDict:
    path = ("containers", index)
    with losses.reading(item, path) as read:
        written: WireDict = {"id": read.id, "title": read.title, "collapsed": bool(read.collapsed)}
        if read.collapsible is not None:
            written["collapsible"] = read.collapsible
        if read.bordered is not None:
            written["bordered"] = read.bordered
        if read.tabs is not None:
            written["tabs"] = []
            for number, tab in enumerate(read.tabs):
                with losses.reading(tab, (*path, "tabs", number)) as each:
                    written["tabs"].append({"id": each.id, "title": each.title})
    return written


def _saved(read: FileDashboard, losses: Losses) -> WireDict:
    """Return the query and the conditions of the dashboard when it is opened."""
    written: WireDict = {}
    if read.saved_query:
        written["savedQuery"] = read.saved_query
        written["savedQueryLanguage"] = read.saved_query_language or SearchLanguage.LUCENE.value
    values = read.saved_filter_values or []
    conditions = [each for index, value in enumerate(values) for each in _saved_value(value, index, losses)]
    if conditions:
        written["savedFilterValues"] = conditions
    return written


def _saved_value(value: FileFilterValue, index: int, losses: Losses) -> list[WireDict]:
    path = ("savedFilterValues", index)
    with losses.reading(value, path) as read:
        if read.type == "sql_ast" and read.left and read.operator and read.right:
            return [{"type": SavedFilterKind.SQL.value, "condition": f"{read.left} {read.operator} {read.right}"}]
        if read.type == SavedFilterKind.VARIABLE and read.name is not None:
            return [{"type": read.type, "name": read.name, "values": read.values or []}]
        text = read.condition
    if value.type in (None, *SearchLanguage) and text is not None:
        try:
            return [{"type": SavedFilterKind.SQL.value, "condition": in_sql(condition(text, value.type)).text}]
        except MixedLanguagesError:
            losses.warn(path, f"the API has only conditions in SQL, and {text!r} has no certain equivalent")
    else:
        losses.warn(path, f"the API has only conditions in SQL, and none of the type {value.type!r}")
    return []
