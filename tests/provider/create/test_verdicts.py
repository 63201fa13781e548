"""One test for each row of the tables that decide whether an object is ours.

Each test sets the facts of its row; all other facts are in favour of adopting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from pulumi_clouddb.create.verdicts import (
    CREATE_CASES,
    OBJECT_CASES,
    Case,
    CreateFacts,
    FactsT,
    ObjectFacts,
    Verdict,
    decide,
)

OBJECTS = {
    "it is being deleted": (ObjectFacts(exists=False, has_our_id=True, has_our_mark=True), "not ours"),
    # The id decides even though this machine has recorded it as that of a created object.
    "the server returned its id for the create": (ObjectFacts(has_our_id=True, has_owner=True), "ours"),
    "the server returned another id for the create": (ObjectFacts(has_our_id=False, has_our_mark=True), "not ours"),
    "it existed before, or belongs to another resource": (ObjectFacts(has_owner=True, has_our_mark=True), "not ours"),
    # Another client may have changed or used the marked object: it is ours all the same.
    "it carries the mark of this create": (
        ObjectFacts(has_our_mark=True, is_used=True, is_as_sent=False, created_in_time=False),
        "ours",
    ),
    "it does not carry the mark of this create": (ObjectFacts(has_our_mark=False), "not ours"),
    "somebody has used it": (ObjectFacts(is_used=True), "not ours"),
    "a property is not as it was sent": (ObjectFacts(is_as_sent=False), "not ours"),
    "it was created at another time": (ObjectFacts(created_in_time=False), "not ours"),
    "nothing shows that it is not ours": (ObjectFacts(), "cannot tell"),
}
LOCKS_OUT = CreateFacts(mistake_locks_out=True)
CREATES = {
    "there is no candidate": (CreateFacts(candidates=0, name_was_refused=True), "not ours"),
    "there are several candidates": (CreateFacts(candidates=2), "cannot tell"),
    "nobody knows when it was created": (CreateFacts(time_is_known=False), "cannot tell"),
    "the name was refused: another object may have it": (
        CreateFacts(was_refused=True, name_was_refused=True),
        "cannot tell",
    ),
    "it does not show all that was sent, and a second one is harmless": (
        CreateFacts(shows_all=False, second_is_harmless=True),
        "not ours",
    ),
    "it does not show all that was sent": (CreateFacts(shows_all=False, later_create_fits=True), "cannot tell"),
    "the request was refused, and a mistake would lock the owner out": (
        replace(LOCKS_OUT, was_refused=True),
        "cannot tell",
    ),
    "the request may not have been sent, and a mistake would lock the owner out": (
        replace(LOCKS_OUT, may_not_be_sent=True),
        "cannot tell",
    ),
    "another pending create may have created it, and a mistake would lock the owner out": (
        replace(LOCKS_OUT, another_create_fits=True, later_create_fits=True),
        "cannot tell",
    ),
    "it was created after a search that found nothing, and a mistake would lock the owner out": (
        replace(LOCKS_OUT, created_after_search=True),
        "cannot tell",
    ),
    "a later pending create may have created it": (
        CreateFacts(another_create_fits=True, later_create_fits=True),
        "not ours",
    ),
    "all evidence is present": (LOCKS_OUT, "ours"),
}
HARMLESS = {
    "the request was refused": CreateFacts(was_refused=True),
    "the request may not have been sent": CreateFacts(may_not_be_sent=True),
    "an earlier create fits": CreateFacts(another_create_fits=True),
    "created after a search": CreateFacts(created_after_search=True),
}
"""Doubts that matter for a service or a key, but not for a dashboard."""


@pytest.mark.parametrize("name", [case.name for case in OBJECT_CASES])
def test_object_case(name: str) -> None:
    """The row of this name decides about these facts."""
    facts, verdict = OBJECTS[name]
    assert decided(OBJECT_CASES, facts) == (name, verdict)


@pytest.mark.parametrize("name", [case.name for case in CREATE_CASES])
def test_create_case(name: str) -> None:
    """The row of this name decides about these facts."""
    facts, verdict = CREATES[name]
    assert decided(CREATE_CASES, facts) == (name, verdict)


@pytest.mark.parametrize("facts", HARMLESS.values(), ids=HARMLESS)
def test_doubts_count_only_if_a_mistake_locks_the_owner_out(facts: CreateFacts) -> None:
    """The owner of a wrongly adopted dashboard can still use it, so the remaining evidence is enough."""
    assert decide(CREATE_CASES, facts).verdict is Verdict.OURS
    assert decide(CREATE_CASES, replace(facts, mistake_locks_out=True)).verdict is Verdict.CANNOT_TELL


def test_every_row_is_tested() -> None:
    """Each row of the tables has a test, and each test a row."""
    assert set(OBJECTS) == {case.name for case in OBJECT_CASES}
    assert set(CREATES) == {case.name for case in CREATE_CASES}


def decided(cases: Sequence[Case[FactsT]], facts: FactsT) -> tuple[str, str]:
    """Return the name and the verdict of the case that decides."""
    case = decide(cases, facts)
    return case.name, case.verdict.value
