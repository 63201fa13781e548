"""The steps of a deployment (deploy/step.go and deploy/step_executor.go)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, cast

from clouddb_tools.testing import result
from pulumi_clouddb.engine.wire.codec import UNKNOWN_TEXT, Properties
from pulumi_clouddb.engine.wire.secret import Secret
from pulumi_clouddb.schema.values import UNKNOWN

from . import values
from .deployment import Deployment
from .provider import Diff, ProviderError
from .state import Resource


@dataclass
class Step:
    """A step on one resource; `old` and `new` are its states before and after."""

    old: Resource | None
    new: Resource | None
    diff: Diff | None = None

    op: ClassVar[str] = ""
    counted: ClassVar[bool] = True

    @property
    def resource(self) -> Resource:
        """The new state, or the old one if there is no new one."""
        return cast("Resource", self.new or self.old)

    @property
    def before(self) -> Resource:
        """The old state; only for steps that have one."""
        return cast("Resource", self.old)

    @property
    def after(self) -> Resource:
        """The new state; only for steps that have one."""
        return cast("Resource", self.new)

    def apply(self, run: Deployment) -> None:
        """Execute the step and update the state; raises ProviderError."""

    def reported(self) -> str:
        """The op that is shown and counted."""
        return self.op

    def is_counted(self) -> bool:
        """Whether the summary counts the step."""
        return self.counted

    def public(self) -> result.Step:
        """The public form of the step."""
        resource = self.resource
        changed: tuple[str, ...] = ()
        if self.old is not None and self.new is not None:
            changed = values.changed_keys(self.old.inputs, self.new.inputs)
        replaced_by = self.diff.replaces if self.diff else ()
        return result.Step(self.reported(), resource.urn, resource.type, resource.name, changed, tuple(replaced_by))


def _mark(new: Resource) -> None:
    """Mark outputs as secret that are named in the resource's options or are secret inputs (continueExecuteStep)."""
    values.mark_keys(new.outputs, new.additional_secret_outputs)
    values.mark_keys(new.outputs, [key for key, value in new.inputs.items() if isinstance(value, Secret)])


def _replace_in_state(new: Resource, run: Deployment, old: Resource | None) -> None:
    _mark(new)
    run.add(new)
    if old is not None:
        run.drop(old)


@dataclass
class Same(Step):
    """Keep a resource: the state gets the new inputs, and keeps the old outputs and id."""

    op: ClassVar[str] = "same"

    def apply(self, run: Deployment) -> None:
        """Copy id and outputs."""
        self.after.id = self.before.id
        self.after.outputs = dict(self.before.outputs)
        _replace_in_state(self.after, run, self.old)


@dataclass
class Create(Step):
    """Create an object; a component is only added to the state."""

    op: ClassVar[str] = "create"

    def apply(self, run: Deployment) -> None:
        """Call Create."""
        new = self.after
        if new.custom:
            new.id, new.outputs = run.provider().create(new.urn, new.inputs, preview=run.settings.preview)
        self.settle(run)

    def settle(self, run: Deployment) -> None:
        """Update the state."""
        _replace_in_state(self.after, run, None)


@dataclass
class CreateReplacement(Create):
    """Create the successor of an object.

    If the old object still exists, it is marked for deletion at the end. If it was deleted first, its state was kept
    until now.
    """

    op: ClassVar[str] = "create-replacement"
    counted: ClassVar[bool] = False
    delete_later: bool = True

    def settle(self, run: Deployment) -> None:
        """Update the state."""
        deleted = self.before.pending_replacement
        self.before.delete = self.delete_later
        _replace_in_state(self.after, run, self.old if deleted else None)


@dataclass
class Replace(Step):
    """Represents both halves of a replacement in the summary."""

    op: ClassVar[str] = "replace"


@dataclass
class Update(Step):
    """Change an object in place."""

    op: ClassVar[str] = "update"

    def apply(self, run: Deployment) -> None:
        """Call Update."""
        old, new = self.before, self.after
        new.id = old.id
        if new.custom:
            preview = run.settings.preview
            new.outputs = run.provider().update(old, new.inputs, new.ignore_changes, preview=preview)
        _replace_in_state(new, run, old)


@dataclass
class Delete(Step):
    """Delete an object, or only remove it from the state if its options require that."""

    replacing: bool = False
    """Whether the object has a successor."""
    keep_state: bool = False
    skipped: bool = False

    def reported(self) -> str:
        """The op depends on whether the object is external and whether it is replaced."""
        if self.before.external:
            return "discard-replaced" if self.replacing else "discard"
        return "delete-replaced" if self.replacing else "delete"

    def is_counted(self) -> bool:
        """The Replace step counts a replacement."""
        return not self.replacing

    def apply(self, run: Deployment) -> None:
        """Call Delete."""
        old = self.before
        if old.protect and not self.replacing:
            raise ProtectedResourceError(
                f"resource {old.urn!r} cannot be deleted because it is protected; remove its `protect` option "
                "and run `up` first"
            )
        forget = old.external or old.retain_on_delete or self.skipped or not old.custom
        if not forget and not run.settings.preview:
            run.provider().delete(old)
        if self.keep_state:
            # The engine keeps the state until the successor exists, so that a failed create is retried.
            old.pending_replacement = True
        else:
            run.drop(old)


class ProtectedResourceError(ProviderError):
    """A protected resource cannot be deleted; other deletions continue (cancelDueToError)."""


@dataclass
class ForgetPending(Step):
    """Remove a resource that was deleted for a replacement, and which the program no longer contains."""

    op: ClassVar[str] = "remove-pending-replace"
    counted: ClassVar[bool] = False

    def apply(self, run: Deployment) -> None:
        """Remove it from the state."""
        run.drop(self.before)


@dataclass
class Read(Step):
    """Read an object that others manage, also in previews if its id is known."""

    op: ClassVar[str] = "read"

    def apply(self, run: Deployment) -> None:
        """Call Read with the inputs as state, as the engine does."""
        new = self.after
        if new.id == UNKNOWN_TEXT:
            new.id, new.outputs = "", {}
        else:
            live = run.provider().read(new.urn, new.id, new.inputs, new.inputs)
            new.id, new.outputs = live.id or new.id, live.outputs
        _replace_in_state(new, run, self.old)

    def is_counted(self) -> bool:
        """The summary counts only reads with changed outputs (pkg/engine/update.go, shouldRecordReadStep)."""
        return self.old is not None and not values.same(self.old.outputs, self.resource.outputs)


@dataclass
class ReadReplacement(Read):
    """Read an object that replaces another one, which is deleted at the end."""

    op: ClassVar[str] = "read-replacement"

    def apply(self, run: Deployment) -> None:
        """Call Read, and mark the old object."""
        replaced, self.old = self.before, None
        super().apply(run)
        self.old = replaced
        replaced.delete = True

    def is_counted(self) -> bool:
        """The Replace step counts it."""
        return False


@dataclass
class Refresh(Step):
    """Update the state from the real object, including the inputs that Read returns."""

    op: ClassVar[str] = "refresh"
    standalone: bool = True

    def is_counted(self) -> bool:
        """The summary counts it only in a standalone refresh."""
        return self.standalone

    def reported(self) -> str:
        """The op of a standalone refresh depends on its result (RefreshStep.ResultOp)."""
        if not self.standalone:
            return self.op
        if self.new is None:
            return "delete"
        return "update" if self.diff and self.diff.changes else "same"

    def apply(self, run: Deployment) -> None:
        """Call Read, and Diff of the real state and the old inputs."""
        old = self.before
        if not old.custom or old.pending_replacement:
            self.new = old
            return
        live = run.provider().read(old.urn, old.id, old.inputs, old.outputs)
        if not live.id:
            self.new = None
            return
        inputs = old.inputs if live.inputs is None else live.inputs
        new = replace(old, id=live.id, inputs=inputs, outputs=live.outputs)
        if old.external:
            self.diff = Diff(not values.same(old.outputs, live.outputs))
        else:
            unknowns = run.settings.preview
            self.diff = run.provider().diff(new, old.inputs, old.ignore_changes, unknowns=unknowns)
        _mark(new)
        self.new = new

    def public(self) -> result.Step:
        """The public form, with changed outputs."""
        step = super().public()
        if self.old is not None and self.new is not None:
            outputs = values.changed_keys(self.old.outputs, self.new.outputs)
            step = replace(step, changed=tuple(sorted({*step.changed, *outputs})))
        return step


def unknown_inputs(resource: Resource, urns: set[str]) -> Properties | None:
    """Return the inputs with unknowns for values of these resources, or None if there are none."""
    deps = resource.property_dependencies
    hit = {key for key in resource.inputs if urns.intersection(deps.get(key, ()))}
    return {key: UNKNOWN if key in hit else value for key, value in resource.inputs.items()} if hit else None
