# Written by hand; the other files of this package are generated.
"""The end of a program's run: after an orderly end, state contains the resources that the run created."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from weakref import WeakSet

import pulumi
from pulumi.runtime import settings

from pulumi_clouddb.create.pending_files import backend, default_folder, state_is_written_late, storage_errors
from pulumi_clouddb.schema.values import digest

_MONITORS: WeakSet[Any] = WeakSet()
"""The connections to the engine whose responses are recorded: each run has its own, several of them in one process."""


class Registrations:
    """The registrations of one run to which the engine has responded.

    A response alone does not prove that the resource is in state. The engine responds to a registration after writing
    the checkpoint (step_executor.go: OnResourceStepPost, then stepComplete; journal.go: journalMutation waits for
    saveSnapshot). But after a second Ctrl-C OnResourceStepPost (engine/update.go) returns without writing it, and the
    engine responds nevertheless.

    The response to SignalAndWaitForShutdown, with which the SDK ends a program, proves it for all earlier
    registrations. deploymentExecutor.Execute sends that response (resmon.Cancel) if no step has failed and its event
    loop received the end of the program, and not if a Ctrl-C ended that loop (since pulumi/pulumi#20153; seen with
    3.260). The first Ctrl-C ends it: it cancels the context for which the loop waits besides the program's events. So
    if the loop received the end of the program, the engine responded to all earlier registrations before a second
    Ctrl-C. If an event and the cancellation are ready at the same time, the loop may receive either, but that event is
    not the end of the program: the SDK sends it after it has the response for the stack's outputs, which the same loop
    has just sent.

    Args:
        folder: The folder of pending creates.
        scope: The backend of the program's stack.
    """

    def __init__(self, folder: Path | None = None, scope: str | None = None) -> None:
        self._folder = folder
        self._scope = backend() if scope is None else scope
        self._ids: dict[str, str] = {}

    def answered(self, urn: str, object_id: str) -> None:
        """Record that the engine has responded to a registration."""
        self._ids[digest(self._scope, urn)] = object_id

    def ended(self) -> None:
        """Remove the records of all these registrations: after an orderly end, state contains their resources."""
        if state_is_written_late():
            return
        with suppress(OSError), storage_errors():
            folder = self._folder or default_folder()
            for path in list(folder.glob("*.json")):
                self._settle(path)

    def _settle(self, path: Path) -> None:
        object_id = self._ids.get(path.name.partition("-")[0])
        with suppress(OSError, ValueError, AttributeError, RecursionError):
            if object_id and json.loads(path.read_text(encoding="utf-8")).get("id") == object_id:
                path.unlink()


def record_responses() -> None:
    """Record the engine's responses to registrations, from the first resource of this run until its end.

    They are read from the connection: an output for each resource would cost more, since the SDK checks all outputs
    that are not resolved whenever one of them is (`wait_for_rpcs` of pulumi 3.272).
    """
    monitor = settings.get_monitor()
    if monitor is None or monitor in _MONITORS or pulumi.runtime.is_dry_run():
        return
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


def _recorded(call: Callable[..., Any], registrations: Registrations) -> Callable[..., Any]:
    def recorded(request: Any, *arguments: Any, **options: Any) -> Any:
        response = call(request, *arguments, **options)
        # Older engines do not return the id of a resource that is read.
        registrations.answered(response.urn, getattr(response, "id", "") or getattr(request, "id", ""))
        return response

    return recorded
