"""An update finishes the work of the last run, also with state of earlier versions, which has no flag for it.

These versions left only a text in `lastError`. Each case is state with such a text, or with the flag of today and
another text, so that a flag that is not read, or a text that decides, fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.resource.state import MANAGED
from support.front_ends import FrontEnds
from support.grpc_driver import GrpcDriver

PLACE = {"provider": "aws", "region": "us-east-1"}
WINDOW = {"weekday": 3, "startHourUtc": 12}


@dataclass(frozen=True)
class Work:
    """Work that a run can leave to the next one.

    Attributes:
        resource: The resource.
        inputs: Its inputs; `SERVICE` stands for the id of a service.
        more: Inputs that the server has, and state lacks.
        flag: The flag in state.
        text: The text in the last error of earlier versions.
        begin: Prepare the object on the server.
        is_open: Whether the work still waits to be done.
    """

    resource: str
    inputs: Mapping[str, Any]
    more: Mapping[str, Any]
    flag: str
    text: str
    begin: Callable[[Sandbox, str], object]
    is_open: Callable[[Sandbox, str], bool]


def status(sandbox: Sandbox, path: str) -> int:
    """Return the status of a GET."""
    with sandbox.management() as http:
        return http.get(path).status_code


def postgres_settings(sandbox: Sandbox, id_: str) -> bool:
    """Return whether a Postgres service has settings."""
    with sandbox.management() as http:
        return bool(http.get(f"/postgres/{id_}/config").json()["result"]["pgConfig"])


KAFKA = {"kafka": {"type": "confluent", "format": "JSONEachRow", "brokers": "b:9092", "topics": "t"}}
TABLE = {"database": "default", "table": "t", "managedTable": True, "columns": [{"name": "id", "type": "String"}]}
PIPE = {
    "serviceId": "SERVICE",
    "name": "clicks",
    "source": KAFKA,
    "credentials": {"username": "u", "password": "canary"},
    "destination": TABLE,
}
WORK = {
    "settings of a service are cleared": Work(
        "Service",
        {"name": "Orders", **PLACE},
        {"upgradeWindow": WINDOW},
        "__settingsUnread",
        "adopted after an interrupted run, but not brought up to date: BAD_REQUEST: not yet",
        lambda *_: None,
        lambda sandbox, id_: status(sandbox, f"/services/{id_}/upgradeWindow") == 200,
    ),
    "settings of a Postgres service are cleared": Work(
        "PostgresService",
        {"name": "orders", **PLACE, "size": "m6gd.large"},
        {"pgConfig": {"lock_timeout": "1s"}},
        "__settingsUnread",
        "not brought up to date: BAD_REQUEST: not yet",
        lambda *_: None,
        postgres_settings,
    ),
    "a pipe is started": Work(
        "Pipe",
        PIPE,
        {},
        "__startFailed",
        "the request to start it failed: no machine is free",
        lambda sandbox, id_: sandbox.change("pipes", id_, state="Stopped"),
        lambda sandbox, id_: sandbox.pipes[id_]["state"] == "Stopped",
    ),
}
OTHER_TEXT = "stopped waiting until it is running: the run was cancelled"

# What state has of unfinished work: its last error, and its flag.
WRITTEN: dict[str, Callable[[Work], dict[str, Any]]] = {
    "today": lambda work: {"lastError": OTHER_TEXT, work.flag: True},
    "by an earlier version": lambda work: {"lastError": work.text},
}


@pytest.fixture(params=["dynamic", "native"])
def driver(request: pytest.FixtureRequest, front_ends: FrontEnds, sandbox: Sandbox) -> GrpcDriver:
    """Return each front end."""
    front_ends.configure({**sandbox.config, "clouddb:pollIntervalSeconds": "0.05"})
    driver: GrpcDriver = getattr(front_ends, request.param)
    return driver


def left(work: Work, driver: GrpcDriver, sandbox: Sandbox, **written: Any) -> tuple[str, dict[str, Any], Any]:
    """Return the id, the state and the inputs of an object with unfinished work."""
    service = sandbox.add("services", name="events", **PLACE)["id"]
    inputs = {name: service if value == "SERVICE" else value for name, value in work.inputs.items()}
    checked = driver.check(work.resource, {**inputs, **work.more})
    assert not checked.failures
    made = driver.create(work.resource, checked.inputs)
    work.begin(sandbox, made.id)
    driver.configure({**driver.config, "clouddb:requestTimeoutSeconds": "59"})  # the next command remembers no list
    state = {name: value for name, value in made.outputs.items() if name not in work.more}
    managed = [name for name in state[MANAGED] if name not in work.more]
    return made.id, {**state, MANAGED: managed, **written}, driver.check(work.resource, inputs, inputs).inputs


@pytest.mark.parametrize("refreshed", [True, False])
@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_next_update_finishes_the_work(
    work: Work, write: Callable[[Work], dict[str, Any]], refreshed: bool, driver: GrpcDriver, sandbox: Sandbox
) -> None:
    """This holds after a refresh, too; afterwards state has neither the flag nor a difference."""
    id_, state, inputs = left(work, driver, sandbox, **write(work))
    if refreshed:
        state = driver.read(work.resource, id_, state).outputs
        assert state[work.flag] is True
    assert driver.diff(work.resource, id_, state, inputs).changes
    done = driver.update(work.resource, id_, state, inputs).outputs
    assert not work.is_open(sandbox, id_)
    assert {work.flag, "lastError"}.isdisjoint(done)
    assert not driver.diff(work.resource, id_, done, inputs).changes


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_other_errors_are_no_unfinished_work(work: Work, driver: GrpcDriver, sandbox: Sandbox) -> None:
    """Settings and stops by other clients are kept."""
    id_, state, inputs = left(work, driver, sandbox, lastError=OTHER_TEXT)
    done = driver.update(work.resource, id_, state, inputs).outputs
    assert work.is_open(sandbox, id_)
    assert {work.flag, "lastError"}.isdisjoint(done)


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_state_without_an_error_has_no_difference(work: Work, driver: GrpcDriver, sandbox: Sandbox) -> None:
    """State of earlier versions without a last error has neither a flag nor a difference."""
    id_, state, inputs = left(work, driver, sandbox)
    assert work.flag not in state
    assert not driver.diff(work.resource, id_, state, inputs).changes
