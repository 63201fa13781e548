# Written by hand; the other files of this package are generated.
"""The end of a program's run: once it is known to be in order, state holds what the run has created."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import pulumi
from pulumi.runtime import settings

if TYPE_CHECKING:
    from pulumi_clouddb.create.pending_files import Registrations

_RUNS: WeakSet[Any] = WeakSet()
"""The connections to the engine whose answers are noted: each run has its own, several of them in one process."""


def note_answers() -> None:
    """Take note of the engine's answers to registrations, from the first resource of this run until its end.

    They are taken from the connection: an output for each resource would cost more, as the SDK looks at all outputs
    that are open whenever one of them is done (`wait_for_rpcs` of pulumi 3.272).
    """
    monitor = settings.get_monitor()
    if monitor is None or monitor in _RUNS or pulumi.runtime.is_dry_run():
        return
    from pulumi_clouddb.create.pending_files import Registrations

    _RUNS.add(monitor)
    registrations = Registrations()
    monitor.RegisterResource = _noted(monitor.RegisterResource, registrations)
    monitor.ReadResource = _noted(monitor.ReadResource, registrations)
    wait_for_the_end = monitor.SignalAndWaitForShutdown

    def wait(*arguments: Any, **options: Any) -> Any:
        answer = wait_for_the_end(*arguments, **options)  # raises an error where the run has failed or was interrupted
        registrations.ended()
        return answer

    monitor.SignalAndWaitForShutdown = wait


def _noted(call: Callable[..., Any], registrations: "Registrations") -> Callable[..., Any]:
    def noted(request: Any, *arguments: Any, **options: Any) -> Any:
        answer = call(request, *arguments, **options)
        # Older engines do not repeat the id of what is read.
        registrations.answered(answer.urn, getattr(answer, "id", "") or getattr(request, "id", ""))
        return answer

    return noted
