"""Who depends on whom among the resources of a state (graph/dependency_graph.go)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .state import Resource


class DependencyGraph:
    """The resources of a state, which is in dependency order.

    URNs are not unique in it: while a replaced object waits for its deletion, it shares its URN with its successor.
    """

    def __init__(self, resources: Sequence[Resource]) -> None:
        self._resources = list(resources)
        self._parents = {each.urn: each.parent for each in resources}

    def in_delete_order(self, chosen: Iterable[Resource]) -> list[list[Resource]]:
        """Group resources so that each comes in a later group than all that depend on it."""
        left = set(chosen)
        depth: dict[Resource, int] = {}
        for index, each in enumerate(self._resources):
            if each in left:
                depth[each] = 1 + max((depth[other] for other in self._direct(index) if other in depth), default=-1)
        groups: dict[int, list[Resource]] = {}
        for each, level in depth.items():
            groups.setdefault(level, []).append(each)
        return [groups[level] for level in sorted(groups, reverse=True)]

    def needed_by(self, resource: Resource) -> set[Resource]:
        """All that a resource depends on, directly or not.

        Of two that share a URN the one is meant that is about to be deleted, or not, like the dependent itself.
        """
        found: set[Resource] = set()
        left = [resource]
        while left:
            each = left.pop()
            for urn in each.depends_on():
                named = [other for other in self._resources if other.urn == urn]
                meant = [other for other in named if other.delete == each.delete] or named
                new = set(meant) - found
                found |= new
                left.extend(new)
        return found

    def _direct(self, index: int) -> list[Resource]:
        """What one resource depends on; a component stands for its children too."""
        resource, before = self._resources[index], self._resources[:index]
        wanted = resource.depends_on()
        components = {each.urn for each in before if each.urn in wanted and not each.custom} - {resource.parent}
        return [each for each in before if each.urn in wanted or self._is_inside(each, components)]

    def _is_inside(self, resource: Resource, components: set[str]) -> bool:
        parent = resource.parent if components else ""
        while parent and parent not in components:
            parent = self._parents.get(parent, "")
        return bool(parent)
