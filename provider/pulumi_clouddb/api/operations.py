"""Every operation, once: method, path, what it works on, and whether interface documents it or it is inferred.

Inferred operations follow what the vendor's own servers offer; a server may lack them, and errors about them say so.
The paths are in the interface's words; `vocabulary` puts them into the server's.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

ORGANIZATION = "/v1/organizations/{organizationId}"
SERVICE = ORGANIZATION + "/services/{serviceId}"
STACK = SERVICE + "/stack"


class Surface(str, Enum):
    """Which of the two HTTP surfaces; they differ in address, authentication and envelope."""

    MANAGEMENT = "management"
    SELF_HOSTED = "self-hosted"


@dataclass(frozen=True)
class Operation:
    """One HTTP operation.

    Attributes:
        name: Its name here, by which `clouddb:paths` overrides its path.
        method: HTTP method.
        path: Path template in the interface's words.
        record: What it answers: Service, ServiceCreated, Pipe, Key, KeyCreated, Dashboard, Alert or Source.
        documented: Whether the interface gives this path; otherwise it is inferred.
        surface: Which surface serves it.
        purpose: What it does, as in "could not create the service".
    """

    name: str
    method: str
    path: str
    record: str
    purpose: str
    documented: bool = False
    surface: Surface = Surface.MANAGEMENT

    @property
    def repeatable(self) -> bool:
        """Whether it may be sent again when its answer was lost: reads, full replacements and deletions."""
        return self.method in ("GET", "PUT", "DELETE")

    @property
    def lists(self) -> bool:
        """Whether it answers a list of records."""
        return self.name.removeprefix("self_hosted_").startswith("list_")

    @property
    def writes(self) -> bool:
        """Whether it may change something."""
        return self.method != "GET"


def _both_forms(
    name: str, method: str, path: str, record: str, purpose: str, *, managed: bool = False, hosted: bool = False
) -> tuple[Operation, Operation]:
    """The managed and the self-hosted form of one operation; the flags say where it is documented."""
    return (
        Operation(name, method, STACK + path, record, purpose, managed),
        Operation(f"self_hosted_{name}", method, "/api/v2" + path, record, purpose, hosted, Surface.SELF_HOSTED),
    )


OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("list_services", "GET", ORGANIZATION + "/services", "Service", "list the services"),
        Operation("create_service", "POST", ORGANIZATION + "/services", "ServiceCreated", "create the service", True),
        Operation("get_service", "GET", SERVICE, "Service", "read the service"),
        Operation("update_service", "PATCH", SERVICE, "Service", "update the service"),
        Operation("scale_service", "PATCH", SERVICE + "/replicaScaling", "Service", "scale the service"),
        Operation("scale_service_total", "PATCH", SERVICE + "/scaling", "Service", "scale the service as a whole"),
        Operation("command_service", "PATCH", SERVICE + "/state", "Service", "change the state of the service"),
        Operation("reset_password", "PATCH", SERVICE + "/password", "Password", "reset the password of the service"),
        Operation("delete_service", "DELETE", SERVICE, "None", "delete the service"),
        Operation("list_pipes", "GET", SERVICE + "/pipes", "Pipe", "list the pipes"),
        Operation("get_pipe", "GET", SERVICE + "/pipes/{pipeId}", "Pipe", "read the pipe", True),
        Operation("scale_pipe", "PATCH", SERVICE + "/pipes/{pipeId}/scaling", "Pipe", "scale the pipe", True),
        Operation("list_keys", "GET", ORGANIZATION + "/keys", "Key", "list the keys"),
        Operation("create_key", "POST", ORGANIZATION + "/keys", "KeyCreated", "create the key"),
        Operation("get_key", "GET", ORGANIZATION + "/keys/{keyId}", "Key", "read the key"),
        Operation("update_key", "PATCH", ORGANIZATION + "/keys/{keyId}", "Key", "update the key", True),
        Operation("delete_key", "DELETE", ORGANIZATION + "/keys/{keyId}", "None", "delete the key"),
        *_both_forms(
            "list_dashboards", "GET", "/dashboards", "Dashboard", "list the dashboards", managed=True, hosted=True
        ),
        *_both_forms("create_dashboard", "POST", "/dashboards", "Dashboard", "create the dashboard"),
        *_both_forms("get_dashboard", "GET", "/dashboards/{dashboardId}", "Dashboard", "read the dashboard"),
        *_both_forms("update_dashboard", "PUT", "/dashboards/{dashboardId}", "Dashboard", "update the dashboard"),
        *_both_forms("delete_dashboard", "DELETE", "/dashboards/{dashboardId}", "None", "delete the dashboard"),
        *_both_forms("list_alerts", "GET", "/alerts", "Alert", "list the alerts", hosted=True),
        *_both_forms("create_alert", "POST", "/alerts", "Alert", "create the alert", managed=True),
        *_both_forms("get_alert", "GET", "/alerts/{alertId}", "Alert", "read the alert", hosted=True),
        *_both_forms("update_alert", "PUT", "/alerts/{alertId}", "Alert", "update the alert"),
        *_both_forms("delete_alert", "DELETE", "/alerts/{alertId}", "None", "delete the alert"),
        *_both_forms("list_sources", "GET", "/sources", "Source", "list the data sources"),
    )
}
"""All operations by name."""


def stack_operation(name: str, service_id: str | None) -> Operation:
    """Return the managed form of an observability operation when a service is given, else the self-hosted one."""
    return OPERATIONS[name if service_id else f"self_hosted_{name}"]
