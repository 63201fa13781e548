"""What time does: requests that are carried out late, and the states of a service, with the command for each."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from pulumi_clouddb.services.enums import Status

from .bodies import Command
from .responses import HTTPError, bad_request, conflict
from .state import SandboxState
from .store import Document

SERVICES = "services"
TRANSITIONS = "transitions"
GONE = "gone"

DELETABLE = (
    Status.PROVISIONING,
    Status.STARTING,
    Status.AWAKING,
    Status.IDLE,
    Status.STOPPED,
    Status.DEGRADED,
    Status.FAILED,
)
STOPPABLE = (
    Status.RUNNING,
    Status.PARTIALLY_RUNNING,
    Status.IDLE,
    Status.DEGRADED,
    Status.STARTING,
    Status.AWAKING,
)


@dataclass(frozen=True)
class Step:
    """One command: the states it may follow, the state it leads through, and where that ends."""

    after: tuple[str, ...]
    through: str
    to: str


STEPS: Mapping[Command, Step] = {
    Command.START: Step((Status.STOPPED,), Status.STARTING, Status.RUNNING),
    Command.AWAKE: Step((Status.IDLE,), Status.AWAKING, Status.RUNNING),
    Command.STOP: Step(STOPPABLE, Status.STOPPING, Status.STOPPED),
}


def begin(
    state: SandboxState,
    document: Document,
    through: str,
    to: str,
    seconds: float,
    kind: str = SERVICES,
    field: str = "state",
) -> None:
    """Put a service, or an object of another kind, into the state `through`; it comes to `to` after `seconds`."""
    document[field] = through
    state.store.put(kind, document["id"], document)
    transition = {"kind": kind, "field": field, "to": to, "at": state.clock.now() + seconds}
    state.store.put(TRANSITIONS, document["id"], transition, document["id"])


def command(state: SandboxState, document: Document, name: Command) -> None:
    """Start, stop or wake a service, or refuse where its state does not allow that."""
    step = STEPS[name]
    if document["state"] not in step.after:
        states = ", ".join(f"'{state}'" for state in step.after)
        raise bad_request(
            f"Command {name.value} needs one of the following states: {states}. Current state: '{document['state']}'"
        )
    begin(state, document, step.through, step.to, state.latency.stop if name is Command.STOP else state.latency.start)


def terminate(state: SandboxState, document: Document) -> None:
    """Delete a service in a while, or refuse where its state does not allow that."""
    if document["state"] not in DELETABLE:
        states = ",".join(f"'{state}'" for state in DELETABLE)
        raise conflict(
            f"Only instance in one of the following states: {states} can be terminated. "
            f"Current state: '{document['state']}'"
        )
    begin(state, document, Status.TERMINATING, GONE, state.latency.delete)


def settle(state: SandboxState) -> None:
    """Let everything happen whose time has come, in order; to be called before each request."""
    while state.late:
        first = min(state.late, key=lambda commit: commit.at)
        if first.at > state.clock.now():
            break
        state.late.remove(first)
        # Records tell the moment at which they were made, not that of the request which happens to come next.
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
        elif kind == SERVICES:
            remove(state, id_)
        else:
            state.store.delete(kind, id_)


def remove(state: SandboxState, service_id: str) -> None:
    """Remove a service at once, with its pipes and its stack."""
    state.store.delete_children(service_id)
    state.store.delete(SERVICES, service_id)
