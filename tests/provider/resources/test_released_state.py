"""State of each release: today's code previews it without a change, updates it and destroys it.

See released/, which makes it, and data/state/README.md.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import SandboxControl, remote
from clouddb_tools.sandbox.settings import Clock, Settings
from lives.table import LIVES
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from released.entry import Entry, entries
from support.memory import MemorySandbox
from support.sessions import ProviderProcess, config_of

ENTRIES = [*entries()]


class Restored(httpx.BaseTransport):
    """A sandbox with the objects of an entry, and processes that use it; `requests` has what they sent."""

    def __init__(self, entry: Entry, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self._sandbox, self._folder = MemorySandbox(Settings(vocabulary=entry.vocabulary), Clock()), folder
        state = self._sandbox.state
        state.identity = replace(state.identity, organizationId=entry.organization)
        for kind, id_, parent, document in entry.objects:
            state.store.put(kind, id_, document, parent)
        self.requests: list[str] = []
        patch.setattr(remote, "_client", lambda url, **more: httpx.Client(base_url=url, transport=self, **more))
        control: Any = SandboxControl("http://127.0.0.1")
        self._config = config_of(**{name.partition(":")[2]: each for name, each in control.config.items()})

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Respond to a request."""
        self.requests.append(f"{request.method} {request.url.path}")
        response = self._sandbox.request(request.method, request.url.path, request.headers, request.read())
        return httpx.Response(response.status_code, headers=dict(response.headers), content=bytes(response.body))

    def process(self) -> ProviderProcess:
        """Return the process of a new command."""
        return ProviderProcess(self._config, self._folder, sleep=lambda _: None, transport=self)

    def document(self, kind: str, id_: str) -> dict[str, Any] | None:
        """Return an object of the server."""
        return self._sandbox.state.store.get(kind, id_)


@pytest.fixture(params=ENTRIES, ids=str)
def entry(request: pytest.FixtureRequest) -> Entry:
    """Return each entry."""
    found: Entry = request.param
    return found


@pytest.fixture
def restored(entry: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Restored:
    """Return the server of the entry."""
    return Restored(entry, tmp_path, monkeypatch)


def test_released_state_lives_on(entry: Entry, restored: Restored) -> None:
    """Its program is unchanged, and nothing is sent or warned of; then it is refreshed, updated and destroyed."""
    resource, process = RESOURCES[entry.resource], restored.process()
    restored.requests.clear()
    checked = lifecycle.check(process, resource, entry.program, old=entry.inputs)
    assert (checked.failures, process.warnings) == ([], [])
    assert lifecycle.diff(process, resource, entry.id, entry.outputs, checked.inputs).changed == ()
    assert restored.requests == []

    process = restored.process()
    found_id, found = lifecycle.read(process, resource, entry.id, entry.outputs, checked.inputs)
    assert found is not None
    assert found_id == entry.id
    assert lifecycle.diff(process, resource, entry.id, found.state, checked.inputs).changed == ()

    process = restored.process()
    changed = lifecycle.check(process, resource, entry.next, old=checked.inputs)
    difference = lifecycle.diff(process, resource, entry.id, entry.outputs, changed.inputs)
    assert bool(difference.changed) is (entry.step == "created")
    state = entry.outputs
    if difference.changed:
        state = lifecycle.update(process, resource, entry.id, entry.outputs, changed.inputs)
    lifecycle.delete(restored.process(), resource, entry.id, state)
    own = entry.id.rpartition("/")[2]
    assert LIVES[entry.life].stays or restored.document(resource.collection.plural(), own) is None


def test_state_of_each_resource_is_kept() -> None:
    """No resource is without state of a release, in each dialect that has it."""
    kept = {(each.resource, each.dialect) for each in ENTRIES}
    lives = {
        (life.name, dialect)
        for life in LIVES.values()
        for dialect in ([life.only.value] if life.only else ["neutral", "clickhouse"])
    }
    assert lives - kept == set()
