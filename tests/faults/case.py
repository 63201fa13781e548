"""One case: an operation on a subject, one of its requests, and the fault of that request."""

from __future__ import annotations

from dataclasses import dataclass

from .fault import Fault
from .subjects import Subject

DIALECTS = ("neutral", "clickhouse")
COMMANDS = {
    "create": "up",
    "create-lost": "up",
    "create-resumed": "up",
    "update": "up",
    "replace": "up",
    "refresh": "refresh",
    "delete": "destroy",
}
"""The command of each operation.

In `create-lost` the response to the create is lost before the fault; in `create-resumed` the provider was killed after
the create was carried out, and the fault happens in the next `up`. `replace` deletes the object first, and creates one
with the same id.
"""

CREATES = ("create", "create-lost", "create-resumed")


@dataclass(frozen=True)
class Setup:
    """A case without its fault.

    Attributes:
        subject: The resource.
        dialect: `neutral` or `clickhouse`.
        operation: One of `COMMANDS`.
        front_end: `dynamic` or `native`.
    """

    subject: Subject
    dialect: str
    operation: str
    front_end: str

    def __str__(self) -> str:
        """Return its id."""
        return f"{self.subject}-{self.dialect}-{self.operation}-{self.front_end}"


@dataclass(frozen=True)
class Case:
    """One case.

    Attributes:
        setup: The command and its subject.
        fault: The fault of its request.
        place: The number of the request in a run without faults, from 1; 0 for the whole command.
        request: The operation of that request; empty for the whole command.
        after: The number of earlier requests of that operation.
    """

    setup: Setup
    fault: Fault
    place: int = 0
    request: str = ""
    after: int = 0

    def __str__(self) -> str:
        """Return its id, such as `Service-neutral-create-2:create_service-lose-dynamic`."""
        setup = self.setup
        request = f"{self.place}:{self.request}" if self.request else "all"
        return f"{setup.subject}-{setup.dialect}-{setup.operation}-{request}-{self.fault}-{setup.front_end}"
