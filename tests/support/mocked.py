"""Puts Pulumi's mocks in place of the engine."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pulumi
from pulumi.runtime import mocks, settings


class Engine(mocks.MockMonitor, mocks.Mocks):
    """Plays the engine; functions do not go through it."""

    def __init__(self) -> None:
        super().__init__(self)

    def call(self, args: mocks.MockCallArgs) -> Any:
        """Refuse: nothing is called."""
        raise AssertionError(args.token)


@contextmanager
def mocked_engine(playing: mocks.Mocks, **options: Any) -> Iterator[None]:
    """Let an engine be played within.

    Args:
        playing: What plays it.
        options: What else `pulumi.runtime.set_mocks` takes.
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
    """Return the loop of all mocks: what one leaves unfinished is pending as long as the loop is.

    A failed program leaves futures that nobody reads. Logged whenever they are collected, their tracebacks are parsed
    in the middle of whatever runs then, and CPython 3.11 cannot begin `ast.parse` within `ast.parse`.
    """
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda _loop, _context: None)
    return loop
