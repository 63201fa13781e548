"""The form of a contract case: a sandbox, and requests that are sent one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clouddb_tools.sandbox import Sandbox
from support.grpc_driver import Checked, Diffed, GrpcDriver, HostError, NotReadyError, Outputs

Values = dict[str, Any]
Names = dict[str, str]


@dataclass
class Run:
    """A running case: its driver, and the last response about the object.

    Attributes:
        driver: The driver of a front end.
        resource: Pulumi name of the resource.
        server: The sandbox; None if the case must not send anything.
        names: The values of names such as `$pipe_id`.
        id: Id of the object.
        state: Its state.
        inputs: Its inputs.
        warnings: Warnings of earlier commands.
        before: The number of requests before those that the case checks.
    """

    driver: GrpcDriver
    resource: str
    server: Sandbox | None
    names: Names
    id: str = ""
    state: Values = field(default_factory=dict)
    inputs: Values = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    before: int = 0

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox; the case must have one."""
        assert self.server is not None, "this case has no server"
        return self.server

    def fill(self, value: Any) -> Any:
        """Return a value with the names in it replaced."""
        if isinstance(value, dict):
            return {name: self.fill(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self.fill(item) for item in value]
        if isinstance(value, str) and "$" in value:
            for name, text in {**self.names, "id": self.id}.items():
                value = value.replace(f"${name}", text)
        return value


@dataclass(frozen=True)
class Step:
    """A request.

    Attributes:
        what: The kind of request.
        act: Sends it and returns the response; None for a step without one, such as a change on the server.
        fails: The expected error, as a regular expression; None if it must succeed.
        gives: The expected parts of the response.
    """

    what: str
    act: Callable[[Run], Any]
    fails: str | None = None
    gives: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """A case.

    Attributes:
        name: The behavior, in words.
        resource: Pulumi name of the resource.
        steps: The requests.
        server: Settings of the sandbox; None if the case must not send anything.
        setting: Creates the objects that exist before, and returns their names.
        config: Configuration in addition to the sandbox's.
        sends: The operations after `from_here_on`, in order; None if they are not checked. Repeated reads count once,
            and so do all lists of a collection.
        warns: The beginnings of the warnings; None if they are not checked.
        differs: The names of the differences between the front ends in it.
        beyond: Whether it sends values that the vendor's description lacks.
        slow: Whether another case tests the same code, so that the quick tests skip this one.
    """

    name: str
    resource: str
    steps: tuple[Step, ...]
    server: Mapping[str, Any] | None = field(default_factory=dict)
    setting: Callable[[Sandbox], Names] | None = None
    config: Mapping[str, str] = field(default_factory=dict)
    sends: tuple[str, ...] | None = None
    warns: tuple[str, ...] | None = None
    differs: frozenset[str] = frozenset()
    beyond: bool = False
    slow: bool = False

    def __str__(self) -> str:
        """Return the id of the test case, by which `pytest -k` selects those of a resource."""
        return f"{self.resource} {self.name}".strip()

    def has(self, what: str) -> bool:
        """Return whether there is a step of this kind that succeeds."""
        return any(step.what == what and not step.fails for step in self.steps)


def response(act: Callable[[Run], Any], run: Run) -> Values:
    """Return a response, or its error, as plain values."""
    try:
        return _values(act(run))
    except NotReadyError as error:
        return {"error": str(error), "reasons": error.reasons, **_values(error.outputs)}
    except HostError as error:
        return {"error": str(error)}


def _values(result: Any) -> Values:
    if isinstance(result, Checked):
        return {"inputs": result.inputs, "failures": result.failures, "secrets": sorted(result.secrets)}
    if isinstance(result, Diffed):
        return {
            "changes": result.changes,
            "replaces": sorted(result.replaces),
            "deleteFirst": result.delete_first,
            "details": result.details,
        }
    if isinstance(result, Outputs):
        return {
            "id": result.id,
            "outputs": result.outputs,
            "secrets": sorted(result.secrets),
            "inputs": result.inputs,
            "inputSecrets": sorted(result.input_secrets),
        }
    assert result is None
    return {}
