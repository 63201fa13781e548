"""Roles of the organization."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.functions import get_one, list_all
from pulumi_clouddb.resource.plain import PlainResource
from pulumi_clouddb.resource.state import State
from pulumi_clouddb.schema.check.claims import Claim, needs
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.values import WireDict, WireValues
from pulumi_clouddb.things.api_keys.api import ACTOR as KEY
from pulumi_clouddb.things.api_keys.api import ROLE_IDS, Keys
from pulumi_clouddb.things.members.api import ACTOR as MEMBER
from pulumi_clouddb.things.members.api import Members

from .api import ACTORS, Roles
from .policies import named_additions, permissions_in, without_empty_tags
from .role import ROLE, Role

POLICIES = property_name(Role, lambda role: role.policies)

HOLDERS: Mapping[str, str] = MappingProxyType({KEY: Keys.model.__name__, MEMBER: Members.model.__name__})
"""The things that actors refer to by their ids, by the word before it."""


class RoleResource(PlainResource[Role]):
    """A role of the organization."""

    type = ROLE
    collection = Roles
    functions = (get_one(ROLE, Roles), list_all(ROLE, Roles, by_name=True))
    shared = (ACTORS,)

    def claims(self, rules: RuleContext, inputs: WireValues, object_id: str, before: WireValues) -> Iterator[Claim]:
        """Yield what the role sets, and that its actors have it."""
        yield from super().claims(rules, inputs, object_id, before)
        actors = inputs.get(ACTORS) if object_id else ()
        for actor in actors if isinstance(actors, list) else ():
            word, _, holder = actor.partition("/") if isinstance(actor, str) else ("", "", "")
            if word in HOLDERS:
                yield from needs(
                    HOLDERS[word],
                    "",
                    holder,
                    ROLE_IDS,
                    object_id,
                    relation="has the actor",
                    consequence="each update of one reverts the other",
                    advice=f"Add it there, or remove the actor from {ACTORS}",
                )

    def state_of(self, session: Session, wanted: Role, record: Role, object_id: str) -> State[Role]:
        """Return the state after a write or an import, with the permissions that the server adds."""
        return _with_added(super().state_of(session, wanted, record, object_id))

    def refreshed(self, state: State[Role], record: Role, object_id: str) -> State[Role]:
        """Return the state after a read, with the permissions that the server adds."""
        former = state.actual.added_permissions
        if former and POLICIES not in state.added:  # state of versions that recorded only the names
            added = ROLE.additions(POLICIES, to_wire(state.wanted).get(POLICIES), to_wire(record).get(POLICIES))
            state = replace(state, added={**state.added, POLICIES: named_additions(added, former)})
        return _with_added(super().refreshed(state, record, object_id))

    def body_of_create(self, session: Session, wanted: Role) -> WireDict:
        """Return the body of a POST, which requires a list of actors, even if it is empty."""
        return {ACTORS: [], **super().body_of_create(session, wanted)}

    def reported(self, record: Role) -> WireDict:
        """Return the properties of an imported role, without empty tags."""
        reported = super().reported(record)
        if record.policies is not None:
            reported[POLICIES] = [without_empty_tags(to_wire(each)) for each in record.policies]
        return reported


def _with_added(state: State[Role]) -> State[Role]:
    wanted, shown = to_wire(state.wanted).get(POLICIES), to_wire(state.actual).get(POLICIES)
    added = sorted({*permissions_in(ROLE.additions(POLICIES, wanted, shown))})
    return State(state.wanted, state.actual.model_copy(update={"added_permissions": added or None}))
