"""Fixtures for all tests: no settings from outside, one provider host per configuration, a clock to push."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from support.clock import FakeClock
from support.host import DynamicHost, MakeHost

PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
NOWHERE = "http://127.0.0.1:9"
"""For hosts that shall not send anything."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, so that the other workers are not left waiting for it."""
    items.sort(key=lambda item: item.get_closest_marker("first") is None)


@pytest.fixture(scope="session", autouse=True)
def no_settings_from_outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let nobody's credentials, proxies or notes of interrupted runs reach the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [*PROXIES, *(name for name in os.environ if name.startswith("CLOUDDB_"))]:
            patch.delenv(name, raising=False)
        patch.setenv("CLOUDDB_JOURNAL", str(tmp_path_factory.mktemp("journal")))
        yield


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    """A clock on which sleeping takes no time."""
    return FakeClock(monkeypatch)


@pytest.fixture(scope="session")
def host_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeHost]:
    """Give the provider host of a configuration, `host_of(paid="false")`; each is started once for all tests."""
    hosts: dict[tuple[tuple[str, str], ...], DynamicHost] = {}
    with ExitStack() as stack:

        def make(**config: str) -> DynamicHost:
            key = tuple(sorted(config.items()))
            if key not in hosts:
                named = {f"clouddb:{name}": value for name, value in {"baseUrl": NOWHERE, **config}.items()}
                hosts[key] = stack.enter_context(DynamicHost(named, tmp_path_factory.mktemp("host")))
            return hosts[key]

        yield make


@pytest.fixture(scope="session")
def dynamic_host(host_of: MakeHost) -> DynamicHost:
    """The provider host under the plainest configuration; it reaches no server."""
    return host_of()
