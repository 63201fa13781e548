"""Playing a case: a calm beginning, the command in which something goes wrong, one calm command, and what must hold."""

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
from support.bucket import Bucket
from support.grpc_driver import Later
from support.judge import undescribed
from support.warm import WarmInterpreter

from .case import COMMANDS, CREATES, Case, Setup
from .console import neighbour, works
from .engine import Outcome, Stack
from .front_ends import FRONT_ENDS, Provider
from .refusals import Advice, reason
from .running import Objects, RunningSandbox, alike, differences, touched
from .subjects import CANARY

QUICK = {"clouddb:requestTimeoutSeconds": "1", "clouddb:retryTimeoutSeconds": "1"}
"""Settings of a command that meets a fault: it is given up soon."""

PATIENT = {"clouddb:requestTimeoutSeconds": "20", "clouddb:retryTimeoutSeconds": "20"}
"""Settings of a calm command: a busy machine is no fault."""

LATE_MARGIN_SECONDS = 0.3
LONGEST_ADVICE = 3
LATER_SECONDS = 60.0
"""So much later, by the server's clock, nothing that was sent before can have been carried out."""

NOBODY = "http://127.0.0.1:9"
LINES_OF_AN_ERROR = 2
UNEXPECTED = ("Traceback", "fault of pulumi-clouddb")
"""What no message of an expected problem says."""


def comes_with_a_service(kind: str, id_: str) -> bool:
    """Return whether an object is there because a service is: what each stack has names the service in its id."""
    return kind in ("pipes", "pipe_cdc_scalings", "sources") or ":" in id_


@dataclass
class End:
    """How a life without any trouble ends: what the others must end like.

    Attributes:
        requests: The operations that it asked for, in order, and the status of each answer.
        own: The server's documents.
        state: State.
        story: What happened.
    """

    requests: list[tuple[str, int]]
    own: Any
    state: Any
    story: Story


@dataclass
class Story:
    """What happened in a case, and what was wrong with it.

    Attributes:
        lines: What happened, in order.
        problems: What must not be.
        refused: The refusal that was allowed, if there was one.
    """

    lines: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    refused: str = ""


class Player:
    """Plays cases on one server, one after the other.

    Args:
        running: The server.
        warm: What starts the providers.
        debug: Whether the providers run with CLOUDDB_DEBUG, which shows tracebacks.
        bucket: Where two machines share their pending creates: what goes wrong happens on one, the rest on the other.
    """

    def __init__(
        self, running: RunningSandbox, warm: WarmInterpreter, *, debug: bool = False, bucket: Bucket | None = None
    ) -> None:
        self._running = running
        self._sandbox = running.sandbox
        self._warm = warm
        self._debug = debug
        self._bucket = bucket

    def calm(self, setup: Setup) -> End:
        """Play a life without any trouble."""
        life = _Life(self, setup)
        try:
            life.begin()
            life.command(COMMANDS[setup.operation])
            requests = [(str(each.operation), each.status or 0) for each in self._sandbox.requests]
            life.finish()
            return End(requests, life.own_documents(), life.state(), life.story)
        finally:
            life.close()

    def play(self, case: Case, end: End) -> Story:
        """Play a case."""
        life = _Life(self, case.setup)
        try:
            life.begin()
            # A process that is to be killed must still hang then, however late the signal comes on a busy machine.
            life.settings = PATIENT if case.trouble.kill else QUICK
            self._faulted(life, case)
            if self._bucket:
                life.move()
            life.settings = PATIENT
            life.finish(case)
            life.compare(end)
        except Exception as error:  # noqa: BLE001 (told as a problem of this case, with its story)
            life.story.problems.append(f"{type(error).__name__}: {error}")
        finally:
            life.close()
        life.story.problems = [each for each in life.story.problems if each not in end.story.problems]
        return life.story

    def _faulted(self, life: _Life, case: Case) -> None:
        trouble, command = case.trouble, COMMANDS[case.setup.operation]
        if trouble.name == "refused":
            life.command(command, {"clouddb:baseUrl": NOBODY, "clouddb:stackUrl": NOBODY}, fails=True)
            return
        if trouble.name == "state-lost":
            kept = dict(life.stack.entries)
            life.stack.dies = True
            life.command(command, dies=True)
            life.stack.dies = False
            life.stack.entries = kept
            return
        more: dict[str, Any] = {"after": case.after} if case.after else {}
        if trouble.kind != "lag":
            more["times"] = None if trouble.lasting else 1
        if trouble.stranger == "during":
            self._sandbox.fault(case.request, "delay", wait=0.5, **({"after": case.after} if case.after else {}))
        self._sandbox.fault(case.request, trouble.kind, **{**more, **trouble.details})
        if trouble.kill or trouble.stranger == "during":
            life.interrupted(command, kill=trouble.kill)
        else:
            life.command(command, fails=True)
        asked = Counter(str(each.operation) for each in self._sandbox.requests)
        # How often a wait polls is a matter of time: a poll that was not needed cannot fail.
        if asked[case.request] > case.after and not any(each.fault for each in self._sandbox.requests):
            life.story.problems.append("the fault did not happen")
        if trouble.stranger == "after":
            life.stranger(alike=False)
            self._sandbox.advance(LATER_SECONDS)
            life.stranger()
        self._sandbox.clear_faults()
        if trouble.name in ("late", "kill-late"):
            life.late = time.monotonic() + float(trouble.details["wait"])


class _Life:
    """One object's life."""

    def __init__(self, player: Player, setup: Setup) -> None:
        self._player = player
        self._running, self._sandbox = player._running, player._sandbox
        self.setup = setup
        self.stack = Stack()
        self.story = Story()
        self.late = 0.0
        self.settings: Mapping[str, str] = PATIENT
        self._base = self._folder = Path(tempfile.mkdtemp(prefix="clouddb-faults-"))
        self._env = {"CLOUDDB_DEBUG": "1"} if player._debug else {}
        self._bucket = player._bucket
        if self._bucket:
            self._env |= {**self._bucket.env, FOLDER_VARIABLE: self._bucket.at(self._base.name)}
            self.move()
        self._texts: list[str] = []
        self._secrets: set[str] = {CANARY, self._sandbox.key_secret, self._sandbox.stack_token}

    def move(self) -> None:
        """Go on with another machine, whose disk is empty."""
        self._folder = self._base / f"machine-{len(list(self._base.iterdir()))}"
        self._folder.mkdir()
        self._env["PULUMI_HOME"] = str(self._folder / "home")
        self.story.lines.append(f"on {self._folder.name}:")

    def begin(self) -> None:
        """Start from an empty sandbox, and make what the operation needs to exist."""
        subject = self.setup.subject
        self._running.clear()
        self._names = dict(subject.setting(self._sandbox))
        self._before = subject.wanted(subject.before, self._names)
        self._after = subject.wanted(subject.after, self._names)
        neighbour(self._sandbox, self._before, subject.kind)
        self._there: Objects = self._running.objects()
        self.program = [] if self.setup.operation == "delete" else [self._before]
        if self.setup.operation not in CREATES:
            self._ask(lambda driver: self.stack.up(driver, [self._before]), "up", {})
            if self.story.problems or set(self.stack.entries) != {"it"}:
                told = "\n".join([*self.story.lines, *self.story.problems])
                raise AssertionError(f"the calm beginning of {self.setup} failed:\n{told}")
        if self.setup.operation == "update":
            self.program = [self._after]
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
        """Run a command of the engine, in a provider process of its own."""
        act: Callable[[Provider], Outcome] = {
            "up": lambda driver: self.stack.up(driver, self.program),
            "destroy": self.stack.destroy,
            "refresh": self.stack.refresh,
            "preview, refresh, preview": self._nothing_changes,
        }[name]
        return self._ask(act, name, config or {}, fails=fails, dies=dies)

    def interrupted(self, name: str, *, kill: bool) -> None:
        """Run a command; as soon as the fault is there, kill the provider, or let a stranger make an object."""
        driver = self._start({})
        act = self.stack.destroy if name == "destroy" else self.stack.refresh if name == "refresh" else None
        running = Later(act or (lambda driver: self.stack.up(driver, self.program)), driver)
        try:
            while not any(each.fault for each in self._sandbox.requests) and running.is_alive():
                running.join(0.005)
            if kill:
                os.kill(driver.pid, signal.SIGKILL)
                self.story.lines.append("kill -9 of the provider")
            else:
                self.stranger()
            outcome = running.result()
        finally:
            driver.stop(gently=not kill)
        self._note(name, outcome, driver, fails=True, killed=kill)

    def stranger(self, *, alike: bool = True) -> None:
        """Let a colleague make an object of the same name by hand, and of the same form if `alike`."""
        known = set(self._running.objects())
        neighbour(self._sandbox, self._before, self.setup.subject.kind, same_name=True, alike=alike)
        now = self._running.objects()
        new = {key: now[key] for key in now.keys() - known}
        self._there.update(new)
        self.story.lines.append(f"a colleague makes {', '.join(id_ for _, id_ in new)} by hand")

    def finish(self, case: Case | None = None) -> None:
        """Run the calm command, and look at everything."""
        operation = self.setup.operation
        self._search_pending()
        if self.late and operation not in CREATES:
            # What is carried out after a later request is a change behind the stack's back: a refresh comes first.
            self._wait_for_late_request()
            self.command("refresh")
        outcome = self.command("destroy" if operation == "delete" else "up", fails=case is not None)
        if outcome.errors and case is not None:
            self._follow(case, outcome.errors)
        self._wait_for_late_request()
        self._look_at_objects()
        if operation != "delete":
            self._look_at_secrets()
        self.command("preview, refresh, preview")
        self._search_pending()
        self._search()
        self.story.problems += undescribed(self._sandbox.requests)

    def _wait_for_late_request(self) -> None:
        time.sleep(max(0.0, self.late + LATE_MARGIN_SECONDS - time.monotonic()) if self.late else 0.0)

    def _follow(self, case: Case, errors: Sequence[str]) -> None:
        """Do what refusals advise, if this case may be refused; the objects that are nobody's are deleted."""
        for _ in range(LONGEST_ADVICE):
            error = "\n".join(errors)
            why = reason(case, error)
            objects = self._running.objects()
            advice = Advice.of(error, frozenset(id_ for _, id_ in objects))
            if not why or not advice.ids:
                break
            self.story.refused = why
            self.story.lines.append(f"that is allowed: {why}")
            for kind, id_ in objects.keys() - self._there.keys():
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
        self.story.problems.append("the calm up failed")

    def compare(self, end: End) -> None:
        """Compare the end with that of a calm life; where advice was followed, only the object."""
        for what, mine, calm in (
            ("the object", self.own_documents(), end.own),
            ("state", self.state(), end.state),
        ):
            if mine != calm and not (what == "state" and self.story.refused):
                self.story.problems.append(f"{what} differs from that of a calm life: {differences(calm, mine)}")

    def own_ids(self) -> set[tuple[str, str]]:
        """Return kind and id of what state holds."""
        return {
            (self.setup.subject.kind, str(each.outputs.get("alertId") or own_id(self.setup.subject.kind, each.id)))
            for each in self.stack.entries.values()
        }

    def own_documents(self) -> Any:
        """Return the server's documents of what state holds, as they are alike in all lives."""
        objects = self._running.objects()
        return [alike(objects.get(key)) for key in sorted(self.own_ids())]

    def state(self) -> Any:
        """Return state as it is alike in all lives."""
        return {name: (alike(strip(each.outputs)), sorted(each.outputs)) for name, each in self.stack.entries.items()}

    def close(self) -> None:
        """Leave nothing behind."""
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
                self.story.lines.append("the engine dies before it writes into state what came of this:")
                if not driver.lose_engine():
                    self.story.problems.append("the provider outlives its engine")
        finally:
            driver.stop(gently=fails)  # after a calm command, what a process leaves behind must not matter
        self._note(f"{name} ({time.monotonic() - started:.1f} s)", outcome, driver, fails=fails)
        return outcome

    def _note(self, name: str, outcome: Outcome, driver: Provider, *, fails: bool, killed: bool = False) -> None:
        said = [*outcome.errors, *outcome.changed] or ["nothing to do"]
        self.story.lines += [f"{name}: {'; '.join(said)}", *(f"  warning: {each}" for each in driver.warnings)]
        for entry in self.stack.entries.values():
            secrets = RESOURCES[entry.wanted.resource].type.secrets
            self._secrets.update(_texts(strip(entry.outputs.get(name)) for name in secrets))
        self._texts += [*outcome.errors, *driver.warnings, *driver.lines, self.stack.text]
        if outcome.errors and not fails:
            self.story.problems.append(f"a calm {name} failed")
        for error in outcome.errors if not killed and not self._player._debug else ():
            if len(error.splitlines()) > LINES_OF_AN_ERROR:
                self.story.problems.append(f"an error of more than {LINES_OF_AN_ERROR} lines")
            if any(each in error for each in UNEXPECTED) or "DEADLINE_EXCEEDED" in error or "Deadline" in error:
                self.story.problems.append("an unexpected error")

    # -- what must hold --------------------------------------------------------------------------------------------

    def _look_at_objects(self) -> None:
        subject, problems = self.setup.subject, self.story.problems
        objects = self._running.objects()
        own = self.own_ids()
        if (len(own) == 1) is (self.setup.operation == "delete"):
            problems.append(f"state holds {len(own)} objects")
        strangers = {key: value for key, value in self._there.items() if not (subject.stays and key in own)}
        problems += touched(strangers, objects)
        expected = set(self._there) | (set() if subject.stays else own)
        problems += [
            f"{kind} {id_} is a duplicate or left over"
            for kind, id_ in sorted(objects.keys() - expected)
            if not comes_with_a_service(kind, id_) or (kind == subject.kind == "sources" and ":" not in id_)
        ]
        problems += [f"{kind} {id_} is in state but not there" for kind, id_ in sorted(own - objects.keys())]

    def _look_at_secrets(self) -> None:
        for entry in self.stack.entries.values():
            if not works(self._sandbox, self.setup.subject.kind, entry.id, strip(entry.outputs)):
                self.story.problems.append("its secret does not work, or is not in state")

    def _nothing_changes(self, driver: Provider) -> Outcome:
        whole = Outcome()
        for command in ("preview", "refresh", "preview"):
            outcome = self.stack.refresh(driver) if command == "refresh" else self.stack.preview(driver, self.program)
            if outcome.changed:
                self.story.problems.append(f"{command} after the calm run is not empty: {outcome.changed}")
            whole.errors += outcome.errors
            whole.changed += outcome.changed
        return whole

    def _search_pending(self) -> None:
        for file in self._base.rglob("*"):
            if file.is_file():
                self._texts.append(file.read_text(encoding="utf-8", errors="replace"))
        if self._bucket:
            self._texts += self._bucket.texts(self._base.name)

    def _search(self) -> None:
        for secret in self._secrets - {""}:
            hits = [text for text in self._texts if secret in text]
            if hits:
                place = hits[0].find(secret)
                self.story.problems.append(f"a secret in plain text: {hits[0][max(0, place - 60) : place + 80]!r}")


def _texts(values: Any) -> list[str]:
    return [value for value in values if isinstance(value, str)]
