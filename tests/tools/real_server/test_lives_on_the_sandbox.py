"""What is played by hand against the real server is played here against the sandbox: whole lives, and ten edits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from clouddb_tools.sandbox import Sandbox
from support.front_ends import FrontEnds

from . import play
from .lives import Lives
from .subjects import SUBJECTS, Subject

pytestmark = pytest.mark.beyond_the_description
"""The real server takes and answers more than the vendor describes."""

MODES = (pytest.param("dynamic", marks=pytest.mark.slow), "native")
"""That both do the same is what tests/provider/contract shows."""
WITH_ALL = [each for each in SUBJECTS if each.name.endswith(("everything", "every kind"))]
"""Those that have all properties; the others show each kind alone, and are played by hand."""


@pytest.fixture(scope="module", params=MODES)
def lives(request: pytest.FixtureRequest, processes: FrontEnds) -> Iterator[Lives]:
    """A front end beside a sandbox."""
    driver = processes.dynamic if request.param == "dynamic" else processes.native
    with Sandbox(vocabulary="clickhouse") as sandbox, sandbox.self_hosted() as http:
        play.empty(http)
        processes.config = {}
        yield Lives(driver, http, sandbox.config)


@pytest.mark.parametrize("subject", WITH_ALL, ids=lambda each: each.name)
def test_a_whole_life(lives: Lives, subject: Subject) -> None:
    """Created, read, edited, drifted, repaired, imported, cleared and deleted, with nothing to complain of."""
    assert list(lives.life(subject)) == []


@pytest.mark.slow
@pytest.mark.parametrize("subject", WITH_ALL, ids=lambda each: each.name)
def test_ten_edits_change_nothing_else(lives: Lives, subject: Subject) -> None:
    """What a person made with everything set is the same after ten edits of ours, but for what they change."""
    assert list(lives.edits_beside_everything(subject)) == []
    assert list(lives.edits_beside_little(subject)) == []


def test_all_resources_are_played() -> None:
    """Of every kind of object there is one with all properties."""
    assert {each.resource for each in WITH_ALL} >= {
        "Dashboard",
        "Alert",
        "SavedSearch",
        "Source",
        "Webhook",
        "Connection",
    }
