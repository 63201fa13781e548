"""The real CLI is interrupted while it creates all five resources; then one `up` must lead to the good end.

RUNS=100 (`make cli-kills`) interrupts it so often in each way and prints the counts; by default once. A run's number is
its seed: it decides the moment and the dialect.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pulumi_clouddb.sandbox import Sandbox
from pulumi_clouddb.testing import CliStack, Secret, stack_config
from support.five import KINDS, dynamic_program, five, native_program, setting

from .case import DIALECTS
from .conftest import COUNTED
from .console import works
from .running import RunningSandbox, touched

pytestmark = [
    pytest.mark.skipif(not CliStack.available(), reason="there is no pulumi on PATH"),
    pytest.mark.first,
    pytest.mark.timeout(0),
]

RUNS = int(os.environ.get("RUNS", "1"))
FIRST_SEED = int(os.environ.get("SEED", "1"))
WRITES = ("create_service", "scale_pipe", "create_key", "create_dashboard", "create_alert")
LONGEST_RUN_SECONDS = 3.0
"""How long the creates take, with the delays of the server below."""

SLOWLY = 0.3
PROGRAMS: dict[str, Callable[..., str]] = {"dynamic": dynamic_program, "native": native_program}


def _ctrl_c(process: subprocess.Popen[bytes], chance: random.Random) -> None:
    del chance
    os.killpg(process.pid, signal.SIGINT)


def _ctrl_c_twice(process: subprocess.Popen[bytes], chance: random.Random) -> None:
    os.killpg(process.pid, signal.SIGINT)
    time.sleep(chance.uniform(0.0, 0.6))
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)


def _kill(process: subprocess.Popen[bytes], chance: random.Random) -> None:
    del chance
    process.kill()


def _kill_group(process: subprocess.Popen[bytes], chance: random.Random) -> None:
    del chance
    os.killpg(process.pid, signal.SIGKILL)


WAYS = {
    "Ctrl-C": _ctrl_c,
    "Ctrl-C twice": _ctrl_c_twice,
    "kill -9 of the CLI": _kill,
    "kill -9 of its group": _kill_group,
}


@dataclass
class Count:
    """What became of one run.

    Attributes:
        lost: Objects that are on the server and not in state, or the other way round.
        duplicates: Objects of one resource beyond the first.
        broken: Secrets that do not work.
        touched: Objects of others that are changed or gone.
        leaked: Secrets that are somewhere in clear.
        torn: Whether the CLI died while it wrote the file beside its state file; see `mend`.
        other: What else was wrong.
        story: What was printed.
    """

    lost: int = 0
    duplicates: int = 0
    broken: int = 0
    touched: int = 0
    leaked: int = 0
    torn: bool = False
    other: list[str] = field(default_factory=list)
    story: list[str] = field(default_factory=list)

    @property
    def bad(self) -> bool:
        """Whether anything was wrong."""
        return bool(self.lost or self.duplicates or self.broken or self.touched or self.leaked or self.other)


class InterruptedStack(CliStack):
    """A stack whose CLI is interrupted."""

    def begin_up(self) -> subprocess.Popen[bytes]:
        """Start an `up` as a terminal does, in a process group of its own."""
        self._prepare()
        self.printed = self.work_dir / "interrupted.txt"
        with self.printed.open("wb") as output:
            return subprocess.Popen(
                [
                    *("pulumi", "up", "--yes", "--skip-preview", "--stack", self.name, "--cwd", str(self.program.root)),
                    *("--config-file", str(self._home / f"Pulumi.{self.name}.yaml"), "--parallel", str(self.parallel)),
                    *("--non-interactive", "--color", "never", "--logtostderr", "-v=3"),
                ],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("front_end", PROGRAMS)
def test_an_interrupted_up_loses_and_doubles_nothing(
    front_end: str,
    way: str,
    sandboxes: dict[str, RunningSandbox],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    """Nothing is lost or made twice, and every secret works, after one more `up`."""
    counts: Counter[str] = Counter()
    bad = []
    for seed in range(FIRST_SEED, FIRST_SEED + RUNS):
        running = sandboxes[DIALECTS[seed % 2]]
        running.clear()
        folder = tmp_path / str(seed)
        folder.mkdir()
        count = interrupt(running, front_end, way, random.Random(seed), folder)  # noqa: S311 (chooses the moment)
        counts.update(runs=1, bad=int(count.bad), lost=count.lost, duplicates=count.duplicates)
        counts.update(broken=count.broken, touched=count.touched, leaked=count.leaked, torn=int(count.torn))
        if count.bad:
            bad.append("\n".join([f"seed {seed}: {vars(count)}", *count.story]))
    record_property(COUNTED, f"{front_end}, {way}: {dict(counts)}")
    assert not bad, "\n\n".join(bad)


def interrupt(running: RunningSandbox, front_end: str, way: str, chance: random.Random, folder: Path) -> Count:
    """Interrupt one `up`, run another, and look at everything."""
    sandbox = running.sandbox
    names = setting(sandbox)
    there = running.objects()
    config = {**stack_config(sandbox), "clouddb:requestTimeoutSeconds": "5", "clouddb:retryTimeoutSeconds": "2"}
    stack = InterruptedStack(PROGRAMS[front_end](five(names)), config=config, work_dir=folder)
    count = Count()
    moment = choose_moment(sandbox, chance)
    count.story.append(moment.name)
    process = stack.begin_up()
    moment.wait(process)
    WAYS[way](process, chance)
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        count.other.append("the CLI did not end")
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    sandbox.clear_faults()
    if "kill" in way:
        count.torn = mend(stack)
        stack.command("cancel", "--yes")
    result = stack.up(expect_failure=True)
    printed = stack.printed.read_text(encoding="utf-8", errors="replace")
    count.story += [printed[-3000:], *map(str, result.errors)]
    if not result.ok:
        count.other.append("the calm up failed")
    look(running, stack, there, names, count, printed)
    return count


def mend(stack: CliStack) -> bool:
    """Delete what the CLI has cut off beside its state file, as a user would; tell whether there was anything.

    The file backend replaces the state file at one stroke, but not the `.attrs` beside it (seen with 3.260). An empty
    one makes every command fail with "failed to load checkpoint: EOF"; without it all is well.
    """
    beside = stack.state_file.with_name(f"{stack.state_file.name}.attrs")
    try:
        json.loads(beside.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return False
    except ValueError:
        beside.unlink()
        return True
    return False


@dataclass(frozen=True)
class Moment:
    """A moment of an `up`: its name, and what waits for it."""

    name: str
    wait: Callable[[subprocess.Popen[bytes]], None]


def choose_moment(sandbox: Sandbox, chance: random.Random) -> Moment:
    """Choose a write and whether it has been carried out, or a time after the first write; the server is slow."""
    operation = chance.choice(WRITES)
    kind = chance.choice(["delay", "commit_then_hang", "any time"])
    for each in WRITES:
        if kind == "any time" or each != operation:
            sandbox.fault(each, "delay", wait=SLOWLY)
    if kind == "any time":
        seconds = chance.uniform(0.0, LONGEST_RUN_SECONDS)

        def some_time_after_the_first_write(process: subprocess.Popen[bytes]) -> None:
            _until(process, lambda: any(each.operation in WRITES for each in sandbox.requests))
            time.sleep(seconds)

        return Moment(f"{seconds:.2f} s after the first write", some_time_after_the_first_write)
    details: dict[str, Any] = {"wait": 1.0} if kind == "delay" else {}
    sandbox.fault(operation, kind, **details)

    def at_the_write(process: subprocess.Popen[bytes]) -> None:
        _until(process, lambda: any(each.operation == operation and each.fault for each in sandbox.requests))

    return Moment(f"{operation}, {kind}", at_the_write)


def _until(process: subprocess.Popen[bytes], happened: Callable[[], bool]) -> None:
    while process.poll() is None and not happened():
        time.sleep(0.01)


def look(
    running: RunningSandbox,
    stack: CliStack,
    there: dict[tuple[str, str], dict[str, object]],
    names: dict[str, str],
    count: Count,
    printed: str,
) -> None:
    """Count what is lost, double, broken, touched or in clear."""
    sandbox = running.sandbox
    resources = {each.name: each for each in stack.resources if each.type != "pulumi:pulumi:Stack"}
    objects = running.objects()
    made = {key for key in objects.keys() - there.keys() if key[0] in set(KINDS.values()) - {"pipes"}}
    for resource, kind in KINDS.items():
        state = resources.get(resource.lower())
        id_ = state.id.rpartition("/")[2] if state else ""
        of_kind = {key for key in made if key[0] == kind}
        if kind == "pipes":
            count.lost += state is None
            continue
        count.duplicates += max(0, len(of_kind) - 1)
        count.lost += (kind, id_) not in of_kind
        if state and (kind, id_) in of_kind:
            plain = {name: each.value if isinstance(each, Secret) else each for name, each in state.outputs.items()}
            count.broken += not works(sandbox, kind, id_, plain)
            count.leaked += _leaked(plain, stack, printed)
    untouched = {key: value for key, value in there.items() if key != ("pipes", names["pipeId"])}
    count.touched += len(touched(untouched, running.objects()))
    preview = stack.preview(expect_failure=True)
    if not preview.no_changes:
        count.other.append(f"the preview is not empty: {[str(step) for step in preview.steps if step.op != 'same']}")
    refreshed = stack.refresh(expect_failure=True)
    if not refreshed.no_changes:
        count.other.append(f"there is drift: {[str(step) for step in refreshed.steps if step.op != 'same']}")


def _leaked(outputs: dict[str, object], stack: CliStack, printed: str) -> int:
    files = [each for each in (stack.work_dir / "in-flight").rglob("*") if each.is_file()]
    texts = [printed, stack.state_text, *(each.read_text(encoding="utf-8", errors="replace") for each in files)]
    secrets = [outputs.get("password"), outputs.get("keySecret")]
    return sum(isinstance(secret, str) and any(secret in text for text in texts) for secret in secrets)
