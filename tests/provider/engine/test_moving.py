"""From the native plugin back to the dynamic classes, without the CLI; test_plugin_cli tests both directions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pulumi.dynamic.dynamic import PROVIDER_KEY

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack
from pulumi_clouddb.registry import RESOURCES
from support.five import KINDS, dynamic_program, five, setting

MakeStack = Callable[..., FakeEngineStack]


@pytest.fixture
def clouddb_sandbox(neutral_sandbox: Sandbox) -> Sandbox:
    """The sandbox of `clouddb_stack`: that of the interface's dialect."""
    return neutral_sandbox


def rewrite(file: Path) -> None:
    """Convert state of the dynamic classes into that of the plugin: other types, and no provider."""

    def without_provider(properties: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in properties.items() if name != PROVIDER_KEY}

    text = file.read_text(encoding="utf-8")
    for resource in RESOURCES.values():
        text = text.replace(resource.type.dynamic_token, resource.type.token)
    state = json.loads(text, object_hook=without_provider)
    file.write_text(json.dumps(state), encoding="utf-8")


def test_dynamic_classes_take_over_state_of_the_plugin(
    clouddb_sandbox: Sandbox, clouddb_stack: MakeStack, tmp_path: Path
) -> None:
    """The first run updates each resource without a change or a request; later runs change nothing."""
    names = setting(clouddb_sandbox)
    stack = clouddb_stack(dynamic_program(five(names)), state=tmp_path / "state.json")
    stack.up()
    rewrite(tmp_path / "state.json")
    assert {each.type for each in stack.resources if each.parent} == {RESOURCES[name].type.token for name in KINDS}

    clouddb_sandbox.forget_requests()
    steps = [step for step in stack.up().steps if step.op != "same"]
    assert sorted((step.name, step.op, step.changed) for step in steps) == sorted(
        (kind.lower(), "update", ()) for kind in KINDS
    )
    assert stack.preview().no_changes
    assert clouddb_sandbox.requests == []
    assert all(PROVIDER_KEY in each.outputs for each in stack.resources if each.parent)
    stack.destroy()
    assert list(clouddb_sandbox.services) == [names["serviceId"]]
