"""Playing a case with one front end, and comparing what came of it with both."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from clouddb_tools.sandbox import LoggedRequest, Sandbox
from clouddb_tools.testing import UNKNOWN
from pulumi_clouddb.engine.dynamic.messages import in_python
from pulumi_clouddb.engine.plugin.configured import OF_YAML
from support.front_ends import FrontEnds
from support.grpc_driver import GrpcDriver
from support.sessions import NOWHERE

from .case import Case, Run, Step, Values, answer
from .differences import DIFFERENCES, take_away
from .normal import Names, once

Answer = TypeVar("Answer")
LINES_OF_AN_ERROR = 2
MESSAGES = ("error", "reasons", "failures", "lastError")
QUICK = {"clouddb:retryTimeoutSeconds": "1"}


@dataclass(frozen=True)
class Outcome:
    """What came of a case: an answer for each step, what the server was asked for, the warnings, and what to count."""

    answers: list[Values]
    requests: list[dict[str, Any]]
    warnings: list[str]
    operations: tuple[str, ...]


class FrontEndPair:
    """Where cases are played: both front ends, and a new world for each case and front end."""

    def __init__(self, front_ends: FrontEnds) -> None:
        self._front_ends = front_ends
        self._closing = ThreadPoolExecutor(4)

    def close(self) -> None:
        """Wait until all worlds are gone."""
        self._closing.shutdown()

    def play(self, case: Case) -> tuple[Outcome, Outcome]:
        """Play a case with both at once: dynamic, native."""
        return self._front_ends.both(lambda driver: self._with(driver, case))

    def play_native(self, case: Case) -> Outcome:
        """Play a case with the plugin alone."""
        return self._with(self._front_ends.only_native({}), case)

    def ask(self, what: Callable[[GrpcDriver, Sandbox], Answer]) -> tuple[Answer, Answer]:
        """Ask something of both, each in a world of its own: dynamic, native."""

        def act(driver: GrpcDriver) -> Answer:
            with Sandbox() as sandbox:
                driver.configure(sandbox.config)
                return what(driver, sandbox)

        return self._front_ends.both(act)

    def _with(self, driver: GrpcDriver, case: Case) -> Outcome:
        if case.server is None:
            driver.configure({**NOWHERE, **case.config})
            return _play(driver, case, None)
        sandbox = Sandbox(**case.server).__enter__()
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
    answers = [names.answer(answer(step.act, run)) for step in case.steps]
    log = names.plain([_told(each) for each in sandbox.requests]) if sandbox else []
    requests, before = once(log), once(log[: run.before])
    operations = tuple(each["operation"] for each in requests[len(before) :])
    return Outcome(answers, requests, names.plain([*run.told, *driver.warnings]), operations)


def _told(request: LoggedRequest) -> dict[str, Any]:
    """Return what a request says, and how it was answered."""
    return {name: getattr(request, name) for name in ("operation", "method", "path", "query", "body", "status")}


def shown(case: Case, dynamic: Outcome, native: Outcome) -> set[str]:
    """Hold that both answered the same but for the differences there are, and return the names of those that show.

    Raises:
        AssertionError: They differ, or did not answer what the case expects.
    """
    names: set[str] = set()
    previewed: Values = {}
    for step, answered, by_plugin in zip(case.steps, dynamic.answers, native.answers, strict=True):
        theirs, ours = copy.deepcopy(_said(answered)), copy.deepcopy(_said(by_plugin))
        names |= take_away(step.what, theirs, ours)
        assert theirs == ours, step.what
        _as_expected(step, {**ours, **{name: by_plugin[name] for name in MESSAGES if name in ours}})
        if step.what.startswith("preview"):
            previewed = ours["outputs"]
        elif step.what in ("create", "update"):
            _came_true(previewed, ours.get("outputs", {}))
            previewed = {}
    return names


def agree(case: Case, dynamic: Outcome, native: Outcome) -> None:
    """Hold that both answered, sent and warned of the same, but for what the case says is different.

    Raises:
        AssertionError: They differ, or did not do what the case expects.
    """
    names = shown(case, dynamic, native)
    there = [each for each in DIFFERENCES if each.name in names]
    assert {each.name for each in there if not each.everywhere} == case.differs
    _same(_said(dynamic.warnings), _said(native.warnings), less=any(each.warns_less for each in there))
    _same(dynamic.requests, native.requests, less=any(each.asks_less for each in there))
    if case.warns is not None:
        assert len(native.warnings) == len(case.warns), native.warnings
        assert all(map(str.startswith, native.warnings, case.warns)), native.warnings
    if case.sends is not None:
        assert native.operations == case.sends


def _said(value: Any) -> Any:
    """Return what was answered with Python's names in the messages, and without words on YAML.

    There is one front end for Python alone.
    """
    if isinstance(value, dict):
        return {name: _said(item) if name in (*MESSAGES, "outputs") else item for name, item in value.items()}
    if isinstance(value, list):
        return [_said(item) for item in value]
    return in_python(value.removesuffix(OF_YAML)) if isinstance(value, str) else value


def _same(dynamic: list[Any], native: list[Any], *, less: bool) -> None:
    if less:
        assert all(each in native for each in dynamic)
    else:
        assert dynamic == native


def _as_expected(step: Step, found: Values) -> None:
    text = found.get("error", "")
    assert len(text.splitlines()) <= LINES_OF_AN_ERROR, text
    assert "Traceback" not in text, text
    if step.fails is None:
        assert "error" not in found, f"{step.what}: {text}"
    else:
        assert re.search(step.fails, text), f"{step.what}: {found}"
    for name, value in step.gives.items():
        assert _part(found, name, value), f"{step.what} should give {name}: {value}, but gives {found}"


def _part(found: Values, name: str, value: Any) -> bool:
    """Return whether an answer is as expected in one part."""
    if isinstance(value, dict) and name in ("outputs", "inputs"):
        return bool({key: found[name].get(key) for key in value} == value)
    if name == "failures":
        return bool([failure.partition(" ")[0] for failure in found["failures"]] == value)
    if name == "says":
        return bool(found["failures"] == value)
    if name == "paths":
        return bool({path.partition("[")[0].partition(".")[0] for path in found["details"]} == value)
    if name == "known":
        return bool(value <= {key for key, item in found["outputs"].items() if item is not UNKNOWN})
    return bool(found[name] == value)


def _came_true(previewed: Values, come: Values) -> None:
    """Hold that what a preview told is what the operation left, and that it forgot no output."""
    for name, value in come.items() if previewed else ():
        if not name.startswith("__"):
            assert name in previewed, name
            assert _agrees(previewed[name], value), (name, previewed[name], value)


def _agrees(previewed: Any, come: Any) -> bool:
    if previewed is UNKNOWN:
        return True
    if isinstance(previewed, dict) and isinstance(come, dict):
        return previewed.keys() == come.keys() and all(_agrees(previewed[name], come[name]) for name in come)
    return bool(previewed == come)
