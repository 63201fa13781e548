"""Invitations to the organization."""

from __future__ import annotations

from functools import partial

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.operation import ORGANIZATION, management
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .invitation import Invitation

PATH = ORGANIZATION + "/invitations"
ONE = PATH + "/{invitationId}"

_operation = partial(management, only=CLICKHOUSE)


class Invitations(Collection[Invitation]):
    """The invitations that nobody has accepted yet."""

    model = Invitation
    body = body_of(Invitation)
    id_part = "invitation_id"

    LIST = _operation("list_invitations", "GET", PATH, "Invitation", "list the invitations")
    CREATE = _operation("create_invitation", "POST", PATH, "Invitation", "create the invitation")
    GET = _operation("get_invitation", "GET", ONE, "Invitation", "read the invitation")
    DELETE = _operation("delete_invitation", "DELETE", ONE, "None", "delete the invitation")

    def name_of(self, record: Invitation) -> str | None:
        """Return the address."""
        return record.email
