"""Fixtures for programs that use this package, known to pytest wherever it is installed.

Nothing heavy is imported here, but in the fixtures: pytest loads this module in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pulumi_clouddb.sandbox import Sandbox

    from .stand_in import StandInStack


@pytest.fixture
def clouddb_sandbox() -> Iterator[Sandbox]:
    """A server on this machine that speaks the interface, with one organisation and one key."""
    from pulumi_clouddb.sandbox import Sandbox

    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def clouddb_stack(clouddb_sandbox: Sandbox, tmp_path: Path) -> Callable[..., StandInStack]:
    """Make stacks that run against the sandbox: `clouddb_stack(program, **options)`.

    The options are those of `StandInStack`; a `config` given there adds to the sandbox's.
    """
    from .stack import stack_config
    from .stand_in import StandInStack

    made: list[StandInStack] = []

    def make(program: str | Path, **options: Any) -> StandInStack:
        options["config"] = {**stack_config(clouddb_sandbox), **(options.get("config") or {})}
        options.setdefault("work_dir", tmp_path / f"stack{len(made)}")
        made.append(StandInStack(program, **options))
        return made[-1]

    return make
