"""The whole life of each resource: a program through the SDK and the real dynamic host, against the sandbox."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import CliStack, Result, Stack, stack_config
from lives.life import IMPORTS, Inputs, Life, own_id
from lives.table import LIVES
from pulumi_clouddb.registry import RESOURCES
from support.engines import ENGINES

MakeStack = Callable[[str], Stack]


SERVERS: dict[str, dict[str, Any]] = {"interface": {}, "vendor": {"vocabulary": "clickhouse"}}


@pytest.fixture(params=["vendor", pytest.param("interface", marks=pytest.mark.slow)])
def server(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A server of each dialect."""
    with Sandbox(**SERVERS[request.param]) as sandbox:
        yield sandbox


def lives_on(server: Sandbox) -> dict[str, Life]:
    """Return the lives whose objects only such a server has, or those that need none in particular.

    One that no update can change in place has a test in the folder of its thing.
    """
    settings = {} if server.vocabulary == "neutral" else {"vocabulary": server.vocabulary}
    return {name: life for name, life in LIVES.items() if life.server == settings and life.drift}


@pytest.fixture(params=ENGINES)
def any_stack(request: pytest.FixtureRequest, server: Sandbox, tmp_path: Path) -> MakeStack:
    """Make a stack against the sandbox, with the fake engine and, where there is one, with the real CLI."""
    return lambda program: make_stack(request.param, server, program, tmp_path)


def make_stack(engine: type[Stack], sandbox: Sandbox, program: str, folder: Path) -> Stack:
    """Make a stack against a sandbox."""
    return engine(program, config=stack_config(sandbox), work_dir=folder)


class LivesOfOneStack:
    """Several lives in one stack against one sandbox, each resource under the name of its life."""

    def __init__(self, sandbox: Sandbox, stack_of: MakeStack, lives: Mapping[str, Life]) -> None:
        self.sandbox = sandbox
        self.lives = lives
        self._names = {name: life.setting(sandbox) for name, life in lives.items()}
        self._found = {life.kind: dict(sandbox.objects(life.kind)) for life in lives.values()}
        self.stack = stack_of(self.program({name: life.before for name, life in lives.items()}))

    def program(self, forms: Mapping[str, Inputs]) -> str:
        """Return the program of all lives, each with the arguments given."""
        lines = [line for name, life in self.lives.items() for line in life.lines(name, forms[name], self._names[name])]
        return "\n".join([*IMPORTS, *lines, ""])

    def grow(self) -> None:
        """Take every resource into its later form."""
        self.stack.set_program(self.program({name: life.after for name, life in self.lives.items()}))

    def drift(self) -> None:
        """Change every object behind the stack's back."""
        for name, life in self.lives.items():
            life.change(self.sandbox, self.stack.resource(name).id)

    @property
    def as_wanted(self) -> dict[str, bool]:
        """Tell of each life whether the server's object, which there must be, is as the later form says."""
        return {
            name: life.is_as_wanted(self.sandbox.objects(life.kind)[own_id(life.kind, self.stack.resource(name).id)])
            for name, life in self.lives.items()
        }

    def all_updated(self, result: Result, names: Callable[[Life], frozenset[str]]) -> bool:
        """Hold that a run shows for each resource an update of just the properties that `names` gives.

        The events of the real CLI mask a secret before and after alike: that it has another value is not in them.
        """
        masks = isinstance(self.stack, CliStack)
        steps = {step.name: (step.op, frozenset(step.changed)) for step in result.steps if step.name in self.lives}
        wanted = {}
        for name, life in self.lives.items():
            masked = names(life) & {*RESOURCES[life.name].type.secrets} if masks else frozenset()
            wanted[name] = ("update", names(life) - masked | masked & steps.get(name, ("", frozenset()))[1])
        assert steps == wanted
        return True

    def nothing_to_do(self) -> bool:
        """Hold that a preview finds no change and asks the server nothing."""
        self.sandbox.forget_requests()
        result = self.stack.preview()
        assert result.no_changes, result.steps
        assert self.sandbox.requests == []
        return True

    def nothing_left(self) -> bool:
        """Hold that the server has what it had before the stack, in the form that it had."""
        for kind, found in self._found.items():
            left = self.sandbox.objects(kind)
            assert left.keys() == found.keys()
            if any(life.stays for life in self.lives.values() if life.kind == kind):
                assert _without_times(left) == _without_times(found)
        return True


def test_whole_lives(server: Sandbox, any_stack: MakeStack) -> None:
    """Create, change nothing, update everything, find drift, repair it, and delete; all resources in one stack."""
    lives = LivesOfOneStack(server, any_stack, lives_on(server))
    stack = lives.stack

    assert stack.preview().changes["create"] >= len(lives.lives)
    assert stack.up().changes["create"] >= len(lives.lives)
    assert lives.nothing_to_do()
    assert stack.refresh().no_changes

    lives.grow()
    assert lives.all_updated(stack.preview(), lambda life: life.updated)
    assert lives.all_updated(stack.up(), lambda life: life.updated)
    assert all(lives.as_wanted.values()), lives.as_wanted
    assert lives.nothing_to_do()

    lives.drift()
    assert not any(lives.as_wanted.values()), lives.as_wanted
    assert lives.nothing_to_do()
    assert {step.name for step in stack.refresh().steps if step.op == "update"} == set(lives.lives)
    assert lives.all_updated(stack.preview(), lambda life: life.repaired)
    stack.up()
    assert all(lives.as_wanted.values()), lives.as_wanted
    assert stack.refresh().no_changes

    stack.destroy()
    assert stack.resources == []
    assert lives.nothing_left()


def _without_times(objects: dict[str, dict[str, object]]) -> list[dict[str, object]]:
    times = ("updatedAt", "usedAt")
    return [{name: value for name, value in each.items() if name not in times} for each in objects.values()]
