"""Parts of the clickhouse dialect only, such as tags of services and keys with credentials of the client."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.roles import system_role

OWNER = {"key": "owner", "value": "ci"}
STAGE = {"key": "stage", "value": "test"}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """One sandbox in the clickhouse dialect for all tests here."""
    with Sandbox(vocabulary="clickhouse") as running:
        yield running


def create(http: httpx.Client, **fields: Any) -> httpx.Response:
    """Try to create a service."""
    return http.post("/services", json={"name": "orders", **fields})


@pytest.mark.parametrize("tags", [None, [], [{"key": "alone"}], [OWNER, STAGE]], ids=str)
def test_records_of_a_service_have_its_tags(http: httpx.Client, tags: list[dict[str, str]] | None) -> None:
    """The create, a read and the list return the sent tags, or an empty list."""
    created = create(http, **({} if tags is None else {"tags": tags})).json()["result"]["service"]
    read = http.get(f"/services/{created['id']}").json()["result"]
    listed = {service["id"]: service for service in http.get("/services").json()["result"]}
    assert [record["tags"] for record in (created, read, listed[created["id"]])] == [tags or []] * 3


BY_TAG: dict[str, tuple[list[str], set[str]]] = {
    "no filter": ([], {"a", "b", "c"}),
    "a key": (["tag:env"], {"a", "b"}),
    "a key and a value": (["tag:env=prod"], {"a"}),
    "two filters": (["tag:env", "tag:team=data"], {"b"}),
    "no service": (["tag:env=none"], set()),
    "something else": (["name:a"], {"a", "b", "c"}),
}


@pytest.mark.parametrize("vocabulary", ["clickhouse", "neutral"])
def test_services_are_filtered_by_tag(vocabulary: str) -> None:
    """The vendor documents the filters; the interface has none."""
    with Sandbox(vocabulary=vocabulary) as sandbox, sandbox.management() as http:
        for name, tags in (("a", {"env": "prod"}), ("b", {"env": "dev", "team": "data"}), ("c", {})):
            sandbox.add("services", name=name, tags=[{"key": key, "value": value} for key, value in tags.items()])
        found = {
            case: {each["name"] for each in http.get("/services", params={"filter": filters}).json()["result"]}
            for case, (filters, _) in BY_TAG.items()
        }
    expected = {case: names if vocabulary == "clickhouse" else {"a", "b", "c"} for case, (_, names) in BY_TAG.items()}
    assert found == expected


MANY = [{"key": f"key{number}", "value": "x"} for number in range(51)]
REFUSED_TAGS: dict[str, tuple[Any, str]] = {
    "too many": (MANY, "request body.tags: must have at most 50 elements"),
    "no key": ([{"value": "x"}], "request body.tags[0].key: is required"),
    "empty key": ([{"key": ""}], "request body.tags[0].key: must have at least 1 character"),
    "key too long": ([{"key": "x" * 129}], "request body.tags[0].key: must have at most 128 characters"),
    "key with a blank": ([{"key": "a b"}], "request body.tags[0].key: must be letters, digits, dots"),
    "value too long": ([{"key": "x", "value": "x" * 257}], "request body.tags[0].value: must have at most 256"),
    "value with a slash": ([{"key": "x", "value": "a/b"}], "request body.tags[0].value: must be letters, digits, dots"),
}


@pytest.mark.parametrize("case", REFUSED_TAGS)
def test_tags_have_limits(sandbox: Sandbox, http: httpx.Client, case: str) -> None:
    """The create is refused with 400 and the field, and no service is created."""
    tags, words = REFUSED_TAGS[case]
    before = len(sandbox.services)
    answer = create(http, tags=tags)
    assert answer.status_code == 400
    assert words in answer.json()["error"]
    assert len(sandbox.services) == before


TAG_CHANGES: dict[str, tuple[dict[str, Any], list[dict[str, str]]]] = {
    "nothing": ({}, [OWNER, STAGE]),
    "add": ({"add": [{"key": "new"}]}, [OWNER, STAGE, {"key": "new"}]),
    "add a known key": ({"add": [{"key": "owner", "value": "me"}]}, [STAGE, {"key": "owner", "value": "me"}]),
    "remove": ({"remove": [OWNER]}, [STAGE]),
    "remove by key alone": ({"remove": [{"key": "stage"}]}, [OWNER]),
    "remove what is not there": ({"remove": [{"key": "other"}]}, [OWNER, STAGE]),
    "removals come first": ({"remove": [OWNER], "add": [OWNER]}, [STAGE, OWNER]),
}


@pytest.mark.parametrize("case", TAG_CHANGES)
def test_update_adds_and_removes_tags(http: httpx.Client, case: str) -> None:
    """Removals come before additions; other tags are unchanged."""
    change, expected = TAG_CHANGES[case]
    id_ = create(http, tags=[OWNER, STAGE]).json()["result"]["service"]["id"]
    assert http.patch(f"/services/{id_}", json={"tags": change}).json()["result"]["tags"] == expected
    assert http.get(f"/services/{id_}").json()["result"]["tags"] == expected


def test_update_cannot_exceed_the_limit_of_tags(http: httpx.Client) -> None:
    """A service has at most 50 tags; the refused update changes no tag."""
    id_ = create(http, tags=MANY[:50]).json()["result"]["service"]["id"]
    for change in ({"add": MANY[50:]}, {"add": MANY}):
        assert http.patch(f"/services/{id_}", json={"tags": change}).status_code == 400
    assert http.get(f"/services/{id_}").json()["result"]["tags"] == MANY[:50]


def digest(text: str) -> str:
    """Return the SHA-256 in base64, as in the description of `ApiKeyHashData`."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def hashes_of(key_id: str, secret: str) -> dict[str, str]:
    """Return the hashes that a client sends of its credentials."""
    return {"keyIdHash": digest(key_id), "keyIdSuffix": key_id[-4:], "keySecretHash": digest(secret)}


def test_key_from_hashes_authenticates_with_its_credentials(sandbox: Sandbox, http: httpx.Client) -> None:
    """The response has only the record; neither the id nor the secret is ever transmitted."""
    key_id, secret = secrets.token_hex(10), secrets.token_hex(21)
    body = {"name": "ci", "roles": ["admin"], "hashData": hashes_of(key_id, secret)}
    result = http.post("/keys", json=body).json()["result"]
    assert set(result) == {"key"}
    assert "hashData" not in result["key"]
    assert result["key"]["keySuffix"] == key_id[-4:]
    with sandbox.management(key_id, secret) as own:
        assert own.get("/services").status_code == 200
    with sandbox.management(key_id, "guess") as stranger:
        assert stranger.get("/services").status_code == 401
    # The hash itself does not authenticate.
    with sandbox.management(digest(key_id), digest(secret)) as thief:
        assert thief.get("/services").status_code == 401
    http.delete(f"/keys/{result['key']['id']}")
    with sandbox.management(key_id, secret) as own:
        assert own.get("/services").status_code == 401


def test_key_id_can_be_used_once(sandbox: Sandbox, http: httpx.Client) -> None:
    """A second key of the same id is refused, and the first still works; this holds for ids of the server, too."""
    key_id, secret = secrets.token_hex(10), secrets.token_hex(21)
    body = {"name": "ci", "roles": ["admin"]}
    assert http.post("/keys", json={**body, "hashData": hashes_of(key_id, secret)}).status_code == 200
    again = http.post("/keys", json={**body, "hashData": hashes_of(key_id, "other")})
    assert again.status_code == 400
    assert "a key with this id exists already" in again.json()["error"]
    with sandbox.management(key_id, secret) as own:
        assert own.get("/services").status_code == 200
    assert http.post("/keys", json={**body, "hashData": hashes_of(sandbox.key_id, "other")}).status_code == 400


REFUSED_HASHES: dict[str, dict[str, Any]] = {
    "hex": {"keySecretHash": hashlib.sha256(b"x").hexdigest()},
    "too short": {"keyIdHash": "QUJD"},
    "suffix too long": {"keyIdSuffix": "12345"},
    "null": {"keySecretHash": None},
}


@pytest.mark.parametrize("case", REFUSED_HASHES)
def test_invalid_hashes_are_refused(sandbox: Sandbox, http: httpx.Client, case: str) -> None:
    """All three hashes are required in the described form."""
    before = len(sandbox.keys)
    hashes = {**hashes_of("some key id", "secret"), **REFUSED_HASHES[case]}
    assert http.post("/keys", json={"name": "ci", "roles": ["admin"], "hashData": hashes}).status_code == 400
    for missing in ("keyIdHash", "keyIdSuffix", "keySecretHash"):
        rest = {name: value for name, value in hashes_of("some key id", "secret").items() if name != missing}
        assert http.post("/keys", json={"name": "ci", "roles": ["admin"], "hashData": rest}).status_code == 400
    assert len(sandbox.keys) == before


def test_update_drops_hashes(sandbox: Sandbox, http: httpx.Client) -> None:
    """The credentials of a key never change; unknown properties are dropped."""
    made = http.post("/keys", json={"name": "ci", "roles": ["admin"]}).json()["result"]
    answer = http.patch(f"/keys/{made['key']['id']}", json={"hashData": hashes_of("id", "secret"), "colour": "red"})
    assert answer.status_code == 200
    assert answer.json()["result"].keys() == made["key"].keys()
    with sandbox.management(made["keyId"], made["keySecret"]) as own:
        assert own.get("/services").status_code == 200


ROLE = "8b7f5f6e-3a52-4d0e-9b27-0c5a1d2e3f40"


def test_key_has_roles_by_id(http: httpx.Client) -> None:
    """Each role is returned with its name and whether it is one of the organization's."""
    made = http.post("/keys", json={"name": "ci", "assignedRoleIds": [ROLE.upper()]}).json()["result"]["key"]
    assert made["assignedRoles"] == [{"roleId": ROLE, "roleName": "Role 8b7f5f6e", "roleType": "custom"}]
    assert "assignedRoleIds" not in made
    older = http.post("/keys", json={"name": "ci", "roles": ["developer"]}).json()["result"]["key"]
    ((role,),) = [older["assignedRoles"]]
    assert (role["roleName"], role["roleType"]) == ("Developer", "system")
    changed = http.patch(f"/keys/{made['id']}", json={"assignedRoleIds": [role["roleId"]]}).json()["result"]
    assert changed["assignedRoles"] == [role]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        pytest.param({"name": "ci", "roles": ["admin"], "expireAt": "2020-01-01T00:00:00Z"}, 400, id="expired"),
        pytest.param({"name": "ci"}, 200, id="no role"),
        pytest.param({"name": "ci", "roles": []}, 400, id="no older role"),
        pytest.param({"name": "ci", "assignedRoleIds": []}, 200, id="no newer role"),
        pytest.param({"name": "ci", "assignedRoleIds": ["admin"]}, 400, id="no id"),
        pytest.param({"name": "ci", "roles": ["admin"], "expireAt": None}, 200, id="never"),
    ],
)
def test_expired_key_is_refused(http: httpx.Client, body: dict[str, Any], status: int) -> None:
    """An expired key is refused. A key without a role is accepted: it is for query endpoints, which name their keys."""
    assert http.post("/keys", json=body).status_code == status


def test_service_returns_the_fields_of_its_scaling_mode(http: httpx.Client) -> None:
    """One mode has a number of replicas, the other a band; totals and `tier` are no longer returned."""
    service = create(http, colour="red").json()["result"]["service"]
    assert (service["autoscalingMode"], service["numReplicas"], service["enableCoreDumps"]) == ("vertical", 3, True)
    assert not {"tier", "minReplicas", "maxReplicas", "replicaMemoryGb", "scalingSchedule", "colour"} & set(service)
    assert service["currentScaling"] == {
        "effectiveAutoscalingMode": "vertical",
        "effectiveMinReplicaMemoryGb": 16,
        "effectiveMaxReplicaMemoryGb": 120,
        "effectiveMinReplicas": 3,
        "effectiveMaxReplicas": 3,
        "effectiveIdleScaling": True,
        "effectiveIdleTimeoutMinutes": 15,
    }
    url = f"/services/{service['id']}/replicaScaling"
    band = {"autoscalingMode": "horizontal", "minReplicas": 2, "maxReplicas": 4}
    assert http.patch(url, json=band).status_code == 400  # memory is a range
    memory = {"minReplicaMemoryGb": 32, "maxReplicaMemoryGb": 32}
    assert http.patch(url, json={"autoscalingMode": "horizontal", **memory}).status_code == 400
    scaled = http.patch(url, json={**band, **memory}).json()["result"]
    assert (scaled["minReplicas"], scaled["maxReplicas"], scaled["replicaMemoryGb"]) == (2, 4, 32)
    assert not {"numReplicas", "minTotalMemoryGb", "maxTotalMemoryGb"} & set(scaled)
    for end in ("minReplicas", "maxReplicas"):  # a request has both, also if one is unchanged
        assert f"{end}: must be given together" in http.patch(url, json={end: 3}).text
    assert http.patch(url, json={"minReplicas": 3, "maxReplicas": 4}).json()["result"]["minReplicas"] == 3
    assert http.patch(url, json={"numReplicas": 3}).status_code == 400
    assert http.patch(url, json={"autoscalingMode": "vertical"}).status_code == 400
    assert http.patch(url, json={"autoscalingMode": "vertical", "numReplicas": 2}).json()["result"]["numReplicas"] == 2


def test_tier_is_returned_if_it_was_requested(http: httpx.Client) -> None:
    """In an organization with its own tiers, services have none."""
    assert create(http, tier="production").json()["result"]["service"]["tier"] == "production"


NIGHT = {"name": "night", "weekdays": [0, 1, 2, 3, 4, 5, 6], "startHourUtc": 0, "endHourUtc": 24, "numReplicas": 2}
BESIDE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "backupConfiguration": (
        {"backupStartTime": "02:00", "backupPeriodInHours": None, "backupRetentionPeriodInHours": 48},
        {"backupStartTime": "02:00", "backupPeriodInHours": 24, "backupRetentionPeriodInHours": 48},
    ),
    "serviceQueryEndpoint": (
        {"roles": ["sql_console_admin"], "openApiKeys": ["k"]},
        {"roles": ["sql_console_admin"], "openApiKeys": ["k"], "allowedOrigins": ""},
    ),
    "scalingSchedule": ({"entries": [NIGHT]}, {}),
}


@pytest.mark.parametrize("path", BESIDE)
def test_settings_of_a_service_are_set_and_read(http: httpx.Client, path: str) -> None:
    """New settings are returned by the update and by reads; deleted ones are missing."""
    body, expected = BESIDE[path]
    url = f"/services/{create(http).json()['result']['service']['id']}/{path}"
    method = "PATCH" if path == "backupConfiguration" else "POST"
    assert http.request(method, url, json={**body, "colour": "red"}).status_code == 200
    read = http.get(url).json()["result"]
    assert {name: read.get(name) for name in expected} == expected
    assert "colour" not in read
    if path != "backupConfiguration":
        assert http.delete(url).json().keys() == {"status", "requestId"}
        assert http.get(url).status_code == http.delete(url).status_code == 404


def test_schedule_scales_at_its_hours(http: httpx.Client) -> None:
    """The service has the scaling of the active entry, with a band in place of its number."""
    id_ = create(http).json()["result"]["service"]["id"]
    schedule = http.post(f"/services/{id_}/scalingSchedule", json={"entries": [NIGHT]}).json()["result"]
    (entry,) = schedule["entries"]
    assert (entry["isActiveNow"], entry["minReplicas"], entry["maxReplicas"]) == (True, 2, 2)
    assert "numReplicas" not in entry
    assert (schedule["activeEntryId"], schedule["baseConfig"]["maxReplicas"]) == (entry["id"], 3)
    service = http.get(f"/services/{id_}").json()["result"]
    assert service["scalingSchedule"] == schedule
    assert service["currentScaling"]["effectiveMaxReplicas"] == 2
    assert service["currentScaling"]["activeEntryId"] == entry["id"]
    assert http.post(f"/services/{id_}/scalingSchedule", json={"entries": []}).json()["result"]["entries"] == []
    assert "scalingSchedule" not in http.get(f"/services/{id_}").json()["result"]


def test_primary_service_stops_after_the_others(http: httpx.Client, sandbox: Sandbox) -> None:
    """While another service of its warehouse runs, the refusal is 400; one that is stopped does not matter."""
    first = create(http).json()["result"]["service"]
    second = create(http, dataWarehouseId=first["dataWarehouseId"]).json()["result"]["service"]
    for service in (first, second):
        sandbox.change("services", service["id"], state="running")
    stops = [
        http.patch(f"/services/{service['id']}/state", json={"command": "stop"}).status_code
        for service in (first, second, first)
    ]
    assert stops == [400, 200, 200]


def test_stopped_service_takes_no_settings_of_its_engine(http: httpx.Client, sandbox: Sandbox) -> None:
    """It takes another scaling, and stays stopped."""
    path = f"/services/{create(http).json()['result']['service']['id']}"
    sandbox.change("services", path.rpartition("/")[2], state="stopped")
    assert http.patch(f"{path}/clickhouseSettings", json={"settings": {"max_query_size": 1}}).status_code == 400
    assert http.delete(f"{path}/clickhouseSettings/max_query_size").status_code == 400
    scaled = http.patch(f"{path}/replicaScaling", json={"numReplicas": 5}).json()["result"]
    assert (scaled["state"], scaled["numReplicas"]) == ("stopped", 5)


def test_backups_are_configured_for_the_first_service_of_a_warehouse(http: httpx.Client) -> None:
    """The other services share its backups."""
    first = create(http).json()["result"]["service"]
    second = create(http, dataWarehouseId=first["dataWarehouseId"]).json()["result"]["service"]
    assert http.get(f"/services/{first['id']}/backupConfiguration").json()["result"] == {
        "backupPeriodInHours": 24,
        "backupRetentionPeriodInHours": 24,
    }
    assert http.get(f"/services/{second['id']}/backupConfiguration").status_code == 400


def test_private_endpoint_config_is_returned(http: httpx.Client) -> None:
    """The response has both parts, which clients store."""
    id_ = create(http).json()["result"]["service"]["id"]
    config = http.get(f"/services/{id_}/privateEndpointConfig").json()["result"]
    assert config.keys() == {"endpointServiceId", "privateDnsHostname"}


@pytest.mark.parametrize("path", [*BESIDE, "privateEndpointConfig"])
def test_neutral_dialect_has_no_settings_of_services(path: str) -> None:
    """These paths return a page, like all unknown paths."""
    with Sandbox(vocabulary="neutral") as sandbox, sandbox.management() as http:
        assert "text/html" in http.get(f"/services/{sandbox.add('services')['id']}/{path}").headers["content-type"]


def test_neutral_dialect_refuses_tags_and_hashes() -> None:
    """Tags and hashes are refused, and no object is created."""
    with Sandbox(vocabulary="neutral") as sandbox, sandbox.management() as http:
        refused = [
            create(http, tags=[OWNER]),
            http.post("/keys", json={"name": "ci", "roles": ["admin"], "hashData": hashes_of("some id", "secret")}),
            http.patch(f"/services/{sandbox.add('services')['id']}", json={"tags": {"add": [OWNER]}}),
        ]
        assert [answer.status_code for answer in refused] == [400] * 3
        assert ["supported" in answer.json()["error"] for answer in refused] == [True] * 3
        assert sandbox.state()["counts"]["keys"] == 1


def test_measurements_and_activities_are_read_by_other_clients(sandbox: Sandbox) -> None:
    """Metrics are text in Prometheus' format, activities are records; unknown ones return 404."""
    service = sandbox.add("services", name='Or"ders', provider="aws", region="us-east-1")["id"]
    postgres = sandbox.add("postgres_services", name="Ledger", size="m6gd.large", provider="aws", region="us-east-1")
    with sandbox.management() as http:
        for path in ("/prometheus", f"/services/{service}/prometheus"):
            answer = http.get(path)
            assert answer.headers["content-type"].startswith("text/plain")
            assert f'clickhouse_service="{service}",clickhouse_service_name="Or\\"ders"' in answer.text
        for path in ("/postgres/prometheus", f"/postgres/{postgres['id']}/prometheus"):
            assert postgres["id"] in http.get(path).text
        activities = http.get("/activities").json()["result"]
        assert {"create_organization", "service_create", "key_create"} <= {each["type"] for each in activities}
        (made,) = (each for each in activities if each.get("serviceId") == service)
        assert http.get(f"/activities/{made['id']}").json()["result"] == made
        assert made not in http.get("/activities", params={"to_date": "2000-01-01T00:00:00Z"}).json()["result"]
        for path in (f"/services/{postgres['id']}/prometheus", f"/postgres/{service}/prometheus", "/activities/1"):
            assert http.get(path).json()["error"].startswith("NOT_FOUND: ")


@pytest.mark.parametrize("text", ["FAILED_DEPENDENCY: Current state: awaking", "Current state: awaking"])
def test_error_contains_its_code_once(text: str, sandbox: Sandbox) -> None:
    """This includes faults with the text of a real response."""
    sandbox.fault("list_services", "status", status=424, text=text)
    with sandbox.management() as http:
        assert http.get("/services").json()["error"] == "FAILED_DEPENDENCY: Current state: awaking"


VIEW = {"allowDeny": "ALLOW", "permissions": ["control-plane:service:view"], "resources": ["instance/*"]}
POLICIES: dict[str, tuple[list[dict[str, Any]], int]] = {
    "of all services": ([VIEW], 200),
    "of this service": ([{**VIEW, "resources": ["instance/ID"]}], 200),
    "of another service": ([{**VIEW, "resources": [f"instance/{ROLE}"]}], 403),
    "of another permission": ([{**VIEW, "permissions": ["control-plane:service:delete"]}], 403),
    "that denies it": ([VIEW, {**VIEW, "allowDeny": "DENY", "resources": ["instance/ID"]}], 403),
    "none": ([], 403),
}


@pytest.mark.parametrize(("policies", "status"), POLICIES.values(), ids=POLICIES)
def test_policies_of_roles_limit_a_key(policies: list[dict[str, Any]], status: int, sandbox: Sandbox) -> None:
    """A key may do what a policy of one of its roles allows on the object, and no other one denies."""
    service = sandbox.add("services")["id"]
    own = [{**each, "resources": [of.replace("ID", service) for of in each["resources"]]} for each in policies]
    roles = [sandbox.add("roles", name="Reader", policies=each)["id"] for each in ([], *([each] for each in own))]
    made = sandbox.add_key(assignedRoleIds=roles)
    with sandbox.management(made["keyId"], made["keySecret"]) as http:
        assert http.get(f"/services/{service}").status_code == status
        assert http.get("/services").status_code == 200


@pytest.mark.parametrize(("role", "status"), [("admin", 200), ("developer", 403), ("member", 403)])
def test_system_role_by_its_id_is_that_by_its_name(role: str, status: int, sandbox: Sandbox) -> None:
    """An admin may write keys, the others may not."""
    made = sandbox.add_key(assignedRoleIds=[system_role(role)])
    with sandbox.management(made["keyId"], made["keySecret"]) as http:
        assert http.get("/services").status_code == 200
        assert http.patch(f"/keys/{made['key']['id']}", json={"name": "other"}).status_code == status
