"""All advice of these folders is exercised: a test plays each and compares what is said.

An advice that is added without a test fails here, with its file and function. `support.advice` finds advice in the
package, `support.compared` the texts in the asserts of the tests; those of the contract stand in its tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache

import pytest

from contract.table import CASES
from support.advice import WORDS, Advice, advice_in, runs
from support.compared import having

ROOMS = (
    "cli",
    "gitops",
    "doctor",
    "export",
    "render",
    "sandbox",
    "api",
    "models",
    "pulumi_wire",
    "plugin",
    "resources",
)
"""dynamic/ has none of its own: it shows that of resources/."""


@cache
def advice() -> list[Advice]:
    """Return all advice of these rooms."""
    return advice_in(*ROOMS)


@cache
def compared() -> frozenset[str]:
    """Return all texts that the tests compare."""
    of_tests = (text for test in having("") for text in test.texts)
    return frozenset((*of_tests, *(text for case in CASES for text in case.texts)))


@cache
def all_runs(length: int) -> Mapping[tuple[str, ...], int]:
    """Return in how many pieces of advice each run of so many words is."""
    return Counter(run for each in advice() for run in runs(each.pieces, length))


@cache
def runs_compared(length: int) -> set[tuple[str, ...]]:
    """Return all runs of so many words in what the tests compare."""
    return runs(compared(), length)


def own(each: Advice) -> set[tuple[str, ...]]:
    """Return the runs of words that no other advice has."""
    return {run for run in each.runs if all_runs(each.length)[run] == 1}


def test_the_inventory_finds_advice_of_every_form() -> None:
    """An error's hint, a constant, a fix with its code, an explanation, a line of its own, a choice of two."""
    known = {" … ".join(each.pieces) for each in advice()}
    assert {
        "Name a folder with --output.",
        "Write the state into a file with `terraform state pull > terraform.tfstate`.",
        "page: Set the address of its API:",
        "No changes were expected.",
        "Nothing was written.",
        "pending-folder: Set another folder:",
    } <= {each.strip() for each in known} | {each.strip(" …\n") for each in known}
    assert {each.place.partition("/")[0] for each in advice()} == set(ROOMS)


@pytest.mark.timeout(600)  # run by itself, it loads the modules of all tests
def test_a_test_compares_every_advice() -> None:
    """By words that no other advice has, so that it is this one which the test has met.

    One test for all, as the texts of all tests are read once. An advice without words of its own is to be said in other
    words, or both in one place.
    """
    alike = [f"{each.place}: {each.pieces}" for each in advice() if not own(each)]
    assert alike == [], f"{WORDS} words of each must be its own"
    unmet = [f"{each.place}: {each.pieces}" for each in advice() if not own(each) & runs_compared(each.length)]
    assert unmet == [], "no test compares these"
