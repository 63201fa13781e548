"""A Pulumi project and one of its stacks, through Pulumi's Automation API."""

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

from clouddb_tools.commands.printing import echo
from clouddb_tools.commands.stack_config import PROJECT_FILES
from pulumi_clouddb.engine.wire import side_channels
from pulumi_clouddb.schema.config import CREDENTIALS

from .errors import CommandFailedError, NoProjectError
from .events import Collector, Progress
from .redaction import secrets_of
from .report import Kind, Message, Report

PRIVATE = 0o600
"""The mode of files that only their owner may read."""


@dataclass(frozen=True)
class PolicyPack:
    """The folder of a policy pack, and its configuration file."""

    path: Path
    config: Path | None = None


@dataclass(frozen=True)
class Run:
    """The result of an operation.

    Attributes:
        ok: Whether it succeeded.
        events: The events of the engine.
        printed: The output of the CLI, if it failed.
        taken: The keys of tile ids that the program uses, for a preview.
    """

    ok: bool
    events: Collector
    printed: str = ""
    taken: side_channels.TileKeys = field(default_factory=dict)

    def into(self, report: Report) -> None:
        """Copy the result into a report."""
        report.counts = self.events.counts
        report.resources = self.events.resources
        report.violations = self.events.violations
        report.messages = self.messages

    @property
    def messages(self) -> list[Message]:
        """The messages of the engine; after a failure without an error message, also the output of programs and CLI."""
        messages = self.events.messages
        if self.ok or any(each.severity == "error" for each in messages):
            return messages
        written = self.events.standard_error  # the CLI prints it, too
        lines = [*written, *(line for line in self.printed.splitlines() if line not in written)]
        return [*([Message(severity="error", text="\n".join(lines))] if lines else []), *messages]


class _Workspace(LocalWorkspace):
    """A workspace that does not change the user's selected stack: every command names its stack."""

    def select_stack(self, stack_name: str) -> None:
        """Do nothing; the first command that reads the stack reports that it does not exist."""

    @property
    def pulumi_version(self) -> str:  # type: ignore[override] # as the SDK itself does
        """The CLI's version; the SDK's for a CLI built from source, which has none."""
        return str(self.pulumi_command.version or version("pulumi"))


class Project:
    """One stack of the project in a folder; `config` is its configuration by key, with `value` and `secret`."""

    def __init__(self, folder: Path, stack: str) -> None:
        self.folder = folder.resolve()
        if not any((self.folder / name).is_file() for name in PROJECT_FILES):
            raise NoProjectError(f"{folder} contains no Pulumi.yaml: set the project's folder with --cwd")
        self.stack = stack
        self._command = _command()
        # First, as the CLI reports faults of the project, and a stack that does not exist.
        self.config = self._config(show_secrets=False)
        workspace = _Workspace(work_dir=str(self.folder), pulumi_command=self._command)
        self.name = workspace.project_settings().name
        self._stack = automation.Stack.select(stack, workspace)
        self._workspace = workspace
        self._marked_secrets: set[str] = set()

    def preview(
        self,
        packs: Sequence[PolicyPack],
        plan: Path | None = None,
        *,
        refresh: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> Run:
        """Preview an update, and save its plan.

        Args:
            packs: Policy packs to run.
            plan: The file for the plan.
            refresh: Whether to refresh the state in the preview.
            environment: Variables for the processes that Pulumi starts.
        """
        if plan:
            plan.touch(mode=PRIVATE)  # Pulumi keeps the mode of an existing file
        with _until_the_cli_ends(), tempfile.TemporaryDirectory(prefix="clouddb-keys-") as folder:
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
            if plan and run.ok:
                run.events.changed_inputs = _changed_inputs(plan)
            elif plan:
                plan.unlink(missing_ok=True)
            return replace(run, taken=side_channels.read_tile_keys(file))

    def up(self, plan: Path, packs: Sequence[PolicyPack], progress: Progress | None, *, refresh: bool = False) -> Run:
        """Apply the plan, and nothing else."""
        with _until_the_cli_ends(report=True):
            run = self._run(
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
            run.events.changed_inputs = _changed_inputs(plan)
            return run

    def drift(self) -> Run:
        """Compare the live objects with the state, and change neither."""
        with _until_the_cli_ends():
            return self._run(lambda events: self._stack.preview_refresh(on_event=events, color="never"), live=True)

    def deployment(self, *, show_secrets: bool = False) -> dict[str, Any]:
        """Return the exported state of the stack."""
        return dict(self._read("stack", "export", show_secrets=show_secrets)["deployment"] or {})

    def _config(self, *, show_secrets: bool) -> dict[str, dict[str, Any]]:
        return dict(self._read("config", "--json", show_secrets=show_secrets))

    @property
    def plaintext_credentials(self) -> list[str]:
        """The keys of this package's credentials that the configuration stores in plain text."""
        return sorted(key for key, each in self.config.items() if key in CREDENTIALS and not each.get("secret"))

    def settings(self) -> dict[str, str]:
        """Return the stack's configuration by key, with secrets decrypted."""
        entries = self._config(show_secrets=True)
        return {key: str(each["value"]) for key, each in entries.items() if "value" in each}

    def secrets(self) -> frozenset[str]:
        """Return all secret texts of the state, the configuration and the program in this run."""
        return secrets_of(self.deployment(show_secrets=True), self._config(show_secrets=True), self._marked_secrets)

    def _read(self, *command: str, show_secrets: bool) -> dict[str, Any]:
        arguments = [*command, "--stack", self.stack, *(["--show-secrets"] if show_secrets else [])]
        try:
            done = self._command.run(arguments, str(self.folder), {"PULUMI_SKIP_UPDATE_CHECK": "true"})
        except CommandError as error:
            message = f"Pulumi cannot read stack {self.stack!r} of {self.folder}: {_error_lines(error)}"
            raise CommandFailedError(message) from None
        return dict(json.loads(done.stdout))

    def _run(
        self,
        operation: Callable[[Collector], object],
        progress: Progress | None = None,
        *,
        live: bool = False,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> Run:
        events = Collector(progress, live=live)
        with side_channels.receive_secrets() as (variables, secrets):
            self._workspace.env_vars = {**environment, **variables}
            run = Run(True, events)
            try:
                operation(events)
            except CommandError as error:
                run = Run(False, events, _error_lines(error))
            except RuntimeError as error:  # The Automation API raises it if the CLI ended without a summary.
                run = Run(False, events, str(error))
            self._workspace.env_vars = {}
        self._marked_secrets |= secrets
        return run


def goals(plan: Path) -> dict[str, dict[str, Any]]:
    """Return the goal of each resource by URN, from a plan: it has what events do not show. Empty without a plan."""
    if not plan.is_file():
        return {}
    plans = json.loads(plan.read_text(encoding="utf-8")).get("resourcePlans") or {}
    return {urn: each.get("goal") or {} for urn, each in plans.items()}


_KINDS: dict[str, Kind] = {"adds": "add", "updates": "update", "deletes": "delete"}


def _changed_inputs(plan: Path) -> dict[str, dict[str, Kind]]:
    diffs = {urn: goal.get("inputDiff") or {} for urn, goal in goals(plan).items()}
    return {
        urn: {name: kind for part, kind in _KINDS.items() for name in diff.get(part) or ()}
        for urn, diff in diffs.items()
    }


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
            "pulumi is not on PATH: install the CLI, https://www.pulumi.com/docs/install/"
        ) from None


def _error_lines(error: CommandError) -> str:
    """Return the CLI's error lines, without the text that the Automation API adds."""
    lines = str(error).splitlines()
    errors = [line.strip() for line in lines if line.strip().removeprefix("stderr:").strip().startswith("error:")]
    plain = (line.removeprefix("stderr:").strip().removeprefix("error:").strip() for line in errors)
    return "\n".join(plain) or str(error).strip()


@contextmanager
def _until_the_cli_ends(*, report: bool = False) -> Iterator[None]:
    """Wait for the CLI on Ctrl-C or SIGTERM: it gets the signal, too, finishes running operations and saves the state.

    The Automation API would close the streams that its threads still read. A command that ends at once closes the
    streams to which the CLI writes: that kills it, and leaves the stack locked. Afterwards the command ends, unless a
    report shows what was carried out.
    """
    interrupts: list[int] = []

    def wait(number: int, _: object) -> None:
        interrupts.append(number)
        echo("Waiting for Pulumi to finish running operations.", err=True)

    try:
        previous = {each: signal.signal(each, wait) for each in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # Only the main thread can set signal handlers.
        yield
        return
    try:
        yield
    finally:
        for each, handler in previous.items():
            signal.signal(each, handler)
    if interrupts and not report:
        raise KeyboardInterrupt
