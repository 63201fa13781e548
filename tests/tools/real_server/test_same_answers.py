"""The sandbox returns the same status and body as the real observability server."""

from __future__ import annotations

from collections import Counter

import pytest

from clouddb_tools.release import Release
from clouddb_tools.sandbox import Sandbox

from . import play
from .request import Values
from .requests import requests

pytestmark = pytest.mark.beyond_the_description
"""The real server accepts and returns more than the vendor describes."""

DIFFERENT: dict[str, str] = {
    "series: a count of something": "The real server stores the counted expression and hides it; the sandbox stores "
    "the response, in which a count has an empty expression.",
    "lines with: the kind of a builder": "The sandbox refuses a `configType` other than `sql`, as newer servers do.",
    "a dashboard with filter values of the page: put back": "The sandbox knows values of variables, as newer servers "
    "do, so that a value of an unknown kind lacks no condition.",
}
"""Requests with a different response of the sandbox, by name, with the reason."""


@pytest.fixture(scope="module")
def answers() -> dict[str, Values]:
    """The responses of the sandbox."""
    with Sandbox(vocabulary="clickhouse", release=Release.AUGUST_2026) as sandbox, sandbox.self_hosted() as http:
        play.empty(http)
        return play.play(http)


def test_requests_and_recorded_responses_match() -> None:
    """Names are unique, and each recorded response has a request."""
    names = [each.name for each in requests()]
    assert [name for name, count in Counter(names).items() if count > 1] == []
    assert names == list(play.recorded())


def test_sandbox_responds_like_the_real_server(answers: dict[str, Values]) -> None:
    """All responses except the listed ones are equal, and the listed ones differ."""
    found = {name: list(play.differences(real, answers[name])) for name, real in play.recorded().items()}
    assert {name: each for name, each in found.items() if each and name not in DIFFERENT} == {}
    assert [name for name in DIFFERENT if not found[name]] == []


def test_server_with_objects_is_refused() -> None:
    """The requests delete all objects at the end, so the server must have none at the start."""
    with Sandbox(vocabulary="clickhouse") as sandbox, sandbox.self_hosted() as http:
        with pytest.raises(ValueError, match="it has webhooks, sources, connections"):
            play.play(http)
        assert len(http.get("sources").json()["data"]) == 3
