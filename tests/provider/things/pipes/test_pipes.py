"""Pipes of every source: write-only credentials, table mappings, idle services, failures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import UNKNOWN, FakeEngineStack, stack_config
from pulumi_clouddb.errors import ApiError, ClientError, ResourceError
from pulumi_clouddb.registry import FUNCTIONS, RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.things.pipes.api import Command, Pipes
from pulumi_clouddb.things.pipes.credentials import NEEDED, Groups
from pulumi_clouddb.things.pipes.sources import KINDS, identity_of_source
from support.sessions import ProviderProcess, config_for

MAPPED = {"targetTable": "orders"}
TABLES = [{"sourceSchemaName": "public", "sourceTable": name, "targetTable": name} for name in ("orders", "items")]
USER = {"username": "reader", "password": "canary-password"}
OTHER = {"password": "canary-of-an-update"}
KEY = {"accessKeyId": "AK", "secretKey": "canary-secret"}
ACCOUNT = {"serviceAccountKey": "canary-account"}
PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
SOURCES: Mapping[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "kafka": (
        {
            "type": "confluent",
            "format": "AvroConfluent",
            "brokers": "b:9092",
            "topics": "t",
            "schemaRegistry": {"url": "https://registry.example.com", "authentication": "PLAIN"},
        },
        {**USER, "schemaRegistry": {"username": "r", "password": "canary-registry"}},
    ),
    "objectStorage": ({"type": "s3", "format": "Parquet", "url": "https://b.example.com/*"}, KEY),
    "kinesis": ({"format": "Avro", "streamName": "s", "region": "us-east-1", "iteratorType": "LATEST"}, KEY),
    "pubsub": (
        {"format": "Avro", "projectId": "p", "topic": "t", "authentication": "SERVICE_ACCOUNT", "seekType": "latest"},
        ACCOUNT,
    ),
    "postgres": ({"host": "db", "port": 5432, "database": "shop", "tableMappings": TABLES}, USER),
    "mysql": ({"host": "db", "port": 3306, "settings": {"replicationMode": "cdc"}, "tableMappings": TABLES}, USER),
    "bigquery": (
        {
            "snapshotStagingPath": "gs://staging/",
            "settings": {"replicationMode": "snapshot"},
            "tableMappings": [{"sourceDatasetName": "shop", "sourceTable": "orders", **MAPPED}],
        },
        ACCOUNT,
    ),
    "mongodb": (
        {
            "uri": "mongodb://db",
            "readPreference": "primary",
            "settings": {"replicationMode": "cdc"},
            "tableMappings": [{"sourceDatabaseName": "shop", "sourceCollection": "orders", **MAPPED}],
        },
        USER,
    ),
}
COMMAND = Pipes.command
TABLE = {"database": "default", "table": "t", "managedTable": True, "columns": [{"name": "id", "type": "String"}]}


@pytest.fixture
def service_id(sandbox: Sandbox) -> str:
    """Return the id of a running service."""
    return str(sandbox.add("services", name="orders", provider="aws", region="us-east-1")["id"])


@pytest.fixture
def process(sandbox: Sandbox, tmp_path: Path) -> ProviderProcess:
    """Return a provider that uses the server."""
    return ProviderProcess(config_for(sandbox, pollIntervalSeconds=0.05), tmp_path)


def pipe(service_id: str, kind: str = "postgres", **more: Any) -> dict[str, Any]:
    """Return the inputs of a pipe of a source, with the values of `more`; those of the source are set there."""
    source, credentials = SOURCES[kind]
    changed = {name: more.pop(name) for name in list(more) if name in source}
    destination = TABLE if "tableMappings" not in source else {"database": "default"}
    inputs = {"serviceId": service_id, "name": kind, "destination": destination, "credentials": credentials}
    return {**inputs, "source": {kind: {**source, **changed}}, **more}


def test_every_source_is_tested() -> None:
    """SOURCES has an example of each kind."""
    assert SOURCES.keys() == KINDS.keys()


@pytest.mark.parametrize("kind", SOURCES)
def test_source_is_created_read_and_imported(
    kind: str, process: ProviderProcess, sandbox: Sandbox, service_id: str
) -> None:
    """Its credentials are sent, but no response returns them; without a change, no update is sent."""
    inputs = pipe(service_id, kind)
    id_, state = process.create("Pipe", inputs)
    (sent,) = sandbox.logged("create_pipe")
    assert str(sent.body).count("[secret]") >= (2 if kind == "kafka" else 1)
    assert "canary" not in str(sandbox.pipes)
    assert state["state"] == "Running"
    assert process.changes("Pipe", state, inputs) == ()
    read = process.read("Pipe", id_, state)
    assert process.changes("Pipe", read.state, inputs) == ()
    imported = process.read("Pipe", f"{service_id}/{id_}", {})
    assert (
        imported.inputs["source"][kind].items()
        >= {n: v for n, v in SOURCES[kind][0].items() if n != "settings"}.items()
    )
    assert "credentials" not in imported.inputs
    assert imported.left_out == ()
    assert FUNCTIONS["getPipe"].call(process, {"serviceId": service_id, "pipeId": id_})["name"] == kind
    process.delete("Pipe", id_, state)
    assert id_ not in sandbox.pipes


FILE = {"certificate": PEM, "privateKey": "k"}
VALUES = {**USER, **KEY, **ACCOUNT, **FILE, "connectionString": "c"}
NEEDING = [(kind, each, groups) for kind, known in NEEDED.items() for each, groups in known.items() if groups]


@pytest.mark.parametrize(("kind", "authentication", "groups"), NEEDING, ids=str)
def test_new_pipe_needs_the_credentials_of_its_authentication(
    kind: str, authentication: str, groups: Groups, process: ProviderProcess, service_id: str
) -> None:
    """The preview and the server refuse it without; one in state, such as an import, may lack them."""
    source = {**SOURCES[kind][0], **({"authentication": authentication} if authentication else {})}
    source |= {"iamRole": "arn:aws:iam::123456789012:role/r"} if authentication == "IAM_ROLE" else {}
    source.pop("schemaRegistry", None)
    source |= {"format": "Avro"} if "format" in source else {}
    source |= (
        {"type": "gcs", "url": "gs://b/*"} if (kind, authentication) == ("objectStorage", "SERVICE_ACCOUNT") else {}
    )
    inputs = {name: value for name, value in pipe(service_id, kind).items() if name != "credentials"}
    inputs["source"] = {kind: source}
    handler = RESOURCES["Pipe"]
    refusal = lifecycle.check(process, handler, inputs).failures
    assert " and ".join(groups[0]) in str(refusal[0]).partition("\n")[2]
    assert lifecycle.check(process, handler, inputs, old=inputs).failures == []
    assert lifecycle.check(process, handler, {**inputs, "credentials": UNKNOWN}).failures == []
    with pytest.raises(ClientError, match="400"):
        process.create("Pipe", inputs)
    for group in groups:
        whole = {**inputs, "credentials": {name: VALUES[name] for name in group}}
        assert lifecycle.check(process, handler, whole).failures == []
        assert process.create("Pipe", whole)[1]["state"] == "Running"


def test_pipe_without_credentials_is_not_replaced(process: ProviderProcess, sandbox: Sandbox, service_id: str) -> None:
    """A replacement of an imported one is refused in the preview: it would delete the pipe, and then create none."""
    whole, handler, session = pipe(service_id, "kafka"), RESOURCES["Pipe"], process.for_resource("urn")
    id_, _ = process.create("Pipe", whole)
    _, imported = lifecycle.read(session, handler, f"{service_id}/{id_}", {}, {})
    assert imported is not None
    inputs = {**imported.inputs, "allowReplacement": True, "destination": {**whole["destination"], "database": "other"}}
    assert lifecycle.check(session, handler, inputs, old=imported.inputs).failures == []
    assert lifecycle.diff(session, handler, id_, imported.state, inputs).replaces == ("destination",)
    (refusal,) = lifecycle.check(session, handler, inputs).failures
    assert "lacks the credentials of its" in str(refusal)
    assert id_ in sandbox.pipes


def test_new_pipe_has_a_slot_only_for_its_mode(process: ProviderProcess, service_id: str) -> None:
    """Of one in state check only warns: the server may have created the slot."""
    inputs, handler = pipe(service_id, "postgres"), RESOURCES["Pipe"]
    source = inputs["source"]["postgres"]

    def with_slot(mode: str) -> dict[str, Any]:
        settings = {**source.get("settings", {}), "replicationMode": mode, "replicationSlotName": "shop"}
        return {**inputs, "source": {"postgres": {**source, "settings": settings}}}

    assert lifecycle.check(process, handler, with_slot("cdc_only")).failures == []
    (refusal,) = lifecycle.check(process, handler, with_slot("cdc")).failures
    assert "is for replicationMode cdc_only" in str(refusal)
    assert lifecycle.check(process, handler, with_slot("cdc"), old=with_slot("cdc")).failures == []
    assert any("replicationSlotName" in each for each in process.warnings)


@pytest.mark.parametrize("kind", ["kafka", "objectStorage", "kinesis"])
def test_lost_create_without_credentials_is_adopted(
    kind: str, process: ProviderProcess, sandbox: Sandbox, service_id: str
) -> None:
    """A pipe has no marker, so it is recognized by all its values, in any form of the response."""
    before = set(sandbox.pipes)
    sandbox.fault("create_pipe", "lose")
    inputs = {name: value for name, value in pipe(service_id, kind).items() if name != "credentials"}
    inputs["source"][kind].pop("schemaRegistry", None)  # which needs credentials
    id_, _ = process.create("Pipe", inputs)
    assert set(sandbox.pipes) - before == {id_}
    assert sandbox.count("create_pipe") == 1


@pytest.mark.parametrize("kind", SOURCES)
def test_lost_create_with_credentials_is_an_error(
    kind: str, process: ProviderProcess, sandbox: Sandbox, service_id: str
) -> None:
    """The error names the pipe: one of another client may have other credentials, which no response returns."""
    before = set(sandbox.pipes)
    sandbox.fault("create_pipe", "lose")
    with pytest.raises(ResourceError) as error:
        process.create("Pipe", pipe(service_id, kind))
    (id_,) = set(sandbox.pipes) - before
    assert f"is one of: {id_} (no response shows its credentials as sent)\nImport" in str(error.value)


def test_port_is_part_of_the_identity() -> None:
    """A pipe with another port is not adopted."""
    source, _ = SOURCES["postgres"]
    one, other = (identity_of_source({"postgres": {**source, "port": port}}) for port in (5432, 5433))
    assert one != other


@pytest.mark.parametrize("kind", [kind for kind in SOURCES if kind != "bigquery"])
def test_credentials_are_sent_when_they_change(
    kind: str, process: ProviderProcess, sandbox: Sandbox, service_id: str
) -> None:
    """Another change does not send them, unless the description requires them in each update."""
    inputs = pipe(service_id, kind)
    id_, state = process.create("Pipe", inputs)
    state = process.update("Pipe", id_, state, {**inputs, "name": "other"})
    assert "[secret]" not in str(sandbox.logged("update_pipe")[-1].body)
    changed = {name: f"{value}-2" for name, value in SOURCES[kind][1].items() if name != "schemaRegistry"}
    new = {**inputs, "name": "other", "credentials": {**SOURCES[kind][1], **changed}}
    state = process.update("Pipe", id_, state, new)
    assert "[secret]" in str(sandbox.logged("update_pipe")[-1].body)
    assert process.changes("Pipe", state, new) == ()
    assert "canary" not in str(sandbox.pipes)


def test_table_mappings_change_by_difference(process: ProviderProcess, sandbox: Sandbox, service_id: str) -> None:
    """The difference is from the server's mappings; the pipe is stopped for the update, and started again."""
    inputs = pipe(service_id)
    id_, state = process.create("Pipe", inputs)
    users, orders = {**TABLES[1], "sourceTable": "users", "targetTable": "users"}, {**TABLES[0], "sortingKeys": ["id"]}
    new = pipe(service_id, tableMappings=[orders, users])
    state = process.update("Pipe", id_, state, new)
    sent = sandbox.logged("update_pipe")[-1].body["source"]["postgres"]
    assert sent["tableMappingsToAdd"] == [orders, users]
    assert sent["tableMappingsToRemove"] == TABLES
    assert [each["sourceTable"] for each in sandbox.pipes[id_]["source"]["postgres"]["tableMappings"]] == [
        "orders",
        "users",
    ]
    assert [each.body["command"] for each in sandbox.logged("command_pipe")] == ["stop", "start"]
    assert state["state"] == "Running"
    assert process.changes("Pipe", state, pipe(service_id, tableMappings=[users, orders])) == ()


def test_tables_that_a_pipe_has_already_are_not_added_again(
    process: ProviderProcess, sandbox: Sandbox, service_id: str
) -> None:
    """State lacks what an update has added whose response was lost: the difference is from the pipe on the server."""
    id_, state = process.create("Pipe", pipe(service_id))
    users, parts = ({**TABLES[0], "sourceTable": name, "targetTable": name} for name in ("users", "parts"))
    process.update("Pipe", id_, state, pipe(service_id, tableMappings=[*TABLES, users]))
    process.update("Pipe", id_, state, pipe(service_id, tableMappings=[*TABLES, users, parts]))
    sent = sandbox.logged("update_pipe")[-1].body["source"]["postgres"]
    assert (sent["tableMappingsToAdd"], sent.get("tableMappingsToRemove", [])) == ([parts], [])


def test_next_run_starts_a_pipe_whose_start_failed_after_an_update(
    process: ProviderProcess, sandbox: Sandbox, service_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The update has succeeded; the pipe was stopped only for it, also if a refresh reads it as stopped."""
    id_, state = process.create("Pipe", pipe(service_id))
    new = pipe(service_id, tableMappings=TABLES[:1])
    fail_commands(monkeypatch, Command.START, 1)
    state = process.update("Pipe", id_, state, new)
    assert (state["lastError"], state["__startFailed"]) == ("the request to start it failed: no machine is free", True)
    state = dict(process.read("Pipe", id_, state).state)
    assert process.changes("Pipe", state, new) == ("lastError",)
    state = process.update("Pipe", id_, state, new)
    assert (state["state"], "lastError" in state) == ("Running", False)
    assert sandbox.pipes[id_]["state"] == "Running"


@pytest.mark.parametrize("starts", [True, False])
def test_pipe_is_started_again_after_a_failed_update(
    starts: bool, process: ProviderProcess, sandbox: Sandbox, service_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the start fails, too, the next run starts it, although neither state nor the program says stopped."""
    id_, state = process.create("Pipe", pipe(service_id))
    fail_commands(monkeypatch, Command.START, 0 if starts else 1)
    text = "BAD_REQUEST: Postgres ClickPipe must be paused to edit"
    sandbox.fault("update_pipe", "status", status=400, text=text, times=2)
    with pytest.raises(ApiError, match="must be paused"):
        process.update("Pipe", id_, state, pipe(service_id, tableMappings=TABLES[:1]))
    assert sandbox.pipes[id_]["state"] == ("Running" if starts else "Stopped")
    warned = "was stopped to be changed, and could not be started again: no machine is free" in str(process.warnings)
    assert warned is not starts
    process.update("Pipe", id_, state, pipe(service_id, tableMappings=TABLES[:1]))
    assert sandbox.pipes[id_]["state"] == "Running"


class ProcessKilled(BaseException):
    """The process is killed."""


@pytest.mark.parametrize("method", ["update", "command"])
@pytest.mark.parametrize("refreshed", [True, False])
def test_next_run_starts_a_pipe_that_a_killed_run_stopped(
    method: str,
    refreshed: bool,
    process: ProviderProcess,
    sandbox: Sandbox,
    service_id: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was stopped only for the update; a pipe that is stopped by hand later remains stopped."""
    id_, state = process.create("Pipe", pipe(service_id))
    new = pipe(service_id, tableMappings=TABLES[:1])
    send = getattr(Pipes, method)

    def killed(pipes: Pipes, object_id: str, sent: Any) -> Any:
        if sandbox.pipes[object_id]["state"] == "Stopped":
            raise ProcessKilled
        return send(pipes, object_id, sent)

    with monkeypatch.context() as patch:
        patch.setattr(Pipes, method, killed)
        with pytest.raises(ProcessKilled):
            process.update("Pipe", id_, state, new)
    assert sandbox.pipes[id_]["state"] == "Stopped"
    second = ProviderProcess(process.config, tmp_path)
    if refreshed:
        state = dict(second.read("Pipe", id_, state).state)
        assert state["lastError"] == "it was stopped to be changed, and that run was interrupted"
        assert "lastError" in second.changes("Pipe", state, new)
    state = second.update("Pipe", id_, state, new)
    assert (sandbox.pipes[id_]["state"], "lastError" in state) == ("Running", False)
    assert len(sandbox.pipes[id_]["source"]["postgres"]["tableMappings"]) == 1
    sandbox.change("pipes", id_, state="Stopped")  # on purpose
    assert "lastError" not in ProviderProcess(process.config, tmp_path).read("Pipe", id_, state).state


@pytest.mark.parametrize("ends", ["started", "deleted"])
def test_unfinished_start_ends_with_a_start_or_delete(ends: str, process: ProviderProcess, service_id: str) -> None:
    """Otherwise a later run would start a pipe that was stopped by hand."""
    id_, state = process.create("Pipe", pipe(service_id))
    file = process.pending.unfinished(id_)
    process.pending.write(file, "")
    process.read("Pipe", id_, state) if ends == "started" else process.delete("Pipe", id_, state)
    assert not file.exists()


def fail_commands(monkeypatch: pytest.MonkeyPatch, failing: Command, times: int) -> None:
    """Make a command to a pipe fail this number of times."""
    send, left = COMMAND, [times]

    def command(pipes: Pipes, object_id: str, command: Command) -> Any:
        if command is failing and left[0]:
            left[0] -= 1
            raise ResourceError("no machine is free", "Run again.")
        return send(pipes, object_id, command)

    monkeypatch.setattr(Pipes, "command", command)


@pytest.mark.parametrize("kind", ["kafka", "postgres", "mysql", "mongodb"])
def test_source_is_reached_through_an_ssh_server(
    kind: str, process: ProviderProcess, sandbox: Sandbox, service_id: str
) -> None:
    """A create sends the key, an import returns it, an update omits it, and another key replaces the pipe."""
    bastion = {"serviceId": service_id, "name": "Bastion", "host": "bastion.example.com", "username": "pipes"}
    key_id, _ = process.create("PipeSshKey", bastion, urn="urn:key")
    source = {**SOURCES[kind][0], "sshKeyResourceId": key_id}
    inputs = pipe(service_id, kind, source={kind: source})
    id_, state = process.create("Pipe", inputs)
    (sent,) = sandbox.logged("create_pipe")
    assert sent.body["source"][kind]["sshKeyResourceId"] == key_id
    assert process.changes("Pipe", process.read("Pipe", id_, state).state, inputs) == ()
    imported = process.read("Pipe", f"{service_id}/{id_}", {})
    assert imported.inputs["source"][kind]["sshKeyResourceId"] == key_id
    process.update("Pipe", id_, state, {**inputs, "name": "renamed", "credentials": {**inputs["credentials"], **OTHER}})
    assert all("sshKeyResourceId" not in str(each.body) for each in sandbox.logged("update_pipe"))
    other = {**inputs, "source": {kind: {**source, "sshKeyResourceId": "another"}}}
    with pytest.raises(ResourceError, match=f"cannot change source.{kind}.sshKeyResourceId in place"):
        RESOURCES["Pipe"].diff(state, other)
    assert RESOURCES["Pipe"].diff(state, {**other, "allowReplacement": True}).replaces == ("source",)


def test_replacement_requires_allow_replacement(process: ProviderProcess, service_id: str) -> None:
    """The error names the path; an allowed replacement, or one by another service, deletes the old pipe first."""
    inputs = pipe(service_id, "kafka")
    _, state = process.create("Pipe", inputs)
    handler = RESOURCES["Pipe"]
    for new, path in (
        (pipe(service_id, "kafka", topics="other"), "source.kafka.topics"),
        (pipe(service_id, "kafka", destination={**TABLE, "table": "other"}), "destination.table"),
        (pipe(service_id, "kafka", source={"kinesis": SOURCES["kinesis"][0]}, credentials=KEY), "source.kinesis"),
    ):
        with pytest.raises(ResourceError, match=f"'kafka' cannot change {path} in place.*\\n.*allowReplacement"):
            handler.diff(state, new)
        result = handler.diff(state, {**new, "allowReplacement": True})
        assert (result.replaces, result.delete_before_replace) == ((path.partition(".")[0],), True)
    later = {**USER, "schemaRegistry": {"username": "r", "password": UNKNOWN}}
    assert handler.diff(state, {**inputs, "credentials": later}).replaces == ()
    moved = handler.diff(state, {**inputs, "serviceId": "5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11"})
    assert moved.replaces == ("serviceId",)
    columns = [*TABLE["columns"], {"name": "at", "type": "DateTime"}]  # type: ignore[misc]
    assert handler.diff(state, {**inputs, "destination": {**TABLE, "columns": columns}}).replaces == ()


def test_service_that_is_already_awaking_is_awaited(
    process: ProviderProcess, sandbox: Sandbox, service_id: str
) -> None:
    """Another pipe has woken it, so the command is rejected."""
    sandbox.change("services", service_id, state="idle")
    sandbox.fault("command_service", "commit_then_status", status=400, text="BAD_REQUEST: Command awake needs idle")
    process.create("Pipe", pipe(service_id, "kafka"))
    assert sandbox.services[service_id]["state"] == "running"


@pytest.mark.parametrize("set_by_program", [{}, {"pullBatchSize": 500}], ids=str)
def test_server_defaults_of_mongodb_settings_are_no_drift(
    set_by_program: dict[str, Any], process: ProviderProcess, sandbox: Sandbox, service_id: str
) -> None:
    """The vendor's Terraform provider expects four of them from the server."""
    inputs = pipe(service_id, "mongodb")
    inputs["source"]["mongodb"] = {
        **inputs["source"]["mongodb"],
        "settings": {"replicationMode": "cdc", **set_by_program},
    }
    id_, state = process.create("Pipe", inputs)
    settings = sandbox.pipes[id_]["source"]["mongodb"]["settings"]
    assert settings.keys() == {
        *("replicationMode", "syncIntervalSeconds", "pullBatchSize"),
        *("snapshotNumRowsPerPartition", "snapshotNumberOfParallelTables"),
    }
    assert settings.items() >= set_by_program.items()
    assert process.changes("Pipe", process.read("Pipe", id_, state).state, inputs) == ()


def test_sandbox_supports_settings_and_resync(sandbox: Sandbox, service_id: str) -> None:
    """The vendor's clients use both, and end the path of a create with a slash."""
    with sandbox.management() as http:
        path = f"/services/{service_id}/clickpipes"
        source, credentials = SOURCES["mysql"]
        body = {
            "name": "m",
            "source": {"mysql": {**source, "credentials": credentials}},
            "destination": {"database": "d"},
        }
        pipe = http.post(f"{path}/", json=body).raise_for_status().json()["result"]
        one = f"{path}/{pipe['id']}"
        settings = http.put(f"{one}/settings", json={"clickhouse_max_threads": 2}).raise_for_status().json()["result"]
        assert settings["clickhouse_max_threads"] == 2
        assert http.get(f"{one}/settings").json()["result"] == settings
        assert http.put(f"{one}/settings", json={"clickhouse_max_threads": 65}).status_code == 400
        assert http.patch(f"{one}/state", json={"command": "resync"}).json()["result"]["state"] == "Resync"
        assert http.patch(f"{one}/state", json={"command": "start"}).status_code == 400


@pytest.mark.parametrize("state", ["idle", "awaking"])
def test_idle_service_is_woken(state: str, process: ProviderProcess, sandbox: Sandbox, service_id: str) -> None:
    """This precedes a create and an update; only one pipe is created."""
    sandbox.change("services", service_id, state=state)
    if state == "awaking":
        sandbox.fault("create_pipe", "status", status=424, text="FAILED_DEPENDENCY: Current state: awaking")
        sandbox.change("services", service_id, state="running")
    id_, pipe_state = process.create("Pipe", pipe(service_id, "kafka"))
    assert sandbox.services[service_id]["state"] == "running"
    assert sum(each["name"] == "kafka" for each in sandbox.pipes.values()) == 1
    sandbox.change("services", service_id, state="idle")
    process.update("Pipe", id_, pipe_state, pipe(service_id, "kafka", name="other"))
    assert sandbox.pipes[id_]["name"] == "other"


def test_stopped_service_is_not_woken(process: ProviderProcess, sandbox: Sandbox, service_id: str) -> None:
    """It was stopped on purpose; the error says so."""
    sandbox.change("services", service_id, state="stopped")
    with pytest.raises(ResourceError, match=r"is stopped: .*\nStart it, or set stopped of the Service") as error:
        process.create("Pipe", pipe(service_id, "kafka"))
    assert str(error.value).count("FAILED_DEPENDENCY") == 1
    assert sandbox.count("command_service") == 0


def test_failed_pipe_is_in_state_and_is_started_again(
    process: ProviderProcess, sandbox: Sandbox, service_id: str
) -> None:
    """The warning has the server's state; the next update starts it, and fails if the start fails."""
    sandbox.fault("create_pipe", "failed")
    inputs = pipe(service_id, "kafka")
    id_, state = process.create("Pipe", inputs)
    assert state["lastError"] == "the server reports that the pipe has failed (state Failed)"
    assert "Pipe 'kafka' exists and is in state, but is not yet ready: the server reports" in process.warnings[-1]
    assert process.changes("Pipe", state, inputs) == ("lastError",)
    sandbox.fault("command_pipe", "status", status=400, text="BAD_REQUEST: broker not reachable")
    with pytest.raises(ResourceError, match=r"request to start it failed: .*broker not reachable"):
        process.update("Pipe", id_, state, inputs)
    state = process.update("Pipe", id_, state, inputs)
    assert (state["state"], state.get("lastError")) == ("Running", None)
    assert process.changes("Pipe", state, inputs) == ()


def test_next_run_updates_an_adopted_pipe_that_could_not_be_stopped(
    process: ProviderProcess, sandbox: Sandbox, service_id: str, tmp_path: Path
) -> None:
    """State has the source of the interrupted run, so that later edits of the program are differences."""
    process.create("Pipe", pipe(service_id, "kafka"), "urn:pipe")
    edited = pipe(service_id, "kafka", stopped=True)
    edited["source"]["kafka"]["caCertificate"] = "PEM"
    sandbox.fault("command_pipe", "status", status=500)
    second = ProviderProcess(process.config, tmp_path)
    id_, state = second.create("Pipe", edited, "urn:pipe")
    assert ("the request to stop it failed" in state["lastError"], "__startFailed" in state) == (True, False)
    assert {*second.changes("Pipe", state, edited)} == {"source", "stopped", "credentials", "lastError"}
    second.update("Pipe", id_, state, edited)
    assert (sandbox.pipes[id_]["source"]["kafka"]["caCertificate"], sandbox.pipes[id_]["state"]) == ("PEM", "Stopped")


def test_error_has_the_servers_message(process: ProviderProcess, sandbox: Sandbox, service_id: str) -> None:
    """It contains no credentials."""
    sandbox.fault("create_pipe", "status", status=400, text="BAD_REQUEST: cannot connect to b:9092")
    with pytest.raises(ApiError, match="cannot connect to b:9092") as error:
        process.create("Pipe", pipe(service_id, "kafka"))
    assert "canary" not in str(error.value)


def test_pipe_is_stopped_and_started(
    process: ProviderProcess, sandbox: Sandbox, service_id: str, tmp_path: Path
) -> None:
    """If the program does not set `stopped`, changes by hand are kept."""
    id_, state = process.create("Pipe", pipe(service_id, "kafka", stopped=True))
    assert sandbox.pipes[id_]["state"] == "Stopped"
    sandbox.change("pipes", id_, state="Running")
    read = ProviderProcess(process.config, tmp_path).read("Pipe", id_, state)
    assert process.changes("Pipe", read.state, pipe(service_id, "kafka", stopped=True)) == ("stopped",)
    state = process.update("Pipe", id_, read.state, pipe(service_id, "kafka", stopped=False))
    assert sandbox.pipes[id_]["state"] == "Running"
    sandbox.change("pipes", id_, state="Stopped")
    unset = pipe(service_id, "kafka")
    state = process.update("Pipe", id_, state, unset)
    assert process.changes("Pipe", process.read("Pipe", id_, state).state, unset) == ()
    assert sandbox.pipes[id_]["state"] == "Stopped"


def test_pipe_that_was_just_started_by_hand_is_not_started(sandbox: Sandbox, service_id: str, tmp_path: Path) -> None:
    """The server would reject a second start; the shared list still has it as stopped."""
    process = ProviderProcess(config_for(sandbox, pollIntervalSeconds=1), tmp_path)
    id_, state = process.create("Pipe", pipe(service_id, "kafka", stopped=True))
    process.read("Pipe", id_, state)
    sandbox.change("pipes", id_, state="Running")
    state = process.update("Pipe", id_, state, pipe(service_id, "kafka", stopped=False))
    assert (state["state"], state.get("lastError")) == ("Running", None)


def test_container_and_path_change_in_place(process: ProviderProcess, sandbox: Sandbox, service_id: str) -> None:
    """The vendor describes both for updates: an update of a pipe from Azure sends them."""
    azure = {"type": "azureblobstorage", "format": "JSONEachRow", "authentication": "CONNECTION_STRING"}
    before = {**azure, "path": "*.json", "azureContainerName": "events"}
    inputs = pipe(service_id, "objectStorage", credentials={"connectionString": "canary"})
    inputs["source"] = {"objectStorage": before}
    id_, state = process.create("Pipe", inputs)
    changed = {"path": "new/*.json", "azureContainerName": "archive"}
    process.update("Pipe", id_, state, {**inputs, "source": {"objectStorage": {**before, **changed}}})
    assert sandbox.logged("update_pipe")[-1].body["source"]["objectStorage"].items() >= changed.items()
    assert sandbox.pipes[id_]["source"]["objectStorage"].items() >= changed.items()


def test_removed_properties_are_reset(process: ProviderProcess, sandbox: Sandbox, service_id: str) -> None:
    """Settings go back to the server's defaults, and so do the properties of a source that an update accepts."""
    full = pipe(service_id, "kafka", settings={"streaming_max_insert_wait_ms": 700, "engine_max_threads": 3})
    full["source"]["kafka"]["caCertificate"] = "PEM"
    full["fieldMappings"] = [{"sourceField": "id", "destinationField": "id"}]
    id_, state = process.create("Pipe", full)
    assert sandbox.logged("create_pipe")[0].body["settings"]["clickhouse_max_threads"] == 3
    assert sandbox.pipes[id_]["settings"]["engine_max_threads"] == 3
    sandbox.fault("update_pipe", "status", status=500)
    with pytest.raises(ApiError, match="500"):
        process.update("Pipe", id_, state, pipe(service_id, "kafka"))
    sandbox.fault("update_pipe", "lose")
    process.update("Pipe", id_, state, pipe(service_id, "kafka"))
    now = sandbox.pipes[id_]
    assert (now["settings"], now["fieldMappings"]) == ({}, [])
    assert "caCertificate" not in now["source"]["kafka"]


def test_roles_and_credentials_of_an_import_are_no_drift(
    process: ProviderProcess, service_id: str, tmp_path: Path
) -> None:
    """No server returns them; credentials that a program adds after an import replace nothing."""
    inputs = pipe(service_id, "bigquery", destination={"database": "default", "roles": ["reader"]})
    id_, state = process.create("Pipe", inputs)
    read = ProviderProcess(process.config, tmp_path).read("Pipe", id_, state)
    assert process.changes("Pipe", read.state, inputs) == ()
    imported = process.read("Pipe", f"{service_id}/{id_}", {})
    result = RESOURCES["Pipe"].diff(imported.state, {**imported.inputs, "credentials": ACCOUNT})
    assert (result.changed, result.replaces) == (("credentials",), ())
    changed = {**inputs, "credentials": {"serviceAccountKey": "other"}}
    with pytest.raises(ResourceError, match="cannot change credentials in place"):
        RESOURCES["Pipe"].diff(state, changed)


def test_replacement_deletes_first(sandbox: Sandbox, service_id: str, tmp_path: Path) -> None:
    """With `allowReplacement`, the new pipe reads the other topic, and the old one is deleted."""
    program = f"""
import pulumi_clouddb as clouddb
clouddb.Pipe("it", name="it", service_id={service_id!r}, allow_replacement=True,
    source={{"kafka": {{"type": "kafka", "format": "Avro", "brokers": "b", "topics": "TOPIC"}}}},
    destination={{"database": "d", "table": "t", "managed_table": True, "columns": []}})
"""
    stack = FakeEngineStack(program.replace("TOPIC", "one"), config=stack_config(sandbox), work_dir=tmp_path)
    stack.up()
    before = {*sandbox.pipes}
    stack.set_program(program.replace("TOPIC", "two"))
    assert stack.preview().changes["replace"] == 1
    stack.up()
    (new,) = {*sandbox.pipes} - before
    assert sandbox.pipes[new]["source"]["kafka"]["topics"] == "two"
    assert len(sandbox.pipes) == len(before)
    writes = [each.operation for each in sandbox.requests if each.operation in ("create_pipe", "delete_pipe")]
    assert writes == ["create_pipe", "delete_pipe", "create_pipe"]
    stack.destroy()


def test_pipe_is_deleted_if_no_list_has_it(process: ProviderProcess, sandbox: Sandbox, service_id: str) -> None:
    """A 404 to a delete alone is an error; a deleted service has no pipes."""
    inputs = pipe(service_id, "kafka")
    id_, state = process.create("Pipe", inputs)
    sandbox.fault("delete_pipe", "not_found")
    with pytest.raises(ApiError):
        process.delete("Pipe", id_, state)
    sandbox.remove("services", service_id)
    process.delete("Pipe", id_, state)


PROGRAM = """
import pulumi_clouddb as clouddb
clouddb.Pipe("it", name="it", service_id={service_id!r}, stopped={stopped},
    source={{"mysql": {{"host": "db", "port": 1, "settings": {{"replication_mode": "cdc"}}, "table_mappings": [
        {{"source_schema_name": "shop", "source_table": "orders", "target_table": "orders"}}]}}}},
    credentials={{"username": "canary-user", "password": "canary-password"}},
    destination=clouddb.PipeDestinationArgs(database="default"))
"""


def test_credentials_are_never_in_plain_text(sandbox: Sandbox, service_id: str, tmp_path: Path) -> None:
    """State, output and the server's log do not contain them, although the program does not mark them as secret."""
    stack = FakeEngineStack(
        PROGRAM.format(service_id=service_id, stopped=False), config=stack_config(sandbox), work_dir=tmp_path
    )
    results = [stack.preview(), stack.up()]
    stack.set_program(PROGRAM.format(service_id=service_id, stopped=True))
    results += [stack.preview(), stack.up(), stack.refresh(), stack.preview()]
    assert results[-1].no_changes
    shown = [repr((each.diagnostics, each.stdout, each.steps, each.outputs)) for each in results]
    bodies = [str(each.body) for each in sandbox.requests]
    assert not any("canary" in text for text in (stack.state_text, *shown, *bodies))
    stack.destroy()


@pytest.mark.parametrize("kind", KINDS)
def test_import_of_a_pipe_takes_only_what_fits_its_source(
    kind: str, process: ProviderProcess, sandbox: Sandbox
) -> None:
    """Servers return each size, and a table, for each pipe: nothing warns of it, and nothing is drift afterwards."""
    service_id = sandbox.add("services", name="existing", provider="aws", region="us-east-1")["id"]
    pipe = sandbox.add_pipe(service_id, kind, name="found")
    imported = process.read("Pipe", f"{service_id}/{pipe['id']}", {})
    process.warnings.clear()
    assert not imported.left_out
    RESOURCES["Pipe"].check(process, imported.inputs, (), imported.inputs)
    assert process.warnings == []
    again = process.read("Pipe", pipe["id"], imported.state)
    assert again.inputs == imported.inputs
