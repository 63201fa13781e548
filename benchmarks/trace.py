"""The files, functions and moves between files of one create: `make trace`.

For a create of a Service, a Dashboard, an Alert and a PipeScaling, as both front ends call it, this counts the files
that are entered, the functions that are called, and the moves from one file into another, by a call or a return. A
reader who follows the create makes the same moves, so what pydantic calls by itself is left out. "Above the funnel"
leaves out what happens within a request, too. `--json` prints the counts for machines.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from rich.console import Console
from rich.table import Table

import pulumi_clouddb
from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.client import Client
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.config import ProviderConfig

PACKAGE = str(Path(pulumi_clouddb.__file__).parent)
FUNNEL = Client.call.__code__
ABOVE, ALL = "above the funnel", "all"
COMPREHENSIONS = ("<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>")

SERVICE = {"name": "orders", "provider": "aws", "region": "us-east-1", "ipAccessList": [{"source": "203.0.113.0/24"}]}
SERIES = {"type": "time", "aggFn": "count", "where": "", "sourceId": "65f5e4a3b9e77c001a111111"}
DASHBOARD = {"name": "Errors", "tiles": [{"name": "all", "x": 0, "y": 0, "w": 4, "h": 3, "series": [SERIES]}]}
ALERT = {
    "name": "Too many",
    "threshold": 10,
    "interval": "5m",
    "thresholdType": "above",
    "channel": {"type": "webhook", "webhookId": "65f5e4a3b9e77c001a567890"},
}


@dataclass
class Count:
    """The counts of one create at one depth."""

    functions: set[CodeType] = field(default_factory=set)
    moves: Counter[str] = field(default_factory=Counter)
    """How often each file is moved into."""
    file: str = ""

    def enter(self, code: CodeType) -> None:
        """Count a call of a function, or a return to it."""
        if code.co_name not in COMPREHENSIONS:
            self.functions.add(code)
        if self.file and code.co_filename != self.file:
            self.moves[Path(code.co_filename).relative_to(PACKAGE).as_posix()] += 1
        self.file = code.co_filename

    @property
    def numbers(self) -> dict[str, int]:
        """The number of files, of functions, and of moves."""
        files = {code.co_filename for code in self.functions}
        return {"files": len(files), "functions": len(self.functions), "moves": self.moves.total()}


@contextmanager
def counted() -> Iterator[tuple[Count, Count]]:
    """Count the calls of this thread within a block: those above the funnel, and all."""
    above, everything = Count(), Count()
    requests = validations = 0

    def count(frame: FrameType, event: str, called: object) -> None:
        nonlocal requests, validations
        if event.startswith("c_") and is_of_pydantic(called):
            validations += 1 if event == "c_call" else -1
        if validations or event not in ("call", "return") or not is_ours(frame.f_code):
            return
        if frame.f_code is FUNNEL and event == "return":
            requests -= 1
        reached = frame if event == "call" else calling(frame)
        if reached is not None:
            everything.enter(reached.f_code)
            if not requests:
                above.enter(reached.f_code)
        if frame.f_code is FUNNEL and event == "call":
            requests += 1

    sys.setprofile(count)
    try:
        yield above, everything
    finally:
        sys.setprofile(None)


def is_ours(code: CodeType) -> bool:
    """Return whether a function is in the package's own source, and neither an import nor generated."""
    return code.co_filename.startswith(PACKAGE) and code.co_name != "<module>"


def is_of_pydantic(called: object) -> bool:
    """Return whether a built-in function is pydantic's: what it calls of the package is no move of a reader's."""
    return type(getattr(called, "__self__", None)).__module__.startswith("pydantic_core")


def calling(frame: FrameType) -> FrameType | None:
    """Return the nearest calling function of the package."""
    caller = frame.f_back
    while caller is not None and not is_ours(caller.f_code):
        caller = caller.f_back
    return caller


def measured() -> dict[str, tuple[Count, Count]]:
    """Return the counts above the funnel and in all, by the resource that is created."""
    with Sandbox(vocabulary="neutral", own_process=True) as sandbox:
        creates(sandbox)  # the first creates of a process fill its caches
        sandbox.reset()
        return creates(sandbox)


def creates(sandbox: Sandbox) -> dict[str, tuple[Count, Count]]:
    """Create one object of each resource."""
    counts: dict[str, tuple[Count, Count]] = {}
    with tempfile.TemporaryDirectory() as folder:
        settings = {name.removeprefix("clouddb:"): value for name, value in sandbox.config.items()}
        session = Session(ProviderConfig.model_validate(settings), scope="", warn=print, folder=Path(folder))

        def create(name: str, inputs: dict[str, Any]) -> tuple[str, dict[str, Any]]:
            checked = lifecycle.check(session, RESOURCES[name], inputs).inputs
            with counted() as counts[name]:
                return lifecycle.create(session.for_resource(f"urn:{name}"), RESOURCES[name], checked)

        service_id, _ = create("Service", SERVICE)
        dashboard_id, dashboard = create("Dashboard", DASHBOARD)
        create("Alert", {**ALERT, "dashboardId": dashboard_id, "tileId": dashboard["tileIds"]["all"]})
        create("PipeScaling", {"serviceId": service_id, "pipeId": sandbox.add_pipe(service_id)["id"], "replicas": 2})
    return counts


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trace", description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print the counts for machines")
    given, counts = parser.parse_args(), measured()
    if given.json:
        depths = {created: dict(zip((ABOVE, ALL), each, strict=True)) for created, each in counts.items()}
        print(json.dumps(depths, indent=1, default=lambda count: {**count.numbers, "moves into": count.moves}))
    else:
        table = Table("create of", ABOVE, ALL, title="files / functions / moves between files")
        for created, each in counts.items():
            table.add_row(created, *(" / ".join(map(str, count.numbers.values())) for count in each))
        Console().print(table)
