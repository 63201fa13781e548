"""What a life of a resource is, and what lives need around them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.registry import RESOURCES
from support.ids import LOGS

IMPORTS = ("import pulumi", "import pulumi_clouddb as clouddb")


@dataclass(frozen=True)
class Life:
    """One resource's life.

    Attributes:
        name: The Pulumi name.
        kind: The sandbox's name for such objects.
        before: The properties at first, as Python arguments.
        after: The properties later: every one that can be updated has another value.
        updated: Wire names of the properties that the update shows.
        drift: Changes the object behind the stack's back; None where no update can change it back.
        drifted: Wire names of the properties that the repair shows.
        as_wanted: Tells from the server's object whether it is as `after` says.
        setting: Makes what the object needs to exist, and returns names that the arguments may use.
        stays: Whether the object itself outlives the resource.
    """

    name: str
    kind: str
    before: str
    after: str
    updated: frozenset[str]
    drift: Callable[[Sandbox, str], object] | None
    drifted: frozenset[str]
    as_wanted: Callable[[Mapping[str, Any]], bool]
    setting: Callable[[Sandbox], dict[str, str]] = lambda sandbox: {}
    stays: bool = False

    @property
    def server(self) -> dict[str, Any]:
        """Settings of a sandbox that has such objects."""
        only = RESOURCES[self.name].type.only
        return {"vocabulary": only.value} if only else {}

    @property
    def of_a_service(self) -> Life:
        """The same in the stack of a service."""
        before, after = (f"service_id=service_id, {arguments}" for arguments in (self.before, self.after))
        return replace(self, setting=a_service, before=before, after=after)

    def program(self, arguments: str, names: Mapping[str, str]) -> str:
        """Return a program of this one resource."""
        return "\n".join([*IMPORTS, *self.lines("it", arguments, names), "pulumi.export('id', it.id)", ""])

    def lines(self, name: str, arguments: str, names: Mapping[str, str]) -> list[str]:
        """Return the lines of a program that make this resource under a name."""
        given = [f"{each} = {value!r}" for each, value in names.items()]
        return [*given, f"it = clouddb.{self.name}({name!r}, {arguments})"]


def own_id(kind: str, id_: str) -> str:
    """Return the sandbox's id of an object that a resource has under an id."""
    return id_ if kind == "udf_attachments" else id_.rpartition("/")[2]


def from_the_create_on(create: str, sandbox: Sandbox, operations: tuple[str, ...], kind: str, **details: Any) -> None:
    """Let a fault happen to `operations` from the moment on that `create` has arrived, but not to the looks before it.

    The create's answer waits a second, so that the fault is there in time however slow the machine is.
    """

    def watch() -> None:
        while any((each["operation"], each["kind"]) == (create, "delay") for each in sandbox.faults()):
            time.sleep(0.01)
        for operation in operations:
            sandbox.fault(operation, kind, **details)

    sandbox.fault(create, "delay", wait=1.0)
    threading.Thread(target=watch, daemon=True).start()


def a_service(sandbox: Sandbox) -> dict[str, str]:
    """Make a service that is there already."""
    return {"service_id": str(sandbox.add("services", name="existing", provider="aws", region="us-east-1")["id"])}


def a_pipe(sandbox: Sandbox) -> dict[str, str]:
    """Make a service with a pipe."""
    names = a_service(sandbox)
    pipe = sandbox.add_pipe(names["service_id"], "kafka", name="clicks")
    return {**names, "pipe_id": str(pipe["id"])}


def an_archive_pipe(sandbox: Sandbox) -> dict[str, str]:
    """Make a service with a pipe from object storage."""
    names = a_service(sandbox)
    pipe = sandbox.add_pipe(names["service_id"], "objectStorage", name="files")
    return {**names, "pipe_id": str(pipe["id"])}


def a_key(sandbox: Sandbox) -> dict[str, str]:
    """Make a key that is there already."""
    return {"key_id": str(sandbox.add_key(name="found", roles=["developer"])["key"]["id"])}


def a_dashboard(sandbox: Sandbox) -> dict[str, str]:
    """Make a dashboard with two tiles that alerts can watch."""
    series = {"type": "time", "sourceId": LOGS, "aggFn": "count", "where": "", "groupBy": []}
    tiles = [{"name": name, "x": 0, "y": 0, "w": 4, "h": 3, "series": [series]} for name in ("one", "two")]
    with sandbox.self_hosted() as client:
        made = client.post("/dashboards", json={"name": "Watched", "tiles": tiles}).json()["data"]
    return {"dashboard_id": made["id"], "one": made["tiles"][0]["id"], "two": made["tiles"][1]["id"]}
