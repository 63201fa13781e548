"""`CliStack`: the common interface over the real `pulumi` CLI."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pulumi_clouddb.engine.wire import codec, urns
from pulumi_clouddb.engine.wire.secret import Secret

from .cli_events import EventReader
from .process_group import OWN_GROUP, interrupt, kill
from .result import Diagnostic, ResourceState, Result
from .stack import Stack

POLL_SECONDS = 0.05
GRACE_SECONDS = 10.0
LAUNCHER = "pulumi-resource-pulumi-python"
LANGUAGE = "pulumi-language-python"


class CliStack(Stack):
    """Runs a program with the `pulumi` on PATH.

    All files of the CLI (state in a file backend, home, stack configuration) are in the work folder; nothing is written
    beside the program, downloaded or sent. Steps and diagnostics are read from the CLI's event log, where secrets are
    masked: `changed` of a step omits a property if only a secret in it differs, and the outputs of a preview contain
    masks instead of secrets.
    """

    _ready = False
    _written: Mapping[str, str | Secret] = MappingProxyType({})

    @staticmethod
    def available() -> bool:
        """Whether the CLI and its plugins for Python programs are on PATH."""
        return all(shutil.which(name) for name in ("pulumi", LANGUAGE, LAUNCHER))

    @property
    def resources(self) -> list[ResourceState]:
        """The resources of the state, including the stack itself, without provider resources."""
        if not self._ready:
            return []
        exported = self._cli("stack", "export", "--show-secrets", "--stack", self.name).stdout
        entries = json.loads(exported)["deployment"].get("resources") or []
        return [_resource(each) for each in entries if not each["type"].startswith(urns.PROVIDERS)]

    @property
    def state_file(self) -> Path:
        """The backend's checkpoint."""
        return self.work_dir / "backend" / ".pulumi" / "stacks" / self.project / f"{self.name}.json"

    @property
    def state_text(self) -> str:
        """The text of the backend's checkpoint."""
        return self.state_file.read_text(encoding="utf-8") if self.state_file.exists() else ""

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the CLI, with which other programs find this stack."""
        path = os.environ.get("PATH", os.defpath)
        return {
            **os.environ,
            **self.env,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{path}",
            "PULUMI_PYTHON_CMD": sys.executable,
            "PULUMI_BACKEND_URL": (self.work_dir / "backend").as_uri(),
            "PULUMI_HOME": str(self.work_dir / "home"),
            "PULUMI_CONFIG_PASSPHRASE": "test",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_DEBUG_COMMANDS": "true",  # shows the option --event-log
        }

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run any other command of the CLI on this stack, such as `command("import", "--file", "import.json")`.

        It runs in a folder beside the program, without prompts. A failure sets `returncode`.
        """
        self._prepare()
        return self._call(*words, "--stack", self.name)

    def _run(self, operation: str, refresh: bool, replace: Collection[str]) -> Result:
        self._prepare()
        log = self.work_dir / "events.json"
        log.unlink(missing_ok=True)
        options = [] if operation == "preview" else ["--yes", "--skip-preview"]
        command = [
            *("pulumi", operation, "--stack", self.name, "--cwd", str(self.program.root)),
            *("--config-file", str(self._home / f"Pulumi.{self.name}.yaml"), "--parallel", str(self.parallel)),
            *("--non-interactive", "--color", "never", "--event-log", str(log), *options),
            *(["--refresh"] if refresh else []),
            *(word for urn in replace for word in ("--replace", urn)),
        ]
        reader = EventReader(operation, self.progress)
        printed = self.work_dir / "output.txt"
        with printed.open("w", encoding="utf-8") as output:
            process = subprocess.Popen(  # noqa: S603 - a command of fixed words
                command,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                **OWN_GROUP,
            )
            try:
                _follow(log, process, reader)
            finally:
                _end(process)
        reader.result.ok = process.returncode == 0
        if not reader.result.ok and not reader.result.errors:
            reader.result.diagnostics.append(_plain_error(printed.read_text(encoding="utf-8")))
        if operation != "preview":
            reader.result.outputs = self.outputs
        return reader.result

    @property
    def _home(self) -> Path:
        return self.work_dir / "cli"

    def _prepare(self) -> None:
        """Create and configure the stack in a separate folder, so that no file is written beside the program."""
        if not self._ready:
            for folder in (self._home, self.work_dir / "backend", self.work_dir / "home"):
                folder.mkdir(exist_ok=True)
            (self._home / "Pulumi.yaml").write_text(f"name: {self.project}\nruntime: python\n", encoding="utf-8")
            if not self.state_text:
                self._cli("stack", "init", self.name)
            self._ready = True
        for key in self._written.keys() - self.config.keys():
            self._cli("config", "rm", key, "--stack", self.name)
        new = {key: value for key, value in self.config.items() if self._written.get(key) != value}
        plain = [f"{key}={value}" for key, value in new.items() if not isinstance(value, Secret)]
        if plain:
            words = [word for each in plain for word in ("--plaintext", each)]
            self._cli("config", "set-all", *words, "--stack", self.name)
        for key, value in new.items():
            # On standard input, because other users of this machine can read a command's arguments.
            if isinstance(value, Secret):
                self._cli("config", "set", key, "--secret", "--stack", self.name, text=value.value)
        self._written = dict(self.config)

    def _cli(self, *words: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        done = self._call(*words, text=text)
        if done.returncode:
            raise RuntimeError(f"pulumi {words[0]} {words[1]} failed: {done.stderr.strip()}")
        return done

    def _call(self, *words: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603 - the caller's own words
            ["pulumi", *words, "--non-interactive", "--cwd", str(self._home)],  # noqa: S607 - the CLI on PATH is meant
            env=self.environment,
            input=text or "",
            capture_output=True,
            encoding="utf-8",
            check=False,
        )


def _follow(log: Path, process: subprocess.Popen[bytes], reader: EventReader) -> None:
    rest, position = "", 0
    ended = False
    while not ended:
        ended = process.poll() is not None
        if log.exists():
            with log.open(encoding="utf-8") as file:
                file.seek(position)
                rest += file.read()
                position = file.tell()
            *lines, rest = rest.split("\n")
            for line in lines:
                reader.line(line)
        if not ended:
            time.sleep(POLL_SECONDS)
    if rest.strip():
        reader.line(rest)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stop a command that is still running, with its child processes."""
    if process.poll() is None:
        interrupt(process)
        try:
            process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            kill(process)
    process.wait()


def _plain_error(printed: str) -> Diagnostic:
    lines = [line.removeprefix("error: ") for line in printed.splitlines() if line.startswith("error: ")]
    return Diagnostic("error", "\n".join(lines) or printed.strip())


def _resource(entry: dict[str, Any]) -> ResourceState:
    return ResourceState(
        urn=entry["urn"],
        type=entry["type"],
        name=urns.name(entry["urn"]),
        id=entry.get("id", ""),
        inputs=codec.read(entry.get("inputs") or {}),
        outputs=codec.read(entry.get("outputs") or {}),
        parent=entry.get("parent", ""),
        dependencies=tuple(entry.get("dependencies") or ()),
        protect=bool(entry.get("protect")),
        external=bool(entry.get("external")),
        delete=bool(entry.get("delete")),
    )
