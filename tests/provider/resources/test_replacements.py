"""Requested replacements of objects whose names must be unique."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.commands.export.statements import Ref, Step
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import CliStack, FakeEngineStack, stack_config
from pulumi_clouddb.client.errors import ResourceError, UnauthorizedError
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
    """Return a stack after `up`."""
    config = {**stack_config(sandbox), "clouddb:pollIntervalSeconds": "0.1"}
    stack = kind(program, config=config, work_dir=folder)
    stack.up()
    return stack


def one(sandbox: Sandbox, kind: str, name: str) -> str:
    """Return the id of the only object with this name."""
    (id_,) = [id_ for id_, each in sandbox.objects(kind).items() if each["name"] == name]
    return id_


def with_options(program: str, **options: str) -> str:
    """Add resource options, as Python expressions, to the service of a dynamic program."""
    arguments = ", ".join(f"{name}={expression}" for name, expression in options.items())
    changed = program.replace('"orders",', f'"orders", opts=pulumi.ResourceOptions({arguments}),', 1)
    return f"import pulumi\n{changed}"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENGINES)
def test_service_and_webhook_are_replaced_on_request(kind: Kind, sandbox: Sandbox, tmp_path: Path) -> None:
    """In dynamic mode the old webhook is deleted first. A service needs two options; its objects are replaced, too."""
    stack = stack_of(kind, sandbox, dynamic_program(steps()), tmp_path)
    before = [one(sandbox, "services", "Orders"), one(sandbox, "webhooks", "On call")]
    refused = stack.up(replace=["orders"], expect_failure=True)
    assert f"To replace it, {ALLOW.format('allow_replacement', 'delete_before_replace')}." in str(refused.errors)
    assert one(sandbox, "services", "Orders") == before[0]
    stack.set_program(with_options(dynamic_program(steps(allowReplacement=True)), delete_before_replace="True"))
    assert stack.preview(replace=["orders"]).ok
    assert stack.up(replace=["orders"]).ops("orders") == ["delete-replaced", "replace", "create-replacement"]
    assert stack.up(replace=["hook"]).ops("hook") == ["delete-replaced", "replace", "create-replacement"]
    after = [one(sandbox, "services", "Orders"), one(sandbox, "webhooks", "On call")]
    assert not set(before) & set(after)
    assert [stack.resource("orders").id, stack.resource("hook").id] == after
    assert stack.preview().no_changes


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENGINES)
def test_delete_before_replace_alone_does_not_replace_a_service(kind: Kind, sandbox: Sandbox, tmp_path: Path) -> None:
    """With `delete_before_replace` and `--replace`, Pulumi deletes without a diff.

    The real CLI checks the new service first, which is refused; without that, the delete is.
    """
    program = with_options(dynamic_program(steps()[:1]), delete_before_replace="True")
    stack = stack_of(kind, sandbox, program, tmp_path)
    before = one(sandbox, "services", "Orders")
    refused = stack.up(replace=["orders"], expect_failure=True)
    assert NOT_REPLACED in str(refused.errors) or "it would replace service 'Orders'" in str(refused.errors)
    assert (one(sandbox, "services", "Orders"), sandbox.services[before]["state"]) == (before, "running")
    assert stack.preview().no_changes
    assert stack.destroy().ok


def test_replacement_of_a_protected_service_is_refused_first(sandbox: Sandbox, tmp_path: Path) -> None:
    """Its dashboard is not deleted either; following the advice of the error replaces it."""
    stack = stack_of(FakeEngineStack, sandbox, dynamic_program(steps(deletionProtection=True)), tmp_path)
    service = one(sandbox, "services", "Orders")
    board = one(sandbox, "dashboards", "Orders")
    refused = stack.up(replace=["orders"], expect_failure=True)
    assert f"To replace it, {UNPROTECT}, without replacing it." in str(refused.errors)
    assert (one(sandbox, "services", "Orders"), one(sandbox, "dashboards", "Orders")) == (service, board)
    stack.set_program(dynamic_program(steps(deletionProtection=False)))
    stack.up()
    allowed = dynamic_program(steps(deletionProtection=False, allowReplacement=True))
    stack.set_program(with_options(allowed, delete_before_replace="True"))
    stack.up(replace=["orders"])
    assert one(sandbox, "services", "Orders") != service


@pytest.mark.cli
def test_plugin_cannot_choose_to_delete_first(sandbox: Sandbox, tmp_path: Path) -> None:
    """Pulumi's engine does not ask a plugin; the error names the option, and setting it works."""
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
def test_trigger_replaces_only_an_unprotected_service(sandbox: Sandbox, tmp_path: Path) -> None:
    """A failed run with the trigger does not store the options in state, so the next one fails, too."""

    def program(trigger: str, **service: Any) -> str:
        step = Step("orders", "Service", {**SERVICE, **service})
        return native_program([step], delete_before_replace="True", replacement_trigger=repr(trigger))

    protected, unprotected = {"deletionProtection": True}, {"deletionProtection": False}
    stack = stack_of(CliStack, sandbox, program("a", **protected), tmp_path)
    before = one(sandbox, "services", "Orders")
    for service, advice in (
        (protected, NOT_REPLACED),
        (unprotected, NOT_REPLACED),
        ({**unprotected, "allowReplacement": True}, "run `pulumi up` once without the replacement."),
    ):
        stack.set_program(program("b", **service))
        assert advice in str(stack.preview(expect_failure=True).errors)
        assert advice in str(stack.up(expect_failure=True).errors)
    assert one(sandbox, "services", "Orders") == before
    for trigger in ("a", "b"):
        stack.set_program(program(trigger, **unprotected, allowReplacement=True))
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
def test_second_check_of_a_replacement_rejects_a_database(
    kind: str, more: dict[str, Any], refused: str | None, sandbox: Sandbox, tmp_path: Path
) -> None:
    """Pulumi checks with the old inputs, diffs, and checks again without them before it replaces anything."""
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


class ByHand:
    """A database E1 in state, and another run that checks and creates E2 under its URN, as after `--replace`.

    The engine makes no other call then (`isTargetedReplace` in pkg/resource/deploy/step_generator.go).
    """

    URN = "urn:pulumi:dev::shop::clouddb:index:Service::orders"

    def __init__(self, kind: str, sandbox: Sandbox, folder: Path) -> None:
        self.kind, self.sandbox, self.folder = kind, sandbox, folder
        self.resource = RESOURCES[kind]
        first = self.process()
        self.id, self.state = first.create(kind, {**DATABASES[kind], "name": "E1"}, urn=self.URN)
        first.pending.run_ended()

    def process(self, folder: str = "here", **config: Any) -> ProviderProcess:
        """Return the provider process of another run, on the machine with this folder."""
        quick = {"retryTimeoutSeconds": 1, "pollIntervalSeconds": 0.05}
        return ProviderProcess(config_for(self.sandbox, **quick, **config), self.folder / folder)

    def replace(self, process: ProviderProcess, urn: str = URN, **more: Any) -> list[str]:
        """Return why the check refuses E2, and then the create; none if both accept it."""
        session, wanted = process.for_resource(urn), {**DATABASES[self.kind], "name": "E2", **more}
        refusals = [str(each) for each in lifecycle.check(session, self.resource, wanted).failures]
        try:
            lifecycle.create(process.for_resource(urn), self.resource, wanted)
        except ResourceError as error:
            refusals.append(str(error))
        return refusals

    def names(self) -> list[str]:
        """Return the names of the databases on the server."""
        return [str(each["name"]) for each in self.sandbox.objects(self.resource.collection.plural()).values()]


def seen_here(case: ByHand) -> ProviderProcess:
    """Return the next run on the machine that created E1."""
    return case.process()


def imported_here(case: ByHand) -> ProviderProcess:
    """Return the next run on a machine that has only compared E1 with a program."""
    wanted = {**DATABASES[case.kind], "name": "E1"}
    other = case.process("other").for_resource(case.URN)
    lifecycle.diff(other, case.resource, case.id, case.state, wanted)
    return case.process("other")


def refreshed(case: ByHand) -> ProviderProcess:
    """Return a run on a new machine that refreshes first."""
    process = case.process("new")
    lifecycle.read(process.for_resource(case.URN), case.resource, case.id, case.state, {})
    return process


def marked(case: ByHand) -> ProviderProcess:
    """Return a run on a new machine, a week later; it finds the tag of E1 in the vendor's dialect."""
    case.sandbox.advance(7 * 86_400)
    return case.process("new")


def not_deleted_here(case: ByHand) -> ProviderProcess:
    """Return the next run on a machine whose deletion of E1 the server has refused."""
    case.sandbox.fault(case.resource.collection.DELETE.managed.name, "status", status=403)
    with pytest.raises(UnauthorizedError):
        lifecycle.delete(case.process().for_resource(case.URN), case.resource, case.id, case.state)
    return case.process()


ALWAYS = (seen_here, imported_here, refreshed)
BY_HAND = [
    pytest.param(kind, dialect, run, id=f"{kind}-{dialect}-{run.__name__}")
    for kind, dialect, runs in (
        ("Service", "neutral", (*ALWAYS, not_deleted_here)),
        ("Service", "clickhouse", ALWAYS),  # of its tag: create/test_other_machines.py
        ("PostgresService", "clickhouse", (*ALWAYS, marked)),
    )
    for run in runs
]


@pytest.mark.parametrize(("kind", "dialect", "run"), BY_HAND)
def test_replacement_by_hand_makes_no_second_database(
    kind: str, dialect: str, run: Callable[[ByHand], ProviderProcess], tmp_path: Path
) -> None:
    """Neither another name nor a name that may repeat is leave; `allowReplacement` is."""
    with Sandbox(vocabulary=dialect) as sandbox:
        case = ByHand(kind, sandbox, tmp_path)
        for more in ({}, {"allowDuplicateName": True}, {"name": "E1", "allowDuplicateName": True}):
            process = run(case)
            refusals = case.replace(process, **more)
            assert len(refusals) == 2, more
            assert all(f"'E1' ({case.id})" in each and "pulumi state untaint" in each for each in refusals)
            assert case.names() == ["E1"]
        assert case.replace(run(case), allowReplacement=True) == []
        assert case.names() == ["E1", "E2"]


@pytest.mark.parametrize(
    ("kind", "dialect"), [("Service", "neutral"), ("Service", "clickhouse"), ("PostgresService", "clickhouse")]
)
@pytest.mark.parametrize("order", ["create first", "delete first"])
def test_replacement_by_hand_of_the_same_name_is_announced(kind: str, dialect: str, order: str, tmp_path: Path) -> None:
    """A preview shows that the name is taken, also on the day on which a create on another machine would adopt it."""
    with Sandbox(vocabulary=dialect) as sandbox:
        case = ByHand(kind, sandbox, tmp_path)
        process = case.process()
        same: dict[str, Any] = {"name": "E1", "allowReplacement": True}
        if order == "delete first":
            assert (
                lifecycle.check(process.for_resource(case.URN), case.resource, {**DATABASES[kind], **same}).failures
                == []
            )
            lifecycle.delete(process.for_resource(case.URN), case.resource, case.id, case.state)
        refusals = case.replace(process, **same)
        assert any(
            f"'E1' exists already, with the id {case.id}: it is only created if" in each for each in process.warnings
        )
        assert [f"'E1' exists already, with the id {case.id}; a second one" in each for each in refusals] == (
            [True] if order == "create first" else []
        )
        assert case.names() == ["E1"]


@pytest.mark.parametrize("then", ["allowed", "allowed again", "by hand, in an earlier version"])
def test_leftover_of_a_replacement(then: str, neutral_sandbox: Sandbox, tmp_path: Path) -> None:
    """The engine deletes what a replacement has left by its own id, under the URN of what the program keeps.

    State has the inputs of the new database, which tell whether its program allowed to replace the old one.
    """
    case = ByHand("Service", neutral_sandbox, tmp_path)
    wanted = {**SERVICE, "name": "E2"}
    leave = {} if then == "by hand, in an earlier version" else {"allowReplacement": True}
    new_id, new_state = case.process("older").create("Service", {**wanted, **leave}, urn=case.URN)
    if then == "allowed again":
        session = case.process().for_resource(case.URN)
        new_state = lifecycle.update(session, case.resource, new_id, new_state, wanted)
    process = case.process()
    session, now = process.for_resource(case.URN), wanted if then != "allowed again" else {**wanted, **leave}
    assert not lifecycle.check(session, case.resource, now, old=wanted).failures
    lifecycle.diff(session, case.resource, new_id, new_state, now)
    if leave:
        lifecycle.delete(session, case.resource, case.id, case.state)
        assert case.names() == ["E2"]
        assert process.warnings[-1] == (
            f"Service 'orders': Service {case.id} is deleted: a replacement has left it, and {new_id} stays."
        )
        return
    with pytest.raises(ResourceError) as refused:
        lifecycle.delete(session, case.resource, case.id, case.state)
    assert f"service 'E1' ({case.id}) is not deleted" in str(refused.value)
    assert f"a newer one, service 'E2' ({new_id})" in str(refused.value)
    assert case.names() == ["E1", "E2"]


def test_protected_leftover_goes_as_the_error_says(neutral_sandbox: Sandbox, tmp_path: Path) -> None:
    """State has the protection of the old database, which no update reaches; only the new program can end it.

    Leave alone is for the new database: a program may have it beside the protection, or have had it before an import.
    """
    case = ByHand("Service", neutral_sandbox, tmp_path)
    protected, wanted = {**case.state, "deletionProtection": True}, {**SERVICE, "name": "E2"}
    protected["__managed"] = sorted({*case.state["__managed"], "deletionProtection"})
    new_id, new_state = case.process("older").create("Service", wanted, urn=case.URN)
    for more, names in (
        ({"deletionProtection": False}, ["E1", "E2"]),
        ({"allowReplacement": True}, ["E1", "E2"]),
        ({"allowReplacement": True, "deletionProtection": True}, ["E1", "E2"]),
        ({"allowReplacement": True, "deletionProtection": False}, ["E2"]),
    ):
        session, now = case.process().for_resource(case.URN), {**wanted, **more}
        assert not lifecycle.check(session, case.resource, now, old=wanted).failures
        lifecycle.diff(session, case.resource, new_id, new_state, now)
        if names == ["E2"]:
            lifecycle.delete(session, case.resource, case.id, protected)
        else:
            with pytest.raises(ResourceError, match="set allowReplacement to true, and deletionProtection to false"):
                lifecycle.delete(session, case.resource, case.id, protected)
        assert case.names() == names


def test_database_that_is_gone_is_replaced_without_leave(sandbox: Sandbox, tmp_path: Path) -> None:
    """A run with leave has deleted it and was interrupted; the engine replaces it whatever the program says by now."""
    case = ByHand("Service", sandbox, tmp_path)
    wanted = {**SERVICE, "name": "E1"}
    for gone in (False, True):
        session = case.process().for_resource(case.URN)
        if gone:
            lifecycle.delete(case.process().for_resource("urn:other"), case.resource, case.id, case.state)
        lifecycle.check(session, case.resource, wanted, old=wanted)
        lifecycle.diff(session, case.resource, case.id, case.state, wanted)
        assert bool(lifecycle.check(session, case.resource, wanted).failures) is not gone


@pytest.mark.parametrize("change", ["renamed in the program", "deleted", "another resource"])
def test_new_database_is_no_replacement(change: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """The resource of E1 has another URN by now, or E1 no longer exists."""
    case = ByHand("Service", sandbox, tmp_path)
    other = f"{case.URN}-2"
    if change == "renamed in the program":
        renamed = case.process().for_resource(other)
        lifecycle.diff(renamed, case.resource, case.id, case.state, {**SERVICE, "name": "E1"}, stored_urn=case.URN)
    elif change == "deleted":
        lifecycle.delete(case.process().for_resource(case.URN), case.resource, case.id, case.state)
    assert case.replace(case.process(), other if change == "another resource" else case.URN) == []


def test_diff_with_unknown_values_does_not_replace_a_database(sandbox: Sandbox, tmp_path: Path) -> None:
    """Before Pulumi deletes a resource to replace it, it diffs its dependents with unknown values and no check."""
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
def test_replaced_override_keeps_its_values(first: bool, sandbox: Sandbox, tmp_path: Path) -> None:
    """Its diff asks to delete first; if it is deleted last, as after `--replace`, the new values are kept."""
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
        pytest.param({"numReplicas": 3, "allowDuplicateName": True}, "numReplicas", id="with allowDuplicateName"),
    ],
)
def test_replace_on_changes_does_not_replace_a_service(
    changes: dict[str, Any], paths: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    """The program must allow it, as for a change that cannot be made in place."""

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
def test_replace_on_changes_deletes_a_unique_name_first(sandbox: Sandbox, tmp_path: Path) -> None:
    """The diff asks for it, because the new webhook has the same name."""

    def program(description: str) -> str:
        hook = Step("hook", "Webhook", {**HOOK, "description": description})
        return native_program([hook], replace_on_changes='["description"]')

    stack = stack_of(CliStack, sandbox, program("a"), tmp_path)
    before = one(sandbox, "webhooks", "On call")
    stack.set_program(program("b"))
    assert stack.up().ops("hook") == ["delete-replaced", "replace", "create-replacement"]
    assert one(sandbox, "webhooks", "On call") != before


FRONT_ENDS = {"dynamic": dynamic_program, "native": native_program}


def orders(mode: str, **inputs: Any) -> str:
    """Return a program with one service."""
    return FRONT_ENDS[mode]([Step("orders", "Service", {**SERVICE, **inputs})])


@pytest.mark.cli
@pytest.mark.parametrize("how", ["taint", "replace"])
@pytest.mark.parametrize("mode", FRONT_ENDS)
def test_renamed_service_is_not_replaced_by_hand(mode: str, how: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """A preview refuses it, too; without the option, or untainted as the error says, the service gets the new name."""
    stack = stack_of(CliStack, sandbox, orders(mode), tmp_path)
    before = one(sandbox, "services", "Orders")
    replace = ["orders"] if how == "replace" else []
    assert isinstance(stack, CliStack)
    if how == "taint":
        assert stack.command("state", "taint", stack.resource("orders").urn, "--yes").returncode == 0
    stack.set_program(orders(mode, name="Other"))
    for refused in (
        stack.preview(replace=replace, expect_failure=True),
        stack.up(replace=replace, expect_failure=True),
    ):
        assert f"it would replace service 'Orders' ({before})" in str(refused.errors)
    assert [*sandbox.services] == [before]
    if how == "taint":
        (urn,) = set(re.findall("pulumi state untaint '(.+?)'", str(refused.errors)))
        assert stack.command("state", "untaint", urn, "--yes").returncode == 0
    stack.up()
    assert one(sandbox, "services", "Other") == before
    stack.set_program(orders(mode, name="Third", allowReplacement=True))
    stack.up(replace=["orders"])
    assert one(sandbox, "services", "Third") != before
    assert len(sandbox.services) == 1


@pytest.mark.cli
@pytest.mark.parametrize("mode", FRONT_ENDS)
def test_leftover_goes_after_the_option_is_gone(mode: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """The deletion of the replaced service fails once; the next run deletes it, and no other one."""
    stack = stack_of(CliStack, sandbox, orders(mode), tmp_path)
    stack.set_program(orders(mode, name="Other", region="eu-west-1", allowReplacement=True))
    sandbox.fault("delete_service", "status", status=400, times=1)
    assert not stack.up(expect_failure=True).ok
    assert len(sandbox.services) == 2
    stack.set_program(orders(mode, name="Other", region="eu-west-1"))
    assert "a replacement has left it" in str(stack.up().diagnostics)
    assert [each["name"] for each in sandbox.services.values()] == ["Other"]
    assert stack.preview().no_changes


def edited(stack: CliStack, file: Path, edit: Callable[[list[dict[str, Any]]], None]) -> None:
    """Export the state of a stack, edit its resources, and import it."""
    assert stack.command("stack", "export", "--file", str(file)).returncode == 0
    state = json.loads(file.read_text())
    edit(state["deployment"]["resources"])
    file.write_text(json.dumps(state))
    assert stack.command("stack", "import", "--file", str(file)).returncode == 0


@pytest.mark.cli
@pytest.mark.parametrize("mode", FRONT_ENDS)
def test_older_service_is_kept_as_the_error_says(mode: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """Earlier versions made a second service by hand without leave: state has both, and the older one has the data."""
    stack = stack_of(CliStack, sandbox, orders(mode), tmp_path)
    assert isinstance(stack, CliStack)
    older = one(sandbox, "services", "Orders")
    stack.set_program(orders(mode, name="Other", allowReplacement=True))
    sandbox.fault("delete_service", "status", status=400, times=1)
    stack.up(replace=["orders"], expect_failure=True)
    newer = one(sandbox, "services", "Other")

    def without_leave(resources: list[dict[str, Any]]) -> None:
        for values in (each[part] for each in resources for part in ("inputs", "outputs") if each.get("id") == newer):
            del values["allowReplacement"]

    edited(stack, tmp_path / "earlier.json", without_leave)
    stack.set_program(orders(mode, name="Other"))
    refused = "\n".join(stack.up(expect_failure=True).errors)
    assert f"service 'Orders' ({older}) is not deleted" in refused
    assert f"service 'Other' ({newer})" in refused

    def as_told(resources: list[dict[str, Any]]) -> None:
        resources[:] = [each for each in resources if each.get("id") != newer]
        (kept,) = [each for each in resources if each.get("id") == older]
        del kept["delete"]

    edited(stack, tmp_path / "state.json", as_told)
    sandbox.remove("services", newer)
    stack.set_program(orders(mode))
    assert stack.up().ops("orders") in ([], ["same"])
    assert [*sandbox.services] == [older]
