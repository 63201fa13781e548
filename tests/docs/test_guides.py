"""What docs/key-rotation.md promises: which keys work at which step."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pulumi_clouddb.sandbox import Sandbox
from pulumi_clouddb.testing import FakeEngineStack, Secret, stack_config

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[2] / "docs" / "key-rotation.md").read_text(encoding="utf-8")
AT_ONCE, OVERLAPPING = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def stack_of(program: str, sandbox: Sandbox, folder: Path) -> FakeEngineStack:
    """Return a stack of a program of the page."""
    return FakeEngineStack(program, config=stack_config(sandbox), work_dir=folder)


def secret(outputs: dict[str, object]) -> str:
    """Return the secret of the current key."""
    value = outputs["keySecret"]
    assert isinstance(value, Secret)
    return str(value.value)


def test_the_new_key_is_there_before_the_old_one_goes(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """In one `up`, with another secret."""
    stack = stack_of(AT_ONCE, clouddb_sandbox, tmp_path)
    before = secret(stack.up().outputs)
    stack.set_config("rotation", "2027-01")
    clouddb_sandbox.forget_requests()
    assert secret(stack.up().outputs) != before
    writes = [each.operation for each in clouddb_sandbox.requests if each.method != "GET"]
    assert writes == ["create_key", "delete_key"]


def test_two_keys_overlap(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """The old one works until it is renewed, and then the new one stays."""
    stack = stack_of(OVERLAPPING, clouddb_sandbox, tmp_path)
    first = secret(stack.up().outputs)
    a = stack.resource("reader-a").id
    stack.set_config("rotation-b", "2027-01")
    stack.set_config("current", "b")
    second = secret(stack.up().outputs)
    assert second != first
    assert a in clouddb_sandbox.keys
    stack.set_config("rotation-a", "2027-01")
    assert secret(stack.up().outputs) == second
    assert a not in clouddb_sandbox.keys
    assert stack.resource("reader-b").id in clouddb_sandbox.keys


def test_another_key_of_the_provider_changes_nothing(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """The objects of the stack stay as they are."""
    stack = stack_of(AT_ONCE, clouddb_sandbox, tmp_path)
    stack.up()
    other = clouddb_sandbox.add_key(name="Deployer 2", roles=["admin"])
    stack.set_config("clouddb:keyId", other["keyId"])
    stack.set_config("clouddb:keySecret", other["keySecret"], secret=True)
    assert stack.preview().no_changes
    assert stack.up().no_changes
    stack.destroy()
