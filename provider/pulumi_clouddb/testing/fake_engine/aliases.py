"""Finding a resource's old state under a name, type or parent that it had before."""

from __future__ import annotations

from pulumi.runtime.proto import alias_pb2

from pulumi_clouddb.engine.wire import urns

from .deployment import Deployment
from .goal import Goal
from .state import Resource


class Aliases:
    """The renamings of one operation (deploy/step_generator.go, getOldResource and generateAliases)."""

    def __init__(self, run: Deployment) -> None:
        self._run = run
        self._old_name: dict[str, str] = {}

    def old_state(self, urn: str, goal: Goal) -> Resource | None:
        """Look a resource up by its URN first, then by each alias."""
        olds = self._run.olds()
        if urn in olds:
            return olds[urn]
        for alias in self._candidates(goal):
            if alias in olds:
                self._old_name[urn] = alias
                self._run.renamed[alias] = urn
                return olds[alias]
        return None

    def _candidates(self, goal: Goal) -> list[str]:
        own = [self._urn(goal, alias) for alias in goal.aliases]
        parent_alias = self._old_name.get(goal.parent)
        if parent_alias is None:
            return own
        # A child whose name starts with its parent's is taken to have been renamed with it.
        inherited = [self._inherited(goal.type, goal.name, goal.parent, parent_alias)]
        inherited += [self._inherited(urns.plain_type(u), urns.name(u), goal.parent, parent_alias) for u in own]
        return own + inherited

    def _urn(self, goal: Goal, alias: alias_pb2.Alias) -> str:
        if not alias.HasField("spec"):
            return alias.urn
        spec = alias.spec
        parent = "" if spec.noParent else self._old_name.get(spec.parentUrn, spec.parentUrn) or goal.parent
        settings = self._run.settings
        return urns.create(
            spec.stack or settings.stack,
            spec.project or settings.project,
            parent,
            spec.type or goal.type,
            spec.name or goal.name,
        )

    def _inherited(self, type_: str, name: str, parent: str, parent_alias: str) -> str:
        parent_name = urns.name(parent)
        if name.startswith(parent_name):
            name = urns.name(parent_alias) + name[len(parent_name) :]
        return urns.create(self._run.settings.stack, self._run.settings.project, parent_alias, type_, name)
