"""An organization that belongs to others: a run, a sweep and a killed run leave everything there as it was."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic.alias_generators import to_camel

from acceptance import guard
from acceptance.account import Kind, result_of
from acceptance.guard import Ledger
from acceptance.lives import subjects_of
from acceptance.needs import Needs
from acceptance.proxy import REFUSED
from acceptance.run import Connected, clean_up, connected, new_ledger, play, sweep
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.seed import KINDS
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.registry import COLLECTIONS, OPERATIONS
from pulumi_clouddb.schema.config import environment_name
from support.sessions import config_for

from .given import with_member

pytestmark = pytest.mark.beyond_the_description

ROOT = Path(__file__).parents[2]
KILLS = int(os.environ.get("KILLS", "4"))
MOST_WRITES = 60
"""Writes after which a run is killed, at most."""

LIVES = "^(key|role|member|organization settings|user-defined function|managed alert|private endpoint|service)$"
"""The lives of the runs that are killed: one of each kind of object, and all that change objects of others."""


def objects(sandbox: Sandbox) -> dict[str, Any]:
    """Return all objects, without the time at which a key was used last."""
    found = {kind: sandbox.objects(kind) for kind in KINDS}
    return {kind: {id_: {**each, "usedAt": None} for id_, each in some.items()} for kind, some in found.items()}


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return the objects that differ."""
    return [
        f"{kind} {id_}: {before[kind].get(id_)} -> {after[kind].get(id_)}"
        for kind in before
        for id_ in {**before[kind], **after[kind]}
        if before[kind].get(id_) != after[kind].get(id_)
    ]


def run_on(sandbox: Sandbox, kind: Kind, folder: Path, needs: Needs) -> Ledger:
    """Return the ledger of a new run."""
    return new_ledger(kind, config_for(sandbox), sandbox.organization_id, needs, folder)


def test_no_write_to_any_object_of_others_passes(strangers: Sandbox, tmp_path: Path) -> None:
    """The guard refuses each operation that writes, on each object of others of each kind."""
    config, before = config_for(strangers), objects(strangers)
    tried = 0
    for kind in Kind:
        with connected(kind, config, run_on(strangers, kind, tmp_path, Needs())) as connection:
            strangers.forget_requests()
            run = connection.ledger.run
            for method, path, within in writes(connection, strangers):
                for body in ({}, {"name": run.name("ours"), "tags": [run.tag]}) if within else ({},):
                    assert connection.account.raw(method, path, body).status_code == REFUSED
                    tried += 1
            assert [each for each in strangers.requests if each.method != "GET"] == []
    assert tried > 300
    assert differences(before, objects(strangers)) == []


def writes(connection: Connected, sandbox: Sandbox) -> Iterator[tuple[str, str, bool]]:
    """Yield every operation that writes, with paths of some objects of others of each kind.

    Each has method and path, and whether the path names an object of others: then no name makes the request pass.
    """
    account = connection.account
    server = ServerKind.MANAGEMENT if account.kind is Kind.CLOUD else ServerKind.SELF_HOSTED
    services = list(sandbox.services)[:2]
    others: dict[str, list[str]] = {}
    for collection in COLLECTIONS:
        if hasattr(collection, "id_part") and (ids := list(sandbox.objects(collection.plural()))):
            others.setdefault(to_camel(collection.id_part), [each.rpartition("/")[2] for each in ids])
    for operation in OPERATIONS.values():
        if operation.server_kind is not server or not operation.writes or operation.name in guard.CHANGE_NOTHING:
            continue
        for number in range(6):
            places = {name: ids[number % len(ids)] for name, ids in others.items()}
            places["serviceId"] = services[number % 2]
            with suppress(KeyError):
                within = {*re.findall(r"{(\w+)}", operation.path)} - {"organizationId"}
                yield operation.method, account.path(operation, **places), bool(within)


@pytest.mark.slow
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("kind", list(Kind), ids=lambda each: each.value)
def test_run_and_sweep_change_nothing_of_others(strangers: Sandbox, tmp_path: Path, kind: Kind) -> None:
    """All lives pass in an organization of others, and not one byte of theirs differs afterwards."""
    needs = with_member(strangers)
    before = objects(strangers)
    with connected(kind, config_for(strangers), run_on(strangers, kind, tmp_path, needs)) as connection:
        lives = play(connection, subjects_of(kind), needs, show=lambda _: None)
        assert clean_up(connection) == []
    assert list(sweep(kind, config_for(strangers), strangers.organization_id, tmp_path)) == []
    assert differences(before, objects(strangers)) == []
    assert [(each.subject.name, each.problems) for each in lives if not each.passed] == []


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_killed_runs_leave_nothing_after_a_sweep(strangers: Sandbox, tmp_path: Path) -> None:
    """A run that is killed at a random moment leaves nothing after a sweep, and everything of others is as before."""
    needs = with_member(strangers)
    file = tmp_path / "needs.yaml"
    file.write_text(yaml.safe_dump(needs.model_dump(exclude_unset=True)))
    before = objects(strangers)
    chance, left = random.Random(1), 0  # noqa: S311 - when to kill
    for number in range(KILLS):
        folder = tmp_path / str(number)
        folder.mkdir()
        killed_run(strangers, folder, file, writes=chance.randint(1, MOST_WRITES), wait=chance.uniform(0, 0.2))
        left += objects(strangers) != before
        ledgers = folder / ".cache" / "clouddb-acceptance"
        lines = list(sweep(Kind.CLOUD, config_for(strangers), strangers.organization_id, ledgers))
        assert [each for each in lines if ": not " in each] == []
        assert (number, differences(before, objects(strangers))) == (number, [])
        assert list(ledgers.glob("*.jsonl")) == []
    assert left > KILLS / 2  # most of them had left something


def killed_run(sandbox: Sandbox, folder: Path, needs: Path, *, writes: int, wait: float) -> None:
    """Start a run in its own process group, and kill the group after a number of writes and some seconds."""
    sandbox.forget_requests()
    paths = [ROOT / each for each in ("tests", "tests/provider", "tests/tools", "tools")]
    env = {
        **os.environ,
        **{environment_name(name.removeprefix("clouddb:")): value for name, value in sandbox.config.items()},
        "ACCEPTANCE_ORGANIZATION": sandbox.organization_id,
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "TMPDIR": str(folder),
        "HOME": str(folder),
    }
    command = [sys.executable, "-m", "acceptance", "--yes", "--needs", str(needs), "--only", LIVES]
    with (folder / "output").open("w") as output:
        run = subprocess.Popen(command, cwd=folder, env=env, stdout=output, stderr=output, start_new_session=True)
        while run.poll() is None and sum(each.method != "GET" for each in sandbox.requests) < writes:
            time.sleep(0.05)
        time.sleep(wait)
        with suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    assert run.returncode == -signal.SIGKILL, (folder / "output").read_text()
    end_front_ends(folder)


def end_front_ends(folder: Path) -> None:
    """Kill the front ends of a killed run, which have sessions of their own: they work in its folder."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "cwd").readlink().is_relative_to(folder):
                os.kill(int(process.name), signal.SIGKILL)


def test_guard_is_what_protects_others(strangers: Sandbox, tmp_path: Path) -> None:
    """Without a token that marks its objects, a request is refused; with it, the object is the run's and is swept."""
    config, before = config_for(strangers), objects(strangers)
    with connected(Kind.CLOUD, config, run_on(strangers, Kind.CLOUD, tmp_path, Needs())) as connection:
        account = connection.account
        path = account.path(OPERATIONS["create_key"])
        assert not account.raw("POST", path, {"name": "theirs", "roles": ["developer"]}).is_success
        made = result_of(account.raw("POST", path, {"name": account.run.name("ours"), "roles": ["developer"]}))
        assert made["key"]["id"] in strangers.keys
        assert clean_up(connection) == []
    assert differences(before, objects(strangers)) == []
