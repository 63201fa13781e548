"""The dependency graph of a state (graph/dependency_graph.go)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .state import Resource


class DependencyGraph:
    """The resources of a state, which is in dependency order.

    URNs are not unique: a replaced resource that is pending deletion shares its URN with its successor.
    """

    def __init__(self, resources: Sequence[Resource]) -> None:
        self._resources = list(resources)
        self._parents = {each.urn: each.parent for each in resources}

    def in_delete_order(self, chosen: Iterable[Resource]) -> list[list[Resource]]:
        """Return groups of resources in deletion order: each resource is in a later group than its dependents."""
        selected = set(chosen)
        depth: dict[Resource, int] = {}
        for index, each in enumerate(self._resources):
            if each in selected:
                depth[each] = 1 + max((depth[other] for other in self._direct(index) if other in depth), default=-1)
        groups: dict[int, list[Resource]] = {}
        for each, level in depth.items():
            groups.setdefault(level, []).append(each)
        return [groups[level] for level in sorted(groups, reverse=True)]

    def needed_by(self, resource: Resource) -> set[Resource]:
        """Return all direct and indirect dependencies of a resource.

        If two resources share a URN, the dependency is the one whose pending deletion equals the dependent's.
        """
        dependencies: set[Resource] = set()
        pending = [resource]
        while pending:
            each = pending.pop()
            for urn in each.depends_on():
                candidates = [other for other in self._resources if other.urn == urn]
                matching = [other for other in candidates if other.delete == each.delete] or candidates
                new = set(matching) - dependencies
                dependencies |= new
                pending.extend(new)
        return dependencies

    def _direct(self, index: int) -> list[Resource]:
        """The direct dependencies of a resource; a component includes its children."""
        resource, before = self._resources[index], self._resources[:index]
        wanted = resource.depends_on()
        components = {each.urn for each in before if each.urn in wanted and not each.custom} - {resource.parent}
        return [each for each in before if each.urn in wanted or self._is_inside(each, components)]

    def _is_inside(self, resource: Resource, components: set[str]) -> bool:
        parent = resource.parent if components else ""
        while parent and parent not in components:
            parent = self._parents.get(parent, "")
        return bool(parent)
