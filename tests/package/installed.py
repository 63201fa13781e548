"""Use the package as a user does, in an environment with only the wheel.

`python -I installed.py PROJECT` loads each public name, and runs the project on a sandbox. It needs extras. With the
configuration of a stack as JSON after PROJECT, it only runs the project.
"""

import importlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from clouddb_tools.testing import FakeEngineStack, Secret, stack_config


def names_exist() -> None:
    """Load each public name of each public module."""
    provider = ("pulumi_clouddb", "pulumi_clouddb.errors", "pulumi_clouddb.policy")
    for name in (*provider, "clouddb_tools.sandbox", "clouddb_tools.testing"):
        module = importlib.import_module(name)
        assert Path(str(module.__file__)).is_relative_to(sys.prefix), module.__file__
        for each in module.__all__:
            getattr(module, each)


def program_runs(project: Path) -> None:
    """Run a program on a sandbox."""
    from clouddb_tools.sandbox import Sandbox

    with Sandbox(vocabulary="neutral") as sandbox:
        stack_runs(project, stack_config(sandbox))
        assert not sandbox.services


def stack_runs(project: Path, config: Mapping[str, str | Secret]) -> None:
    """Create the resources of a program, run a preview without changes, and delete them."""
    assert Path(str(sys.modules[FakeEngineStack.__module__].__file__)).is_relative_to(sys.prefix)
    stack = FakeEngineStack(project, config=config)
    created = stack.up()
    assert created.changes["create"] == len(stack.resources), created.changes
    assert stack.preview().no_changes
    stack.destroy()


if __name__ == "__main__":
    folder, *given = sys.argv[1:]
    if given:
        stack_runs(Path(folder), json.loads(given[0]))
    else:
        names_exist()
        program_runs(Path(folder))
    print("used")
