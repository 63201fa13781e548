"""A bench for each kind of stack."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.engines import ENGINES
from testing.shelves import Shelf


@pytest.fixture(params=ENGINES)
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Shelf:
    """Give a bench for each kind of stack."""
    return Shelf(request.param, tmp_path)
