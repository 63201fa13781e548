"""Services of the organization."""

from __future__ import annotations

from enum import Enum

from pulumi_clouddb.api.collection import Collection
from pulumi_clouddb.api.marks import Mark, OwnPassword, TagMark
from pulumi_clouddb.api.operation import ORGANIZATION, SERVICE, management
from pulumi_clouddb.models.service import ServiceResponse
from pulumi_clouddb.models.service_states import GONE
from pulumi_clouddb.models.values import WireValues


class Command(str, Enum):
    """What a service can be told to do (`command` of *Update service state*)."""

    START = "start"
    STOP = "stop"


class Services(Collection[ServiceResponse]):
    """The services of the organization."""

    model = ServiceResponse
    id_part = "service_id"
    created_part = "service"

    LIST = management("list_services", "GET", ORGANIZATION + "/services", "Service", "list the services")
    CREATE = management(
        "create_service", "POST", ORGANIZATION + "/services", "ServiceCreated", "create the service", documented=True
    )
    GET = management("get_service", "GET", SERVICE, "Service", "read the service")
    UPDATE = management("update_service", "PATCH", SERVICE, "Service", "update the service")
    SCALE = management("scale_service", "PATCH", SERVICE + "/replicaScaling", "Service", "scale the service")
    SCALE_TOTAL = management(
        "scale_service_total", "PATCH", SERVICE + "/scaling", "Service", "scale the service as a whole"
    )
    COMMAND = management("command_service", "PATCH", SERVICE + "/state", "Service", "change the state of the service")
    RESET_PASSWORD = management(
        "reset_password", "PATCH", SERVICE + "/password", "Password", "reset the password of the service"
    )
    DELETE = management("delete_service", "DELETE", SERVICE, "None", "delete the service")

    def update(self, service_id: str, body: WireValues) -> ServiceResponse:
        """Update basic details; lists go as what to add and what to remove."""
        return self.parsed(self.call(self.UPDATE, service_id, body))

    def scale(self, service_id: str, body: WireValues) -> ServiceResponse:
        """Change the number and the memory of replicas."""
        return self.parsed(self.call(self.SCALE, service_id, body))

    def scale_total(self, service_id: str, body: WireValues) -> ServiceResponse:
        """Change the memory of three workers together."""
        return self.parsed(self.call(self.SCALE_TOTAL, service_id, body))

    def command(self, service_id: str, command: Command) -> ServiceResponse:
        """Start or stop a service."""
        try:
            return self.parsed(self.call(self.COMMAND, service_id, {"command": command.value}))
        finally:
            self.invalidate()

    def own_password(self, service_id: str) -> OwnPassword | None:
        """Return a password that is made here and sent as hashes, if the dialect has that."""
        return OwnPassword(service_id, self.credential) if self.takes_marks("Password") else None

    def reset_password(self, service_id: str, own: OwnPassword | None) -> str | None:
        """Give a service another password; return it, or None where the response holds none."""
        result = self.call(self.RESET_PASSWORD, service_id, own.body if own else {})
        password = own.password if own else result.get("password")
        return password if isinstance(password, str) and password else None

    def exists(self, record: ServiceResponse) -> bool:
        """Tell whether a service is there: one that is going does not count."""
        return record.state not in GONE

    def mark(self, nonce: str) -> Mark | None:
        """Return a tag, where services have tags."""
        return TagMark(nonce) if self.takes_marks("Service") else None
