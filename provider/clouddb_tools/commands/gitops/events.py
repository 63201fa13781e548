"""Reads the engine's events of one operation into the parts of a report."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from pulumi.automation.events import EngineEvent, StepEventMetadata, StepEventStateMetadata

from pulumi_clouddb.engine.wire.codec import Properties, read
from pulumi_clouddb.engine.wire.secret import has_secret
from pulumi_clouddb.engine.wire.urns import PROVIDERS, ROOT_TYPE
from pulumi_clouddb.schema.names import LAST_ERROR, property_name
from pulumi_clouddb.schema.secrets.spellings import MASK
from pulumi_clouddb.things.postgres_services.postgres_service import POSTGRES_SERVICE
from pulumi_clouddb.things.services.enums import FAILED, PENDING
from pulumi_clouddb.things.services.service import SERVICE, Service

from .differences import Difference, differences
from .report import Kind, Message, PropertyChange, ResourceChange, Violation, name_of

STATE = property_name(Service, lambda service: service.state)

QUIET = frozenset({"same", "refresh", "read", "read-replacement", "discard", "discard-replaced"})
"""Steps that change nothing, also those of resources that a program only reads, such as a StackReference."""

REPLACEMENT = frozenset({"replace", "create-replacement", "delete-replaced"})
DATABASES = frozenset(token for type_ in (SERVICE, POSTGRES_SERVICE) for token in (type_.token, type_.dynamic_token))

ENGINE_MESSAGES = re.compile(r"using pulumi-\S+ from \$PATH at |(?:preview|update|refresh|destroy) failed$")
"""Messages of the engine about itself: the path of a plugin, and the failure, which the outcome reports."""

FOLLOWS = re.compile(r"expected resource operations for \S+ but none were seen$")
"""The engine's message for each resource of the plan behind one that failed (resource/deploy/plan.go of Pulumi)."""

INTERRUPTED = re.compile(
    r"(During handling of the above exception, another exception occurred:\n|Exception ignored .*\n)?"
    r"Traceback \(most recent call last\):\n([ \t].*\n)*KeyboardInterrupt.*(\n|$)"
)
"""What Python prints when the engine interrupts a program because something else failed."""

Progress = Callable[[str, str], None]
"""Called with the operation and the resource's name after each step."""


class Collector:
    """Collects the events of one operation; Pulumi calls it from another thread.

    With `live`, the operation compares with the live objects, and outputs that differ are changes, too.

    Attributes:
        changed_inputs: The changed inputs by URN, from the plan. Pulumi's dynamic host does not name them, and events
            show the old and the new value of a secret as the same text.
    """

    def __init__(self, progress: Progress | None = None, *, live: bool = False) -> None:
        self.changed_inputs: Mapping[str, Mapping[str, Kind]] = {}
        self._events: list[EngineEvent] = []
        self._progress = progress
        self._live = live

    def __call__(self, event: EngineEvent) -> None:
        """Record an event."""
        self._events.append(event)
        done = event.res_outputs_event
        if self._progress is not None and done is not None and _acts(done.metadata):
            self._progress(done.metadata.op.value, name_of(done.metadata.urn))

    @property
    def resources(self) -> list[ResourceChange]:
        """The change of each resource that changes."""
        failed = {event.res_op_failed_event.metadata.urn for event in self._events if event.res_op_failed_event}
        changes = [
            _resource_change(steps, urn in failed, self._live, self.changed_inputs.get(urn, {}))
            for urn, steps in self._steps().items()
        ]
        return [change for change in changes if change is not None]

    @property
    def counts(self) -> dict[str, int]:
        """The number of resources by operation, including `same` and `failed`, without the stack itself."""
        counter = Counter("failed" if each.failed else each.operation for each in self.resources)
        counter["same"] = len(self._steps()) - counter.total()
        return {operation: count for operation, count in sorted(counter.items()) if count}

    @property
    def unready(self) -> dict[str, str]:
        """Why a created or updated service is not ready, by resource name.

        In dynamic mode the operation still succeeds: a failed create would lose the id.
        """
        steps = [each for steps in self._steps().values() for each in steps if each.type in DATABASES and each.new]
        errors = {name_of(each.urn): _side(each.new, "outputs").get(LAST_ERROR) for each in steps}
        return {name: str(error) for name, error in errors.items() if error}

    @property
    def violations(self) -> list[Violation]:
        """The policy violations, mandatory ones first."""
        found = [
            Violation(
                policy=each.policy_name,
                pack=each.policy_pack_name,
                level=each.enforcement_level,
                message=each.message.strip(),
                urn=each.resource_urn or "",
            )
            for each in (event.policy_event for event in self._events)
            if each is not None
        ]
        return sorted(found, key=lambda each: (each.level != "mandatory", each.policy, each.urn))

    @property
    def messages(self) -> list[Message]:
        """The distinct errors and warnings, without errors that only result from others."""
        found: dict[tuple[str, str, str], Message] = {}
        for each in (event.diagnostic_event for event in self._events):
            if each is None or each.severity not in ("error", "warning"):
                continue
            if each.message.strip() and not ENGINE_MESSAGES.match(each.message.strip()):
                key = (each.severity, each.message.strip(), each.urn or "")
                found[key] = Message(severity=key[0], text=key[1], urn=key[2])
        causes = [each for each in found.values() if not FOLLOWS.match(each.text)]
        failed = any(each.severity == "error" for each in causes)
        return sorted(causes if failed else found.values(), key=lambda each: each.severity)

    @property
    def standard_error(self) -> list[str]:
        """The lines that programs wrote to standard error, such as why a policy pack did not start."""
        written = [event.diagnostic_event for event in self._events if event.diagnostic_event]
        lines = [each.message.rstrip().removeprefix("error: ") for each in written if each.severity == "info#err"]
        text = INTERRUPTED.sub("", "\n".join(line for line in lines if line))
        return text.splitlines()

    @property
    def refused(self) -> int:
        """The number of resources with errors."""
        return len(self._refused())

    @property
    def looked_at(self) -> int:
        """The number of resources that the engine has processed; an invalid one has no step."""
        return len({*self._steps(), *self._refused()})

    def _refused(self) -> set[str]:
        diagnostics = (each for each in (event.diagnostic_event for event in self._events) if each is not None)
        urns = {each.urn for each in diagnostics if each.severity == "error" and each.urn}
        return {urn for urn in urns if f"::{ROOT_TYPE}::" not in urn and f"::{PROVIDERS}" not in urn}

    @property
    def sides(self) -> list[tuple[Properties, Properties]]:
        """The state of each resource before and after; empty if there is none."""
        steps = map(_main_step, self._steps().values())
        return [(_state(step.old), _state(step.new)) for step in steps]

    def _steps(self) -> dict[str, list[StepEventMetadata]]:
        """Return the steps by URN, with the last event of each operation."""
        steps: dict[str, dict[str, StepEventMetadata]] = {}
        for event in self._events:
            for part in (event.resource_pre_event, event.res_outputs_event, event.res_op_failed_event):
                if part is not None and _counts(part.metadata):
                    steps.setdefault(part.metadata.urn, {})[part.metadata.op.value] = part.metadata
        return {urn: list(each.values()) for urn, each in steps.items()}


def _counts(step: StepEventMetadata) -> bool:
    return step.type != ROOT_TYPE and not step.type.startswith(PROVIDERS)


def _acts(step: StepEventMetadata) -> bool:
    return _counts(step) and step.op.value not in QUIET


def _main_step(steps: list[StepEventMetadata]) -> StepEventMetadata:
    """Return the step with both states, if there is one: a replacement also has steps with one state."""
    return max(steps, key=lambda step: (step.new is not None, step.old is not None))


def _resource_change(
    steps: list[StepEventMetadata], failed: bool, live: bool, changed_inputs: Mapping[str, Kind]
) -> ResourceChange | None:
    """Return the change that the steps on a resource make up: the three steps of a replacement are one change."""
    acting = [step for step in steps if _acts(step) and not (live and _is_only_unready(step))]
    if not acting:
        return None
    operations = {step.op.value for step in acting}
    step = _main_step(acting)
    side = step.old or step.new
    return ResourceChange(
        operation="replace" if len(operations & REPLACEMENT) > 1 else step.op.value,
        urn=step.urn,
        type=step.type,
        name=name_of(step.urn),
        id=(side.id if side else "") or "",
        database=step.type in DATABASES,
        failed=failed,
        properties=_properties(step, live, changed_inputs),
    )


def _is_only_unready(step: StepEventMetadata) -> bool:
    """Return whether a service matches the state but is not ready.

    The engine also calls diff in a refresh, and the diff of such a service is never empty, as the next `up` has
    to finish the wait. Reported as drift, it would block that `up`.
    """
    if step.type not in DATABASES or step.old is None or step.new is None:
        return False
    outputs = _side(step.new, "outputs")
    unready = outputs.get(LAST_ERROR) or outputs.get(STATE) in PENDING | FAILED
    return bool(unready) and all(_side(step.old, part) == _side(step.new, part) for part in ("inputs", "outputs"))


def _properties(step: StepEventMetadata, live: bool, changed_inputs: Mapping[str, Kind]) -> list[PropertyChange]:
    if step.new is None:
        return []
    old, new = _side(step.old, "inputs"), _side(step.new, "inputs")
    found = differences(old, new)
    if live and not found:
        # Some providers return only outputs from a read. In a preview, outputs are still unknown.
        found = differences(_side(step.old, "outputs"), _side(step.new, "outputs"))
    secret = {name: kind for name, kind in changed_inputs.items() if has_secret([old.get(name), new.get(name)])}
    return _with_details(found, step, secret)


def _state(state: StepEventStateMetadata | None) -> Properties:
    if state is None:
        return {}
    parts = {"inputs": state.inputs, "outputs": state.outputs}
    return {"urn": state.urn, "type": state.type, "id": state.id or "", **parts}


def _side(state: StepEventStateMetadata | None, part: str) -> dict[str, Any]:
    return dict(read(getattr(state, part, None) or {}))


def _masked(path: str, kind: str) -> Difference:
    """Return the difference of a secret, of which the engine tells the path and the kind."""
    plain: Kind = "add" if kind.startswith("add") else "delete" if kind.startswith("delete") else "update"
    old, new = (None if plain == "add" else MASK), (None if plain == "delete" else MASK)
    return Difference(path, plain, old, new, True, (path,))


def _with_details(found: list[Difference], step: StepEventMetadata, secret: Mapping[str, Kind]) -> list[PropertyChange]:
    """Add the provider's detailed diff: properties that force a replacement, and paths of changed secrets.

    Without a detailed diff, the changed secrets of the plan take its place.
    """
    details = {path: each.diff_kind.value for path, each in (step.detailed_diff or {}).items()} or secret
    forcing = {path for path, kind in details.items() if kind.endswith("-replace")} | set(step.keys or ())
    for path, kind in details.items():
        if not any(each.touches(path) for each in found):
            found.append(_masked(path, kind))
    changes = [
        PropertyChange(
            path=each.path,
            kind=each.kind,
            old=each.old,
            new=each.new,
            secret=each.secret,
            replaces=any(each.lies_in(path) for path in forcing),
        )
        for each in found
    ]
    return sorted(changes, key=lambda each: (not each.replaces, each.path))
