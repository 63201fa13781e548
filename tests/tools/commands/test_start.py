"""What `clouddb` prints without the packages of the extra `tools`."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

TOOLS = [
    each.name for each in map(Requirement, metadata.requires("pulumi-clouddb") or ()) if 'extra == "tools"' in str(each)
]


def start(folder: Path, prelude: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `clouddb` in a new process after a line of Python."""
    script = f"""
import sys
{prelude}
from clouddb_tools.commands.__main__ import main
sys.argv = ["clouddb", *{list(words)!r}]
main()
"""
    env = {name: value for name, value in os.environ.items() if not name.startswith("CLOUDDB_")}
    return subprocess.run(
        [sys.executable, "-c", script], cwd=folder, env=env, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("tool", TOOLS)
def test_command_without_its_packages_reports_what_to_install(tool: str, tmp_path: Path) -> None:
    """In one line, whichever of them is missing; the provider alone is installed without them."""
    modules = {file.parts[0] for file in metadata.files(tool) or ()}
    done = start(tmp_path, f"sys.modules.update(dict.fromkeys({modules!r}))", "--version")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.endswith("pip install 'pulumi-clouddb[tools]'")
