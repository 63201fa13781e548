"""The memory of a run is told and asked by concurrent calls of the engine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from pulumi_clouddb.client.operation import READ_SERVICE
from pulumi_clouddb.create.run import Run
from pulumi_clouddb.schema.check.claims import Needs, Place, Sets

TIMES = 1000


@pytest.fixture
def switching() -> Iterator[None]:
    """Let threads take turns as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("switching")
def test_run_is_asked_while_it_is_told() -> None:
    """Many resources are deleted at the same time, and each deletion looks at all others."""
    run = Run()

    def told(of: str) -> None:
        for number in range(TIMES):
            run.stored(f"{of}{number}", f"id {of}{number}")
            run.adds(f"{of}{number}", None)

    def asked() -> None:
        while not all(each.done() for each in telling):
            run.declared_as("Dashboard", "id", "urn")
            assert len(run.new_names) <= 2 * TIMES
            assert len(run.owned_ids()) <= 2 * TIMES

    with ThreadPoolExecutor(4) as pool:
        telling = [pool.submit(told, each) for each in "ab"]
        asking = [pool.submit(asked) for _ in range(2)]
        for each in (*telling, *asking):
            each.result()


def test_resources_that_need_the_same_do_not_meet() -> None:
    """The alerts of a dashboard would meet in pairs: previews would take the square of their number."""
    run, place = Run(), Place("Dashboard", "", "board", "tileIds")
    need = Needs(place, "tile", "watches a tile of", "it is deleted", "Take another tile")
    assert [run.claims(name, [need]) for name in "abc"] == [[], [], []]
    lacking = Sets(place, {})
    assert run.claims("board", [lacking]) == [(lacking, name, need) for name in "abc"]
    assert run.claims("a", [need]) == [(need, "board", lacking)]


def test_each_list_is_read_once_and_each_refusal_is_the_first_once() -> None:
    """A failed list is not read again either: a preview would wait as long for each new resource."""
    run, requests = Run(), []
    key = (READ_SERVICE.managed, None)

    def read() -> None:
        requests.append(key)

    assert [run.listed(key, read), run.listed(key, read)] == [None, None]
    assert requests == [key]
    assert [run.tells_taken("a"), run.tells_taken("a"), run.tells_taken("b")] == [False, True, False]
    run.adds("urn::a", None)
    assert (run.new_names, run.taken) == (["a"], {})
