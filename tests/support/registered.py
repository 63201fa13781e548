"""Runs a program with a mocked engine that knows the existing objects, and returns the program's resources."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pulumi
from pulumi.runtime import mocks

from pulumi_clouddb.engine.wire.registration import REGISTRATION_KEY

from .mocked import Engine, mocked_engine

Name = tuple[str, str]
"""Type and name of a resource."""


def registered(program: str | Path, known: Mapping[Name, tuple[str, Mapping[str, Any]]]) -> dict[Name, dict[str, Any]]:
    """Return the inputs of each resource of a program in Python, in the order of the program.

    Args:
        program: Its text, or its folder.
        known: Id and outputs of each resource.
    """
    found: dict[Name, dict[str, Any]] = {}

    class Program(Engine):
        def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
            inputs = {name: value for name, value in args.inputs.items() if name != REGISTRATION_KEY}
            found[args.typ, args.name] = inputs
            object_id, outputs = known[args.typ, args.name]
            return object_id, {**outputs, **inputs}

    @pulumi.runtime.test  # type: ignore[untyped-decorator]
    def execute() -> None:
        if isinstance(program, str):
            exec(program, {})  # noqa: S102 - written by this package
        else:
            _run(program)

    with mocked_engine(Program()):
        execute()
    return found


def _run(folder: Path) -> None:
    """Run the program in a folder like a new interpreter, and remove its modules from `sys.modules`.

    Some modules have the same name as folders of the tests, which are hidden meanwhile.
    """
    names = {file.stem for file in folder.glob("*.py")}
    aside = {name: sys.modules.pop(name) for name in [*sys.modules] if name.partition(".")[0] in names - {"__main__"}}
    sys.path.insert(0, str(folder))
    try:
        runpy.run_path(str(folder / "__main__.py"))
    finally:
        sys.path.remove(str(folder))
        for name in [*sys.modules]:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
                del sys.modules[name]
        sys.modules.update(aside)
