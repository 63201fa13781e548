"""Members of the organization."""

from __future__ import annotations

from functools import partial

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.operation import ORGANIZATION, management
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .member import Member

PATH = ORGANIZATION + "/members"
ONE = PATH + "/{userId}"

_operation = partial(management, only=CLICKHOUSE)


class Members(Collection[Member]):
    """The members of the organization."""

    model = Member
    body = body_of(Member)
    id_part = "user_id"

    LIST = _operation("list_members", "GET", PATH, "Member", "list the members")
    GET = _operation("get_member", "GET", ONE, "Member", "read the member")
    UPDATE = _operation("update_member", "PATCH", ONE, "Member", "update the member")
    DELETE = _operation("delete_member", "DELETE", ONE, "None", "remove the member")
