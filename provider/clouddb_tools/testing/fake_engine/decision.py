"""What the engine does after a provider's Diff; the engine of tests/faults uses it, too."""

from __future__ import annotations

from enum import Enum


class Decision(Enum):
    """What happens to a resource that is in state."""

    SAME = "state gets the new inputs, and keeps id and outputs"
    UPDATE = "Update"
    CREATE_FIRST = "Check without old inputs, and Create; Delete of the old object when all else is done"
    DELETE_FIRST = "Check without old inputs, Delete and Create; state keeps the old resource until the new one exists"

    @property
    def replaces(self) -> bool:
        """Whether the object is replaced."""
        return self in (Decision.CREATE_FIRST, Decision.DELETE_FIRST)


def decide(
    *, changes: bool, replaces: bool, delete_first: bool, pending_replacement: bool = False, init_errors: bool = False
) -> Decision:
    """Return what happens to a resource (deploy/step_generator.go, continueStepsFromDiff).

    Args:
        changes: Whether Diff returned changes.
        replaces: Whether one of them replaces the object.
        delete_first: Whether a replacement deletes the old object first.
        pending_replacement: Whether an earlier run has deleted the object, and created no other: it is not deleted
            again, whatever Diff returns (deploy/step.go, DeleteStep.Apply).
        init_errors: Whether the object exists, but was not initialized: the provider continues with an Update.
    """
    if pending_replacement or (changes and replaces):
        return Decision.DELETE_FIRST if delete_first else Decision.CREATE_FIRST
    return Decision.UPDATE if changes or init_errors else Decision.SAME
