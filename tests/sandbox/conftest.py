"""A sandbox for all tests of a module, as new for each of them."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from pulumi_clouddb.sandbox import Sandbox


@pytest.fixture(scope="module")
def shared() -> Iterator[Sandbox]:
    """One sandbox for all tests of a module."""
    with Sandbox() as running:
        yield running


@pytest.fixture
def sandbox(shared: Sandbox) -> Sandbox:
    """The sandbox, with no fault waiting and nothing in its log."""
    shared.clear_faults()
    shared.forget_requests()
    return shared


@pytest.fixture
def http(sandbox: Sandbox) -> Iterator[httpx.Client]:
    """A client of the management surface."""
    with sandbox.management() as client:
        yield client
