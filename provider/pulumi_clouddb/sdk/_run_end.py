# Written by hand; the other files of this package are generated.
"""The end of a program's run: once it is known to be in order, state holds what the run has created."""

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import pulumi
from pulumi.runtime import settings

if TYPE_CHECKING:
    from pulumi_clouddb.create.pending_files import Registrations

_RUNS: WeakKeyDictionary[Any, "Registrations"] = WeakKeyDictionary()
"""What was answered, by the connection to the engine: each run has one of its own, several of them in one process."""


def note_answer(resource: pulumi.CustomResource) -> None:
    """Take note of the engine's answer to the registration of a resource, until the end of this run."""
    monitor = settings.get_monitor()
    if monitor is None or pulumi.runtime.is_dry_run():
        return
    registrations = _RUNS.get(monitor)
    if registrations is None:
        registrations = _RUNS[monitor] = _until_the_end(monitor)
    answered = registrations.answered
    pulumi.Output.all(resource.urn, resource.id).apply(lambda known: answered(*known))


def _until_the_end(monitor: Any) -> "Registrations":
    """Return the registrations of a new run, whose end settles their creates if it is in order."""
    from pulumi_clouddb.create.pending_files import Registrations

    registrations = Registrations()
    wait_for_the_end = monitor.SignalAndWaitForShutdown

    def wait(*arguments: Any, **options: Any) -> Any:
        answer = wait_for_the_end(*arguments, **options)  # raises an error where the run has failed or was interrupted
        registrations.ended()
        return answer

    monitor.SignalAndWaitForShutdown = wait
    return registrations
