"""Pipes with the properties that servers have since autumn 2026."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, stack_config
from pulumi_clouddb.errors import ResourceError
from pulumi_clouddb.registry import FUNCTIONS, RESOURCES
from support.sessions import ProviderProcess, config_for

SCHEMA = base64.b64encode(b'syntax = "proto3"; // canary-of-a-schema').decode()
OTHER_SCHEMA = base64.b64encode(b'syntax = "proto3"; // canary of another').decode()
IDENTITY = {"authentication": "SERVICE_ACCOUNT_WORKLOAD_IDENTITY"}
ACCOUNT = {"serviceAccountKey": "canary-account"}
USER = {"username": "reader", "password": "canary-password"}
GLUE = {"type": "glue", "glueRegion": "us-east-1", "glueRegistryName": "shop"}
TABLE: dict[str, Any] = {
    "database": "default",
    "table": "t",
    "managedTable": True,
    "columns": [{"name": "id", "type": "String"}],
}
KAFKA = {"type": "kafka", "format": "JSONEachRow", "brokers": "b:9092", "topics": "t"}
KINESIS = {"format": "JSONEachRow", "streamName": "s", "region": "us-east-1", "authentication": "IAM_ROLE"}
PUBSUB = {"format": "Avro", "projectId": "p", "topic": "t", "authentication": "SERVICE_ACCOUNT", "seekType": "latest"}
ORDERS = {"sourceSchemaName": "shop", "sourceTable": "orders", "targetTable": "orders"}
POSTGRES = {"host": "db", "port": 5432, "database": "shop", "tableMappings": [ORDERS]}
MYSQL = {"host": "db", "port": 3306, "settings": {"replicationMode": "cdc"}, "tableMappings": [ORDERS]}
MONGODB = {
    "uri": "mongodb://db",
    "readPreference": "primary",
    "settings": {"replicationMode": "cdc", "initialLoadParallelism": 2},
    "tableMappings": [{"sourceDatabaseName": "shop", "sourceCollection": "orders", "targetTable": "orders"}],
}
BIGQUERY = {
    "snapshotStagingPath": "gs://staging/",
    "projectId": "p",
    "settings": {"replicationMode": "snapshot"},
    "tableMappings": [{"sourceDatasetName": "shop", "sourceTable": "orders", "targetTable": "orders"}],
    **IDENTITY,
}


@pytest.fixture
def service_id(sandbox: Sandbox) -> str:
    """Return the id of a running service."""
    return str(sandbox.add("services", name="orders", provider="gcp", region="europe-west4")["id"])


@pytest.fixture
def process(sandbox: Sandbox, tmp_path: Path) -> ProviderProcess:
    """Return a provider that uses the server."""
    return ProviderProcess(config_for(sandbox, pollIntervalSeconds=0.05), tmp_path)


def pipe(service_id: str, kind: str, source: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the inputs of a pipe."""
    destination = {"database": "default"} if "tableMappings" in source else TABLE
    inputs = {"serviceId": service_id, "name": kind, "destination": destination, "source": {kind: source}}
    return {**inputs, **({"credentials": USER} if kind in ("mysql", "mongodb") else {}), **more}


WHOLE: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "a time to live": ("kafka", KAFKA, {"destination": {**TABLE, "tableDefinition": {"ttl": "at + INTERVAL 1 DAY"}}}),
    "tombstones": ("kafka", {**KAFKA, "tombstoneMode": "soft_delete"}, {"settings": {"kafka_read_committed": True}}),
    "a Confluent registry": (
        "kafka",
        {**KAFKA, "schemaRegistry": {"type": "confluent", "url": "https://r", "authentication": "PLAIN"}},
        {"credentials": {"schemaRegistry": {"username": "u", "password": "p"}}},
    ),
    "a Glue registry of Kafka": ("kafka", {**KAFKA, "authentication": "IAM_ROLE", "schemaRegistry": GLUE}, {}),
    "a Glue registry of Kinesis": ("kinesis", {**KINESIS, "format": "AvroConfluent", "schemaRegistry": GLUE}, {}),
    "a schema for Kafka": ("kafka", {**KAFKA, "format": "Protobuf"}, {"credentials": {"protobufSchema": SCHEMA}}),
    "a schema for Kinesis": ("kinesis", {**KINESIS, "format": "Protobuf"}, {"credentials": {"protobufSchema": SCHEMA}}),
    "an identity at Kafka": ("kafka", {**KAFKA, "type": "gcmk", **IDENTITY}, {}),
    "an identity at a bucket": ("objectStorage", {"type": "gcs", "format": "CSV", **IDENTITY}, {}),
    "an identity at BigQuery": ("bigquery", BIGQUERY, {}),
    "a project of BigQuery": ("bigquery", {**BIGQUERY, "authentication": "SERVICE_ACCOUNT"}, {"credentials": ACCOUNT}),
    "an identity at Pub/Sub": ("pubsub", {**PUBSUB, **IDENTITY}, {}),
    "a partition": ("mysql", {**MYSQL, "tableMappings": [{**ORDERS, "partitionByExpr": "toYYYYMM(at)"}]}, {}),
    "a parallel load": ("mongodb", MONGODB, {}),
}


def without_credentials(source: dict[str, Any]) -> dict[str, Any]:
    """Return a source without its credentials and those of its registry."""
    inner = {name: without_credentials(value) if name == "schemaRegistry" else value for name, value in source.items()}
    return {name: value for name, value in inner.items() if name != "credentials"}


@pytest.mark.parametrize("name", WHOLE)
def test_pipe_lives_without_a_difference(
    name: str, process: ProviderProcess, sandbox: Sandbox, service_id: str, tmp_path: Path
) -> None:
    """It is created, refreshed, imported, and updated by another property; no schema is in a response."""
    kind, source, more = WHOLE[name]
    inputs = pipe(service_id, kind, source, **more)
    id_, state = process.create("Pipe", inputs)
    (sent,) = sandbox.logged("create_pipe")
    masked = {
        name: "[secret]" for name in ("protobufSchema", "uri") if name in {**source, **inputs.get("credentials", {})}
    }
    assert without_credentials(sent.body["source"][kind]) == {**source, **masked}
    assert "canary" not in str(sandbox.pipes)
    later = ProviderProcess(process.config, tmp_path)
    read = later.read("Pipe", id_, state)
    assert later.changes("Pipe", read.state, inputs) == ()
    imported = later.read("Pipe", f"{service_id}/{id_}", {})
    assert imported.left_out == ()
    assert RESOURCES["Pipe"].diff(imported.state, inputs).replaces == ()
    renamed = {**inputs, "name": "renamed"}
    state = later.update("Pipe", id_, read.state, renamed)
    assert later.changes("Pipe", state, renamed) == ()
    assert "protobufSchema" not in str([each.body for each in sandbox.logged("update_pipe")])


FIXED: dict[str, tuple[str, dict[str, Any], dict[str, Any], str]] = {
    "tombstones": ("kafka", KAFKA, {"tombstoneMode": "soft_delete"}, "source.kafka.tombstoneMode"),
    "a region": ("kinesis", KINESIS, {"region": "us-east-2"}, "source.kinesis.region"),
    "a partition": (
        "mysql",
        MYSQL,
        {"tableMappings": [{**ORDERS, "partitionByExpr": "at"}]},
        "source.mysql.tableMappings\\[0\\].partitionByExpr",
    ),
    "a load": (
        "mongodb",
        MONGODB,
        {"settings": {"replicationMode": "cdc", "initialLoadParallelism": 3}},
        "source.mongodb.settings.initialLoadParallelism",
    ),
}


@pytest.mark.parametrize("name", FIXED)
def test_change_needs_a_replacement(name: str, process: ProviderProcess, service_id: str) -> None:
    """The error of the preview names the path."""
    kind, source, change, path = FIXED[name]
    _, state = process.create("Pipe", pipe(service_id, kind, source))
    changed = {each: value for each, value in {**source, **change}.items() if value is not None}
    new = pipe(service_id, kind, changed)
    with pytest.raises(ResourceError, match=f"cannot change {path} in place"):
        RESOURCES["Pipe"].diff(state, new)
    assert RESOURCES["Pipe"].diff(state, {**new, "allowReplacement": True}).replaces == ("source",)


@pytest.mark.parametrize(
    "before", [{"protobufSchema": SCHEMA}, {"schemaRegistry": GLUE}], ids=lambda it: next(iter(it))
)
def test_another_schema_needs_a_replacement(before: dict[str, Any], process: ProviderProcess, service_id: str) -> None:
    """The error does not show it."""
    source = {**KINESIS, "format": "Protobuf"}
    registry = {name: value for name, value in before.items() if name == "schemaRegistry"}
    given = {} if registry else {"credentials": before}
    _, state = process.create("Pipe", pipe(service_id, "kinesis", {**source, **registry}, **given))
    new = pipe(service_id, "kinesis", source, credentials={"protobufSchema": OTHER_SCHEMA})
    with pytest.raises(ResourceError, match=r"cannot change credentials\.protobufSchema in place") as error:
        RESOURCES["Pipe"].diff(state, new)
    assert OTHER_SCHEMA not in str(error.value)


def test_new_partition_of_a_new_table_is_an_update(process: ProviderProcess, service_id: str) -> None:
    """Only the creation of a table reads the expression."""
    items = {**ORDERS, "sourceTable": "items", "targetTable": "items", "partitionByExpr": "at"}
    id_, state = process.create("Pipe", pipe(service_id, "mysql", MYSQL))
    new = pipe(service_id, "mysql", {**MYSQL, "tableMappings": [ORDERS, items]})
    assert RESOURCES["Pipe"].diff(state, new).replaces == ()
    process.update("Pipe", id_, state, new)


@pytest.mark.parametrize("stopped", [{}, {"stopped": True}], ids=str)
def test_pipe_is_created_stopped(
    stopped: dict[str, bool], process: ProviderProcess, sandbox: Sandbox, service_id: str
) -> None:
    """It has never run; the program starts it by setting `stopped` to false instead."""
    inputs = pipe(service_id, "kafka", KAFKA, startPaused=True, **stopped)
    id_, state = process.create("Pipe", inputs)
    assert (state["state"], sandbox.count("command_pipe"), process.warnings) == ("Stopped", 0, [])
    assert "startPaused" not in sandbox.pipes[id_]
    state = dict(process.read("Pipe", id_, state).state)
    assert process.changes("Pipe", state, inputs) == ()
    runs = pipe(service_id, "kafka", KAFKA, stopped=False)
    assert RESOURCES["Pipe"].diff(state, runs).replaces == ()
    state = process.update("Pipe", id_, state, runs)
    assert (state["state"], sandbox.pipes[id_]["state"]) == ("Running", "Running")


def test_created_pipe_cannot_be_started_paused_otherwise(process: ProviderProcess, service_id: str) -> None:
    """Without the property in state, as after an import, it changes nothing."""
    _, state = process.create("Pipe", pipe(service_id, "kafka", KAFKA, startPaused=False))
    with pytest.raises(ResourceError, match="cannot change startPaused in place"):
        RESOURCES["Pipe"].diff(state, pipe(service_id, "kafka", KAFKA, startPaused=True))
    del state["startPaused"]
    assert RESOURCES["Pipe"].diff(state, pipe(service_id, "kafka", KAFKA, startPaused=True)).replaces == ()


class OlderServer(httpx.BaseTransport):
    """Sends requests without the properties that servers before autumn 2026 ignore."""

    def __init__(self, *names: str) -> None:
        self._names, self._transport = names, httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response to a request without the properties."""
        headers = {name: value for name, value in request.headers.items() if name != "content-length"}
        content = request.read()
        if content:
            content = json.dumps(self._without(json.loads(content))).encode()
        return self._transport.handle_request(
            httpx.Request(request.method, request.url, headers=headers, content=content)
        )

    def _without(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._without(each) for name, each in value.items() if name not in self._names}
        return value

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()


def test_older_server_that_starts_a_pipe_is_reported(sandbox: Sandbox, service_id: str, tmp_path: Path) -> None:
    """The pipe is stopped at once."""
    transport = OlderServer("startPaused")
    process = ProviderProcess(config_for(sandbox, pollIntervalSeconds=0.05), tmp_path, transport=transport)
    id_, state = process.create("Pipe", pipe(service_id, "kafka", KAFKA, startPaused=True))
    assert (state["state"], sandbox.pipes[id_]["state"]) == ("Stopped", "Stopped")
    assert "was not created stopped, and may have read already" in process.warnings[-1]


def test_property_that_a_server_ignores_is_an_error(sandbox: Sandbox, service_id: str, tmp_path: Path) -> None:
    """The pipe is in state; each update fails until the program no longer sets the property."""
    transport = OlderServer("tombstoneMode")
    process = ProviderProcess(config_for(sandbox, pollIntervalSeconds=0.05), tmp_path, transport=transport)
    inputs = pipe(service_id, "kafka", {**KAFKA, "tombstoneMode": "soft_delete"})
    id_, state = process.create("Pipe", inputs)
    text = "the server does not know source.kafka.tombstoneMode, and has ignored it"
    assert text in state["lastError"]
    with pytest.raises(ResourceError, match=text):
        process.update("Pipe", id_, state, inputs)
    without = pipe(service_id, "kafka", KAFKA)
    state = process.update("Pipe", id_, state, without)
    assert process.changes("Pipe", state, without) == ()


def test_masked_address_is_no_drift(
    process: ProviderProcess, sandbox: Sandbox, service_id: str, tmp_path: Path
) -> None:
    """An update sends the mask back, which keeps user and password; a new address replaces it."""
    inputs = pipe(service_id, "mongodb", MONGODB)
    id_, state = process.create("Pipe", inputs)
    masked = "mongodb://[REDACTED]:[REDACTED]@db"
    source = sandbox.pipes[id_]["source"]["mongodb"]
    sandbox.change("pipes", id_, source={"mongodb": {**source, "uri": masked}})
    process = ProviderProcess(process.config, tmp_path)
    state = dict(process.read("Pipe", id_, state).state)
    assert process.changes("Pipe", state, inputs) == ()
    new = pipe(service_id, "mongodb", {**MONGODB, "readPreference": "nearest"})
    state = process.update("Pipe", id_, state, new)
    assert sandbox.pipes[id_]["source"]["mongodb"]["uri"] == masked
    state = process.update("Pipe", id_, state, pipe(service_id, "mongodb", {**MONGODB, "uri": "mongodb://other"}))
    assert sandbox.pipes[id_]["source"]["mongodb"]["uri"] == "mongodb://other"


def test_key_is_exchanged_for_the_identity(process: ProviderProcess, sandbox: Sandbox, service_id: str) -> None:
    """The update has the properties that the server accepts, and no others."""
    id_, state = process.create("Pipe", pipe(service_id, "pubsub", {**PUBSUB, "ackDeadline": 60}, credentials=ACCOUNT))
    new = pipe(service_id, "pubsub", {**PUBSUB, **IDENTITY, "ackDeadline": 60})
    state = process.update("Pipe", id_, state, new)
    assert sandbox.logged("update_pipe")[-1].body == {"source": {"pubsub": {**IDENTITY, "ackDeadline": 60}}}
    assert process.changes("Pipe", state, new) == ()


REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "an unknown property": ("pubsub", {**PUBSUB, "serviceAccountKey": {}, "more": 1}, "Unrecognized key"),
    "a key beside the identity": ("pubsub", {**PUBSUB, **IDENTITY, "serviceAccountKey": {}}, "must not be provided"),
    "no key": ("pubsub", PUBSUB, "requires serviceAccountKey"),
    "an identity without a project": ("bigquery", {**BIGQUERY, "projectId": None}, "is required with"),
    "a replication without settings": (
        "bigquery",
        {**BIGQUERY, "settings": None, "credentials": {}},
        "settings: is required",
    ),
    "a registry without credentials": (
        "kafka",
        {**KAFKA, "schemaRegistry": {"url": "https://r", "authentication": "PLAIN"}},
        "schemaRegistry.credentials: Required",
    ),
    "a role that is not named": (
        "postgres",
        {**POSTGRES, "authentication": "IAM_ROLE", "credentials": {"username": "u"}},
        "iamRole: is required",
    ),
    "a slot with a snapshot": (
        "postgres",
        {**POSTGRES, "credentials": USER, "settings": {"replicationMode": "cdc", "replicationSlotName": "s"}},
        "replicationSlotName: is for replicationMode cdc_only",
    ),
    "a schema without its format": ("kafka", {**KAFKA, "protobufSchema": SCHEMA}, "format Protobuf needs"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_sandbox_refuses_sources_as_the_server_does(name: str, sandbox: Sandbox, service_id: str) -> None:
    """Two kinds of sources are strict."""
    kind, source, text = REFUSED[name]
    destination = {"database": "default"} if "tableMappings" in source else TABLE
    with sandbox.management() as http:
        body = {"name": "it", "source": {kind: source}, "destination": destination}
        response = http.post(f"/services/{service_id}/clickpipes", json=body)
    assert response.status_code == 400
    assert text in response.json()["error"]


def test_sandbox_refuses_fixed_properties_of_a_topic(
    process: ProviderProcess, sandbox: Sandbox, service_id: str
) -> None:
    """The server refuses them even if they do not change."""
    id_, _ = process.create("Pipe", pipe(service_id, "pubsub", {**PUBSUB, **IDENTITY}))
    with sandbox.management() as http:
        path = f"/services/{service_id}/clickpipes/{id_}"
        response = http.patch(path, json={"source": {"pubsub": {"topic": "t"}}})
    assert (response.status_code, "Unrecognized key(s) in object: 'topic'" in response.text) == (400, True)


def test_identity_is_awaited(
    process: ProviderProcess, sandbox: Sandbox, service_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not exist just after the create of a service; without waiting, the result has no account."""
    sandbox.set_latency(identity=20)
    call = FUNCTIONS["getPipeServiceContext"].call
    now = call(process, {"serviceId": service_id, "waitForIdentity": False})["gcpWorkloadIdentity"]
    assert (now["supported"], now["ready"], now.get("principal")) == (True, False, None)
    monkeypatch.setattr(process.client.runtime, "sleep", lambda _: sandbox.advance(20))
    identity = call(process, {"serviceId": service_id})["gcpWorkloadIdentity"]
    assert identity["principal"].endswith(".iam.gserviceaccount.com")
    assert sandbox.count("get_pipe_context") == 3


def test_identity_that_does_not_come_is_an_error(
    process: ProviderProcess, sandbox: Sandbox, service_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says what to do."""
    sandbox.set_latency(identity=3600)
    monkeypatch.setattr("pulumi_clouddb.things.pipes.resource.IDENTITY_SECONDS", 0.2)
    with pytest.raises(ResourceError, match=r"has no identity for its pipes after 0.2 s\n.*waitForIdentity"):
        FUNCTIONS["getPipeServiceContext"].call(process, {"serviceId": service_id})


def test_unsupported_identity_is_not_awaited(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A service in another cloud has none."""
    other = str(sandbox.add("services", name="other", provider="aws", region="us-east-1")["id"])
    context = FUNCTIONS["getPipeServiceContext"].call(process, {"serviceId": other})
    assert context["gcpWorkloadIdentity"]["supported"] is False
    assert sandbox.count("get_pipe_context") == 1


PROGRAM = """
import pulumi_clouddb as clouddb
clouddb.Pipe("it", name=NAME, service_id=SERVICE_ID, start_paused=True,
    source={"kafka": {"type": "kafka", "format": "Protobuf", "brokers": "b", "topics": "t"}},
    credentials={"protobuf_schema": SCHEMA},
    destination={"database": "d", "table": "t", "managed_table": True, "columns": []})
clouddb.Pipe("glue", name="glue", service_id=SERVICE_ID,
    source={"kafka": {"type": "kafka", "format": "AvroConfluent", "brokers": "b", "topics": "t",
        "authentication": "IAM_USER", "schema_registry": {"type": "glue", "glue_region": "us-east-1",
        "glue_registry_name": "r"}}},
    credentials={"access_key_id": "AK", "secret_key": "canary-of-a-key"},
    destination={"database": "d", "table": "t", "managed_table": True, "columns": []})
"""


@pytest.mark.parametrize("refused", [False, True])
def test_schema_and_key_are_never_in_plain_text(
    refused: bool, sandbox: Sandbox, service_id: str, tmp_path: Path
) -> None:
    """State, previews, diagnostics and the server's log do not contain them, nor does an error."""

    def program(name: str, schema: str) -> str:
        return f"NAME, SERVICE_ID, SCHEMA = {name!r}, {service_id!r}, {schema!r}\n{PROGRAM}"

    stack = FakeEngineStack(program("it", SCHEMA), config=stack_config(sandbox), work_dir=tmp_path)
    if refused:
        sandbox.fault("create_pipe", "status", status=400, text="BAD_REQUEST: no", times=2)
        results = [stack.preview(), stack.up(expect_failure=True)]
    else:
        results = [stack.preview(), stack.up()]
        stack.set_program(program("renamed", SCHEMA))
        results += [stack.preview(), stack.up(), stack.refresh(), stack.preview()]
        assert results[-1].no_changes
        stack.set_program(program("renamed", OTHER_SCHEMA))
        results.append(stack.preview(expect_failure=True))
    shown = [repr((each.diagnostics, each.stdout, each.steps, each.outputs)) for each in results]
    bodies = [str(each.body) for each in sandbox.requests]
    texts = (stack.state_text, *shown, *bodies)
    assert not [each for each in (SCHEMA, OTHER_SCHEMA, "canary-of-a-key") if any(each in text for text in texts)]


def test_read_committed_is_cleared_by_false(process: ProviderProcess, sandbox: Sandbox, service_id: str) -> None:
    """Null restores the default of the other settings; also if the response is lost."""
    settings = {"kafka_read_committed": True, "streaming_max_insert_wait_ms": 1000}
    id_, state = process.create("Pipe", pipe(service_id, "kafka", KAFKA, settings=settings))
    sandbox.fault("update_pipe", "lose")
    state = process.update("Pipe", id_, state, pipe(service_id, "kafka", KAFKA))
    bodies = [each.body for each in sandbox.logged("update_pipe")]
    assert bodies == [{"settings": {"kafka_read_committed": False, "streaming_max_insert_wait_ms": None}}]
    assert not sandbox.pipes[id_]["settings"].get("kafka_read_committed")
    assert process.changes("Pipe", state, pipe(service_id, "kafka", KAFKA)) == ()
