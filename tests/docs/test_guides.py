"""docs/key-rotation.md: the keys that work at each step."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, Secret, stack_config

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "key-rotation.md").read_text(encoding="utf-8")
(AT_ONCE,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
KEY = "(new|renewed|still valid)"
TURNS = re.findall(rf"^\| (\d) \| {KEY} \| {KEY} \| ([ab]) \|$", PAGE, re.MULTILINE)
"""The rows of the table: the number, its effect on each of the two keys, and the current key."""


def stack_of(program: str, sandbox: Sandbox, folder: Path) -> FakeEngineStack:
    """Return a stack of a program of the page."""
    return FakeEngineStack(program, config=stack_config(sandbox), work_dir=folder)


def secret(outputs: dict[str, object]) -> str:
    """Return the secret of the current key."""
    value = outputs["keySecret"]
    assert isinstance(value, Secret)
    return str(value.value)


def test_new_key_is_created_before_the_old_one_is_deleted(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """Both happen in one `up`, and the new key has another secret."""
    stack = stack_of(AT_ONCE, clouddb_sandbox, tmp_path)
    before = secret(stack.up().outputs)
    stack.set_config("rotation", "2027-01")
    clouddb_sandbox.forget_requests()
    assert secret(stack.up().outputs) != before
    writes = [each.operation for each in clouddb_sandbox.requests if each.method != "GET"]
    assert writes == ["create_key", "delete_key"]


def test_two_keys_alternate(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """Each number has the effect in the table; the previous key and its secret remain valid."""
    stack = FakeEngineStack(ROOT / "examples" / "key-rotation", config=stack_config(clouddb_sandbox), work_dir=tmp_path)
    ids: dict[str, str] = {}
    secrets: dict[str, str] = {}
    for number, a, b, current in TURNS:
        stack.set_config("rotation", number)
        outputs = stack.up().outputs
        now = {name: stack.resource(f"reader-{name}").id for name in ("a", "b")}
        renewed = {name for name in now if now[name] != ids.get(name)}
        assert renewed == {name for name, effect in (("a", a), ("b", b)) if effect != "still valid"}
        assert set(clouddb_sandbox.keys) >= set(now.values())
        assert outputs["keyId"] == stack.resource(f"reader-{current}").outputs["accessKeyId"]
        assert secrets.get(current) != secret(outputs)
        assert stack.preview().no_changes
        ids, secrets[current] = now, secret(outputs)
    assert len(TURNS) == 4

    stack.set_config("rotation", str(len(TURNS) + 1))
    stack.up()
    assert not {stack.resource(f"reader-{name}").id for name in ("a", "b")} & set(ids.values())
    stack.destroy()
    assert not set(ids.values()) & set(clouddb_sandbox.keys)


def test_another_key_of_the_provider_changes_no_objects(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """The objects of the stack are unchanged."""
    stack = stack_of(AT_ONCE, clouddb_sandbox, tmp_path)
    stack.up()
    other = clouddb_sandbox.add_key(name="Deployer 2", roles=["admin"])
    stack.set_config("clouddb:keyId", other["keyId"])
    stack.set_config("clouddb:keySecret", other["keySecret"], secret=True)
    assert stack.preview().no_changes
    assert stack.up().no_changes
    stack.destroy()
