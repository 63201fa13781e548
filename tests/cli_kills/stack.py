"""A stack of the real CLI that is quickly created, can be interrupted, and can move to another machine."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import CliStack, Secret, stack_config
from clouddb_tools.testing.cli_events import EventReader
from clouddb_tools.testing.result import Diagnostic, Result
from pulumi_clouddb.schema.config import environment_name

from .processes import end_of

QUICK = Path(__file__).parent / "quick"
REQUEST_SECONDS, POLL_SECONDS = 5, 0.2
SETTINGS = {
    "clouddb:requestTimeoutSeconds": str(REQUEST_SECONDS),
    "clouddb:retryTimeoutSeconds": "2",
    "clouddb:pollIntervalSeconds": str(POLL_SECONDS),
}
LATEST_COMMIT_SECONDS = REQUEST_SECONDS + 4 * POLL_SECONDS
"""Time in which the server can carry out a request; another machine starts later."""


class InterruptedStack(CliStack):
    """A stack whose CLI is interrupted.

    Args:
        template: A folder with a new stack for that server to copy; created if it does not exist.
    """

    def __init__(self, program: str, sandbox: Sandbox, folder: Path, template: Path, parallel: int) -> None:
        self.home = folder / "home"
        config = {**stack_config(sandbox), **SETTINGS}
        if not template.exists():
            CliStack(program, config=config, work_dir=template)._prepare()
            shutil.rmtree(template / "program")
        shutil.copytree(template, folder)
        super().__init__(program, config=config, work_dir=folder, parallel=parallel)
        self._ready, self._written = True, config
        self._commands = 0

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the CLI, with bytecode of Python and with the fake pip."""
        kept = {name: value for name, value in super().environment.items() if name != "PYTHONDONTWRITEBYTECODE"}
        return {**kept, "PULUMI_HOME": str(self.home), "PYTHONPATH": str(QUICK)}

    @property
    def journal(self) -> Path:
        """The folder of the pending creates."""
        return Path(self.env["CLOUDDB_JOURNAL"])

    @property
    def printed(self) -> str:
        """The output of the last command, without the CLI's own log."""
        lines = self._terminal.read_text("utf-8", errors="replace").splitlines()
        return "\n".join(line for line in lines if not line.startswith('{"time":'))

    @property
    def _terminal(self) -> Path:
        return self.work_dir / f"terminal{self._commands}.txt"

    def begin(self, operation: str, *options: str) -> subprocess.Popen[bytes]:
        """Start a command in a new session, as a terminal does."""
        self._commands += 1
        with self._terminal.open("wb") as output:
            return subprocess.Popen(
                [
                    *("pulumi", operation, *options, "--stack", self.name),
                    *("--cwd", str(self.program.root), "--parallel", str(self.parallel)),
                    *("--config-file", str(self._home / f"Pulumi.{self.name}.yaml")),
                    *("--non-interactive", "--color", "never", "--logtostderr", "-v=3"),
                    *([] if operation == "preview" else ["--yes", "--skip-preview"]),
                ],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def _run(self, operation: str, refresh: bool, replace: Collection[str]) -> Result:
        """Run a command until all its processes have ended, or until the timeout."""
        log = self.work_dir / f"events{self._commands}.json"
        options = [*(["--refresh"] if refresh else []), *(word for urn in replace for word in ("--replace", urn))]
        command = self.begin(operation, "--event-log", str(log), *options)
        left = end_of(command)
        reader = EventReader(operation, None)
        for line in log.read_text("utf-8").splitlines() if log.exists() and not left else ():
            reader.line(line)
        reader.result.ok = command.returncode == 0 and not left
        if not reader.result.ok and not reader.result.errors:
            reader.result.diagnostics.append(Diagnostic("error", f"{left or ''} {self.printed[-2000:]}"))
        return reader.result

    def move(self) -> None:
        """Continue as another machine, with the backend, the program and the configuration only."""
        shutil.rmtree(self.journal, ignore_errors=True)
        self.home = self.work_dir / "other-home"
        self.home.mkdir()

    def unlock(self) -> None:
        """Run `pulumi cancel` if the stack is locked, as a user does after the CLI was killed."""
        if any((self.work_dir / "backend" / ".pulumi" / "locks").rglob("*.json")):
            self.command("cancel", "--yes")

    def doctor(self) -> str:
        """Return the output of `clouddb doctor`."""
        plain = {key: each.value if isinstance(each, Secret) else each for key, each in self.config.items()}
        settings = {environment_name(key.removeprefix("clouddb:")): value for key, value in plain.items()}
        command = [str(Path(sys.executable).parent / "clouddb"), "doctor", "--duplicates"]
        done = subprocess.run(
            command, env={**self.environment, **settings}, capture_output=True, text=True, check=False
        )
        return done.stdout

    def repair(self) -> bool:
        """Delete a truncated file beside the state file, as a user would; return whether there was one.

        The file backend replaces the state file atomically, but not the `.attrs` beside it (seen with 3.260). An empty
        one makes every command fail with "failed to load checkpoint: EOF"; the commands succeed without it.
        """
        beside = self.state_file.with_name(f"{self.state_file.name}.attrs")
        try:
            json.loads(beside.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return False
        except ValueError:
            beside.unlink()
            return True
        return False

    def checkpoint(self) -> dict[str, Any]:
        """Return the state from the backend, without the CLI, which may be locked out."""
        text = self.state_text
        return dict(json.loads(text)["checkpoint"].get("latest") or {}) if text else {}

    def records(self) -> list[dict[str, Any]]:
        """Return the records of pending creates."""
        return [json.loads(each.read_text("utf-8")) for each in self.journal.glob("*.json")]

    def written(self) -> Iterator[tuple[Path, str]]:
        """Yield every file of the stack except its program: state and its history, records, logs, output."""
        for file in self.work_dir.rglob("*"):
            if file.is_file() and self.program.root not in file.parents:
                yield file.relative_to(self.work_dir), file.read_text("utf-8", errors="replace")
