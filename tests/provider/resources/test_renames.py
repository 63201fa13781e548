"""Resources that are renamed in a program: no key or dashboard in use is lost, and the advice of errors works."""

from __future__ import annotations

import json
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.commands.export.statements import Step
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import UNKNOWN, CliStack, FakeEngineStack, stack_config
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.create import create_request, session
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.lifecycle import ReadResult
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.things.services.api import Services
from support.five import TILES, dynamic_program, native_program
from support.sessions import ProviderProcess, config_for

SERVICE: WireDict = {"name": "Orders", "provider": "aws", "region": "us-east-1"}
KEY: WireDict = {"name": "ci", "roles": ["developer"]}
HOOK: WireDict = {"name": "On call", "service": "generic", "url": "https://events.example.com/a"}
TAKEN = {"service": SERVICE, "webhook": HOOK}
KINDS = {"service": "Service", "key": "ApiKey", "webhook": "Webhook"}


@pytest.fixture
def run(sandbox: Sandbox, tmp_path: Path) -> Iterator[ProviderProcess]:
    """Return a run of the stack."""
    process = ProviderProcess(config_for(sandbox, pollIntervalSeconds=0.1), tmp_path)
    yield process
    process.client.close()


def check(run: ProviderProcess, name: str, /, old: WireDict | None = None, **inputs: Any) -> list[str]:
    """Check a resource of the program, with its old inputs if given; return the reasons of the failures."""
    kind = KINDS[name.rstrip("2")]
    values = {**{"Service": SERVICE, "ApiKey": KEY, "Webhook": HOOK}[kind], **inputs}
    checked = lifecycle.check(run.for_resource(urn(name)), RESOURCES[kind], values, (), old)
    return [failure.reason for failure in checked.failures]


def urn(name: str) -> str:
    """Return the URN of a resource of the program."""
    return f"urn:pulumi:dev::shop::{KINDS[name.rstrip('2')]}::{name}"


def imported_before(run: ProviderProcess, sandbox: Sandbox) -> tuple[str, WireDict]:
    """Return the id and the state of the only service, which an earlier run has imported."""
    (object_id,) = sandbox.services
    return object_id, ProviderProcess(run.config, run.pending.folder.parent).read("Service", object_id, {}).state


def refresh(run: ProviderProcess, object_id: str, state: WireDict) -> ReadResult | None:
    """Read the service in state."""
    return lifecycle.read(run.for_resource(urn("service2")), RESOURCES["Service"], object_id, state, {})[1]


# -- check -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TAKEN)
@pytest.mark.parametrize("order", ["the key first", "the key last"])
def test_preview_rejects_a_taken_name_beside_another_create(
    name: str, order: str, sandbox: Sandbox, run: ProviderProcess
) -> None:
    """The failure comes with the second new resource; it lists all new ones so far, and says whose name is taken."""
    taken = sandbox.add(f"{name}s", **TAKEN[name])["id"]
    names = ["key2", f"{name}2"] if order == "the key first" else [f"{name}2", "key2"]
    assert check(run, names[0]) == []
    (failure,) = check(run, names[1])
    first, hint = failure.split("\n")
    whose = f"{KINDS[name]} {name + '2'!r}"
    beside = "" if order == "the key first" else f"is not created beside {whose}: "
    assert first == (
        f"{beside}{name} {TAKEN[name]['name']!r} exists already, with the id {taken}; a second one of the same name is "
        f"not created. New resources of this run so far: {', '.join(names)}"
    )
    assert hint.removeprefix(f"For {whose}: ").startswith(create_request.RENAMED)
    assert hint.startswith("For ") is bool(beside)
    assert check(run, "key", name="another") == [
        f"is not created beside {whose}, whose name is taken\nSee the error of {whose}."
    ]
    assert "To replace it, do that in a run without other new resources." in hint
    assert sandbox.count("create_key") == 0


def test_taken_name_alone_is_a_warning(sandbox: Sandbox, run: ProviderProcess) -> None:
    """It may be a requested replacement, and nothing else would be created."""
    taken = sandbox.add("services", **SERVICE)["id"]
    assert check(run, "service2") == []
    (warning,) = run.warnings
    first, hint = warning.split("\n")
    assert first == (
        f"Service 'service2': service 'Orders' exists already, with the id {taken}: it is only created if this run "
        "deletes that one first."
    )
    assert hint == create_request.RENAMED


def _replaced(run: ProviderProcess, sandbox: Sandbox) -> list[str]:
    """Ask for a diff, and check again without old inputs, as the engine does."""
    check(run, "service2", old=SERVICE)
    moved = {**SERVICE, "region": "eu-central-1", "allowReplacement": True}
    lifecycle.diff(
        run.for_resource(urn("service2")), RESOURCES["Service"], next(iter(sandbox.services)), SERVICE, moved
    )
    return check(run, "service2", region="eu-central-1", allowReplacement=True)


def _name_becomes_free(run: ProviderProcess, sandbox: Sandbox) -> list[str]:
    """Rename the service of another resource, on which this one depends."""
    other = {**SERVICE, "name": "Others"}
    session_ = run.for_resource(urn("service"))
    lifecycle.diff(session_, RESOURCES["Service"], next(iter(sandbox.services)), SERVICE, other)
    return check(run, "service2")


def _interrupted(run: ProviderProcess, sandbox: Sandbox) -> list[str]:
    """Create the object in an interrupted run."""
    sandbox.remove("services", next(iter(sandbox.services)))
    run.create("Service", SERVICE, urn=urn("service2"))
    again = ProviderProcess(run.config, run.pending.folder.parent)
    assert check(again, "key2") == []
    return check(again, "service2")


def _being_deleted(run: ProviderProcess, sandbox: Sandbox) -> list[str]:
    sandbox.change("services", next(iter(sandbox.services)), state="terminating")
    return check(run, "service2")


def _place_unknown(run: ProviderProcess, sandbox: Sandbox) -> list[str]:
    sandbox.add("webhooks", **HOOK)
    return check(run, "webhook2", serviceId=UNKNOWN)


def _list_refused(run: ProviderProcess, sandbox: Sandbox) -> list[str]:
    sandbox.fault("list_services", "status", status=403)
    return check(run, "service2")


PASSES: dict[str, Callable[[ProviderProcess, Sandbox], list[str]]] = {
    "it is replaced": _replaced,
    "its name becomes free": _name_becomes_free,
    "an interrupted run created it": _interrupted,
    "it has old inputs": lambda run, _: check(run, "service2", old=SERVICE),
    "a second one is allowed": lambda run, _: check(run, "service2", allowDuplicateName=True),
    "whether a second one is allowed is unknown": lambda run, _: check(run, "service2", allowDuplicateName=UNKNOWN),
    "its name is unknown": lambda run, _: check(run, "service2", name=UNKNOWN),
    "its name is free": lambda run, _: check(run, "service2", name="Others"),
    "the other one is being deleted": _being_deleted,
    "the place is unknown": _place_unknown,
    "the server refuses the list": _list_refused,
}


@pytest.mark.parametrize("act", PASSES.values(), ids=PASSES)
def test_check_accepts_a_name_that_may_be_free(
    act: Callable[[ProviderProcess, Sandbox], list[str]], sandbox: Sandbox, run: ProviderProcess
) -> None:
    """Each case has a new key beside it; the create makes the final decision."""
    sandbox.add("services", **SERVICE)
    assert check(run, "key2") == []
    assert act(run, sandbox) == []
    assert run.warnings == []


def test_taken_name_is_rejected_after_a_refresh_without_the_object(sandbox: Sandbox, run: ProviderProcess) -> None:
    """The resource is new again, and somebody else has created a service of its name."""
    sandbox.add("services", **SERVICE)
    object_id, state = imported_before(run, sandbox)
    sandbox.remove("services", object_id)
    taken = sandbox.add("services", **SERVICE)["id"]
    assert refresh(run, object_id, state) is None
    assert check(run, "key2") == []
    (failure,) = check(run, "service2")
    assert failure.startswith(f"service 'Orders' exists already, with the id {taken}; ")


def test_preview_does_not_wait_for_a_slow_list(run: ProviderProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the list does not arrive in time, check accepts the name."""
    answered = threading.Event()
    monkeypatch.setattr(session, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(Services, "records", lambda _: answered.wait() and None)
    try:
        assert [check(run, name) for name in ("key2", "service2")] == [[], []]
    finally:
        answered.set()


@pytest.mark.parametrize("status", [200, 403])
def test_preview_requests_a_list_once(status: int, sandbox: Sandbox, run: ProviderProcess) -> None:
    """One list is used for all services; a failed one is not requested again."""
    if status != 200:
        sandbox.fault("list_services", "status", status=status, times=9)
    assert [check(run, "service"), check(run, "service2", name="Reports")] == [[], []]
    assert sandbox.count("list_services") == 1


def test_create_error_lists_the_new_resources_of_the_run(sandbox: Sandbox, run: ProviderProcess) -> None:
    """The name is taken after the checks; the advice about replacing depends on deletionProtection."""
    assert [check(run, name) for name in ("key2", "service2")] == [[], []]
    sandbox.add("services", **SERVICE)
    run.api.lists.clear()  # a list is used by all creates for some seconds
    with pytest.raises(
        ResourceError, match=r"not created\. New resources of this run so far: key2, service2\n"
    ) as refused:
        run.create("Service", SERVICE, urn=urn("service2"))
    advice = "To replace it, set allowReplacement to true, and Pulumi's option deleteBeforeReplace on the resource."
    assert advice in str(refused.value)
    with pytest.raises(ResourceError, match="replace it, set deletionProtection to false and run `pulumi up` once"):
        run.create("Service", {**SERVICE, "deletionProtection": True}, urn=urn("service2"))


# -- whole runs --------------------------------------------------------------------------------------------------------

RUNNERS = [
    pytest.param(FakeEngineStack, "dynamic", id="fake engine"),
    pytest.param(CliStack, "dynamic", id="cli, dynamic", marks=pytest.mark.cli),
    pytest.param(CliStack, "native", id="cli, native", marks=pytest.mark.cli),
]
ALIASES = """
import pulumi

def aliased(args):
    options = pulumi.ResourceOptions(aliases=[pulumi.Alias(name=args.name.removesuffix("2"))])
    return pulumi.ResourceTransformationResult(args.props, pulumi.ResourceOptions.merge(args.opts, options))

pulumi.runtime.register_stack_transformation(aliased)
"""


def program(front_end: str, ending: str = "", **service: Any) -> str:
    """Return a program of a key, a dashboard and a service, in this order; their names have this ending."""
    steps = [
        Step("key", "ApiKey", KEY, name=f"key{ending}"),
        Step("board", "Dashboard", {"name": "Orders", "tiles": TILES}, name=f"board{ending}"),
        Step("orders", "Service", {**SERVICE, **service}, name=f"orders{ending}"),
    ]
    return dynamic_program(steps) if front_end == "dynamic" else native_program(steps)


def objects(sandbox: Sandbox) -> dict[str, set[str]]:
    """Return the ids of all objects of the program's kinds."""
    return {kind: set(sandbox.objects(kind)) for kind in ("keys", "dashboards", "services")}


@pytest.mark.parametrize(("kind", "front_end"), RUNNERS)
def test_rename_without_aliases_loses_nothing(
    kind: type[CliStack | FakeEngineStack], front_end: str, neutral_sandbox: Sandbox, tmp_path: Path
) -> None:
    """The preview rejects it. Without a preview, `up` fails, and following its advice restores the stack."""
    sandbox = neutral_sandbox
    config = {**stack_config(sandbox), "clouddb:pollIntervalSeconds": "0.1"}
    stack = kind(program(front_end), config=config, work_dir=tmp_path)
    stack.up()
    existing = objects(sandbox)

    stack.set_program(program(front_end, "2"))
    sandbox.forget_requests()
    refused = stack.preview(expect_failure=True)
    (names,) = re.findall("New resources of this run so far: (.*)", "\n".join(refused.errors))
    named = set(names.split(", "))
    assert len(named) >= 2
    assert named <= {"key2", "board2", "orders2"}  # the engine checks resources in the order of their registrations
    assert [each.operation for each in sandbox.requests] == ["list_services"]

    skipped = stack.up(expect_failure=True)
    assert any(create_request.RENAMED in each for each in skipped.errors)
    stack.set_program(program(front_end))
    stack.up()
    assert objects(sandbox) == existing
    stack.set_program(ALIASES + program(front_end, "2"))
    assert stack.preview().no_changes
    stack.up()
    assert objects(sandbox) == existing
    assert {each.name for each in stack.resources} == {"key2", "board2", "orders2", f"{stack.project}-{stack.name}"}


# -- previews of existing objects --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "front_end"), RUNNERS)
def test_preview_only_lists_existing_objects(
    kind: type[CliStack | FakeEngineStack], front_end: str, neutral_sandbox: Sandbox, tmp_path: Path
) -> None:
    """It names the ids to import, and with the setting, `up` creates nothing."""
    sandbox = neutral_sandbox
    taken = sandbox.add("services", **SERVICE)["id"]
    stack = kind(program(front_end), config=stack_config(sandbox), work_dir=tmp_path)
    refused = stack.preview(expect_failure=True)
    assert any("`CLOUDDB_PREVIEW_ONLY=true pulumi preview` lists all" in each for each in refused.errors)

    listed = f"service 'Orders' exists already: import it by the id {taken}, or choose another name."
    if isinstance(stack, CliStack):  # the advised command, with an option that fails if the preview fails
        file = tmp_path / "import.json"
        words = [
            "pulumi",
            "preview",
            "--import-file",
            str(file),
            "--stack",
            stack.name,
            "--cwd",
            str(stack.program.root),
        ]
        settings = ["--config-file", str(tmp_path / "cli" / f"Pulumi.{stack.name}.yaml"), "--non-interactive"]
        done = subprocess.run(
            [*words, *settings],
            env={**stack.environment, "CLOUDDB_PREVIEW_ONLY": "true"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, listed in done.stdout) == (0, True), done.stdout + done.stderr
        resources = {each["name"] for each in json.loads(file.read_text(encoding="utf-8"))["resources"]}
        assert resources >= {"key", "board", "orders"}
    stack.set_config("clouddb:previewOnly", "true")
    assert any(listed in each.message for each in stack.preview().diagnostics)
    stopped = stack.up(expect_failure=True).errors
    assert any("clouddb:previewOnly is set, so nothing is created" in each for each in stopped)
    assert {entry.method for entry in sandbox.requests} == {"GET"}


def test_preview_only_refuses_every_write(sandbox: Sandbox, tmp_path: Path) -> None:
    """This includes updates and deletions."""
    webhook = sandbox.add("webhooks", **HOOK)
    process = ProviderProcess(config_for(sandbox, previewOnly=True), tmp_path)
    own, resource = process.for_resource(urn("webhook")), RESOURCES["Webhook"]
    _, live = lifecycle.read(own, resource, webhook["id"], {}, {})
    assert live is not None
    sandbox.forget_requests()
    for write in (
        lambda: lifecycle.create(own, resource, HOOK),
        lambda: lifecycle.update(own, resource, webhook["id"], live.state, {**live.inputs, "name": "Off call"}),
        lambda: lifecycle.delete(own, resource, webhook["id"], live.state),
    ):
        with pytest.raises(ResourceError, match=r"previewOnly is set[^\n]*\nRemove it from the configuration"):
            write()
    assert sandbox.requests == []
    process.client.close()
