"""The sandbox's store in memory and in a file, and resets."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import httpx
import pytest

from clouddb_tools.sandbox import Clock, Sandbox, Settings
from clouddb_tools.sandbox.app import make_state
from clouddb_tools.sandbox.store import Store
from pulumi_clouddb.schema.vocabulary import VocabularyName

NOW = [1000.0]


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind."""
    NOW[0] = 1000.0
    made = Store(lambda: NOW[0], None if request.param == "memory" else str(tmp_path / "x"))
    yield made
    made.close()


def ids(store: Store, kind: str, parent: str | None = None) -> list[str]:
    """Return the ids of a kind, in the store's order."""
    return [id_ for id_, _ in store.items(kind, parent)]


def test_documents_are_read_by_kind_id_and_parent(store: Store) -> None:
    """The oldest comes first; a replaced document keeps its position and its parent."""
    for number, id_ in enumerate("cab"):
        NOW[0] = 1000.0 + number
        store.put("pipes", id_, {"n": number}, "one" if id_ != "b" else "two")
    store.put("keys", "a", {"n": 9})
    NOW[0] = 2000.0
    store.put("pipes", "c", {"n": 7}, "two")
    assert ids(store, "pipes") == ["c", "a", "b"]
    assert ids(store, "pipes", "one") == ["c", "a"]
    assert (store.get("pipes", "c"), store.get("pipes", "c", "two"), store.get("pipes", "x")) == ({"n": 7}, None, None)
    assert [store.created_at("pipes", id_) for id_ in "cab"] == [1000.0, 1001.0, 1002.0]
    assert store.counts() == {"pipes": 3, "keys": 1}
    assert store.all("pipes") == [{"n": 7}, {"n": 1}, {"n": 2}]


def test_documents_change_only_by_put(store: Store) -> None:
    """Changes of stored or returned documents do not change the store."""
    document = {"tags": ["a"]}
    store.put("services", "x", document)
    document["tags"].append("b")
    got = store.get("services", "x")
    assert got == {"tags": ["a"]}
    got["tags"].append("c")
    assert store.all("services") == [{"tags": ["a"]}]


def test_failed_transaction_changes_nothing(store: Store) -> None:
    """The order is unchanged, too; a failed outer transaction reverts an inner one."""
    for id_ in "abc":
        store.put("keys", id_, {"n": 1})

    def fail() -> None:
        with store.transaction():
            store.put("keys", "a", {"n": 2})
            with store.transaction():
                store.delete("keys", "b")
                store.put("services", "x", {})
            store.put("keys", "d", {})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert store.items("keys") == [("a", {"n": 1}), ("b", {"n": 1}), ("c", {"n": 1})]
    assert store.all("services") == []
    with store.transaction():
        store.put("keys", "d", {})
    assert ids(store, "keys") == ["a", "b", "c", "d"]


def test_children_are_deleted_with_their_parents(store: Store) -> None:
    """This is recursive, also for a child with the id of its parent. Deleting a missing document is not an error."""
    store.put("services", "s", {})
    store.put("passwords", "s", {}, "s")
    store.put("dashboards", "d", {}, "s")
    store.put("alerts", "a", {}, "d")
    store.put("dashboards", "other", {}, "t")
    store.delete_with_children("services", "s")
    assert store.counts() == {"dashboards": 1}
    store.delete("services", "s")
    store.delete("nothing", "s")
    assert store.counts() == {"dashboards": 1}


def test_cleared_store_is_empty(store: Store) -> None:
    """It can store documents again."""
    store.put("keys", "a", {})
    store.clear()
    assert (store.counts(), store.get("keys", "a")) == ({}, None)
    store.put("keys", "a", {})
    assert ids(store, "keys") == ["a"]


def test_file_has_the_same_content_as_memory(tmp_path: Path) -> None:
    """These are documents, parents and order, without the changes of a failed transaction."""
    path = str(tmp_path / "x")
    store = Store(path=path)
    for id_ in "cab":
        store.put("pipes", id_, {"name": "é", "n": [1, 2.5, None]}, "one")
    store.put("keys", "k", {})
    store.delete("pipes", "a")
    store.put("pipes", "c", {"n": 7}, "two")
    with suppress(ZeroDivisionError), store.transaction():
        store.clear()
        raise ZeroDivisionError
    with store.transaction():  # a document that is created again in one transaction comes last
        store.delete("pipes", "c")
        store.put("pipes", "c", {"n": 8}, "two")
    held = {kind: store.items(kind) for kind in ("pipes", "keys")}
    assert [id_ for id_, _ in held["pipes"]] == ["b", "c"]
    store.close()
    again = Store(path=path)
    assert {kind: again.items(kind) for kind in ("pipes", "keys")} == held
    assert (ids(again, "pipes", "two"), again.created_at("pipes", "b")) == (["c"], 0.0)
    with pytest.raises(OSError, match="x cannot be used as the sandbox's file: database is locked"):
        Store(path=path)
    again.close()


UNUSABLE: dict[str, tuple[str, str]] = {
    "text instead of a document": ("UPDATE objects SET document = '{'", "used as the sandbox's file: Expecting"),
    "a table of another program": (
        "ALTER TABLE objects RENAME COLUMN parent TO owner",
        "used as the sandbox's file: no such column: parent",
    ),
    "credentials of another version": (
        "UPDATE objects SET document = '{\"keyId\": \"x\"}' WHERE kind = 'identity'",
        "is from another version of the sandbox",
    ),
}


@pytest.mark.parametrize(("change", "error"), UNUSABLE.values(), ids=UNUSABLE)
def test_unusable_file_is_refused(tmp_path: Path, change: str, error: str) -> None:
    """The message names the file, which is not locked afterwards."""
    data = tmp_path / "sandbox.db"
    with Sandbox(vocabulary="neutral", data=data):
        pass
    with closing(sqlite3.connect(data)) as file:
        file.execute(change)
        file.commit()
    with pytest.raises(OSError, match=f"sandbox.db .*{error}"), Sandbox(vocabulary="neutral", data=data):
        pass
    with closing(sqlite3.connect(data, timeout=0)) as file:
        file.execute("DELETE FROM objects")


def test_only_regular_files_are_used(tmp_path: Path) -> None:
    """The mode of a device is not changed, as all users write to /dev/null."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe, 0o644)
    with pytest.raises(OSError, match="pipe cannot be used as the sandbox's file: it is not a regular file"):
        Store(path=str(pipe))
    assert pipe.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("existing", [False, True], ids=["new", "from an earlier version"])
def test_only_the_owner_can_read_the_file(tmp_path: Path, existing: bool) -> None:
    """This holds for the files of SQLite next to it, too: they contain credentials in plain text."""
    data = tmp_path / "sandbox.db"
    before = os.umask(0o022)
    try:
        if existing:
            with closing(sqlite3.connect(data)) as old:  # the files of a killed process remain
                old.execute("PRAGMA journal_mode=WAL")
                old.execute("CREATE TABLE other (x)")
                files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
            for name, content in files.items():
                (tmp_path / name).write_bytes(content)
            assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o644}
        with Sandbox(vocabulary="neutral", data=data) as sandbox:
            sandbox.add_key()
            modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert {"sandbox.db", "sandbox.db-wal"} <= modes.keys()
    assert set(modes.values()) == {0o600}


@pytest.mark.parametrize("where", ["memory", "file"])
def test_reset_clears_the_sandbox(tmp_path: Path, where: str) -> None:
    """Objects, faults, late requests, the log and the latency are reset; credentials and time are kept."""
    data = tmp_path / "sandbox.db" if where == "file" else None
    with Sandbox(vocabulary="neutral", data=data, rate_limit=True) as sandbox, sandbox.management() as http:
        new = {**sandbox.state(), "now": 0}
        sandbox.set_latency(provision=60)
        sandbox.add("services", name="orders")
        sandbox.add_key(name="ci")
        sandbox.fault("create_service", "commit_late", wait=0.01)
        with pytest.raises(httpx.TransportError):
            http.post("/services", json={"name": "late"})
        while http.get("/keys").status_code == 200:  # until the limit is exceeded
            pass
        sandbox.fault("create_service", "lose")
        sandbox.advance(3600)
        sandbox.reset()
        assert {**sandbox.state(), "now": 0} == new
        assert sandbox.faults() == []
        assert sandbox.requests == []
        assert http.get("/services").json()["result"] == []
        assert [key["name"] for key in http.get("/keys").json()["result"]] == ["Sandbox admin"]
        assert sandbox.state()["now"] > time.time() + 3500
        with sandbox.self_hosted() as hosted:
            assert [source["name"] for source in hosted.get("/sources").json()["data"]] == ["Logs", "Metrics"]


def test_reset_is_fast() -> None:
    """It takes well under a millisecond of CPU time, so that a simulation can run thousands of cases."""
    state = make_state(Settings(vocabulary=VocabularyName.NEUTRAL), Clock())
    state.reset()
    started = time.process_time()
    for _ in range(100):
        state.reset()
    assert (time.process_time() - started) / 100 < 0.001
