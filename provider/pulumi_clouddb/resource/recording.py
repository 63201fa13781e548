"""What state records of inputs: which the server returns, what it adds to them, and what it keeps instead of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from pulumi_clouddb.schema.additions import NONE, UNRECORDED
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.json_types import misfits
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import ThingT
from pulumi_clouddb.schema.values import WireDict, WireValues

from .base import Resource
from .state import State


def after_write(
    resource: Resource[ThingT], state: State[ThingT], sent: Collection[str], before: State[ThingT] | None = None
) -> State[ThingT]:
    """Return the state after a write of the inputs `sent`, with what its response shows of them.

    What the state before records stays for the other inputs.
    """
    wanted, served = to_wire(state.wanted), to_wire(state.actual)
    before = before or State(state.wanted, state.actual)
    unsent = wanted.keys() - {*sent}
    found = {name: each for name, each in _additions(resource.type, wanted, served).items() if name in sent}
    added = {name: each for name, each in before.added.items() if name in unsent}
    kept = {name: each for name, each in before.kept.items() if name in unsent}
    shown = resource.shown(state.actual, served)
    answered = frozenset(name for name in wanted if shown.get(name) is not None) | (before.answered & unsent)
    state = replace(state, added={**added, **_to_record(resource.type, wanted, found)}, kept={}, answered=answered)
    now = _kept(resource, state, wanted, served).items()
    return replace(state, kept={**kept, **{name: each for name, each in now if name in sent}})


def after_read(resource: Resource[ThingT], state: State[ThingT], before: State[ThingT] | None = None) -> State[ThingT]:
    """Return the state after a read that has found what is drift.

    What the state before records stays for additions to inputs of which the response has another value, as of the wrong
    type, and for what the server still keeps.
    """
    wanted, served = to_wire(state.wanted), to_wire(state.actual)
    before = before or State(state.wanted, state.actual)
    found = _additions(resource.type, wanted, served)
    added = {name: each for name, each in before.added.items() if name in wanted and name not in found}
    shown = resource.shown(state.actual, served)
    answered = frozenset(name for name in wanted if name in before.answered or shown.get(name) is not None)
    state = replace(state, added={**added, **_to_record(resource.type, wanted, found)}, kept={}, answered=answered)
    now = _kept(resource, state, wanted, served) if before.kept else {}
    return replace(state, kept={name: each for name, each in now.items() if each == before.kept.get(name)})


def lost_inputs(resource: Resource[ThingT], before: State[ThingT], now: State[ThingT]) -> set[str]:
    """Return the inputs that the server has returned before, and returns no more: they have no value there.

    What no request changes in place is not lost, as nobody can have taken it away; neither is what means the same if it
    is left out, and what the server returned with another type.
    """
    type_, wanted, served = resource.type, to_wire(before.wanted), to_wire(now.actual)
    returned = {*resource.shown(now.actual, served), *now.actual.answer}
    absent = before.answered.intersection(wanted).difference(returned, type_.immutable)
    return {name for name in absent if not type_.is_server_default(name, wanted[name])}


def _additions(type_: ResourceType, wanted: WireValues, served: WireValues) -> WireDict:
    """Return what the server has added to each input, as far as its response shows that."""
    shown = {name for name in type_.containers if name in wanted and served.get(name) is not None}
    additions = {name: type_.additions(name, wanted[name], served[name]) for name in shown}
    return {name: each for name, each in additions.items() if each is not UNRECORDED}


def _to_record(type_: ResourceType, wanted: WireValues, additions: WireValues) -> WireDict:
    """Return those of the additions that state needs: also none, if there can be one later."""
    return {name: each for name, each in additions.items() if each != NONE or type_.can_gain(name, wanted[name])}


def _kept(resource: Resource[ThingT], state: State[ThingT], wanted: WireValues, served: WireValues) -> WireDict:
    """Return digests of the values that the server has instead of those of the program, by wire name."""
    if all(served.get(name, value) == value for name, value in wanted.items()):
        return {}
    found = to_wire(resource.reconciled(state, state.actual))
    odd = {each.path[0] for each in misfits(resource.type.inputs, found)}  # no read uses them
    return {
        name: resource.type.digest(name, found.get(name))
        for name, value in wanted.items()
        if found.get(name) != value and name not in odd and not resource.same(name, found.get(name), value)
    }
