"""All that the two front ends may differ in, each with its reason: what dynamic providers cannot express.

A difference takes itself away from a pair of answers, where it is there and exactly as described; what is left must be
equal. Cases name the differences that show in them, and fail when one does not show.
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

Answer = dict[str, Any]
Level = Callable[[str, Answer, Answer], bool]
"""Takes a difference away, in place, from the answers of dynamic and native to a request, and tells if it was there."""


@dataclass(frozen=True)
class Difference:
    """One difference.

    Attributes:
        name: What is different.
        reason: Why it must be.
        level: Takes it away.
        everywhere: Whether it shows in every answer of its kind, so that cases need not name it.
        asks_less: Whether dynamic sends less where it shows: some of native's requests.
        warns_less: Whether dynamic warns less where it shows: of some of what native warns of.
    """

    name: str
    reason: str
    level: Level
    everywhere: bool = False
    asks_less: bool = False
    warns_less: bool = False


def _name_before_errors(_: str, dynamic: Answer, native: Answer) -> bool:
    there = "error" in native and dynamic.get("error") == f"clouddb: {native['error']}\n"
    if there:
        dynamic["error"] = native["error"]
    return there


def _no_details(_: str, dynamic: Answer, native: Answer) -> bool:
    details = native.get("details")
    if details is None or dynamic.get("details") is not None:
        return False
    replaced = {path.partition("[")[0].partition(".")[0] for path, kind in details.items() if "REPLACE" in kind}
    assert bool(details) == native["changes"]
    assert replaced == set(native["replaces"])
    dynamic["details"] = details
    return True


def _no_initialisation_errors(_: str, dynamic: Answer, native: Answer) -> bool:
    if not native.get("reasons") or "outputs" not in dynamic or _ended(native):
        return False
    assert native["reasons"] == [native["error"]] == [native["outputs"]["lastError"]]
    del native["error"], native["reasons"]
    return True


def _waits_go_on(word: str) -> Level:
    def level(_: str, dynamic: Answer, native: Answer) -> bool:
        if word not in (_ended(native) or "") or "outputs" not in dynamic:
            return False
        assert dynamic["outputs"]["state"] == "running"
        assert native["outputs"]["state"] == "provisioning"
        native["outputs"] = {name: value for name, value in native["outputs"].items() if name != "lastError"}
        native["outputs"]["state"] = "running"
        del native["error"], native["reasons"]
        return True

    return level


def _ended(answer: Answer) -> str | None:
    """Return why a wait was ended from outside, if one was."""
    reasons = answer.get("reasons") or [""]
    return reasons[0] if "stopped waiting" in reasons[0] else None


def _no_previews(what: str, dynamic: Answer, native: Answer) -> bool:
    if not what.startswith("preview"):
        return False
    known = native["outputs"]
    for name, value in dynamic["outputs"].items():
        assert known[name] is UNKNOWN or known[name] == value or name in MORE_THAN_INPUTS
    dynamic["outputs"], dynamic["secrets"] = known, native["secrets"]
    return True


def _no_import(what: str, dynamic: Answer, native: Answer) -> bool:
    # Pulumi's host prints the traceback of its own error until it has called a provider for the first time.
    there = what == "import" and str(dynamic.get("error")).splitlines()[-1:] == ["KeyError: '__provider'"]
    if there:
        _take(dynamic, native)
    return there


def _no_check_of_the_configuration(what: str, dynamic: Answer, native: Answer) -> bool:
    there = what == "check of the configuration" and "not implemented by the dynamic provider" in dynamic["error"]
    if there:
        _take(dynamic, native)
    return there


def _class_in_state(what: str, dynamic: Answer, native: Answer) -> bool:
    there = what == "diff" and bool(dynamic.get("changes")) and native.get("details") == {}
    if there:
        dynamic["changes"] = False
    return there


def _take(answer: Answer, other: Answer) -> None:
    answer.clear()
    answer.update(other)


STILL_POLLS = 20
"""Creates that poll this often without another service being created wait for each other."""

MORE_THAN_INPUTS = ("endpoints",)
"""Inputs that the server adds to, so that the output of that name is another."""

NO_REASONS = "no initialisation errors"
CANCEL = "Cancel ends no wait"
TIMEOUTS = "no customTimeouts"
PREVIEWS = "no part in previews"
IMPORT = "no import"
CONFIGURATION = "no check of the configuration"
CLASS = "the class is kept in state"

DIFFERENCES = (
    Difference(
        "errors begin with the name of their class",
        "The dynamic host answers the traceback of an exception; with the frames taken away, name and text are left.",
        _name_before_errors,
        everywhere=True,
    ),
    Difference(
        "no detailed diff",
        "DiffResult of pulumi.dynamic has no place for property paths; the engine compares the inputs itself.",
        _no_details,
        everywhere=True,
    ),
    Difference(
        NO_REASONS,
        "pulumi.dynamic has no initialisation error, and an exception would lose the id: the object goes into state "
        "with its lastError, and a warning says so.",
        _no_initialisation_errors,
    ),
    Difference(
        CANCEL,
        "The dynamic host takes Cancel and does nothing; its providers do not hear of it.",
        _waits_go_on("the operation was cancelled"),
        warns_less=True,
    ),
    Difference(
        TIMEOUTS,
        "The dynamic host does not hand customTimeouts on to its providers.",
        _waits_go_on("customTimeouts"),
        warns_less=True,
    ),
    Difference(
        PREVIEWS,
        "The dynamic host does not say that it supports previews, so the engine calls neither Create nor Update in "
        "one: it takes the inputs for the outputs, and all other outputs are unknown.",
        _no_previews,
    ),
    Difference(
        IMPORT,
        "An import brings no inputs, and it is among them that the dynamic host finds its provider. "
        "`clouddb import-file` writes what can be imported.",
        _no_import,
        asks_less=True,
        warns_less=True,
    ),
    Difference(
        CONFIGURATION,
        "The dynamic host does not implement CheckConfig: a wrong value is an error of the first request instead.",
        _no_check_of_the_configuration,
    ),
    Difference(
        CLASS,
        "State of a dynamic resource names the class that serves it, and an update moves that along. The plugin needs "
        "no class.",
        _class_in_state,
    ),
)


@dataclass(frozen=True)
class Beyond:
    """A difference that shows in no answer of the table.

    Attributes:
        name: What is different.
        reason: Why it must be.
        there: Tells whether it is there: of a driver in a world, what it does.
        dynamic: What dynamic does.
        native: What native does.
    """

    name: str
    reason: str
    there: Callable[[GrpcDriver, Sandbox], Any]
    dynamic: Any
    native: Any


def _offers(method: str, request: Any) -> Callable[[GrpcDriver, Sandbox], bool]:
    def there(driver: GrpcDriver, _: Sandbox) -> bool:
        call = getattr(driver.stub, method).future(request)
        return call.code() is not grpc.StatusCode.UNIMPLEMENTED

    return there


def _told_by_configure(driver: GrpcDriver, _: Sandbox) -> bool:
    """Return whether a wrong configuration is refused when it comes; the first request refuses it in any case."""
    says = "clouddb:vocabulary must be one of"
    try:
        driver.configure({"clouddb:vocabulary": "klingon"})
    except HostError as error:
        return says in str(error)
    with pytest.raises(HostError, match=says):
        driver.check("Alert", {})
    return False


def _at_a_time(driver: GrpcDriver, sandbox: Sandbox) -> int:
    """Return how many of eight services are created while none of them comes up."""
    sandbox.set_latency(provision=1800)
    wanted = [{"name": f"service {number}"} for number in range(8)]
    creations = [Later(driver.create, "Service", inputs) for inputs in wanted]
    count, polls = 0, 0
    while count < len(wanted) and sandbox.count("list_services") < polls + STILL_POLLS:
        time.sleep(0.02)
        if len(sandbox.services) > count:
            count, polls = len(sandbox.services), sandbox.count("list_services")
    sandbox.set_latency(provision=0)
    for id_ in sandbox.services:
        sandbox.change("services", id_, state="running")
    for creation in creations:
        creation.result()
    return count


BEYOND_ANSWERS = (
    Beyond(
        "functions run in the program",
        "The dynamic host serves no functions, so they are answered in the program's process; the drivers of this "
        "suite call them there. Arguments that are unknown are a matter of the program's outputs, too.",
        _offers("Invoke", provider_pb2.InvokeRequest(tok="clouddb:index:listServices")),
        dynamic=False,
        native=True,
    ),
    Beyond(
        "no schema",
        "Dynamic providers are made of Python classes; other languages need a schema, which the dynamic host has not.",
        _offers("GetSchema", provider_pb2.GetSchemaRequest()),
        dynamic=False,
        native=True,
    ),
    Beyond(
        "a wrong configuration is told by the first request",
        "The dynamic host keeps the configuration until a provider is needed.",
        _told_by_configure,
        dynamic=False,
        native=True,
    ),
    Beyond("four operations at a time", "The dynamic host has four threads.", _at_a_time, dynamic=4, native=8),
)


def take_away(what: str, dynamic: Answer, native: Answer) -> set[str]:
    """Take all differences away from two answers, in place, and return the names of those that were there."""
    return {each.name for each in DIFFERENCES if each.level(what, dynamic, native)}
