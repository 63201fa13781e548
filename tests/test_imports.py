"""Every module of both packages can be imported; a failure names the file, the line and the error.

Other tests that need the module are errors of the same run, and the rest run.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import traceback
from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PROVIDER = TESTS.parent / "provider"
MODULES = sorted(file for file in PROVIDER.rglob("*.py") if file.name not in ("__init__.py", "__main__.py", "setup.py"))
FOLDERS = sorted({str(file.parent.relative_to(PROVIDER)) for file in MODULES})


@pytest.fixture(scope="session")
def judged() -> None:
    """Override a fixture that imports both packages."""


@pytest.fixture(scope="session")
def forks() -> None:
    """Override a fixture that imports both packages."""


def cause(error: Exception, file: Path) -> str:
    """Return the innermost line of both packages that raised an error while a file was imported, and the error."""
    place, line = file, 1
    if isinstance(error, SyntaxError):
        place, line = Path(error.filename or file), error.lineno or 1
    for frame in traceback.extract_tb(error.__traceback__):
        if Path(frame.filename).is_relative_to(PROVIDER):
            place, line = Path(frame.filename), frame.lineno or 1
    return f"{place.relative_to(PROVIDER.parent)}:{line}: {type(error).__name__}: {error}"


@pytest.mark.parametrize("folder", FOLDERS)
def test_modules_can_be_imported(folder: str) -> None:
    """A folder fails if one of its modules, or one that it imports, raises."""
    causes: dict[str, None] = {}
    for file in MODULES:
        if str(file.parent.relative_to(PROVIDER)) == folder:
            try:
                importlib.import_module(".".join(file.relative_to(PROVIDER).with_suffix("").parts))
            except Exception as error:  # noqa: BLE001 (each of them is reported)
                causes[cause(error, file)] = None
    if causes:
        pytest.fail("\n".join(causes), pytrace=False)


def test_modules_of_tests_have_names_of_their_own() -> None:
    """Of two with one name in folders that are no packages, pytest can collect only one."""
    names = Counter(file.name for file in TESTS.rglob("test_*.py") if not (file.parent / "__init__.py").exists())
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["0", "2"])
def test_module_that_cannot_be_imported_does_not_stop_the_run(workers: str, tmp_path: Path) -> None:
    """One test names it, the tests that need it are errors, and the others pass."""
    plugin = "import sys\nsys.modules['clouddb_tools.sandbox.lifecycle'] = None\n"
    (tmp_path / "broken.py").write_text(plugin, encoding="utf-8")
    tests = ("test_imports.py", "tools/sandbox/test_sandbox_page.py")
    options = ("-p", "broken", "-p", "no:cacheprovider", "-m", "not slow", "-n", workers)
    report = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *(str(TESTS / each) for each in tests)],
        cwd=TESTS.parent,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    for text in (
        r"^provider/clouddb_tools/sandbox/\w+.py:\d+: ModuleNotFoundError: .*sandbox.lifecycle",
        r"^FAILED .*test_modules_can_be_imported\[clouddb_tools/sandbox\]",
        r"^ERROR .*test_sandbox_page.py",
        r" [1-9]\d+ passed",
    ):
        assert re.search(text, report, re.MULTILINE), report
