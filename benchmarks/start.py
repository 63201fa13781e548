"""Costs of a command before it does anything: `pulumi preview` of unchanged resources, the command line, an import."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from clouddb_tools.commands.export.statements import Step
from clouddb_tools.commands.export.yaml import yaml_resources
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import CliStack, stack_config
from clouddb_tools.testing.fake_engine.state import Resource
from support.five import dynamic_program
from support.plugin import COMMAND

from . import objects
from .done import NotDoneError, writes
from .engine import DYNAMIC, FRONT_ENDS, NOTHING, NOTHING_COMMAND, PLUGIN, Engine
from .figure import Figure, in_turns
from .process import cpu_of_children, cpu_of_command, cpu_seconds
from .programs import stack_of

PART = "start"
CLOUDDB = str(Path(sys.executable).with_name("clouddb"))
LANGUAGES = {PLUGIN: "YAML", DYNAMIC: "Python"}
"""The language of the programs of whole commands; both sides of a figure use the same."""
EMPTY = "empty"
"""The key of a program that does not name the provider."""


def measured(samples: int) -> Iterator[Figure]:
    """Yield processor time and time of each start."""
    for front_end in FRONT_ENDS:
        if CliStack.available():
            yield from commands(front_end, samples)
        yield from providers(front_end, samples)
    for name, measure in (("processor time", cpu_until_port), ("time", seconds_until_port)):
        taken = in_turns(samples, value=partial(measure, COMMAND), floor=partial(measure, NOTHING_COMMAND))
        yield _figure(f"plugin until its port: {name}", NOTHING[PLUGIN], taken)
    for words in ("--version", "--help"):
        taken = in_turns(samples, value=partial(cpu_of_command, [CLOUDDB, words]), floor=cpu_of_python("pass"))
        yield _figure(f"clouddb {words}", "Python's own start", taken)
    imported = cpu_of_python("import pulumi_clouddb; pulumi_clouddb.Dashboard")
    taken = in_turns(samples, value=imported, floor=cpu_of_python("import pulumi"))
    yield _figure("import of a program", "import pulumi", taken)


def _figure(name: str, floor_is: str, taken: Mapping[str, list[float]]) -> Figure:
    return Figure(PART, name, "s", floor_is, taken["value"], taken["floor"])


def sizes(sandbox: Sandbox) -> dict[str, list[Step]]:
    """Return the resources of each program; all of a program are created once, and then unchanged."""
    board = sandbox.add("dashboards", name="Watched", tiles=objects.tiles())
    return {
        "nothing": [],
        "one resource": [objects.webhook("one")],
        "31 resources": [
            objects.webhook("all"),
            *objects.dashboards(10),
            *objects.alerts(10, 5, board),
            *objects.keys(10),
        ],
    }


# -- whole commands ----------------------------------------------------------------------------------------------------


def commands(front_end: str, samples: int) -> Iterator[Figure]:
    """Yield the costs of `pulumi preview`, beside those of an empty program."""
    language = LANGUAGES[front_end]
    with Sandbox(own_process=True) as sandbox, ExitStack() as started:
        programs: dict[str, list[Step] | None] = {EMPTY: None, **sizes(sandbox)}
        stacks = {}
        for name, steps in programs.items():
            source = program(front_end, steps, Path(started.enter_context(tempfile.TemporaryDirectory())))
            named = "" if steps is None else front_end
            stacks[name] = started.enter_context(stack_of(named, source, stack_config(sandbox), {}))
            with writes(sandbox, len(steps or ())):
                stacks[name].up()
        with writes(sandbox, 0):
            taken = in_turns(samples, **{name: partial(cost_of_preview, stack) for name, stack in stacks.items()})
        for name in list(programs)[1:]:
            for place, what in enumerate(("time", "processor time")):
                values, floors = ([each[place] for each in taken[side]] for side in (name, EMPTY))
                floor_is = f"an empty program in {language}"
                where = {"front end": front_end}
                yield Figure(PART, f"pulumi preview of {name}: {what}", "s", floor_is, values, floors, where)


def program(front_end: str, steps: Sequence[Step] | None, folder: Path) -> str | Path:
    """Return a program with resources in the language of a front end; None does not name the provider at all."""
    if front_end == DYNAMIC:
        return "import pulumi\n" if steps is None else dynamic_program(steps)
    text = f"name: bench\nruntime: yaml\n{yaml_resources(steps or ())}\n"
    (folder / "Pulumi.yaml").write_text(text, encoding="utf-8")
    return folder


def cost_of_preview(stack: CliStack) -> tuple[float, float]:
    """Return the time and the processor time of a preview without changes."""
    settings = stack.work_dir / "cli" / f"Pulumi.{stack.name}.yaml"
    options = ["--stack", stack.name, "--cwd", str(stack.program.root), "--config-file", str(settings)]
    before, started = cpu_of_children(), time.perf_counter()
    subprocess.run(  # noqa: S603 (fixed words)
        ["pulumi", "preview", "--non-interactive", "--expect-no-changes", *options],  # noqa: S607 (the one on PATH)
        env=stack.environment,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - started, cpu_of_children() - before


# -- the provider alone ------------------------------------------------------------------------------------------------


def providers(front_end: str, samples: int) -> Iterator[Figure]:
    """Yield the processor time of a provider's process in such a preview."""
    sides = (front_end, NOTHING[front_end])
    with Sandbox(own_process=True) as sandbox, tempfile.TemporaryDirectory() as folder:
        for name, steps in sizes(sandbox).items():
            states: dict[str, dict[str, Resource]] = {side: {} for side in sides}
            for side in sides:
                with (
                    Engine(side, sandbox.config, Path(folder), states[side]) as engine,
                    writes(sandbox, len(steps), side),
                ):
                    engine.up(steps)
            value, floor = (
                partial(cpu_of_preview, side, sandbox.config, Path(folder), states[side], steps) for side in sides
            )
            with writes(sandbox, 0):
                taken = in_turns(samples, value=value, floor=floor)
            where = {"front end": front_end}
            title = f"provider in a preview of {name}"
            yield Figure(PART, title, "s", NOTHING[front_end], taken["value"], taken["floor"], where)


def cpu_of_preview(
    front_end: str, config: Mapping[str, str], folder: Path, state: dict[str, Resource], steps: Sequence[Step]
) -> float:
    """Return the processor time of a provider's process from its start to the end of a preview without changes."""
    with Engine(front_end, config, folder, state) as engine:
        if engine.preview(steps):
            raise NotDoneError(f"{front_end}: a preview without changes shows some")
        return cpu_seconds(engine.driver.pid)


# -- other starts ------------------------------------------------------------------------------------------------------


def cpu_of_python(statement: str) -> Callable[[], float]:
    """Return a function that measures the processor time of a statement in a separate Python process."""
    return partial(cpu_of_command, [sys.executable, "-c", statement])


def cpu_until_port(command: Sequence[str]) -> float:
    """Return the processor time of a plugin until it prints its port."""
    with _plugin(command) as process:
        _port(process)
        taken = cpu_seconds(process.pid)
        process.terminate()
    return taken


def seconds_until_port(command: Sequence[str]) -> float:
    """Return the time from a plugin's start until it prints its port."""
    started = time.perf_counter()
    with _plugin(command) as process:
        _port(process)
        taken = time.perf_counter() - started
        process.terminate()
    return taken


def _plugin(command: Sequence[str]) -> subprocess.Popen[str]:
    # No engine serves this address; a plugin checks its engine only later.
    return subprocess.Popen([*command, "127.0.0.1:9"], stdout=subprocess.PIPE, text=True, env=dict(os.environ))  # noqa: S603


def _port(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None  # noqa: S101 (opened as a pipe above)
    return int(process.stdout.readline())
