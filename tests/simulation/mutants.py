"""Critical bugs that the core once had, reintroduced: the simulation must find each within a thousand lives.

`python -m simulation.mutants` searches for the first life that finds each of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest

from pulumi_clouddb.client.errors import ListNotFoundError
from pulumi_clouddb.client.turns import Turn, Turns, Wait, Waiter
from pulumi_clouddb.create import creation, evidence, pending, pending_files
from pulumi_clouddb.create.pending import PendingCreates
from pulumi_clouddb.resource import doubt, overrides
from pulumi_clouddb.resource.state import State
from pulumi_clouddb.resource.waits import Awaited
from pulumi_clouddb.sdk._run_end import Registrations
from pulumi_clouddb.things.api_keys.api import Keys
from pulumi_clouddb.things.pipes import changes
from pulumi_clouddb.things.pipes import resource as pipes
from pulumi_clouddb.things.services.api import Services
from pulumi_clouddb.things.services.resource import ServiceResource

from .lives import play

MAX_LIVES = 1000
Mutant = Callable[[pytest.MonkeyPatch], None]


def _names_are_evidence(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Services, "mark", lambda *_: None)
    patch.setattr(Keys, "mark", lambda *_: None)
    patch.setattr(evidence, "shows_what_was_sent", lambda *_: True)
    patch.setattr(evidence, "created_in_time", lambda *_: True)


def _hidden_properties_are_equal(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(evidence, "_hidden_names", lambda *_: [])


def _other_creates_are_ignored(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Services, "mark", lambda *_: None)
    patch.setattr(Keys, "mark", lambda *_: None)
    patch.setattr(creation, "_alone", lambda *_: nullcontext())
    patch.setattr(PendingCreates, "others", lambda *_: [])


def _stacks_share_records(patch: pytest.MonkeyPatch) -> None:
    def without_stack(scope: str, urn: str, account: str) -> str:
        return pending_files.file_name(scope, urn.partition("::")[2], account)

    patch.setattr(pending, "file_name", without_stack)


def _removed_on_return(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(PendingCreates, "returned", lambda self, path, _: self.remove(path))


def _settled_by_a_registration(patch: pytest.MonkeyPatch) -> None:
    original = Registrations.answered

    def answered(self: Registrations, urn: str, object_id: str) -> None:
        original(self, urn, object_id)
        self.ended()

    patch.setattr(Registrations, "answered", answered)


def _settled_by_later_runs_only(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Registrations, "ended", lambda _: None)


def _list_404_means_gone(patch: pytest.MonkeyPatch) -> None:
    original = Awaited.find

    def find(awaited: Awaited[Any], max_age: float, **details: Any) -> Any:
        try:
            awaited.collection.records(max_age=max_age)
        except ListNotFoundError:
            return None
        return original(awaited, max_age, **details)

    patch.setattr(Awaited, "find", find)


def _state_is_the_wanted_value(patch: pytest.MonkeyPatch) -> None:
    original = ServiceResource._adopt

    def adopt(self: ServiceResource, session: Any, created: Any, wanted: Any, waited: Any) -> Any:
        state = original(self, session, created, wanted, waited)
        if not state.actual.settings_unread:
            return state
        return State(wanted, state.actual.model_copy(update={"last_error": None, "settings_unread": None}))

    patch.setattr(ServiceResource, "_adopt", adopt)


def _one_list(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(creation, "MIN_LISTS", 1)
    for module in (creation, evidence):
        patch.setattr(module, "latest_commit_seconds", lambda _: 0.0)


def _first_values_are_restored(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(overrides, "shows_what_was_sent", lambda *_: True)


def _marks_are_ignored(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(creation, "find_marked", lambda *_: None)


def _old_lists_are_new(patch: pytest.MonkeyPatch) -> None:
    original = Turns.look

    def look(self: Turns, waiter: Waiter) -> Turn | Wait:
        waiter.after = 0
        return original(self, waiter)

    patch.setattr(Turns, "look", look)


def _numbers_are_texts(patch: pytest.MonkeyPatch) -> None:
    original = evidence._plain
    patch.setattr(evidence, "_plain", lambda value: value if isinstance(value, float) else original(value))


def _tables_from_state(patch: pytest.MonkeyPatch) -> None:
    def update_body(old: Any, new: Any, _: Any, changed: Any) -> Any:
        return changes.update_body(old, new, old, changed)

    patch.setattr(pipes, "update_body", update_body)


def _replaced_objects_are_in_state(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(PendingCreates, "is_replaced", lambda *_: False)


def _doubts_are_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(doubt, "with_doubt", lambda _session, _type, _id, state: state)


MUTANTS: Mapping[str, Mutant] = {
    "an update in doubt is forgotten": _doubts_are_forgotten,
    "hidden properties count as equal": _hidden_properties_are_equal,
    "other creates of the same name are ignored": _other_creates_are_ignored,
    "stacks share records": _stacks_share_records,
    "a name is evidence": _names_are_evidence,
    "a pending create is removed when the create returns": _removed_on_return,
    "the response to a registration settles a create": _settled_by_a_registration,
    "the end of a run settles no create": _settled_by_later_runs_only,
    "404 for a list means gone": _list_404_means_gone,
    "state is the wanted value": _state_is_the_wanted_value,
    "one list is enough": _one_list,
    "the values before the first attempt are restored": _first_values_are_restored,
    "marks of other machines are ignored": _marks_are_ignored,
    "a list of another process is used, however old": _old_lists_are_new,
    "the port 5432.0 differs from 5432": _numbers_are_texts,
    "the tables of a pipe are those in state": _tables_from_state,
    "the state of a replaced object settles the create of its successor": _replaced_objects_are_in_state,
}
"""The bugs by description."""


@contextmanager
def mutated(name: str) -> Iterator[None]:
    """Reintroduce a bug during the block."""
    with pytest.MonkeyPatch.context() as patch:
        MUTANTS[name](patch)
        yield


def found_by(name: str, seed: int) -> list[str]:
    """Return the violations that a bug causes in a life; none if the life has violations without it."""
    with mutated(name):
        violations = play(seed).violations
    return violations if violations and not play(seed).violations else []


def first_life(name: str, lives: int = MAX_LIVES) -> tuple[int, str] | None:
    """Return the first seed whose life finds a bug, and its first violation."""
    for seed in range(lives):
        violations = found_by(name, seed)
        if violations:
            return seed, violations[0]
    return None


def main() -> int:
    """Search for the first life that finds each bug; return the number of bugs that are not found."""
    missed = 0
    for name in sys.argv[1:] or MUTANTS:
        found = first_life(name)
        missed += found is None
        print(f"{name}: {f'seed {found[0]}: {found[1]}' if found else 'not found'}", flush=True)
    return missed


if __name__ == "__main__":
    sys.exit(main())
