"""The state of a running operation: old and new resources, and whether new steps may start."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from pulumi_clouddb.engine.wire import urns
from pulumi_clouddb.engine.wire.codec import Properties
from pulumi_clouddb.engine.wire.secret import Secret, strip

from .provider import Provider
from .recorder import Recorder
from .state import Resource


class HaltedError(Exception):
    """No new step may start."""


@dataclass(frozen=True)
class Settings:
    """The settings of one operation."""

    stack: str
    project: str
    preview: bool
    parallel: int
    config: Mapping[str, str | Secret]
    replace: frozenset[str] = frozenset()
    """URNs of the resources that the user wants to replace."""

    @property
    def clear_config(self) -> dict[str, str]:
        """The configuration with secrets in plain text."""
        return dict(strip(dict(self.config)))

    @property
    def secret_keys(self) -> list[str]:
        """The keys of secret configuration values."""
        return [key for key, each in self.config.items() if isinstance(each, Secret)]


class Deployment:
    """The old and the new resources of a running operation.

    A save contains all new resources in the order of completion, followed by the old ones without a successor
    (pkg/backend/snapshot.go). After a failed run, the next run continues from this state.
    """

    def __init__(
        self,
        settings: Settings,
        base: Iterable[Resource],
        *,
        provider: Callable[[], Provider],
        recorder: Recorder,
        save: Callable[[list[Resource]], None],
    ) -> None:
        self.settings = settings
        self.provider = provider
        self.recorder = recorder
        self.base = list(base)
        self.news: list[Resource] = []
        self.renamed: dict[str, str] = {}
        self.planning = threading.Lock()
        self._save = save
        self._done: set[Resource] = set()
        self._lock = threading.RLock()
        self._workers = threading.BoundedSemaphore(settings.parallel)
        self._running = 0
        self._idle = threading.Condition()
        self.halted = threading.Event()
        self.program_ended = threading.Event()
        self.stack_outputs: tuple[str, Properties] | None = None

    def olds(self) -> dict[str, Resource]:
        """The old resources by URN, without those that are pending deletion."""
        return {each.urn: each for each in self.base if not each.delete}

    def find(self, urn: str) -> Resource | None:
        """Return the newest resource with this URN that this operation has added."""
        with self._lock:
            return next((each for each in reversed(self.news) if each.urn == urn), None)

    def add(self, new: Resource) -> None:
        """Add a resource to the new state."""
        with self._lock:
            self.news.append(new)

    def drop(self, old: Resource) -> None:
        """Remove a resource that is deleted or has a successor from the state."""
        with self._lock:
            self._done.add(old)
            self.news = [each for each in self.news if each is not old]

    def rebase(self, base: Iterable[Resource]) -> None:
        """Replace the old resources, after a refresh."""
        with self._lock:
            self.base = list(base)
            self._done.clear()

    def resources(self) -> list[Resource]:
        """The current state."""
        with self._lock:
            return [*self.news, *(each for each in self.base if each not in self._done)]

    def save(self) -> None:
        """Write the state, unless this is a preview."""
        if not self.settings.preview:
            with self._lock:
                self._save([self._with_new_names(each) for each in self.resources()])

    def finish_stack_outputs(self) -> None:
        """Set the stack's outputs at the end.

        After a failure, outputs without a new value keep the old one, as the program may not have reached them
        (deploy/step_executor.go, executeRegisterResourceOutputs).
        """
        if self.stack_outputs is None:
            return
        urn, outputs = self.stack_outputs
        root = self.find(urn)
        if root is not None:
            root.outputs = outputs if self.recorder.result.ok else {**root.outputs, **outputs}

    @contextmanager
    def worker(self) -> Iterator[None]:
        """Wait for a worker slot; raise HaltedError after a failure."""
        with self._workers:
            with self._idle:
                self.check_running()
                self._running += 1
            try:
                yield
            finally:
                with self._idle:
                    self._running -= 1
                    self._idle.notify_all()

    def check_running(self) -> None:
        """Raise HaltedError after a failure."""
        if self.halted.is_set():
            raise HaltedError

    def halt(self) -> None:
        """Prevent new steps (deploy/step_executor.go: one failed step cancels the rest)."""
        with self._idle:
            self.halted.set()

    def wait_idle(self) -> None:
        """Wait for running steps, which are never interrupted."""
        with self._idle:
            self._idle.wait_for(lambda: self._running == 0)

    def _with_new_names(self, resource: Resource) -> Resource:
        if not self.renamed:
            return resource
        new = self.renamed
        return replace(
            resource,
            parent=new.get(resource.parent, resource.parent),
            dependencies=[new.get(urn, urn) for urn in resource.dependencies],
            property_dependencies={
                key: [new.get(urn, urn) for urn in urns_] for key, urns_ in resource.property_dependencies.items()
            },
            deleted_with=new.get(resource.deleted_with, resource.deleted_with),
            replace_with=[new.get(urn, urn) for urn in resource.replace_with],
        )

    def root(self) -> Resource | None:
        """The stack's own resource, new or old."""
        return next((each for each in self.resources() if each.type == urns.ROOT_TYPE), None)
