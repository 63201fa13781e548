"""The roles of a member of the organization: an override that restores the original roles."""

from __future__ import annotations

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.functions import get_one, list_all
from pulumi_clouddb.resource.overrides import OverrideResource
from pulumi_clouddb.schema.common import in_one_form
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.values import WireValues

from .api import Members
from .member import MEMBER, Member, MemberFields


class MemberResource(OverrideResource[Member]):
    """The roles of a member."""

    type = MEMBER
    collection = Members
    fields = MemberFields
    functions = (get_one(MEMBER, Members), list_all(MEMBER, Members, by_name=True))

    def object_of(self, session: Session, wanted: Member) -> str:
        """Return the id of the member."""
        return str(wanted.user_id)

    def named(self, object_id: str) -> Member:
        """Return the arguments that name a member."""
        return Member.model_construct(user_id=object_id)

    def reported(self, record: Member) -> WireValues:
        """Return the roles in one form."""
        return in_one_form(to_wire(record))
