"""One run: a command is interrupted, objects are compared with state and records, and one more command follows."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from clouddb_tools.testing import ResourceState, Result, Secret
from codegen.evidence import proofs
from faults.case import DIALECTS
from faults.console import works
from faults.play import comes_with_a_service
from faults.running import Objects, RunningSandbox, changed_objects
from support.five import dynamic_program, native_program

from . import moments
from .counts import Count
from .plan import DESTROY, FIRST_UP, SECOND_UP, Plan
from .processes import end_of, interrupt
from .programs import DESTROYED, KINDS, MARKED, SECRET, Item, Programs
from .stack import LATEST_COMMIT_SECONDS, InterruptedStack

MAX_ADVICE = 12
"""How often in a row the advice of errors is followed: each error may name only one object."""

ROOT = "pulumi:pulumi:Stack"
FAILED = "update failed"
"""The CLI's message for the whole command, in addition to the errors of resources."""

WRITERS = {"dynamic": dynamic_program, "native": native_program}


def play(plan: Plan, running: RunningSandbox, folder: Path, template: Path) -> Count:
    """Play a run on a server, and remove the folder."""
    began = time.monotonic()
    count = Count(plan)
    try:
        Run(plan, running, folder, template, count).play()
    except Exception as error:  # noqa: BLE001 (a problem of this run)
        count.other.append(f"{type(error).__name__}: {error}")
    count.seconds = time.monotonic() - began
    shutil.rmtree(folder, ignore_errors=True)
    return count


class Run:
    """One run.

    Args:
        template: A folder with a new stack for that server.
    """

    def __init__(self, plan: Plan, running: RunningSandbox, folder: Path, template: Path, count: Count) -> None:
        self.plan, self.count = plan, count
        self.running, self.sandbox = running, running.sandbox
        self.running.clear()
        moments.clear(self.sandbox)
        self.programs = Programs(plan, self.sandbox)
        self.existing: Objects = running.objects()
        self.edition = 0
        self.stack = InterruptedStack(self._text(), self.sandbox, folder, template, plan.parallel)
        self.open: set[tuple[str, str]] = set()

    def play(self) -> None:
        """Play the run."""
        if self.plan.command != FIRST_UP:
            self.stack.up()
            self.edition = 0 if self.plan.command == DESTROY else 1
            self.stack.set_program(self._text())
        self._interrupt()
        self._check_objects_at_once()
        if self.plan.disk_lost:
            latest = max((each.at for each in self.sandbox.requests), default=0.0)
            time.sleep(max(0.0, latest + LATEST_COMMIT_SECONDS - time.time()))
            self.stack.move()
        if self.stack.repair():
            self.count.torn.append(self.stack.state_file.name)
        self.stack.unlock()
        if self._run_last_command():
            self._check_result()

    def _text(self) -> str:
        return WRITERS[self.plan.front_end](self.programs.steps(self.edition))

    # -- the interruption ---------------------------------------------------------------------------------------------

    def _interrupt(self) -> None:
        plan, count = self.plan, self.count
        items = self.programs.items if plan.command == SECOND_UP else self.programs.of(0)
        self.sandbox.forget_requests()
        moments.prepare(self.sandbox, plan, items)
        command = self.stack.begin("destroy" if plan.command == DESTROY else "up")
        moments.wait_for(command, self.sandbox, plan, items)
        if not interrupt(command, plan):
            count.late.append(plan.stage)
        if left := end_of(command):
            count.other.append(f"did not end: {'; '.join(left.values())}")
        moments.clear(self.sandbox)
        count.log.append("-- requests of the interrupted command")
        count.log += [
            f"{each.number} {each.at:.2f} {each.operation} {(each.body or {}).get('name', '')} {each.path} "
            f"{each.status} {each.fault or ''} {each.ms}"
            for each in self.sandbox.requests
            if each.method != "GET" and not isinstance(each.body, str)
        ]
        count.log += ["-- the interrupted command", self.stack.printed]

    def _check_objects_at_once(self) -> None:
        """Check that every object of the run is in state or in a record."""
        checkpoint, records = self.stack.checkpoint(), self.stack.records()
        resources = checkpoint.get("resources") or []
        in_state = {(_kind(each["type"]), _id(each.get("id", ""))) for each in resources}
        by_id = {each["id"] for each in records if each.get("id")}
        by_name = {each["urn"].rpartition("::")[2] for each in records if not each.get("id")}
        pending = [
            f"{each['type']} {each['resource']['urn']} {each['resource'].get('id', '')}"
            for each in checkpoint.get("pending_operations") or []
        ]
        self.count.log += ["-- pending operations", *pending, "-- records", *map(str, records)]
        for (kind, id_), document in self._made().items():
            if (kind, id_) not in in_state and id_ not in by_id and document.get("name") not in by_name:
                shown = " (a pending operation names it)" if any(id_ in each for each in pending) else ""
                self.count.lost.append(f"at once: {kind} {document.get('name')} {id_}{shown}")
            if (kind, id_) not in in_state:
                self.open.add((kind, id_))

    def _made(self) -> Objects:
        """Return the objects that the run created."""
        return {
            key: document
            for key, document in self.running.objects().items()
            if key not in self.existing and not comes_with_a_service(*key) and key[0] in KINDS.values()
        }

    # -- the last command ---------------------------------------------------------------------------------------------

    def _run_last_command(self) -> bool:
        """Run one command without interruption; follow the advice of allowed errors, and run it again.

        Returns:
            Whether it succeeded.
        """
        result = self._run()
        for _ in range(MAX_ADVICE):
            if result.ok or not self._follow(result):
                break
            result = self._run()
        if not result.ok:
            self.count.other.append(f"the last command failed: {' | '.join(result.errors)}")
        elif self.plan.disk_lost:
            self._delete_what_another_machine_cannot_find()
        return result.ok

    def _run(self) -> Result:
        # An interrupted destroy is either finished or reverted. State may have deleted objects: then Pulumi advises a
        # refresh.
        interrupted = self.plan.command == DESTROY
        if interrupted and self.plan.seed % 3 > 0:
            self.edition = DESTROYED
            result = self.stack.destroy(expect_failure=True)
        else:
            result = self.stack.up(refresh=interrupted, expect_failure=True)
        self.count.log += ["-- the last command", self.stack.printed]
        return result

    def _follow(self, result: Result) -> bool:
        """Delete the objects that errors name, as they advise; return whether all errors are allowed."""
        made = self._made()
        named: set[tuple[str, str]] = set()
        for error in sorted({*result.errors} - {FAILED}):
            mine = {key for key in made if key[1] in error}
            if not mine or not all(self._may_refuse(kind, error) for kind, _ in mine):
                return False
            named |= mine
            self.count.refused.append(error)
        for key in named:
            self.sandbox.remove(*key)
        return True

    def _may_refuse(self, kind: str, error: str) -> bool:
        """Return whether docs/reliability.md allows an error for an existing object."""
        marked = kind in {KINDS[each] for each in MARKED}
        if marked and self.plan.dialect == DIALECTS[1]:
            return False
        if "exists already" in error:  # another machine has no record, and names of webhooks are unique
            return self.plan.disk_lost
        # The process that created it has died, or no response contains everything that was sent.
        return "nothing proves" in error and (marked or kind in self._unproven())

    def _unproven(self) -> set[str]:
        """Return the kinds whose responses lack the time of creation, or a property that was sent."""
        return {
            KINDS[proof.resource]
            for proof in proofs()
            if proof.resource in KINDS and proof.dialect.value == self.plan.dialect
            if proof.hidden or not proof.is_dated
        }

    def _delete_what_another_machine_cannot_find(self) -> None:
        """Delete the objects without a mark that are in no state; `clouddb doctor` must report them."""
        known = {(_kind(each.type), _id(each.id)) for each in self._resources()}
        kinds = {KINDS[each] for each in MARKED} if self.plan.dialect == DIALECTS[1] else set()
        made = {key: document for key, document in self._made().items() if key not in known and key[0] not in kinds}
        report = self.stack.doctor() if made else ""
        self.count.log += ["-- clouddb doctor", report]
        for (kind, id_), document in made.items():
            found = self.count.unmarked if id_ in report else self.count.unreported
            found.append(f"{kind} {document.get('name')} {id_}")
            self.sandbox.remove(kind, id_)

    def _resources(self) -> list[ResourceState]:
        return [each for each in self.stack.resources if each.type != ROOT]

    # -- the end ------------------------------------------------------------------------------------------------------

    def _check_result(self) -> None:
        """Check that program, state and server have the same objects, and that secrets work."""
        count = self.count
        made, resources = self._made(), self._resources()
        wanted = {each.name: each for each in self.programs.of(self.edition)}
        for resource in resources:
            if resource.name not in wanted or resource.delete:
                count.other.append(f"state has {resource.urn}{', to be deleted' if resource.delete else ''}")
        state = {each.name: each for each in resources if not each.delete}
        for name, item in wanted.items():
            if name not in state:
                count.lost.append(f"not in state: {name}")
            elif item.kind != "PipeScaling" and (KINDS[item.kind], _id(state[name].id)) not in made:
                count.lost.append(f"in state, not on the server: {name} {state[name].id}")
        known = {(_kind(each.type), _id(each.id)) for each in resources}
        count.adopted += [" ".join(key) for key in sorted(self.open & known)]
        for (kind, id_), document in made.items():
            if (kind, id_) not in known:
                count.duplicated.append(f"{kind} {document.get('name')} {id_}")
        changed = self.programs.overridden(self.edition)
        untouched = {key: document for key, document in self.existing.items() if key not in changed}
        count.changed += changed_objects(untouched, self.running.objects())
        self._check_no_changes()
        self._check_secrets(wanted, state, made)

    def _check_no_changes(self) -> None:
        if self.edition == DESTROYED:
            return
        preview = self.stack.preview(refresh=True, expect_failure=True)
        steps = [step for step in preview.steps if step.op != "same" and (step.op != "refresh" or step.changed)]
        if not preview.ok or steps or not preview.no_changes:
            self.count.other.append(f"preview --refresh: {[str(step) for step in steps]} {preview.errors}")

    def _check_secrets(self, wanted: dict[str, Item], state: dict[str, ResourceState], made: Objects) -> None:
        secrets = [self.sandbox.key_secret, self.sandbox.stack_token, SECRET]
        for name, item in wanted.items():
            kind = KINDS[item.kind]
            if name not in state or (kind, _id(state[name].id)) not in made:
                continue
            outputs = state[name].outputs
            plain = {key: each.value if isinstance(each, Secret) else each for key, each in outputs.items()}
            secrets += [plain[key] for key in ("password", "keySecret") if isinstance(plain.get(key), str)]
            if not works(self.sandbox, kind, _id(state[name].id), plain):
                self.count.broken.append(f"{name} {state[name].id}")
        for file, text in self.stack.written():
            self.count.leaked += [f"secret {number} in {file}" for number, each in enumerate(secrets) if each in text]


def _kind(type_: str) -> str:
    """Return the sandbox's collection for a type token of either front end."""
    return KINDS.get(type_.rpartition(":")[2], "")


def _id(id_: str) -> str:
    """Return an object's own id; the id of a resource can begin with that of a service."""
    return id_.rpartition("/")[2]
