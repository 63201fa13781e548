"""Turns objects into statements: variables, references in place of ids, and an order by dependency."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple

from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.overrides import OverrideResource
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.common import ASSIGNED_ROLES, SYSTEM, AssignedRole
from pulumi_clouddb.schema.convert import construct
from pulumi_clouddb.schema.names import ID, property_name
from pulumi_clouddb.schema.resource_type import with_article
from pulumi_clouddb.schema.values import show_path
from pulumi_clouddb.things.alerts.alert import Alert
from pulumi_clouddb.things.dashboards.dashboard import Dashboard
from pulumi_clouddb.things.postgres_services.postgres_service import POSTGRES_SERVICE
from pulumi_clouddb.things.roles.role import ROLE
from pulumi_clouddb.things.services.service import SERVICE

from .loops import LEAST, loop_of
from .names import Variables
from .reading import Found
from .statements import Joined, Json, Member, Ref, Setting, Step

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

_WORDS = re.compile(r"[0-9a-zA-Z_-]{16,}")
"""The words of a text that can be or contain an id."""

_PARTS_OF_WORDS = re.compile(r"[0-9a-zA-Z]+")


class _Target(NamedTuple):
    """An output of an object: its id, or another id that only it has.

    Attributes:
        owner: The object.
        output: The output.
        key: The key in it: that of a tile.
    """

    owner: int
    output: str = ID
    key: str | None = None


@dataclass
class _Node:
    """An object, with its references to other objects."""

    found: Found
    variable: str
    member: Member | None = None
    targets: dict[int, list[Path]] = field(default_factory=dict)
    literal: set[int] = field(default_factory=set)
    unwritable: list[str] = field(default_factory=list)
    own: list[str] = field(default_factory=list)
    dangling: list[Dangling] = field(default_factory=list)
    of_system: list[tuple[str, str]] = field(default_factory=list)


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
        self._settings: dict[tuple[str, str], Setting] = {}
        self._kinds = kinds
        self._can_refer = can_refer
        self._nodes = [
            _Node(each, self._variables.free(each.name, RESOURCES[each.kind].type.snake_name)) for each in objects
        ]
        self._known: dict[Key, _Target] = {}
        self._tiles: dict[tuple[Key, str], _Target] = {}
        self._assigned: dict[str, list[_Target]] = {}
        self._outputs: dict[tuple[str, str], list[_Target]] = {}
        for index, node in enumerate(self._nodes):
            self._add_ids(index, node.found)
        for index, node in enumerate(self._nodes):
            secrets = RESOURCES[node.found.kind].type.secrets
            for path, value in _texts(node.found.inputs, ()):
                if path[0] not in secrets:  # those are settings
                    self._add_references(index, node, path, value)

    def statements(self) -> tuple[list[Step], list[Dangling]]:
        self._break_cycles()
        self._find_loops()
        steps = [self._step(self._nodes[index]) for index in self._order()]
        return steps, [each for node in self._nodes for each in node.dangling]

    def _add_ids(self, index: int, found: Found) -> None:
        resource = RESOURCES[found.kind]
        own = found.service_id if resource.type.state_inputs else None, found.object_id
        given = {value for _, value in _texts(found.inputs, ())}
        is_assigned = found.object_id not in given  # not a name, nor the id of an object that it does not create
        if is_assigned or not isinstance(resource, OverrideResource):
            self._known[own] = _Target(index)
            if is_assigned or _ID.fullmatch(found.object_id):
                self._assigned.setdefault(found.object_id, []).append(_Target(index))
        tiles = found.live.state.get(TILE_IDS)
        for key, tile_id in tiles.items() if isinstance(tiles, Mapping) else ():
            self._tiles[own, tile_id] = _Target(index, TILE_IDS, key)
        for name in wire_names(resource.type.inputs):
            value = found.live.state.get(name)
            if name not in found.inputs and name.endswith("Id") and isinstance(value, str):
                self._outputs.setdefault((name, value), []).append(_Target(index, name))

    def _add_references(self, index: int, node: _Node, path: Path, value: str) -> None:
        """Record the objects to which a text in an object's inputs refers."""
        targets = [(text, target) for text, target in self._pieces(node, path, value) if target is not None]
        for text, target in targets:
            if target.owner != index and self._can_refer(self._ref(target)):
                node.targets.setdefault(target.owner, []).append(path)
            elif target.owner != index:
                node.unwritable.append(show_path(path))
            elif text != value:
                node.own.append(show_path(path))
        if not targets and _ID.fullmatch(value):
            kind, system_roles = _kind_of(path), _system_roles(node.found)
            if kind == ROLE.name and value in system_roles:
                node.of_system.append((show_path(path), system_roles[value]))
            elif kind in self._kinds and _may_be_declared(kind, node.found):
                node.dangling.append(Dangling(kind, value, show_path(path)))

    def _pieces(self, node: _Node, path: Path, value: str) -> Iterator[tuple[str, _Target | None]]:
        """Yield the pieces of a text: the whole text, or the ids in it and what is between them."""
        if whole := self._target(node, path, value):
            yield value, whole
            return
        rest = 0
        for start, end in self._ids_in(value):
            if target := self._assigned_to(node, value[start:end]):
                yield value[rest:start], None
                yield value[start:end], target
                rest = end
        yield value[rest:], None

    def _ids_in(self, value: str) -> Iterator[tuple[int, int]]:
        """Yield the places of ids in a text: words, which may be part of another, as in `instance-ID`."""
        for word in _WORDS.finditer(value):
            parts = [each.span() for each in _PARTS_OF_WORDS.finditer(value, *word.span())]
            at = 0
            for index, (start, _) in enumerate(parts):
                ends = (end for _, end in reversed(parts[index:]) if value[start:end] in self._assigned)
                if start >= at and (end := next(ends, 0)):
                    yield start, end
                    at = end

    def _assigned_to(self, node: _Node, object_id: str) -> _Target | None:
        """Return the object to which a server assigned an id: that of the same server, if several have it."""
        for key in ((node.found.service_id, object_id), (None, object_id)):
            if key in self._known:
                return self._known[key]
        targets = self._assigned[object_id]
        return targets[0] if len(targets) == 1 else None

    def _target(self, node: _Node, path: Path, value: str) -> _Target | None:
        """Return the object with an id, or the dashboard and the key of a tile with that id.

        Ids of tiles are unique only within their dashboard: a template that was imported twice has the same ids.
        """
        service_id, dashboard_id = node.found.service_id, node.found.inputs.get(DASHBOARD_ID)
        for key in ((service_id, value), (None, value)):
            if key in self._known:
                return self._known[key]
        if tile := self._tiles.get(((service_id, str(dashboard_id)), value)):
            return tile
        outputs = self._outputs.get((str(path[0]), value), []) if len(path) == 1 else []
        return outputs[0] if len(outputs) == 1 else None

    def _ref(self, target: _Target) -> Ref:
        node = self._nodes[target.owner]
        return Ref(f"{node.variable}.{target.output}", target.key, node.member)

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
        units = self._units()
        waiting = self._waiting(units)
        users: dict[int, list[int]] = {}
        for index, targets in waiting.items():
            for target in targets:
                users.setdefault(target, []).append(index)
        ready = [(rank[self._nodes[index].found.kind], index) for index, targets in waiting.items() if not targets]
        heapq.heapify(ready)
        while ready:
            _, index = heapq.heappop(ready)
            yield from units[index]
            for user in users.get(index, ()):
                waiting[user].discard(index)
                if not waiting[user]:
                    heapq.heappush(ready, (rank[self._nodes[user].found.kind], user))

    def _units(self) -> dict[int, list[int]]:
        """Return the objects that the program declares together, by the first of them."""
        units: dict[int, list[int]] = {}
        firsts: dict[str, int] = {}
        for index, node in enumerate(self._nodes):
            first = firsts.setdefault(node.member.group, index) if node.member else index
            units.setdefault(first, []).append(index)
        return units

    def _waiting(self, units: Mapping[int, Sequence[int]]) -> dict[int, set[int]]:
        """Return the units that each unit refers to."""
        first = {index: each for each, members in units.items() for index in members}
        return {
            each: {first[target] for index in members for target in self._needed(self._nodes[index])}
            for each, members in units.items()
        }

    def _needed(self, node: _Node) -> set[int]:
        return set(node.targets) - node.literal

    def _find_loops(self) -> None:
        """Declare the objects of one `for_each` of Terraform together, if they have one shape and no cycle results."""
        groups: dict[tuple[str, str], list[_Node]] = {}
        for node in self._nodes:
            if node.found.wish.group:
                groups.setdefault((node.found.kind, node.found.wish.group), []).append(node)
        for (kind, name), nodes in groups.items():
            if len(nodes) < LEAST:
                continue
            variable = self._variables.free(name, RESOURCES[kind].type.snake_name)
            for node in nodes:
                node.member = Member(variable, node.found.wish.key)
            is_loop = loop_of([self._step(node) for node in nodes]) and not _cycle(self._waiting(self._units()))
            for node in nodes:
                node.member = node.member if is_loop else None

    def _ranks(self) -> Mapping[str, int]:
        """Return the rank of each kind: after the kinds that its objects refer to, otherwise as in the registry."""
        needs: dict[str, set[str]] = {kind: set() for kind in RESOURCES}
        for node in self._nodes:
            kinds = {self._nodes[target].found.kind for target in self._needed(node)}
            needs[node.found.kind] |= kinds - {node.found.kind}
        try:
            return {kind: rank for rank, kind in enumerate(TopologicalSorter(needs).static_order())}
        except CycleError:
            return {kind: rank for rank, kind in enumerate(RESOURCES)}

    def _step(self, node: _Node) -> Step:
        found, secrets = node.found, RESOURCES[node.found.kind].type.secrets
        properties: Json = {}
        for name, value in found.inputs.items():
            if name in found.completed:
                continue
            if name in secrets:
                properties[name] = self._setting(node, name)
            else:
                properties[name] = self._written(node, value, (name,))
        notes = tuple(self._notes(node))
        return Step(node.variable, found.kind, properties, found.name, notes, member=node.member)

    def _setting(self, node: _Node, name: str) -> Setting:
        key = node.variable, name
        if key not in self._settings:
            self._settings[key] = Setting(self._variables.setting(*key))
        return self._settings[key]

    def _written(self, node: _Node, value: Any, path: Path) -> Any:
        if isinstance(value, Mapping):
            return {name: self._written(node, item, (*path, name)) for name, item in value.items()}
        if isinstance(value, list):
            return [self._written(node, item, (*path, index)) for index, item in enumerate(value)]
        if not isinstance(value, str):
            return value
        parts: list[str | Ref] = [""]
        for text, target in self._pieces(node, path, value):
            ref = self._reference(node, target)
            if ref is not None:
                parts += [ref, ""]
            else:
                parts[-1] = f"{parts[-1]}{text}"
        written = [each for each in parts if each != ""]
        if len(written) <= 1:
            return written[0] if written else ""
        return Joined(tuple(written))

    def _reference(self, node: _Node, target: _Target | None) -> Ref | None:
        """Return the reference to a target, or None if the program has the id itself."""
        if target is None or target.owner not in node.targets or target.owner in node.literal:
            return None
        ref = self._ref(target)
        return ref if self._can_refer(ref) else None

    def _notes(self, node: _Node) -> Iterator[str]:
        for kind, paths in _grouped(node.dangling).items():
            if kind != "Service":  # most objects have a service id, whose meaning is obvious
                yield f"{', '.join(paths)}: the id of {with_article(kind)} that is not in this program."
        for path, name in node.of_system:
            yield f"{path}: the id of the system role {name}, which no program declares."
        if omitted := node.found.live.left_out:
            faults = "; ".join(" ".join(str(failure).split()) for failure in omitted)
            yield f"Omitted, as a program cannot declare it; the server keeps it: {faults}."
        if node.unwritable:
            yield f"{', '.join(node.unwritable)}: the id itself, as this language cannot write the reference's key."
        if node.own:
            yield f"{', '.join(node.own)}: the id of this resource itself."
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


def _system_roles(found: Found) -> Mapping[str, str]:
    """Return the names of the system's roles that a key, a member or an invitation has, by id."""
    roles = (construct(AssignedRole, each) for each in found.live.state.get(ASSIGNED_ROLES) or ())
    return {str(each.role_id): str(each.role_name or each.role_id) for each in roles if each.role_type == SYSTEM}


def _may_be_declared(kind: str, beside: Found) -> bool:
    """Return whether the server of an object has objects of a kind: servers of services have no connections."""
    forms = RESOURCES[kind].collection.LIST
    return not (forms.managed.server_kind == ServerKind.SELF_HOSTED and beside.service_id)


def _grouped(dangling: Sequence[Dangling]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for each in dangling:
        grouped.setdefault(each.kind, []).append(each.path)
    return grouped
