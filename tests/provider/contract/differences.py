"""All permitted differences between the two front ends, each with its reason: limits of dynamic providers.

A difference removes itself from a pair of responses if it is present exactly as described; the rest must be equal.
Cases name the differences in them, and fail if one is not present.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import UNKNOWN
from support.grpc_driver import GrpcDriver, HostError, Later

Response = dict[str, Any]
Remove = Callable[[str, Response, Response], bool]
"""Removes a difference, in place, from the responses of dynamic and native, and returns whether it was present."""


@dataclass(frozen=True)
class Difference:
    """A permitted difference.

    Attributes:
        name: The difference.
        reason: Why it cannot be avoided.
        remove: Removes it.
        everywhere: Whether every response of its kind has it, so that cases need not name it.
        sends_less: Whether dynamic sends only some of native's requests.
        warns_less: Whether dynamic has only some of native's warnings.
    """

    name: str
    reason: str
    remove: Remove
    everywhere: bool = False
    sends_less: bool = False
    warns_less: bool = False


def _name_before_errors(_: str, dynamic: Response, native: Response) -> bool:
    present = "error" in native and dynamic.get("error") == f"clouddb: {native['error']}\n"
    if present:
        dynamic["error"] = native["error"]
    return present


def _no_details(_: str, dynamic: Response, native: Response) -> bool:
    details = native.get("details")
    if details is None or dynamic.get("details") is not None:
        return False
    replaced = {path.partition("[")[0].partition(".")[0] for path, kind in details.items() if "REPLACE" in kind}
    assert bool(details) == native["changes"]
    assert replaced == set(native["replaces"])
    dynamic["details"] = details
    return True


def _no_initialisation_errors(_: str, dynamic: Response, native: Response) -> bool:
    if not native.get("reasons") or "outputs" not in dynamic or _ended(native):
        return False
    assert native["reasons"] == [native["error"]] == [native["outputs"]["lastError"]]
    del native["error"], native["reasons"]
    return True


def _wait_continues(word: str) -> Remove:
    def remove(_: str, dynamic: Response, native: Response) -> bool:
        if word not in (_ended(native) or "") or "outputs" not in dynamic:
            return False
        assert dynamic["outputs"]["state"] == "running"
        assert native["outputs"]["state"] == "provisioning"
        native["outputs"] = {name: value for name, value in native["outputs"].items() if name != "lastError"}
        native["outputs"]["state"] = "running"
        del native["error"], native["reasons"]
        return True

    return remove


def _ended(response: Response) -> str | None:
    """Return why a wait was ended from outside, or None."""
    reasons = response.get("reasons") or [""]
    return reasons[0] if "stopped waiting" in reasons[0] else None


def _no_previews(what: str, dynamic: Response, native: Response) -> bool:
    if not what.startswith("preview"):
        return False
    known = native["outputs"]
    for name, value in dynamic["outputs"].items():
        assert known[name] is UNKNOWN or known[name] == value or name in EXTENDED_BY_THE_SERVER
    dynamic["outputs"], dynamic["secrets"] = known, native["secrets"]
    return True


def _no_import(what: str, dynamic: Response, native: Response) -> bool:
    # Pulumi's host prints the traceback of its own error until it has called a provider for the first time.
    present = what == "import" and str(dynamic.get("error")).splitlines()[-1:] == ["KeyError: '__provider'"]
    if present:
        _replace(dynamic, native)
    return present


def _no_check_config(what: str, dynamic: Response, native: Response) -> bool:
    present = what == "check of the configuration" and "not implemented by the dynamic provider" in dynamic["error"]
    if present:
        _replace(dynamic, native)
    return present


def _class_in_state(what: str, dynamic: Response, native: Response) -> bool:
    present = what == "diff" and bool(dynamic.get("changes")) and native.get("details") == {}
    if present:
        dynamic["changes"] = False
    return present


def _replace(response: Response, other: Response) -> None:
    response.clear()
    response.update(other)


STILL_POLLS = 20
"""After this many polls without another new service, the remaining creates wait for the pending ones."""

EXTENDED_BY_THE_SERVER = ("endpoints",)
"""Inputs that the server extends, so that the output of that name differs."""

NO_REASONS = "no initialisation errors"
CANCEL = "Cancel does not end a wait"
TIMEOUTS = "no customTimeouts"
PREVIEWS = "no previews"
IMPORT = "no import"
CONFIGURATION = "no check of the configuration"
CLASS = "the class is stored in state"

DIFFERENCES = (
    Difference(
        "errors begin with the name of their class",
        "The dynamic host returns the traceback of an exception; without the frames, its name and text remain.",
        _name_before_errors,
        everywhere=True,
    ),
    Difference(
        "no detailed diff",
        "DiffResult of pulumi.dynamic has no property paths; the engine compares the inputs itself.",
        _no_details,
        everywhere=True,
    ),
    Difference(
        NO_REASONS,
        "pulumi.dynamic has no initialisation error, and an exception would lose the id: the object is stored in state "
        "with its lastError, and a warning reports it.",
        _no_initialisation_errors,
    ),
    Difference(
        CANCEL,
        "The dynamic host accepts Cancel and ignores it; its providers are not notified.",
        _wait_continues("the operation was cancelled"),
        warns_less=True,
    ),
    Difference(
        TIMEOUTS,
        "The dynamic host does not pass customTimeouts to its providers.",
        _wait_continues("customTimeouts"),
        warns_less=True,
    ),
    Difference(
        PREVIEWS,
        "The dynamic host does not declare support for previews, so the engine calls neither Create nor Update in "
        "one: the inputs become outputs, and all other outputs are unknown.",
        _no_previews,
    ),
    Difference(
        IMPORT,
        "An import has no inputs, which contain the reference to the dynamic provider. "
        "`clouddb import-file` writes what can be imported.",
        _no_import,
        sends_less=True,
        warns_less=True,
    ),
    Difference(
        CONFIGURATION,
        "The dynamic host does not implement CheckConfig: an invalid value is an error of the first request instead.",
        _no_check_config,
    ),
    Difference(
        CLASS,
        "State of a dynamic resource contains its provider's class, and an update replaces it. The plugin needs "
        "no class.",
        _class_in_state,
    ),
)


@dataclass(frozen=True)
class OtherDifference:
    """A difference that is not in the responses of the table.

    Attributes:
        name: The difference.
        reason: Why it cannot be avoided.
        measure: Returns the behavior of a driver with a sandbox.
        dynamic: The behavior of dynamic.
        native: The behavior of native.
    """

    name: str
    reason: str
    measure: Callable[[GrpcDriver, Sandbox], Any]
    dynamic: Any
    native: Any


def _offers(method: str, request: Any) -> Callable[[GrpcDriver, Sandbox], bool]:
    def measure(driver: GrpcDriver, _: Sandbox) -> bool:
        call = getattr(driver.stub, method).future(request)
        return call.code() is not grpc.StatusCode.UNIMPLEMENTED

    return measure


def _configure_rejects(driver: GrpcDriver, _: Sandbox) -> bool:
    """Return whether Configure rejects an invalid configuration; the first request rejects it in any case."""
    message = "clouddb:vocabulary must be one of"
    try:
        driver.configure({"clouddb:vocabulary": "klingon"})
    except HostError as error:
        return message in str(error)
    with pytest.raises(HostError, match=message):
        driver.check("Alert", {})
    return False


def _concurrent_creates(driver: GrpcDriver, sandbox: Sandbox) -> int:
    """Return how many of eight services are created concurrently while none of them starts."""
    sandbox.set_latency(provision=1800)
    inputs_of_all = [{"name": f"service {number}"} for number in range(8)]
    creates = [Later(driver.create, "Service", inputs) for inputs in inputs_of_all]
    count, polls = 0, 0
    while count < len(inputs_of_all) and sandbox.count("list_services") < polls + STILL_POLLS:
        time.sleep(0.02)
        if len(sandbox.services) > count:
            count, polls = len(sandbox.services), sandbox.count("list_services")
    sandbox.set_latency(provision=0)
    for id_ in sandbox.services:
        sandbox.change("services", id_, state="running")
    for create in creates:
        create.result()
    return count


OTHER_DIFFERENCES = (
    OtherDifference(
        "functions run in the program",
        "The dynamic host serves no functions, so they run in the program's process; the drivers of this "
        "suite call them there. Unknown arguments are handled by the program's outputs, too.",
        _offers("Invoke", provider_pb2.InvokeRequest(tok="clouddb:index:listServices")),
        dynamic=False,
        native=True,
    ),
    OtherDifference(
        "no schema",
        "Dynamic providers are Python classes; other languages need a schema, which the dynamic host does not serve.",
        _offers("GetSchema", provider_pb2.GetSchemaRequest()),
        dynamic=False,
        native=True,
    ),
    OtherDifference(
        "an invalid configuration is reported by the first request",
        "The dynamic host keeps the configuration until a provider is needed.",
        _configure_rejects,
        dynamic=False,
        native=True,
    ),
    OtherDifference(
        "four concurrent operations", "The dynamic host has four threads.", _concurrent_creates, dynamic=4, native=8
    ),
)


def remove_differences(what: str, dynamic: Response, native: Response) -> set[str]:
    """Remove all differences from two responses, in place, and return the names of those that were present."""
    return {each.name for each in DIFFERENCES if each.remove(what, dynamic, native)}
