"""All advice of these folders is exercised: a test plays each and compares what is said.

An advice that is added without a test fails here, with its file and function. `support.advice` finds advice in the
package, `support.compared` the texts in the asserts of the tests; those of the contract stand in its tables.
"""

from __future__ import annotations

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

ADVICE = advice_in(*ROOMS)


def own(advice: Advice) -> set[tuple[str, ...]]:
    """Return the runs of words that no other advice has."""
    return advice.runs - {run for each in ADVICE if each is not advice for run in runs(each.pieces, advice.length)}


@cache
def compared(length: int) -> set[tuple[str, ...]]:
    """Return all runs of so many words in what the tests compare."""
    return runs(
        {*(text for test in having("") for text in test.texts), *(text for case in CASES for text in case.texts)},
        length,
    )


def test_the_inventory_finds_advice_of_every_form() -> None:
    """An error's hint, a constant, a fix with its code, an explanation, a line of its own, a choice of two."""
    known = {" … ".join(each.pieces) for each in ADVICE}
    assert {
        "Name a folder with --output.",
        "Write the state into a file with `terraform state pull > terraform.tfstate`.",
        "page: Set the address of its API:",
        "No changes were expected.",
        "Nothing was written.",
        "pending-folder: Set another folder:",
    } <= {each.strip() for each in known} | {each.strip(" …\n") for each in known}
    assert {each.place.partition("/")[0] for each in ADVICE} == set(ROOMS)


@pytest.mark.timeout(600)  # run by itself, the first case loads the modules of all tests
@pytest.mark.parametrize("advice", ADVICE, ids=lambda advice: f"{advice.place}: {' … '.join(advice.pieces).strip()}")
def test_a_test_compares_every_advice(advice: Advice) -> None:
    """By words that no other advice has, so that it is this one which the test has met."""
    known_by = own(advice)
    assert known_by, f"no {WORDS} words of it are its own: say it in other words, or both in one place"
    assert known_by & compared(advice.length), f"no test compares {advice.pieces}"
