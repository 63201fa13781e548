"""Members of the organization."""

from __future__ import annotations

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.operation import ORGANIZATION, of_vendor
from pulumi_clouddb.schema.thing import body_of

from .member import Member

ACTOR = "user"
"""The word before the id of a member in the actors of a role."""

PATH = ORGANIZATION + "/members"
ONE = PATH + "/{userId}"


class Members(Collection[Member]):
    """The members of the organization."""

    model = Member
    body = body_of(Member)
    id_part = "user_id"

    LIST = of_vendor("list_members", "GET", PATH, "Member", "list the members")
    GET = of_vendor("get_member", "GET", ONE, "Member", "read the member")
    UPDATE = of_vendor("update_member", "PATCH", ONE, "Member", "update the member")
    DELETE = of_vendor("delete_member", "DELETE", ONE, "None", "remove the member")
