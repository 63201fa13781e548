"""Previews of the real CLI with the example's policy pack."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from clouddb_tools.testing import CliStack, Secret

ROOT = Path(__file__).parents[2]
PACK = ROOT / "examples" / "policy-pack"


@dataclass(frozen=True)
class Preview:
    """The result of a preview: whether it succeeded, its policy events by policy, and its output."""

    ok: bool
    violations: dict[str, list[dict[str, Any]]]
    remediations: dict[str, list[dict[str, Any]]]
    output: str


class Project:
    """A project whose previews run with the pack, with one stack.

    Args:
        folder: The folder for the project and the files of the CLI.
        main: The program's folder.
        stack: The name of the stack.
        config: Its configuration.
    """

    def __init__(self, folder: Path, main: Path, stack: str, config: Mapping[str, str | Secret]) -> None:
        self._folder, self._stack = folder, stack
        self._environment = CliStack(ROOT, work_dir=folder).environment
        for name in ("backend", "home", "project"):
            (folder / name).mkdir()
        settings = {"name": "clouddb-quickstart", "runtime": "python", "main": str(main)}
        (folder / "project" / "Pulumi.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
        self._pulumi("stack", "init", stack)
        words = []
        for key, value in config.items():
            words += (
                ["--secret", f"{key}={value.value}"] if isinstance(value, Secret) else ["--plaintext", f"{key}={value}"]
            )
        self._pulumi("config", "set-all", *words)

    def up(self) -> str:
        """Run `up`, which must succeed, without a pack, and return its output."""
        done = self._pulumi("up", "--yes", "--skip-preview")
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def preview(self, config: Mapping[str, Any] | None = None, **environment: str) -> Preview:
        """Preview with the example's pack and its configuration."""
        log, pack_config = self._folder / "events.json", self._folder / "config.json"
        log.unlink(missing_ok=True)
        pack_config.write_text(json.dumps(config or {}), encoding="utf-8")
        done = self._pulumi(
            *("preview", "--diff", "--event-log", str(log)),
            *("--policy-pack", str(PACK), "--policy-pack-config", str(pack_config)),
            **environment,
        )
        events = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
        kinds = ("policyEvent", "policyRemediationEvent")
        violations, remediations = ([each[kind] for each in events if kind in each] for kind in kinds)
        return Preview(done.returncode == 0, _by(violations), _by(remediations), done.stdout + done.stderr)

    def _pulumi(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["pulumi", *words, "--non-interactive", "--color", "never", "--cwd", str(self._folder / "project")]
            + (["--stack", self._stack] if words[1] != "init" else []),
            env={**self._environment, **environment},
            capture_output=True,
            text=True,
            check=False,
        )


def _by(events: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    return {name: [each for each in events if each["policyName"] == name] for name in {e["policyName"] for e in events}}
