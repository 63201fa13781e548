"""Replacements that a person or a program asks for, of objects of whose name there may be only one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.commands.export.statements import Ref, Step
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import CliStack, FakeEngineStack, stack_config
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.values import UNKNOWN
from support.engines import ENGINES
from support.five import TILES, dynamic_program, native_program
from support.sessions import ProviderProcess, config_for

Kind = type[CliStack | FakeEngineStack]
SERVICE = {"name": "Orders", "provider": "aws", "region": "us-east-1"}
NOT_REPLACED = "service 'Orders' is not replaced, although an option of Pulumi's requires it"
ALLOW = "set {} to true, and Pulumi's option {} on the resource"
UNPROTECT = "set deletion_protection to false and run `pulumi up` once"
HOOK = {"name": "On call", "service": "generic", "url": "https://events.example.com/a"}


def steps(**service: Any) -> list[Step]:
    """Return a program of a service with a dashboard, a webhook and a key."""
    return [
        Step("orders", "Service", {**SERVICE, **service}),
        Step("board", "Dashboard", {"serviceId": Ref("orders.id"), "name": "Orders", "tiles": TILES}),
        Step("hook", "Webhook", HOOK),
        Step("key", "ApiKey", {"name": "ci", "roles": ["developer"]}),
    ]


def stack_of(kind: Kind, sandbox: Sandbox, program: str, folder: Path) -> CliStack | FakeEngineStack:
    """Bring a program up."""
    config = {**stack_config(sandbox), "clouddb:pollIntervalSeconds": "0.1"}
    stack = kind(program, config=config, work_dir=folder)
    stack.up()
    return stack


def one(sandbox: Sandbox, kind: str, name: str) -> str:
    """Return the id of the one object of a name."""
    (found,) = [id_ for id_, each in sandbox.objects(kind).items() if each["name"] == name]
    return found


def of_options(program: str, **options: str) -> str:
    """Give the service of a dynamic program more resource options, as Python expressions."""
    given = ", ".join(f"{name}={expression}" for name, expression in options.items())
    with_options = program.replace('"orders",', f'"orders", opts=pulumi.ResourceOptions({given}),', 1)
    return f"import pulumi\n{with_options}"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENGINES)
def test_a_person_replaces_a_service_and_a_webhook(kind: Kind, sandbox: Sandbox, tmp_path: Path) -> None:
    """In dynamic mode the old webhook goes first. A service needs two options; what belongs to it goes with it."""
    stack = stack_of(kind, sandbox, dynamic_program(steps()), tmp_path)
    before = [one(sandbox, "services", "Orders"), one(sandbox, "webhooks", "On call")]
    refused = stack.up(replace=["orders"], expect_failure=True)
    assert f"To replace it, {ALLOW.format('allow_replacement', 'delete_before_replace')}." in str(refused.errors)
    assert one(sandbox, "services", "Orders") == before[0]
    stack.set_program(of_options(dynamic_program(steps(allowReplacement=True)), delete_before_replace="True"))
    assert stack.preview(replace=["orders"]).ok
    assert stack.up(replace=["orders"]).ops("orders") == ["delete-replaced", "replace", "create-replacement"]
    assert stack.up(replace=["hook"]).ops("hook") == ["delete-replaced", "replace", "create-replacement"]
    after = [one(sandbox, "services", "Orders"), one(sandbox, "webhooks", "On call")]
    assert not set(before) & set(after)
    assert [stack.resource("orders").id, stack.resource("hook").id] == after
    assert stack.preview().no_changes


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENGINES)
def test_the_order_alone_does_not_replace_a_service(kind: Kind, sandbox: Sandbox, tmp_path: Path) -> None:
    """With `delete_before_replace` and `--replace`, Pulumi asks to delete it without a diff."""
    program = of_options(dynamic_program(steps()[:1]), delete_before_replace="True")
    stack = stack_of(kind, sandbox, program, tmp_path)
    before = one(sandbox, "services", "Orders")
    refused = stack.up(replace=["orders"], expect_failure=True)
    assert NOT_REPLACED in str(refused.errors)
    assert (one(sandbox, "services", "Orders"), sandbox.services[before]["state"]) == (before, "running")
    assert stack.preview().no_changes
    assert stack.destroy().ok


def test_a_protected_service_is_refused_before_anything_is_deleted(sandbox: Sandbox, tmp_path: Path) -> None:
    """With its dashboard: the error says what to do, and that leads out."""
    stack = stack_of(FakeEngineStack, sandbox, dynamic_program(steps(deletionProtection=True)), tmp_path)
    service = one(sandbox, "services", "Orders")
    board = one(sandbox, "dashboards", "Orders")
    refused = stack.up(replace=["orders"], expect_failure=True)
    assert f"To replace it, {UNPROTECT}, without replacing it." in str(refused.errors)
    assert (one(sandbox, "services", "Orders"), one(sandbox, "dashboards", "Orders")) == (service, board)
    stack.set_program(dynamic_program(steps(deletionProtection=False)))
    stack.up()
    allowed = dynamic_program(steps(deletionProtection=False, allowReplacement=True))
    stack.set_program(of_options(allowed, delete_before_replace="True"))
    stack.up(replace=["orders"])
    assert one(sandbox, "services", "Orders") != service


@pytest.mark.cli
def test_the_plugin_is_not_asked_which_goes_first(sandbox: Sandbox, tmp_path: Path) -> None:
    """Pulumi's engine takes no default from a plugin; the error names the option, and that leads out."""
    stack = stack_of(CliStack, sandbox, native_program(steps()), tmp_path)
    before = one(sandbox, "services", "Orders")
    refused = stack.up(replace=["orders"], expect_failure=True)
    assert f"To replace it, {ALLOW.format('allowReplacement', 'deleteBeforeReplace')}." in str(refused.errors)
    stack.set_program(native_program(steps(allowReplacement=True), delete_before_replace="True"))
    for name in ("orders", "hook"):
        assert stack.preview(replace=[name]).ok
        stack.up(replace=[name])
    assert one(sandbox, "services", "Orders") != before
    assert stack.preview().no_changes


@pytest.mark.cli
def test_a_trigger_replaces_a_service_that_may_be_replaced(sandbox: Sandbox, tmp_path: Path) -> None:
    """Each run with the trigger wants the replacement, so that it never stores that the protection is off."""

    def program(trigger: str, **service: Any) -> str:
        step = Step("orders", "Service", {**SERVICE, **service})
        return native_program([step], delete_before_replace="True", replacement_trigger=repr(trigger))

    protected, free = {"deletionProtection": True}, {"deletionProtection": False}
    stack = stack_of(CliStack, sandbox, program("a", **protected), tmp_path)
    before = one(sandbox, "services", "Orders")
    for service, advice in (
        (protected, NOT_REPLACED),
        (free, NOT_REPLACED),
        ({**free, "allowReplacement": True}, "run `pulumi up` once without the replacement."),
    ):
        stack.set_program(program("b", **service))
        assert advice in str(stack.preview(expect_failure=True).errors)
        assert advice in str(stack.up(expect_failure=True).errors)
    assert one(sandbox, "services", "Orders") == before
    for trigger in ("a", "b"):
        stack.set_program(program(trigger, **free, allowReplacement=True))
        stack.up()
    assert one(sandbox, "services", "Orders") != before


DATABASES: dict[str, dict[str, Any]] = {
    "Service": SERVICE,
    "PostgresService": {**SERVICE, "size": "c6gd.large", "tags": []},
}
CHANGES: dict[str, dict[str, Any]] = {
    "Service": {"ipAccessList": [{"source": "10.0.0.0/8"}]},
    "PostgresService": {"tags": [{"key": "team", "value": "a"}]},
}


@pytest.mark.parametrize("kind", DATABASES)
@pytest.mark.parametrize(
    ("more", "refused"),
    [
        ({}, "is not replaced, although an option of Pulumi's requires it"),
        ({"name": "Other"}, "is not replaced, although an option of Pulumi's requires it"),
        ({"allowDuplicateName": True}, "is not replaced, although an option of Pulumi's requires it"),
        ({"deletionProtection": True}, "is not replaced, although an option of Pulumi's requires it"),
        ({"allowReplacement": True}, None),
        ({"allowReplacement": True, "name": "Other"}, None),
        ({"allowReplacement": True, "region": "us-east-2"}, None),
    ],
)
def test_the_second_check_of_a_replacement_refuses_a_database(
    kind: str, more: dict[str, Any], refused: str | None, sandbox: Sandbox, tmp_path: Path
) -> None:
    """Pulumi checks with the old inputs, compares, and checks again without them before it replaces anything."""
    resource, inputs = RESOURCES[kind], DATABASES[kind]
    object_id, state = ProviderProcess(config_for(sandbox), tmp_path).create(kind, inputs, urn="urn:a")
    session = ProviderProcess(config_for(sandbox), tmp_path).for_resource("urn:a")
    wanted = {**inputs, **CHANGES[kind], **more}
    checked = lifecycle.check(session, resource, wanted, old=inputs)
    assert not checked.failures
    difference = lifecycle.diff(session, resource, object_id, state, checked.inputs)
    again = lifecycle.check(session, resource, wanted)
    assert bool(again.failures) is bool(refused)
    assert difference.delete_before_replace is (not refused and "name" not in more)
    if refused:
        assert refused in str(again.failures[0])
        with pytest.raises(ResourceError, match=refused):
            lifecycle.delete(session, resource, object_id, state)
        assert object_id in sandbox.objects(resource.collection.plural())


def test_a_database_is_not_deleted_before_one_that_it_depends_on(sandbox: Sandbox, tmp_path: Path) -> None:
    """Before it deletes one to replace it, Pulumi compares what depends on it, with unknown values and no check."""
    resource = RESOURCES["Service"]
    object_id, state = ProviderProcess(config_for(sandbox), tmp_path).create("Service", SERVICE, urn="urn:a")
    session = ProviderProcess(config_for(sandbox), tmp_path).for_resource("urn:a")
    unknown = {**SERVICE, "dataWarehouseId": UNKNOWN, "idleTimeoutMinutes": UNKNOWN}
    assert lifecycle.diff(session, resource, object_id, state, unknown).changed == ()
    allowed = {**unknown, "allowReplacement": True}
    assert lifecycle.diff(session, resource, object_id, state, allowed).replaces == ("dataWarehouseId",)
    lifecycle.check(session, resource, unknown, old=SERVICE)
    assert "idleTimeoutMinutes" in lifecycle.diff(session, resource, object_id, state, unknown).changed


@pytest.mark.parametrize("first", [True, False])
def test_an_override_that_an_option_replaces_keeps_its_values(first: bool, sandbox: Sandbox, tmp_path: Path) -> None:
    """Its diff says to restore first; if it is restored last, as after `--replace`, the new values stay."""
    service = sandbox.add("services", name="existing", provider="aws", region="us-east-1")["id"]
    pipe = sandbox.add_pipe(service, name="clicks")["id"]
    key = sandbox.add_key(name="ci")["key"]["id"]
    for kind, inputs, change in (
        ("PipeScaling", {"serviceId": service, "pipeId": pipe, "replicas": 3}, {"replicas": 4}),
        ("ApiKey", {"keyId": key, "name": "ci 2"}, {"name": "ci 3"}),
        ("OrganizationSettings", {"name": "Shop 2"}, {"name": "Shop 3"}),
    ):
        resource = RESOURCES[kind]
        object_id, state = ProviderProcess(config_for(sandbox), tmp_path).create(kind, inputs, urn=kind)
        process = ProviderProcess(config_for(sandbox), tmp_path)
        session, new = process.for_resource(kind), {**inputs, **change}
        assert lifecycle.diff(session, resource, object_id, state, new).delete_before_replace
        if first:
            lifecycle.delete(session, resource, object_id, state)
        again, state_after = lifecycle.create(session, resource, new)
        if not first:
            lifecycle.delete(session, resource, object_id, state)
            assert (
                "its replacement is the same object. State no longer has its original values: {" in process.warnings[-1]
            )
        assert again == object_id
        assert process.read(kind, object_id, state_after).inputs == new


@pytest.mark.cli
@pytest.mark.parametrize(
    ("changes", "paths"),
    [
        pytest.param({"ipAccessList": [{"source": "10.0.0.0/8"}]}, "ipAccessList[*].source", id="an entry of a list"),
        pytest.param({"numReplicas": 3}, "*", id="anything"),
        pytest.param({"name": "Other"}, "name", id="its name"),
        pytest.param({"numReplicas": 3, "allowDuplicateName": True}, "numReplicas", id="with a second one of its name"),
    ],
)
def test_no_option_replaces_a_service(changes: dict[str, Any], paths: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """With `replace_on_changes`, the program must allow it as for a change that cannot be made in place."""

    def program(**changed: Any) -> str:
        service = {**SERVICE, "numReplicas": 2, "ipAccessList": [{"source": "0.0.0.0/0"}], **changed}
        return native_program([Step("orders", "Service", service)], replace_on_changes=repr([paths]))

    stack = stack_of(CliStack, sandbox, program(), tmp_path)
    before = one(sandbox, "services", "Orders")
    stack.set_program(program(**changes))
    expected = NOT_REPLACED.replace("Orders", changes.get("name", "Orders"))
    assert expected in str(stack.preview(expect_failure=True).errors)
    assert expected in str(stack.up(expect_failure=True).errors)
    assert [*sandbox.services] == [before]
    assert sandbox.services[before]["state"] == "running"
    stack.set_program(program(**changes, allowReplacement=True))
    stack.up()
    assert before not in sandbox.services


@pytest.mark.cli
def test_a_program_replaces_what_changes(sandbox: Sandbox, tmp_path: Path) -> None:
    """With `replace_on_changes`, what keeps its name goes first, as the diff says."""

    def program(description: str) -> str:
        hook = Step("hook", "Webhook", {**HOOK, "description": description})
        return native_program([hook], replace_on_changes='["description"]')

    stack = stack_of(CliStack, sandbox, program("a"), tmp_path)
    before = one(sandbox, "webhooks", "On call")
    stack.set_program(program("b"))
    assert stack.up().ops("hook") == ["delete-replaced", "replace", "create-replacement"]
    assert one(sandbox, "webhooks", "On call") != before
