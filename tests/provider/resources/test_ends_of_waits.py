"""What ends a wait, and whether the object counts as deleted then: a table of the reads of one object.

Which requests a wait sends, and when, is in things/services/test_waits.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from pulumi_clouddb.client.errors import ApiError, ClientError, ServerError, UnauthorizedError
from pulumi_clouddb.client.operation import READ_SERVICE
from pulumi_clouddb.resource.waits import Awaited, state_of, wait
from pulumi_clouddb.things.services.api import Services
from pulumi_clouddb.things.services.service import Service
from support.clock import FakeClock
from support.sessions import ProviderProcess, config_of

READ = READ_SERVICE.managed
WORKING, RUNNING = (Service.model_construct(id="s", state=each) for each in ("provisioning", "running"))
KEY_REFUSED, REFUSED, FAILED = (
    UnauthorizedError(READ, "", "no", status=401),
    ClientError(READ, "", "no", status=400),
    ServerError(READ, "", "oops", status=500),
)
ABSENT = [None] * 4
"""A read without the object, and the three that follow it."""


@dataclass(frozen=True)
class Case:
    """A wait until a service runs.

    Attributes:
        reads: The results of the reads, or why they fail.
        problem: Words of the failure; empty if the service runs.
        gone: Whether the service counts as deleted.
        new: Whether it was created just now.
    """

    reads: Sequence[Service | ApiError | None]
    problem: str = ""
    gone: bool = False
    new: bool = False


CASES = {
    "it runs": Case([WORKING, RUNNING]),
    "it was missing for a while": Case([None, None, RUNNING]),
    "it is gone": Case(ABSENT, "no longer finds it", gone=True),
    "a new one that no read has shown": Case(ABSENT, "no longer finds it", new=True),
    "a new one that was shown": Case([WORKING, *ABSENT], "no longer finds it", gone=True, new=True),
    "a read failed while it was missing": Case([None, None, FAILED, None], "no longer finds it"),
    "the key is refused twice": Case([KEY_REFUSED, KEY_REFUSED, RUNNING]),
    "the key is refused three times": Case([KEY_REFUSED] * 3, "could not"),
    "refused in two ways": Case([REFUSED, KEY_REFUSED, REFUSED], "could not"),
    "refused again after another failure": Case([REFUSED, REFUSED, FAILED, REFUSED, REFUSED, RUNNING]),
    "a server that fails for long": Case([*[FAILED] * 9, RUNNING]),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_reads_decide_how_a_wait_ends(
    case: Case, clock: FakeClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits for a new object forgets its create if it is gone, so that the next run makes another one."""
    reads = iter(case.reads)

    def find(*_: object, **__: object) -> Service | None:
        result = next(reads)
        if isinstance(result, ApiError):
            raise result
        return result

    monkeypatch.setattr(Awaited, "listed", lambda *_, **__: None)
    monkeypatch.setattr(Awaited, "find", find)
    process = ProviderProcess(config_of(), tmp_path, sleep=clock.sleep)
    awaited = Awaited(process.api.of(Services), "s", "service")
    waited = wait(process, awaited, WORKING, 60, lambda it: state_of(it) == "running", "running", new=case.new)
    assert (waited.problem is None, waited.gone, [*reads]) == (not case.problem, case.gone, [])
    assert case.problem in (waited.problem or "")


def test_list_from_before_the_wait_proves_nothing(
    clock: FakeClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its request was under way when the wait began, so that it may lack what this process has written."""
    process = ProviderProcess(config_of(), tmp_path, sleep=clock.sleep)
    services, service = process.api.of(Services), Service.model_construct(id="s", state="stopping")
    ages, lists = iter([60.0, 0.0, 0.0]), iter([None, service, None])
    monkeypatch.setattr(Services, "age", property(lambda _: next(ages)))
    monkeypatch.setattr(Awaited, "listed", lambda *_, **__: next(lists))
    monkeypatch.setattr(Awaited, "find", lambda *_, **__: None)
    waited = wait(process, Awaited(services, "s", "service"), service, 5, lambda seen: seen is None, "gone")
    assert (waited.problem, [*lists]) == (None, [])
