"""The form of a life, and the helpers of lives."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from clouddb_tools.commands.export.python import Writer
from clouddb_tools.commands.export.statements import Step
from clouddb_tools.sandbox import Release, Sandbox
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.names import NAME
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.ids import LOGS

Inputs = dict[str, Any]
IMPORTS = ("import pulumi", "import pulumi_clouddb as clouddb")
SCHEMA = Path(__file__).parents[2] / "schema.json"


@dataclass(frozen=True)
class Life:
    """A program of one resource before and after an update, and its drift.

    A value such as `$pipe_id` stands for a value that `setting` returns.

    Attributes:
        name: The Pulumi name.
        before: The inputs at creation, by wire name.
        after: The inputs of the update: every input that can be updated has another value.
        drift: Values that are set directly on the server, or a function that changes the object; None if no update
            can change it back. They must differ from `after`.
        drifted: Wire names of the properties in the diff of the repair, if `drift` is a function.
        other: Values of another client's object of the same name; by default, those of `drift` without names.
        setting: Creates the objects that this one needs, and returns the values of `$` names.
        stays: Whether the object remains when the resource is deleted.
        vocabulary: The dialect whose servers alone accept the inputs, if both have such objects.
        release: The oldest release of the vendor's servers that accepts the inputs.
        wanted: Returns whether the server's object is as `after` requires; by default, it is compared with `after`.
    """

    name: str
    before: Inputs
    after: Inputs
    drift: Inputs | Callable[[Sandbox, str], object] | None
    drifted: frozenset[str] = frozenset()
    other: Inputs = field(default_factory=dict)
    setting: Callable[[Sandbox], dict[str, str]] = lambda sandbox: {}
    stays: bool = False
    vocabulary: VocabularyName | None = None
    release: Release = Release.AUGUST_2026
    wanted: Callable[[Mapping[str, Any]], bool] | None = None

    @property
    def kind(self) -> str:
        """The sandbox's name of the collection."""
        return RESOURCES[self.name].collection.plural()

    @property
    def server(self) -> dict[str, Any]:
        """The arguments of a sandbox with the collection."""
        return {"vocabulary": (self.only or VocabularyName.NEUTRAL).value}

    @property
    def only(self) -> VocabularyName | None:
        """The only dialect that has it; None for both."""
        return self.vocabulary or RESOURCES[self.name].type.only

    @property
    def of_a_service(self) -> Life:
        """The life of the same object in a service."""
        before, after = ({"serviceId": "$service_id", **inputs} for inputs in (self.before, self.after))
        return replace(self, setting=a_service, before=before, after=after)

    @property
    def updated(self) -> frozenset[str]:
        """The properties in the update's diff."""
        names = {*self.before, *self.after}
        return frozenset(name for name in names if self.before.get(name) != self.after.get(name))

    @property
    def repaired(self) -> frozenset[str]:
        """The properties in the diff of the repair."""
        return frozenset(self.drift) if isinstance(self.drift, dict) else self.drifted

    @property
    def of_others(self) -> Inputs:
        """The values of another client's object of the same name that differ."""
        drift = self.drift if isinstance(self.drift, dict) else {}
        names = {NAME, *RESOURCES[self.name].unique_by}
        return self.other or {name: value for name, value in drift.items() if name not in names}

    def change(self, sandbox: Sandbox, id_: str) -> None:
        """Change the object directly on the server."""
        if callable(self.drift):
            self.drift(sandbox, id_)
        else:
            sandbox.change(self.kind, own_id(self.kind, id_), **(self.drift or {}))

    def is_as_wanted(self, document: Mapping[str, Any]) -> bool:
        """Return whether the server's object has the values of `after`, and none that the update removes."""
        if self.wanted is not None:
            return self.wanted(document)
        sent = wire_names(body_of(RESOURCES[self.name].type.thing))
        kept = {name: value for name, value in self.after.items() if name in sent and "$" not in str(value)}
        removed = {name: value for name, value in self.before.items() if name in sent and name not in self.after}
        return _has(document, kept) and not any(document.get(name) == removed[name] for name in removed)

    def program(self, inputs: Inputs, names: Mapping[str, str]) -> str:
        """Return a program with only this resource."""
        return "\n".join([*IMPORTS, *self.lines("it", inputs, names), "pulumi.export('id', it.id)", ""])

    def lines(self, name: str, inputs: Inputs, names: Mapping[str, str]) -> list[str]:
        """Return the lines of a program for this resource under a name."""
        return Writer(_schema()).statements([Step("it", self.name, fill(inputs, names), name=name)])


@functools.cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return schema


def _has(document: Any, value: Any) -> bool:
    """Return whether a value of a document contains another value."""
    if isinstance(value, Mapping) and isinstance(document, Mapping):
        return all(_has(document.get(name), item) for name, item in value.items())
    if isinstance(value, list) and isinstance(document, list):
        return len(value) == len(document) and all(map(_has, document, value))
    return bool(document == value)


def fill(value: Any, names: Mapping[str, str]) -> Any:
    """Return a value with `$` names replaced."""
    if isinstance(value, Mapping):
        return {name: fill(item, names) for name, item in value.items()}
    if isinstance(value, list):
        return [fill(item, names) for item in value]
    if isinstance(value, str) and "$" in value:
        for name, text in names.items():
            value = value.replace(f"${name}", text)
    return value


def own_id(kind: str, id_: str) -> str:
    """Return the sandbox's id of an object with this resource id."""
    return id_ if kind == "udf_attachments" else id_.rpartition("/")[2]


def a_service(sandbox: Sandbox) -> dict[str, str]:
    """Create a service."""
    return {"service_id": str(sandbox.add("services", name="existing", provider="aws", region="us-east-1")["id"])}


def a_pipe(sandbox: Sandbox) -> dict[str, str]:
    """Create a service with a pipe."""
    names = a_service(sandbox)
    pipe = sandbox.add_pipe(names["service_id"], "kafka", name="clicks")
    return {**names, "pipe_id": str(pipe["id"])}


def an_archive_pipe(sandbox: Sandbox) -> dict[str, str]:
    """Create a service with a pipe from object storage."""
    names = a_service(sandbox)
    pipe = sandbox.add_pipe(names["service_id"], "objectStorage", name="files")
    return {**names, "pipe_id": str(pipe["id"])}


def a_key(sandbox: Sandbox) -> dict[str, str]:
    """Create a key to adopt."""
    return {"key_id": str(sandbox.add_key(name="found", roles=["developer"])["key"]["id"])}


def a_dashboard(sandbox: Sandbox) -> dict[str, str]:
    """Create a dashboard with two tiles for alerts."""
    series = {"type": "time", "sourceId": LOGS, "aggFn": "count", "where": "", "groupBy": []}
    tiles = [{"name": name, "x": 0, "y": 0, "w": 4, "h": 3, "series": [series]} for name in ("one", "two")]
    with sandbox.self_hosted() as client:
        made = client.post("/dashboards", json={"name": "Watched", "tiles": tiles}).json()["data"]
    return {"dashboard_id": made["id"], "one": made["tiles"][0]["id"], "two": made["tiles"][1]["id"]}
