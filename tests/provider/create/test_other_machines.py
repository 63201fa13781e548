"""An interrupted run on a machine without a persistent disk: the next one, anywhere, finds its objects by marks."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.commands.doctor.duplicates import check_duplicates
from clouddb_tools.commands.doctor.situation import Situation
from clouddb_tools.commands.export.statements import Step
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import CliStack, stack_config
from faults.console import works
from lives.life import fill
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.engine.dynamic.host import stack_identity
from pulumi_clouddb.engine.wire.secret import strip
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.config import environment_name
from pulumi_clouddb.schema.values import WireDict
from support.five import dynamic_program, native_program
from support.grpc_driver import GrpcDriver
from support.host import DynamicHost
from support.ids import LOGS
from support.plugin import NativePlugin
from support.sessions import ProviderProcess, config_for

SERVICE = {"name": "Orders", "provider": "aws", "region": "us-east-1"}
KEY = {"name": "ci", "roles": ["developer"]}
INPUTS: dict[str, dict[str, Any]] = {"Service": SERVICE, "ApiKey": KEY}
URN_OF_ORDERS = "urn:Service:Orders"
DAY = 86_400
URL = "PULUMI_BACKEND_URL"

Machine = Callable[..., ProviderProcess]


@pytest.fixture
def machine(sandbox: Sandbox, tmp_path: Path) -> Machine:
    """Return a function that starts a session with an empty folder, for a stack without state."""
    numbers = iter(range(100))

    def make(stack: str | None = "file 1", **config: Any) -> ProviderProcess:
        settings = {"requestTimeoutSeconds": 2, "retryTimeoutSeconds": 1, "pollIntervalSeconds": 0.05, **config}
        return ProviderProcess(config_for(sandbox, **settings), tmp_path / str(next(numbers)), stack=stack)

    return make


OBJECTS = {"Service": "services", "ApiKey": "keys"}


@pytest.mark.parametrize("resource", INPUTS)
def test_another_machine_adopts_the_object(sandbox: Sandbox, machine: Machine, resource: str) -> None:
    """It is adopted with a secret that works, and a warning reports it."""
    first, _ = machine().create(resource, INPUTS[resource])
    second = machine()
    adopted, state = second.create(resource, INPUTS[resource])
    assert adopted == first
    assert works(sandbox, OBJECTS[resource], adopted, state)
    [warning] = second.warnings
    assert warning.startswith("Adopted ")
    assert f"(id {first})" in warning
    assert [each for each in CAUSES if each not in warning] == []


CAUSES = ("interrupted", "taint", "--replace", "state delete")
"""What may have been before: to the provider, all of them look alike (docs/reliability.md)."""


def test_adopted_object_is_updated_to_the_program(sandbox: Sandbox, machine: Machine) -> None:
    """The program may have changed meanwhile, even the name of a service."""
    first, _ = machine().create("Service", SERVICE, urn="urn:orders")
    edited = {**SERVICE, "name": "Orders 2", "ipAccessList": [{"source": "10.0.0.0/8", "description": ""}]}
    adopted, _ = machine().create("Service", edited, urn="urn:orders")
    assert adopted == first
    assert sandbox.services[first]["name"] == "Orders 2"
    assert sandbox.services[first]["ipAccessList"] == edited["ipAccessList"]


OTHERS: dict[str, dict[str, Any]] = {
    "another backend": {"stack": "file 2"},
    "an unknown backend": {"stack": None},
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("resource", INPUTS)
def test_another_stack_does_not_adopt(sandbox: Sandbox, machine: Machine, resource: str, other: dict[str, Any]) -> None:
    """Stacks of the same name in two backends have the same URNs: the create is refused, or makes its own object."""
    first, state = machine().create(resource, INPUTS[resource])
    if resource == "Service":
        with pytest.raises(ResourceError, match="exists already"):
            machine(**other).create(resource, SERVICE)
    else:
        second, _ = machine(**other).create(resource, KEY)
        assert second != first
    assert works(sandbox, OBJECTS[resource], first, state)


@pytest.mark.parametrize("resource", INPUTS)
def test_another_resource_does_not_adopt(sandbox: Sandbox, machine: Machine, resource: str) -> None:
    """Two resources of one stack with the same name have separate objects."""
    inputs = {**INPUTS[resource], **({"allowDuplicateName": True} if resource == "Service" else {})}
    first, state = machine().create(resource, inputs, urn="urn:a")
    second, _ = machine().create(resource, inputs, urn="urn:b")
    assert second != first
    assert works(sandbox, OBJECTS[resource], first, state)


OLD: dict[str, tuple[dict[str, Any], str]] = {
    "the name is taken": ({}, "exists already, with the id {}"),
    "the name may repeat": ({"allowDuplicateName": True}, r"service 'Orders' \({}\)"),
}


@pytest.mark.parametrize(("more", "why"), OLD.values(), ids=OLD)
def test_service_is_not_adopted_after_a_day(sandbox: Sandbox, machine: Machine, more: dict[str, Any], why: str) -> None:
    """By then it may have been removed from state on purpose, or be there still: no second one replaces it."""
    first, state = machine().create("Service", SERVICE)
    sandbox.advance(DAY + 5)
    with pytest.raises(ResourceError, match=why.format(first)):
        machine().create("Service", {**SERVICE, **more})
    assert [*sandbox.services] == [first]
    assert sandbox.password_works(first, state["password"])


def _created_here(creating: ProviderProcess, first: str, _: WireDict) -> ProviderProcess:
    creating.pending.finish(first, URN_OF_ORDERS)
    return creating


def _compared_here(creating: ProviderProcess, first: str, state: WireDict) -> ProviderProcess:
    folder = creating.pending.folder.parent / "another machine"
    here, next_run = (ProviderProcess(creating.config, folder, stack=creating.stack) for _ in range(2))
    lifecycle.diff(here.for_resource(URN_OF_ORDERS), RESOURCES["Service"], first, state, SERVICE)
    return next_run


@pytest.mark.parametrize("seen", [_created_here, _compared_here])
def test_machine_that_has_seen_an_object_in_state_does_not_adopt_it(
    sandbox: Sandbox, machine: Machine, seen: Callable[[ProviderProcess, str, WireDict], ProviderProcess]
) -> None:
    """It has no pending create of its own: `pulumi state delete` has removed the object on purpose."""
    creating = machine()
    first, state = creating.create("Service", SERVICE)
    with pytest.raises(ResourceError, match="exists already"):
        seen(creating, first, state).create("Service", SERVICE)
    assert sandbox.password_works(first, state["password"])


def test_used_key_is_not_adopted(sandbox: Sandbox, machine: Machine) -> None:
    """A key that was used must have been in state once."""
    first, state = machine().create("ApiKey", KEY)
    assert works(sandbox, "keys", first, state)
    second, _ = machine().create("ApiKey", KEY)
    assert second != first


def test_other_credentials_find_the_service_but_not_the_key(sandbox: Sandbox, machine: Machine) -> None:
    """The secret of a key is derived from the credentials, the tag of a service is not."""
    first = machine().create("Service", SERVICE)[0], machine().create("ApiKey", KEY)[0]
    other = sandbox.add_key(name="other", roles=["admin"])
    config = {"keyId": other["keyId"], "keySecret": other["keySecret"]}
    second = machine(**config).create("Service", SERVICE)[0], machine(**config).create("ApiKey", KEY)[0]
    assert second[0] == first[0]
    assert second[1] != first[1]


def test_recreated_key_has_another_secret(sandbox: Sandbox, machine: Machine) -> None:
    """A leaked secret must not return with the next key of the resource."""
    first, old = machine().create("ApiKey", KEY)
    sandbox.remove("keys", first)
    sandbox.advance(1)
    _, new = machine().create("ApiKey", KEY)
    assert new["accessKeyId"] != old["accessKeyId"]
    assert new["keySecret"] != old["keySecret"]


def test_replaced_key_is_not_adopted_as_the_new_one(sandbox: Sandbox, machine: Machine) -> None:
    """After a second Ctrl-C, state contains the old key, to be deleted, and only one machine knows the new one.

    Found by `make cli-kills RUNS=1 SEED=9238`.
    """
    old, _ = machine().create("ApiKey", {**KEY, "rotation": "1"})
    new, _ = machine().create("ApiKey", {**KEY, "rotation": "2"})
    adopted, state = machine().create("ApiKey", {**KEY, "rotation": "2"})
    assert old != new == adopted
    assert works(sandbox, "keys", adopted, state)


def test_two_marked_services_are_an_error(sandbox: Sandbox, machine: Machine) -> None:
    """After one is deleted, as the error says, the other one is adopted."""
    first, _ = machine().create("Service", SERVICE)
    second = sandbox.add("services", **SERVICE, tags=sandbox.services[first]["tags"])["id"]
    with pytest.raises(ResourceError) as refused:
        machine().create("Service", SERVICE)
    first_line, advice = str(refused.value).splitlines()
    assert first_line.startswith("service 'Orders': interrupted runs on other machines have created more than one: ")
    assert first in first_line
    assert second in first_line
    assert advice == "Delete all but one of them, then run again: the remaining one is adopted."
    sandbox.remove("services", second)
    assert machine().create("Service", SERVICE)[0] == first


MADE = [each for each in WIRE_LIVES if not each.life.stays]
ONE_OF_EACH = {each.life.name: each for each in MADE}.values()


@pytest.mark.parametrize("life", ONE_OF_EACH, ids=str)
def test_what_has_neither_a_mark_nor_a_unique_name_is_created_a_second_time(life: WireLife, tmp_path: Path) -> None:
    """The table of docs/beyond-one-machine.md: the next run has no record of the interrupted one."""
    kind, urn = life.life.name, "urn:it"
    resource = RESOURCES[kind]
    with Sandbox(**life.life.server) as sandbox:
        inputs = fill(life.life.before, life.life.setting(sandbox))
        config = config_for(sandbox, requestTimeoutSeconds=1, retryTimeoutSeconds=1, pollIntervalSeconds=0.05)
        first, next_run = (ProviderProcess(config, tmp_path / each) for each in ("one", "another"))
        object_id, _ = first.create(kind, inputs, urn=urn)
        sandbox.advance(60)
        has_mark = sandbox.vocabulary == "clickhouse" and kind in ("Service", "PostgresService", "ApiKey")
        if resource.unique_by and not has_mark:
            with pytest.raises(ResourceError, match=f"exists already, with the id {object_id}"):
                next_run.create(kind, inputs, urn=urn)
        else:
            assert (next_run.create(kind, inputs, urn=urn)[0] == object_id) is has_mark


# -- the identity of a stack -------------------------------------------------------------------------------------------

URN = "urn:pulumi:dev::shop::clouddb:index:Service::orders"
HOSTS: dict[str, Callable[[dict[str, str], Path, str], GrpcDriver]] = {
    "dynamic": lambda config, folder, state: DynamicHost(config, folder, {URL: f"s3://{state}"}),
    "native": lambda config, folder, state: NativePlugin(config, folder, provider_id=state),
}


@pytest.mark.slow
@pytest.mark.parametrize("start", HOSTS.values(), ids=HOSTS)
def test_both_front_ends_identify_their_stack(
    start: Callable[[dict[str, str], Path, str], GrpcDriver], sandbox: Sandbox, tmp_path: Path
) -> None:
    """The plugin uses the id of its provider, a dynamic host the address of the backend."""
    created = []
    for folder, state in (("a", "one"), ("b", "one"), ("c", "two")):
        (tmp_path / folder).mkdir()
        with start(sandbox.config, tmp_path / folder, state) as host:
            inputs = host.check("ApiKey", KEY).inputs
            created.append(host.create("ApiKey", inputs, urn=URN).id)
    assert created[0] == created[1]
    assert created[2] not in created[:2]


PROGRAMS: dict[str, Callable[..., str]] = {"dynamic": dynamic_program, "native": native_program}


@pytest.mark.cli
@pytest.mark.parametrize("write", PROGRAMS.values(), ids=PROGRAMS)
def test_real_cli_adopts_on_another_machine(write: Callable[..., str], sandbox: Sandbox, tmp_path: Path) -> None:
    """State lacks both objects, as if the engine had died before it wrote them; the second machine has no record."""
    program = write([Step("orders", "Service", SERVICE), Step("ci", "ApiKey", KEY)])
    stack = CliStack(
        program, config=stack_config(sandbox), work_dir=tmp_path, env={"CLOUDDB_JOURNAL": str(tmp_path / "a")}
    )
    stack.up()
    first = {each.name: each for each in stack.resources if each.id}
    for each in first.values():
        assert stack.command("state", "delete", each.urn, "--yes").returncode == 0
    stack.env["CLOUDDB_JOURNAL"] = str(tmp_path / "b")
    stack.up()
    second = {each.name: each for each in stack.resources if each.id}
    assert {name: each.id for name, each in second.items()} == {name: each.id for name, each in first.items()}
    for name, kind in (("orders", "services"), ("ci", "keys")):
        assert works(sandbox, kind, second[name].id, strip(second[name].outputs))
    assert stack.preview().no_changes
    listed = stack.command("stack", "--show-ids").stdout  # as `clouddb doctor` suggests
    assert all(each.id in listed for each in second.values())


@pytest.mark.parametrize("managed", [False, True], ids=["self-hosted", "of a service"])
def test_doctor_lists_equal_objects_without_marks(sandbox: Sandbox, machine: Machine, managed: bool) -> None:
    """One of two equal dashboards may belong to an interrupted run."""
    service = {"serviceId": sandbox.add("services", **SERVICE)["id"]} if managed else {}
    dashboard = {
        **service,
        "name": "Orders",
        "tiles": [{"name": "errors", "x": 0, "y": 0, "w": 4, "h": 2, "series": []}],
    }
    dashboard["tiles"][0]["series"] = [{"type": "time", "aggFn": "count", "sourceId": LOGS, "where": "", "groupBy": []}]
    ids = [machine().create("Dashboard", dashboard)[0].rpartition("/")[2] for _ in range(2)]
    machine().create("Dashboard", {**dashboard, "tags": ["other"]})
    settings = {name.removeprefix("clouddb:"): value for name, value in sandbox.config.items()}
    situation = Situation({environment_name(name): value for name, value in settings.items()})
    [finding] = check_duplicates(situation)
    situation.close()
    assert finding.text == f"2 objects of type Dashboard named 'Orders' are equal: {', '.join(ids)}"
    assert finding.fix == (
        "Each may belong to a different stack. If an interrupted run created one of them, delete in the console those "
        "whose ids no stack lists:"
    )
    assert finding.command == "pulumi stack --show-ids"


def test_doctor_lists_equal_postgres_services() -> None:
    """Host name and password are different for each object and do not count."""
    orders = {"name": "Orders", "provider": "aws", "region": "us-east-1", "size": "m6gd.large"}
    with Sandbox(vocabulary="clickhouse") as sandbox:
        ids = [sandbox.add("postgres_services", **orders)["id"] for _ in range(2)]
        sandbox.add("postgres_services", **{**orders, "size": "m6gd.xlarge"})
        settings = {name.removeprefix("clouddb:"): value for name, value in sandbox.config.items()}
        situation = Situation({environment_name(name): value for name, value in settings.items()})
        [finding] = check_duplicates(situation)
        situation.close()
    assert finding.text == f"2 objects of type PostgresService named 'Orders' are equal: {', '.join(ids)}"


LOGIN = '{"current": "s3://states"}'
BACKENDS: dict[str, tuple[dict[str, str], str | None, str | None]] = {
    "Pulumi Cloud": ({URL: "https://api.pulumi.com"}, "acme", "api.pulumi.com/acme"),
    "Pulumi Cloud, organization unknown": ({URL: "https://api.pulumi.com"}, None, None),
    "a bucket": ({URL: "s3://states/team?region=eu-west-1"}, None, "s3://states/team?region=eu-west-1"),
    "a database": ({URL: "postgres://u:p@db.example/states"}, None, "postgres://db.example/states"),
    "a database on this machine": ({URL: "postgres://u:p@localhost/states"}, None, None),
    "a folder without Pulumi's state": ({URL: "file:///nowhere"}, None, None),
    "the login": ({"credentials.json": LOGIN}, None, "s3://states"),
    "the project before the login": (
        {"credentials.json": LOGIN, "Pulumi.yaml": "name: a\nbackend: {url: 's3://project'}\n"},
        None,
        "s3://project",
    ),
    "an unreadable project and login": ({"credentials.json": "[", "Pulumi.yaml": "- a"}, None, None),
    "a project that is not UTF-8": ({"credentials.json": LOGIN, "Pulumi.yaml": "name: Zürich"}, None, "s3://states"),
    "none": ({}, None, None),
}


@pytest.mark.parametrize(("files", "organization", "identity"), BACKENDS.values(), ids=BACKENDS)
def test_identity_of_a_backend(
    files: dict[str, str],
    organization: str | None,
    identity: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is the same on every machine, and None if two different backends might have the same one."""
    stack_identity.cache_clear()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PULUMI_HOME", str(tmp_path))
    monkeypatch.delenv(URL, raising=False)
    for name, text in files.items():
        if name == URL:
            monkeypatch.setenv(name, text)
        else:
            (tmp_path / name).write_text(text, encoding="latin-1")
    assert stack_identity(organization) == identity
    stack_identity.cache_clear()


def test_folder_has_one_identity_wherever_it_is_mounted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The identity contains the time when Pulumi first used the folder; another folder at the same path differs."""
    identities = []
    for folder, used_at in (("a", 1000.5), ("b", 1000.5), ("c", 2000.0)):
        meta = tmp_path / folder / ".pulumi" / "meta.yaml"
        meta.parent.mkdir(parents=True)
        meta.write_text("version: 1")
        os.utime(meta, (used_at, used_at))
        monkeypatch.setenv(URL, f"file://{tmp_path / folder}")
        stack_identity.cache_clear()
        identities.append(stack_identity(None))
    stack_identity.cache_clear()
    assert identities[0] == identities[1] is not None
    assert identities[2] != identities[0]
