"""Changes that happen with time: transitions between states, and requests that take effect late."""

from __future__ import annotations

from contextlib import suppress

from .responses import HTTPError
from .state import SandboxState
from .store import Document

SERVICES = "services"
TRANSITIONS = "transitions"
GONE = "gone"


def begin(
    state: SandboxState,
    document: Document,
    through: str,
    to: str,
    seconds: float,
    kind: str = SERVICES,
    field: str = "state",
) -> None:
    """Put an object into the state `through`, and into the state `to` after `seconds`; `GONE` deletes it."""
    document[field] = through
    state.store.put(kind, document["id"], document)
    transition = {"kind": kind, "field": field, "to": to, "at": state.clock.now() + seconds}
    state.store.put(TRANSITIONS, document["id"], transition, document["id"])


def settle(state: SandboxState) -> None:
    """Apply everything that is due, in order. Each request calls this first."""
    while state.late:
        first = min(state.late, key=lambda commit: commit.at)
        if first.at > state.clock.now():
            break
        state.late.remove(first)
        # Records carry the time at which the late request took effect, not that of the request now served.
        with state.clock.at(first.at), suppress(HTTPError):
            first.carry_out()
    with state.store.transaction():
        _settle_transitions(state)


def _settle_transitions(state: SandboxState) -> None:
    now = state.clock.now()
    for id_, transition in state.store.items(TRANSITIONS):
        if transition["at"] > now:
            continue
        state.store.delete(TRANSITIONS, id_)
        kind = transition.get("kind", SERVICES)
        document = state.store.get(kind, id_)
        if document is None:
            continue
        if transition["to"] != GONE:
            state.store.put(kind, id_, {**document, transition.get("field", "state"): transition["to"]})
        else:
            state.store.delete_with_children(kind, id_)
