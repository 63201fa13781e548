"""A program's run settles its pending creates when it ends normally, and not before."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pulumi
import pytest
from pulumi.runtime import mocks

import pulumi_clouddb as clouddb
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import CliStack, FakeEngineStack, stack_config
from pulumi_clouddb.create.pending_files import FOLDER_VARIABLE, backend, file_name
from support.mocked import Engine, mocked_engine


class GoneError(grpc.RpcError):
    """The SDK's error if the engine no longer responds."""

    def __init__(self, code: grpc.StatusCode) -> None:
        super().__init__(code)
        self._code = code

    def code(self) -> grpc.StatusCode:
        """Return the status."""
        return self._code


class Monitor(Engine):
    """Plays the engine.

    Args:
        folder: Folder of the pending creates.
        run: The run.
    """

    def __init__(self, folder: Path, run: Run) -> None:
        super().__init__()
        self._folder, self._run = folder, run
        self.before_the_end: set[str] | None = None

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        """Return the id of a resource."""
        return "" if args.name in self._run.without_id else f"{args.name}-id", {}

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 (gRPC's name)
        """Write a pending create for the resource, and respond to its registration."""
        response = super().RegisterResource(request)  # type: ignore[no-untyped-call]
        if request.custom:
            record = {"urn": response.urn, "id": f"{request.name}-id"}
            path = self._folder / file_name(backend(), response.urn, "account")
            path.write_text(json.dumps(record), encoding="utf-8")
        if request.name in self._run.refused:
            raise GoneError(grpc.StatusCode.UNAVAILABLE)
        return response

    def SignalAndWaitForShutdown(self, request: Any) -> Any:  # noqa: N802 (gRPC's name)
        """Handle the end of the program."""
        self.before_the_end = pending(self._folder)
        if self._run.end is not None:
            raise GoneError(self._run.end)
        return super().SignalAndWaitForShutdown(request)  # type: ignore[no-untyped-call]


def pending(folder: Path) -> set[str]:
    """Return the names of the resources whose creates are pending."""
    return {json.loads(each.read_text())["urn"].rpartition("::")[2] for each in folder.glob("*.json")}


@dataclass(frozen=True)
class Run:
    """A run with two keys, of which `b` depends on `a`.

    Attributes:
        left: The creates that are still pending after it.
        end: The status of the response to the program's end; None for success.
        refused: The registrations without a response.
        without_id: The registrations with a response without an id, as for a resource that `--target` leaves out.
        raises: Whether the program itself raises.
        late: Whether the engine writes state only at its end.
    """

    left: frozenset[str] = frozenset()
    end: grpc.StatusCode | None = None
    refused: frozenset[str] = frozenset()
    without_id: frozenset[str] = frozenset()
    raises: bool = False
    late: bool = False


A, B = frozenset({"a"}), frozenset({"b"})
RUNS = {
    "normal": Run(),
    "interrupted twice after both responses": Run(left=A | B, end=grpc.StatusCode.UNAVAILABLE),
    "interrupted during the second create": Run(left=A | B, refused=B),
    "the program raises": Run(left=A | B, raises=True),
    "one resource is not a target": Run(left=B, without_id=B),
    "state is written at the end": Run(left=A | B, late=True),
    "an engine without the end signal": Run(left=A | B, end=grpc.StatusCode.UNIMPLEMENTED),
}


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_normal_end_of_a_run_settles_its_creates(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a second Ctrl-C the engine responds to registrations, too, but state lacks the created objects."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setenv("PULUMI_SKIP_CHECKPOINTS", str(run.late).lower())
    monitor = Monitor(tmp_path, run)

    def program() -> None:
        first = clouddb.ApiKey("a", name="a", roles=["developer"])
        clouddb.ApiKey("b", name="b", roles=["developer"], opts=pulumi.ResourceOptions(depends_on=[first]))
        if run.raises:
            raise ValueError("an error of the program")

    fails = pytest.raises((ValueError, pulumi.RunError)) if run.raises or run.refused else nullcontext()
    with mocked_engine(monitor, project="shop", stack="dev", monitor=monitor), fails:
        mocks.test(program)()  # type: ignore[no-untyped-call]
    assert monitor.before_the_end == (None if run.raises or run.refused else {"a", "b"})
    assert pending(tmp_path) == run.left


def test_several_runs_in_one_process_settle_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Automation API runs programs in one process, one after the other."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))

    def program() -> None:
        clouddb.ApiKey("a", name="a", roles=["developer"])

    for run in (Run(end=grpc.StatusCode.UNAVAILABLE), Run(), Run(end=grpc.StatusCode.UNAVAILABLE)):
        monitor = Monitor(tmp_path, run)
        with mocked_engine(monitor, project="shop", stack="dev", monitor=monitor):
            mocks.test(program)()  # type: ignore[no-untyped-call]
        assert pending(tmp_path) == (set() if run.end is None else {"a"})


def test_preview_settles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A preview does not show what state contains."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monitor = Monitor(tmp_path, Run())
    with mocked_engine(monitor, project="shop", stack="dev", preview=True, monitor=monitor):
        mocks.test(lambda: clouddb.ApiKey("a", name="a", roles=["developer"]))()  # type: ignore[no-untyped-call]
    assert pending(tmp_path) == {"a"}


# -- whole programs ----------------------------------------------------------------------------------------------------

SERVICE = """
import pulumi_clouddb as clouddb
clouddb.Service("orders", name="orders", provider="aws", region="us-east-1", wait_timeout_minutes=0)
"""
BROKEN = f"""{SERVICE}
clouddb.ApiKey("ci", name="ci", roles=["developer"])
"""


def _fake(sandbox: Sandbox, folder: Path) -> FakeEngineStack:
    return FakeEngineStack(SERVICE, config=stack_config(sandbox), work_dir=folder)


def _real(sandbox: Sandbox, folder: Path) -> CliStack:
    return CliStack(SERVICE, config=stack_config(sandbox), work_dir=folder)


MAKERS = [pytest.param(_fake, id="fake engine"), pytest.param(_real, id="cli", marks=pytest.mark.cli)]


def remove_from_state(stack: FakeEngineStack | CliStack, name: str) -> None:
    """Remove a resource from state, like `pulumi state delete`."""
    if isinstance(stack, CliStack):
        assert stack.command("state", "delete", stack.resource(name).urn, "--yes").returncode == 0
    else:
        stack._state.save([each for each in stack._state.load() if each.name != name])


@pytest.mark.parametrize("make", MAKERS)
def test_service_removed_from_state_keeps_its_password(
    make: Callable[[Sandbox, Path], FakeEngineStack | CliStack], neutral_sandbox: Sandbox, tmp_path: Path
) -> None:
    """After a normal run nothing is pending, so that the next run does not adopt the service."""
    stack = make(neutral_sandbox, tmp_path)
    stack.up()
    assert pending(Path(stack.env[FOLDER_VARIABLE])) == set()
    service = stack.resource("orders")
    remove_from_state(stack, "orders")
    refused = stack.up(expect_failure=True)
    assert f"service 'orders' exists already, with the id {service.id}" in str(refused.errors)
    assert neutral_sandbox.password_works(service.id, service.outputs["password"].value)
    assert pending(Path(stack.env[FOLDER_VARIABLE])) == set()


@pytest.mark.parametrize("make", MAKERS)
def test_refresh_settles_creates_of_a_failed_run(
    make: Callable[[Sandbox, Path], FakeEngineStack | CliStack], neutral_sandbox: Sandbox, tmp_path: Path
) -> None:
    """Another resource fails after the service is in state, so the program does not end normally."""
    stack = make(neutral_sandbox, tmp_path)
    stack.set_program(BROKEN)
    neutral_sandbox.fault("create_key", "delay", wait=1.0)
    neutral_sandbox.fault("create_key", "status", status=400)
    assert not stack.up(expect_failure=True).ok
    assert stack.resource("orders").id in neutral_sandbox.services
    assert pending(Path(stack.env[FOLDER_VARIABLE])) == {"orders"}
    stack.refresh()
    assert pending(Path(stack.env[FOLDER_VARIABLE])) == set()
