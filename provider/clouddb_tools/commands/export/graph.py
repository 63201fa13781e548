"""Turns objects into statements: variables, references in place of ids, and an order by dependency."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter
from typing import Any

from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.overrides import OverrideResource
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.values import show_path
from pulumi_clouddb.things.alerts.alert import Alert
from pulumi_clouddb.things.dashboards.dashboard import Dashboard
from pulumi_clouddb.things.postgres_services.postgres_service import POSTGRES_SERVICE
from pulumi_clouddb.things.services.service import SERVICE

from .names import Variables
from .reading import Found
from .statements import Json, Ref, Setting, Step

TILE_IDS = property_name(Dashboard, lambda own: own.tile_ids)
DASHBOARD_ID = property_name(Alert, lambda alert: alert.dashboard_id)

PROTECTED = (SERVICE.name, POSTGRES_SERVICE.name)
"""Resources whose deletion loses data."""

Path = tuple[str | int, ...]
Key = tuple[str | None, str]
"""The service in which an id is unique, and the id; None for the organization and the self-hosted server."""


@dataclass(frozen=True)
class Dangling:
    """The id of an object that the program does not declare.

    Attributes:
        kind: The kind of the object.
        object_id: The id.
        path: The property with the id.
    """

    kind: str
    object_id: str
    path: str


_ID = re.compile(r"[0-9a-fA-F-]{16,}")
"""The format of ids: properties with such names also have other texts."""


@dataclass
class _Node:
    """An object, with its references to other objects."""

    found: Found
    variable: str
    targets: dict[int, list[Path]] = field(default_factory=dict)
    literal: set[int] = field(default_factory=set)
    unwritable: list[str] = field(default_factory=list)
    dangling: list[Dangling] = field(default_factory=list)


def statements(
    objects: Sequence[Found],
    kinds: Collection[str] = (),
    can_refer: Callable[[Ref], bool] = lambda _: True,
    protected: Collection[str] = (),
) -> tuple[list[Step], list[Dangling]]:
    """Return the statements that declare objects, and the ids of undeclared objects in them.

    Args:
        objects: The objects, with their names.
        kinds: The kinds of undeclared objects to report.
        can_refer: Returns whether the language can write a reference.
        protected: The kinds of objects to protect from deletion.
    """
    steps, dangling = _Graph(objects, kinds, can_refer).statements()
    return [replace(step, protect=step.kind in protected) for step in steps], dangling


class _Graph:
    def __init__(self, objects: Sequence[Found], kinds: Collection[str], can_refer: Callable[[Ref], bool]) -> None:
        self._variables = Variables()
        self._kinds = kinds
        self._can_refer = can_refer
        self._nodes = [
            _Node(each, self._variables.free(each.name, RESOURCES[each.kind].type.snake_name)) for each in objects
        ]
        self._known: dict[Key, int] = {}
        self._tiles: dict[tuple[Key, str], tuple[int, str]] = {}
        for index, node in enumerate(self._nodes):
            self._add_ids(index, node.found)
        for index, node in enumerate(self._nodes):
            for path, value in _texts(node.found.inputs, ()):
                self._add_reference(index, node, path, value)

    def statements(self) -> tuple[list[Step], list[Dangling]]:
        self._break_cycles()
        steps = [self._step(self._nodes[index]) for index in self._order()]
        return steps, [each for node in self._nodes for each in node.dangling]

    def _add_ids(self, index: int, found: Found) -> None:
        resource = RESOURCES[found.kind]
        own = found.service_id if resource.type.state_inputs else None, found.object_id
        if not isinstance(resource, OverrideResource):  # its id is that of an object that it does not create
            self._known[own] = index
        tiles = found.live.state.get(TILE_IDS)
        for key, tile_id in tiles.items() if isinstance(tiles, Mapping) else ():
            self._tiles[own, tile_id] = index, key

    def _add_reference(self, index: int, node: _Node, path: Path, value: str) -> None:
        """Record the object to which a text in an object's inputs refers."""
        target = self._target(node, value)
        if target is not None and target[0] != index:
            if self._can_refer(self._ref(*target)):
                node.targets.setdefault(target[0], []).append(path)
            else:
                node.unwritable.append(show_path(path))
        elif target is None and _ID.fullmatch(value):
            kind = _kind_of(path)
            if kind in self._kinds and _may_be_declared(kind, node.found):
                node.dangling.append(Dangling(kind, value, show_path(path)))

    def _target(self, node: _Node, value: str) -> tuple[int, str | None] | None:
        """Return the object with an id, or the dashboard and the key of a tile with that id.

        Ids of tiles are unique only within their dashboard: a template that was imported twice has the same ids.
        """
        service_id, dashboard_id = node.found.service_id, node.found.inputs.get(DASHBOARD_ID)
        for key in ((service_id, value), (None, value)):
            if key in self._known:
                return self._known[key], None
        return self._tiles.get(((service_id, str(dashboard_id)), value))

    def _ref(self, index: int, tile: str | None) -> Ref:
        variable = self._nodes[index].variable
        return Ref(f"{variable}.id") if tile is None else Ref(f"{variable}.tileIds", tile)

    def _break_cycles(self) -> None:
        """Keep a literal id where objects refer to each other."""
        edges = {index: set(node.targets) for index, node in enumerate(self._nodes)}
        while cycle := _cycle(edges):
            target, index = cycle[:2]  # the second refers to the first
            edges[index].discard(target)
            self._nodes[index].literal.add(target)

    def _order(self) -> Iterator[int]:
        """Yield the objects after those they refer to, grouped by kind where possible."""
        rank = self._ranks()
        waiting = {index: set(node.targets) - node.literal for index, node in enumerate(self._nodes)}
        users: dict[int, list[int]] = {}
        for index, targets in waiting.items():
            for target in targets:
                users.setdefault(target, []).append(index)
        ready = [(rank[self._nodes[index].found.kind], index) for index, targets in waiting.items() if not targets]
        heapq.heapify(ready)
        while ready:
            _, index = heapq.heappop(ready)
            yield index
            for user in users.get(index, ()):
                waiting[user].discard(index)
                if not waiting[user]:
                    heapq.heappush(ready, (rank[self._nodes[user].found.kind], user))

    def _ranks(self) -> Mapping[str, int]:
        """Return the rank of each kind: after the kinds that its objects refer to, otherwise as in the registry."""
        needs: dict[str, set[str]] = {kind: set() for kind in RESOURCES}
        for node in self._nodes:
            kinds = {self._nodes[target].found.kind for target in set(node.targets) - node.literal}
            needs[node.found.kind] |= kinds - {node.found.kind}
        try:
            return {kind: rank for rank, kind in enumerate(TopologicalSorter(needs).static_order())}
        except CycleError:
            return {kind: rank for rank, kind in enumerate(RESOURCES)}

    def _step(self, node: _Node) -> Step:
        found, secrets = node.found, RESOURCES[node.found.kind].type.secrets
        properties: Json = {}
        for name, value in found.inputs.items():
            if name in secrets:
                properties[name] = Setting(self._variables.setting(node.variable, name))
            else:
                properties[name] = self._written(node, value)
        return Step(node.variable, found.kind, properties, found.name, tuple(self._notes(node)))

    def _written(self, node: _Node, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: self._written(node, item) for name, item in value.items()}
        if isinstance(value, list):
            return [self._written(node, item) for item in value]
        target = self._target(node, value) if isinstance(value, str) else None
        if target is None or target[0] not in node.targets or target[0] in node.literal:
            return value
        ref = self._ref(*target)
        return ref if self._can_refer(ref) else value

    def _notes(self, node: _Node) -> Iterator[str]:
        for kind, paths in _grouped(node.dangling).items():
            if kind != "Service":  # most objects have a service id, whose meaning is obvious
                yield f"{', '.join(paths)}: the id of {_article(kind)} that is not in this program."
        if omitted := node.found.live.left_out:
            faults = "; ".join(" ".join(str(failure).split()) for failure in omitted)
            yield f"Omitted, as a program cannot declare it; the server keeps it: {faults}."
        if node.unwritable:
            yield f"{', '.join(node.unwritable)}: the id itself, as this language cannot write the reference's key."
        for target in node.literal:
            paths = [show_path(path) for path in node.targets[target]]
            other = self._nodes[target].variable
            yield f"{', '.join(paths)}: the id of {other}, which refers to this resource."


def _cycle(edges: Mapping[int, set[int]]) -> list[int]:
    """Return objects of which each refers to the one before it, and the first to the last; empty without a cycle."""
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _texts(item, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*path, index))


def _kind_of(path: Path) -> str:
    """Return the kind of object whose id a property contains, from its name: `logSourceId`, `openApiKeys`."""
    name = next((part for part in reversed(path) if isinstance(part, str)), "").lower().removesuffix("s")
    name = name.removeprefix("open")
    for kind in RESOURCES:
        if name == kind.lower() or name.endswith(f"{kind.lower()}id"):
            return kind
    return ""


def _may_be_declared(kind: str, beside: Found) -> bool:
    """Return whether the server of an object has objects of a kind: servers of services have no connections."""
    forms = RESOURCES[kind].collection.LIST
    return not (forms.managed.server_kind == ServerKind.SELF_HOSTED and beside.service_id)


def _grouped(dangling: Sequence[Dangling]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for each in dangling:
        grouped.setdefault(each.kind, []).append(each.path)
    return grouped


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"
