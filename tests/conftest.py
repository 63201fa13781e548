"""Fixtures for all tests: no settings from outside, one process of each front end, a clock to push."""

from __future__ import annotations

import functools
import gc
import os
import shutil
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import httpx
import hypothesis
import pytest
import typer.main
from starlette.routing import compile_path

from pulumi_clouddb.sandbox import Sandbox
from pulumi_clouddb.testing.cli_stack import LANGUAGE, LAUNCHER
from pulumi_clouddb.testing.fake_engine import host, operation
from pulumi_clouddb.testing.fake_engine.process import ChildProcess
from support import grpc_driver
from support.clock import FakeClock
from support.front_ends import FrontEnds, MakeFrontEnds
from support.judge import JUDGE
from support.sessions import NOWHERE, ProviderProcess, config_for
from support.warm import WarmInterpreter

PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
"""For hosts that shall not send anything."""

BEYOND = "beyond_the_description"
"""The mark of tests that imitate another server, or send what the vendor's description does not know."""

AT_ONCE = {"clouddb:retryTimeoutSeconds": "0"}
"""Nobody listens at the address of `NOWHERE`: a check that asks the server need not ask twice."""

STARTS_PROCESSES = (host, operation, grpc_driver)
"""The modules that start programs, hosts and plugins."""

CLI = ("pulumi", LANGUAGE, LAUNCHER)
"""What runs programs in Python."""

WARM = "warm"
"""What workers are told by this name: where the interpreter that all of them share takes orders."""

SHARED = WarmInterpreter()

CLI_SECONDS = 600
"""For about thirty commands, each of which starts several processes, on a busy machine."""

# A busy machine is no fault of an example. Each run makes up others.
hypothesis.settings.register_profile("quick", deadline=None, max_examples=50)
hypothesis.settings.load_profile("quick")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let what runs the CLI be slow, with time for that, and skip it without the CLI; begin with what takes longest.

    Other workers are then not left waiting for that. Marks of slow tests are there before pytest chooses by them.
    """
    for item in items:
        for mark in item.iter_markers("cli"):
            item.add_marker("slow")
            item.add_marker(pytest.mark.timeout(CLI_SECONDS))
            absent = [name for name in (*CLI, *mark.args) if not shutil.which(name)]
            if absent:
                item.add_marker(pytest.mark.skip(reason=f"not on PATH: {', '.join(absent)}"))
    items.sort(key=lambda item: item.get_closest_marker("first") is None)


def pytest_configure() -> None:
    """Let what tests start be ended by SIGINT, also where a shell has started them in the background without it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionstart() -> None:
    """Collect no garbage while tests are imported: there is none, and looking for it takes long."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over what all tests are made of: half a second each time."""
    gc.freeze()
    gc.enable()


def pytest_configure_node(node: Any) -> None:
    """Start one warm interpreter for all workers: its imports take seconds."""
    node.workerinput[WARM] = SHARED.run()


def pytest_unconfigure() -> None:
    """End it: the workers have ended."""
    SHARED.__exit__()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Forget what was found while the test before was torn down."""
    JUDGE.taken()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Fail a test if a request to a sandbox, or an answer, is not as the vendor describes it."""
    yield
    faults = JUDGE.taken()
    if faults and item.get_closest_marker(BEYOND) is None:
        pytest.fail("not as the vendor describes it:\n" + "\n".join(faults), pytrace=False)


@pytest.fixture(scope="session", autouse=True)
def judged() -> Iterator[None]:
    """Check what sandboxes are sent and answer against the vendor's description."""
    with pytest.MonkeyPatch.context() as patch:
        JUDGE.install(patch)
        yield


@pytest.fixture(scope="session", autouse=True)
def no_settings_from_outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let nobody's credentials, proxies or notes of interrupted runs reach the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [*PROXIES, *(name for name in os.environ if name.startswith("CLOUDDB_"))]:
            patch.delenv(name, raising=False)
        patch.setenv("CLOUDDB_JOURNAL", str(tmp_path_factory.mktemp("journal")))
        yield


@pytest.fixture(scope="session", autouse=True)
def made_once() -> Iterator[None]:
    """Keep what typer makes of an app, whom httpx trusts, and the sandbox's paths: to make them anew takes longest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.testing._get_command", functools.cache(typer.main.get_command))
        patch.setattr("httpx._transports.default.create_ssl_context", functools.cache(httpx.create_ssl_context))
        patch.setattr("starlette.routing.compile_path", functools.cache(compile_path))
        yield


@pytest.fixture(scope="session")
def warm(
    no_settings_from_outside: None,  # noqa: ARG001 (it goes first)
    request: pytest.FixtureRequest,
) -> Iterator[WarmInterpreter]:
    """What starts programs and providers in milliseconds."""
    with WarmInterpreter(getattr(request.config, "workerinput", {}).get(WARM)) as interpreter:
        yield interpreter


@pytest.fixture(scope="session", autouse=True)
def forks(warm: WarmInterpreter) -> Iterator[None]:
    """Fork the processes of the fake engine and of front ends."""
    with pytest.MonkeyPatch.context() as patch:
        for module in STARTS_PROCESSES:
            patch.setattr(module, "ChildProcess", warm.child_process)
        yield


@pytest.fixture(autouse=True)
def no_forks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start processes as users do in the tests that are marked as being about them."""
    if request.node.get_closest_marker("real_processes"):
        for module in STARTS_PROCESSES:
            monkeypatch.setattr(module, "ChildProcess", ChildProcess)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    """A clock on which sleeping takes no time."""
    return FakeClock(monkeypatch)


@pytest.fixture(scope="session")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FrontEnds]:
    """Both front ends as processes, started once for all tests."""
    with FrontEnds(NOWHERE, tmp_path_factory.mktemp("processes")) as both:
        yield both


@pytest.fixture
def front_ends_of(processes: FrontEnds) -> MakeFrontEnds:
    """Give both front ends under a configuration, `front_ends_of(paid="false")`, which ends with the next one."""

    def make(**config: str) -> FrontEnds:
        processes.configure({**NOWHERE, **AT_ONCE, **{f"clouddb:{name}": value for name, value in config.items()}})
        return processes

    return make


@pytest.fixture
def front_ends(front_ends_of: MakeFrontEnds) -> FrontEnds:
    """Both front ends under the plainest configuration; they reach no server."""
    return front_ends_of()


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """A server of the vendor's, where a module has none of its own."""
    with Sandbox(vocabulary="clickhouse") as running:
        yield running


@pytest.fixture
def http(sandbox: Sandbox) -> Iterator[httpx.Client]:
    """A client of its self-hosted surface."""
    with sandbox.self_hosted() as client:
        yield client


@pytest.fixture
def process(sandbox: Sandbox, tmp_path: Path) -> ProviderProcess:
    """A provider that works with it."""
    return ProviderProcess(config_for(sandbox), tmp_path)
