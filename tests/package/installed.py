"""Use the package as a user does: `python -I installed.py PROJECT`, in an environment with only the wheel."""

import importlib
import sys
from pathlib import Path

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, stack_config


def names_exist() -> None:
    """Load each public name of each public module."""
    provider = ("pulumi_clouddb", "pulumi_clouddb.errors", "pulumi_clouddb.policy")
    for name in (*provider, "clouddb_tools.sandbox", "clouddb_tools.testing"):
        module = importlib.import_module(name)
        assert Path(str(module.__file__)).is_relative_to(sys.prefix), module.__file__
        for each in module.__all__:
            getattr(module, each)


def program_runs(project: Path) -> None:
    """Create the resources of a program, run a preview without changes, and delete them."""
    with Sandbox(vocabulary="neutral") as sandbox:
        stack = FakeEngineStack(project, config=stack_config(sandbox))
        created = stack.up()
        assert created.changes["create"] == len(stack.resources), created.changes
        assert len(sandbox.services) == 1
        assert stack.preview().no_changes
        stack.destroy()
        assert not sandbox.services


if __name__ == "__main__":
    names_exist()
    program_runs(Path(sys.argv[1]))
    print("used")
