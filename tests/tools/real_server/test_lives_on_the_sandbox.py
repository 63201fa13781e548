"""Complete lives and ten edits against the sandbox; `__main__` runs them against the real server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from clouddb_tools.sandbox import Sandbox
from support.front_ends import FrontEnds

from . import play
from .lives import Lives
from .subjects import SUBJECTS, Subject

pytestmark = pytest.mark.beyond_the_description
"""The real server accepts and returns more than the vendor describes."""

MODES = (pytest.param("dynamic", marks=pytest.mark.slow), "native")
"""tests/provider/contract shows that both do the same."""
WITH_ALL = [each for each in SUBJECTS if each.name.endswith(("everything", "every kind"))]
"""Subjects with all properties; the others, each for one kind, run only by hand."""


@pytest.fixture(scope="module", params=MODES)
def lives(request: pytest.FixtureRequest, processes: FrontEnds) -> Iterator[Lives]:
    """A front end with a sandbox."""
    driver = processes.dynamic if request.param == "dynamic" else processes.native
    with Sandbox(vocabulary="clickhouse") as sandbox, sandbox.self_hosted() as http:
        play.empty(http)
        processes.config = {}
        yield Lives(driver, http, sandbox.config)


@pytest.mark.parametrize("subject", WITH_ALL, ids=lambda each: each.name)
def test_complete_life_has_no_problems(lives: Lives, subject: Subject) -> None:
    """Create, read, update, drift, repair, import, reset and delete have no problems."""
    assert list(lives.life(subject)) == []


@pytest.mark.slow
@pytest.mark.parametrize("subject", WITH_ALL, ids=lambda each: each.name)
def test_ten_edits_change_nothing_else(lives: Lives, subject: Subject) -> None:
    """Ten edits change only their properties of an object that a user created with all properties."""
    assert list(lives.edits_beside_everything(subject)) == []
    assert list(lives.edits_beside_little(subject)) == []


def test_all_resources_have_a_complete_subject() -> None:
    """All resources have a subject with all properties."""
    assert {each.resource for each in WITH_ALL} >= {
        "Dashboard",
        "Alert",
        "SavedSearch",
        "Source",
        "Webhook",
        "Connection",
    }
