"""The roles of a member of the organization: an override that restores the original roles."""

from __future__ import annotations

from collections.abc import Iterator

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.functions import get_one, list_all
from pulumi_clouddb.resource.overrides import OverrideResource
from pulumi_clouddb.resource.state import State, only, without_inputs
from pulumi_clouddb.schema.base import Model
from pulumi_clouddb.schema.check.claims import Claim
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.common import in_one_form
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.values import WireValues
from pulumi_clouddb.things.roles.api import needs_as_actor

from .api import ACTOR, Members
from .member import MEMBER, Member, MemberFields

USER_ID = property_name(Member, lambda member: member.user_id)
ROLE_IDS = property_name(Member, lambda member: member.assigned_role_ids)
ROLE = property_name(Member, lambda member: member.role)
FORMS = {ROLE_IDS, ROLE}


class MemberResource(OverrideResource[Member]):
    """The roles of a member."""

    type = MEMBER
    collection = Members
    fields = MemberFields
    functions = (get_one(MEMBER, Members), list_all(MEMBER, Members, by_name=True))

    def claims(self, rules: RuleContext, inputs: WireValues, object_id: str, before: WireValues) -> Iterator[Claim]:
        """Yield what the resource sets of the member, and that the roles have the member as an actor."""
        yield from super().claims(rules, inputs, object_id, before)
        if isinstance(user_id := inputs.get(USER_ID), str):
            yield from needs_as_actor(f"{ACTOR}/{user_id}", inputs.get(ROLE_IDS))

    def object_of(self, session: Session, wanted: Member) -> str:
        """Return the id of the member."""
        return str(wanted.user_id)

    def named(self, object_id: str) -> Member:
        """Return the arguments that name a member."""
        return Member.model_construct(user_id=object_id)

    def update(self, session: Session, object_id: str, old: State[Member], wanted: Member) -> State[Member]:
        """Send the roles in the form of the program; those in the other form are not restored beside them."""
        return super().update(session, object_id, without_inputs(old, FORMS - to_wire(wanted).keys()), wanted)

    def originals(self, state: State[Member]) -> Model:
        """Return the original roles; with the one role of the older form their ids, since these may be more."""
        given = FORMS.intersection(to_wire(state.wanted)).union(state.doubtful)
        return only(self._original(state), FORMS if ROLE in given else given)

    def reported(self, record: Member) -> WireValues:
        """Return the roles in one form."""
        return in_one_form(to_wire(record))
