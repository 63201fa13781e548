"""Pending creates in a bucket that machines share: its content, and what happens if it cannot be used."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.commands.doctor.pending import check_pending
from clouddb_tools.commands.doctor.situation import Situation
from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import ConfigError, ResourceError
from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.create.pending import PendingCreates
from pulumi_clouddb.create.pending_files import FOLDER_VARIABLE, folder_at
from pulumi_clouddb.schema.config import environment_name
from pulumi_clouddb.sdk._run_end import Registrations
from support.bucket import NAME, Bucket, bucket
from support.sessions import ProviderProcess, config_for

KEY = {"name": "ci", "roles": ["developer"]}
URN = "urn:pulumi:dev::shop::clouddb:index:ApiKey::ci"


@pytest.fixture(scope="module")
def shared() -> Iterator[Bucket]:
    """Run one server for all tests."""
    with bucket() as running, pytest.MonkeyPatch.context() as patch:
        for name, value in running.env.items():
            patch.setenv(name, value)
        yield running


def forget_connections(shared: Bucket) -> None:
    """Make fsspec read the environment again."""
    folder: Any = folder_at(shared.at(""))
    folder.fs.clear_instance_cache()


def process_at(sandbox: Sandbox, url: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> ProviderProcess:
    """Return a provider whose pending creates are at this address."""
    monkeypatch.setenv("PULUMI_HOME", str(home))
    return ProviderProcess(config_for(sandbox, requestTimeoutSeconds=2, retryTimeoutSeconds=0), folder_at(url))


def test_record_is_in_the_bucket_until_state_has_the_object(
    neutral_sandbox: Sandbox, shared: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the locks and the list of created objects are local; the end of a program's run settles the record, too."""
    url = shared.at("settled")
    process = process_at(neutral_sandbox, url, tmp_path, monkeypatch)
    object_id, _ = process.create("ApiKey", KEY, urn=URN)
    (text,) = shared.texts("settled")
    assert object_id in text
    assert neutral_sandbox.key_secret not in text
    local = {each.name for each in (tmp_path / "clouddb" / "pending-creates").iterdir()}
    assert local == {".locks", ".made"}
    registrations = Registrations(process.pending.folder, "tests")
    registrations.answered(URN, object_id)
    registrations.ended()
    assert shared.texts("settled") == []


def test_unreadable_bucket_stops_a_create(
    neutral_sandbox: Sandbox, shared: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An earlier machine may have created the object, so nothing is sent. The server rejects the credentials."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", neutral_sandbox.config["clouddb:stackUrl"])
    forget_connections(shared)
    process = process_at(neutral_sandbox, shared.at("unread"), tmp_path, monkeypatch)
    with pytest.raises(ResourceError, match=r"(?s)pending creates in s3://.* cannot be read: .*Check the folder or"):
        process.create("ApiKey", KEY, urn=URN)
    assert neutral_sandbox.count("create_key") == 0
    forget_connections(shared)


def test_doctor_lists_pending_creates_in_a_bucket(
    neutral_sandbox: Sandbox, shared: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reports a record of a deleted object with the command that removes it; that command works."""
    process = process_at(neutral_sandbox, shared.at("examined"), tmp_path, monkeypatch)
    object_id, _ = process.create("ApiKey", KEY, urn=URN)
    neutral_sandbox.remove("keys", object_id)
    monkeypatch.setenv(FOLDER_VARIABLE, str(process.pending.folder))
    situation = Situation(os.environ, "dev", neutral_sandbox.config)
    (finding,) = check_pending(situation)
    assert finding.code == "pending-gone"
    assert str(process.pending.folder) in finding.text
    _, *words = shlex.split(finding.command)
    subprocess.run([sys.executable, *words], check=True)
    (finding,) = check_pending(situation)
    situation.close()
    assert finding.text == f"no create is pending in {process.pending.folder}, by any machine that shares it"


@pytest.mark.parametrize("missing", ["upath", "gcsfs"])
def test_missing_library_is_named(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.setenv(FOLDER_VARIABLE, "gs://team/pending")
    with pytest.raises(ConfigError, match=r"(?s)CLOUDDB_JOURNAL cannot be used: .*install `pulumi-clouddb\[bucket\]`"):
        PendingCreates(None, Runtime(), print)


PROGRAM = """
import pulumi_clouddb as clouddb

clouddb.Dashboard("shop", name="Shop", tiles=[])
"""


class Machine:
    """A machine that runs the CLI: its own home, and the team's state and pending creates."""

    def __init__(self, sandbox: Sandbox, shared: Bucket, folder: Path) -> None:
        folder.mkdir()
        (folder / "Pulumi.yaml").write_text("name: shop\nruntime: python\n", encoding="utf-8")
        (folder / "__main__.py").write_text(PROGRAM, encoding="utf-8")
        config = {environment_name(name.removeprefix("clouddb:")): value for name, value in sandbox.config.items()}
        host = shared.address.removeprefix("http://")
        self.folder = folder
        self.env = {
            **os.environ,
            **config,
            "PULUMI_BACKEND_URL": f"s3://{NAME}/state?endpoint={host}&disableSSL=true&s3ForcePathStyle=true",
            "PULUMI_CONFIG_PASSPHRASE": "test",
            "PULUMI_HOME": str(folder / "home"),
            "PULUMI_PYTHON_CMD": sys.executable,
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            FOLDER_VARIABLE: shared.at("pending"),
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start a command of the CLI, in its own process group."""
        command = ["pulumi", *words, "--non-interactive", "--color", "never"]
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, *words: str) -> str:
        """Run a command, which must succeed, and return its output."""
        process = self.start(*words)
        printed, _ = process.communicate()
        assert process.returncode == 0, printed
        return printed


@pytest.mark.cli
def test_two_machines_share_a_stack(neutral_sandbox: Sandbox, shared: Bucket, tmp_path: Path) -> None:
    """State and pending creates are in one bucket: a machine that dies during a create loses and duplicates nothing."""
    first, second = (Machine(neutral_sandbox, shared, tmp_path / name) for name in ("first", "second"))
    first.run("stack", "init", "dev")
    neutral_sandbox.fault("self_hosted_create_dashboard", "commit_then_hang")
    killed = first.start("up", "--yes", "--skip-preview", "--stack", "dev")
    while not any(each.fault for each in neutral_sandbox.requests):
        assert killed.poll() is None, killed.communicate()[0]
        time.sleep(0.05)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    assert len(shared.texts("pending")) == 1

    second.run("stack", "select", "dev")
    refused = second.start("up", "--yes", "--skip-preview", "--stack", "dev")
    assert "the stack is currently locked" in refused.communicate()[0]
    second.run("cancel", "--yes", "--stack", "dev")
    second.run("up", "--yes", "--skip-preview", "--stack", "dev")
    assert len(neutral_sandbox.dashboards) == 1
    assert shared.texts("pending") == []
    assert "1 unchanged" in first.run("preview", "--stack", "dev").replace("2 unchanged", "1 unchanged")
    first.run("destroy", "--yes", "--skip-preview", "--stack", "dev")
    assert neutral_sandbox.dashboards == {}
