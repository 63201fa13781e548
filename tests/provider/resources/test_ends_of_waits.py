"""Waits for an object that a server works on."""

from __future__ import annotations

import pytest

from pulumi_clouddb.resource.waits import Awaited, wait
from pulumi_clouddb.things.services.api import Services
from pulumi_clouddb.things.services.service import Service
from support.sessions import ProviderProcess


def test_list_from_before_the_wait_proves_nothing(process: ProviderProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its request was under way when the wait began, so that it may lack what this process has written."""
    services, service = process.api.of(Services), Service.model_construct(id="s", state="stopping")
    ages, lists = iter([60.0, 0.0, 0.0]), iter([None, service, None])
    monkeypatch.setattr(Services, "age", property(lambda _: next(ages)))
    monkeypatch.setattr(Awaited, "listed", lambda *_, **__: next(lists))
    monkeypatch.setattr(Awaited, "find", lambda *_, **__: None)
    waited = wait(process, Awaited(services, "s", "service"), service, 5, lambda seen: seen is None, "gone")
    assert (waited.problem, [*lists]) == (None, [])
