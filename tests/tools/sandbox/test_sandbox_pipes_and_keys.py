"""Pipes and keys in the sandbox: complete records, scaling, and keys that authenticate."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import Clock, Sandbox
from pulumi_clouddb.schema.base import Record, names_with, wire_names
from pulumi_clouddb.schema.convert import parse, to_wire
from pulumi_clouddb.schema.thing import Thing, record_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from pulumi_clouddb.things.api_keys.api_key import ApiKey
from pulumi_clouddb.things.pipes.databases import BigQuerySource, MongoDbSource, MySqlSource, PostgresSource
from pulumi_clouddb.things.pipes.files import ObjectStorageSource
from pulumi_clouddb.things.pipes.parts import PipeDestination, PipeSettings, Scaling
from pulumi_clouddb.things.pipes.pipe import Pipe
from pulumi_clouddb.things.pipes.sources import PipeSource
from pulumi_clouddb.things.pipes.streams import KafkaSource, KinesisSource, PubSubSource


@pytest.fixture
def service_id(sandbox: Sandbox) -> str:
    """A running service."""
    return str(sandbox.add("services", name="orders")["id"])


def test_new_service_has_two_pipes(http: httpx.Client, service_id: str) -> None:
    """One reads a stream, the other files; a list has both."""
    pipes = http.get(f"/services/{service_id}/pipes").json()["result"]
    assert [(pipe["name"], list(pipe["source"])) for pipe in pipes] == [
        ("events", ["kafka"]),
        ("archive", ["objectStorage"]),
    ]
    assert http.get(f"/services/{service_id}/pipes/{pipes[0]['id']}").json()["result"] == pipes[0]


VARIANTS: dict[str, type[Thing]] = {
    "kafka": KafkaSource,
    "objectStorage": ObjectStorageSource,
    "kinesis": KinesisSource,
    "postgres": PostgresSource,
}


@pytest.mark.parametrize("kind", VARIANTS)
def test_pipe_has_all_fields_of_the_interface(sandbox: Sandbox, http: httpx.Client, service_id: str, kind: str) -> None:
    """This holds for the record, its parts and all kinds of sources."""
    made = sandbox.add_pipe(service_id, kind, name="mine", state="Paused")
    pipe = http.get(f"/services/{service_id}/pipes/{made['id']}").json()["result"]
    parts: list[tuple[dict[str, Any], type[Record]]] = [
        (pipe, record_of(Pipe)),
        (pipe["scaling"], record_of(Scaling)),
        (pipe["destination"], record_of(PipeDestination)),
        (pipe["settings"], record_of(PipeSettings)),
        (pipe["source"][kind], record_of(VARIANTS[kind])),
    ]
    for part, model in parts:
        assert set(part) == set(wire_names(model)) - set(names_with(model, "only"))
    record_of(Pipe).model_validate(pipe)
    assert (pipe["name"], pipe["state"], pipe["serviceId"]) == ("mine", "Paused", service_id)


VENDOR_VARIANTS: dict[str, type[Thing]] = {
    **VARIANTS,
    "pubsub": PubSubSource,
    "mysql": MySqlSource,
    "bigquery": BigQuerySource,
    "mongodb": MongoDbSource,
}


def test_vendor_has_more_kinds_and_fields_of_pipes() -> None:
    """Each kind has all fields of its source, and the model can read them; properties of other variants are omitted."""
    assert set(VENDOR_VARIANTS) == set(wire_names(PipeSource))
    with Sandbox(vocabulary="clickhouse") as sandbox, sandbox.management() as http:
        service_id = sandbox.add("services", name="orders")["id"]
        for kind, model in VENDOR_VARIANTS.items():
            made = sandbox.add_pipe(service_id, kind)
            pipe = http.get(f"/services/{service_id}/clickpipes/{made['id']}").json()["result"]
            omitted = {"sshKeyResourceId", *(["projectId"] if kind == "bigquery" else [])}
            assert set(pipe["source"][kind]) == set(wire_names(record_of(model))) - omitted, kind
            assert pipe["destination"]["tableDefinition"]["engine"]["type"] == "MergeTree"
            read = to_wire(parse(Pipe, pipe, CLICKHOUSE))["source"][kind]
            assert read == pipe["source"][kind], kind


def test_unknown_kind_of_pipe_is_refused(sandbox: Sandbox, service_id: str) -> None:
    """The message lists the existing kinds."""
    with pytest.raises(ValueError, match="one of kafka, objectStorage, kinesis, postgres"):
        sandbox.add_pipe(service_id, "carrier pigeon")


def test_scaling_ignores_null_and_missing_fields(sandbox: Sandbox, http: httpx.Client, service_id: str) -> None:
    """Sent fields change; the response is the entire pipe."""
    pipe = sandbox.add_pipe(service_id)
    url = f"/services/{service_id}/pipes/{pipe['id']}"
    sandbox.advance(1)
    scaled = http.patch(f"{url}/scaling", json={"replicas": 4, "replicaMemoryGb": None, "concurrency": None}).json()
    assert scaled["result"]["scaling"] == {**pipe["scaling"], "replicas": 4}
    assert scaled["result"]["updatedAt"] > pipe["updatedAt"]
    assert http.get(url).json()["result"] == scaled["result"]
    assert http.patch(f"{url}/scaling", json={}).json()["result"]["scaling"] == {**pipe["scaling"], "replicas": 4}


SCALINGS: dict[str, tuple[str, dict[str, Any], int]] = {
    "most replicas": ("kafka", {"replicas": 10}, 200),
    "too many replicas": ("kafka", {"replicas": 11}, 400),
    "least size": ("kinesis", {"replicaCpuMillicores": 125, "replicaMemoryGb": 0.5}, 200),
    "too much memory": ("kafka", {"replicaMemoryGb": 8.5}, 400),
    "most concurrency": ("objectStorage", {"concurrency": 34}, 200),
    "no concurrency": ("objectStorage", {"concurrency": 0}, 200),
    "replicas of files": ("objectStorage", {"replicas": 2}, 400),
    "concurrency of a stream": ("kafka", {"concurrency": 2}, 400),
    "a database": ("postgres", {"replicas": 2}, 400),
    "unknown field": ("kafka", {"replica": 2}, 400),
}


@pytest.mark.parametrize("case", SCALINGS)
def test_scaling_has_limits(sandbox: Sandbox, http: httpx.Client, service_id: str, case: str) -> None:
    """The limits are those of the interface; each kind of pipe has its fields."""
    kind, body, status = SCALINGS[case]
    pipe = sandbox.add_pipe(service_id, kind)
    answer = http.patch(f"/services/{service_id}/pipes/{pipe['id']}/scaling", json=body)
    assert answer.status_code == status
    expected = {**pipe["scaling"], **body} if status == 200 else pipe["scaling"]
    assert sandbox.pipes[pipe["id"]]["scaling"] == expected


def test_pipe_belongs_to_its_service(sandbox: Sandbox, http: httpx.Client, service_id: str) -> None:
    """Other and missing services return 404."""
    pipe = sandbox.add_pipe(service_id)
    other = sandbox.add("services", name="other")["id"]
    missing = "3c0a1c2e-0000-4000-8000-000000000000"
    for path in (f"/services/{other}/pipes/{pipe['id']}", f"/services/{missing}/pipes/{pipe['id']}"):
        assert http.get(path).status_code == 404
        assert http.patch(f"{path}/scaling", json={}).status_code == 404


def test_sizes_can_be_quantities() -> None:
    """Some servers return quantities; the model reads them as the same numbers."""
    with Sandbox(vocabulary="neutral", quantities=True) as sandbox, sandbox.management() as http:
        own = sandbox.add("services", name="orders")["id"]
        scaling = http.get(f"/services/{own}/pipes").json()["result"][0]["scaling"]
    assert (scaling["replicaCpuMillicores"], scaling["replicaMemoryGb"]) == ("250m", "1024Mi")
    read = parse(Scaling, scaling)
    assert (read.replica_cpu_millicores, read.replica_memory_gb) == (250, 1)


def test_created_key_works_and_its_secret_is_returned_once(sandbox: Sandbox, http: httpx.Client) -> None:
    """The id of the record is not the id for authentication."""
    result = http.post("/keys", json={"name": "ci", "roles": ["developer"]}).json()["result"]
    assert set(result) == {"key", "keyId", "keySecret"}
    assert result["key"]["id"] != result["keyId"]
    assert result["key"]["keySuffix"] == result["keyId"][-4:]
    assert "usedAt" not in result["key"]
    with sandbox.management(result["keyId"], result["keySecret"]) as own:
        assert own.get("/services").status_code == 200
    read = http.get(f"/keys/{result['key']['id']}").json()["result"]
    assert result["keySecret"] not in str(read)
    assert read["usedAt"][:16] >= read["createdAt"][:16]
    assert set(wire_names(record_of(ApiKey))) - {*names_with(record_of(ApiKey), "only")} <= set(read)


def test_last_use_of_a_key_is_in_minutes() -> None:
    """It is missing until the first request; refused requests do not count."""
    now = [1_800_000_059.5]  # half a second before the next minute
    with Sandbox(vocabulary="neutral", clock=Clock(lambda: now[0])) as sandbox, sandbox.management() as http:
        made = sandbox.add_key(name="ci")
        url = f"/keys/{made['key']['id']}"
        with sandbox.management(made["keyId"], "guess") as stranger:
            stranger.get("/services")
        assert "usedAt" not in http.get(url).json()["result"]
        seen = []
        with sandbox.management(made["keyId"], made["keySecret"]) as own:
            for passed in (0.0, 0.4, 0.2, 60.0):
                now[0] += passed
                own.get("/services")
                seen.append(http.get(url).json()["result"]["usedAt"])
    minutes = ["2027-01-15T08:00:00.000Z", "2027-01-15T08:01:00.000Z", "2027-01-15T08:02:00.000Z"]
    assert seen == [minutes[0], minutes[0], minutes[1], minutes[2]]
    assert made["key"]["createdAt"] == "2027-01-15T08:00:59.500Z"


@pytest.mark.parametrize("body", [{}, {"name": "ci"}, {"roles": ["admin"]}, {"name": "ci", "roles": []}], ids=str)
def test_new_key_needs_a_name_and_a_role(http: httpx.Client, body: dict[str, Any]) -> None:
    """An update needs neither."""
    assert http.post("/keys", json=body).status_code == 400


CHANGES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "nothing": ({}, {}),
    "name": ({"name": "other"}, {"name": "other"}),
    "expiry": ({"expireAt": "2031-05-01T02:00:00+02:00"}, {"expireAt": "2031-05-01T00:00:00.000Z"}),
    "no expiry": ({"expireAt": None}, {"expireAt": None}),
    "empty expiry": ({"expireAt": ""}, {"expireAt": None}),
    "addresses": ({"ipAccessList": [{"source": "10.0.0.1"}]}, {"ipAccessList": [{"source": "10.0.0.1"}]}),
    "no addresses": ({"ipAccessList": []}, {"ipAccessList": []}),
    "roles": ({"roles": ["developer", "query_endpoints"]}, {"roles": ["developer", "query_endpoints"]}),
    "state": ({"state": "disabled"}, {"state": "disabled"}),
}


@pytest.mark.parametrize("case", CHANGES)
def test_update_of_a_key_changes_only_sent_fields(sandbox: Sandbox, http: httpx.Client, case: str) -> None:
    """Other fields are unchanged; a null or empty `expireAt` means no expiry."""
    body, expected = CHANGES[case]
    key = sandbox.add_key(name="ci", expireAt="2030-01-01T00:00:00Z", ipAccessList=[{"source": "10.0.0.9"}])["key"]
    changed = http.patch(f"/keys/{key['id']}", json=body).json()["result"]
    assert changed == {**key, **expected}
    assert http.get(f"/keys/{key['id']}").json()["result"] == changed


@pytest.mark.parametrize(
    "body",
    [{"roles": []}, {"roles": ["owner"]}, {"state": "asleep"}, {"expireAt": "soon"}, {"name": None}, {"keyId": "x"}],
    ids=str,
)
def test_invalid_key_is_refused(sandbox: Sandbox, http: httpx.Client, body: dict[str, Any]) -> None:
    """The status is 400, and the key is unchanged."""
    key = sandbox.add_key(name="ci")["key"]
    assert http.patch(f"/keys/{key['id']}", json=body).status_code == 400
    assert sandbox.keys[key["id"]] == key


def test_key_can_be_disabled_and_enabled(sandbox: Sandbox, http: httpx.Client) -> None:
    """The interface has these two transitions."""
    made = sandbox.add_key(name="ci")
    with sandbox.management(made["keyId"], made["keySecret"]) as own:
        for state, status in (("disabled", 401), ("enabled", 200)):
            http.patch(f"/keys/{made['key']['id']}", json={"state": state})
            assert own.get("/services").status_code == status


def test_key_cannot_delete_itself(sandbox: Sandbox, http: httpx.Client) -> None:
    """Another key can delete it; afterwards it no longer authenticates."""
    made = sandbox.add_key(name="ci")
    path = f"/keys/{made['key']['id']}"
    with sandbox.management(made["keyId"], made["keySecret"]) as own:
        assert own.delete(path).status_code == 400
        assert http.delete(path).json().keys() == {"status", "requestId"}
        assert own.get("/services").status_code == 401
    assert http.get(path).status_code == 404
    assert http.delete(path).status_code == 404


def test_keys_can_be_limited_to_the_interface() -> None:
    """Records then have only the interface's fields, without the state."""
    with Sandbox(vocabulary="neutral", interface_only=True) as sandbox, sandbox.management() as http:
        (key,) = http.get("/keys").json()["result"]
    assert set(key) == set(wire_names(record_of(ApiKey))) - {"state", *names_with(record_of(ApiKey), "only")}


def test_organization_has_at_most_a_hundred_keys() -> None:
    """This is the vendor's published limit."""
    with Sandbox(vocabulary="neutral") as sandbox, sandbox.management() as http:
        for _ in range(99):
            sandbox.add_key(name="ci")
        assert http.post("/keys", json={"name": "one more", "roles": ["admin"]}).status_code == 400
