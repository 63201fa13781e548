"""`FakeEngineStack`, the fake engine with the common interface."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from pathlib import Path

from clouddb_tools.testing.result import ResourceState, Result
from clouddb_tools.testing.stack import Progress, Stack
from pulumi_clouddb.engine.wire.secret import Secret

from .deployment import Settings
from .operation import Operation
from .recorder import Recorder
from .state import StateFile


class HostProcess:
    """The dynamic provider host of the running operation, for tests that kill it."""

    def __init__(self, operation: Operation | None) -> None:
        self._operation = operation

    @property
    def pid(self) -> int | None:
        """The process id, or None while no host runs."""
        return self._operation.host.pid if self._operation else None


class FakeEngineStack(Stack):
    """Runs a program without the CLI.

    State is stored in the file `state`, by default in the work folder; `fake_engine.state` describes how it stores
    secrets. `parallel` limits the number of concurrent steps; the dynamic host itself runs four.
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
        state: Path | None = None,
        progress: Progress | None = None,
    ) -> None:
        super().__init__(
            program,
            name=name,
            project=project,
            config=config,
            env=env,
            work_dir=work_dir,
            parallel=parallel,
            progress=progress,
        )
        self._state = StateFile(state or self.work_dir / f"{name}.state.json")
        self._operation: Operation | None = None
        self._lock = threading.Lock()

    def set_program(self, program: str | Path) -> None:
        """Set the program of later operations, a folder or the text of a program.

        Raises:
            FileNotFoundError: There is no such program.
            ValueError: Pulumi.yaml is not valid, or its runtime is not Python.
        """
        super().set_program(program)
        if self.program.runtime != "python":
            raise ValueError(f"the fake engine runs only Python programs, not those of runtime {self.program.runtime}")
        if not (main := self.program.folder / self.program.entry).is_file() and not (main / "__main__.py").is_file():
            raise FileNotFoundError(f"{self.program.folder} contains no __main__.py")

    @property
    def host(self) -> HostProcess:
        """The provider host of the running operation, for other threads."""
        return HostProcess(self._operation)

    @property
    def resources(self) -> list[ResourceState]:
        """The resources of the state, including the stack itself."""
        return [each.public() for each in self._state.load()]

    @property
    def state_text(self) -> str:
        """The state file's text; secrets are in another file."""
        return self._state.text()

    def _run(self, operation: str, refresh: bool, replace: Collection[str]) -> Result:
        preview, config = operation == "preview", dict(self.config)
        settings = Settings(self.name, self.project, preview, self.parallel, config, frozenset(replace))
        recorder = Recorder(operation, self.progress)
        with self._lock:
            self._operation = Operation(settings, self.program, self.env, self._state, recorder)
            try:
                self._operation.run(
                    refresh=refresh or operation == "refresh",
                    program=operation in ("preview", "up"),
                    delete=operation != "refresh",
                )
            finally:
                self._operation = None
        return recorder.result
