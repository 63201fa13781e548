"""A sandbox of each dialect for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .running import RunningSandbox

COUNTED = "counted"
"""The property of a test's report that is printed at the end of the run."""


@pytest.fixture(scope="session")
def sandboxes() -> Iterator[dict[str, RunningSandbox]]:
    """A sandbox of each dialect."""
    from .case import DIALECTS
    from .running import RunningSandbox

    first, second = (RunningSandbox(dialect) for dialect in DIALECTS)
    with first, second:
        yield dict(zip(DIALECTS, (first, second), strict=True))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the counts of the tests; the workers of pytest-xdist cannot print them."""
    for result in ("passed", "failed"):
        for report in terminalreporter.stats.get(result, []):
            for name, counted in report.user_properties:
                if name == COUNTED:
                    terminalreporter.write_line(str(counted))
    keyword = terminalreporter.config.option.keyword
    if not keyword:
        return
    from .subjects import SUBJECTS

    if any(keyword in name for name in SUBJECTS):
        terminalreporter.write_line(f"Cases of the fault matrix are no tests of their own: make faults ONLY={keyword}")
