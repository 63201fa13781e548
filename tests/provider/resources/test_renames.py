"""Resources that get other names in the program: nobody loses a key or a dashboard in use, and the advice leads out."""

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
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.things.services.api import Services
from support.five import TILES, dynamic_program, native_program
from support.sessions import ProviderProcess, config_for

SERVICE: WireDict = {"name": "Orders", "provider": "aws", "region": "us-east-1"}
KEY: WireDict = {"name": "ci", "roles": ["developer"]}
HOOK: WireDict = {"name": "On call", "service": "generic", "url": "https://events.example.com/a"}
HOLDS = {"service": SERVICE, "webhook": HOOK}
KINDS = {"service": "Service", "key": "ApiKey", "webhook": "Webhook"}


@pytest.fixture
def run(sandbox: Sandbox, tmp_path: Path) -> Iterator[ProviderProcess]:
    """A run of the stack."""
    process = ProviderProcess(config_for(sandbox, pollIntervalSeconds=0.1), tmp_path)
    yield process
    process.client.close()


def check(run: ProviderProcess, name: str, /, old: WireDict | None = None, **inputs: Any) -> list[str]:
    """Check a resource of the program, as it was if `old` says so; return what is wrong with it."""
    kind = KINDS[name.rstrip("2")]
    given = {**{"Service": SERVICE, "ApiKey": KEY, "Webhook": HOOK}[kind], **inputs}
    checked = lifecycle.check(run.for_resource(urn(name)), RESOURCES[kind], given, (), old)
    return [failure.reason for failure in checked.failures]


def urn(name: str) -> str:
    """Return the URN of a resource of the program."""
    return f"urn:pulumi:dev::shop::{KINDS[name.rstrip('2')]}::{name}"


# -- what check knows ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HOLDS)
@pytest.mark.parametrize("order", ["the key first", "the key last"])
def test_a_preview_refuses_what_would_be_created_beside_a_name_that_is_taken(
    name: str, order: str, sandbox: Sandbox, run: ProviderProcess
) -> None:
    """It comes with the second new resource, names all of them so far, and says what leads out."""
    taken = sandbox.add(f"{name}s", **HOLDS[name])["id"]
    names = ["key2", f"{name}2"] if order == "the key first" else [f"{name}2", "key2"]
    assert check(run, names[0]) == []
    (refusal,) = check(run, names[1])
    first, hint = refusal.split("\n")
    assert first == (
        f"{name} {HOLDS[name]['name']!r} exists already, with the id {taken}; a second one of the same name is not "
        f"created. New resources of this run so far: {', '.join(names)}"
    )
    assert hint.startswith(create_request.RENAMED)
    assert "To replace it, do that in a run without other new resources." in hint
    assert sandbox.count("create_key") == 0


def test_alone_it_may_be_a_replacement_that_a_person_asks_for(sandbox: Sandbox, run: ProviderProcess) -> None:
    """Nothing else would be created, so a warning is enough."""
    taken = sandbox.add("services", **SERVICE)["id"]
    assert check(run, "service2") == []
    (warning,) = run.warnings
    first, hint = warning.split("\n")
    assert first == (
        f"service 'Orders' exists already, with the id {taken}: it is only created if this run deletes that one first."
    )
    assert hint == create_request.RENAMED


def _replaced(run: ProviderProcess, sandbox: Sandbox) -> list[str]:
    """The engine asks for a diff, and checks again without old inputs."""
    check(run, "service2", old=SERVICE)
    moved = {**SERVICE, "region": "eu-central-1", "allowReplacement": True}
    lifecycle.diff(
        run.for_resource(urn("service2")), RESOURCES["Service"], next(iter(sandbox.services)), SERVICE, moved
    )
    return check(run, "service2", region="eu-central-1", allowReplacement=True)


def _name_goes(run: ProviderProcess, sandbox: Sandbox) -> list[str]:
    """Another resource of the program gives its service another name, on which this one depends."""
    other = {**SERVICE, "name": "Others"}
    held = run.for_resource(urn("service"))
    lifecycle.diff(held, RESOURCES["Service"], next(iter(sandbox.services)), SERVICE, other)
    return check(run, "service2")


def _interrupted(run: ProviderProcess, sandbox: Sandbox) -> list[str]:
    """A run that was interrupted has made it."""
    sandbox.remove("services", next(iter(sandbox.services)))
    run.create("Service", SERVICE, urn=urn("service2"))
    again = ProviderProcess(run.config, run.pending.folder.parent)
    assert check(again, "key2") == []
    return check(again, "service2")


def _going(run: ProviderProcess, sandbox: Sandbox) -> list[str]:
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
    "its name becomes free": _name_goes,
    "an interrupted run has made it": _interrupted,
    "it has old inputs": lambda run, _: check(run, "service2", old=SERVICE),
    "a second one is allowed": lambda run, _: check(run, "service2", allowDuplicateName=True),
    "it is not known whether a second one is": lambda run, _: check(run, "service2", allowDuplicateName=UNKNOWN),
    "its name is not known": lambda run, _: check(run, "service2", name=UNKNOWN),
    "its name is free": lambda run, _: check(run, "service2", name="Others"),
    "the other one is going": _going,
    "the place is not known": _place_unknown,
    "the server refuses the list": _list_refused,
}


@pytest.mark.parametrize("act", PASSES.values(), ids=PASSES)
def test_what_check_lets_through(
    act: Callable[[ProviderProcess, Sandbox], list[str]], sandbox: Sandbox, run: ProviderProcess
) -> None:
    """A new key is beside it each time; the create has the last word."""
    sandbox.add("services", **SERVICE)
    assert check(run, "key2") == []
    assert act(run, sandbox) == []
    assert run.warnings == []


def test_a_preview_waits_for_no_server(run: ProviderProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list that does not come in time says nothing."""
    answered = threading.Event()
    monkeypatch.setattr(session, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(Services, "records", lambda _: answered.wait() and None)
    try:
        assert [check(run, name) for name in ("key2", "service2")] == [[], []]
    finally:
        answered.set()


@pytest.mark.parametrize("status", [200, 403])
def test_a_preview_asks_once(status: int, sandbox: Sandbox, run: ProviderProcess) -> None:
    """A list serves all services; one that fails is not asked for again."""
    if status != 200:
        sandbox.fault("list_services", "status", status=status, times=9)
    assert [check(run, name) for name in ("service", "service2")] == [[], []]
    assert sandbox.count("list_services") == 1


def test_the_create_names_what_the_run_creates_beside_it(sandbox: Sandbox, run: ProviderProcess) -> None:
    """Somebody takes the name after the checks; a protected service is not to be replaced as it is."""
    assert [check(run, name) for name in ("key2", "service2")] == [[], []]
    sandbox.add("services", **SERVICE)
    run.api.lists.clear()  # a list serves all creates of some seconds
    with pytest.raises(
        ResourceError, match=r"not created\. New resources of this run so far: key2, service2\n"
    ) as refused:
        run.create("Service", SERVICE, urn=urn("service2"))
    way_on = "To replace it, set allowReplacement to true, and Pulumi's option deleteBeforeReplace on the resource."
    assert way_on in str(refused.value)
    with pytest.raises(ResourceError, match="replace it, set deletionProtection to false and run `pulumi up` once"):
        run.create("Service", {**SERVICE, "deletionProtection": True}, urn=urn("service2"))


# -- whole runs ----------------------------------------------------------------------------------------------------

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
    """Return a program of a key, a dashboard and a service, in this order; their names in the program end so."""
    steps = [
        Step("key", "ApiKey", KEY, name=f"key{ending}"),
        Step("board", "Dashboard", {"name": "Orders", "tiles": TILES}, name=f"board{ending}"),
        Step("orders", "Service", {**SERVICE, **service}, name=f"orders{ending}"),
    ]
    return dynamic_program(steps) if front_end == "dynamic" else native_program(steps)


def objects(sandbox: Sandbox) -> dict[str, set[str]]:
    """Return the ids of all objects that the program may make."""
    return {kind: set(sandbox.objects(kind)) for kind in ("keys", "dashboards", "services")}


@pytest.mark.parametrize(("kind", "front_end"), RUNNERS)
def test_nothing_in_use_is_lost_by_a_rename_without_aliases(
    kind: type[CliStack | FakeEngineStack], front_end: str, clouddb_sandbox: Sandbox, tmp_path: Path
) -> None:
    """The preview refuses it. Where that is skipped, the advice of the refusal is carried out as it says."""
    sandbox = clouddb_sandbox
    config = {**stack_config(sandbox), "clouddb:pollIntervalSeconds": "0.1"}
    stack = kind(program(front_end), config=config, work_dir=tmp_path)
    stack.up()
    used = objects(sandbox)

    stack.set_program(program(front_end, "2"))
    sandbox.forget_requests()
    refused = stack.preview(expect_failure=True)
    (told,) = re.findall("New resources of this run so far: (.*)", "\n".join(refused.errors))
    named = set(told.split(", "))
    assert len(named) >= 2
    assert named <= {"key2", "board2", "orders2"}  # the engine checks in the order in which registrations arrive
    assert [each.operation for each in sandbox.requests] == ["list_services"]

    skipped = stack.up(expect_failure=True)
    assert any(create_request.RENAMED in each for each in skipped.errors)
    stack.set_program(program(front_end))
    stack.up()
    assert objects(sandbox) == used
    stack.set_program(ALIASES + program(front_end, "2"))
    assert stack.preview().no_changes
    stack.up()
    assert objects(sandbox) == used
    assert {each.name for each in stack.resources} == {"key2", "board2", "orders2", f"{stack.project}-{stack.name}"}


# -- previews that look for what exists already ----------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "front_end"), RUNNERS)
def test_a_preview_only_lists_what_is_taken_and_nothing_is_created(
    kind: type[CliStack | FakeEngineStack], front_end: str, clouddb_sandbox: Sandbox, tmp_path: Path
) -> None:
    """So that what exists is imported at once: the preview names the ids, and no update starts by mistake."""
    sandbox = clouddb_sandbox
    taken = sandbox.add("services", **SERVICE)["id"]
    stack = kind(program(front_end), config=stack_config(sandbox), work_dir=tmp_path)
    refused = stack.preview(expect_failure=True)
    assert any("`CLOUDDB_PREVIEW_ONLY=true pulumi preview` lists all" in each for each in refused.errors)

    listed = f"service 'Orders' exists already: import it by the id {taken}, or choose another name."
    if isinstance(stack, CliStack):  # by the advised command, with the option that fails if the preview fails
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
        found = {each["name"] for each in json.loads(file.read_text(encoding="utf-8"))["resources"]}
        assert found >= {"key", "board", "orders"}
    stack.set_config("clouddb:previewOnly", "true")
    assert any(listed in each.message for each in stack.preview().diagnostics)
    stopped = stack.up(expect_failure=True).errors
    assert any("clouddb:previewOnly is set, so nothing is created" in each for each in stopped)
    assert {entry.method for entry in sandbox.requests} == {"GET"}


def test_previews_only_refuse_every_write(sandbox: Sandbox, tmp_path: Path) -> None:
    """Also of what is in state already."""
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
