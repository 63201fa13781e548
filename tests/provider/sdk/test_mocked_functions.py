"""Functions in a unit test of a program: Pulumi's mocks answer them, and nothing is sent."""

from __future__ import annotations

from typing import Any

import pulumi
import pytest
from pulumi.runtime import mocks

import pulumi_clouddb as clouddb
from codegen.names import base_name
from pulumi_clouddb.schema.public_names import python_name
from support.mocked import mocked_engine
from support.schema import SCHEMA

FUNCTIONS: dict[str, dict[str, Any]] = SCHEMA["functions"]

VALUES: dict[str, Any] = {"string": "any text", "array": [], "object": {}, "integer": 3, "number": 2.5, "boolean": True}


class Answering(mocks.Mocks):
    """The mocks of a test: they return what they are told to, and keep the calls."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.answer = answer
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def call(self, args: mocks.MockCallArgs) -> Any:
        """Answer a call of a function."""
        self.calls.append((args.token, args.args))
        return self.answer

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        """Answer a registration."""
        return f"{args.name}-id", args.inputs


def called(name: str, answering: Answering, arguments: dict[str, Any]) -> Any:
    """Return the result of a function; the name is that in Python, with `_output` for its second form."""
    results: list[Any] = []

    @pulumi.runtime.test  # type: ignore[untyped-decorator]
    def program() -> pulumi.Output[None] | None:
        result = getattr(clouddb, name)(**arguments)
        if isinstance(result, pulumi.Output):
            return result.apply(results.append)
        results.append(result)
        return None

    with mocked_engine(answering):
        program()
    return results[0]


@pytest.mark.parametrize("form", ["", "_output"])
@pytest.mark.parametrize("token", FUNCTIONS)
def test_mocks_answer_each_function(token: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They receive its token and its arguments by wire name, and the program receives what they return."""
    for name in ("CLOUDDB_KEY_ID", "CLOUDDB_KEY_SECRET", "CLOUDDB_ORGANIZATION_ID", "CLOUDDB_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    inputs = FUNCTIONS[token].get("inputs", {})
    given = {name: VALUES[inputs["properties"][name].get("type", "object")] for name in inputs.get("required", [])}
    outputs = FUNCTIONS[token]["outputs"]["properties"]
    answer = {name: VALUES[spec["type"]] for name, spec in outputs.items() if "type" in spec and not spec.get("secret")}

    answering = Answering(answer)
    function = python_name(base_name(token))
    result = called(f"{function}{form}", answering, {python_name(name): value for name, value in given.items()})

    assert answering.calls == [(token, given)]
    assert {name: getattr(result, python_name(name)) for name in answer} == answer


def test_a_dict_in_an_argument_has_wire_names_there() -> None:
    """As for each provider that the engine calls, whichever form the program writes."""
    for credentials in ({"access_key_id": "id"}, clouddb.PipeCredentialsArgs(access_key_id="id")):
        answering = Answering({})
        called("discover_pipe_schema", answering, {"service_id": "s", "source": {}, "credentials": credentials})
        assert [args["credentials"] for _, args in answering.calls] == [{"accessKeyId": "id"}]
