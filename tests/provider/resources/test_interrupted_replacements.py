"""A replacement that deletes first, and is interrupted before state has the new object.

Pulumi's engine then keeps the state of the old object. In the next run it checks and compares that state again, and
creates without deleting (`PendingReplacement` in pkg/resource/deploy/step_generator.go).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.commands.export.statements import Step
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import CliStack, FakeEngineStack, stack_config
from lives.life import fill
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.values import WireDict
from support.engines import ENGINES
from support.five import dynamic_program, native_program, setting
from support.sessions import ProviderProcess, config_for

URN = "urn:pulumi:dev::shop::clouddb:index:Any::it"
QUICK = {"clouddb:retryTimeoutSeconds": "0"}


class Interrupted:
    """One resource, and the calls of the engine; each run has a separate process."""

    def __init__(self, life: WireLife, sandbox: Sandbox, folder: Path) -> None:
        self.sandbox, self.life, self._folder = sandbox, life, folder
        self.resource = RESOURCES[life.life.name]
        self.inputs = fill(life.before, dict(life.life.setting(self.sandbox)))
        self.untouched = self.objects()
        self.id, self.state = self.process().create(life.life.name, self.inputs, urn=URN)

    def process(self) -> ProviderProcess:
        """Return the provider process of another run."""
        quick = {"requestTimeoutSeconds": 1, "retryTimeoutSeconds": 0, "pollIntervalSeconds": 0.05}
        return ProviderProcess(config_for(self.sandbox, **quick), self._folder)

    def run(self, *, deleted: bool, more: Mapping[str, Any] | None = None) -> tuple[str, WireDict]:
        """Replace the object: check, compare, check again, delete unless that is done, and create."""
        session, wanted = self.process().for_resource(URN), {**self.inputs, **(more or {})}
        checked = lifecycle.check(session, self.resource, wanted, old=self.inputs)
        assert not checked.failures
        lifecycle.diff(session, self.resource, self.id, self.state, checked.inputs)
        again = lifecycle.check(session, self.resource, wanted)
        assert not again.failures
        if not deleted:
            lifecycle.delete(session, self.resource, self.id, self.state)
        return lifecycle.create(session, self.resource, again.inputs)

    def objects(self) -> dict[str, Any]:
        """Return the server's objects of this kind, without times that change."""
        documents = self.sandbox.objects(self.life.life.kind)
        return {
            id_: {name: value for name, value in each.items() if name not in ("updatedAt", "usedAt")}
            for id_, each in documents.items()
        }


SAME_ID = ("PrivateEndpoint", "UserDefinedFunction", "UdfAttachment")
"""The resources other than overrides whose new object has the id of the old one."""

LIVES = [
    pytest.param(life, vocabulary, id=f"{life.name}-{vocabulary}")
    for life in WIRE_LIVES
    for vocabulary in ("neutral", "clickhouse")
    if life.life.stays or life.life.name in SAME_ID
    if (life.life.only or vocabulary) == vocabulary
]


@pytest.mark.parametrize(("life", "vocabulary"), LIVES)
def test_next_run_adopts_the_object_and_has_the_original_values(
    life: WireLife, vocabulary: str, tmp_path: Path
) -> None:
    """The engine is killed between the create and the write of state."""
    with Sandbox(vocabulary=vocabulary) as sandbox:
        case = Interrupted(life, sandbox, tmp_path)
        first, _ = case.run(deleted=False)
        again, state = case.run(deleted=True)
        assert again == first == case.id
        lifecycle.delete(case.process().for_resource(URN), case.resource, again, state)
        assert case.objects() == case.untouched
        assert not [*(tmp_path / "pending").glob("*.json")]


def overriding(sandbox: Sandbox) -> tuple[dict[str, str], Callable[[], int]]:
    """Return the ids of a pipe, and a function that reads its replicas."""
    names = setting(sandbox)
    return names, lambda: int(sandbox.objects("pipes")[names["pipeId"]]["scaling"]["replicas"])


def play(stack: FakeEngineStack | CliStack, sandbox: Sandbox, replace: Collection[str] = ()) -> None:
    """Lose the response of a replacement's create, and of the read after it; the next `up` finishes it."""
    sandbox.fault("scale_pipe", "commit_then_status", status=500, after=1, times=None)
    sandbox.fault("get_pipe", "status", status=500, after=1, times=None)
    assert not stack.up(replace=replace, expect_failure=True).ok
    sandbox.clear_faults()
    assert stack.up().ops("scaling") == ["replace", "create-replacement"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENGINES)
def test_override_is_replaced_by_option(
    kind: type[CliStack | FakeEngineStack], sandbox: Sandbox, tmp_path: Path
) -> None:
    """With `--replace`, the interrupted run has no diff; a destroy restores the original values."""
    names, replicas = overriding(sandbox)
    original = replicas()
    step = Step("scaling", "PipeScaling", {**names, "replicas": original + 1})
    options = "opts=pulumi.ResourceOptions(delete_before_replace=True)"
    program = "import pulumi\n" + dynamic_program([step]).replace('"scaling",', f'"scaling", {options},')
    stack = kind(program, config={**stack_config(sandbox), **QUICK}, work_dir=tmp_path)
    stack.up()
    play(stack, sandbox, replace=["scaling"])
    assert replicas() == original + 1
    stack.destroy()
    assert replicas() == original


@pytest.mark.cli
def test_override_is_replaced_by_replace_on_changes(sandbox: Sandbox, tmp_path: Path) -> None:
    """A destroy restores the original values."""
    names, replicas = overriding(sandbox)
    original = replicas()

    def program(number: int) -> str:
        step = Step("scaling", "PipeScaling", {**names, "replicas": number})
        return native_program([step], replace_on_changes='["replicas"]')

    stack = CliStack(program(original + 1), config={**stack_config(sandbox), **QUICK}, work_dir=tmp_path)
    stack.up()
    stack.set_program(program(original + 2))
    play(stack, sandbox)
    assert replicas() == original + 2
    stack.destroy()
    assert replicas() == original
