"""The native plugin with the real CLI: programs of five resources, import, and moving from and to dynamic mode.

The programs register resources like Pulumi's generated SDK, so that none has to be generated.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from pulumi.dynamic.dynamic import PROVIDER_KEY
from typer.testing import CliRunner

from clouddb_tools.commands.export.statements import Step
from clouddb_tools.commands.main import app
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import CliStack, ResourceState, Result, stack_config
from support.five import KINDS, SIZES, create_unmanaged, dynamic_program, five, native_program, setting

pytestmark = pytest.mark.cli

SMALL, LARGE = SIZES
DISK_KEY = "my-own-disk-key"
UPDATED = {
    "service": ("maxReplicaMemoryGb",),
    "pipescaling": ("replicas",),
    "apikey": ("name",),
    "dashboard": ("name",),
    "alert": ("threshold",),
}
"""The properties that change when the program changes its size, by resource."""


def stack_of(sandbox: Sandbox, program: str, folder: Path, **config: str) -> CliStack:
    """Return a stack for a sandbox."""
    settings = {**stack_config(sandbox), "clouddb:pollIntervalSeconds": "0.1", **config}
    return CliStack(program, config=settings, work_dir=folder)


def changed(result: Result) -> dict[str, tuple[str, ...]]:
    """Return the properties that a run updates, by resource; it may contain no other steps."""
    steps = [step for step in result.steps if step.op != "same"]
    assert {step.op for step in steps} <= {"update"}, steps
    return {step.name: step.changed for step in steps}


def assert_nothing_to_do(stack: CliStack, sandbox: Sandbox, operation: str = "preview") -> None:
    """Assert that a run changes nothing and sends no request."""
    sandbox.forget_requests()
    result = getattr(stack, operation)()
    assert result.no_changes, result.steps
    assert sandbox.requests == []


def by_name(stack: CliStack) -> dict[str, ResourceState]:
    """Return the resources in state except the stack; each call runs a command."""
    return {each.name: each for each in stack.resources if each.type != "pulumi:pulumi:Stack"}


def sizes(sandbox: Sandbox, resources: Mapping[str, ResourceState]) -> set[int]:
    """Return the sizes of all objects on the server."""
    objects = {
        kind: sandbox.objects(plural)[resources[kind.lower()].id.rpartition("/")[2]] for kind, plural in KINDS.items()
    }
    return {
        objects["Service"]["maxReplicaMemoryGb"],
        objects["PipeScaling"]["scaling"]["replicas"] * 16,
        int(objects["ApiKey"]["name"].split()[1]),
        int(objects["Dashboard"]["name"].split()[1]),
        int(objects["Alert"]["threshold"]),
    }


def front_ends(stack: CliStack) -> set[str]:
    """Return the packages of the resources in state."""
    return {each.type.partition(":")[0] for each in by_name(stack).values()}


def test_dynamic_mode_needs_no_plugin(neutral_sandbox: Sandbox, tmp_path: Path) -> None:
    """Pulumi expects a plugin for every Python package named pulumi-…, unless the package declares that it has none.

    Otherwise it would search for the plugin in each run, and warn about one on PATH.
    """
    stack = stack_of(neutral_sandbox, "import pulumi_clouddb as c\nc.Dashboard('b', name='B', tiles=[])\n", tmp_path)
    for result in (stack.preview(), stack.up(), stack.destroy()):
        assert result.ok
        assert result.diagnostics == []


@pytest.mark.parametrize(
    "folder", [Path(sys.executable).parent, Path(__file__).parents[3] / "provider"], ids=["environment", "checkout"]
)
def test_plugin_in_the_project_file_causes_no_warning(neutral_sandbox: Sandbox, tmp_path: Path, folder: Path) -> None:
    """The project names the folder of the script, which may be on PATH as well."""
    program = native_program([Step("board", "Dashboard", {"name": "B", "tiles": []})])
    stack = stack_of(neutral_sandbox, program, tmp_path)
    project = stack.program.root / "Pulumi.yaml"
    plugins = f"plugins:\n  providers:\n    - name: clouddb\n      path: {os.path.relpath(folder, project.parent)}\n"
    project.write_text(f"{project.read_text(encoding='utf-8')}\n{plugins}", encoding="utf-8")
    result = stack.up()
    assert (result.ok, result.diagnostics) == (True, [])


ROLE = Step("reader", "Role", {"name": "Reader", "policies": []})


@pytest.mark.parametrize("program", [dynamic_program, native_program], ids=["dynamic", "native"])
def test_refresh_and_destroy_use_the_key_of_the_last_up(
    program: Callable[[list[Step]], str], sandbox: Sandbox, tmp_path: Path
) -> None:
    """After a wrong key was corrected, they are refused until an `up`, as the second line of the error says."""
    stack = stack_of(sandbox, program([ROLE]), tmp_path)
    stack.up()
    right = stack.config["clouddb:keySecret"]
    stack.config["clouddb:keySecret"] = "a-wrong-secret"
    assert stack.up().ok
    stack.config["clouddb:keySecret"] = right
    for run in (stack.refresh, stack.destroy):
        refused = run(expect_failure=True)
        assert any("401" in each.message and "run `pulumi up` first" in each.message for each in refused.diagnostics)
    assert stack.up().ok
    assert stack.refresh().ok


def test_moving_from_dynamic_mode(neutral_sandbox: Sandbox, tmp_path: Path) -> None:
    """All five resources move without a change or a request, and the old state can be restored.

    The plugin then updates them, finds and repairs drift, and deletes them.
    """
    sandbox = neutral_sandbox
    names = setting(sandbox)
    stack = stack_of(sandbox, dynamic_program(five(names)), tmp_path)
    stack.up()
    before = tmp_path / "before.json"
    stack.command("stack", "export", "--file", str(before))

    stack.set_program(native_program(five(names)))
    assert_nothing_to_do(stack, sandbox)
    assert_nothing_to_do(stack, sandbox, "up")
    assert front_ends(stack) == {"clouddb"}
    assert stack.command("stack", "import", "--file", str(before)).returncode == 0
    made = by_name(stack)
    assert all(PROVIDER_KEY in each.outputs for each in made.values())
    stack.set_program(dynamic_program(five(names)))
    assert_nothing_to_do(stack, sandbox)

    stack.set_program(native_program(five(names, LARGE)))
    assert changed(stack.preview()) == UPDATED  # the dashboard's tiles keep their ids, so the alert keeps its tile
    assert changed(stack.up()) == UPDATED
    assert sizes(sandbox, made) == {LARGE}

    sandbox.change("services", made["service"].id, maxReplicaMemoryGb=64)
    sandbox.change("alerts", made["alert"].id, threshold=1)
    assert changed(stack.refresh()).keys() == {"service", "alert"}
    assert changed(stack.up()) == {name: UPDATED[name] for name in ("service", "alert")}
    assert sizes(sandbox, made) == {LARGE}
    stack.destroy()
    assert (list(sandbox.services), sandbox.dashboards, sandbox.alerts) == ([names["serviceId"]], {}, {})
    assert len(sandbox.keys) == 1


def test_moving_back_to_dynamic_mode(neutral_sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The classes take over the plugin's resources without a request, and `clouddb import-file` restores lost state.

    The first run in dynamic mode updates each resource without a change, to store the provider's class. The program
    that `clouddb import-file` prints previews without changes, and can destroy the resources.
    """
    sandbox = neutral_sandbox
    names = setting(sandbox)
    stack = stack_of(sandbox, native_program(five(names)), tmp_path)
    assert stack.up().changes == {"create": 6}
    made = by_name(stack)
    assert sizes(sandbox, made) == {SMALL}
    assert not any(PROVIDER_KEY in each.outputs for each in made.values())
    for secret in (made["service"].outputs["password"], made["apikey"].outputs["keySecret"]):
        assert secret.value not in stack.state_text

    stack.set_program(dynamic_program(five(names)))
    sandbox.forget_requests()
    assert changed(stack.up()) == dict.fromkeys(UPDATED, ())
    assert sandbox.requests == []
    assert all(PROVIDER_KEY in each.outputs for each in by_name(stack).values())

    assert stack.command("state", "delete", "--all", "--yes").returncode == 0
    sandbox.change("services", made["service"].id, encryptionKey=DISK_KEY)
    for name, value in stack.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path / "cli")
    done = CliRunner().invoke(app, ["import-file", "--stack", stack.name, *import_arguments(names, made)])
    assert done.exit_code == 0, done.stderr
    (command,) = re.findall("^  pulumi (.*) --stack dev$", done.stderr, re.MULTILINE)
    imported = stack.command(*command.split(), "--yes")
    assert imported.returncode == 0, imported.stdout + imported.stderr
    assert DISK_KEY not in stack.state_text
    stack.set_program(done.stdout)
    assert_nothing_to_do(stack, sandbox)
    assert "because it is protected" in str(stack.destroy(expect_failure=True).diagnostics)
    stack.set_program(done.stdout.replace("protect=True", "protect=False"))
    stack.up()
    stack.destroy()
    assert (list(sandbox.services), sandbox.dashboards, sandbox.alerts) == ([names["serviceId"]], {}, {})
    assert sandbox.pipes[names["pipeId"]]["scaling"]["replicas"] == SMALL // 16  # the value at the import
    assert made["apikey"].id in sandbox.keys  # an adopted key is not deleted


def import_arguments(names: Mapping[str, str], made: Mapping[str, ResourceState]) -> list[str]:
    """Return the arguments of `clouddb import-file` for the five resources."""
    ids = {kind: made[kind.lower()].id for kind in KINDS}
    ids |= {kind: f"{names['serviceId']}/{ids[kind]}" for kind in ("Dashboard", "Alert")}
    return [f"{kind}:{kind.lower()}={object_id}" for kind, object_id in ids.items()]


def test_import_of_five_resources_previews_without_changes(neutral_sandbox: Sandbox, tmp_path: Path) -> None:
    """It works for single imports and for an import file; a missing object is an error."""
    sandbox = neutral_sandbox
    ids = create_unmanaged(sandbox)
    stack = stack_of(sandbox, "", tmp_path)
    options = ("--yes", "--protect=false")
    done = stack.command("import", "clouddb:index:Service", "service", ids["Service"], *options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'clouddb.Service("service",' in done.stdout
    others = [
        {"type": f"clouddb:index:{kind}", "name": kind.lower(), "id": object_id}
        for kind, object_id in ids.items()
        if kind != "Service"
    ]
    file = tmp_path / "others.json"
    file.write_text(json.dumps({"resources": others}), encoding="utf-8")
    done = stack.command("import", "--file", str(file), "--generate-code=false", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    imported = by_name(stack)
    steps = [Step(kind.lower(), kind, imported[kind.lower()].inputs) for kind in ids]
    stack.set_program(native_program(steps))
    assert_nothing_to_do(stack, sandbox)

    missing = "00000000-0000-4000-8000-00000000dead"
    done = stack.command("import", "clouddb:index:Service", "gone", missing, "--generate-code=false", *options)
    assert done.returncode != 0
    assert f"Service {missing} does not exist\n" in done.stdout + done.stderr
    assert "Check the id, and the organization (clouddb:organizationId)." in done.stdout + done.stderr
    assert by_name(stack).keys() == imported.keys()
    assert {entry.method for entry in sandbox.requests} <= {"GET"}


def test_service_that_does_not_start_in_time(neutral_sandbox: Sandbox, tmp_path: Path) -> None:
    """The run fails with the reason and keeps the service in state; the next run completes it."""
    neutral_sandbox.set_latency(provision=1800)
    step = five(setting(neutral_sandbox))[0]
    program = native_program([step], custom_timeouts="pulumi.CustomTimeouts(create='1s')")
    stack = stack_of(neutral_sandbox, program, tmp_path)
    failed = stack.up(expect_failure=True)
    assert not failed.ok
    assert any("the 1 seconds of customTimeouts have passed" in text for text in failed.errors), failed.errors
    service = stack.resource("service")
    assert service.outputs["state"] == "provisioning"
    neutral_sandbox.change("services", service.id, state="running")
    assert changed(stack.up()).keys() == {"service"}
    finished = stack.resource("service").outputs
    assert (finished["state"], finished["password"]) == ("running", service.outputs["password"])
    assert len(neutral_sandbox.services) == 2


def test_explicit_providers_use_their_own_credentials(neutral_sandbox: Sandbox, tmp_path: Path) -> None:
    """Two providers use two keys, which are secrets in state although the program does not mark them."""
    sandbox = neutral_sandbox
    config = {name.removeprefix("clouddb:"): value for name, value in sandbox.config.items()}
    second = sandbox.add_key(name="second", roles=["admin"])
    keys = {"first": config, "second": {**config, "keyId": second["keyId"], "keySecret": second["keySecret"]}}
    program = native_program([])
    for name, inputs in keys.items():
        program += f"{name} = pulumi.ProviderResource('clouddb', {name!r}, {json.dumps(inputs)})\n"
        step = Step(f"{name}_key", "ApiKey", {"name": f"from the {name}", "roles": ["developer"]})
        program += native_program([step], provider=name).removeprefix(native_program([]))
    stack = CliStack(program, work_dir=tmp_path)
    stack.up()
    creates = [entry for entry in sandbox.requests if entry.operation == "create_key"]
    assert {entry.body["name"]: entry.caller for entry in creates} == {
        "from the first": sandbox.key_id,
        "from the second": second["keyId"],
    }
    assert second["keySecret"] not in stack.state_text
    sandbox.forget_requests()
    stack.destroy()
    assert {entry.caller for entry in sandbox.requests if entry.operation == "delete_key"} == {
        sandbox.key_id,
        second["keyId"],
    }
