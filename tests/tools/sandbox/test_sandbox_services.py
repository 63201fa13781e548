"""Services in the sandbox: creates, states, updates and refusals."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.schema.base import names_with, wire_names
from pulumi_clouddb.schema.thing import listed_of
from pulumi_clouddb.things.services.service import Service, ServiceCreated

MINIMAL = {"name": "orders", "provider": "aws", "region": "us-east-1"}


def create(http: httpx.Client, **fields: Any) -> dict[str, Any]:
    """Create a service and return its record."""
    answer = http.post("/services", json={**MINIMAL, **fields})
    assert answer.status_code == 200, answer.text
    record: dict[str, Any] = answer.json()["result"]["service"]
    return record


def test_create_returns_the_service_and_its_password(sandbox: Sandbox, http: httpx.Client) -> None:
    """The password is returned once; reads have none."""
    result = http.post("/services", json=MINIMAL).json()["result"]
    created = ServiceCreated.model_validate(result)
    assert set(result) == {"service", "password"}
    assert sandbox.password_works(str(created.service.id), str(created.password))
    assert not sandbox.password_works(str(created.service.id), "guess")
    assert "password" not in http.get(f"/services/{created.service.id}").json()["result"]


def test_defaults_are_those_of_a_production_service(http: httpx.Client) -> None:
    """Missing fields get defaults; responses have more fields than the interface, such as the state."""
    record = create(http)
    assert {"state", "provider", "region", "autoscalingMode", "currentScaling"} <= set(record)
    expected = {
        "numReplicas": 3,
        "idleScaling": True,
        "idleTimeoutMinutes": 15,
        "tier": "production",
        "releaseChannel": "default",
        "isPrimary": True,
        "isReadonly": False,
        "minTotalMemoryGb": record["minReplicaMemoryGb"] * 3,
        "maxTotalMemoryGb": record["maxReplicaMemoryGb"] * 3,
    }
    assert {name: record[name] for name in expected} == expected
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", record["createdAt"])
    assert [endpoint["protocol"] for endpoint in record["endpoints"]] == ["https", "nativesecure"]


SENT: dict[str, dict[str, Any]] = {
    "memory per replica": {"minReplicaMemoryGb": 8, "maxReplicaMemoryGb": 32},
    "memory in total": {"minTotalMemoryGb": 24, "maxTotalMemoryGb": 96},
    "replicas": {"numReplicas": 5},
    "idling": {"idleScaling": False, "idleTimeoutMinutes": 30},
    "enterprise": {"profile": "v1-highmem-m", "complianceType": "hipaa", "hasTransparentDataEncryption": True},
    "encryption": {"encryptionKey": "key", "encryptionAssumedRoleIdentifier": "role"},
    "bring your own cloud": {"byocId": "own", "minReplicaMemoryGb": 48, "maxReplicaMemoryGb": 116},
    "older fields": {"tier": "dedicated_high_mem", "privateEndpointIds": ["one"]},
    "channel": {"releaseChannel": "fast"},
    "development": {"tier": "development", "numReplicas": 1},
}


@pytest.mark.parametrize("case", SENT)
def test_sent_fields_are_stored(http: httpx.Client, case: str) -> None:
    """The create and a read return each field."""
    record = create(http, **SENT[case])
    read = http.get(f"/services/{record['id']}").json()["result"]
    for answer in (record, read):
        assert {name: answer[name] for name in SENT[case]} == SENT[case]


def test_total_memory_is_that_of_three_replicas(http: httpx.Client) -> None:
    """Each of both is derived from the other one."""
    assert create(http, minTotalMemoryGb=24, maxTotalMemoryGb=96)["maxReplicaMemoryGb"] == 32
    assert create(http, minReplicaMemoryGb=8, maxReplicaMemoryGb=32)["maxTotalMemoryGb"] == 96
    assert create(http, minReplicaMemoryGb=200)["maxReplicaMemoryGb"] == 200
    assert create(http, maxReplicaMemoryGb=8)["minReplicaMemoryGb"] == 8


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "unknown field": ({"sise": 3}, "request body.sise: is not supported here"),
    "an option of the provider": ({"allowDuplicateName": True}, "request body.allowDuplicateName: is not supported"),
    "null": ({"region": None}, "request body.region: must not be null"),
    "null inside": (
        {"ipAccessList": [{"source": "10.0.0.1", "description": None}]},
        "[0].description: must not be null",
    ),
    "unknown region": ({"region": "moon"}, "request body.region: must be one of"),
    "replicas": ({"numReplicas": 21}, "request body.numReplicas: must be at most 20, not 21"),
    "a fraction": ({"numReplicas": 2.5}, "request body.numReplicas: "),
    "memory order": (
        {"minReplicaMemoryGb": 64, "maxReplicaMemoryGb": 32},
        "request body.minReplicaMemoryGb: must be at most",
    ),
    "protocol": ({"endpoints": [{"protocol": "smtp", "enabled": True}]}, "protocol must be mysql"),
    "https off": ({"endpoints": [{"protocol": "https", "enabled": False}]}, "https cannot be turned off"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_invalid_create_is_refused(sandbox: Sandbox, http: httpx.Client, case: str) -> None:
    """The status is 400 with the field, and no service is created."""
    fields, words = REFUSED[case]
    before = len(sandbox.services)
    answer = http.post("/services", json={**MINIMAL, **fields})
    assert answer.status_code == 400
    assert words in answer.json()["error"]
    assert len(sandbox.services) == before


def test_all_failures_are_reported_at_once(http: httpx.Client) -> None:
    """One response names all invalid fields."""
    error = http.post("/services", json={"name": "a_b", "numReplicas": 0, "region": "moon"}).json()["error"]
    assert [word for word in ("body.name", "body.numReplicas", "body.region") if word in error] == [
        "body.name",
        "body.numReplicas",
        "body.region",
    ]


def test_organization_limits_services() -> None:
    """BASIC has one replica and no enterprise fields; an organization that does not pay gets less memory."""
    with Sandbox(vocabulary="neutral", organization_tier="BASIC", paid=False) as sandbox, sandbox.management() as http:
        assert create(http)["numReplicas"] == 1
        assert create(http, numReplicas=1)["numReplicas"] == 1
        for fields in ({"profile": "v1-default"}, {"complianceType": "pci"}, {"hasTransparentDataEncryption": True}):
            assert "ENTERPRISE" in http.post("/services", json={**MINIMAL, **fields}).json()["error"]
        too_much = http.post("/services", json={**MINIMAL, "maxReplicaMemoryGb": 124})
        assert "must be at most 120" in too_much.json()["error"]


def test_replica_aware_routing_needs_an_enterprise_organization() -> None:
    """Others can read that it is off, and are refused with 403."""
    with Sandbox(vocabulary="clickhouse", organization_tier="SCALE") as sandbox, sandbox.management() as http:
        path = f"/services/{create(http)['id']}/replicaAwareRouting"
        assert http.get(path).json()["result"] == {"httpEnabled": False, "nativeEnabled": False}
        assert http.patch(path, json={"httpEnabled": True}).status_code == 403


def test_warehouse_must_exist(http: httpx.Client) -> None:
    """The second service of a warehouse is not the primary one, and may be read-only with one replica."""
    first = create(http)
    second = create(http, dataWarehouseId=first["dataWarehouseId"], numReplicas=1, isReadonly=True)
    assert (second["isPrimary"], second["dataWarehouseId"]) == (False, first["dataWarehouseId"])
    assert http.post("/services", json={**MINIMAL, "dataWarehouseId": "nowhere"}).status_code == 400


def test_backup_must_exist_and_match(sandbox: Sandbox, http: httpx.Client) -> None:
    """Region and tier must be those of the backup's service."""
    backup = sandbox.add_backup(create(http)["id"])
    assert "backupId" not in create(http, backupId=backup)
    abroad = sandbox.add_backup(create(http, region="eu-west-1")["id"])
    restored = http.post("/services", json={"name": "restored", "backupId": abroad}).json()["result"]["service"]
    assert restored["region"] == "eu-west-1"
    elsewhere = http.post("/services", json={**MINIMAL, "region": "eu-west-1", "backupId": backup})
    assert "region: must be 'us-east-1', as in the backup" in elsewhere.json()["error"]
    unknown = http.post("/services", json={**MINIMAL, "backupId": "3c0a1c2e-0000-4000-8000-000000000000"})
    assert unknown.status_code == 400


ORDERS = {"neutral": [1, 0], "clickhouse": [0, 1]}


@pytest.mark.parametrize("vocabulary", ORDERS)
def test_ip_list_has_the_order_of_the_dialect(vocabulary: str) -> None:
    """The interface documents no order, so the sandbox changes it; the vendor's servers keep it."""
    entries = [{"source": "10.0.0.0/8", "description": "office"}, {"source": "203.0.113.7"}]
    with Sandbox(vocabulary=vocabulary) as sandbox, sandbox.management() as http:
        record = create(http, ipAccessList=entries)
        assert record["ipAccessList"] == [entries[place] for place in ORDERS[vocabulary]]
        change = {"add": entries[::-1], "remove": entries}
        changed = http.patch(f"/services/{record['id']}", json={"ipAccessList": change}).json()["result"]
        assert changed["ipAccessList"] == [entries[::-1][place] for place in ORDERS[vocabulary]]


def test_service_is_updated_in_place(http: httpx.Client) -> None:
    """Lists change by additions and removals; removals come first."""
    old, new = {"source": "10.0.0.1", "description": "old"}, {"source": "10.0.0.1", "description": "new"}
    other = {"source": "10.0.0.2"}
    record = create(http, ipAccessList=[old, other])
    changed = http.patch(
        f"/services/{record['id']}",
        json={
            "name": "renamed",
            "releaseChannel": "slow",
            "ipAccessList": {"add": [new], "remove": [old, {"source": "10.0.0.9"}]},
            "privateEndpointIds": {"add": ["one", "two"]},
            "endpoints": [{"protocol": "mysql", "enabled": True}],
        },
    ).json()["result"]
    assert (changed["name"], changed["releaseChannel"]) == ("renamed", "slow")
    assert sorted(changed["ipAccessList"], key=str) == sorted([new, other], key=str)
    assert changed["privateEndpointIds"] == ["one", "two"]
    assert [endpoint["protocol"] for endpoint in changed["endpoints"]] == ["https", "nativesecure", "mysql"]
    again = http.patch(
        f"/services/{record['id']}",
        json={
            "ipAccessList": {"remove": [{"source": "10.0.0.1"}]},
            "privateEndpointIds": {"remove": ["one"]},
            "endpoints": [{"protocol": "mysql", "enabled": False}],
        },
    ).json()["result"]
    assert (again["ipAccessList"], again["privateEndpointIds"]) == ([other], ["two"])
    assert [endpoint["protocol"] for endpoint in again["endpoints"]] == ["https", "nativesecure"]


def test_added_address_replaces_an_equal_one(http: httpx.Client) -> None:
    """Each address is on the list once, with its last description."""
    record = create(http, ipAccessList=[{"source": "10.0.0.1", "description": "old"}])
    new = {"source": "10.0.0.1", "description": "new"}
    changed = http.patch(f"/services/{record['id']}", json={"ipAccessList": {"add": [new]}}).json()["result"]
    assert changed["ipAccessList"] == [new]


UNCHANGEABLE = {
    "region": ("", {"region": "eu-west-1"}),
    "a whole list": ("", {"ipAccessList": [{"source": "10.0.0.1"}]}),
    "scaling among the details": ("", {"numReplicas": 4}),
    "details among the scaling": ("/replicaScaling", {"name": "other"}),
    "above the limit": ("/replicaScaling", {"numReplicas": 21}),
    "below the other bound": ("/replicaScaling", {"maxReplicaMemoryGb": 8}),
    "single replica": ("/replicaScaling", {"numReplicas": 1}),
    "total steps": ("/scaling", {"maxTotalMemoryGb": 100}),
    "no such command": ("/state", {"command": "explode"}),
    "no command": ("/state", {}),
}


@pytest.mark.parametrize("case", UNCHANGEABLE)
def test_invalid_update_is_refused(sandbox: Sandbox, http: httpx.Client, case: str) -> None:
    """The status is 400, and the service is unchanged."""
    path, body = UNCHANGEABLE[case]
    service_id = create(http)["id"]
    before = sandbox.services[service_id]
    assert http.patch(f"/services/{service_id}{path}", json=body).status_code == 400
    assert sandbox.services[service_id] == {**before, "state": "running"}


def test_scaling_changes_only_sent_fields(http: httpx.Client) -> None:
    """This holds for the current and the deprecated form of scaling."""
    record = create(http)
    url = f"/services/{record['id']}"
    scaled = http.patch(f"{url}/replicaScaling", json={"numReplicas": 4, "maxReplicaMemoryGb": 64}).json()["result"]
    assert (scaled["numReplicas"], scaled["maxReplicaMemoryGb"], scaled["maxTotalMemoryGb"]) == (4, 64, 192)
    assert (scaled["minReplicaMemoryGb"], scaled["idleTimeoutMinutes"]) == (record["minReplicaMemoryGb"], 15)
    total = http.patch(f"{url}/scaling", json={"minTotalMemoryGb": 96, "idleScaling": False}).json()["result"]
    assert (total["minReplicaMemoryGb"], total["idleScaling"], total["numReplicas"]) == (32, False, 4)


def test_development_services_do_not_scale(http: httpx.Client) -> None:
    """Their size is fixed."""
    record = create(http, tier="development")
    answer = http.patch(f"/services/{record['id']}/replicaScaling", json={"idleTimeoutMinutes": 10})
    assert (answer.status_code, "fixed size" in answer.text) == (400, True)


def test_states_take_the_time_of_the_latency() -> None:
    """The states of a service from create to delete, and the commands that each state refuses."""
    with (
        Sandbox(vocabulary="neutral", latency={"provision": 30, "start": 20, "stop": 10, "delete": 5}) as sandbox,
        sandbox.management() as http,
    ):
        record = create(http)
        url = f"/services/{record['id']}"

        def state() -> str:
            return str(http.get(url).json()["result"]["state"])

        def command(name: str) -> int:
            return http.patch(f"{url}/state", json={"command": name}).status_code

        assert (record["state"], command("stop")) == ("provisioning", 400)
        sandbox.advance(29)
        assert state() == "provisioning"
        sandbox.advance(1)
        assert (state(), command("start"), command("awake")) == ("running", 400, 400)
        assert (command("stop"), state()) == (200, "stopping")
        sandbox.advance(10)
        assert (state(), command("start"), state()) == ("stopped", 200, "starting")
        sandbox.advance(20)
        assert state() == "running"
        sandbox.change("services", record["id"], state="idle")
        assert (command("awake"), state()) == (200, "awaking")
        assert (http.delete(url).json().keys(), state()) == ({"status", "requestId"}, "terminating")
        assert http.delete(url).status_code == 409
        sandbox.advance(5)
        gone = http.get(url)
        assert (gone.status_code, gone.json()["error"]) == (404, "NOT_FOUND: Service not found")


def test_running_service_cannot_be_deleted(http: httpx.Client) -> None:
    """The message is the vendor's."""
    record = create(http)
    answer = http.delete(f"/services/{record['id']}")
    assert answer.status_code == 409
    assert answer.json()["error"] == (
        "CONFLICT: Only instance in one of the following states: "
        "'provisioning','starting','awaking','idle','stopped','degraded','failed' can be terminated. "
        "Current state: 'running'"
    )


def test_deleting_a_service_deletes_its_objects(sandbox: Sandbox, http: httpx.Client) -> None:
    """These are its pipes and the objects of its observability server."""
    record = create(http)
    url = f"/services/{record['id']}"
    tile = {"name": "errors", "x": 0, "y": 0, "w": 4, "h": 2}
    assert http.post(f"{url}/stack/dashboards", json={"name": "board", "tiles": [tile]}).status_code == 200
    http.patch(f"{url}/state", json={"command": "stop"})
    http.delete(url)
    assert http.get(url).status_code == 404
    belongs = [pipe for pipe in sandbox.pipes.values() if pipe["serviceId"] == record["id"]]
    assert (belongs, sandbox.dashboards) == ([], {})


def test_password_is_set_by_hash_or_generated(sandbox: Sandbox, http: httpx.Client) -> None:
    """With a hash the response has no password; in both cases the old one stops working at once."""
    result = http.post("/services", json=MINIMAL).json()["result"]
    service_id, first = result["service"]["id"], result["password"]
    url = f"/services/{service_id}/password"
    second = http.patch(url, json={}).json()["result"]["password"]
    assert not sandbox.password_works(service_id, first)
    assert sandbox.password_works(service_id, second)
    digest = base64.b64encode(hashlib.sha256(b"third").digest()).decode()
    assert http.patch(url, json={"newPasswordHash": digest}).json()["result"] == {}
    assert not sandbox.password_works(service_id, second)
    assert sandbox.password_works(service_id, "third")


@pytest.mark.parametrize("setting", ["interface_only", "documented_only"])
def test_services_can_be_limited_to_the_interface(setting: str) -> None:
    """Exactly its fields, and so no state."""
    settings: dict[str, Any] = {"vocabulary": "neutral", setting: True}
    with Sandbox(**settings) as sandbox, sandbox.management() as http:
        answered = listed_of(Service)
        assert set(create(http)) == {*wire_names(answered)} - {"state", *names_with(answered, "only")}


def test_services_are_ready_at_once_without_states() -> None:
    """With `documented_only` this holds for every latency."""
    with (
        Sandbox(vocabulary="neutral", documented_only=True, latency={"provision": 60}) as sandbox,
        sandbox.management() as http,
    ):
        record = create(http)
        assert sandbox.services[record["id"]]["state"] == "running"


MISSING = {
    "service": ("/services/3c0a1c2e-0000-4000-8000-000000000000", 404),
    "not an id": ("/services/orders", 400),
}


@pytest.mark.parametrize("case", MISSING)
def test_missing_objects_are_404_in_the_envelope(http: httpx.Client, case: str) -> None:
    """A 404 in JSON means that the object does not exist."""
    path, status = MISSING[case]
    answer = http.get(path)
    assert (answer.status_code, answer.json()["status"]) == (status, status)
