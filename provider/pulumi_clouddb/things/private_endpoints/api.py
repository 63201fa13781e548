"""Private endpoints of the organization, whose record lists them; an update of it removes them."""

from __future__ import annotations

from pulumi_clouddb.client.errors import InvalidResponseError
from pulumi_clouddb.client.operation import SERVICE, of_vendor
from pulumi_clouddb.resource.settled import repeated
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.values import WireDict, WireValues
from pulumi_clouddb.things.organizations.api import OrganizationParts, Organizations

from .private_endpoint import SERVICE_ID, PrivateEndpoint

CLOUD = property_name(PrivateEndpoint, lambda endpoint: endpoint.cloud_provider)
REGION = property_name(PrivateEndpoint, lambda endpoint: endpoint.region)


class PrivateEndpoints(OrganizationParts[PrivateEndpoint]):
    """The private endpoints of the organization."""

    model = PrivateEndpoint
    id_part = "private_endpoint_id"
    part = "privateEndpoints"

    CREATE = of_vendor(
        "create_private_endpoint",
        "POST",
        SERVICE + "/privateEndpoint",
        "PrivateEndpoint",
        "register the private endpoint",
    )
    DELETE = Organizations.UPDATE

    def create(self, body: WireValues, what: str) -> tuple[PrivateEndpoint, WireValues]:
        """Register an endpoint with a service, or with the organization only.

        Raises:
            InvalidResponseError: The response does not have it.
        """
        sent = {name: value for name, value in body.items() if name != SERVICE_ID}
        try:
            if service_id := body.get(SERVICE_ID):
                result: WireDict = self.call(self.CREATE, body=sent, once=True, service_id=service_id)
            else:
                organization = self.call(self.DELETE, body={"privateEndpoints": {"add": [sent]}}, once=True)
                found = self.parts_in(organization).get(str(body["id"]))
                result = dict(found.answer) if found else {}
        finally:
            self.invalidate()
        if result.get("id") != body["id"]:
            operation = self.CREATE.managed
            raise InvalidResponseError(operation, operation.path, f"returned no id for {what}")
        return self.parsed(result), result

    def delete(self, object_id: str) -> None:
        """Remove an endpoint; if the response is lost, look for the endpoint, and remove it again.

        Raises:
            NotFoundError: The organization has not registered it.
        """
        repeated(lambda: self._remove_listed(object_id))

    def _remove_listed(self, object_id: str) -> None:
        record = self.get(object_id)
        place = {name: record.answer[name] for name in (CLOUD, REGION) if record.answer.get(name)}
        try:
            self.call(self.DELETE, body={"privateEndpoints": {"remove": [{"id": object_id, **place}]}})
        finally:
            self.invalidate()

    def name_of(self, record: PrivateEndpoint) -> str | None:
        """Return the id, which is unique."""
        return record.id
