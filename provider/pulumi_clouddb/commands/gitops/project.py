"""A checkout's Pulumi project and one of its stacks, through Pulumi's Automation API."""

from __future__ import annotations

import json
import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pulumi import automation
from pulumi.automation import CommandError, LocalWorkspace, PulumiCommand
from pulumi.automation.errors import InvalidVersionError

from pulumi_clouddb.commands.printing import echo
from pulumi_clouddb.engine.wire import side_channels
from pulumi_clouddb.schema.config import CREDENTIALS

from .events import Collector, Progress
from .redaction import secrets_of
from .report import Message, Report

PRIVATE = 0o600
"""The mode of files that nobody but their owner may read."""


class NoProjectError(Exception):
    """The folder holds no Pulumi project."""


class CommandFailedError(Exception):
    """Pulumi could not be asked; the text is for the person at the terminal."""


@dataclass(frozen=True)
class PolicyPack:
    """A folder of policies, and the file that configures them."""

    path: Path
    config: Path | None = None


@dataclass(frozen=True)
class Run:
    """How an operation ended, with all that the engine said about it.

    Attributes:
        ok: Whether it succeeded.
        events: What the engine said.
        printed: What the CLI printed, if it failed.
        taken: Of a preview, the keys by which the program takes tile ids.
    """

    ok: bool
    events: Collector
    printed: str = ""
    taken: side_channels.TileKeys = field(default_factory=dict)

    def into(self, report: Report) -> None:
        """Put what happened into a report."""
        report.counts = self.events.counts
        report.resources = self.events.resources
        report.violations = self.events.violations
        report.messages = self.messages

    @property
    def messages(self) -> list[Message]:
        """What the engine told; what the CLI printed where the engine did not come to say why it failed."""
        told = self.events.messages
        if self.ok or any(each.severity == "error" for each in told):
            return told
        return [Message(severity="error", text=self.printed), *told]


class _Workspace(LocalWorkspace):
    """A workspace that leaves the user's selected stack alone: every command names its stack."""

    def select_stack(self, stack_name: str) -> None:
        """Do nothing; a stack that does not exist is reported by the first command that reads it."""

    @property
    def pulumi_version(self) -> str:  # type: ignore[override] # as the SDK itself does
        """The CLI's version; a CLI built from source has none, and is taken for as new as the SDK."""
        return str(self.pulumi_command.version or version("pulumi"))


class Project:
    """One stack of the project in a folder; `config` is its configuration by key, with `value` and `secret`."""

    def __init__(self, folder: Path, stack: str) -> None:
        self.folder = folder.resolve()
        if not any((self.folder / name).is_file() for name in ("Pulumi.yaml", "Pulumi.yml", "Pulumi.json")):
            raise NoProjectError(f"{folder} holds no Pulumi.yaml: name the project's folder with --cwd")
        self.stack = stack
        self._command = _command()
        # Asked for first: the CLI says what is wrong with a project, and that a stack does not exist.
        self.config = self._config(show_secrets=False)
        workspace = _Workspace(work_dir=str(self.folder), pulumi_command=self._command)
        self.name = workspace.project_settings().name
        self._stack = automation.Stack.select(stack, workspace)
        self._workspace = workspace
        self._told: set[str] = set()

    def preview(
        self,
        packs: Sequence[PolicyPack],
        plan: Path | None = None,
        *,
        refresh: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> Run:
        """Preview an update, and save the plan of it.

        Args:
            packs: Policy packs to run.
            plan: Where to save the plan.
            refresh: Whether to preview as if the live objects were in state already.
            environment: Variables for the processes that Pulumi starts.
        """
        if plan:
            plan.touch(mode=PRIVATE)  # Pulumi leaves the mode of a file that is there
        with tempfile.TemporaryDirectory(prefix="clouddb-keys-") as folder:
            file = Path(folder) / "keys"
            run = self._run(
                lambda events: self._stack.preview(
                    on_event=events,
                    color="never",
                    plan=str(plan) if plan else None,
                    refresh=refresh or None,
                    policy_packs=[str(pack.path) for pack in packs],
                    policy_pack_configs=[str(pack.config) for pack in packs if pack.config],
                ),
                environment={side_channels.KEYS_VARIABLE: str(file), **(environment or {})},
            )
            if plan and not run.ok:
                plan.unlink(missing_ok=True)
            return replace(run, taken=side_channels.read_tile_keys(file))

    def up(self, plan: Path, packs: Sequence[PolicyPack], progress: Progress | None, *, refresh: bool = False) -> Run:
        """Do what the plan holds, and nothing beyond it."""
        with _uninterrupted():
            return self._run(
                lambda events: self._stack.up(
                    on_event=events,
                    color="never",
                    plan=str(plan),
                    refresh=refresh or None,
                    show_secrets=False,
                    policy_packs=[str(pack.path) for pack in packs],
                    policy_pack_configs=[str(pack.config) for pack in packs if pack.config],
                ),
                progress,
            )

    def drift(self) -> Run:
        """Compare the live objects with the state, and change neither."""
        return self._run(lambda events: self._stack.preview_refresh(on_event=events, color="never"), live=True)

    def deployment(self, *, show_secrets: bool = False) -> dict[str, Any]:
        """Return the stack's state as it is exported."""
        words = ["stack", "export", "--stack", self.stack, *(["--show-secrets"] if show_secrets else [])]
        return dict(json.loads(self._ask(words))["deployment"] or {})

    def _config(self, *, show_secrets: bool) -> dict[str, dict[str, Any]]:
        words = ["config", "--json", "--stack", self.stack, *(["--show-secrets"] if show_secrets else [])]
        return dict(json.loads(self._ask(words)))

    @property
    def in_clear(self) -> list[str]:
        """The credentials of this package, by key, that the configuration holds in plain text."""
        return sorted(key for key, each in self.config.items() if key in CREDENTIALS and not each.get("secret"))

    def settings(self) -> dict[str, str]:
        """Return the stack's configuration by key, secrets in plain text."""
        told = self._config(show_secrets=True)
        return {key: str(each["value"]) for key, each in told.items() if "value" in each}

    def secrets(self) -> frozenset[str]:
        """Return every secret text that state and configuration hold, or that the program has marked in this run."""
        return secrets_of(self.deployment(show_secrets=True), self._config(show_secrets=True), self._told)

    def _ask(self, words: list[str]) -> str:
        try:
            return self._command.run([*words], str(self.folder), {"PULUMI_SKIP_UPDATE_CHECK": "true"}).stdout
        except CommandError as error:
            told = f"Pulumi cannot read stack {self.stack!r} of {self.folder}: {_said(error)}"
            raise CommandFailedError(told) from None

    def _run(
        self,
        operation: Callable[[Collector], object],
        progress: Progress | None = None,
        *,
        live: bool = False,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> Run:
        with side_channels.receive_secrets() as (listening, told):
            self._workspace.env_vars = {**environment, **listening}
            run = _run_of(operation, Collector(progress, live=live))
            self._workspace.env_vars = {}
        self._told |= told
        return run


def _run_of(operation: Callable[[Collector], object], events: Collector) -> Run:
    try:
        operation(events)
    except CommandError as error:
        return Run(False, events, _said(error))
    except RuntimeError as error:  # The Automation API's own, where the CLI ended without a summary.
        return Run(False, events, str(error))
    return Run(True, events)


def _command() -> PulumiCommand:
    try:
        return PulumiCommand()
    except InvalidVersionError as error:
        command = PulumiCommand(skip_version_check=True)
        if command.version is None:
            return command
        raise CommandFailedError(str(error)) from None
    except FileNotFoundError:
        raise CommandFailedError(
            "there is no pulumi on PATH: install the CLI, https://www.pulumi.com/docs/install/"
        ) from None


def _said(error: CommandError) -> str:
    """Return the CLI's error lines, without what the Automation API wraps around them."""
    lines = str(error).splitlines()
    errors = [line.strip() for line in lines if line.strip().removeprefix("stderr:").strip().startswith("error:")]
    plain = (line.removeprefix("stderr:").strip().removeprefix("error:").strip() for line in errors)
    return "\n".join(plain) or str(error).strip()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Wait for the CLI on Ctrl-C: it gets the signal too, and finishes what is under way and saves the state."""

    def wait(*_: object) -> None:
        echo("Waiting for Pulumi to finish what is under way.")

    try:
        before = signal.signal(signal.SIGINT, wait)
    except ValueError:  # Signals belong to the main thread.
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
