"""Pulumi's mocks in place of the engine."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pulumi
from pulumi.runtime import mocks, settings


class Engine(mocks.MockMonitor, mocks.Mocks):
    """A mocked engine; functions do not call it."""

    def __init__(self) -> None:
        super().__init__(self)

    def call(self, args: mocks.MockCallArgs) -> Any:
        """Fail: no program of the tests calls a function through the engine."""
        raise AssertionError(args.token)


@contextmanager
def mocked_engine(playing: mocks.Mocks, **options: Any) -> Iterator[None]:
    """Run the block with a mocked engine.

    Args:
        playing: The mocks.
        options: Further arguments of `pulumi.runtime.set_mocks`.
    """
    before = settings.SETTINGS
    asyncio.set_event_loop(_loop())  # `set_mocks` asks for the current one; Python 3.12 and newer warn if there is none
    try:
        pulumi.runtime.set_mocks(playing, **options)
        yield
    finally:
        settings.configure(before)


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Return the one event loop of all mocks, which is never closed, so that unfinished tasks stay pending.

    A failed program leaves futures whose exception is never read. asyncio would log it, with a parsed traceback,
    whenever the future is collected, and CPython 3.11 cannot begin `ast.parse` within `ast.parse`.
    """
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda _loop, _context: None)
    return loop
