"""Critical bugs that the core once had, put back: each has to be found within a thousand lives.

`python -m simulation.mutants` looks for the first life that finds each of them.
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
from pulumi_clouddb.resource import overrides
from pulumi_clouddb.resource.state import State
from pulumi_clouddb.resource.waits import Awaited
from pulumi_clouddb.sdk._run_end import Registrations
from pulumi_clouddb.things.keys.api import Keys
from pulumi_clouddb.things.pipes import changes
from pulumi_clouddb.things.pipes import resource as pipes
from pulumi_clouddb.things.services.api import Services
from pulumi_clouddb.things.services.resource import ServiceResource

from .lives import play

MOST_LIVES = 1000
Mutant = Callable[[pytest.MonkeyPatch], None]


def _names_are_evidence(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Services, "mark", lambda *_: None)
    patch.setattr(Keys, "mark", lambda *_: None)
    patch.setattr(evidence, "shows_what_was_sent", lambda *_: True)
    patch.setattr(evidence, "created_in_time", lambda *_: True)


def _what_nobody_sees_is_equal(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(evidence, "_hidden_names", lambda *_: [])


def _others_are_ignored(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Services, "mark", lambda *_: None)
    patch.setattr(Keys, "mark", lambda *_: None)
    patch.setattr(creation, "_alone", lambda *_: nullcontext())
    patch.setattr(PendingCreates, "others", lambda *_: [])


def _stacks_share_records(patch: pytest.MonkeyPatch) -> None:
    def without_stack(scope: str, urn: str, account: str) -> str:
        return pending_files.file_name(scope, urn.partition("::")[2], account)

    patch.setattr(pending, "file_name", without_stack)


def _forgotten_on_return(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(PendingCreates, "returned", lambda self, path, _: self.remove(path))


def _settled_by_an_answer(patch: pytest.MonkeyPatch) -> None:
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


def _state_is_the_wish(patch: pytest.MonkeyPatch) -> None:
    original = ServiceResource._adopt

    def adopt(self: ServiceResource, session: Any, created: Any, wanted: Any, waited: Any) -> Any:
        state = original(self, session, created, wanted, waited)
        if not state.actual.settings_unread:
            return state
        return State(wanted, state.actual.model_copy(update={"last_error": None, "settings_unread": None}))

    patch.setattr(ServiceResource, "_adopt", adopt)


def _one_look(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(creation, "MIN_LISTS", 1)
    for module in (creation, evidence):
        patch.setattr(module, "latest_commit_seconds", lambda _: 0.0)


def _first_found_counts(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(overrides, "shows_what_was_sent", lambda *_: True)


def _machines_tell_no_marks(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(creation, "find_marked", lambda *_: None)


def _old_answers_are_new(patch: pytest.MonkeyPatch) -> None:
    original = Turns.look

    def look(self: Turns, waiter: Waiter) -> Turn | Wait:
        waiter.after = 0
        return original(self, waiter)

    patch.setattr(Turns, "look", look)


def _numbers_are_texts(patch: pytest.MonkeyPatch) -> None:
    original = evidence._plain
    patch.setattr(evidence, "_plain", lambda value: value if isinstance(value, float) else original(value))


def _tables_as_state_has_them(patch: pytest.MonkeyPatch) -> None:
    def update_body(old: Any, new: Any, _: Any, changed: Any) -> Any:
        return changes.update_body(old, new, old, changed)

    patch.setattr(pipes, "update_body", update_body)


MUTANTS: Mapping[str, Mutant] = {
    "what no response shows counts as equal": _what_nobody_sees_is_equal,
    "others of the same name are ignored": _others_are_ignored,
    "stacks share records": _stacks_share_records,
    "a name is evidence": _names_are_evidence,
    "a record is forgotten when the create returns": _forgotten_on_return,
    "the answer to a registration settles it": _settled_by_an_answer,
    "the end of a run settles nothing": _settled_by_later_runs_only,
    "404 of a list means gone": _list_404_means_gone,
    "state is the wish": _state_is_the_wish,
    "one look": _one_look,
    "what the first attempt found counts": _first_found_counts,
    "another machine is not recognized": _machines_tell_no_marks,
    "the answer of another process counts however old it is": _old_answers_are_new,
    "a port that is answered as 5432.0 is another one": _numbers_are_texts,
    "the tables of a pipe are those that state has": _tables_as_state_has_them,
}
"""Each bug, by what is wrong."""


@contextmanager
def mutated(name: str) -> Iterator[None]:
    """Put a bug back for the length of a block."""
    with pytest.MonkeyPatch.context() as patch:
        MUTANTS[name](patch)
        yield


def found_by(name: str, seed: int) -> list[str]:
    """Return what is wrong with a life because of a bug: nothing, if something is wrong without it."""
    with mutated(name):
        violations = play(seed).violations
    return violations if violations and not play(seed).violations else []


def first_life(name: str, lives: int = MOST_LIVES) -> tuple[int, str] | None:
    """Return the first seed whose life finds a bug, and what is wrong then."""
    for seed in range(lives):
        violations = found_by(name, seed)
        if violations:
            return seed, violations[0]
    return None


def main() -> int:
    """Look for the first life that finds each bug; return how many are not found."""
    missed = 0
    for name in sys.argv[1:] or MUTANTS:
        found = first_life(name)
        missed += found is None
        print(f"{name}: {f'seed {found[0]}: {found[1]}' if found else 'not found'}", flush=True)
    return missed


if __name__ == "__main__":
    sys.exit(main())
