"""A test stack of each kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.engines import ENGINES
from testing.shelves import Shelf


@pytest.fixture(params=ENGINES)
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Shelf:
    """A shelf with a stack of each kind."""
    return Shelf(request.param, tmp_path)
