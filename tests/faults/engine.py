"""A minimal engine with the correct order of calls: up, preview, refresh and destroy, and the state between them.

The order is Pulumi's (pkg/resource/deploy; `clouddb_tools.testing.fake_engine` is the complete model): Check, then
Create, or Diff and the operations that it requires; a second Check without old inputs before a replacement; deletions
last, newest first; in a refresh, Diff of the read object with the old inputs. After a failed create, state has no
object, or the resource that was deleted for it; after a failed update, the old state; after an initialization error,
the object, which the next up updates in any case.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from clouddb_tools.testing import Secret
from clouddb_tools.testing.fake_engine.decision import Decision, decide
from support.grpc_driver import Diffed, HostError, NotReadyError, Outputs

from .front_ends import Provider

Values = dict[str, Any]
ENCRYPTED = "[encrypted]"


@dataclass(frozen=True)
class Wanted:
    """One resource of a program.

    Attributes:
        resource: Its Pulumi type, such as `Service`.
        inputs: Its inputs by wire name.
        name: Its name in the program.
        marked: Names of the inputs that the program marks as secret.
    """

    resource: str
    inputs: Values
    name: str = "it"
    marked: frozenset[str] = frozenset()


@dataclass
class Entry:
    """One resource in state.

    Attributes:
        wanted: The resource in the last program.
        id: Its id.
        inputs: Its checked inputs.
        outputs: Its outputs.
        secrets: Names of the properties that are encrypted as a whole, in addition to each `Secret`.
        failed: Whether it exists, but is not initialized.
        is_deleted: Whether it was deleted for a replacement that does not exist yet (the engine's PendingReplacement).
    """

    wanted: Wanted
    id: str
    inputs: Values
    outputs: Values
    secrets: frozenset[str]
    failed: bool = False
    is_deleted: bool = False


@dataclass
class Outcome:
    """The result of a command.

    Attributes:
        errors: The errors.
        changed: The changes, or those of a preview, such as `it: update (name, roles)`.
    """

    errors: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)


class Stack:
    """The state of one stack, and its commands, each with its own provider process.

    Attributes:
        entries: State by the names of the resources.
        replaced: The old objects of replacements, which are deleted at the end.
        dies: Whether the engine dies before it writes the results of a command to state.
    """

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.replaced: list[Entry] = []
        self.dies = False

    def up(self, driver: Provider, program: Sequence[Wanted], *, parallel: int = 1) -> Outcome:
        """Create, update, replace and delete resources as the program requires."""
        outcome = Outcome()
        _each(program, parallel, lambda wanted: self._attempt(outcome, driver, wanted, self._up))
        names = {wanted.name for wanted in program}
        if not outcome.errors:
            gone = [entry for name, entry in self.entries.items() if name not in names]
            gone = [*self.replaced, *reversed(gone)]
            self._delete_all(driver, gone, outcome, parallel)
        if not outcome.errors:
            driver.run_ended()
        return outcome

    def destroy(self, driver: Provider, *, parallel: int = 1) -> Outcome:
        """Delete everything."""
        outcome = Outcome()
        self._delete_all(driver, [*self.replaced, *reversed(self.entries.values())], outcome, parallel)
        return outcome

    def preview(self, driver: Provider, program: Sequence[Wanted]) -> Outcome:
        """Return the changes that an up would make."""
        outcome = Outcome()
        for wanted in program:
            self._attempt(outcome, driver, wanted, self._preview)
        names = {wanted.name for wanted in program}
        outcome.changed += [f"{name}: delete" for name in self.entries if name not in names]
        outcome.changed += [f"{entry.wanted.name}: delete" for entry in self.replaced]
        return outcome

    def refresh(self, driver: Provider) -> Outcome:
        """Update state from the server, and return the differences."""
        outcome = Outcome()
        for entry in list(self.entries.values()):
            self._attempt(outcome, driver, entry.wanted, self._refresh)
        return outcome

    @property
    def text(self) -> str:
        """The text of state, with encrypted secrets."""
        return json.dumps(
            {
                name: {
                    part: {key: ENCRYPTED if key in entry.secrets else _stored(value) for key, value in values.items()}
                    for part, values in (("inputs", entry.inputs), ("outputs", entry.outputs))
                }
                for name, entry in [*self.entries.items(), *(("replaced", entry) for entry in self.replaced)]
            },
            default=str,
        )

    def _attempt(
        self, outcome: Outcome, driver: Provider, wanted: Wanted, act: Callable[[Provider, Wanted], str | None]
    ) -> None:
        try:
            with driver.about(wanted.resource, wanted.name, wanted.marked):
                done = act(driver, wanted)
                if act == self._up and not self.dies:
                    driver.written(self.entries[wanted.name].id)
        except HostError as error:
            outcome.errors.append(f"{wanted.name}: {error}")
        else:
            if done:
                outcome.changed.append(f"{wanted.name}: {done}")

    def _checked(self, driver: Provider, wanted: Wanted, olds: Mapping[str, Any]) -> Values:
        checked = driver.check(wanted.resource, wanted.inputs, dict(olds))
        if checked.failures:
            raise HostError("; ".join(checked.failures))
        return checked.inputs

    def _up(self, driver: Provider, wanted: Wanted) -> str | None:
        entry = self.entries.get(wanted.name)
        inputs = self._checked(driver, wanted, entry.inputs if entry else {})
        if entry is None:
            self._create(driver, wanted, inputs)
            return "create"
        diff = driver.diff(wanted.resource, entry.id, entry.outputs, inputs, entry.inputs)
        decision = _decision(entry, diff)
        if decision.replaces:
            self._replace(driver, wanted, entry, first=decision is Decision.DELETE_FIRST)
            return f"replace {sorted(diff.replaces)}"
        if decision is Decision.SAME:
            entry.inputs, entry.wanted = inputs, wanted
            return None
        self._keep(driver, wanted, inputs, lambda: driver.update(wanted.resource, entry.id, entry.outputs, inputs))
        return "update"

    def _replace(self, driver: Provider, wanted: Wanted, entry: Entry, *, first: bool) -> None:
        inputs = self._checked(driver, wanted, {})
        if first and not entry.is_deleted:
            driver.delete(wanted.resource, entry.id, entry.outputs)
            entry.is_deleted = True
        self._create(driver, wanted, inputs)
        if not first:
            self.replaced.append(entry)

    def _create(self, driver: Provider, wanted: Wanted, inputs: Values) -> None:
        self._keep(driver, wanted, inputs, lambda: driver.create(wanted.resource, inputs))

    def _keep(self, driver: Provider, wanted: Wanted, inputs: Values, call: Callable[[], Outputs]) -> None:
        try:
            result, error = call(), None
        except NotReadyError as problem:
            result, error = problem.outputs, problem
        secrets = result.secrets | wanted.marked if driver.marks_by_name else frozenset()
        self.entries[wanted.name] = Entry(wanted, result.id, inputs, result.outputs, secrets, error is not None)
        if error:
            raise error

    def _preview(self, driver: Provider, wanted: Wanted) -> str | None:
        entry = self.entries.get(wanted.name)
        inputs = self._checked(driver, wanted, entry.inputs if entry else {})
        if entry is None:
            return "create"
        diff = driver.diff(wanted.resource, entry.id, entry.outputs, inputs, entry.inputs)
        decision = _decision(entry, diff)
        if decision is Decision.SAME:
            return None
        details = dict(diff.details or {}) or self._differ(entry, inputs)
        return f"{'replace' if decision.replaces else 'update'} {details}"

    @staticmethod
    def _differ(entry: Entry, inputs: Values) -> list[str]:
        return sorted(name for name in {*inputs, *entry.inputs} if inputs.get(name) != entry.outputs.get(name))

    def _refresh(self, driver: Provider, wanted: Wanted) -> str | None:
        entry = self.entries[wanted.name]
        if entry.is_deleted:
            return None
        resource = wanted.resource
        found = driver.read(resource, entry.id, entry.outputs, entry.inputs)
        if not found.id:
            del self.entries[wanted.name]
            return "gone"
        old = entry.inputs
        entry.id, entry.outputs = found.id, found.outputs
        entry.inputs = old if found.inputs is None else found.inputs
        entry.failed = False  # a successful read clears the initialization errors
        diff = driver.diff(resource, entry.id, entry.outputs, old, entry.inputs)
        return f"drift {dict(diff.details or {}) or self._differ(entry, old)}" if diff.changes else None

    def _delete_all(self, driver: Provider, gone: Sequence[Entry], outcome: Outcome, parallel: int) -> None:
        def delete(entry: Entry) -> None:
            self._attempt(outcome, driver, entry.wanted, lambda driver, wanted: self._delete(driver, wanted, entry))

        _each(gone, parallel, delete)

    def _delete(self, driver: Provider, wanted: Wanted, entry: Entry) -> str:
        if not entry.is_deleted:
            driver.delete(wanted.resource, entry.id, entry.outputs)
        if entry in self.replaced:
            self.replaced.remove(entry)
        else:
            del self.entries[wanted.name]
        return "delete"


def _decision(entry: Entry, diff: Diffed) -> Decision:
    return decide(
        changes=diff.changes,
        replaces=bool(diff.replaces),
        delete_first=diff.delete_first,
        pending_replacement=entry.is_deleted,
        init_errors=entry.failed,
    )


def _stored(value: Any) -> Any:
    if isinstance(value, Secret):
        return ENCRYPTED
    if isinstance(value, Mapping):
        return {key: _stored(item) for key, item in value.items()}
    return [_stored(item) for item in value] if isinstance(value, list) else value


def _each(items: Sequence[Any], parallel: int, act: Callable[[Any], None]) -> None:
    if parallel == 1:
        for item in items:
            act(item)
        return
    with ThreadPoolExecutor(parallel) as pool:
        list(pool.map(act, items))
