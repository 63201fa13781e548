"""Each rule sentence of the vendor's descriptions is held by a rule that a test shows, or there is a reason why not."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from pulumi_clouddb.registry import RESOURCES
from support.things import THINGS

from .accounts import AT_PLACES, NOT_HELD, TESTED, Reason, counted, of_kept, rule_changes
from .facts import CLOUD, OBSERVABILITY, kept
from .mistakes import ROWS
from .sentences import digest, sentences

BROKEN = {each for row in ROWS for each in row.breaks}
TESTS = THINGS.parents[1]


def test_every_sentence_is_held_or_has_a_reason() -> None:
    """Break a new one in mistakes.py, or give the reason in accounts.py."""
    assert [(name, *each.places) for name, each in of_kept().items() if each.here is None] == []


def test_every_account_is_of_a_sentence_in_requests() -> None:
    """Each has one account; the reason of any other sentence is its place."""
    given = [*BROKEN, *TESTED, *(each for digests in NOT_HELD.values() for each in digests)]
    assert len({*given}) == len(given)
    assert {each for each, account in of_kept().items() if account.here not in AT_PLACES} == {*given}
    assert {reason for reason, digests in NOT_HELD.items() if digests} == {*Reason} - {*AT_PLACES}


def test_accounts_name_the_places_of_their_sentences() -> None:
    """The place is what a reader knows of a sentence."""
    places = {
        (name, each) for file in (CLOUD, OBSERVABILITY) for each, all_ in kept(file).sentences.items() for name in all_
    }
    named = {each for digests in NOT_HELD.values() for each in digests.items()}
    assert named <= places


def test_mistakes_are_in_the_resources_of_the_sentences() -> None:
    """A sentence about pipes is broken by a pipe."""
    of_functions = {row.resource for row in ROWS} - RESOURCES.keys()
    assert of_functions == {"getUsageCost"}
    for row in ROWS:
        assert all(row.resource in of_kept()[each].resources | of_functions for each in row.breaks), row.name


@pytest.mark.parametrize("test", sorted({*TESTED.values()}))
def test_tests_that_show_a_rule_exist(test: str) -> None:
    """Whoever renames one, renames it in accounts.py."""
    file, _, name = test.partition("::")
    assert f"def {name}(" in (TESTS / file).read_text(encoding="utf-8")


def test_changes_are_those_of_one_place() -> None:
    """A sentence that is gone from there is changed, wherever else it stays."""
    facts, place = kept(CLOUD), "ServicePostRequest.minReplicas"
    creates = {name: each for name, each in facts.operations.items() if name.startswith("POST") and "request" in each}
    facts = replace(facts, operations=creates)
    assert len(facts.sentences[place]) > 1
    for now, kinds in (["0" * 12], ["changed"]), ([], ["removed"] * len(facts.sentences[place])):
        found = [*rule_changes(facts, replace(facts, sentences={**facts.sentences, place: now}))]
        assert [(each.kind, each.account.places) for each in found] == [(kind, (place,)) for kind in kinds]
    assert [*rule_changes(facts, facts)] == []


def test_report_counts_what_is_held() -> None:
    """The first number is that of all, and the others are its parts."""
    total, *parts = map(int, re.findall(r"(?:^|: |; )([0-9]+) ", counted(of_kept())))
    assert (total, total) == (len(of_kept()), sum(parts))


@pytest.mark.parametrize(
    ("prose", "found"),
    [
        ("The name.\nIt must be unique.", ["It must be unique."]),
        ("Some text\nthat is ignored if the\nother is set. More.", ["Some text that is ignored if the other is set."]),
        ("Must contain:\n\n* at least one digit\n* a letter", ["Must contain:", "at least one digit"]),
        ("It is read-only.<br />Only for tests; requires more.", ["Only for tests; requires more."]),
        ("Use up to 40 of them", ["Use up to 40 of them"]),
        ("What it is called.", []),
    ],
)
def test_rule_sentences_are_found(prose: str, found: list[str]) -> None:
    """They end at the end of a paragraph or of an item, too; breaks of lines within them mean nothing."""
    document = {"components": {"schemas": {"A": {"properties": {"b": {"items": {"description": prose}}}}}}}
    assert sentences(document).get("A.b[]", {}) == {digest(each): each for each in found}
