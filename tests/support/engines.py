"""The two ways to run whole programs: the fake engine, and the real CLI."""

from __future__ import annotations

import pytest

from clouddb_tools.testing import CliStack, FakeEngineStack

ENGINES = [pytest.param(FakeEngineStack, id="fake engine"), pytest.param(CliStack, id="cli", marks=pytest.mark.cli)]
