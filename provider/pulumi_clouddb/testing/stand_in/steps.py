"""The steps of a deployment and what each does (deploy/step.go and deploy/step_executor.go)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from .. import result
from . import values
from .deployment import Deployment
from .provider import Diff, ProviderFailed
from .state import Resource
from .values import UNKNOWN


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
        found = self.new or self.old
        assert found is not None  # noqa: S101 - every step has one of them
        return found

    def apply(self, run: Deployment) -> None:
        """Do it, and bring the state up to date; raises ProviderFailed."""

    def reported(self) -> str:
        """The name under which the step is shown and counted."""
        return self.op

    def public(self) -> result.Step:
        """The form shown to users."""
        found = self.resource
        changed: tuple[str, ...] = ()
        if self.old is not None and self.new is not None:
            changed = values.changed_keys(self.old.inputs, self.new.inputs)
        replaced_by = self.diff.replaces if self.diff else ()
        return result.Step(self.reported(), found.urn, found.type, found.name, changed, tuple(replaced_by))


def _take_over(new: Resource, run: Deployment, old: Resource | None) -> None:
    # Both the options of the resource and its secret inputs make outputs secret (continueExecuteStep).
    values.mark_keys(new.outputs, new.additional_secret_outputs)
    values.mark_keys(new.outputs, [key for key, value in new.inputs.items() if isinstance(value, values.Secret)])
    run.add(new)
    if old is not None:
        run.drop(old)


@dataclass
class Same(Step):
    """Nothing to do: state takes the new inputs and keeps the old outputs and id."""

    op: ClassVar[str] = "same"

    def apply(self, run: Deployment) -> None:
        """Carry the resource over."""
        assert self.old is not None and self.new is not None  # noqa: S101, PT018
        self.new.id = self.old.id
        self.new.outputs = dict(self.old.outputs)
        _take_over(self.new, run, self.old)


@dataclass
class Create(Step):
    """Make an object; a component is only written down."""

    op: ClassVar[str] = "create"

    def apply(self, run: Deployment) -> None:
        """Call Create."""
        assert self.new is not None  # noqa: S101
        if self.new.custom:
            preview = run.settings.preview
            self.new.id, self.new.outputs = run.provider().create(self.new.urn, self.new.inputs, preview=preview)
        self.settle(run)

    def settle(self, run: Deployment) -> None:
        """Bring the state up to date."""
        assert self.new is not None  # noqa: S101
        _take_over(self.new, run, None)


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
        assert self.old is not None and self.new is not None  # noqa: S101, PT018
        gone = self.old.pending_replacement
        self.old.delete = self.delete_later
        _take_over(self.new, run, self.old if gone else None)


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
        old, new = self.old, self.new
        assert old is not None and new is not None  # noqa: S101, PT018
        new.id = old.id
        if new.custom:
            preview = run.settings.preview
            new.outputs = run.provider().update(old, new.inputs, new.ignore_changes, preview=preview)
        _take_over(new, run, old)


@dataclass
class Delete(Step):
    """Delete an object, or only forget it where its options say so."""

    replacing: bool = False
    keep_place: bool = False
    skipped: bool = False

    def reported(self) -> str:
        """The op depends on whose object it is and why it goes."""
        assert self.old is not None  # noqa: S101
        if self.old.external:
            return "discard-replaced" if self.replacing else "discard"
        return "delete-replaced" if self.replacing else "delete"

    def apply(self, run: Deployment) -> None:
        """Call Delete."""
        old = self.old
        assert old is not None  # noqa: S101
        if old.protect and not self.replacing:
            raise ProtectedResource(
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


class ProtectedResource(ProviderFailed):
    """A protected resource was to be deleted; other deletions go on (cancelDueToError)."""


@dataclass
class ForgetPending(Step):
    """Drop the place of a resource that was deleted for a replacement which the program no longer wants."""

    op: ClassVar[str] = "remove-pending-replace"
    counted: ClassVar[bool] = False

    def apply(self, run: Deployment) -> None:
        """Forget it."""
        assert self.old is not None  # noqa: S101
        run.drop(self.old)


@dataclass
class Read(Step):
    """Look at an object that others manage; done in previews too, if its id is known."""

    op: ClassVar[str] = "read"

    def apply(self, run: Deployment) -> None:
        """Call Read; inputs are passed as state too, as the engine does."""
        new = self.new
        assert new is not None  # noqa: S101
        if new.id == values.rpc.UNKNOWN:
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
        old, self.old = self.old, None
        super().apply(run)
        self.old = old
        assert old is not None  # noqa: S101
        old.delete = True

    def is_counted(self) -> bool:
        """Its Replace step is."""
        return False


@dataclass
class Refresh(Step):
    """Bring state into the form of the live object; adopts the inputs that Read returns."""

    op: ClassVar[str] = "refresh"
    standalone: bool = True

    def reported(self) -> str:
        """In a refresh of its own the step is named by what it found (RefreshStep.ResultOp)."""
        if not self.standalone:
            return self.op
        if self.new is None:
            return "delete"
        return "update" if self.diff and self.diff.changes else "same"

    def apply(self, run: Deployment) -> None:
        """Call Read, then Diff of the live state against the old inputs: whether it differs is the provider's say."""
        old = self.old
        assert old is not None  # noqa: S101
        if not old.custom or old.pending_replacement:
            self.new = old
            return
        live = run.provider().read(old.urn, old.id, old.inputs, old.outputs)
        if not live.id:
            self.new = None
            return
        inputs = old.inputs if live.inputs is None else live.inputs
        self.new = replace(old, id=live.id, inputs=inputs, outputs=live.outputs)
        if old.external:
            self.diff = Diff(not values.same(old.outputs, live.outputs))
        else:
            unknowns = run.settings.preview
            self.diff = run.provider().diff(self.new, old.inputs, old.ignore_changes, unknowns=unknowns)
        values.mark_keys(self.new.outputs, old.additional_secret_outputs)
        values.mark_keys(self.new.outputs, [k for k, v in inputs.items() if isinstance(v, values.Secret)])

    def public(self) -> result.Step:
        """What differs is told by outputs here."""
        step = super().public()
        if self.old is not None and self.new is not None:
            outputs = values.changed_keys(self.old.outputs, self.new.outputs)
            step = replace(step, changed=tuple(sorted({*step.changed, *outputs})))
        return step


def unknown_inputs(resource: Resource, urns: set[str]) -> values.Properties | None:
    """Return the inputs with unknowns where they come from one of these resources, or nothing if none does."""
    deps = resource.property_dependencies
    hit = {key for key in resource.inputs if urns.intersection(deps.get(key, ()))}
    return {key: UNKNOWN if key in hit else value for key, value in resource.inputs.items()} if hit else None
