"""Reverse private endpoints: a create waits until one is provisioned, a delete until it is gone."""

from __future__ import annotations

from dataclasses import replace

from pulumi_clouddb.resource.base import DiffResult
from pulumi_clouddb.resource.functions import get_one, list_all
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.values import UNKNOWN, WireValues
from pulumi_clouddb.things.services.lifecycle import OfServiceResource

from .api import ReversePrivateEndpoints
from .reverse_private_endpoint import (
    REVERSE_PRIVATE_ENDPOINT,
    CustomPrivateDnsMapping,
    EndpointStatus,
    ReversePrivateEndpoint,
)

DNS_NAMES = property_name(ReversePrivateEndpoint, lambda endpoint: endpoint.custom_private_dns_mappings)

DNS_NAME = property_name(CustomPrivateDnsMapping, lambda mapping: mapping.private_dns_name)


class ReversePrivateEndpointResource(OfServiceResource[ReversePrivateEndpoint]):
    """A reverse private endpoint."""

    type = REVERSE_PRIVATE_ENDPOINT
    collection = ReversePrivateEndpoints
    functions = (
        get_one(REVERSE_PRIVATE_ENDPOINT, ReversePrivateEndpoints),
        list_all(REVERSE_PRIVATE_ENDPOINT, ReversePrivateEndpoints),
    )
    noun = "endpoint"
    working = frozenset({EndpointStatus.PROVISIONING})
    unusable = EndpointStatus.UNUSABLE
    mend = (
        "Look at its source in the console of the cloud provider. The endpoint itself cannot be repaired: "
        "`pulumi up --replace URN` creates another."
    )

    def name_of(self, wanted: ReversePrivateEndpoint) -> str:
        """Return the description."""
        return str(wanted.description)

    def diff(self, old: WireValues, new: WireValues) -> DiffResult:
        """Compare; if the replacement keeps a DNS name, delete the old endpoint first: names are unique."""
        result = super().diff(old, new)
        before, after = old.get(DNS_NAMES) or (), new.get(DNS_NAMES) or ()
        names = [each.get(DNS_NAME) for each in before]
        shared = after is UNKNOWN or any(each is UNKNOWN or each.get(DNS_NAME) in (*names, UNKNOWN) for each in after)
        return replace(result, delete_before_replace=bool(result.replaces and before and shared))
