"""The common interface of the fake engine and the real CLI."""

from __future__ import annotations

import shutil
import tempfile
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import yaml

from pulumi_clouddb.engine.wire.secret import Secret
from pulumi_clouddb.engine.wire.urns import ROOT_TYPE

from .result import Diagnostic, ResourceState, Result, StackError, Step

if TYPE_CHECKING:
    from clouddb_tools.sandbox import SandboxControl

SETTINGS = "Pulumi.yaml"

Progress: TypeAlias = Callable[["Step | Diagnostic"], None]
"""Called with each completed step and each diagnostic, by several threads but never concurrently."""


class Program:
    """A project folder, and the folder in it where the program runs.

    As with the CLI, `main` in Pulumi.yaml can name a folder or a file. Program and dynamic provider host both run in
    that folder, so that both can import modules beside the program.

    Raises:
        FileNotFoundError: A folder or a file does not exist.
        ValueError: Pulumi.yaml is not valid.
    """

    def __init__(self, source: str | Path, folder: Path, project: str) -> None:
        if isinstance(source, str) and ("\n" in source or not source):
            self.root = folder
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "__main__.py").write_text(source, encoding="utf-8")
            (folder / SETTINGS).write_text(f"name: {project}\nruntime: python\n", encoding="utf-8")
        else:
            self.root = Path(source).absolute()
        self.settings = self._settings(source)
        main = self.root / str(self.settings.get("main", "."))
        if not main.exists():
            raise FileNotFoundError(f"the program {main} does not exist")
        self.folder = main if main.is_dir() else main.parent
        self.entry = "." if main.is_dir() else main.name

    @property
    def project(self) -> str:
        """The project's name in Pulumi.yaml."""
        return str(self.settings["name"])

    @property
    def runtime(self) -> str:
        """The name of the runtime in Pulumi.yaml."""
        runtime = self.settings.get("runtime")
        return str(runtime.get("name") if isinstance(runtime, dict) else runtime)

    def _settings(self, source: str | Path) -> dict[str, Any]:
        file = self.root / SETTINGS
        if not self.root.is_dir():
            raise FileNotFoundError(f"{str(source)!r} is not a folder; the text of a program has a line break")
        if not file.is_file():
            raise FileNotFoundError(f"{self.root} contains no {SETTINGS}: a program is a project folder or Python text")
        try:
            settings = yaml.safe_load(file.read_text(encoding="utf-8"))
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise ValueError(f"{file} cannot be read: {error}") from None
        if not isinstance(settings, dict) or "name" not in settings:
            raise ValueError(f"{file} does not set `name`")
        return settings


class Stack(ABC):
    """A program with its configuration and state, and the four operations on them.

    `program` is a folder (with `__main__.py`, or a Pulumi.yaml that names a `main`), or a text with a line break.
    Configuration keys without a namespace belong to the project. `env` is added to the environment of the program
    and of the provider host. Without `work_dir`, a temporary folder exists as long as this object.
    """

    def __init__(
        self,
        program: str | Path,
        *,
        name: str = "dev",
        project: str = "clouddb-test",
        config: Mapping[str, str | Secret] | None = None,
        env: Mapping[str, str] | None = None,
        work_dir: str | Path | None = None,
        parallel: int = 16,
        progress: Progress | None = None,
    ) -> None:
        self.name = name
        self.project = project
        self.parallel = parallel
        self.progress = progress
        self.config: dict[str, str | Secret] = {}
        if work_dir is None:
            work_dir = tempfile.mkdtemp(prefix="clouddb-stack-")
            weakref.finalize(self, shutil.rmtree, work_dir, ignore_errors=True)
        self.work_dir = Path(work_dir).absolute()
        self.work_dir.mkdir(parents=True, exist_ok=True)
        # Pending creates belong to the stack, so that tests do not adopt each other's objects.
        self.env = {"CLOUDDB_JOURNAL": str(self.work_dir / "in-flight"), **(env or {})}
        self.set_program(program)
        for key, value in (config or {}).items():
            self.set_config(key, value.value if isinstance(value, Secret) else value, isinstance(value, Secret))

    def set_program(self, program: str | Path) -> None:
        """Set the program of later operations, a folder or the text of a program."""
        self.program = Program(program, self.work_dir / "program", self.project)
        self.project = self.program.project

    def set_config(self, key: str, value: str, secret: bool = False) -> None:
        """Set one configuration value.

        Raises:
            TypeError: The value is not text.
        """
        if not isinstance(value, str):
            raise TypeError(f"the configuration value of {key} must be text, not {type(value).__name__}")
        full = key if ":" in key else f"{self.project}:{key}"
        self.config[full] = Secret(value) if secret else value

    def preview(self, *, refresh: bool = False, replace: Collection[str] = (), expect_failure: bool = False) -> Result:
        """Preview the changes of an `up`."""
        return self._finish("preview", expect_failure, refresh=refresh, replace=replace)

    def up(self, *, refresh: bool = False, replace: Collection[str] = (), expect_failure: bool = False) -> Result:
        """Apply the program; replace the resources named in `replace`."""
        return self._finish("up", expect_failure, refresh=refresh, replace=replace)

    def refresh(self, *, expect_failure: bool = False) -> Result:
        """Update the state from the real objects."""
        return self._finish("refresh", expect_failure)

    def destroy(self, *, expect_failure: bool = False) -> Result:
        """Delete all resources of the state, without running the program."""
        return self._finish("destroy", expect_failure)

    @property
    @abstractmethod
    def resources(self) -> list[ResourceState]:
        """The resources of the state, including the stack itself, without provider resources."""

    def resource(self, name: str) -> ResourceState:
        """Return the only resource with this name."""
        matching = [each for each in self.resources if each.name == name]
        if len(matching) != 1:
            raise LookupError(f"{len(matching)} resources are named {name!r} among {[r.name for r in self.resources]}")
        return matching[0]

    @property
    def outputs(self) -> dict[str, Any]:
        """The stack's outputs in the state."""
        roots = [each for each in self.resources if each.type == ROOT_TYPE]
        return dict(roots[0].outputs) if roots else {}

    @property
    @abstractmethod
    def state_text(self) -> str:
        """The text of the state file, in which a test can look for secrets."""

    @abstractmethod
    def _run(self, operation: str, refresh: bool, replace: Collection[str]) -> Result:
        """Run one operation; the result contains failures, and none is raised."""

    def _finish(
        self, operation: str, expect_failure: bool, *, refresh: bool = False, replace: Collection[str] = ()
    ) -> Result:
        urns = [self.resource(name).urn for name in replace]
        started = time.monotonic()
        result = self._run(operation, refresh, urns)
        result.seconds = time.monotonic() - started
        if not result.ok and not expect_failure:
            raise StackError(result)
        return result


def stack_config(sandbox: SandboxControl) -> dict[str, str | Secret]:
    """Return the stack configuration with which a program uses a sandbox, with credentials as secrets."""
    secret = sandbox.secret_keys
    return {key: Secret(text) if key in secret else text for key, text in sandbox.config.items()}
