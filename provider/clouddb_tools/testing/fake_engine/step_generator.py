"""The steps of a registration, and of the end of the program (deploy/step_generator.go)."""

from __future__ import annotations

from pulumi.runtime.proto import alias_pb2

from pulumi_clouddb.engine.wire import urns
from pulumi_clouddb.engine.wire.codec import Properties
from pulumi_clouddb.engine.wire.secret import strip

from . import steps
from .decision import Decision, decide
from .deployment import Deployment
from .goal import Goal
from .graph import DependencyGraph
from .provider import Diff
from .state import Resource
from .values import ignoring, same


class StepRefusedError(Exception):
    """A registration cannot be carried out; the text is the reason."""


class InvalidRequestError(Exception):
    """The provider's Check returned failures."""


class StepGenerator:
    """Plans one registration at a time, as the engine does: Check and Diff never run in parallel."""

    def __init__(self, run: Deployment) -> None:
        self._run = run
        self._aliases = Aliases(run)
        self._goals: dict[str, Goal] = {}
        self._seen: set[str] = set()
        self._handled: set[Resource] = set()
        self._replaced: set[str] = set()
        self._deleted: set[str] = set()
        self._deleted_early: set[Resource] = set()

    def register(self, goal: Goal) -> list[steps.Step]:
        """Return the steps for a resource that the program manages."""
        if goal.parent in self._goals:
            goal.inherit(self._goals[goal.parent])
        urn = self._new_urn(goal)
        self._goals[urn] = goal
        old = self._aliases.old_state(urn, goal)
        new = goal.resource(urn)
        recreating = old is not None and (urn in self._deleted or old.urn in self._deleted)
        if goal.custom:
            olds = None if old is None or old.external or recreating or self._is_targeted(urn) else old
            news = goal.properties if olds is None else ignoring(goal.properties, olds.inputs, goal.ignore_changes)
            new.inputs = self._checked(urn, olds.inputs if olds else {}, news)
        if old is None:
            return [steps.Create(None, new)]
        self._handled.add(old)
        if recreating:
            # It depended on a resource that is replaced by deleting first, and was deleted with it.
            self._deleted -= {urn, old.urn}
            self._replaced.add(urn)
            return [steps.Replace(old, new), steps.CreateReplacement(old, new, delete_later=False)]
        if old.external:
            return [steps.CreateReplacement(old, new), steps.Replace(old, new)]
        return self._compared(goal, old, new)

    def read(self, goal: Goal) -> list[steps.Step]:
        """Return the steps for a resource that others manage."""
        urn = self._new_urn(goal)
        old = self._aliases.old_state(urn, goal)
        new = goal.resource(urn, external=True)
        if old is None:
            return [steps.Read(None, new)]
        self._handled.add(old)
        if not old.external and old.id != goal.id:
            self._replaced.add(urn)
            return [steps.ReadReplacement(old, new), steps.Replace(old, new)]
        return [steps.Read(old, new)]

    def deletes(self) -> list[list[steps.Step]]:
        """Return the deletions after the program has ended, in groups that can run in parallel.

        They delete replaced objects and resources that the program no longer contains, dependents first
        (GenerateDeletes and ScheduleDeletes).
        """
        planned: dict[Resource, steps.Step] = {}
        for old in self._run.base:
            if old.delete:
                if old not in self._deleted_early:
                    planned[old] = steps.Delete(old, None, replacing=True)
            elif old not in self._handled:
                pending = old.pending_replacement
                planned[old] = steps.ForgetPending(old, None) if pending else steps.Delete(old, None)
            if old in planned:
                self._deleted.add(old.urn)
        for step in planned.values():
            if isinstance(step, steps.Delete):
                step.skipped = step.resource.deleted_with in self._deleted
        return [[planned[each] for each in group] for group in DependencyGraph(self._run.base).in_delete_order(planned)]

    def _new_urn(self, goal: Goal) -> str:
        if goal.parent and goal.parent not in self._seen:
            raise StepRefusedError(f"could not find parent resource {goal.parent}")
        settings = self._run.settings
        urn = urns.create(settings.stack, settings.project, goal.parent, goal.type, goal.name)
        if urn in self._seen:
            raise StepRefusedError(f"Duplicate resource URN '{urn}'; try giving it a unique name")
        self._seen.add(urn)
        return urn

    def _checked(self, urn: str, olds: Properties, news: Properties) -> Properties:
        # Only previews pass unknowns to Check; the inputs of an up are all known.
        inputs, failures = self._run.provider().check(urn, olds, news, unknowns=self._run.settings.preview)
        for name, reason in failures:
            kind = f"{urns.plain_type(urn)} resource '{urns.name(urn)}'"
            where = f": property {name} value {_shown(inputs, name)} has a problem" if name else " has a problem"
            self._run.recorder.error(f"{kind}{where}: {reason}", urn)
        if failures:
            raise InvalidRequestError
        return inputs

    def _compared(self, goal: Goal, old: Resource, new: Resource) -> list[steps.Step]:
        diff = self._diff(goal, old, new).with_option(goal.replace_on_changes)
        decision = decide(
            changes=diff.changes,
            replaces=bool(diff.replaces),
            delete_first=diff.delete_before_replace
            if goal.delete_before_replace is None
            else goal.delete_before_replace,
            pending_replacement=old.pending_replacement,
        )
        if decision is Decision.SAME:
            return [steps.Same(old, new)]
        if decision is Decision.UPDATE:
            return [steps.Update(old, new, diff)]
        return self._replacement(goal, old, new, diff, decision)

    def _is_targeted(self, urn: str) -> bool:
        """Return whether the user requested a replacement, which needs no Diff (isTargetedReplace)."""
        return urn in self._run.settings.replace

    def _diff(self, goal: Goal, old: Resource, new: Resource) -> Diff:
        if self._is_targeted(new.urn):
            return Diff(True, ("id",))
        for reason, other in [("replaceWith", urn) for urn in goal.replace_with] + [("deletedWith", goal.deleted_with)]:
            if other in self._replaced:
                return Diff(True, (reason,))
        if not goal.custom:
            return Diff(not same(old.inputs, new.inputs))
        return self._run.provider().diff(old, new.inputs, goal.ignore_changes, unknowns=self._run.settings.preview)

    def _replacement(
        self, goal: Goal, old: Resource, new: Resource, diff: Diff, decision: Decision
    ) -> list[steps.Step]:
        if old.protect and new.protect:
            raise StepRefusedError(
                f"resource {old.urn!r} cannot be replaced because it is protected; remove its `protect` option "
                "and run `up` again"
            )
        self._replaced.add(new.urn)
        if goal.custom and not self._is_targeted(new.urn):
            # Check must not copy defaults from the inputs of the old object.
            new.inputs = self._checked(new.urn, {}, goal.properties)
        if decision is Decision.CREATE_FIRST:
            return [steps.CreateReplacement(old, new, diff), steps.Replace(old, new, diff)]
        before = self._early_deletes(old)
        if not old.pending_replacement:
            self._deleted.add(old.urn)
            before.append(steps.Delete(old, None, replacing=True, keep_state=True))
        return [*before, steps.Replace(old, new, diff), steps.CreateReplacement(old, new, diff, delete_later=False)]

    def _early_deletes(self, root: Resource) -> list[steps.Step]:
        deletes: list[steps.Step] = []
        for dependent in reversed(self._replaced_dependents(root)):
            if dependent in self._deleted_early:
                continue
            if dependent.protect:
                raise StepRefusedError(
                    f"resource {dependent.urn!r} would have to be replaced with {root.urn!r}, but it is protected; "
                    "remove its `protect` option and run `up` again"
                )
            self._deleted.add(dependent.urn)
            self._deleted_early.add(dependent)
            skipped = dependent.deleted_with == root.urn
            deletes.append(steps.Delete(dependent, None, replacing=True, keep_state=True, skipped=skipped))
        return deletes

    def _replaced_dependents(self, root: Resource) -> list[Resource]:
        """The dependents that are deleted before `root`, because they would be replaced with it.

        Each gets a Diff, in dependency order, with unknowns for values of deleted resources, also in an up
        (calculateDependentReplacements).
        """
        deleted = {root.urn}
        dependents = []
        after = self._run.base[self._run.base.index(root) + 1 :]
        for each in after:
            if each.delete or not each.custom or each.external or each in self._handled:
                continue
            if each.deleted_with in deleted or root.urn in each.replace_with or self._would_be_replaced(each, deleted):
                dependents.append(each)
                deleted.add(each.urn)
        return dependents

    def _would_be_replaced(self, resource: Resource, deleted: set[str]) -> bool:
        inputs = steps.unknown_inputs(resource, deleted)
        if inputs is None:
            return False
        diff = self._run.provider().diff(resource, inputs, resource.ignore_changes, unknowns=True)
        return bool(diff.with_option(resource.replace_on_changes).replaces)


def _shown(inputs: Properties, name: str) -> str:
    if name not in inputs:
        return "{<nil>}"
    value = inputs[name]
    if value is not strip(value) and value != strip(value):
        return "{[secret]}"
    return f"{{{str(value).lower() if isinstance(value, bool) else value}}}"


class Aliases:
    """The aliases of one operation (deploy/step_generator.go, getOldResource and generateAliases)."""

    def __init__(self, run: Deployment) -> None:
        self._run = run
        self._old_name: dict[str, str] = {}

    def old_state(self, urn: str, goal: Goal) -> Resource | None:
        """Return the old state by the URN, or by the first matching alias."""
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
        # A child whose name starts with its parent's name is assumed to be renamed with the parent.
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
