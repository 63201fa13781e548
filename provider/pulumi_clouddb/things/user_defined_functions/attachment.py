"""Attachments of user-defined functions to services."""

from __future__ import annotations

from pulumi_clouddb.schema.base import FilledText, Text, Uuid, Whole, prop
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.provisioned import Provisioned
from pulumi_clouddb.schema.resource_type import ResourceType, list_function
from pulumi_clouddb.schema.thing import answered, listed_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .user_defined_function import IDENTIFIER, LARGEST, OfFunctionArgs


class AttachmentStatus:
    """The states of an attachment that matter for a wait."""

    PROVISIONING = "provisioning"
    DEPROVISIONING = "deprovisioning"
    DEPLOYED = "deployed"
    ERROR = "error"


class UdfAttachment(Provisioned):
    """A user-defined function that a service has (OpenAPI: `UdfAttachment`)."""

    READY = "the function is attached or detached"
    UNREADY = "Why the service does not have the function; absent if it does."

    function_name: FilledText | None = prop("Name of the function.", required=True, replaces=True, pattern=IDENTIFIER)
    service_id: Uuid | None = prop(
        "Service that gets the function. It must run: an idle one is woken.",
        required=True,
        replaces=True,
    )
    version: Whole | None = prop(
        "Number of the version, such as the output `version` of the function. If left out, the latest version that "
        "is ready when the function is attached is used, and does not change later.",
        ge=1,
        le=LARGEST,
        taken_out="the service keeps its version",
    )
    id: Text | None = answered("Id of the attachment, `NAME/SERVICE_ID`.")
    status: Text | None = answered("State as the server names it; `deployed` is the final one.")


FUNCTION_NAME = property_name(UdfAttachment, lambda each: each.function_name)
SERVICE_ID = property_name(UdfAttachment, lambda each: each.service_id)

UDF_ATTACHMENT = ResourceType(
    UdfAttachment,
    "A user-defined function attached to a service, so that queries there can call it. A service has one version of a "
    "function at a time. Another `version` replaces it; destroying this detaches the function.",
    required_outputs=("functionName", "serviceId", "version", "status"),
    import_id="NAME/SERVICE_ID",
    only=CLICKHOUSE,
)


LIST_ATTACHMENTS = list_function(
    "listUdfAttachments",
    "Lists the services that have a user-defined function, each with its version.",
    OfFunctionArgs,
    "attachments",
    listed_of(UdfAttachment),
    "Its attachments.",
)
