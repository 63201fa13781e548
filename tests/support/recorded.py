"""Events of the real CLI, recorded in data/gitops."""

from __future__ import annotations

import json
from pathlib import Path

from pulumi.automation.events import EngineEvent

from clouddb_tools.commands.gitops.events import Collector

DATA = Path(__file__).parents[1] / "data" / "gitops"


def collected(name: str, *, live: bool = False) -> Collector:
    """Return a collector that has received the events of a recording."""
    collector = Collector(live=live)
    for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        collector(EngineEvent.from_json(json.loads(line)))
    return collector
