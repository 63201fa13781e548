"""A sandbox in the interface's dialect, and a client of its management API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx
import pytest

if TYPE_CHECKING:
    from clouddb_tools.sandbox import Sandbox


@pytest.fixture(scope="session")
def running_sandbox() -> Iterator[Sandbox]:
    """One server for all tests that do not change its clock."""
    from clouddb_tools.sandbox import Sandbox

    with Sandbox(vocabulary="neutral") as running:
        yield running


@pytest.fixture
def sandbox(running_sandbox: Sandbox) -> Sandbox:
    """The server without objects, faults and requests."""
    running_sandbox.reset()
    return running_sandbox


@pytest.fixture
def http(sandbox: Sandbox) -> Iterator[httpx.Client]:
    """A client of the management API."""
    with sandbox.management() as client:
        yield client
