# Written by hand; the other files of this package are generated.
"""The end of a program's run: after an orderly end, state contains the resources that the run created."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import pulumi
from pulumi.runtime import settings

if TYPE_CHECKING:
    from pulumi_clouddb.create.pending_files import Registrations

_MONITORS: WeakSet[Any] = WeakSet()
"""The connections to the engine whose responses are recorded: each run has its own, several of them in one process."""


def record_responses() -> None:
    """Record the engine's responses to registrations, from the first resource of this run until its end.

    They are read from the connection: an output for each resource would cost more, since the SDK checks all outputs
    that are not resolved whenever one of them is (`wait_for_rpcs` of pulumi 3.272).
    """
    monitor = settings.get_monitor()
    if monitor is None or monitor in _MONITORS or pulumi.runtime.is_dry_run():
        return
    from pulumi_clouddb.create.pending_files import Registrations

    _MONITORS.add(monitor)
    registrations = Registrations()
    monitor.RegisterResource = _recorded(monitor.RegisterResource, registrations)
    monitor.ReadResource = _recorded(monitor.ReadResource, registrations)
    wait_for_end = monitor.SignalAndWaitForShutdown

    def wait(*arguments: Any, **options: Any) -> Any:
        response = wait_for_end(*arguments, **options)  # raises an error if the run failed or was interrupted
        registrations.ended()
        return response

    monitor.SignalAndWaitForShutdown = wait


def _recorded(call: Callable[..., Any], registrations: "Registrations") -> Callable[..., Any]:
    def recorded(request: Any, *arguments: Any, **options: Any) -> Any:
        response = call(request, *arguments, **options)
        # Older engines do not return the id of a resource that is read.
        registrations.answered(response.urn, getattr(response, "id", "") or getattr(request, "id", ""))
        return response

    return recorded
