"""The program that sets up an organization, and `destroy` that restores it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.commands.export.python import open_classes
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import CliStack, FakeEngineStack, Stack, stack_config
from pulumi_clouddb.registry import COLLECTIONS
from support.sdk import SDK, generate_sdk

pytestmark = pytest.mark.slow

PROGRAM = Path(__file__).parents[2] / "examples" / "organization"
PROJECT = "clouddb-organization"
ENGINES = [
    "fake engine",
    pytest.param("cli", marks=pytest.mark.cli),
    pytest.param("cli, native plugin", marks=pytest.mark.cli),
]
SECRET = "canary-of-a-stream"

Objects = dict[str, dict[str, Any]]

DRIFT: dict[str, tuple[str, dict[str, Any]]] = {
    "services": ("Shop", {"numReplicas": 7}),
    "roles": ("Reader of the shop", {"policies": []}),
    "pipes": ("Clicks", {"name": "Mine now"}),
    "webhooks": ("Shop on call", {"body": "{{title}}"}),
    "dashboards": ("Shop", {"name": "Mine now"}),
    "alerts": ("Nobody clicks", {"threshold": 99}),
    "organizations": ("Sandbox", {"enableCoreDumps": True}),
}
"""Changes in the console, by the kind and the name of the object."""


def everything(sandbox: Sandbox) -> dict[str, Objects]:
    """Return all objects without the fields that change by themselves."""
    kinds = {collection.plural() for collection in COLLECTIONS}
    return {
        kind: {
            id_: {name: value for name, value in each.items() if name not in ("usedAt", "updatedAt")}
            for id_, each in sandbox.objects(kind).items()
        }
        for kind in sorted(kinds)
    }


def made(sandbox: Sandbox, before: dict[str, Objects]) -> dict[str, str]:
    """Return the ids of the objects to change, by kind: those that the program created, and the organization."""
    now = everything(sandbox)
    return {
        kind: next(
            id_
            for id_, each in now[kind].items()
            if each["name"] == name and (kind == "organizations" or id_ not in before[kind])
        )
        for kind, (name, _) in DRIFT.items()
    }


def create_foreign(sandbox: Sandbox) -> None:
    """Create objects of other users with the names in the program."""
    service = sandbox.add("services", name="Other", provider="aws", region="us-east-1")["id"]
    sandbox.add_pipe(service, "kafka", name="Clicks")
    sandbox.add_key(name="Reports of the shop", roles=["developer"])
    sandbox.add("roles", name="Reader of the shop", policies=[])
    sandbox.add("members", name="Tim", email="tim@example.com")
    sandbox.add("dashboards", serviceId=service, name="Shop", tiles=[])


def stack_on(engine: str, sandbox: Sandbox, folder: Path) -> Stack:
    """Return the stack on an engine; for the plugin the program imports the SDK that Pulumi generates.

    Pulumi's Python cannot serialize `select` by the type that the SDK gives it (docs/native-plugin.md).
    """
    config = stack_config(sandbox)
    if engine == "fake engine":
        return FakeEngineStack(PROGRAM, project=PROJECT, config=config, work_dir=folder / "work")
    if engine == "cli":
        return CliStack(PROGRAM, project=PROJECT, config=config, work_dir=folder / "work")
    own = shutil.copytree(PROGRAM, folder / "program")
    program = (own / "__main__.py").read_text(encoding="utf-8").replace("clouddb.TileConfigArgs(", "TileConfigArgs(")
    typing = "from typing import TYPE_CHECKING, Any"
    head = "\n".join([typing, f"import {SDK} as clouddb", *open_classes({"TileConfigArgs": ["select"]})])
    (own / "__main__.py").write_text(program.replace("import pulumi_clouddb as clouddb", head), encoding="utf-8")
    env = {"PYTHONPATH": str(generate_sdk(folder / "sdk"))}
    return CliStack(own, project=PROJECT, config=config, env=env, work_dir=folder / "work")


@pytest.mark.parametrize("engine", ENGINES)
def test_organization_is_set_up_with_one_program(engine: str, tmp_path: Path, sandbox: Sandbox) -> None:
    """Create, change, repair changes of others and destroy; no object is left, and those of others are unchanged."""
    create_foreign(sandbox)
    before = everything(sandbox)
    stack = stack_on(engine, sandbox, tmp_path)
    stack.set_config(f"{PROJECT}:streamPassword", SECRET, secret=True)
    assert stack.preview().changes == {"create": 13}
    assert everything(sandbox) == before
    outputs = stack.up().outputs
    ours = made(sandbox, before)
    assert sandbox.password_works(ours["services"], outputs["password"].value)
    assert SECRET not in stack.state_text
    assert stack.preview().no_changes
    assert stack.refresh().no_changes

    stack.set_config(f"{PROJECT}:leastClicks", "5")
    assert stack.up().changes["update"] == 1
    for kind, (_, fields) in DRIFT.items():
        sandbox.change(kind, ours[kind], **fields)
    assert stack.refresh().changes["update"] == len(DRIFT)
    assert stack.up().changes["update"] == len(DRIFT)
    now = everything(sandbox)
    for kind, (_, fields) in DRIFT.items():
        assert {name: now[kind][ours[kind]][name] for name in fields} != fields
    assert stack.preview().no_changes

    stack.destroy()
    assert everything(sandbox) == before
