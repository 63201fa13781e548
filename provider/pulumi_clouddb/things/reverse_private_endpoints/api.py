"""Reverse private endpoints of a service."""

from __future__ import annotations

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.operation import SERVICE, of_vendor
from pulumi_clouddb.schema.thing import body_of

from .reverse_private_endpoint import EndpointStatus, ReversePrivateEndpoint

PATH = SERVICE + "/clickpipesReversePrivateEndpoints"
ONE = PATH + "/{reversePrivateEndpointId}"

_ENDPOINT, _WORDS = "ReversePrivateEndpoint", "the reverse private endpoint"


class ReversePrivateEndpoints(Collection[ReversePrivateEndpoint]):
    """The reverse private endpoints of one service."""

    model = ReversePrivateEndpoint
    body = body_of(ReversePrivateEndpoint)
    id_part = "reverse_private_endpoint_id"

    LIST = of_vendor("list_reverse_private_endpoints", "GET", PATH, _ENDPOINT, f"list {_WORDS}s")
    CREATE = of_vendor("create_reverse_private_endpoint", "POST", PATH, _ENDPOINT, f"create {_WORDS}")
    GET = of_vendor("get_reverse_private_endpoint", "GET", ONE, _ENDPOINT, f"read {_WORDS}")
    UPDATE = of_vendor("update_reverse_private_endpoint", "PATCH", ONE, _ENDPOINT, f"update {_WORDS}")
    DELETE = of_vendor("delete_reverse_private_endpoint", "DELETE", ONE, "None", f"delete {_WORDS}")

    def name_of(self, record: ReversePrivateEndpoint) -> str | None:
        """Return the description."""
        return record.description

    def exists(self, record: ReversePrivateEndpoint) -> bool:
        """Return whether it is not being deleted."""
        return record.status != EndpointStatus.DELETING
