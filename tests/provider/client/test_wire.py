"""Each documented operation sends exactly the request that the interface describes, by the sandbox's request log."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import LoggedRequest, Sandbox
from pulumi_clouddb.registry import FUNCTIONS, OPERATIONS
from support.ids import CALM, LOGS
from support.sessions import ProviderProcess, config_for

PIPES = {"neutral": "pipes", "clickhouse": "clickpipes"}
STACK = {"neutral": "stack", "clickhouse": "clickstack"}
ENTRIES = [{"source": "203.0.113.0/24", "description": "office"}, {"source": "198.51.100.7"}]
TILES: list[dict[str, Any]] = [
    {
        "key": "rate",
        "name": "Rate",
        "x": 0.0,
        "y": 0.0,
        "w": 12.0,
        "h": 4.0,
        "asRatio": False,
        "series": [{"type": "time", "sourceId": LOGS, "aggFn": "count", "where": "", "groupBy": ["host"]}],
    },
    {
        "name": "Errors",
        "x": 12.0,
        "y": 0.0,
        "w": 4.0,
        "h": 4.0,
        "series": [{"type": "number", "sourceId": LOGS, "aggFn": "count", "where": ""}],
    },
]


@dataclass(frozen=True)
class Wire:
    """A sandbox, a session that uses it, and the requests of the session."""

    sandbox: Sandbox
    process: ProviderProcess

    @property
    def dialect(self) -> str:
        """The dialect."""
        return self.sandbox.vocabulary

    @property
    def organization(self) -> str:
        """Path of the organization."""
        return f"/v1/organizations/{self.sandbox.organization_id}"

    def sent(self, operation: str | None = None) -> list[LoggedRequest]:
        """Return the requests since the log was cleared, or those of one operation."""
        return [each for each in self.sandbox.requests if operation in (None, each.operation)]

    def only(self, operation: str) -> LoggedRequest:
        """Return the only request of an operation."""
        (request,) = self.sent(operation)
        return request

    def service(self) -> str:
        """Create a service directly in the sandbox, clear the log and return the id."""
        made = self.sandbox.add("services", name=f"orders {uuid.uuid4().hex[:8]}")
        self.sandbox.forget_requests()
        return str(made["id"])


@pytest.fixture(scope="module", params=["neutral", "clickhouse"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Run one sandbox per dialect."""
    with Sandbox(vocabulary=request.param) as running:
        yield running


@pytest.fixture
def wire(sandbox: Sandbox, tmp_path: Path) -> Iterator[Wire]:
    """Return a new session for each test, with an empty request log."""
    process = ProviderProcess(config_for(sandbox), tmp_path)
    sandbox.forget_requests()
    yield Wire(sandbox, process)
    process.client.close()


def mark(request: LoggedRequest) -> dict[str, Any]:
    """Return the create mark in the clickhouse dialect: a unique tag of the service."""
    if request.vocabulary == "neutral":
        return {}
    ((tag,), names) = request.body["tags"], set(request.body["tags"][0])
    assert (tag["key"], names) == ("pulumi-clouddb-create", {"key", "value"})
    assert len(tag["value"]) == 32
    return {"tags": [tag]}


def check(request: LoggedRequest, method: str, path: str, body: Any, scheme: str = "Basic") -> None:
    """Compare a request with the interface's description."""
    assert (request.method, request.path, request.query) == (method, path, "")
    assert request.body == body
    assert request.scheme == scheme
    assert request.content_type == (None if body is None else "application/json")
    assert request.status == 200


def test_create_service(wire: Wire) -> None:
    """POST to the services, with all fields unchanged and whole numbers as integers."""
    inputs = {
        "name": f"Orders {wire.dialect}",
        "provider": "aws",
        "region": "eu-west-1",
        "ipAccessList": ENTRIES,
        "minReplicaMemoryGb": 16.0,
        "maxReplicaMemoryGb": 64.0,
        "numReplicas": 3.0,
        "idleScaling": True,
        "idleTimeoutMinutes": 15.0,
        "encryptionKey": "s3cr3t",
        "encryptionAssumedRoleIdentifier": "role",
        "privatePreviewTermsChecked": False,
        "releaseChannel": "fast",
        "hasTransparentDataEncryption": True,
        "endpoints": [{"protocol": "mysql", "enabled": True}],
        "profile": "v1-default",
        "complianceType": "hipaa",
    }
    options = {
        "allowDuplicateName": True,
        "allowReplacement": True,
        "deletionProtection": True,
        "waitTimeoutMinutes": 5.0,
    }
    wire.process.create("Service", {**inputs, **options})
    request = wire.only("create_service")
    check(request, "POST", f"{wire.organization}/services", {**inputs, "encryptionKey": "[secret]", **mark(request)})
    assert request.caller == wire.sandbox.key_id
    assert isinstance(request.body["numReplicas"], int)
    assert isinstance(request.body["idleTimeoutMinutes"], int)


def test_create_service_with_deprecated_fields(wire: Wire) -> None:
    """They are sent unchanged; private endpoints are attached by an update."""
    inputs = {
        "name": f"Old {wire.dialect}",
        "tier": "production",
        "minTotalMemoryGb": 24,
        "maxTotalMemoryGb": 48,
    }
    made, _ = wire.process.create("Service", {**inputs, "privateEndpointIds": ["vpce-1a2b3c4d"]})
    request = wire.only("create_service")
    check(request, "POST", f"{wire.organization}/services", {**inputs, **mark(request)})
    attached = {"privateEndpointIds": {"add": ["vpce-1a2b3c4d"], "remove": []}}
    check(wire.only("update_service"), "PATCH", f"{wire.organization}/services/{made}", attached)


def test_get_pipe(wire: Wire) -> None:
    """GET on the pipe, without a body."""
    service = wire.service()
    (pipe, *_) = [each for each in wire.sandbox.pipes.values() if each["serviceId"] == service]
    result = FUNCTIONS["getPipe"].call(wire.process, {"serviceId": service, "pipeId": pipe["id"]})
    path = f"{wire.organization}/services/{service}/{PIPES[wire.dialect]}/{pipe['id']}"
    check(wire.only("get_pipe"), "GET", path, None)
    # The result has neutral names in both dialects.
    assert result["settings"]["engine_max_threads"] == 8
    newer = {"type": "MergeTree"} if wire.dialect == "clickhouse" else {}
    assert result["destination"]["tableDefinition"]["engine"] == {**newer, "versionColumnId": "", "columnIds": []}


def test_update_pipe_scaling(wire: Wire) -> None:
    """PATCH on the pipe's scaling with the managed fields only; deletion restores them."""
    service = wire.service()
    pipe = wire.sandbox.add_pipe(service, "kafka")["id"]
    path = f"{wire.organization}/services/{service}/{PIPES[wire.dialect]}/{pipe}/scaling"
    inputs = {"serviceId": service, "pipeId": pipe, "replicas": 4.0, "replicaMemoryGb": 0.5, "onDelete": "restore"}
    made, state = wire.process.create("PipeScaling", inputs)
    assert made == f"{service}/{pipe}"
    check(wire.only("scale_pipe"), "PATCH", path, {"replicas": 4, "replicaMemoryGb": 0.5})
    wire.sandbox.forget_requests()
    state = wire.process.update("PipeScaling", made, state, {**inputs, "replicas": 5.0})
    check(wire.only("scale_pipe"), "PATCH", path, {"replicas": 5})
    wire.sandbox.forget_requests()
    wire.process.delete("PipeScaling", made, state)
    check(wire.only("scale_pipe"), "PATCH", path, {"replicas": 1, "replicaMemoryGb": 1})
    assert len(wire.sent()) == 1


def test_update_pipe_scaling_of_object_storage(wire: Wire) -> None:
    """A concurrency of 0 is sent."""
    service = wire.service()
    pipe = wire.sandbox.add_pipe(service, "objectStorage")["id"]
    wire.process.create("PipeScaling", {"serviceId": service, "pipeId": pipe, "concurrency": 0.0})
    assert wire.only("scale_pipe").body == {"concurrency": 0}


def test_update_key(wire: Wire) -> None:
    """PATCH on the key, with all fields unchanged and without options."""
    key = wire.sandbox.add_key(name="before", roles=["developer"])["key"]["id"]
    inputs = {
        "keyId": key,
        "name": "after",
        "expireAt": "2030-01-31T00:00:00Z",
        "ipAccessList": ENTRIES,
        "roles": ["admin", "query_endpoints"],
        "state": "disabled",
        "onDelete": "retain",
    }
    wire.process.create("ApiKey", inputs)
    body = {name: value for name, value in inputs.items() if name not in ("keyId", "onDelete")}
    check(wire.only("update_key"), "PATCH", f"{wire.organization}/keys/{key}", body)


@pytest.mark.parametrize("cleared", [{"expireAt": ""}, {}], ids=["empty", "taken out"])
def test_update_key_so_that_it_never_expires(wire: Wire, cleared: dict[str, Any]) -> None:
    """If it is empty or removed, `expireAt` is sent as null, without other fields."""
    key = wire.sandbox.add_key(name="before", expireAt=None)["key"]["id"]
    inputs = {"keyId": key, "name": "before"}
    _, state = wire.process.create("ApiKey", {**inputs, "expireAt": "2030-01-31T00:00:00Z"})
    wire.sandbox.forget_requests()
    wire.process.update("ApiKey", key, state, {**inputs, **cleared})
    check(wire.only("update_key"), "PATCH", f"{wire.organization}/keys/{key}", {"expireAt": None})


def test_list_dashboards_of_a_service(wire: Wire) -> None:
    """GET below the service, with Basic credentials."""
    service = wire.service()
    wire.sandbox.add("dashboards", serviceId=service, name="d", tiles=[])
    result = FUNCTIONS["listDashboards"].call(wire.process, {"serviceId": service})
    assert [each["name"] for each in result["dashboards"]] == ["d"]
    path = f"{wire.organization}/services/{service}/{STACK[wire.dialect]}/dashboards"
    check(wire.only("list_dashboards"), "GET", path, None)


def test_create_alert_of_a_service(wire: Wire) -> None:
    """POST below the service, with Basic credentials; `serviceId` is in the path, not in the body."""
    service = wire.service()
    dashboard = wire.sandbox.add("dashboards", serviceId=service, name="d", tiles=[{"name": "t"}])
    inputs = {
        "dashboardId": dashboard["id"],
        "tileId": dashboard["tiles"][0]["id"],
        "threshold": 5.0,
        "interval": "5m",
        "source": "tile",
        "thresholdType": "above",
        "channel": {"type": "webhook", "webhookId": CALM},
        "name": "Too many",
        "message": "Look at it",
    }
    _, state = wire.process.create("Alert", {**inputs, "serviceId": service})
    path = f"{wire.organization}/services/{service}/{STACK[wire.dialect]}/alerts"
    check(wire.only("create_alert"), "POST", path, {**inputs, "threshold": 5})
    assert state["dashboard"] == dashboard["id"]
    assert state["team"]


@pytest.mark.parametrize("kind", ["dashboards", "alerts"])
def test_lists_of_the_self_hosted_server(wire: Wire, kind: str) -> None:
    """GET below `/api/v2`, with the token; the paths are the same in both dialects."""
    FUNCTIONS[f"list{kind.capitalize()}"].call(wire.process, {})
    check(wire.only(f"self_hosted_list_{kind}"), "GET", f"/api/v2/{kind}", None, "Bearer")


def test_get_alert_of_the_self_hosted_server(wire: Wire) -> None:
    """GET on the alert, with the token."""
    alert = wire.sandbox.add("alerts", name="a", dashboard="d", tileId="t", threshold=1, interval="5m")["id"]
    result = FUNCTIONS["getAlert"].call(wire.process, {"alertId": alert})
    assert (result["name"], result["dashboard"]) == ("a", "d")
    check(wire.only("self_hosted_get_alert"), "GET", f"/api/v2/alerts/{alert}", None, "Bearer")


def test_every_documented_operation_is_tested_here(wire: Wire) -> None:
    """The interface documents these nine operations; each has a test above."""
    assert {name for name, operation in OPERATIONS.items() if operation.documented} == {
        "create_service",
        "get_pipe",
        "scale_pipe",
        "update_key",
        "list_dashboards",
        "create_alert",
        "self_hosted_list_dashboards",
        "self_hosted_list_alerts",
        "self_hosted_get_alert",
    }
    assert wire.sent() == []


@pytest.mark.parametrize("managed", [True, False], ids=["managed", "self-hosted"])
def test_dashboard_requests_omit_keys_and_contain_tile_ids(wire: Wire, managed: bool) -> None:
    """Keys exist only in this provider; removed tags are sent as an empty list, or the server would keep them."""
    inputs: dict[str, Any] = {"name": "Orders", "tags": ["prod"], "tiles": TILES}
    service = wire.service() if managed else None
    inputs |= {"serviceId": service} if service else {}
    made, state = wire.process.create("Dashboard", inputs)
    prefix = "" if managed else "self_hosted_"
    scheme = "Basic" if managed else "Bearer"
    base = f"{wire.organization}/services/{service}/{STACK[wire.dialect]}" if managed else "/api/v2"
    plain = [
        {
            **{name: value for name, value in tile.items() if name != "key"},
            "series": [{"whereLanguage": "lucene", **tile["series"][0]}],
        }
        for tile in TILES
    ]
    body = {"name": "Orders", "tags": ["prod"], "tiles": plain}
    check(wire.only(f"{prefix}create_dashboard"), "POST", f"{base}/dashboards", body, scheme)
    without_tags = {name: value for name, value in inputs.items() if name != "tags"}
    wire.process.update("Dashboard", made, state, without_tags)
    ids = [{"id": state["tileIds"][key], **tile} for key, tile in zip(("rate", "Errors"), plain, strict=True)]
    request = wire.only(f"{prefix}update_dashboard")
    more: dict[str, Any] = {"filters": [], "savedFilterValues": []} if wire.dialect == "clickhouse" else {}
    check(request, "PUT", f"{base}/dashboards/{made}", {**more, "name": "Orders", "tags": [], "tiles": ids}, scheme)


@pytest.mark.beyond_the_description
def test_tile_config_is_sent_unchanged(wire: Wire) -> None:
    """`config` is not translated; whole floats become integers, and conditions get their default language."""
    select = [{"aggFn": "count", "where": "", "dataSource": "d"}]
    config = {"displayType": "line", "sourceId": LOGS, "engine_max_threads": 1.0, "select": select}
    place = {"name": "t", "x": 0, "y": 0, "w": 4, "h": 2}
    wire.process.create("Dashboard", {"name": "New", "tiles": [{**place, "config": config}]})
    (tile,) = wire.only("self_hosted_create_dashboard").body["tiles"]
    expected = [{**select[0], "whereLanguage": "lucene"}]
    assert tile == {**place, "config": {**config, "engine_max_threads": 1, "select": expected}}


def test_removed_texts_of_an_alert_are_not_sent(wire: Wire) -> None:
    """The PUT replaces the alert, so the server clears a name that is not sent."""
    dashboard = wire.sandbox.add("dashboards", name="d", tiles=[{"name": "t"}])
    inputs = {
        "dashboardId": dashboard["id"],
        "tileId": dashboard["tiles"][0]["id"],
        "threshold": 0.5,
        "interval": "1h",
        "thresholdType": "above",
        "channel": {"type": "webhook", "webhookId": CALM},
    }
    made, state = wire.process.create("Alert", {**inputs, "name": "Too many", "message": "Look"})
    wire.process.update("Alert", made, state, {**inputs, "threshold": 2.0})
    request = wire.only("self_hosted_update_alert")
    derived = {"displayName": "d - t", "tags": []} if wire.dialect == "clickhouse" else {}
    body = {**inputs, "threshold": 2, "source": "tile", **derived}
    check(request, "PUT", f"/api/v2/alerts/{made}", body, "Bearer")
    assert wire.sandbox.alerts[made]["name"] is None


UPDATES: dict[str, tuple[dict[str, Any], dict[str, Any], list[tuple[str, dict[str, Any]]]]] = {
    "a name": ({}, {"name": "renamed"}, [("update_service", {"name": "renamed"})]),
    "a release channel": ({}, {"releaseChannel": "slow"}, [("update_service", {"releaseChannel": "slow"})]),
    "an IP list as additions and removals": (
        {"ipAccessList": ENTRIES},
        {"ipAccessList": [ENTRIES[1], {"source": "192.0.2.1"}]},
        [("update_service", {"ipAccessList": {"add": [{"source": "192.0.2.1"}], "remove": [ENTRIES[0]]}})],
    ),
    "an endpoint": (
        {},
        {"endpoints": [{"protocol": "mysql", "enabled": True}]},
        [("update_service", {"endpoints": [{"protocol": "mysql", "enabled": True}]})],
    ),
    "replicas": ({"numReplicas": 3.0}, {"numReplicas": 4.0}, [("scale_service", {"numReplicas": 4})]),
    "several": (
        {},
        {"name": "both", "idleTimeoutMinutes": 5.5, "idleScaling": False},
        [
            ("update_service", {"name": "both"}),
            ("scale_service", {"idleTimeoutMinutes": 5.5, "idleScaling": False}),
        ],
    ),
    "an order": ({"ipAccessList": ENTRIES}, {"ipAccessList": ENTRIES[::-1]}, []),
    "another form of the same address": (
        {"ipAccessList": [{"source": "192.0.2.1"}]},
        {"ipAccessList": [{"source": "192.0.2.1/32", "description": ""}]},
        [],
    ),
    "options": ({}, {"deletionProtection": False, "allowReplacement": True, "waitTimeoutMinutes": 1.0}, []),
    "a removed field": ({"idleTimeoutMinutes": 15.0}, {}, []),
    "nothing": ({"numReplicas": 3.0}, {"numReplicas": 3.0}, []),
}


@pytest.mark.parametrize(("before", "after", "expected"), UPDATES.values(), ids=UPDATES)
def test_updates_of_a_service_send_only_what_changed(
    wire: Wire, before: dict[str, Any], after: dict[str, Any], expected: list[tuple[str, dict[str, Any]]]
) -> None:
    """Each field is sent by its own operation; options and equivalent values are not sent."""
    name = f"Change {uuid.uuid4().hex[:8]}"
    made, state = wire.process.create("Service", {"name": name, **before})
    wire.sandbox.forget_requests()
    wire.process.update("Service", made, state, {"name": name, **after})
    writes = [(each.operation, each.body) for each in wire.sent() if each.method != "GET"]
    assert writes == expected
    assert all(
        each.path.startswith(f"{wire.organization}/services/{made}") for each in wire.sent() if each.method != "GET"
    )


def test_request_headers_are_minimal(wire: Wire) -> None:
    """There are no cookies, no tracing headers and nothing about the machine."""
    FUNCTIONS["listServices"].call(wire.process, {})
    headers = wire.only("list_services").headers
    assert sorted(headers) == ["accept", "accept-encoding", "authorization", "host", "user-agent"]
