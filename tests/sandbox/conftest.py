"""A sandbox of the interface's dialect, and a client of its management surface."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from pulumi_clouddb.sandbox import Sandbox


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """A server of its own for each test."""
    with Sandbox() as running:
        yield running


@pytest.fixture
def http(sandbox: Sandbox) -> Iterator[httpx.Client]:
    """A client of the management surface."""
    with sandbox.management() as client:
        yield client
