"""What a run of all quick tests costs in processor time, by folder, beside its ceiling.

Of other processes it counts those that a worker has started itself; hosts are forked from an interpreter that the
workers share (support/warm.py), and are not counted.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from typing import Any

import pytest

from ceilings import QUICK_TESTS

SENT = "cost"
"""The name of what a worker sends."""

DEAREST = 8


class Cost:
    """A plugin of the workers, and of the process that starts them."""

    def __init__(self, config: pytest.Config) -> None:
        option = config.option
        self._is_whole = option.markexpr == "not slow" and not option.keyword and config.args == ["tests"]
        self._seconds: defaultdict[str, float] = defaultdict(float)

    @staticmethod
    def of(config: pytest.Config) -> Cost:
        """Return the plugin of this process, registered on the first call."""
        if KEY not in config.stash:
            config.stash[KEY] = Cost(config)
            config.pluginmanager.register(config.stash[KEY])
        return config.stash[KEY]

    def spent(self, item: pytest.Item, seconds: float) -> None:
        """Add the processor time of a test."""
        folder = "/".join(item.nodeid.partition("::")[0].split("/")[:3])
        self._seconds[folder] += seconds

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send the seconds of a worker; fail a run of all quick tests that is above the ceiling."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            all_ = os.times()
            own = all_.user + all_.system - sum(self._seconds.values())
            others = all_.children_user + all_.children_system
            output[SENT] = {**self._seconds, "collection and fixtures": own, "other processes": others}
        elif self._is_whole and sum(self._seconds.values()) > QUICK_TESTS:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add the seconds of a worker."""
        for name, seconds in getattr(node, "workeroutput", {}).get(SENT, {}).items():
            self._seconds[name] += seconds

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the seconds of a run of all quick tests."""
        if self._is_whole:
            dearest = Counter(self._seconds).most_common(DEAREST)
            names = ", ".join(f"{name} {seconds:.0f}" for name, seconds in dearest)
            total = sum(self._seconds.values())
            terminalreporter.write_line(f"{total:.0f} s of processor time, ceiling {QUICK_TESTS}: {names}")


KEY = pytest.StashKey[Cost]()
