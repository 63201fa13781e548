"""The whole life of each resource: a program through the SDK and the real dynamic host, against the sandbox."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lives import LIVES, Life
from pulumi_clouddb.sandbox import Sandbox
from pulumi_clouddb.testing import CliStack, ResourceState, Result, Secret, Stack, StandInStack

MakeStack = Callable[[str], Stack]
ENGINES: dict[str, type[Stack]] = {"stand-in": StandInStack, "cli": CliStack}


@pytest.fixture(params=ENGINES)
def any_stack(request: pytest.FixtureRequest, clouddb_sandbox: Sandbox, tmp_path: Path) -> MakeStack:
    """Make a stack against the sandbox, with the stand-in and, where there is one, with the real CLI."""
    if request.param == "cli" and not CliStack.available():
        pytest.skip("there is no pulumi on PATH")
    return lambda program: make_stack(ENGINES[request.param], clouddb_sandbox, program, tmp_path)


def make_stack(engine: type[Stack], sandbox: Sandbox, program: str, folder: Path) -> Stack:
    """Make a stack against a sandbox."""
    secret = ("clouddb:keySecret", "clouddb:stackToken")
    config = {key: Secret(text) if key in secret else text for key, text in sandbox.config.items()}
    return engine(program, config=config, work_dir=folder)


def the_object(sandbox: Sandbox, life: Life, stack: Stack) -> dict[str, object]:
    """Return the server's object that state names; there must be one."""
    object_id = it(stack).id.rpartition("/")[2]
    return sandbox.objects(life.kind)[object_id]


def it(stack: Stack) -> ResourceState:
    """Return the resource of the program."""
    return stack.resource("it")


@pytest.mark.parametrize("life", LIVES.values(), ids=LIVES)
def test_whole_life(life: Life, clouddb_sandbox: Sandbox, any_stack: MakeStack) -> None:
    """Create, change nothing, update everything, find drift, repair it, and delete."""
    sandbox = clouddb_sandbox
    names = life.setting(sandbox)
    there = dict(sandbox.objects(life.kind))
    stack = any_stack(life.program(life.before, names))

    assert stack.preview().changes["create"] >= 1
    assert stack.up().changes["create"] >= 1
    _nothing_to_do(stack, sandbox)
    assert stack.refresh().no_changes

    stack.set_program(life.program(life.after, names))
    _shows_update(stack.preview(), life.updated)
    _shows_update(stack.up(), life.updated)
    assert life.as_wanted(the_object(sandbox, life, stack))
    _nothing_to_do(stack, sandbox)

    life.drift(sandbox, it(stack).id)
    assert not life.as_wanted(the_object(sandbox, life, stack))
    _nothing_to_do(stack, sandbox)
    assert not stack.refresh().no_changes
    _shows_update(stack.preview(), life.drifted)
    stack.up()
    assert life.as_wanted(the_object(sandbox, life, stack))
    assert stack.refresh().no_changes

    stack.destroy()
    assert stack.resources == []
    left = sandbox.objects(life.kind)
    assert left.keys() == there.keys()
    if life.stays:
        assert _without_times(left) == _without_times(there)


@pytest.mark.parametrize("life", LIVES.values(), ids=LIVES)
def test_object_deleted_by_hand_leaves_state_at_refresh(
    life: Life, clouddb_sandbox: Sandbox, clouddb_stack: Callable[..., StandInStack]
) -> None:
    """An object that is gone for certain is dropped from state, and the next up makes it again."""
    if life.stays and life.name == "ApiKey":
        pytest.skip("an adopted key cannot be made again by this program")
    names = life.setting(clouddb_sandbox)
    stack = clouddb_stack(life.program(life.before, names))
    stack.up()
    clouddb_sandbox.remove(life.kind, it(stack).id.rpartition("/")[2])
    stack.refresh()
    assert "it" not in {each.name for each in stack.resources}


def _nothing_to_do(stack: Stack, sandbox: Sandbox) -> None:
    sandbox.forget_requests()
    result = stack.preview()
    assert result.no_changes, result.steps
    assert sandbox.requests == []


def _shows_update(result: Result, names: frozenset[str]) -> None:
    steps = [step for step in result.steps if step.name == "it"]
    assert [step.op for step in steps] == ["update"]
    assert frozenset(steps[0].changed) == names


def _without_times(objects: dict[str, dict[str, object]]) -> list[dict[str, object]]:
    times = ("updatedAt", "usedAt")
    return [{name: value for name, value in each.items() if name not in times} for each in objects.values()]


NEWER = {
    "dashboard answered as config": ("self-hosted dashboard", {"answer_config": True, "vocabulary": "clickhouse"}),
    "managed dashboard answered as config": ("managed dashboard", {"answer_config": True, "vocabulary": "clickhouse"}),
    "alert in the vendor's words": ("alert", {"vocabulary": "clickhouse"}),
    "pipe sizes answered as quantities": ("scaling of a stream pipe", {"quantities": True}),
    "service in the vendor's words": ("service", {"vocabulary": "clickhouse"}),
}


@pytest.mark.parametrize(("name", "settings"), NEWER.values(), ids=NEWER)
def test_no_drift_that_nobody_made(name: str, settings: dict[str, Any], tmp_path: Path) -> None:
    """However a server puts what it was given, a refresh finds nothing, and what somebody changed is found."""
    life = LIVES[name]
    with Sandbox(**settings) as sandbox:
        stack = make_stack(StandInStack, sandbox, life.program(life.after, life.setting(sandbox)), tmp_path)
        stack.up()
        assert stack.refresh().no_changes
        life.drift(sandbox, it(stack).id)
        assert not stack.refresh().no_changes
        stack.up()
        assert life.as_wanted(the_object(sandbox, life, stack))
        assert stack.refresh().no_changes
        stack.destroy()
