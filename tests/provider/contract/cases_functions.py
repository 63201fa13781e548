"""Functions: their results, the secrets in them, and their errors."""

from __future__ import annotations

from typing import Any

from clouddb_tools.sandbox import Sandbox
from lives.life import a_dashboard, a_service, an_archive_pipe
from support.ids import CALM
from things.user_defined_functions.life import a_function

from .case import Case, Names, Step, Values
from .steps import fault, invoke

UUID = "11111111-2222-4333-8444-555555555555"
MISSING_ID = "00000000000000000000dead"
FILE = (
    '{"version": "1", "name": "Shop", "savedQuery": "a", "tags": ["b"], "tiles": [{"id": "orders", "x": 0, "y": 0, '
    '"w": 8, "h": 4, "config": {"displayType": "line", "source": "logs", "where": "", '
    '"select": [{"aggFn": "count", "valueExpression": ""}]}}]}'
)


def case(name: str, *steps: Step, **more: Any) -> Case:
    """Return a case of a function."""
    return Case(f"function: {name}", "", steps, **more)


def a_watched_dashboard(sandbox: Sandbox) -> Names:
    """Create a dashboard with an alert, and a source."""
    names = a_dashboard(sandbox)
    sandbox.add("sources", name="logs")
    alert = {
        "dashboardId": names["dashboard_id"],
        "tileId": names["one"],
        "threshold": 1,
        "interval": "5m",
        "source": "tile",
        "thresholdType": "above",
        "channel": {"type": "webhook", "webhookId": CALM},
    }
    with sandbox.self_hosted() as client:
        return {**names, "alert_id": client.post("/alerts", json=alert).json()["data"]["id"]}


def a_managed_stack(sandbox: Sandbox) -> Names:
    """Create a service with a dashboard and a source."""
    names = a_service(sandbox)
    sandbox.add("sources", serviceId=names["service_id"], name="logs")
    board = sandbox.add("dashboards", serviceId=names["service_id"], name="Managed", tiles=[])
    return {**names, "dashboard_id": board["id"]}


def a_source(sandbox: Sandbox) -> Names:
    """Create a source whose name differs from that of another one only in case."""
    return {"source_id": str(sandbox.add("sources", name="logs")["id"])}


def a_backup(sandbox: Sandbox) -> Names:
    """Create a service with two backups."""
    names = a_service(sandbox)
    sandbox.add_backup(names["service_id"])
    return {**names, "backup_id": sandbox.add_backup(names["service_id"])}


def a_snapshot(sandbox: Sandbox) -> Names:
    """Create a service with a snapshot."""
    names = a_service(sandbox)
    with sandbox.management() as http:
        path = f"/services/{names['service_id']}/snapshot"
        http.patch(f"{path}Configuration", json={"enabled": True, "gap": 30, "timeFrame": 1440}).raise_for_status()
        (snapshot,) = http.get(f"{path}s").json()["result"]
    return {**names, "snapshot_id": snapshot["id"]}


def an_infrastructure(sandbox: Sandbox) -> Names:
    """Create a BYOC infrastructure."""
    infrastructure = sandbox.add("byoc_infrastructures", regionId="us-east-1", accountId="123456789012")
    return {"infrastructure_id": str(infrastructure["id"])}


def a_postgres_service(sandbox: Sandbox) -> Names:
    """Create a Postgres service."""
    return {"postgres_id": str(sandbox.add("postgres_services", name="orders", createdAt="2026-01-31T12:00:00Z")["id"])}


def an_attached_function(sandbox: Sandbox) -> Names:
    """Create a function with two versions, and attach it to a service."""
    names = a_function(sandbox)
    sandbox.add("udf_attachments", serviceId=names["service_id"], functionName="thrice")
    return names


def a_tagged_service(sandbox: Sandbox) -> Names:
    """Create a service with tags, and one without."""
    a_service(sandbox)
    tags = [{"key": "team", "value": "shop"}, {"key": "stage", "value": "dev"}]
    return {"service_id": sandbox.add("services", name="tagged", tags=tags)["id"]}


NOON = {"fromDate": "2026-01-31T12:00:00Z", "toDate": "2026-02-01T12:00:00+01:00", "sortOrder": "asc"}
DAYS = {"fromDate": "2026-01-01", "toDate": "2026-01-31"}
SERVICE = {"serviceId": "$service_id"}
STREAM = {"format": "Avro", "streamName": "s", "region": "us-east-1", "iteratorType": "LATEST"}
PIPE = {**SERVICE, "pipeId": "$pipe_id"}

CALLS: list[tuple[str, Values, Any]] = [
    ("getService", SERVICE, an_archive_pipe),
    ("listServices", {}, an_archive_pipe),
    ("listServices", {"name": "existing"}, an_archive_pipe),
    ("listServices", {"name": "other"}, an_archive_pipe),
    ("getPipe", PIPE, an_archive_pipe),
    ("listPipes", SERVICE, an_archive_pipe),
    ("listPipes", {**SERVICE, "name": "files"}, an_archive_pipe),
    ("listPipes", {**SERVICE, "name": "$pipe_id"}, an_archive_pipe),
    ("getDashboard", {"dashboardId": "$dashboard_id"}, a_watched_dashboard),
    ("getDashboard", {**SERVICE, "dashboardId": "$dashboard_id"}, a_managed_stack),
    ("listDashboards", {}, a_watched_dashboard),
    ("listDashboards", SERVICE, a_managed_stack),
    ("getAlert", {"alertId": "$alert_id"}, a_watched_dashboard),
    ("listAlerts", {}, a_watched_dashboard),
    ("listAlerts", SERVICE, a_managed_stack),
    ("readDashboardExport", {"text": FILE}, a_watched_dashboard),
    ("readDashboardExport", {**SERVICE, "text": FILE}, a_managed_stack),
    ("getSource", {"name": "logs"}, a_source),
    ("getSource", {**SERVICE, "name": "METRICS"}, a_managed_stack),
    ("listSources", {}, a_watched_dashboard),
    ("listSources", SERVICE, a_managed_stack),
    ("listSources", {**SERVICE, "name": "logs"}, a_managed_stack),
    ("listSources", {**SERVICE, "name": "other"}, a_managed_stack),
]
VENDOR: list[tuple[str, Values, Any]] = [
    ("getPrivateEndpointConfig", SERVICE, a_service),
    ("discoverPipeSchema", {**SERVICE, "source": {"kinesis": STREAM}}, a_service),
    ("getPostgresCertificates", {"postgresServiceId": "$postgres_id"}, a_postgres_service),
    ("listPostgresBackups", {"postgresServiceId": "$postgres_id"}, a_postgres_service),
    ("listPostgresLogs", {"postgresServiceId": "$postgres_id", **NOON, "severity": "LOG"}, a_postgres_service),
    ("listPostgresLogs", {"postgresServiceId": "$postgres_id", **NOON, "limit": 9, "offset": 1}, a_postgres_service),
    ("listUserDefinedFunctionVersions", {"name": "thrice"}, an_attached_function),
    ("listUdfAttachments", {"name": "thrice"}, an_attached_function),
    ("getOrganization", {}, a_service),
    ("listQuotas", {}, a_service),
    ("listServiceProfiles", {"regionId": "us-east-1"}, a_service),
    ("getPipeServiceContext", SERVICE, a_service),
    ("getCreditBalances", {}, a_service),
    ("getByocPrivateEndpointConfig", {"byocInfrastructureId": "$infrastructure_id"}, an_infrastructure),
    ("getQuota", {"quotaCode": "services-per-organization"}, a_service),
    ("getUsageCost", {**DAYS, "filters": ["tag:team=shop", "tag:stage"]}, a_tagged_service),
    ("getBackup", {**SERVICE, "backupId": "$backup_id"}, a_backup),
    ("listBackups", SERVICE, a_backup),
    ("getSnapshot", {**SERVICE, "snapshotId": "$snapshot_id"}, a_snapshot),
    ("listSnapshots", SERVICE, a_snapshot),
    ("listWebhooks", {}, a_watched_dashboard),
    ("listWebhooks", {"name": "Calm"}, a_watched_dashboard),
    ("listWebhooks", SERVICE, a_managed_stack),
    ("getConnection", {"name": "local"}, a_watched_dashboard),
    ("listConnections", {}, a_watched_dashboard),
    ("listConnections", {"name": "Local"}, a_watched_dashboard),
]
"""Functions of the vendor's servers only."""

MISSING: list[tuple[str, Values]] = [
    ("getService", {"serviceId": UUID}),
    ("getPipe", {"pipeId": UUID, "serviceId": UUID}),
    ("listPipes", {"serviceId": UUID}),
    ("getDashboard", {"dashboardId": MISSING_ID}),
    ("getAlert", {"alertId": MISSING_ID}),
]


def _by(arguments: Values) -> str:
    return f" by {' and '.join(arguments)}" if arguments else ""


CASES = [
    *(
        case(f"{name}{_by(arguments)} {arguments.get('name', '')}".rstrip(), invoke(name, arguments), setting=setting)
        for name, arguments, setting in CALLS
    ),
    *(
        case(
            f"{name} of a missing object",
            invoke(
                name,
                arguments,
                fails=f"{name}: there is no such object .*\n"
                f"Take {' and '.join(arguments)} from an output of a resource, or from the console",
            ),
        )
        for name, arguments in MISSING
    ),
    *(
        case(f"{name}{_by(arguments)}", invoke(name, arguments), server={"vocabulary": "clickhouse"}, setting=setting)
        for name, arguments, setting in VENDOR
    ),
    case(
        "getSource of an unknown name",
        invoke("getSource", {"name": "Lgos"}, fails="source 'Lgos': there is none of this name; did you mean Logs"),
    ),
    case(
        "webhooks in the neutral dialect",
        invoke(
            "listWebhooks", {}, fails="only the vendor's servers offer this\nIf this is one, set clouddb:vocabulary"
        ),
    ),
    case(
        "the credentials of a pipe's source are secret",
        invoke("getPipe", PIPE, secrets=["source"]),
        invoke("listPipes", SERVICE, secrets=["pipes"]),
        setting=an_archive_pipe,
    ),
    case(
        "wrong arguments are reported before anything is sent",
        invoke("getService", {"serviceId": "x"}, fails="getService: serviceId must be a UUID"),
        server=None,
    ),
    *(
        case(f"no cost of {what}", invoke("getUsageCost", days, fails=f"getUsageCost: {fails}"), server=None)
        for what, days, fails in (
            (
                "32 days",
                {**DAYS, "toDate": "2026-02-01"},
                "toDate must be from 0 to 30 days after fromDate, not 2026-02",
            ),
            (
                "a reversed range",
                {**DAYS, "toDate": "2025-12-31"},
                "toDate must be from 0 to 30 days after fromDate, not 20",
            ),
            (
                "an invalid date",
                {**DAYS, "toDate": "2026-1-31"},
                "toDate must be a date such as 2027-01-31, not '2026-1-31'",
            ),
        )
    ),
    case(
        "an error of the server is reported",
        fault("list_services", "status", status=400, text="BAD_REQUEST: no"),
        invoke("listServices", {}, fails="BAD_REQUEST: no"),
    ),
    case(
        "a 404 for a list",
        fault("list_services", "status", status=404, text="NOT_FOUND: no organization"),
        invoke("listServices", {}, fails="NOT_FOUND: no organization.*\n.*Check the organization"),
    ),
    case(
        "in the clickhouse dialect",
        invoke("getPipe", PIPE),
        invoke("listServices", {}),
        setting=an_archive_pipe,
        server={"vocabulary": "clickhouse"},
    ),
]
