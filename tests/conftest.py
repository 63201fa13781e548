"""Fixtures for all tests: a clean environment, one process of each front end, a fake clock, a sandbox.

Only functions import the packages: if one of their modules cannot be imported, its tests fail, and others run.
"""

from __future__ import annotations

import functools
import gc
import os
import shutil
import signal
import sys
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import httpx
import hypothesis
import pytest
import typer.main
from starlette.routing import compile_path

from ceilings import QUICK_TEST

if TYPE_CHECKING:
    from clouddb_tools.sandbox import Sandbox
    from support.clock import FakeClock
    from support.front_ends import FrontEnds, MakeFrontEnds
    from support.judge import Judge
    from support.sessions import ProviderProcess
    from support.warm import WarmInterpreter

PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
"""Removed from the environment, so that no test sends a request through a proxy."""

BEYOND = "beyond_the_description"
"""Marks tests that imitate another server, or send requests that the vendor does not describe."""

AT_ONCE = {"clouddb:retryTimeoutSeconds": "0"}
"""No server listens at the address of `NOWHERE`, so a check that sends a request need not retry it."""

WARM = "warm"
"""Key of the worker input with the address of the warm interpreter that all workers share."""

SHARED = pytest.StashKey["WarmInterpreter"]()
"""Key of that interpreter."""

THINGS = Path(__file__).parent / "provider" / "things"
TABLES = tuple(THINGS.parent / each for each in ("contract/test_contract.py", "schema/test_rows.py"))
"""Their cases of a thing run with its folder, if nothing else is run."""

CLI_SECONDS = 600
"""Enough for about thirty commands, each of which starts several processes, on a busy machine."""

# No deadline, because examples are slow on a busy machine. Each run generates other examples.
hypothesis.settings.register_profile("quick", deadline=None, max_examples=50)
hypothesis.settings.load_profile("quick")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests of the CLI as slow, with a longer timeout, and skip them without the CLI; run long tests first.

    Otherwise all other workers wait for these at the end. `tryfirst` adds the marks before pytest selects by them.
    """
    _select_cases(config, items)
    for item in items:
        for mark in item.iter_markers("cli"):
            item.add_marker("slow")
            item.add_marker(pytest.mark.timeout(CLI_SECONDS))
            absent = [name for name in (*_programs_of_the_cli(), *mark.args) if not shutil.which(name)]
            if absent:
                item.add_marker(pytest.mark.skip(reason=f"not on PATH: {', '.join(absent)}"))
    items.sort(key=lambda item: item.get_closest_marker("first") is None)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Let `-k Name` find the tests of a resource: those of its folder, and the cases and lives of it in tables."""
    item.extra_keyword_matches |= {*_resources_of(item)}


def _resources_of(item: pytest.Item) -> Iterator[str]:
    from pulumi_clouddb.registry import HANDLERS

    folder = item.path.relative_to(THINGS).parts[0] if item.path.is_relative_to(THINGS) else ""
    yield from (name for name, handler in HANDLERS.items() if folder and handler.startswith(f"{folder}."))
    for value in (
        item.callspec.params.values() if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ()
    ):
        life = getattr(value, "life", value)
        for name in (getattr(life, "resource", None), getattr(life, "name", life)):
            if isinstance(name, str) and name in HANDLERS:
                yield name


def _programs_of_the_cli() -> tuple[str, ...]:
    """Return the programs on PATH that the CLI needs to run a Python program."""
    from clouddb_tools.testing.cli_stack import LANGUAGE, LAUNCHER

    return ("pulumi", LANGUAGE, LAUNCHER)


def pytest_configure(config: pytest.Config) -> None:
    """Restore the handler of SIGINT for child processes: a shell ignores the signal for background jobs.

    Run the folders of things with the cases of these things in tables. Measure what a run of all quick tests costs.
    """
    from support.cost import Cost

    signal.signal(signal.SIGINT, signal.default_int_handler)
    Cost.of(config)
    if _folders_of_things(config):
        config.args += [each for each in map(str, TABLES) if each not in config.args]


def _folders_of_things(config: pytest.Config) -> set[str]:
    """Return the names of the folders of things to run; none if the command names other tests, but for tables."""
    paths = {Path(config.invocation_params.dir, each) for each in config.args} - {*TABLES}
    return {each.name for each in paths} if all(each.is_dir() and each.parent == THINGS for each in paths) else set()


def _select_cases(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the cases of other things, if only folders of things are run, with tables."""
    folders = _folders_of_things(config)
    others = [item for item in items if folders and item.path in TABLES and folders.isdisjoint(_folders_of(item))]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in others]


def _folders_of(item: pytest.Item) -> Iterator[str]:
    from pulumi_clouddb.registry import HANDLERS

    yield from (HANDLERS[name].split(".")[0] for name in _resources_of(item))


def pytest_sessionstart() -> None:
    """Disable the garbage collector while tests are imported: it finds nothing, and is slow."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Freeze the imported objects: to scan them takes the garbage collector half a second each time."""
    gc.freeze()
    gc.enable()


def pytest_configure_node(node: Any) -> None:
    """Start one warm interpreter for all workers: its imports take seconds."""
    from support.warm import WarmInterpreter

    if sys.platform != "linux":  # it needs the system calls of Linux
        return
    node.workerinput[WARM] = node.config.stash.setdefault(SHARED, WarmInterpreter()).run()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the warm interpreter; the workers have ended."""
    if SHARED in config.stash:
        config.stash[SHARED].__exit__()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Fail a test if a request or a response differs from the vendor's description, or if a quick test is dear."""
    from support.cost import Cost

    judge = _judge_of(item)
    if judge:
        judge.is_asked = item.get_closest_marker(BEYOND) is None
    started = time.process_time()  # of all threads, but of no other process, so that a busy machine changes little
    yield
    seconds = time.process_time() - started
    Cost.of(item.config).spent(item, seconds)
    if seconds > QUICK_TEST and item.get_closest_marker("slow") is None and not os.environ.get("COVERAGE_RUN"):
        pytest.fail(
            f"{item.nodeid}: {seconds:.1f} s of processor time, ceiling {QUICK_TEST} s\n"
            "share what is dear with other tests, or mark it slow",
            pytrace=False,
        )
    faults = judge.pop_faults() if judge else []
    if faults and item.get_closest_marker(BEYOND) is None:
        pytest.fail("differs from the vendor's description:\n" + "\n".join(faults), pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    """Discard the faults that were found during the teardown of a test, and compare those of the next setup."""
    yield
    if judge := _judge_of(item):
        judge.pop_faults()
        judge.is_asked = True


def _judge_of(item: pytest.Item) -> Judge | None:
    judge: Judge | None = getattr(item, "funcargs", {}).get("judged")
    return judge


@pytest.fixture(scope="session", autouse=True)
def judged() -> Iterator[Judge]:
    """Compare requests to sandboxes, and their responses, with the vendor's description."""
    from support.judge import JUDGE

    with pytest.MonkeyPatch.context() as patch:
        JUDGE.install(patch)
        yield JUDGE


@pytest.fixture(scope="session", autouse=True)
def no_settings_from_outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Hide credentials, proxies, pending creates and the login of Pulumi of the environment from the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ["PULUMI_BACKEND_URL", *PROXIES, *(name for name in os.environ if name.startswith("CLOUDDB_"))]:
            patch.delenv(name, raising=False)
        patch.setenv("PULUMI_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("CLOUDDB_JOURNAL", str(tmp_path_factory.mktemp("journal")))
        yield


@pytest.fixture(scope="session", autouse=True)
def made_once() -> Iterator[None]:
    """Cache typer's commands, httpx's TLS context and the sandbox's paths: to create them takes most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.testing._get_command", functools.cache(typer.main.get_command))
        patch.setattr("httpx._transports.default.create_ssl_context", functools.cache(httpx.create_ssl_context))
        patch.setattr("starlette.routing.compile_path", functools.cache(compile_path))
        yield


@pytest.fixture(scope="session")
def warm(
    no_settings_from_outside: None,  # noqa: ARG001 (runs first)
    request: pytest.FixtureRequest,
) -> Iterator[WarmInterpreter]:
    """The interpreter that starts programs and providers in milliseconds."""
    from support.warm import WarmInterpreter

    with WarmInterpreter(getattr(request.config, "workerinput", {}).get(WARM)) as interpreter:
        yield interpreter


def _modules_that_start_processes() -> tuple[ModuleType, ...]:
    from clouddb_tools.testing.fake_engine import host, operation
    from support import grpc_driver

    return host, operation, grpc_driver


@pytest.fixture(scope="session", autouse=True)
def forks(warm: WarmInterpreter) -> Iterator[None]:
    """Fork the processes of the fake engine and of front ends; other systems than Linux start them."""
    if sys.platform != "linux":
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        for module in _modules_that_start_processes():
            patch.setattr(module, "ChildProcess", warm.child_process)
        yield


@pytest.fixture
def real_processes(forks: None, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001 (runs first)
    """Start programs, hosts and plugins in new processes, as for users, instead of forked ones."""
    from clouddb_tools.testing.fake_engine.process import ChildProcess

    for module in _modules_that_start_processes():
        monkeypatch.setattr(module, "ChildProcess", ChildProcess)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    """A clock on which sleeping takes no time."""
    from support.clock import FakeClock

    return FakeClock(monkeypatch)


@pytest.fixture(scope="session")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FrontEnds]:
    """Both front ends as processes, started once for all tests."""
    from support.front_ends import FrontEnds
    from support.sessions import NOWHERE

    with FrontEnds(NOWHERE, tmp_path_factory.mktemp("processes")) as both:
        yield both


@pytest.fixture
def front_ends_of(processes: FrontEnds) -> MakeFrontEnds:
    """Return a function that configures both front ends, such as `front_ends_of(paid="false")`, and returns them."""
    from support.sessions import NOWHERE

    def make(**config: str) -> FrontEnds:
        processes.configure({**NOWHERE, **AT_ONCE, **{f"clouddb:{name}": value for name, value in config.items()}})
        return processes

    return make


@pytest.fixture
def front_ends(front_ends_of: MakeFrontEnds) -> FrontEnds:
    """Both front ends with the default configuration; they reach no server."""
    return front_ends_of()


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """A sandbox of the vendor's dialect; modules can override it."""
    from clouddb_tools.sandbox import Sandbox

    with Sandbox(vocabulary="clickhouse") as running:
        yield running


@pytest.fixture
def neutral_sandbox() -> Iterator[Sandbox]:
    """A sandbox of the interface's dialect."""
    from clouddb_tools.sandbox import Sandbox

    with Sandbox(vocabulary="neutral") as running:
        yield running


@pytest.fixture
def http(sandbox: Sandbox) -> Iterator[httpx.Client]:
    """A client of the sandbox's self-hosted API."""
    with sandbox.self_hosted() as client:
        yield client


@pytest.fixture
def process(sandbox: Sandbox, tmp_path: Path) -> ProviderProcess:
    """A provider that uses the sandbox."""
    from support.sessions import ProviderProcess, config_for

    return ProviderProcess(config_for(sandbox), tmp_path)
