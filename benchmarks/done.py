"""Whether measured work was done: work that did not happen would cost the least."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from clouddb_tools.sandbox import SandboxControl

from .engine import NOTHING

WRITES: Mapping[str, int] = {"up": 1, "preview": 0, "refresh": 0, "destroy": 1}
"""The writes of an operation for each new object, or for each object that it finds unchanged."""


class NotDoneError(Exception):
    """A provider has not sent the requests of the work that was measured."""


@contextmanager
def writes(sandbox: SandboxControl, number: int, front_end: str = "") -> Iterator[None]:
    """Require that the server accepts that many writes within a block; the floor of a front end sends none.

    Raises:
        NotDoneError: It has accepted more or fewer.
    """
    sandbox.forget_requests()
    yield
    accepted = sum(each.method != "GET" for each in sandbox.logged(status="2xx"))
    expected = 0 if front_end in NOTHING.values() else number
    if accepted != expected:
        raise NotDoneError(f"the server has accepted {accepted} writes instead of {expected} {front_end}".rstrip())
