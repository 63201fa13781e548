"""The memory of a run: what the engine's calls have told of resources and their objects so far.

The calls tell it, and whoever decides about an object asks it. The engine comes in one of these ways (3.260,
pkg/resource/deploy/step_generator.go); tests/provider/resources/test_replacements.py plays those that replace:

| way | calls, in this order |
|---|---|
| new | check without old inputs, create |
| update | check with old inputs, diff, update |
| replacement by the diff | check, diff, check without old inputs, then create and delete, or delete and create |
| replacement by `replaceOnChanges` | the same, without a reason |
| replacement by `replacementTrigger`, `replaceWith`, `deletedWith` or another provider | the same, without the diff |
| replacement by hand (`--replace`, `--target-replace`, a tainted resource) | check without old inputs, create, delete |
| early deletion with an object that it depends on | diff with unknown values before the check, then delete |
| early deletion with one that `replaceWith` names, or with its provider | delete, before any other call |
| the same, with one that `deletedWith` names | no delete |
| leftover of a replacement that stopped half way | delete, with another id than that of the diff |
| interrupted replacement that deletes first | check, diff of the deleted object, check without old inputs, create |
| an `import` of another object | read and diff of that one, check with its inputs between them, delete |
| a `get` of another object | read of that one, delete |
| refresh in the same run | read and diff of all that state has, leftovers as well, before any check |
| refresh by the program (`--run-program`) | the same, under the new URN if there is an alias |
| destroy, and what the program no longer has | delete, with nothing before but a refresh |
| a second attempt, by a hook (`onError`) | create, update or delete again, after it failed |
| renamed without an alias, or adopted twice | delete under one URN, after create, read or diff under another |
| renamed with an alias, moved to another parent | check, diff and update under the new URN alone |
| the same, and replaced by the diff or an option | those of the replacement under the new URN, but for the delete |
| the same, and replaced by hand | check without old inputs and create under the new URN, delete under the old one |
| one removed from the program, and another one added | the same calls |

No call tells an alias. So the last two ways differ in nothing, and `deletion` asks for leave in both. In the next run
the engine deletes what the replacement has left under the new URN.

Nor does a call tell the URN in state. A value there has it (`__urn`), but keeps that before an alias until an update or
a refresh. So the object of a new resource with the old URN looks like a leftover when the program removes it.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.client.list_cache import ListKey
from pulumi_clouddb.schema.check.claims import Claim, Meeting, Place, Sets
from pulumi_clouddb.schema.values import WireValues

from .create_request import CreateRequest, RecordT

Taken = tuple[CreateRequest[Any], str]
"""The request of a new resource, and the id of the object that has its name already."""


@dataclass(frozen=True)
class Naming:
    """How a resource of the program has a name that only one object may have.

    Attributes:
        is_new: Whether this run creates the object.
        is_changed: Whether this run gives it another name.
    """

    is_new: bool
    is_changed: bool


@dataclass
class _Object:
    """What this run knows of one object.

    Attributes:
        is_created: Whether this run has created it, or found it as that of an interrupted create.
        is_stored: Whether a call has shown that it is in state.
        is_renamed: Whether this run gives it another name.
    """

    is_created: bool = False
    is_stored: bool = False
    is_renamed: bool = False

    @property
    def is_owned(self) -> bool:
        """Whether this run has created it, or state has it."""
        return self.is_created or self.is_stored


@dataclass
class _Resource:
    """What the calls for one URN have told.

    Attributes:
        kind: The name of its type once it was checked, so that the program has it; empty before.
        inputs: The inputs of its last check.
        old_inputs: The old inputs of its check; None before a check that had some.
        replacement_refusal: Why its object must not be replaced.
        state: What its last comparison or deletion has brought: a create after it is that of a replacement.
        current: The id in its last comparison after a check, which is that of its object; a leftover has another one.
        is_replaced: Whether a check without old inputs has followed that comparison, and no create yet.
        is_in_state: Whether state has its object.
        stored: The ids that calls have shown to be in state as this resource.
        made: The ids of the objects that creates of this run have returned for it.
        declared: The kinds and ids of the objects that the program has as this resource.
    """

    kind: str = ""
    inputs: WireValues = field(default_factory=dict)
    old_inputs: WireValues | None = None
    replacement_refusal: ResourceError | None = None
    state: WireValues | None = None
    current: str = ""
    is_replaced: bool = False
    is_in_state: bool = False
    stored: set[str] = field(default_factory=set)
    made: set[str] = field(default_factory=set)
    declared: set[tuple[str, str]] = field(default_factory=set)


class Run:
    """What this run knows of the resources of a stack and of their objects; without a URN, of objects only."""

    def __init__(self) -> None:
        self._new: dict[str, Taken | None] = {}
        self._told: set[str] = set()
        self._lists: dict[ListKey, Mapping[str, Any] | None] = {}
        self._missing_services: set[str] = set()
        self._objects: dict[str, _Object] = defaultdict(_Object)
        self._resources: dict[str, _Resource] = {}
        self._new_urns: dict[str, str] = {}
        self._given_up: dict[str, str] = {}
        self._names: dict[str, dict[str, Naming]] = defaultdict(dict)
        self._sets: dict[Place, dict[str, Claim]] = defaultdict(dict)
        self._needs: dict[Place, dict[str, Claim]] = defaultdict(dict)
        self._lock = threading.Lock()

    def _of(self, urn: str) -> _Resource:
        """Return what is known of a resource; what is told of one without a URN is not kept."""
        return self._resources.setdefault(urn, _Resource()) if urn else _Resource()

    # -- told by the engine's calls --------------------------------------------------------------------------------

    def checked(
        self, urn: str, kind: str, inputs: WireValues, old: WireValues | None, refusal: ResourceError | None
    ) -> None:
        """Record a check: its inputs, its old ones if it has some, and why the object must not be replaced."""
        resource = self._of(urn)
        resource.is_replaced = not old and resource.current != ""
        resource.kind, resource.inputs = kind, inputs
        resource.old_inputs, resource.replacement_refusal = old or resource.old_inputs, refusal

    def adds(self, urn: str, taken: Taken | None) -> None:
        """Record that a checked resource is new, with the object that has its name already."""
        self._new[urn] = taken

    def tells_taken(self, urn: str) -> bool:
        """Record that an error tells the taken name of a new resource; return whether one has told it before."""
        with self._lock:
            is_told = urn in self._told
            self._told.add(urn)
        return is_told

    def service_missing(self, service_id: str) -> None:
        """Record that the server did not find a service before any create."""
        self._missing_services.add(service_id)

    def compared(self, urn: str, object_id: str, state: WireValues, stored_urn: str = "") -> None:
        """Record a comparison with the state of an object, and the URN there, if it is known.

        One without a check is that of a refresh, or of an early deletion: leftovers are compared as well.
        """
        resource = self._of(urn)
        if stored_urn not in ("", urn):
            self._new_urns[stored_urn] = urn
        resource.state, resource.is_in_state = state, True
        if resource.kind:
            resource.current = object_id

    def stored(self, urn: str, object_id: str) -> None:
        """Record that state has an object."""
        self._objects[object_id].is_stored = True
        self._of(urn).is_in_state = True
        self._of(urn).stored.add(object_id)

    def gone(self, urn: str) -> None:
        """Record that an object no longer exists: the engine removes it from state."""
        self._of(urn).is_in_state = False

    def deletes(self, urn: str, object_id: str, state: WireValues) -> None:
        """Record that an object is deleted: its own state is that of a replacement, a leftover's is not."""
        if not self.is_leftover(urn, object_id):
            self._of(urn).state = state

    def declares(self, urn: str, kind: str, object_id: str) -> None:
        """Record that the program declares an object as a resource."""
        with self._lock:
            resource = self._of(urn)
            resource.declared = {*resource.declared, (kind, object_id)}

    def made(self, urn: str, kind: str, object_id: str) -> None:
        """Record that a create has returned an object.

        The program declares no other one as this resource: the engine deletes the one that it replaces next, perhaps
        under the URN before an alias.
        """
        with self._lock:
            resource = self._of(urn)
            resource.declared, resource.is_replaced = {(kind, object_id)}, False
            resource.made.add(object_id)

    def renames(self, object_id: str) -> None:
        """Record that this run gives an object another name."""
        self._objects[object_id].is_renamed = True

    def names(self, urn: str, place: str, naming: Naming) -> dict[str, bool]:
        """Record that the program gives an object a name, and return the others of that name that matter, by URN.

        Of each, return whether both objects are new, so that one of them is certainly refused. If neither is new or
        gets another name, they exist already, and a list of the server shows a new one that the name is taken.
        """
        with self._lock:
            named = self._names[place]
            named[urn] = naming
            return {
                other: naming.is_new and each.is_new
                for other, each in named.items()
                if other != urn and ((naming.is_new and each.is_new) or naming.is_changed or each.is_changed)
            }

    def passes(self, urn: str, place: str, before: str) -> list[tuple[str, str]]:
        """Record the name that a resource gives up, and return who gives one up, and who gets it, for its two names."""
        with self._lock:
            if before not in ("", place):
                self._given_up[before] = urn
            pairs = [
                (self._given_up[each], taker)
                for each in (place, before)
                for taker, naming in self._names.get(each, {}).items()
                if each in self._given_up and (naming.is_new or naming.is_changed)
            ]
        return [(giver, taker) for giver, taker in pairs if giver != taker]

    def gave_up(self, urn: str) -> None:
        """Record that the update of a resource is done, so that a name that it gave up is free."""
        with self._lock:
            self._given_up = {place: giver for place, giver in self._given_up.items() if giver != urn}

    def claims(self, urn: str, claims: Iterable[Claim]) -> list[Meeting]:
        """Record what a resource claims of objects, and return what others claim of the same properties.

        Many may need something in one list, such as alerts on tiles of a dashboard: these do not meet each other.
        """
        meetings: list[Meeting] = []
        for claim in claims:
            with self._lock:
                setting, needing = self._sets[claim.place], self._needs[claim.place]
                (setting if isinstance(claim, Sets) else needing)[urn] = claim
                others = [*setting.items(), *(needing.items() if isinstance(claim, Sets) else ())]
            meetings += [(claim, other, each) for other, each in others if other != urn]
        return meetings

    # -- told by creates -------------------------------------------------------------------------------------------

    def created(self, object_id: str) -> None:
        """Record that a create has an object: a new one, or that of an interrupted create."""
        self._objects[object_id].is_created = True

    # -- asked -----------------------------------------------------------------------------------------------------

    def has_resource(self, urn: str) -> bool:
        """Return whether a check has shown that the program has a resource."""
        return bool(self._of(urn).kind)

    def inputs(self, urn: str) -> WireValues:
        """Return the inputs in the last check of a resource; none before one."""
        return self._of(urn).inputs

    def old_inputs(self, urn: str) -> WireValues | None:
        """Return the old inputs in the check of a resource; None before a check that had some."""
        return self._of(urn).old_inputs

    def state(self, urn: str) -> WireValues | None:
        """Return the state that the last comparison or deletion of a resource has brought."""
        return self._of(urn).state

    def current(self, urn: str) -> str:
        """Return the id that a comparison after a check has shown to be that of a resource's object; else empty."""
        return self._of(urn).current

    def replacement_refusal(self, urn: str) -> ResourceError | None:
        """Return why the object of a resource of the program must not be replaced; None if it may."""
        return self._of(urn).replacement_refusal

    def is_replacement(self, urn: str) -> bool:
        """Return whether a new resource of this URN is a replacement, as far as a call has shown."""
        return self._of(urn).is_in_state or self.old_inputs(urn) is not None

    def has_stored(self, urn: str, object_id: str) -> bool:
        """Return whether a call has shown that an object is in state as a resource."""
        return object_id in self._of(urn).stored

    def is_stored_beside(self, urn: str, object_id: str) -> bool:
        """Return whether calls have shown that an object is in state as other resources only: one had this URN before.

        It was renamed, and the program gives its old name to a new one.
        """
        others = [each for each, of in self._resources.copy().items() if object_id in of.stored]
        return bool(others) and urn not in others

    def is_leftover(self, urn: str, object_id: str) -> bool:
        """Return whether an object under the URN of a resource is another than its own: a replacement has left it."""
        return self.current(urn) not in ("", object_id)

    def has_made_one(self, urn: str) -> bool:
        """Return whether a create of this run has returned an object for a resource."""
        return bool(self._of(urn).made)

    def has_made(self, urn: str, object_id: str) -> bool:
        """Return whether a create of this run has returned this object for a resource."""
        return object_id in self._of(urn).made

    def holder(self, kind: str, object_id: str, urn: str) -> str | None:
        """Return the resource of the program that has an object in state, at best `urn`; None if no call showed it.

        An override may have the id of the object that it changes: a resource of another kind does not count.
        """
        urns = [each for each, of in self._resources.copy().items() if of.kind == kind and of.current == object_id]
        return urn if urn in urns else min(urns, default=None)

    def new_of(self, kind: str, beside: str) -> list[str]:
        """Return the other resources of a kind that this run has checked without old inputs."""
        of_kind = {urn: each for urn, each in self._resources.copy().items() if each.kind == kind and urn != beside}
        return sorted(urn for urn, each in of_kind.items() if each.old_inputs is None)

    def urn_now(self, urn: str) -> str:
        """Return the URN that the program has now for the resource of one in state, as far as a comparison showed."""
        return urn if self.has_resource(urn) else self._new_urns.get(urn, urn)

    def set_beside(self, urn: str, claim: Claim) -> str | None:
        """Return the URN of another resource of the program that sets what a resource has set; None without one.

        One whose object is deleted before its replacement may be the same resource, under a new URN.
        """
        others = self._sets[claim.place].copy().keys() - {urn} if isinstance(claim, Sets) else set()
        return min((each for each in others if not self._of(each).is_replaced), default=None)

    def declared_as(self, kind: str, object_id: str, beside: str) -> str | None:
        """Return the URN of another resource as which the program declares an object; None if `beside` does, too."""
        of_program = [(urn, each) for urn, each in self._resources.copy().items() if not each.is_replaced]
        urns = {urn for urn, each in of_program if (kind, object_id) in each.declared}
        return min(urns) if beside and urns and beside not in urns else None

    def is_renamed(self, object_id: str) -> bool:
        """Return whether this run gives an object another name."""
        return self._objects[object_id].is_renamed

    def owns(self, object_id: str) -> bool:
        """Return whether a create of this run has an object, or a call has shown that it is in state."""
        return self._objects[object_id].is_owned

    def created_ids(self) -> set[str]:
        """Return the ids of the objects of this run's creates."""
        return {object_id for object_id, each in self._objects.copy().items() if each.is_created}

    def owned_ids(self) -> set[str]:
        """Return the ids of the objects of this run's creates, and of those in state."""
        return {object_id for object_id, each in self._objects.copy().items() if each.is_owned}

    @property
    def new_names(self) -> list[str]:
        """The names of the new resources in the program."""
        return [urn.split("::", 3)[-1] for urn in self._new.copy()]

    @property
    def taken(self) -> dict[str, Taken]:
        """The new resources whose names other objects have already, by URN."""
        return {urn: taken for urn, taken in self._new.copy().items() if taken is not None}

    def listed(self, key: ListKey, read: Callable[[], Mapping[str, RecordT] | None]) -> Mapping[str, RecordT] | None:
        """Return the objects that a server listed before any create, read by the first call; None if that failed."""
        if key not in self._lists:
            self._lists[key] = read()
        return self._lists[key]

    def is_service_missing(self, service_id: str) -> bool:
        """Return whether the server did not find a service before any create."""
        return service_id in self._missing_services
