"""One case: an operation on a subject, a request in it, and what goes wrong there."""

from __future__ import annotations

from dataclasses import dataclass

from .subjects import Subject
from .troubles import Trouble

DIALECTS = ("neutral", "clickhouse")
COMMANDS = {
    "create": "up",
    "create-lost": "up",
    "create-resumed": "up",
    "update": "up",
    "refresh": "refresh",
    "delete": "destroy",
}
"""The command that each operation is part of.

In `create-lost` the response to the create is lost before anything else goes wrong; in `create-resumed` the provider
was killed after the create was carried out, and the next `up` is the one in which something goes wrong.
"""

CREATES = ("create", "create-lost", "create-resumed")


@dataclass(frozen=True)
class Setup:
    """Everything of a case but what goes wrong.

    Attributes:
        subject: What it is about.
        dialect: The words on the wire.
        operation: One of `COMMANDS`.
        front_end: `dynamic` or `native`.
    """

    subject: Subject
    dialect: str
    operation: str
    front_end: str

    def __str__(self) -> str:
        """Name it."""
        return f"{self.subject}-{self.dialect}-{self.operation}-{self.front_end}"


@dataclass(frozen=True)
class Case:
    """One case.

    Attributes:
        setup: What runs.
        trouble: What goes wrong.
        place: Which request of a calm run it happens to, from 1; 0 for the whole command.
        request: The operation of that request; empty for the whole command.
        after: How many requests of that operation come before.
    """

    setup: Setup
    trouble: Trouble
    place: int = 0
    request: str = ""
    after: int = 0

    def __str__(self) -> str:
        """Name it, such as `Service-neutral-create-2:create_service-lose-dynamic`."""
        setup = self.setup
        request = f"{self.place}:{self.request}" if self.request else "all"
        return f"{setup.subject}-{setup.dialect}-{setup.operation}-{request}-{self.trouble}-{setup.front_end}"
