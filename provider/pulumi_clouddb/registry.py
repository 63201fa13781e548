"""The registry: a new resource is one line here.

A resource is loaded when it is first used, so that a stack does not load the classes of others. The first use of
FUNCTIONS, COLLECTIONS or OPERATIONS loads all resources.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from itertools import chain
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

from pulumi_clouddb.resource.base import AnyResource

if TYPE_CHECKING:
    from pulumi_clouddb.client.operation import Operation
    from pulumi_clouddb.resource.base import AnyCollection
    from pulumi_clouddb.resource.functions import Function

HANDLERS: Final = {
    "Service": "services.resource:ServiceResource",
    "Pipe": "pipes.resource:PipeResource",
    "PipeScaling": "pipes.scaling_resource:PipeScalingResource",
    "PipeCdcScaling": "pipes.scaling_resource:PipeCdcScalingResource",
    "ReversePrivateEndpoint": "reverse_private_endpoints.resource:ReversePrivateEndpointResource",
    "PipeSshKey": "pipe_ssh_keys.resource:PipeSshKeyResource",
    "PostgresService": "postgres_services.resource:PostgresServiceResource",
    "ApiKey": "api_keys.resource:ApiKeyResource",
    "OrganizationSettings": "organizations.resource:OrganizationSettingsResource",
    "PrivateEndpoint": "private_endpoints.resource:PrivateEndpointResource",
    "UserDefinedFunction": "user_defined_functions.resource:UserDefinedFunctionResource",
    "UdfAttachment": "user_defined_functions.attachment_resource:UdfAttachmentResource",
    "SavedQuery": "saved_queries.resource:SavedQueryResource",
    "QueryApiEndpoint": "query_api_endpoints.resource:QueryApiEndpointResource",
    "ByocInfrastructure": "byoc_infrastructures.resource:ByocInfrastructureResource",
    "Role": "roles.resource:RoleResource",
    "Invitation": "invitations.resource:InvitationResource",
    "Member": "members.resource:MemberResource",
    "Dashboard": "dashboards.resource:DashboardResource",
    "Alert": "alerts.resource:AlertResource",
    "SavedSearch": "saved_searches.resource:SavedSearchResource",
    "StackInvitation": "stack_invitations.resource:StackInvitationResource",
    "StackRole": "stack_roles.resource:StackRoleResource",
    "Webhook": "webhooks.resource:WebhookResource",
    "Source": "sources.resource:SourceResource",
    "SourceLinks": "sources.links_resource:SourceLinksResource",
    "Connection": "connections.resource:ConnectionResource",
}
"""The class that handles each resource, by its Pulumi name."""


class _Resources(Mapping[str, AnyResource]):
    def __getitem__(self, name: str) -> AnyResource:
        return _loaded(HANDLERS[name])

    def __contains__(self, name: object) -> bool:
        return name in HANDLERS

    def __iter__(self) -> Iterator[str]:
        return iter(HANDLERS)

    def __len__(self) -> int:
        return len(HANDLERS)


@functools.cache
def _loaded(handler: str) -> AnyResource:
    resource: AnyResource = resolve_name(f"pulumi_clouddb.things.{handler}")()
    return resource


RESOURCES = _Resources()
"""The handler of each resource, by its Pulumi name."""

if TYPE_CHECKING:
    FUNCTIONS: dict[str, Function[Any]]
    """The functions by their Pulumi name."""
    COLLECTIONS: tuple[AnyCollection, ...]
    """The collections on servers, one for each thing."""
    OPERATIONS: dict[str, Operation]
    """All operations by name, as in `clouddb:paths`."""
else:

    def __getattr__(name: str) -> object:
        if name not in ("FUNCTIONS", "COLLECTIONS", "OPERATIONS"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals().update(_of_all())
        return globals()[name]


def _of_all() -> dict[str, object]:
    functions = chain.from_iterable(each.functions for each in RESOURCES.values())
    collections = sorted({each.collection for each in RESOURCES.values()}, key=lambda each: each.__name__)
    operations = chain.from_iterable(each.operations() for each in collections)
    return {
        "FUNCTIONS": {each.type.name: each for each in functions},
        "COLLECTIONS": tuple(collections),
        "OPERATIONS": {each.name: each for each in operations},
    }
