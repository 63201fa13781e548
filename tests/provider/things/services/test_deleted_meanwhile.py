"""A service is deleted while an `up` waits for it: the instructions in the error work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest

from clouddb_tools.commands.export.statements import Step
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import CliStack, FakeEngineStack, stack_config
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.values import WireDict
from support.five import dynamic_program, native_program
from support.scripted import Scripted, error, ok, page
from support.sessions import ProviderProcess, config_for

Response = TypeVar("Response")
SERVICE: WireDict = {"name": "Orders", "provider": "aws", "region": "us-east-1"}
REFRESH = "Run `pulumi refresh`, then run again to create another one: somebody has deleted this one."
NOT_FOUND = "stopped waiting until it is running: the server no longer finds it"
DELETING = "somebody is deleting it"


@pytest.fixture(scope="module", params=["neutral", "clickhouse"])
def shared(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Yield a server of each dialect."""
    with Sandbox(vocabulary=request.param) as sandbox:
        yield sandbox


@pytest.fixture
def sandbox(shared: Sandbox) -> Sandbox:
    """Return a server on which a service never becomes ready."""
    shared.reset()
    shared.set_latency(provision=3600)
    return shared


@pytest.fixture
def process(sandbox: Sandbox, tmp_path: Path) -> Iterator[ProviderProcess]:
    """Yield a run of the stack."""
    process = ProviderProcess(config_for(sandbox, pollIntervalSeconds=0.1), tmp_path)
    yield process
    process.client.close()


def remove(sandbox: Sandbox, service_id: str) -> None:
    """Remove a service, as at the end of a delete."""
    sandbox.remove("services", service_id)


def begin_to_remove(sandbox: Sandbox, service_id: str) -> None:
    """Set a service to terminating, as at the start of a delete."""
    sandbox.change("services", service_id, state="terminating")


def while_it_waits(sandbox: Sandbox, act: Callable[[], Response], delete: Callable[[Sandbox, str], None]) -> Response:
    """Call `act`, delete the service once the wait has read it, and return the result."""
    sandbox.forget_requests()
    with ThreadPoolExecutor(1) as threads:
        acting = threads.submit(act)
        while sandbox.count("list_services") < 4:
            assert not acting.done(), acting.result()
            time.sleep(0.02)
        delete(sandbox, next(iter(sandbox.services)))
        return acting.result()


WAYS = {"deleted": (remove, NOT_FOUND), "being deleted": (begin_to_remove, DELETING)}


@pytest.mark.parametrize(("delete", "reason"), WAYS.values(), ids=WAYS)
def test_service_deleted_during_a_create_is_not_in_state(
    delete: Callable[[Sandbox, str], None], reason: str, sandbox: Sandbox, process: ProviderProcess
) -> None:
    """Neither state nor the pending creates have it, so the next run creates a new one."""
    with pytest.raises(ResourceError) as raised:
        while_it_waits(sandbox, lambda: process.create("Service", SERVICE), delete)
    assert str(raised.value).endswith(f"): {reason}\nRun again: another one is created.")
    assert not list(process.pending.folder.glob("*.json"))
    sandbox.set_latency(provision=0)
    service_id, state = process.create("Service", SERVICE)
    assert sandbox.password_works(service_id, state["password"])
    assert process.warnings == []


def test_new_service_that_was_never_read_is_in_state(sandbox: Sandbox, process: ProviderProcess) -> None:
    """The server's reads may only lag behind; the next run reads it again."""
    sandbox.fault("get_service", "status", status=404, text="NOT_FOUND: no service", times=9)
    sandbox.fault("list_services", "lag", seconds=3600, wait=3600, times=9)
    service_id, state = process.create("Service", SERVICE)
    assert state["lastError"] == NOT_FOUND
    sandbox.clear_faults()
    sandbox.set_latency(provision=0)
    sandbox.advance(3600)
    state = process.update("Service", service_id, state, SERVICE)
    assert "lastError" not in state
    assert sandbox.password_works(service_id, state["password"])


@pytest.mark.parametrize(("delete", "reason"), WAYS.values(), ids=WAYS)
def test_service_deleted_during_an_update_is_an_error(
    delete: Callable[[Sandbox, str], None], reason: str, sandbox: Sandbox, process: ProviderProcess
) -> None:
    """It remains in state until a refresh."""
    id_, state = process.create("Service", {**SERVICE, "waitTimeoutMinutes": 0})
    with pytest.raises(ResourceError) as raised:
        while_it_waits(sandbox, lambda: process.update("Service", id_, state, SERVICE), delete)
    assert str(raised.value) == f"service 'Orders' ({id_}): {reason}\n{REFRESH}"
    assert lifecycle.read(process, RESOURCES["Service"], id_, state, {}) == (id_, None)


def test_service_deleted_during_a_start_is_an_error(sandbox: Sandbox, process: ProviderProcess) -> None:
    """The update starts a failed service, which is deleted before it runs."""
    id_, state = process.create("Service", {**SERVICE, "waitTimeoutMinutes": 0})
    failed, starting = ({"id": id_, "name": "Orders", "state": each} for each in ("failed", "starting"))
    gone = [ok([]), error(404, "NOT_FOUND: no service")] * 4
    with Scripted(ok([failed]), ok(starting), ok([starting]), *gone) as server:
        later = ProviderProcess(
            config_for(sandbox, baseUrl=server.url, pollIntervalSeconds=0.1), process.pending.folder.parent
        )
        with pytest.raises(ResourceError) as raised:
            later.update("Service", id_, {**state, "waitTimeoutMinutes": 60, "state": "failed"}, SERVICE)
    assert str(raised.value) == f"service 'Orders' ({id_}): {NOT_FOUND}\n{REFRESH}"


def test_failed_reads_do_not_mean_deleted(sandbox: Sandbox, process: ProviderProcess) -> None:
    """After a gateway's page between two reads, the error does not recommend a refresh."""
    id_, state = process.create("Service", {**SERVICE, "waitTimeoutMinutes": 0})
    pending = {"id": id_, "name": "Orders", "state": "provisioning"}
    missing = [ok([]), error(404, "NOT_FOUND: no service")]
    with Scripted(ok([pending]), ok([pending]), *missing, *missing, page(404), page(404), *missing, *missing) as server:
        config = config_for(sandbox, baseUrl=server.url, pollIntervalSeconds=0.1)
        later = ProviderProcess(config, process.pending.folder.parent)
        with pytest.raises(ResourceError, match="raise waitTimeoutMinutes"):
            later.update("Service", id_, {**state, "waitTimeoutMinutes": 60}, SERVICE)


# -- whole runs ----------------------------------------------------------------------------------------------------

RUNNERS = [
    pytest.param(FakeEngineStack, dynamic_program, id="fake engine"),
    pytest.param(CliStack, dynamic_program, id="cli, dynamic", marks=pytest.mark.cli),
    pytest.param(CliStack, native_program, id="cli, native", marks=pytest.mark.cli),
]


@pytest.mark.parametrize(("kind", "write"), RUNNERS)
def test_instructions_of_the_error_work(
    kind: type[CliStack | FakeEngineStack], write: Callable[[list[Step]], str], neutral_sandbox: Sandbox, tmp_path: Path
) -> None:
    """After a deletion during a create: run again; during an update: refresh and run again."""
    sandbox = neutral_sandbox
    config = {**stack_config(sandbox), "clouddb:pollIntervalSeconds": "0.1"}
    stack = kind(write([Step("orders", "Service", SERVICE)]), config=config, work_dir=tmp_path)
    sandbox.set_latency(provision=3600)
    failed = while_it_waits(sandbox, lambda: stack.up(expect_failure=True), remove)
    assert "Run again: another one is created." in str(failed.errors)
    assert "orders" not in {each.name for each in stack.resources}

    stack.set_program(write([Step("orders", "Service", {**SERVICE, "waitTimeoutMinutes": 0})]))
    stack.up()
    stack.set_program(write([Step("orders", "Service", SERVICE)]))
    failed = while_it_waits(sandbox, lambda: stack.up(expect_failure=True), remove)
    assert REFRESH in "".join(failed.errors)
    sandbox.set_latency(provision=0)
    stack.refresh()
    stack.up()
    (service,) = sandbox.services
    assert stack.resource("orders").id == service
    assert stack.preview().no_changes
