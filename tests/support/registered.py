"""Runs a program against an engine that knows what exists, and tells what the program registers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi.runtime import mocks, settings

from pulumi_clouddb.pulumi_wire.registration import REGISTRATION_KEY

Registered = dict[str, tuple[str, dict[str, Any]]]


def registered(text: str, known: Mapping[str, tuple[str, Mapping[str, Any]]]) -> Registered:
    """Return type and inputs of each resource of a program in Python, by its name.

    Args:
        text: The program.
        known: Id and outputs of each resource, by its name.
    """
    found: Registered = {}

    class Engine(mocks.Mocks):
        def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
            inputs = {name: value for name, value in args.inputs.items() if name != REGISTRATION_KEY}
            found[args.name] = (args.typ, inputs)
            object_id, outputs = known[args.name]
            return object_id, {**outputs, **inputs}

        def call(self, args: mocks.MockCallArgs) -> Any:
            raise AssertionError(args.token)

    @pulumi.runtime.test  # type: ignore[untyped-decorator]
    def execute() -> None:
        exec(text, {})  # noqa: S102 - what the package has written

    before = settings.SETTINGS
    pulumi.runtime.set_mocks(Engine())
    try:
        execute()
    finally:
        settings.configure(before)
    return found
