"""Updates in doubt: what they sent and no response shows is sent again by the next one, whatever its value.

An update may fail, or its process die, after its request was sent. A refresh shows whether the rest of it has arrived,
but not passwords, headers or code: with the former value in the program again, nothing would show that the server has
another one. Nor does state show which properties of another object such an update has set for the first time: of an
override, all that an update sent are in doubt, so that its deletion restores these, too.
"""

from __future__ import annotations

import functools
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pulumi_clouddb.client.errors import AmbiguousError, ApiError, RateLimitError
from pulumi_clouddb.create.session import Session, server_of
from pulumi_clouddb.create.updates import PendingUpdate
from pulumi_clouddb.schema.base import extras, names_with, wire_name, wire_names
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import Role, role_of
from pulumi_clouddb.schema.values import WireDict, WireValues

from .base import AnyResource
from .state import DOUBT, NAMES, NUMBER, doubtful_in


@functools.cache
def write_only(type_: ResourceType) -> frozenset[str]:
    """Return the inputs of which updates send what no response shows, as they do for an option with an update."""
    copied = {name for names in extras(type_.record, "copies").values() for name in names}
    thing, inputs = type_.thing, type_.inputs
    asked = {wire_name(inputs, each) for each in inputs.model_fields if role_of(thing, each) is Role.ASKED} - copied
    sending = {name for name in names_with(inputs, "groups") if name in type_.provider_only}
    return (
        frozenset({*asked, *sending, *type_.carried, *type_.unanswered})
        .intersection(wire_names(inputs))
        .difference(type_.immutable)
    )


def _of_override(session: Session, resource: AnyResource, state: WireValues) -> Collection[str]:
    """Return the inputs of an override; none without a URN, which tells it from another one of the object."""
    return resource.restored(state) if session.urn else ()


def _can_be(session: Session, resource: AnyResource, state: WireValues) -> frozenset[str]:
    """Return the inputs that an update may leave in doubt."""
    return write_only(resource.type).union(_of_override(session, resource, state))


@dataclass
class Attempt:
    """One update of an object, in doubt from its first write until it succeeds or is certainly refused.

    Attributes:
        session: The session of the resource.
        resource: It.
        object_id: The object.
        old: The state before, with what is in doubt of earlier updates.
        changed: The inputs that the update changes.
    """

    session: Session
    resource: AnyResource
    object_id: str
    old: WireValues
    changed: Collection[str]
    _writes: int = field(init=False, default=0)

    @property
    def names(self) -> list[str]:
        """The inputs that are in doubt once a write was sent."""
        return sorted(_can_be(self.session, self.resource, self.old).intersection(self.changed))

    @property
    def sending(self) -> Session:
        """The session for the update, which records it before the first write."""
        return self.session.calling(self._record) if self.names else self.session

    def _record(self) -> None:
        self._writes += 1
        if self._writes == 1:
            names = sorted({*self.names, *doubtful_in(self.old)})
            self._put(PendingUpdate(number=_number(self.old) + 1, names=names))

    def failed(self, error: BaseException) -> None:
        """Forget the update if the server has certainly refused all of it."""
        if (
            self._writes == 1
            and isinstance(error, ApiError)
            and not isinstance(error, (AmbiguousError, RateLimitError))
        ):
            earlier = doubtful_in(self.old)
            self._put(PendingUpdate(number=_number(self.old) + 1, names=sorted(earlier)) if earlier else None)

    def succeeded(self, state: WireDict) -> WireDict:
        """Return the state after the update, with its number: a call with this state shows that nothing is in doubt.

        It may have sent nothing, as a version of a function with the code in doubt is found.
        """
        number = _number(self.old) + (1 if self._writes or doubtful_in(self.old) else 0)
        known = {name: value for name, value in state.items() if name != DOUBT}
        return {**known, DOUBT: {NUMBER: number}} if number else known

    def _put(self, record: PendingUpdate | None) -> None:
        self.session.updates.put(_file(self.session, self.resource, self.object_id, self.old), record)


def with_doubt(session: Session, resource: AnyResource, object_id: str, state: WireValues) -> WireValues:
    """Return state with the inputs in doubt, as state itself and the record of this machine name them.

    The record is removed if state has the result of its update.
    """
    if not _can_be(session, resource, state):
        return state
    path = _file(session, resource, object_id, state)
    record = session.updates.get(path)
    if record is None:
        return state
    if _number(state) >= record.number:
        session.updates.put(path, None)
        return state
    names = sorted({*doubtful_in(state), *record.names})
    return {**state, DOUBT: {NUMBER: _number(state), NAMES: names}}


def carried_over(state: WireDict, before: WireValues) -> WireDict:
    """Return the state after a read, which shows nothing of what is in doubt."""
    return {**state, DOUBT: before[DOUBT]} if DOUBT in before else state


def forget(session: Session, resource: AnyResource, object_id: str, state: WireValues) -> None:
    """Forget the updates of an object that no longer exists, or that is as it was before an override."""
    if _can_be(session, resource, state):
        session.updates.put(_file(session, resource, object_id, state), None)


def _file(session: Session, resource: AnyResource, object_id: str, state: WireValues) -> Path:
    """Return the file of an object, or of an override: another one of the object has sent nothing of that.

    The organization is no part of it, since the configuration may name it between two runs; ids are those of a server.
    """
    own = f"{object_id} {session.urn}" if _of_override(session, resource, state) else object_id
    return session.updates.file(resource.type.name, server_of(session.config, resource.server_kind(state)), own)


def _number(state: WireValues) -> int:
    with suppress(TypeError, ValueError, KeyError):
        return int(state[DOUBT][NUMBER])
    return 0
