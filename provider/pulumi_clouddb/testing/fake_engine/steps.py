"""The steps of a deployment and what each does (deploy/step.go and deploy/step_executor.go)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, cast

from pulumi_clouddb.engine.wire.codec import UNKNOWN_TEXT, Properties
from pulumi_clouddb.engine.wire.secret import Secret
from pulumi_clouddb.schema.values import UNKNOWN
from pulumi_clouddb.testing import result

from . import values
from .deployment import Deployment
from .provider import Diff, ProviderError
from .state import Resource


@dataclass
class Step:
    """Something to be done to one resource; `old` and `new` are its state before and after."""

    old: Resource | None
    new: Resource | None
    diff: Diff | None = None

    op: ClassVar[str] = ""
    counted: ClassVar[bool] = True

    @property
    def resource(self) -> Resource:
        """The resource that the step is about."""
        return cast("Resource", self.new or self.old)

    @property
    def was(self) -> Resource:
        """The state before, of a step that has one."""
        return cast("Resource", self.old)

    @property
    def becomes(self) -> Resource:
        """The state after, of a step that has one."""
        return cast("Resource", self.new)

    def apply(self, run: Deployment) -> None:
        """Do it, and bring the state up to date; raises ProviderFailed."""

    def reported(self) -> str:
        """The name under which the step is shown and counted."""
        return self.op

    def is_counted(self) -> bool:
        """Whether the step goes into the summary."""
        return self.counted

    def public(self) -> result.Step:
        """The form shown to users."""
        found = self.resource
        changed: tuple[str, ...] = ()
        if self.old is not None and self.new is not None:
            changed = values.changed_keys(self.old.inputs, self.new.inputs)
        replaced_by = self.diff.replaces if self.diff else ()
        return result.Step(self.reported(), found.urn, found.type, found.name, changed, tuple(replaced_by))


def _mark(new: Resource) -> None:
    """Mark outputs as secret by the option of the resource and by its secret inputs (continueExecuteStep)."""
    values.mark_keys(new.outputs, new.additional_secret_outputs)
    values.mark_keys(new.outputs, [key for key, value in new.inputs.items() if isinstance(value, Secret)])


def _take_over(new: Resource, run: Deployment, old: Resource | None) -> None:
    _mark(new)
    run.add(new)
    if old is not None:
        run.drop(old)


@dataclass
class Same(Step):
    """Nothing to do: state takes the new inputs and keeps the old outputs and id."""

    op: ClassVar[str] = "same"

    def apply(self, run: Deployment) -> None:
        """Carry the resource over."""
        self.becomes.id = self.was.id
        self.becomes.outputs = dict(self.was.outputs)
        _take_over(self.becomes, run, self.old)


@dataclass
class Create(Step):
    """Make an object; a component is only written down."""

    op: ClassVar[str] = "create"

    def apply(self, run: Deployment) -> None:
        """Call Create."""
        new = self.becomes
        if new.custom:
            new.id, new.outputs = run.provider().create(new.urn, new.inputs, preview=run.settings.preview)
        self.settle(run)

    def settle(self, run: Deployment) -> None:
        """Bring the state up to date."""
        _take_over(self.becomes, run, None)


@dataclass
class CreateReplacement(Create):
    """Make the successor of an object.

    If the old object still exists it is marked in the state, to be deleted when all else is done; if it was deleted
    first, its place in the state was only kept until now.
    """

    op: ClassVar[str] = "create-replacement"
    counted: ClassVar[bool] = False
    delete_later: bool = True

    def settle(self, run: Deployment) -> None:
        """Bring the state up to date."""
        gone = self.was.pending_replacement
        self.was.delete = self.delete_later
        _take_over(self.becomes, run, self.old if gone else None)


@dataclass
class Replace(Step):
    """Stands for both halves of a replacement when steps are counted and shown."""

    op: ClassVar[str] = "replace"


@dataclass
class Update(Step):
    """Change an object in place."""

    op: ClassVar[str] = "update"

    def apply(self, run: Deployment) -> None:
        """Call Update."""
        old, new = self.was, self.becomes
        new.id = old.id
        if new.custom:
            preview = run.settings.preview
            new.outputs = run.provider().update(old, new.inputs, new.ignore_changes, preview=preview)
        _take_over(new, run, old)


@dataclass
class Delete(Step):
    """Delete an object, or only forget it where its options say so."""

    replacing: bool = False
    """Whether a successor takes the object's place."""
    keep_place: bool = False
    skipped: bool = False

    def reported(self) -> str:
        """The op depends on whose object it is and why it goes."""
        if self.was.external:
            return "discard-replaced" if self.replacing else "discard"
        return "delete-replaced" if self.replacing else "delete"

    def is_counted(self) -> bool:
        """A replacement is counted by its Replace step."""
        return not self.replacing

    def apply(self, run: Deployment) -> None:
        """Call Delete."""
        old = self.was
        if old.protect and not self.replacing:
            raise ProtectedResourceError(
                f"resource {old.urn!r} cannot be deleted because it is protected; take the `protect` option off it "
                "and run `up` first"
            )
        forget = old.external or old.retain_on_delete or self.skipped or not old.custom
        if not forget and not run.settings.preview:
            run.provider().delete(old)
        if self.keep_place:
            # The engine keeps the place until the successor is there, so that a failed create is tried again.
            old.pending_replacement = True
        else:
            run.drop(old)


class ProtectedResourceError(ProviderError):
    """A protected resource was to be deleted; other deletions go on (cancelDueToError)."""


@dataclass
class ForgetPending(Step):
    """Drop the place of a resource that was deleted for a replacement which the program no longer wants."""

    op: ClassVar[str] = "remove-pending-replace"
    counted: ClassVar[bool] = False

    def apply(self, run: Deployment) -> None:
        """Forget it."""
        run.drop(self.was)


@dataclass
class Read(Step):
    """Look at an object that others manage; done in previews too, if its id is known."""

    op: ClassVar[str] = "read"

    def apply(self, run: Deployment) -> None:
        """Call Read; inputs are passed as state too, as the engine does."""
        new = self.becomes
        if new.id == UNKNOWN_TEXT:
            new.id, new.outputs = "", {}
        else:
            live = run.provider().read(new.urn, new.id, new.inputs, new.inputs)
            new.id, new.outputs = live.id or new.id, live.outputs
        _take_over(new, run, self.old)

    def is_counted(self) -> bool:
        """Only a read that shows something new is counted (pkg/engine/update.go, shouldRecordReadStep)."""
        return self.old is not None and not values.same(self.old.outputs, self.resource.outputs)


@dataclass
class ReadReplacement(Read):
    """Look at one object in place of another, which is deleted when all else is done."""

    op: ClassVar[str] = "read-replacement"

    def apply(self, run: Deployment) -> None:
        """Call Read, and mark the old object."""
        replaced, self.old = self.was, None
        super().apply(run)
        self.old = replaced
        replaced.delete = True

    def is_counted(self) -> bool:
        """Its Replace step is."""
        return False


@dataclass
class Refresh(Step):
    """Bring state into the form of the live object; adopts the inputs that Read returns."""

    op: ClassVar[str] = "refresh"
    standalone: bool = True

    def is_counted(self) -> bool:
        """Before a preview or an up it is only a preparation."""
        return self.standalone

    def reported(self) -> str:
        """In a refresh of its own the step is named by what it found (RefreshStep.ResultOp)."""
        if not self.standalone:
            return self.op
        if self.new is None:
            return "delete"
        return "update" if self.diff and self.diff.changes else "same"

    def apply(self, run: Deployment) -> None:
        """Call Read, then Diff of the live state against the old inputs: whether it differs is the provider's say."""
        old = self.was
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
        """Outputs say what differs here."""
        step = super().public()
        if self.old is not None and self.new is not None:
            outputs = values.changed_keys(self.old.outputs, self.new.outputs)
            step = replace(step, changed=tuple(sorted({*step.changed, *outputs})))
        return step


def unknown_inputs(resource: Resource, urns: set[str]) -> Properties | None:
    """Return the inputs with unknowns where they come from one of these resources, or nothing if none does."""
    deps = resource.property_dependencies
    hit = {key for key in resource.inputs if urns.intersection(deps.get(key, ()))}
    return {key: UNKNOWN if key in hit else value for key, value in resource.inputs.items()} if hit else None
