"""The interface that the fake engine and the real CLI share."""

from __future__ import annotations

import shutil
import tempfile
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pulumi_clouddb.engine.wire.secret import Secret
from pulumi_clouddb.engine.wire.urns import ROOT_TYPE

from .program import Program
from .result import Diagnostic, ResourceState, Result, StackError, Step

if TYPE_CHECKING:
    from pulumi_clouddb.sandbox import SandboxControl

Progress: TypeAlias = Callable[["Step | Diagnostic"], None]
"""Called with each step when it is done and each diagnostic when it comes; from several threads, but one at a time."""


class Stack(ABC):
    """A program, its configuration and its state, and the four operations on them.

    `program` is a folder (with `__main__.py`, or a Pulumi.yaml that names a `main`), or the text of a program.
    Configuration keys without a namespace belong to the project. `env` is added to the environment of the program
    and of the provider host. Without `work_dir` a temporary folder is used, which lives as long as this object.
    """

    def __init__(
        self,
        program: str | Path,
        *,
        name: str = "dev",
        project: str = "clouddb-test",
        config: Mapping[str, str | Secret] | None = None,
        env: Mapping[str, str] | None = None,
        work_dir: Path | None = None,
        parallel: int = 16,
        progress: Progress | None = None,
    ) -> None:
        self.name = name
        self.project = project
        self.parallel = parallel
        self.progress = progress
        self.config: dict[str, str | Secret] = {}
        if work_dir is None:
            work_dir = Path(tempfile.mkdtemp(prefix="clouddb-stack-"))
            weakref.finalize(self, shutil.rmtree, work_dir, ignore_errors=True)
        self.work_dir = work_dir.absolute()
        self.work_dir.mkdir(parents=True, exist_ok=True)
        # Notes of interrupted creations stay with the stack: another test's must not be taken up here.
        self.env = {"CLOUDDB_JOURNAL": str(self.work_dir / "in-flight"), **(env or {})}
        self.set_program(program)
        for key, value in (config or {}).items():
            self.set_config(key, value.value if isinstance(value, Secret) else value, isinstance(value, Secret))

    def set_program(self, program: str | Path) -> None:
        """Take another program, a folder or the text of one, for the operations to come."""
        self.program = Program(program, self.work_dir / "program", self.project)
        self.project = self.program.project

    def set_config(self, key: str, value: str, secret: bool = False) -> None:
        """Set one configuration value."""
        full = key if ":" in key else f"{self.project}:{key}"
        self.config[full] = Secret(value) if secret else value

    def preview(self, *, refresh: bool = False, replace: Collection[str] = (), expect_failure: bool = False) -> Result:
        """Find out what `up` would do."""
        return self._finish("preview", expect_failure, refresh=refresh, replace=replace)

    def up(self, *, refresh: bool = False, replace: Collection[str] = (), expect_failure: bool = False) -> Result:
        """Bring the resources into the form that the program asks for, those named in `replace` as other objects."""
        return self._finish("up", expect_failure, refresh=refresh, replace=replace)

    def refresh(self, *, expect_failure: bool = False) -> Result:
        """Bring the state into the form that the resources really have."""
        return self._finish("refresh", expect_failure)

    def destroy(self, *, expect_failure: bool = False) -> Result:
        """Delete every resource of the state; the program is not run."""
        return self._finish("destroy", expect_failure)

    @property
    @abstractmethod
    def resources(self) -> list[ResourceState]:
        """The resources of the state, the stack itself among them, without provider resources."""

    def resource(self, name: str) -> ResourceState:
        """Return the one resource of this name."""
        found = [each for each in self.resources if each.name == name]
        if len(found) != 1:
            raise LookupError(f"{len(found)} resources are named {name!r} among {[r.name for r in self.resources]}")
        return found[0]

    @property
    def outputs(self) -> dict[str, Any]:
        """The stack's outputs, as state holds them."""
        roots = [each for each in self.resources if each.type == ROOT_TYPE]
        return dict(roots[0].outputs) if roots else {}

    @property
    @abstractmethod
    def state_text(self) -> str:
        """The state file as it rests on disk, so that a test can assert that no secret is in it."""

    @abstractmethod
    def _run(self, operation: str, refresh: bool, replace: Collection[str]) -> Result:
        """Do one operation; the result has the failures; none is raised."""

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
    """Return the stack configuration that points a program at a sandbox, credentials as secrets."""
    secret = sandbox.secret_keys
    return {key: Secret(text) if key in secret else text for key, text in sandbox.config.items()}
