"""Sets the stage for the story, and says at the end whether it went as told."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("GRPC_VERBOSITY", "ERROR")  # connections that end with a step are no news

from rich.console import Console

from pulumi_clouddb.sandbox import Latency, Sandbox
from pulumi_clouddb.testing import Stack, StackError, stack_config

from .engine import ROOT, Engine, find_engine
from .stage import Stage
from .story import Story

LATENCY = Latency(provision=2, start=1, stop=1, delete=1)


def make_stack(engine: Engine, sandbox: Sandbox, folder: Path) -> Stack:
    """Return the quickstart as a stack that points at the sandbox and keeps everything in `folder`."""
    # No pacing: the sandbox does not hold callers to the limits of the real servers, and the demo is short.
    return engine.stack(
        ROOT,
        name="demo",
        config={**stack_config(sandbox), "clouddb:pollIntervalSeconds": "0.5", "clouddb:pacing": "false"},
        env={"CLOUDDB_JOURNAL": str(folder / "journal"), "PYTHONDONTWRITEBYTECODE": "1"},
        work_dir=folder,
    )


def main() -> int:
    """Tell the story and return the exit status."""
    started = time.monotonic()
    # What is shown is kept, to look for secrets in it at the end.
    console = Console(record=True)
    with Sandbox(latency=LATENCY) as sandbox, tempfile.TemporaryDirectory(prefix="clouddb-demo-") as folder:
        stage = Stage(console, sandbox)
        stage.say(f"Sandbox: {sandbox.url}, a server on this machine that speaks the interface")
        with stage.moving("looking for the pulumi CLI"):
            engine = find_engine(stage.say)
        stage.say(engine.told)
        stack = make_stack(engine, sandbox, Path(folder))
        stack.progress = stage.show
        story = Story(stage, stack, sandbox)
        try:
            story.tell()
        except StackError as error:
            stage.expect(False, str(error))
        stage.table()
        story.check_secrets(console.export_text(clear=False))
    return _ending(stage, time.monotonic() - started)


def _ending(stage: Stage, seconds: float) -> int:
    if stage.problems:
        stage.say(f"\n{len(stage.problems)} things were not as told:", "bold red")
        for problem in stage.problems:
            stage.say(f"  {problem}", "red")
        return 1
    stage.say(f"All as told, in {seconds:.0f} s. No secret was shown, and none is in state in clear.")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
