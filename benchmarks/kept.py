"""The file of figures: JSON, with facts about the machine."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .figure import Figure

VERSIONS = ("pulumi", "grpcio", "httpx", "pydantic")


def machine() -> dict[str, Any]:
    """Return the facts about the machine that affect figures, without its name."""
    return {
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "commit": _said("git", "rev-parse", "--short", "HEAD"),
        "pulumi CLI": _said("pulumi", "version").removeprefix("v"),
        **{name: version(name) for name in VERSIONS},
    }


def _said(*command: str) -> str:
    """Return the output of a program, or an empty text if it is not on PATH."""
    if shutil.which(command[0]) is None:
        return ""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603


def read(path: Path) -> tuple[dict[str, Any], list[Figure]]:
    """Read the machine's facts and the figures of a file."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return found["machine"], [Figure(**each) for each in found["figures"]]


def write(path: Path, figures: Iterable[Figure]) -> None:
    """Write figures; keep those that were not measured, and the version of a CLI that is not on PATH."""
    new = list(figures)
    measured = {each.part for each in new}
    facts, before = read(path) if path.exists() else ({}, [])
    facts = {**facts, **{name: value for name, value in machine().items() if value}}
    kept = [each for each in before if each.part not in measured]
    lines = [json.dumps(_rounded(asdict(each)), ensure_ascii=False) for each in [*kept, *new]]
    text = ",\n".join(f"  {line}" for line in lines)
    path.write_text(f'{{"machine": {json.dumps(facts, indent=1)},\n"figures": [\n{text}\n]}}\n', encoding="utf-8")


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {name: _rounded(item) for name, item in value.items()}
    return [_rounded(item) for item in value] if isinstance(value, list) else value
