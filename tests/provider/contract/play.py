"""Playing a case with a front end, and comparing the results of both."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from clouddb_tools.sandbox import LoggedRequest, Sandbox
from clouddb_tools.testing import UNKNOWN
from pulumi_clouddb.engine.plugin.configured import OF_YAML
from pulumi_clouddb.schema.public_names import in_python
from support.front_ends import FrontEnds
from support.grpc_driver import GrpcDriver
from support.sessions import NOWHERE

from .case import Case, Run, Step, Values, response
from .differences import DIFFERENCES, remove_differences
from .normal import Names, once

ResultT = TypeVar("ResultT")
LINES_OF_AN_ERROR = 2
MESSAGES = ("error", "reasons", "failures", "lastError")
ABSENT = "(absent)"
QUICK = {"clouddb:retryTimeoutSeconds": "1"}


@dataclass(frozen=True)
class Outcome:
    """The results of a case: a response for each step, the requests, the warnings, and the operations to compare."""

    responses: list[Values]
    requests: list[dict[str, Any]]
    warnings: list[str]
    operations: tuple[str, ...]


class FrontEndPair:
    """Plays cases with both front ends, each with a new sandbox."""

    def __init__(self, front_ends: FrontEnds) -> None:
        self._front_ends = front_ends
        self._closing = ThreadPoolExecutor(4)

    def close(self) -> None:
        """Wait until all sandboxes have ended."""
        self._closing.shutdown()

    def play(self, case: Case) -> tuple[Outcome, Outcome]:
        """Play a case with both at the same time, and return the outcomes of dynamic and native."""
        return self._front_ends.both(lambda driver: self._with(driver, case))

    def play_native(self, case: Case) -> Outcome:
        """Play a case with the plugin only."""
        return self._with(self._front_ends.only_native({}), case)

    def measure(self, function: Callable[[GrpcDriver, Sandbox], ResultT]) -> tuple[ResultT, ResultT]:
        """Call a function with the driver of each front end and a new sandbox, and return the results."""

        def act(driver: GrpcDriver) -> ResultT:
            with Sandbox(vocabulary="neutral") as sandbox:
                driver.configure(sandbox.config)
                return function(driver, sandbox)

        return self._front_ends.both(act)

    def _with(self, driver: GrpcDriver, case: Case) -> Outcome:
        if case.server is None:
            driver.configure({**NOWHERE, **case.config})
            return _play(driver, case, None)
        sandbox = Sandbox(**{"vocabulary": "neutral", **case.server}).__enter__()
        try:
            driver.configure({**sandbox.config, **QUICK, **case.config})
            return _play(driver, case, sandbox)
        finally:
            self._closing.submit(sandbox.__exit__, None, None, None)


def _play(driver: GrpcDriver, case: Case, sandbox: Sandbox | None) -> Outcome:
    names = Names()
    run = Run(driver, case.resource, sandbox, {})
    if sandbox and case.setting:
        run.names, run.before = case.setting(sandbox), sandbox.count()
    responses = [names.response(response(step.act, run)) for step in case.steps]
    log = names.plain([_logged(each) for each in sandbox.requests]) if sandbox else []
    requests, before = once(log), once(log[: run.before])
    operations = tuple(each["operation"] for each in requests[len(before) :])
    return Outcome(responses, requests, names.plain([*run.warnings, *driver.warnings]), operations)


def _logged(request: LoggedRequest) -> dict[str, Any]:
    """Return the parts of a request and its response that are compared."""
    return {name: getattr(request, name) for name in ("operation", "method", "path", "query", "body", "status")}


def differences_of(case: Case, dynamic: Outcome, native: Outcome) -> set[str]:
    """Assert that the responses are equal except for the permitted differences, and return those that are present.

    Raises:
        AssertionError: They differ, or are not as the case expects.
    """
    names: set[str] = set()
    compared = []
    for step, by_dynamic, by_native in zip(case.steps, dynamic.responses, native.responses, strict=True):
        of_dynamic, of_native = copy.deepcopy(_in_python(by_dynamic)), copy.deepcopy(_in_python(by_native))
        names |= remove_differences(step.what, of_dynamic, of_native)
        assert of_dynamic == of_native, f"{step.what}: {first_difference(of_dynamic, of_native)}"
        compared.append(of_native)
    _assert_responses(case, native, compared)
    return names


def assert_agreement(case: Case, dynamic: Outcome, native: Outcome) -> None:
    """Assert that responses, requests and warnings are equal, except for the differences that the case names.

    Raises:
        AssertionError: They differ, or are not as the case expects.
    """
    names = differences_of(case, dynamic, native)
    present = [each for each in DIFFERENCES if each.name in names]
    assert {each.name for each in present if not each.everywhere} == case.differs
    _assert_same(
        _in_python(dynamic.warnings), _in_python(native.warnings), less=any(each.warns_less for each in present)
    )
    _assert_same(dynamic.requests, native.requests, less=any(each.sends_less for each in present))
    _assert_requests(case, native)


def assert_expected(case: Case, native: Outcome) -> None:
    """Assert that responses, requests and warnings of the plugin are as the case expects.

    Raises:
        AssertionError: They are not.
    """
    compared = [copy.deepcopy(_in_python(each)) for each in native.responses]
    for step, of_native in zip(case.steps, compared, strict=True):  # a case expects what both front ends return
        remove_differences(step.what, copy.deepcopy(of_native), of_native)
    _assert_responses(case, native, compared)
    _assert_requests(case, native)


def _assert_responses(case: Case, native: Outcome, compared: list[Values]) -> None:
    previewed: Values = {}
    for step, by_native, of_native in zip(case.steps, native.responses, compared, strict=True):
        _assert_expected(step, {**of_native, **{name: by_native[name] for name in MESSAGES if name in of_native}})
        if step.what.startswith("preview"):
            previewed = of_native["outputs"]
        elif step.what in ("create", "update"):
            _assert_preview_was_correct(previewed, of_native.get("outputs", {}))
            previewed = {}


def _assert_requests(case: Case, native: Outcome) -> None:
    if case.warns is not None:
        assert len(native.warnings) == len(case.warns), native.warnings
        assert all(map(str.startswith, native.warnings, case.warns)), native.warnings
    if case.sends is not None:
        assert native.operations == case.sends, native.operations


def _in_python(value: Any) -> Any:
    """Return a response with Python's names in its messages, and without advice about YAML.

    Only the dynamic front end serves Python alone.
    """
    if isinstance(value, dict):
        return {name: _in_python(item) if name in (*MESSAGES, "outputs") else item for name, item in value.items()}
    if isinstance(value, list):
        return [_in_python(item) for item in value]
    return in_python(value.removesuffix(OF_YAML)) if isinstance(value, str) else value


def _assert_same(dynamic: list[Any], native: list[Any], *, less: bool) -> None:
    if less:
        assert all(each in native for each in dynamic)
    else:
        assert dynamic == native, first_difference(dynamic, native)


def first_difference(dynamic: Any, native: Any, path: str = "") -> str:
    """Return the first property that differs, with both values; empty if nothing differs."""
    if isinstance(dynamic, dict) and isinstance(native, dict):
        pairs = [(name, dynamic.get(name, ABSENT), native.get(name, ABSENT)) for name in {**dynamic, **native}]
    elif isinstance(dynamic, list) and isinstance(native, list) and len(dynamic) == len(native):
        pairs = [(str(index), *pair) for index, pair in enumerate(zip(dynamic, native, strict=True))]
    elif dynamic == native:
        return ""
    else:
        return (
            f"{path or 'the whole'} is {dynamic!r} in the dynamic front end and {native!r} in the plugin\n"
            "If the server generates it at random, add its name to GENERATED of tests/provider/contract/normal.py."
        )
    differences = (first_difference(one, other, f"{path}.{name}".lstrip(".")) for name, one, other in pairs)
    return next(filter(None, differences), "")


def _assert_expected(step: Step, response: Values) -> None:
    text = response.get("error", "")
    assert len(text.splitlines()) <= LINES_OF_AN_ERROR, text
    assert "Traceback" not in text, text
    if step.fails is None:
        assert "error" not in response, f"{step.what}: {text}"
    else:
        assert re.search(step.fails, text), f"{step.what}: {response}"
    for name, value in step.gives.items():
        assert _matches(response, name, value), f"{step.what} should give {name}: {value}, but gives {response}"


def _matches(response: Values, name: str, value: Any) -> bool:
    """Return whether one part of a response is as expected."""
    if isinstance(value, dict) and name in ("outputs", "inputs"):
        return bool({key: response[name].get(key) for key in value} == value)
    if name == "failures":
        return bool([failure.partition(" ")[0] for failure in response["failures"]] == value)
    if name == "messages":
        return bool(response["failures"] == value)
    if name == "paths":
        return bool({path.partition("[")[0].partition(".")[0] for path in response["details"]} == value)
    if name == "known":
        return bool(value <= {key for key, item in response["outputs"].items() if item is not UNKNOWN})
    return bool(response[name] == value)


def _assert_preview_was_correct(previewed: Values, actual: Values) -> None:
    """Assert that the preview's outputs are those of the operation, and that none is missing."""
    for name, value in actual.items() if previewed else ():
        if not name.startswith("__"):
            assert name in previewed, name
            assert _is_consistent(previewed[name], value), (name, previewed[name], value)


def _is_consistent(previewed: Any, actual: Any) -> bool:
    if previewed is UNKNOWN:
        return True
    if isinstance(previewed, dict) and isinstance(actual, dict):
        return previewed.keys() == actual.keys() and all(
            _is_consistent(previewed[name], actual[name]) for name in actual
        )
    return bool(previewed == actual)
