"""A machine for the tests of `clouddb doctor`: sets up faults, runs the command, and runs the advice of findings."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from typer.testing import CliRunner

from clouddb_tools.commands.main import app
from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.transport import trusted
from pulumi_clouddb.schema.config import environment_name

Finding = dict[str, str]

TRUST = ("SSL_CERT_FILE", "SSL_CERT_DIR")
PLACEHOLDER = re.compile(r"YOUR_[A-Z_.a-z]+")


def variables(config: Mapping[str, str]) -> dict[str, str]:
    """Return stack configuration as environment variables."""
    return {environment_name(name.removeprefix("clouddb:")): value for name, value in config.items()}


@dataclass
class Machine:
    """A machine with a fault.

    Attributes:
        stack: The stack whose configuration is checked, or None for the environment.
        values: The user's values for commands: by placeholder, or `stdin`.
        ends: Context managers that end with the test.
        renew: Repairs its server, for example by renewing its certificate.
        requests: The paths of the requests to a server of the test.
        own_process: Whether the command must run in a separate process.
    """

    sandbox: Sandbox
    folder: Path
    environment: dict[str, str]
    stack: str | None = None
    values: dict[str, str] = field(default_factory=dict)
    own_process: bool = False
    ends: ExitStack = field(default_factory=ExitStack)
    renew: Callable[[], object] = lambda: None
    requests: list[str] = field(default_factory=list)

    def doctor(self, *options: str) -> subprocess.CompletedProcess[str]:
        """Run the command in this process, which is faster, and return its result."""
        with _trust_of(self.environment), patch.dict(os.environ, self.environment, clear=True):
            result = CliRunner().invoke(app, self._words(*options))
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        self._no_secret_in(result.output)
        return subprocess.CompletedProcess(self._words(*options), result.exit_code, result.stdout)

    def doctor_process(self, *options: str) -> subprocess.CompletedProcess[str]:
        """Run the command in a new process, as a user does."""
        command = [sys.executable, "-m", "clouddb_tools.commands", *self._words(*options)]
        done = subprocess.run(
            command, env=self.environment, cwd=self.folder, capture_output=True, text=True, check=False, timeout=60
        )
        assert done.stderr == ""
        self._no_secret_in(done.stdout)
        return done

    def report(self) -> dict[str, Any]:
        """Run the command and return its report."""
        done = (self.doctor_process if self.own_process else self.doctor)("--json")
        report: dict[str, Any] = json.loads(done.stdout)
        assert report["exitCode"] == done.returncode
        return report

    def _no_secret_in(self, printed: str) -> None:
        for name in ("CLOUDDB_KEY_SECRET", "CLOUDDB_STACK_TOKEN"):
            assert self.environment.get(name, "pr0xy-pass") not in printed
        assert self.sandbox.key_secret not in printed
        assert self.sandbox.stack_token not in printed

    def _words(self, *options: str) -> list[str]:
        return ["doctor", *(["--stack", self.stack] if self.stack else []), *options]

    def findings(self, code: str) -> list[Finding]:
        """Run the command and return its findings of one kind."""
        return [each for each in self.report()["findings"] if each["code"] == code]

    def do(self, command: str) -> str:
        """Run the command of a finding in a shell, and return its output; its exports remain set."""
        text = PLACEHOLDER.sub(lambda match: self.values[match[0]], command)
        done = _in_shell(text, self)
        assert done.returncode == 0, f"{text}: {done.stderr}"
        return done.stdout


@contextmanager
def _trust_of(environment: Mapping[str, str]) -> Iterator[None]:
    """Reload the TLS context if the test changes it; otherwise a process loads it once, because that is slow."""
    own = any(environment.get(name) != os.environ.get(name) for name in TRUST)
    if own:
        trusted.cache_clear()
    yield
    if own:
        trusted.cache_clear()


def _in_shell(text: str, machine: Machine) -> subprocess.CompletedProcess[str]:
    after = machine.folder / "environment"
    done = subprocess.run(
        ["/bin/bash", "-c", f"set -e\n{text}\nenv -0 > {after}"],
        env=machine.environment,
        cwd=machine.folder,
        input=machine.values.get("stdin"),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if done.returncode == 0:
        entries = after.read_text(encoding="utf-8").split("\0")
        machine.environment = dict(each.split("=", 1) for each in entries if each)
    return done
