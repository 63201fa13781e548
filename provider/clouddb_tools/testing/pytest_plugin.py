"""Fixtures for programs that use this package; pytest finds them wherever it is installed.

Only the fixtures import large modules, because pytest loads this module in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from clouddb_tools.sandbox import Sandbox

    from .fake_engine import FakeEngineStack


@pytest.fixture
def clouddb_sandbox() -> Iterator[Sandbox]:
    """A server on this machine that implements the API, with one organization and one key."""
    try:
        from clouddb_tools.sandbox import Sandbox
    except ModuleNotFoundError as missing:
        pytest.fail(f"the fixture clouddb_sandbox cannot start: {missing}", pytrace=False)
    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def clouddb_stack(clouddb_sandbox: Sandbox, tmp_path: Path) -> Callable[..., FakeEngineStack]:
    """Create stacks that use the sandbox: `clouddb_stack(program, **options)`.

    The options are those of `FakeEngineStack`; `config` is added to the sandbox's configuration.
    """
    from .fake_engine import FakeEngineStack
    from .stack import stack_config

    made: list[FakeEngineStack] = []

    def make(program: str | Path, **options: Any) -> FakeEngineStack:
        options["config"] = {**stack_config(clouddb_sandbox), **(options.get("config") or {})}
        options.setdefault("work_dir", tmp_path / f"stack{len(made)}")
        made.append(FakeEngineStack(program, **options))
        return made[-1]

    return make
