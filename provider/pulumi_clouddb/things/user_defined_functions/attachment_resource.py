"""Attachments of user-defined functions: one request creates or changes them, and they are waited for."""

from __future__ import annotations

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.functions import Function
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.things.services.lifecycle import OfServiceResource

from .api import UdfAttachments, attachment_id
from .attachment import FUNCTION_NAME, LIST_ATTACHMENTS, SERVICE_ID, UDF_ATTACHMENT, AttachmentStatus, UdfAttachment


class UdfAttachmentResource(OfServiceResource[UdfAttachment]):
    """A user-defined function attached to a service."""

    type = UDF_ATTACHMENT
    collection = UdfAttachments
    unique_by = (FUNCTION_NAME, SERVICE_ID)
    name_is_id = True
    functions = (
        Function(
            LIST_ATTACHMENTS,
            lambda api, args: {
                "attachments": [to_wire(each) for each in api.of(UdfAttachments, args.name).list().values()]
            },
        ),
    )
    noun = "attachment"
    goal = "deployed"
    working = frozenset({AttachmentStatus.PROVISIONING})
    changing = frozenset({AttachmentStatus.DEPROVISIONING})
    unusable = frozenset({AttachmentStatus.ERROR})
    mend = "Look at the service in the console; `pulumi up --replace URN` attaches the function anew."

    def name_of(self, wanted: UdfAttachment) -> str:
        """Return the function and the service."""
        return attachment_id(wanted.function_name, wanted.service_id)

    def objects(self, session: Session, wanted: UdfAttachment) -> UdfAttachments:
        """Return the attachments of the function."""
        return session.api.of(UdfAttachments, wanted.function_name)
