"""A case of the contract: a world, and the requests that are sent in it, one after the other."""

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
    """One case under way: whom it talks to, and what the last answers said of the object.

    Attributes:
        driver: Whom it talks to.
        resource: Pulumi name of the resource.
        server: The sandbox; None where nothing is to be sent.
        names: What a value such as `$pipe_id` stands for.
        id: Id of the object.
        state: Its state.
        inputs: Its inputs.
        told: Warnings of earlier commands.
        before: How many requests came before those that the case is about.
    """

    driver: GrpcDriver
    resource: str
    server: Sandbox | None
    names: Names
    id: str = ""
    state: Values = field(default_factory=dict)
    inputs: Values = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    before: int = 0

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox, which the case must have."""
        assert self.server is not None, "this case has no server"
        return self.server

    def fill(self, value: Any) -> Any:
        """Return a value with the names in it filled in."""
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
    """One request.

    Attributes:
        what: What is asked.
        act: Sends it; an answer of None is a step without an answer, such as a change of the world.
        fails: What the error says, as a regular expression; None where it must not fail.
        gives: Parts of the answer that are expected.
    """

    what: str
    act: Callable[[Run], Any]
    fails: str | None = None
    gives: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """A case.

    Attributes:
        name: What is shown, in words.
        resource: Pulumi name of the resource.
        steps: The requests.
        server: Settings of the sandbox; None for a case that must not send anything.
        setting: Makes what is there before, and returns the names of it.
        config: Configuration beside the sandbox's.
        sends: Names of the operations that are asked for after `from_here_on`, in order; None where any will do. Reads
            that are repeated count once, and of the lists of a collection only the first one of a case.
        warns: How the warnings begin; None where any will do.
        differs: Names of the differences that show in it.
        beyond: Whether it sends what the vendor's description does not know.
        slow: Whether the quick tests have another case of the same code.
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
        """Name the test."""
        return self.name

    def has(self, what: str) -> bool:
        """Return whether there is an answer of this kind, and no error in its place."""
        return any(step.what == what and not step.fails for step in self.steps)


def answer(act: Callable[[Run], Any], run: Run) -> Values:
    """Return an answer, or the error that came instead, as plain values."""
    try:
        return _values(act(run))
    except NotReadyError as error:
        return {"error": str(error), "reasons": error.reasons, **_values(error.outputs)}
    except HostError as error:
        return {"error": str(error)}


def _values(found: Any) -> Values:
    if isinstance(found, Checked):
        return {"inputs": found.inputs, "failures": found.failures, "secrets": sorted(found.secrets)}
    if isinstance(found, Diffed):
        return {
            "changes": found.changes,
            "replaces": sorted(found.replaces),
            "deleteFirst": found.delete_first,
            "details": found.details,
        }
    if isinstance(found, Outputs):
        return {
            "id": found.id,
            "outputs": found.outputs,
            "secrets": sorted(found.secrets),
            "inputs": found.inputs,
            "inputSecrets": sorted(found.input_secrets),
        }
    assert found is None
    return {}
