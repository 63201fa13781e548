"""One run: a command is interrupted, what is there is compared with state and records, and a calm command follows."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from clouddb_tools.testing import ResourceState, Result, Secret
from codegen.evidence import proofs
from faults.case import DIALECTS
from faults.console import works
from faults.play import comes_with_a_service
from faults.running import Objects, RunningSandbox, touched
from support.five import dynamic_program, native_program

from . import moments
from .counts import Count
from .plan import DESTROY, FIRST_UP, SECOND_UP, Plan
from .processes import end_of, interrupt
from .programs import DESTROYED, KINDS, MARKED, SECRET, Item, Programs
from .stack import LATEST_COMMIT_SECONDS, InterruptedStack

MOST_ADVICE = 12
"""So many refusals in a row may be followed as they say: a command that is refused may name one object only."""

ROOT = "pulumi:pulumi:Stack"
FAILED = "update failed"
"""What the CLI says of the whole command beside the errors of its resources."""

WRITERS = {"dynamic": dynamic_program, "native": native_program}


def play(plan: Plan, running: RunningSandbox, folder: Path, template: Path) -> Count:
    """Play a run on a server; the folder is removed afterwards."""
    began = time.monotonic()
    count = Count(plan)
    try:
        Run(plan, running, folder, template, count).play()
    except Exception as error:  # noqa: BLE001 (told as a fault of this run, with its story)
        count.other.append(f"{type(error).__name__}: {error}")
    count.seconds = time.monotonic() - began
    shutil.rmtree(folder, ignore_errors=True)
    return count


class Run:
    """One run as it goes on.

    Args:
        template: A folder with a new stack for that server.
    """

    def __init__(self, plan: Plan, running: RunningSandbox, folder: Path, template: Path, count: Count) -> None:
        self.plan, self.count = plan, count
        self.running, self.sandbox = running, running.sandbox
        self.running.clear()
        moments.calm(self.sandbox)
        self.programs = Programs(plan, self.sandbox)
        self.there: Objects = running.objects()
        self.edition = 0
        self.stack = InterruptedStack(self._text(), self.sandbox, folder, template, plan.parallel)
        self.open: set[tuple[str, str]] = set()

    def play(self) -> None:
        """Play it."""
        if self.plan.command != FIRST_UP:
            self.stack.up()
            self.edition = 0 if self.plan.command == DESTROY else 1
            self.stack.set_program(self._text())
        self._interrupted()
        self._look_at_once()
        if self.plan.disk_lost:
            latest = max((each.at for each in self.sandbox.requests), default=0.0)
            time.sleep(max(0.0, latest + LATEST_COMMIT_SECONDS - time.time()))
            self.stack.move()
        if self.stack.mend():
            self.count.torn.append(self.stack.state_file.name)
        self.stack.unlock()
        if self._calm():
            self._look()

    def _text(self) -> str:
        return WRITERS[self.plan.front_end](self.programs.steps(self.edition))

    # -- the interruption ---------------------------------------------------------------------------------------------

    def _interrupted(self) -> None:
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
        moments.calm(self.sandbox)
        count.story.append("-- requests of the interrupted command")
        count.story += [
            f"{each.number} {each.at:.2f} {each.operation} {(each.body or {}).get('name', '')} {each.path} "
            f"{each.status} {each.fault or ''} {each.ms}"
            for each in self.sandbox.requests
            if each.method != "GET" and not isinstance(each.body, str)
        ]
        count.story += ["-- the interrupted command", self.stack.printed]

    def _look_at_once(self) -> None:
        """Find every object of the run in state or in a record."""
        checkpoint, records = self.stack.checkpoint(), self.stack.records()
        resources = checkpoint.get("resources") or []
        in_state = {(_kind(each["type"]), _id(each.get("id", ""))) for each in resources}
        by_id = {each["id"] for each in records if each.get("id")}
        by_name = {each["urn"].rpartition("::")[2] for each in records if not each.get("id")}
        pending = [
            f"{each['type']} {each['resource']['urn']} {each['resource'].get('id', '')}"
            for each in checkpoint.get("pending_operations") or []
        ]
        self.count.story += ["-- pending operations", *pending, "-- records", *map(str, records)]
        for (kind, id_), document in self._made().items():
            if (kind, id_) not in in_state and id_ not in by_id and document.get("name") not in by_name:
                shown = " (a pending operation names it)" if any(id_ in each for each in pending) else ""
                self.count.lost.append(f"at once: {kind} {document.get('name')} {id_}{shown}")
            if (kind, id_) not in in_state:
                self.open.add((kind, id_))

    def _made(self) -> Objects:
        """Return the objects that are there because of the run."""
        return {
            key: document
            for key, document in self.running.objects().items()
            if key not in self.there and not comes_with_a_service(*key) and key[0] in KINDS.values()
        }

    # -- the calm command ---------------------------------------------------------------------------------------------

    def _calm(self) -> bool:
        """Run one calm command; where it refuses as docs/reliability.md says, do as it says, and run it again.

        Returns:
            Whether it has ended well.
        """
        result = self._run()
        for _ in range(MOST_ADVICE):
            if result.ok or not self._follow(result):
                break
            result = self._run()
        if not result.ok:
            self.count.other.append(f"the calm command failed: {' | '.join(result.errors)}")
        elif self.plan.disk_lost:
            self._delete_what_another_machine_cannot_find()
        return result.ok

    def _run(self) -> Result:
        # A destroy that was interrupted is finished, or taken back. State may have what is deleted already: then Pulumi
        # says to refresh it.
        interrupted = self.plan.command == DESTROY
        if interrupted and self.plan.seed % 3 > 0:
            self.edition = DESTROYED
            result = self.stack.destroy(expect_failure=True)
        else:
            result = self.stack.up(refresh=interrupted, expect_failure=True)
        self.count.story += ["-- the calm command", self.stack.printed]
        return result

    def _follow(self, result: Result) -> bool:
        """Delete the objects that refusals name, as one of their ways on is; return whether all of them may be."""
        made = self._made()
        named: set[tuple[str, str]] = set()
        for error in sorted({*result.errors} - {FAILED}):
            mine = {key for key in made if key[1] in error}
            if not mine or not all(self._may_refuse(kind, error) for kind, _ in mine):
                return False
            named |= mine
            self.count.told.append(error)
        for key in named:
            self.sandbox.remove(*key)
        return True

    def _may_refuse(self, kind: str, error: str) -> bool:
        """Return whether docs/reliability.md says that an object that exists may be refused instead of adopted."""
        marked = kind in {KINDS[each] for each in MARKED}
        if marked and self.plan.dialect == DIALECTS[1]:
            return False
        if "exists already" in error:  # another machine has no record; servers have one webhook of a name
            return self.plan.disk_lost
        # The process that knew has died, or no response shows all that was sent.
        return "nothing proves" in error and (marked or kind in self._unproven())

    def _unproven(self) -> set[str]:
        """Return the kinds of which responses may not show their age, or all that was sent."""
        return {
            KINDS[proof.resource]
            for proof in proofs()
            if proof.resource in KINDS and proof.dialect.value == self.plan.dialect
            if proof.hidden or not proof.is_dated
        }

    def _delete_what_another_machine_cannot_find(self) -> None:
        """Delete the objects without a mark that no state lists, as `clouddb doctor` says, which must name them."""
        known = {(_kind(each.type), _id(each.id)) for each in self._resources()}
        kinds = {KINDS[each] for each in MARKED} if self.plan.dialect == DIALECTS[1] else set()
        made = {key: document for key, document in self._made().items() if key not in known and key[0] not in kinds}
        said = self.stack.doctor() if made else ""
        self.count.story += ["-- clouddb doctor", said]
        for (kind, id_), document in made.items():
            found = self.count.unmarked if id_ in said else self.count.untold
            found.append(f"{kind} {document.get('name')} {id_}")
            self.sandbox.remove(kind, id_)

    def _resources(self) -> list[ResourceState]:
        return [each for each in self.stack.resources if each.type != ROOT]

    # -- the end ------------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Hold that what was asked for, what is in state and what is on the server are the same, and all works."""
        count = self.count
        made, resources = self._made(), self._resources()
        asked = {each.name: each for each in self.programs.of(self.edition)}
        for resource in resources:
            if resource.name not in asked or resource.delete:
                count.other.append(f"state has {resource.urn}{', to be deleted' if resource.delete else ''}")
        state = {each.name: each for each in resources if not each.delete}
        for name, item in asked.items():
            if name not in state:
                count.lost.append(f"not in state: {name}")
            elif item.kind != "PipeScaling" and (KINDS[item.kind], _id(state[name].id)) not in made:
                count.lost.append(f"in state, not on the server: {name} {state[name].id}")
        known = {(_kind(each.type), _id(each.id)) for each in resources}
        count.adopted += [" ".join(key) for key in sorted(self.open & known)]
        for (kind, id_), document in made.items():
            if (kind, id_) not in known:
                count.doubled.append(f"{kind} {document.get('name')} {id_}")
        changed = self.programs.overridden(self.edition)
        untouched = {key: document for key, document in self.there.items() if key not in changed}
        count.touched += touched(untouched, self.running.objects())
        self._look_for_changes()
        self._look_at_secrets(asked, state, made)

    def _look_for_changes(self) -> None:
        if self.edition == DESTROYED:
            return
        preview = self.stack.preview(refresh=True, expect_failure=True)
        steps = [step for step in preview.steps if step.op != "same" and (step.op != "refresh" or step.changed)]
        if not preview.ok or steps or not preview.no_changes:
            self.count.other.append(f"preview --refresh: {[str(step) for step in steps]} {preview.errors}")

    def _look_at_secrets(self, asked: dict[str, Item], state: dict[str, ResourceState], made: Objects) -> None:
        secrets = [self.sandbox.key_secret, self.sandbox.stack_token, SECRET]
        for name, item in asked.items():
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
    """Return the sandbox's name for the objects of a resource's type, of either front end."""
    return KINDS.get(type_.rpartition(":")[2], "")


def _id(id_: str) -> str:
    """Return an object's own id; before it, a resource's has the service that the object belongs to."""
    return id_.rpartition("/")[2]
