"""State of each release: today's code previews it without a change, updates it and destroys it.

See released/, which makes it, and data/state/README.md.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from lives.table import LIVES
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from released.entry import Entry, entries, urn_of
from released.restored import Restored

ALL = [*entries()]
ENTRIES = [each for each in ALL if each.step != "interrupted"]
INTERRUPTED = [each for each in ALL if each.step == "interrupted"]
MADE = {
    release: max(each.made for each in ALL if each.release == release) for release in {each.release for each in ALL}
}
"""When the state of a release was made: its servers are of that time, since invitations expire."""


@pytest.fixture
def restored(entry: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Restored:
    """Return the server of the entry."""
    server = Restored(entry.vocabulary, tmp_path, monkeypatch, MADE[entry.release] - time.time())
    server.restore(entry)
    return server


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
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


@pytest.mark.parametrize("entry", INTERRUPTED, ids=str)
def test_interrupted_create_of_a_release_is_found(entry: Entry, restored: Restored) -> None:
    """The record on the machine tells that the object may be its own: it is found or named, and no other is made."""
    resource, session = RESOURCES[entry.resource], restored.process().for_resource(urn_of(entry.resource))
    plural = resource.collection.plural()
    before = [each[1] for each in restored.objects() if each[0] == plural]
    checked = lifecycle.check(session, resource, entry.program)
    assert checked.failures == []
    try:
        id_, state = lifecycle.create(session, resource, checked.inputs)
    except ResourceError as error:
        assert "may exist already" in str(error)  # noqa: PT017
        id_, state = "", {}
    after = [each[1] for each in restored.objects() if each[0] == plural]
    assert after == before or not before
    if id_:
        lifecycle.delete(restored.process(), resource, id_, state)
        assert LIVES[entry.life].stays or restored.document(plural, id_.rpartition("/")[2]) is None


def test_state_of_each_resource_is_kept() -> None:
    """No resource is without state of a release, in each dialect that has it."""
    kept = {(each.resource, each.dialect) for each in ENTRIES}
    lives = {
        (life.name, dialect)
        for life in LIVES.values()
        for dialect in ([life.only.value] if life.only else ["neutral", "clickhouse"])
    }
    assert lives - kept == set()
