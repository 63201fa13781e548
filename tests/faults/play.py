"""Plays a case: the preparation, the command with the fault, one command without faults, and the checks."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lives.life import own_id
from pulumi_clouddb.create.pending_files import FOLDER_VARIABLE
from pulumi_clouddb.engine.wire.secret import strip
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.state import DOUBT
from support.bucket import Bucket
from support.grpc_driver import Later
from support.judge import undescribed
from support.warm import WarmInterpreter

from .case import COMMANDS, CREATES, Case, Setup
from .console import add_foreign, works
from .engine import Outcome, Stack
from .front_ends import FRONT_ENDS, Provider
from .refusals import OF_VERSIONS, Advice, may_publish_again, reason
from .running import Objects, RunningSandbox, changed_objects, differences, normalized, without
from .subjects import CANARY

SHORT_TIMEOUTS = {"clouddb:requestTimeoutSeconds": "1", "clouddb:retryTimeoutSeconds": "1"}
"""Settings of the command with the fault: short timeouts."""

LONG_TIMEOUTS = {"clouddb:requestTimeoutSeconds": "20", "clouddb:retryTimeoutSeconds": "20"}
"""Settings of a command without faults: long timeouts, for busy machines."""

LATE_MARGIN_SECONDS = 0.3
LONGEST_ADVICE = 3
LATER_SECONDS = 60.0
"""After this long on the server's clock, no earlier request can still be carried out."""

UNREACHABLE = "http://127.0.0.1:9"
MAX_ERROR_LINES = 2
UNEXPECTED = ("Traceback", "fault of pulumi-clouddb")
"""Texts that no error message may contain."""


def comes_with_a_service(kind: str, id_: str) -> bool:
    """Return whether an object is created with a service; defaults of an observability server have the service's id."""
    return kind in ("pipes", "pipe_cdc_scalings", "sources") or ":" in id_


@dataclass
class Baseline:
    """The result of a life without faults, which all cases of its setup must reach.

    Attributes:
        requests: The operation and the status of each request, in order.
        own: The server's records of its objects.
        state: State.
        log: The log.
    """

    requests: list[tuple[str, int]]
    own: Any
    state: Any
    log: CaseLog


@dataclass
class CaseLog:
    """The log of a case.

    Attributes:
        lines: The events in order.
        problems: The violations.
        refused: The reason for which the provider was allowed to fail with advice; empty if it did not.
    """

    lines: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    refused: str = ""


class Player:
    """Plays cases on one server, one after the other.

    Args:
        running: The server.
        warm: The interpreter that starts the providers.
        debug: Whether the providers run with CLOUDDB_DEBUG, which shows tracebacks.
        bucket: The bucket in which two machines share pending creates: the fault happens on one, the rest on the other.
    """

    def __init__(
        self, running: RunningSandbox, warm: WarmInterpreter, *, debug: bool = False, bucket: Bucket | None = None
    ) -> None:
        self._running = running
        self._sandbox = running.sandbox
        self._warm = warm
        self._debug = debug
        self._bucket = bucket

    def without_faults(self, setup: Setup) -> Baseline:
        """Play a life without faults."""
        life = _Life(self, setup)
        try:
            life.begin()
            life.command(COMMANDS[setup.operation])
            requests = [(str(each.operation), each.status or 0) for each in self._sandbox.requests]
            life.finish()
            return Baseline(requests, life.own_documents(), life.state(), life.log)
        finally:
            life.close()

    def play(self, case: Case, baseline: Baseline) -> CaseLog:
        """Play a case."""
        life = _Life(self, case.setup)
        try:
            life.begin()
            # A process must still wait when it is killed, even if the signal is late on a busy machine.
            life.settings = LONG_TIMEOUTS if case.fault.kill else SHORT_TIMEOUTS
            self._faulted(life, case)
            if self._bucket:
                life.move()
            life.settings = LONG_TIMEOUTS
            life.finish(case)
            life.compare(case, baseline)
        except Exception as error:  # noqa: BLE001 (a problem of this case)
            life.log.problems.append(f"{type(error).__name__}: {error}")
        finally:
            life.close()
        life.log.problems = [each for each in life.log.problems if each not in baseline.log.problems]
        return life.log

    def _faulted(self, life: _Life, case: Case) -> None:
        fault, command = case.fault, COMMANDS[case.setup.operation]
        if fault.name == "refused":
            life.command(command, {"clouddb:baseUrl": UNREACHABLE, "clouddb:stackUrl": UNREACHABLE}, fails=True)
            return
        if fault.name == "state-lost":
            kept = dict(life.stack.entries)
            life.stack.dies = True
            life.command(command, dies=True)
            life.stack.dies = False
            life.stack.entries = kept
            return
        more: dict[str, Any] = {"after": case.after} if case.after else {}
        if fault.kind != "lag":
            more["times"] = None if fault.lasting else 1
        if fault.other_user == "during":
            self._sandbox.fault(case.request, "delay", wait=0.5, **({"after": case.after} if case.after else {}))
        self._sandbox.fault(case.request, fault.kind, **{**more, **fault.details})
        if fault.kill or fault.other_user == "during":
            life.interrupted(command, kill=fault.kill)
        else:
            life.command(command, fails=True)
        counts = Counter(str(each.operation) for each in self._sandbox.requests)
        # The number of polls depends on time: a poll that was not sent cannot fail.
        if counts[case.request] > case.after and not any(each.fault for each in self._sandbox.requests):
            life.log.problems.append("the fault did not happen")
        if fault.other_user == "after":
            life.other_user(equal=False)
            self._sandbox.advance(LATER_SECONDS)
            life.other_user()
        self._sandbox.clear_faults()
        if fault.name in ("late", "kill-late"):
            life.late = time.monotonic() + float(fault.details["wait"])


class _Life:
    """The life of one object."""

    def __init__(self, player: Player, setup: Setup) -> None:
        self._player = player
        self._running, self._sandbox = player._running, player._sandbox
        self.setup = setup
        self.stack = Stack()
        self.log = CaseLog()
        self.late = 0.0
        self.settings: Mapping[str, str] = LONG_TIMEOUTS
        self._base = self._folder = Path(tempfile.mkdtemp(prefix="clouddb-faults-"))
        self._env = {"CLOUDDB_DEBUG": "1"} if player._debug else {}
        self._bucket = player._bucket
        if self._bucket:
            self._env |= {**self._bucket.env, FOLDER_VARIABLE: self._bucket.at(self._base.name)}
            self.move()
        self._texts: list[str] = []
        self._secrets: set[str] = {CANARY, self._sandbox.key_secret, self._sandbox.stack_token}

    def move(self) -> None:
        """Continue on another machine with an empty disk."""
        self._folder = self._base / f"machine-{len(list(self._base.iterdir()))}"
        self._folder.mkdir()
        self._env["PULUMI_HOME"] = str(self._folder / "home")
        self.log.lines.append(f"on {self._folder.name}:")

    def begin(self) -> None:
        """Empty the sandbox, and create the objects that the operation needs."""
        subject = self.setup.subject
        self._running.clear()
        self._names = dict(subject.setting(self._sandbox))
        self._before = subject.wanted(subject.before, self._names)
        self._after = subject.wanted(subject.after, self._names)
        add_foreign(self._sandbox, self._before, subject.kind)
        self._existing: Objects = self._running.objects()
        self.program = [] if self.setup.operation == "delete" else [self._before]
        if self.setup.operation not in CREATES:
            self._ask(lambda driver: self.stack.up(driver, [self._before]), "up", {})
            if self.log.problems or set(self.stack.entries) != {"it"}:
                text = "\n".join([*self.log.lines, *self.log.problems])
                raise AssertionError(f"the preparation of {self.setup} failed:\n{text}")
        if self.setup.operation == "update":
            self.program = [self._after]
        if self.setup.operation == "replace":
            self.program = [subject.wanted(subject.replacement, self._names)]
        if self.setup.operation == "create-resumed":
            self._sandbox.fault(subject.create_operation, "commit_then_hang")
            self.interrupted("up", kill=True)
        self._sandbox.clear_faults()
        self._sandbox.forget_requests()
        if self.setup.operation == "create-lost":
            self._sandbox.fault(subject.create_operation, "lose")

    def command(
        self, name: str, config: Mapping[str, str] | None = None, *, fails: bool = False, dies: bool = False
    ) -> Outcome:
        """Run a command of the engine in a new provider process."""
        act: Callable[[Provider], Outcome] = {
            "up": lambda driver: self.stack.up(driver, self.program),
            "destroy": self.stack.destroy,
            "refresh": self.stack.refresh,
            "preview, refresh, preview": self._check_no_changes,
        }[name]
        return self._ask(act, name, config or {}, fails=fails, dies=dies)

    def interrupted(self, name: str, *, kill: bool) -> None:
        """Run a command; at the fault, kill the provider, or create an object of another user."""
        driver = self._start({})
        act = self.stack.destroy if name == "destroy" else self.stack.refresh if name == "refresh" else None
        running = Later(act or (lambda driver: self.stack.up(driver, self.program)), driver)
        try:
            while not any(each.fault for each in self._sandbox.requests) and running.is_alive():
                running.join(0.005)
            if kill:
                os.kill(driver.pid, signal.SIGKILL)
                self.log.lines.append("kill -9 of the provider")
            else:
                self.other_user()
            outcome = running.result()
        finally:
            driver.stop(gently=not kill)
        self._log_result(name, outcome, driver, fails=True, killed=kill)

    def other_user(self, *, equal: bool = True) -> None:
        """Create another user's object of the same name, and with the same properties if `equal`."""
        added = add_foreign(self._sandbox, self._before, self.setup.subject.kind, same_name=True, equal=equal)
        # A lost request may be carried out at the same time: its object is not the other user's.
        self._existing.update({key: each for key, each in self._running.objects().items() if key[1] == added})
        self.log.lines.append(f"another user creates {added}")

    def finish(self, case: Case | None = None) -> None:
        """Run the command without faults, and check everything."""
        operation = self.setup.operation
        self._search_pending()
        if self.late and operation not in CREATES:
            # A late request changes the object without the stack's knowledge, so a refresh comes first.
            self._wait_for_late_request()
            self.command("refresh")
        outcome = self.command("destroy" if operation == "delete" else "up", fails=case is not None)
        if outcome.errors and case is not None:
            self._follow(case, outcome.errors)
        self._wait_for_late_request()
        self._check_objects()
        if operation != "delete":
            self._check_secrets()
        self.command("preview, refresh, preview")
        self._search_pending()
        self._search_secrets()
        self.log.problems += undescribed(self._sandbox.requests)

    def _wait_for_late_request(self) -> None:
        time.sleep(max(0.0, self.late + LATE_MARGIN_SECONDS - time.monotonic()) if self.late else 0.0)

    def _follow(self, case: Case, errors: Sequence[str]) -> None:
        """Follow the advice of errors, if this case may fail with advice; objects that belong to nobody are deleted."""
        for _ in range(LONGEST_ADVICE):
            error = "\n".join(errors)
            why = reason(case, error)
            objects = self._running.objects()
            advice = Advice.of(error, frozenset(id_ for _, id_ in objects))
            if not why or not advice.ids:
                break
            self.log.refused = why
            self.log.lines.append(f"allowed: {why}")
            for kind, id_ in objects.keys() - self._existing.keys():
                if id_ in advice.ids:
                    self._sandbox.remove(kind, id_)
            for file in advice.files:
                file.unlink(missing_ok=True)
            if advice.allow_duplicate:
                allowed = {**self._before.inputs, "allowDuplicateName": True}
                self.program = [replace(self._before, inputs=allowed)]
            errors = self.command("up", fails=True).errors
            if not errors:
                return
        self.log.problems.append("the up without faults failed")

    def compare(self, case: Case, baseline: Baseline) -> None:
        """Compare the result with that of a life without faults; after followed advice, only the object."""
        unlike = OF_VERSIONS if may_publish_again(case) else ()
        for what, now, before in (
            ("the object", self.own_documents(), baseline.own),
            ("state", self.state(), baseline.state),
        ):
            actual, expected = without(now, unlike), without(before, unlike)
            if actual != expected and not (what == "state" and self.log.refused):
                text = differences(expected, actual)
                self.log.problems.append(f"{what} differs from that of a life without faults: {text}")

    def own_ids(self) -> set[tuple[str, str]]:
        """Return the kind and the id of each object in state."""
        return {
            (self.setup.subject.kind, str(each.outputs.get("alertId") or own_id(self.setup.subject.kind, each.id)))
            for each in self.stack.entries.values()
        }

    def own_documents(self) -> Any:
        """Return the server's records of the objects in state, without values that differ between lives."""
        objects = self._running.objects()
        return [normalized(objects.get(key)) for key in sorted(self.own_ids())]

    def state(self) -> Any:
        """Return state without values that differ between lives, such as the number of an update in doubt."""
        outputs = {name: without(each.outputs, (DOUBT,)) for name, each in self.stack.entries.items()}
        return {name: (normalized(strip(each)), sorted(each)) for name, each in outputs.items()}

    def close(self) -> None:
        """Remove all files."""
        shutil.rmtree(self._base, ignore_errors=True)

    # -- commands --------------------------------------------------------------------------------------------------

    def _start(self, config: Mapping[str, str], *, forked: bool = True) -> Provider:
        full = {**self._sandbox.config, **self.settings, **config}
        return FRONT_ENDS[self.setup.front_end](self._player._warm if forked else None, full, self._folder, self._env)

    def _ask(
        self,
        act: Callable[[Provider], Outcome],
        name: str,
        config: Mapping[str, str],
        *,
        fails: bool = False,
        dies: bool = False,
    ) -> Outcome:
        started = time.monotonic()
        driver = self._start(config, forked=not dies)
        try:
            outcome = act(driver)
            if dies:
                self.log.lines.append("the engine dies before it writes the result to state:")
                if not driver.lose_engine():
                    self.log.problems.append("the provider outlives its engine")
        finally:
            driver.stop(gently=fails)  # leftovers of a process must not matter after a command without faults
        self._log_result(f"{name} ({time.monotonic() - started:.1f} s)", outcome, driver, fails=fails)
        return outcome

    def _log_result(self, name: str, outcome: Outcome, driver: Provider, *, fails: bool, killed: bool = False) -> None:
        results = [*outcome.errors, *outcome.changed] or ["no changes"]
        self.log.lines += [f"{name}: {'; '.join(results)}", *(f"  warning: {each}" for each in driver.warnings)]
        for entry in self.stack.entries.values():
            secrets = RESOURCES[entry.wanted.resource].type.secrets
            self._secrets.update(_texts(strip(entry.outputs.get(name)) for name in secrets))
        self._texts += [*outcome.errors, *driver.warnings, *driver.lines, self.stack.text]
        if outcome.errors and not fails:
            self.log.problems.append(f"{name} failed without a fault")
        for error in outcome.errors if not killed and not self._player._debug else ():
            if len(error.splitlines()) > MAX_ERROR_LINES:
                self.log.problems.append(f"an error of more than {MAX_ERROR_LINES} lines")
            if any(each in error for each in UNEXPECTED) or "DEADLINE_EXCEEDED" in error or "Deadline" in error:
                self.log.problems.append("an unexpected error")

    # -- checks ---------------------------------------------------------------------------------------------------

    def _check_objects(self) -> None:
        subject, problems = self.setup.subject, self.log.problems
        objects = self._running.objects()
        own = self.own_ids()
        if (len(own) == 1) is (self.setup.operation == "delete"):
            problems.append(f"state has {len(own)} objects")
        strangers = {key: value for key, value in self._existing.items() if not (subject.stays and key in own)}
        problems += changed_objects(strangers, objects)
        expected = set(self._existing) | (set() if subject.stays else own)
        problems += [
            f"{kind} {id_} is a duplicate or left over"
            for kind, id_ in sorted(objects.keys() - expected)
            if not comes_with_a_service(kind, id_) or (kind == subject.kind == "sources" and ":" not in id_)
        ]
        problems += [f"{kind} {id_} is in state, but not on the server" for kind, id_ in sorted(own - objects.keys())]

    def _check_secrets(self) -> None:
        for entry in self.stack.entries.values():
            if not works(self._sandbox, self.setup.subject.kind, entry.id, strip(entry.outputs)):
                self.log.problems.append("its secret does not work, or is not in state")

    def _check_no_changes(self, driver: Provider) -> Outcome:
        whole = Outcome()
        for command in ("preview", "refresh", "preview"):
            outcome = self.stack.refresh(driver) if command == "refresh" else self.stack.preview(driver, self.program)
            if outcome.changed:
                self.log.problems.append(f"{command} after the run without faults is not empty: {outcome.changed}")
            whole.errors += outcome.errors
            whole.changed += outcome.changed
        return whole

    def _search_pending(self) -> None:
        for file in self._base.rglob("*"):
            if file.is_file():
                self._texts.append(file.read_text(encoding="utf-8", errors="replace"))
        if self._bucket:
            self._texts += self._bucket.texts(self._base.name)

    def _search_secrets(self) -> None:
        for secret in self._secrets - {""}:
            hits = [text for text in self._texts if secret in text]
            if hits:
                place = hits[0].find(secret)
                self.log.problems.append(f"a secret in plain text: {hits[0][max(0, place - 60) : place + 80]!r}")


def _texts(values: Any) -> list[str]:
    return [value for value in values if isinstance(value, str)]
