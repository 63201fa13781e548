"""Invitations to the organization."""

from __future__ import annotations

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.operation import ORGANIZATION, of_vendor
from pulumi_clouddb.schema.thing import body_of

from .invitation import Invitation

PATH = ORGANIZATION + "/invitations"
ONE = PATH + "/{invitationId}"


class Invitations(Collection[Invitation]):
    """The invitations that nobody has accepted yet."""

    model = Invitation
    body = body_of(Invitation)
    id_part = "invitation_id"

    LIST = of_vendor("list_invitations", "GET", PATH, "Invitation", "list the invitations")
    CREATE = of_vendor("create_invitation", "POST", PATH, "Invitation", "create the invitation")
    GET = of_vendor("get_invitation", "GET", ONE, "Invitation", "read the invitation")
    DELETE = of_vendor("delete_invitation", "DELETE", ONE, "None", "delete the invitation")

    def name_of(self, record: Invitation) -> str | None:
        """Return the address."""
        return record.email
