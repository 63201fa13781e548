"""Run the demo against a sandbox, and print at the end whether all checks passed."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("GRPC_VERBOSITY", "ERROR")  # no warnings about connections that end with a step

from rich.console import Console

from clouddb_tools.sandbox import Latency, Sandbox
from clouddb_tools.testing import Stack, StackError, stack_config

from .engine import ROOT, Engine, find_engine
from .stage import Stage
from .story import Story

LATENCY = Latency(provision=2, start=1, stop=1, delete=1)


def make_stack(engine: Engine, sandbox: Sandbox, folder: Path) -> Stack:
    """Return the quickstart as a stack that uses the sandbox and keeps all files in `folder`."""
    # No pacing: the sandbox does not enforce the limits of the real servers, and the demo stays short.
    return engine.stack(
        ROOT,
        name="demo",
        config={**stack_config(sandbox), "clouddb:pollIntervalSeconds": "0.5", "clouddb:pacing": "false"},
        env={"CLOUDDB_JOURNAL": str(folder / "journal"), "PYTHONDONTWRITEBYTECODE": "1"},
        work_dir=folder,
    )


def main() -> int:
    """Run all steps and return the exit status."""
    started = time.monotonic()
    # Record the printed text, to search it for secrets at the end.
    console = Console(record=True)
    with Sandbox(latency=LATENCY) as sandbox, tempfile.TemporaryDirectory(prefix="clouddb-demo-") as folder:
        stage = Stage(console, sandbox)
        stage.say(f"Sandbox: {sandbox.url}, a local server that implements the interface")
        with stage.moving("looking for the pulumi CLI"):
            engine = find_engine(stage.say)
        stage.say(engine.description)
        stack = make_stack(engine, sandbox, Path(folder))
        stack.progress = stage.show
        story = Story(stage, stack, sandbox)
        try:
            story.run()
        except StackError as error:
            stage.expect(False, str(error))
        stage.table()
        story.check_secrets(console.export_text(clear=False))
    return _ending(stage, time.monotonic() - started)


def _ending(stage: Stage, seconds: float) -> int:
    if stage.problems:
        stage.say(f"\n{len(stage.problems)} checks failed:", "bold red")
        for problem in stage.problems:
            stage.say(f"  {problem}", "red")
        return 1
    stage.say(f"All checks passed in {seconds:.0f} s. No secret was shown, and none is in state in plain text.")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
