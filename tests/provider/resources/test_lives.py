"""The life of each resource: programs with the SDK and the real dynamic host, against the sandbox."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Release, Sandbox
from clouddb_tools.testing import CliStack, FakeEngineStack, Result, Stack, stack_config
from lives.life import IMPORTS, Inputs, Life, fill, own_id
from lives.table import LIVES, WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.values import WireDict
from support.engines import ENGINES
from support.sessions import ProviderProcess, config_for

MakeStack = Callable[[str], Stack]


SERVERS: dict[str, dict[str, Any]] = {"interface": {"vocabulary": "neutral"}, "vendor": {"vocabulary": "clickhouse"}}


@pytest.fixture(params=["vendor", pytest.param("interface", marks=pytest.mark.slow)])
def server(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Run a server of each dialect."""
    with Sandbox(**SERVERS[request.param]) as sandbox:
        yield sandbox


def lives_on(server: Sandbox) -> dict[str, Life]:
    """Return the lives of this server's dialect, or those of both dialects.

    A life without an update in place has a test in the folder of its thing.
    """
    settings = {} if server.vocabulary == "neutral" else {"vocabulary": server.vocabulary}
    return {name: life for name, life in LIVES.items() if life.server == settings and life.drift}


@pytest.fixture(params=ENGINES)
def any_stack(request: pytest.FixtureRequest, server: Sandbox, tmp_path: Path) -> MakeStack:
    """Return a function that makes a stack for the sandbox, with the fake engine and, if installed, the real CLI."""
    return lambda program: make_stack(request.param, server, program, tmp_path)


def make_stack(engine: type[Stack], sandbox: Sandbox, program: str, folder: Path) -> Stack:
    """Return a stack for a sandbox."""
    return engine(program, config=stack_config(sandbox), work_dir=folder)


class LivesOfOneStack:
    """Several lives in one stack with one sandbox; each resource has the name of its life."""

    def __init__(self, sandbox: Sandbox, stack_of: MakeStack, lives: Mapping[str, Life]) -> None:
        self.sandbox = sandbox
        self.lives = lives
        self._names = {name: life.setting(sandbox) for name, life in lives.items()}
        self._found = {life.kind: dict(sandbox.objects(life.kind)) for life in lives.values()}
        self.stack = stack_of(self.program({name: life.before for name, life in lives.items()}))

    def program(self, forms: Mapping[str, Inputs]) -> str:
        """Return the program of all lives, with these arguments."""
        lines = [line for name, life in self.lives.items() for line in life.lines(name, forms[name], self._names[name])]
        return "\n".join([*IMPORTS, *lines, ""])

    def grow(self) -> None:
        """Change every resource to its later form."""
        self.stack.set_program(self.program({name: life.after for name, life in self.lives.items()}))

    def drift(self) -> None:
        """Change every object directly on the server."""
        for name, life in self.lives.items():
            life.change(self.sandbox, self.stack.resource(name).id)

    @property
    def as_wanted(self) -> dict[str, bool]:
        """Return for each life whether the server's object is as the later form requires; it must exist."""
        return {
            name: life.is_as_wanted(self.sandbox.objects(life.kind)[own_id(life.kind, self.stack.resource(name).id)])
            for name, life in self.lives.items()
        }

    def assert_updated(self, result: Result, names: Callable[[Life], frozenset[str]]) -> None:
        """Assert that a run updates exactly these properties of each resource.

        The real CLI's events mask the old and the new value of a secret alike, so that a change of it is not visible.
        """
        masks = isinstance(self.stack, CliStack)
        steps = {step.name: (step.op, frozenset(step.changed)) for step in result.steps if step.name in self.lives}
        expected = {}
        for name, life in self.lives.items():
            masked = names(life) & {*RESOURCES[life.name].type.secrets} if masks else frozenset()
            expected[name] = ("update", names(life) - masked | masked & steps.get(name, ("", frozenset()))[1])
        assert steps == expected

    def assert_nothing_to_do(self) -> None:
        """Assert that a preview reports no change and sends no request."""
        self.sandbox.forget_requests()
        result = self.stack.preview()
        assert result.no_changes, result.steps
        assert self.sandbox.requests == []

    def assert_nothing_left(self) -> None:
        """Assert that the server has the same objects as before the stack, and overrides are restored."""
        for kind, original in self._found.items():
            left = self.sandbox.objects(kind)
            assert left.keys() == original.keys()
            if any(life.stays for life in self.lives.values() if life.kind == kind):
                assert _without_times(left) == _without_times(original)


def test_lives(server: Sandbox, any_stack: MakeStack) -> None:
    """Create, preview, update, find and repair drift, and delete; all resources are in one stack."""
    lives = LivesOfOneStack(server, any_stack, lives_on(server))
    stack = lives.stack

    assert stack.preview().changes["create"] >= len(lives.lives)
    assert stack.up().changes["create"] >= len(lives.lives)
    lives.assert_nothing_to_do()
    assert stack.refresh().no_changes

    lives.grow()
    lives.assert_updated(stack.preview(), lambda life: life.updated)
    lives.assert_updated(stack.up(), lambda life: life.updated)
    assert all(lives.as_wanted.values()), lives.as_wanted
    lives.assert_nothing_to_do()

    lives.drift()
    assert not any(lives.as_wanted.values()), lives.as_wanted
    lives.assert_nothing_to_do()
    assert {step.name for step in stack.refresh().steps if step.op == "update"} == set(lives.lives)
    lives.assert_updated(stack.preview(), lambda life: life.repaired)
    stack.up()
    assert all(lives.as_wanted.values()), lives.as_wanted
    assert stack.refresh().no_changes

    stack.destroy()
    assert stack.resources == []
    lives.assert_nothing_left()


@pytest.mark.parametrize("life", [each for each in WIRE_LIVES if each.life.release is Release.AUGUST_2026], ids=str)
def test_upgrade_and_downgrade_show_no_change(life: WireLife, tmp_path: Path) -> None:
    """The server changes its release between two commands, and keeps the object."""
    older, newer = Release
    name = life.life.name
    with Sandbox(**{**life.life.server, "vocabulary": "clickhouse"}, release=older) as sandbox:
        process = ProviderProcess(config_for(sandbox), tmp_path, sleep=lambda _: None)

        def as_it_is(release: Release, inputs: Inputs) -> WireDict:
            sandbox.set_release(release)
            process.api.lists.clear()
            state = process.read(name, id_, made).state
            assert process.changes(name, state, inputs) == ()
            return state

        names = life.life.setting(sandbox)
        before, after = (fill(each, names) for each in (life.before, life.after))
        id_, made = process.create(name, before)
        for release in (newer, older, newer):
            made = as_it_is(release, before)
        made = process.update(name, id_, made, after)
        for release in (older, newer, older):
            made = as_it_is(release, after)
        process.delete(name, id_, made)


@pytest.mark.slow
def test_upgrade_and_downgrade_of_one_stack_show_no_change(tmp_path: Path) -> None:
    """Each resource is in one stack; the server changes its release between two commands, and keeps all objects."""
    older, newer = Release
    known = {name: life for name, life in LIVES.items() if life.release is older}
    with Sandbox(vocabulary="clickhouse", release=older) as sandbox:
        lives = LivesOfOneStack(sandbox, lambda it: make_stack(FakeEngineStack, sandbox, it, tmp_path), known)
        stack = lives.stack
        stack.up()
        for release in (newer, older):
            sandbox.set_release(release)
            assert stack.refresh().no_changes
            lives.assert_nothing_to_do()
            assert stack.up().no_changes
        sandbox.set_release(newer)
        lives.grow()
        stack.up()
        sandbox.set_release(older)
        assert stack.refresh().no_changes
        stack.destroy()
        assert stack.resources == []


def _without_times(objects: dict[str, dict[str, object]]) -> list[dict[str, object]]:
    times = ("updatedAt", "usedAt")
    return [{name: value for name, value in each.items() if name not in times} for each in objects.values()]
