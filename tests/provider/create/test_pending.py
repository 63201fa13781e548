"""Pending creates: what a record contains, when it is removed, and what happens if it cannot be written or read."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import CloudDBError, ResourceError
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.create.locks import MachineLocks
from pulumi_clouddb.create.pending import digest_of_state
from pulumi_clouddb.create.pending_files import FOLDER_VARIABLE, backend, default_folder, file_name
from pulumi_clouddb.create.session import account_of
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.sdk._run_end import Registrations
from support.sessions import ProviderProcess, config_for

KEY = {"name": "ci", "roles": ["developer"]}
URN = "urn:pulumi:dev::shop::clouddb:index:ApiKey::ci"
OTHER_URN = "urn:pulumi:dev::shop::clouddb:index:ApiKey::other"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """Run one sandbox for all tests."""
    with Sandbox(vocabulary="neutral") as running:
        yield running


@pytest.fixture
def process(sandbox: Sandbox, tmp_path: Path) -> ProviderProcess:
    """Return a session with its own folder."""
    return ProviderProcess(config_for(sandbox, requestTimeoutSeconds=2, retryTimeoutSeconds=0), tmp_path)


def records(process: ProviderProcess) -> list[Path]:
    """Return the record files in the folder."""
    return [each for each in process.pending.folder.iterdir() if not each.name.startswith(".")]


# -- when a create is no longer pending ----------------------------------------------------------------------------


def test_returned_create_is_still_pending(process: ProviderProcess) -> None:
    """The engine may die before it writes state."""
    object_id, _ = process.create("ApiKey", KEY, urn=URN)
    (record,) = records(process)
    assert json.loads(record.read_text())["id"] == object_id
    assert record.name == file_name("tests", URN, account_of(process.config, ServerKind.MANAGEMENT))


def test_call_with_the_id_settles_a_create(process: ProviderProcess) -> None:
    """Diff, read, update and delete each prove that state contains the object."""
    handler = RESOURCES["ApiKey"]
    for call in ("diff", "read", "update", "delete"):
        object_id, state = process.create("ApiKey", KEY, urn=URN)
        session = ProviderProcess(process.config, process.pending.folder.parent).for_resource(URN)  # of the next run
        if call == "diff":
            lifecycle.diff(session, handler, object_id, state, KEY)
        elif call == "read":
            lifecycle.read(session, handler, object_id, state, {})
        elif call == "update":
            lifecycle.update(session, handler, object_id, state, KEY)
        else:
            lifecycle.delete(session, handler, object_id, state)
        assert records(process) == [], call


def test_call_of_another_resource_settles_nothing(process: ProviderProcess) -> None:
    """The state of another resource may contain the same object; that does not prove it for this one."""
    object_id, state = process.create("ApiKey", KEY, urn=URN)
    lifecycle.diff(process.for_resource(OTHER_URN), RESOURCES["ApiKey"], object_id, state, KEY)
    assert len(records(process)) == 1


@pytest.mark.parametrize(("urn", "left"), [(URN, 0), (OTHER_URN, 1), ("", 1)], ids=["this", "another", "unknown"])
def test_object_that_a_refusal_has_named_settles_its_own_create(
    process: ProviderProcess, sandbox: Sandbox, urn: str, left: int
) -> None:
    """A call of any other resource, or of one that is not known, may be about an object that was there before."""
    sandbox.fault("create_key", "commit_then_status", status=400)
    with pytest.raises(ResourceError, match="nothing proves"):
        process.create("ApiKey", KEY, urn=URN)
    (record,) = records(process)
    (named,) = json.loads(record.read_text())["doubtful"]
    next_run = ProviderProcess(process.config, process.pending.folder.parent)
    next_run.pending.finish(named, urn)
    assert len(records(process)) == left


def test_create_that_begins_again_replaces_the_same_object(process: ProviderProcess) -> None:
    """Its first object is gone. The engine still has the state of the replaced one, which may have the same id."""
    with process.pending.open(process.scope, URN, account_of(process.config, ServerKind.MANAGEMENT), 0.0) as entry:
        entry.record.replaces = digest_of_state(URN, KEY)
        entry.forget()
        entry.write()
    next_run = ProviderProcess(process.config, process.pending.folder.parent)
    assert next_run.pending.is_replaced(URN, KEY)


def test_call_under_an_alias_settles_a_create(process: ProviderProcess) -> None:
    """State, like the record, has the old name of a renamed resource."""
    object_id, state = process.create("ApiKey", KEY, urn=URN)
    lifecycle.diff(process.for_resource(OTHER_URN), RESOURCES["ApiKey"], object_id, state, KEY, stored_urn=URN)
    assert records(process) == []


REGISTERED: dict[str, tuple[str, str | None, dict[str, str], int]] = {
    "this resource": (URN, None, {}, 0),
    "another resource": (OTHER_URN, None, {}, 1),
    "another object": (URN, "another id", {}, 1),
    "state is written later": (URN, None, {"PULUMI_SKIP_CHECKPOINTS": "true"}, 1),
}


@pytest.mark.parametrize(("urn", "other_id", "environment", "left"), REGISTERED.values(), ids=REGISTERED)
def test_end_of_a_program_settles_registered_resources(
    process: ProviderProcess,
    monkeypatch: pytest.MonkeyPatch,
    urn: str,
    other_id: str | None,
    environment: dict[str, str],
    left: int,
) -> None:
    """A registration alone proves nothing: after a second Ctrl-C the engine responds, too, without writing state."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    process.scope = backend()
    object_id, _ = process.create("ApiKey", KEY, urn=URN)
    registrations = Registrations(process.pending.folder)
    registrations.answered(urn, other_id or object_id)
    assert len(records(process)) == 1
    registrations.ended()
    assert len(records(process)) == left


BACKENDS = {
    "login": ("credentials.json", '{{"current": "s3://{}"}}'),
    "project": ("Pulumi.yaml", "backend: {{url: 's3://{}'}}"),
}


@pytest.mark.parametrize(("file", "text"), BACKENDS.values(), ids=BACKENDS)
def test_stacks_in_two_backends_have_separate_records(
    process: ProviderProcess, file: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one record for both, the second stack would adopt the service and reset its password."""
    monkeypatch.delenv("PULUMI_BACKEND_URL", raising=False)
    monkeypatch.setenv("PULUMI_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    has_record: list[bool] = []
    for name in ("first", "second", "first"):
        (tmp_path / file).write_text(text.format(name))
        process.scope = backend()
        if not has_record:
            process.create("ApiKey", KEY, urn=URN)
        has_record.append(process.pending.has(process.scope, URN, account_of(process.config, ServerKind.MANAGEMENT)))
    assert has_record == [True, False, True]


def test_end_of_a_plugin_settles_returned_creates(process: ProviderProcess) -> None:
    """It does so after a normal run; see tests/provider/engine/test_plugin_waits.py."""
    process.create("ApiKey", KEY, urn=URN)
    process.pending.run_ended()
    assert records(process) == []


def test_create_without_an_engine_stays_pending(process: ProviderProcess) -> None:
    """A create that ends after its engine has gone does not reach state."""
    process.engine_is_connected = lambda: False
    process.create("ApiKey", KEY, urn=URN)
    process.pending.run_ended()
    assert len(records(process)) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 409, 422])
def test_refused_create_is_not_pending(process: ProviderProcess, sandbox: Sandbox, status: int) -> None:
    """The server has created nothing."""
    sandbox.fault("create_key", "status", status=status)
    with pytest.raises(CloudDBError):
        process.create("ApiKey", KEY, urn=URN)
    assert records(process) == []


def test_unsent_create_is_not_pending(tmp_path: Path) -> None:
    """The connection to the address is refused."""
    config = {"baseUrl": "http://127.0.0.1:9", "retryTimeoutSeconds": 0}
    with Sandbox(vocabulary="neutral") as gone:
        process = ProviderProcess(config_for(gone, **config), tmp_path)
    with pytest.raises(CloudDBError):
        process.create("ApiKey", KEY, urn=URN)
    assert not process.pending.folder.exists() or records(process) == []


def test_created_ids_are_kept_for_a_day(process: ProviderProcess) -> None:
    """They are kept after the create is settled, so that no other stack adopts the object; bad lines are skipped."""
    object_id, state = process.create("ApiKey", KEY, urn=URN)
    lifecycle.diff(process.for_resource(URN), RESOURCES["ApiKey"], object_id, state, KEY)
    assert process.pending.made_here() == {object_id}
    with (process.pending.folder / ".made").open("a") as file:
        file.write("half a li\n\n12 old\n")
    assert process.pending.made_here() == {object_id}


# -- folders and files that cannot be used -----------------------------------------------------------------------------


def test_unwritable_folder_causes_one_warning(process: ProviderProcess, sandbox: Sandbox, tmp_path: Path) -> None:
    """Creates continue without a record."""
    (tmp_path / "pending").write_text("a file")
    for number in range(2):
        object_id, _ = process.create("ApiKey", KEY, urn=f"{URN}{number}")
        assert object_id in sandbox.keys
    (warning,) = process.warnings
    assert str(tmp_path / "pending") in warning
    assert "CLOUDDB_JOURNAL" in warning
    assert warning.count("\n") <= 1


def test_tilde_is_expanded_to_the_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """A workflow file passes it unexpanded, unlike a shell; a folder named `~` would differ from step to step."""
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setenv(FOLDER_VARIABLE, "~/records")
    assert default_folder() == Path("/home/ada/records")
    monkeypatch.setenv(FOLDER_VARIABLE, "~nobody-of-this-name/records")
    with pytest.raises(OSError, match="home directory"):
        default_folder()


def test_full_disk_causes_a_warning(process: ProviderProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder exists, but the record cannot be written."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    process.create("ApiKey", KEY, urn=URN)
    assert "No space left on device" in process.warnings[0]


BROKEN = {
    "truncated": b'{"urn": "u',
    "another form": b'{"known": null}',
    "a number": b"5",
    "empty": b"",
    "not UTF-8": b"\xff\xfe\x00",
    "deeply nested": b"[" * 100_000,
    "wrong types": b'{"urn": 1, "nonce": "n"}',
    "an unknown member": b'{"urn": "u", "nonce": "n", "more": 1}',
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_broken_record_is_an_error(process: ProviderProcess, sandbox: Sandbox, content: bytes) -> None:
    """The create may have made an object, so nothing is created; after the file is deleted, a create succeeds."""
    path = process.pending.folder / file_name(process.scope, URN, account_of(process.config, ServerKind.MANAGEMENT))
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    before = sandbox.count("create_key")
    with pytest.raises(ResourceError) as refused:
        process.create("ApiKey", KEY, urn=URN)
    assert str(refused.value) == (
        f"the record of an interrupted create, {path}, cannot be read: it is not a record of this provider\n"
        "Check the server for the object of that create, and import or delete it. "
        "Then delete the file and run again."
    )
    assert sandbox.count("create_key") == before
    path.unlink()
    process.create("ApiKey", KEY, urn=URN)


def test_broken_record_of_another_resource_is_ignored(process: ProviderProcess) -> None:
    """Only the record of the same create is read."""
    process.pending.folder.mkdir(parents=True)
    (process.pending.folder / "other.json").write_text("{")
    object_id, state = process.create("ApiKey", KEY, urn=URN)
    lifecycle.diff(process.for_resource(URN), RESOURCES["ApiKey"], object_id, state, KEY)


def test_temporary_file_of_a_dead_process_is_replaced(process: ProviderProcess) -> None:
    """A process that dies while it writes leaves the file behind."""
    path = process.pending.folder / file_name(process.scope, URN, account_of(process.config, ServerKind.MANAGEMENT))
    path.parent.mkdir(parents=True)
    path.with_suffix(".new").write_text('{"half')
    object_id, state = process.create("ApiKey", KEY, urn=URN)
    lifecycle.diff(process.for_resource(URN), RESOURCES["ApiKey"], object_id, state, KEY)
    assert records(process) == []


def test_temporary_file_is_removed_with_its_record(process: ProviderProcess) -> None:
    """A process that dies while it rewrites a record leaves both files behind."""
    object_id, state = process.create("ApiKey", KEY, urn=URN)
    (path,) = records(process)
    path.with_suffix(".new").write_text('{"half')
    lifecycle.diff(process.for_resource(URN), RESOURCES["ApiKey"], object_id, state, KEY)
    assert records(process) == []


# -- locks -------------------------------------------------------------------------------------------------------------

HOLDER = """
import sys, time
from pathlib import Path
from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.create.locks import MachineLocks
assert MachineLocks(Path(sys.argv[1]), Runtime()).acquire(sys.argv[2], 0.0)
print("held", flush=True)
time.sleep(600)
"""


def test_lock_ends_with_its_process(tmp_path: Path) -> None:
    """Another process holds the lock until SIGKILL ends it."""
    locks = MachineLocks(tmp_path, Runtime())
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path), "name"], stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"held\n"
        assert not locks.acquire("name", 0.1)
        assert locks.acquire("another name", 0.0)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert locks.acquire("name", 10.0)


def test_lock_excludes_other_threads(tmp_path: Path) -> None:
    """It also works for two sessions of one process that use the same folder."""
    first, second = MachineLocks(tmp_path, Runtime()), MachineLocks(tmp_path, Runtime())
    with first.hold("name"):
        assert not second.acquire("name", 0.0)
    assert second.acquire("name", 0.0)
    second.release("name")


def test_concurrent_create_of_another_process_is_awaited(sandbox: Sandbox, tmp_path: Path) -> None:
    """An interrupted run may not have ended yet: the next one waits, then raises."""
    slept: list[float] = []
    began = time.monotonic()

    class Fast(Runtime):
        def monotonic(self) -> float:
            return super().monotonic() + sum(slept)

    def sleep(seconds: float) -> None:
        slept.append(seconds)

    process = ProviderProcess(config_for(sandbox), tmp_path)
    process.pending.locks._runtime = Fast(sleep)
    path = process.pending.folder / file_name(process.scope, URN, account_of(process.config, ServerKind.MANAGEMENT))
    command = [sys.executable, "-c", HOLDER, str(process.pending.folder), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        holder.stdout.readline()
        with pytest.raises(ResourceError) as refused:
            process.create("ApiKey", KEY, urn=URN)
        assert str(refused.value) == (
            f"{URN}: another process on this machine is still creating it\n"
            "Wait until the other `pulumi up` has ended, or end it, then run again."
        )
        holder.kill()
        holder.wait()
        process.create("ApiKey", KEY, urn=URN)
    assert sum(slept) >= 30
    assert time.monotonic() - began < 60


def test_only_the_owner_can_read_the_folder(process: ProviderProcess) -> None:
    """Records, the list of created objects and the locks name objects of the account; records contain no secrets."""
    process.create("ApiKey", KEY, urn=URN)
    files = [each for each in process.pending.folder.iterdir() if each.is_file()]
    assert {".made", ".locks"} < {each.name for each in files}
    assert {stat.S_IMODE(each.stat().st_mode) for each in files} == {0o600}
    assert not [each for each in files if str(process.config.key_secret) in each.read_text()]
