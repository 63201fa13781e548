"""The sandbox answers as the real observability server: the same status, the same body, the same words."""

from __future__ import annotations

from collections import Counter

import pytest

from clouddb_tools.sandbox import Sandbox

from . import play
from .request import Values
from .requests import requests

pytestmark = pytest.mark.beyond_the_description
"""The real server takes and answers more than the vendor describes."""

DIFFERENT: dict[str, str] = {
    "series: a count of something": "The real server keeps what is counted and hides it; the sandbox keeps what it "
    "answers, in which a count has an empty expression."
}
"""Requests that the sandbox answers otherwise, by name, each with the reason."""


@pytest.fixture(scope="module")
def answers() -> dict[str, Values]:
    """What the sandbox answers."""
    with Sandbox(vocabulary="clickhouse") as sandbox, sandbox.self_hosted() as http:
        play.empty(http)
        return play.play(http)


def test_every_request_has_a_recorded_answer() -> None:
    """Names are unique, and nothing is recorded that is not asked."""
    names = [each.name for each in requests()]
    assert [name for name, count in Counter(names).items() if count > 1] == []
    assert names == list(play.recorded())


def test_the_sandbox_answers_as_the_real_server(answers: dict[str, Values]) -> None:
    """All but a listed handful are answered alike, to the last value; and what is listed does differ."""
    found = {name: list(play.differences(real, answers[name])) for name, real in play.recorded().items()}
    assert {name: each for name, each in found.items() if each and name not in DIFFERENT} == {}
    assert [name for name in DIFFERENT if not found[name]] == []


def test_a_server_with_objects_is_left_alone() -> None:
    """The list deletes what it finds at the end, so it begins only where there is nothing."""
    with Sandbox(vocabulary="clickhouse") as sandbox, sandbox.self_hosted() as http:
        with pytest.raises(ValueError, match="it has webhooks, sources, connections"):
            play.play(http)
        assert len(http.get("sources").json()["data"]) == 3
