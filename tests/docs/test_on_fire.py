"""docs/on-fire.md: each fire is lit on the sandbox, and put out by the commands of the page with the real CLI."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from clouddb_tools.commands.export.statements import Step
from clouddb_tools.sandbox import Latency, Sandbox
from clouddb_tools.testing import Secret, stack_config
from support import in_a_service
from support.five import dynamic_program, native_program

pytestmark = pytest.mark.cli

PAGE = (Path(__file__).parents[2] / "docs" / "on-fire.md").read_text(encoding="utf-8")
CLOUD = "https://api.clickhouse.cloud"
ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{24}\b")

FENCED = re.compile(r"^```text\n(.*?)^```", re.DOTALL | re.MULTILINE)

ORDERS = 'clouddb.Service("orders", name="Orders", provider="aws", region="eu-central-1")'
REPORTS = (
    'clouddb.ApiKey("reports", name="Reports", roles=["query_endpoints"], expire_at="2030-01-01T00:00:00Z").key_secret'
)
ALERT = (
    'logs = clouddb.get_source_output(name="Logs")',
    'errors = clouddb.TileConfigArgs(display_type="line", source_id=logs.id,',
    '    select=[clouddb.SelectItemArgs(agg_fn="count", where="", where_language="lucene")])',
    'board = clouddb.Dashboard("overview", name="Shop",',
    '    tiles=[clouddb.TileArgs(key="errors", name="Errors per minute", config=errors)])',
    'chat = clouddb.Webhook("chat", name="Chat", service="generic", url="https://chat.example.com/hook")',
    'clouddb.Alert("errors", name="Too many errors", dashboard_id=board.id, tile_id=board.tile_ids["errors"],',
    '    threshold=100, threshold_type="above", interval="5m",',
    '    channel=clouddb.AlertChannelArgs(type="webhook", webhook_id=chat.id))',
)
HEAD = "import pulumi\nimport pulumi_clouddb as clouddb\n\n"


def section(title: str) -> tuple[list[str], list[str]]:
    """Return the commands and the outputs of a section of the page."""
    text = PAGE.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]
    outputs = FENCED.findall(text)
    return [line.strip() for line in FENCED.sub("", text).splitlines() if line.startswith("    ")], outputs


class Project:
    """A project `shop` with a stack `production`, in a folder with a backend of its own."""

    def __init__(self, folder: Path, sandbox: Sandbox) -> None:
        self.folder, self.sandbox = folder, sandbox
        self.environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PULUMI_PYTHON_CMD": sys.executable,
            "PULUMI_BACKEND_URL": (folder / "backend").as_uri(),
            "PULUMI_HOME": str(folder / "home"),
            "PULUMI_CONFIG_PASSPHRASE": "test",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "CLOUDDB_JOURNAL": str(folder / "journal"),
            "NO_COLOR": "1",
            "COLUMNS": "250",
        }
        (folder / "backend").mkdir()
        (folder / "Pulumi.yaml").write_text("name: shop\nruntime: python\n", encoding="utf-8")
        self.create("production")

    def create(self, stack: str) -> None:
        """Create and select a stack that uses the sandbox."""
        words = [
            f"--secret {name}={value.value}" if isinstance(value, Secret) else f"--plaintext {name}={value}"
            for name, value in stack_config(self.sandbox).items()
        ]
        self.run(f"pulumi stack init {stack} && pulumi config set-all {' '.join(words)}")

    def write(self, *lines: str) -> None:
        """Write the program."""
        (self.folder / "__main__.py").write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")

    def run(self, command: str, *, fails: bool = False) -> str:
        """Run a command of the page in a shell, without questions, and return what it prints."""
        command = command.replace(CLOUD, self.sandbox.url)
        done = subprocess.run(
            ["bash", "-c", command],  # noqa: S607
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert (done.returncode != 0) is fails, f"{command}\n{done.stdout}"
        return done.stdout

    def up(self) -> str:
        """Deploy the program."""
        return self.run("pulumi up --yes --skip-preview")


@pytest.fixture
def fire(tmp_path: Path) -> Iterator[Project]:
    """A project on a sandbox of the vendor's dialect."""
    with Sandbox(vocabulary="clickhouse", latency=Latency(provision=0.2, start=0.1, stop=0.1, delete=0.1)) as sandbox:
        yield Project(tmp_path, sandbox)


def assert_prints(expected: str, printed: str) -> None:
    """Find the lines of the page in an output, in their order; blanks, ids and durations are not compared."""
    rest = _plain(printed)
    for line in expected.splitlines():
        for part in _plain(line).split("…"):
            assert part.strip() in rest, f"{part!r} is not in\n{printed}"
            rest = rest.partition(part.strip())[2]


def _plain(text: str) -> str:
    return " ".join(re.sub(r"for \d+ s\b|sleep \d+", "for N s", ID.sub("ID", text)).split())


def eventually(condition: Callable[[], bool]) -> None:
    """Wait for something that another process does."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_leaked_key_of_the_program(fire: Project) -> None:
    """The old key is refused after one command, also on another machine than that of the run that created it.

    What somebody has changed meanwhile, perhaps for the same reason, stays.
    """
    (replace, *_), (replaced, *_) = section("A key has leaked")
    fire.write(ORDERS, f'pulumi.export("keySecret", {REPORTS})')
    fire.up()
    (leaked,) = [each["id"] for each in fire.sandbox.keys.values() if each["name"] == "Reports"]
    (service,) = fire.sandbox.services
    fire.sandbox.change("services", service, name="Orders, closed")
    fire.environment["CLOUDDB_JOURNAL"] = str(fire.folder / "another machine")
    assert_prints(replaced, fire.run(replace))
    (now,) = [each["id"] for each in fire.sandbox.keys.values() if each["name"] == "Reports"]
    assert now != leaked
    assert fire.sandbox.services[service]["name"] == "Orders, closed"
    assert "unchanged" in fire.run("pulumi preview --expect-no-changes")


def test_the_leaked_key_that_pulumi_runs_with(fire: Project) -> None:
    """It is disabled at once; until the next `up`, a refresh uses it although another one is configured."""
    (_, listing, disable, *then), (_, disabled, up) = section("A key has leaked")
    fire.write(ORDERS, f'pulumi.export("keySecret", {REPORTS})')
    fire.up()
    (leaked,) = [each for each in fire.sandbox.keys.values() if each["name"] == "Sandbox admin"]
    other = fire.sandbox.add_key(name="Deployer 2", roles=["admin"])
    fire.environment |= {
        "KEY_ID": other["keyId"],
        "KEY_SECRET": other["keySecret"],
        "ORGANIZATION_ID": fire.sandbox.organization_id,
        "LEAKED_ID": leaked["id"],
    }
    assert leaked["keySuffix"] in fire.run(listing)
    assert_prints(disabled, fire.run(disable))
    assert "Key is disabled" in fire.run("clouddb doctor --stack production", fails=True)
    *settings, deploy = then
    for each in settings:
        fire.run(each)
    assert "Key is disabled" in fire.run("pulumi refresh --yes --skip-preview", fails=True)
    assert_prints(up, fire.run(deploy))
    assert "unchanged" in fire.run("pulumi refresh --yes --skip-preview")
    assert "credentials: clouddb:baseUrl accepts" in fire.run("clouddb doctor --stack production")


def test_the_leaked_passphrase(fire: Project) -> None:
    """The old one decrypts only what was written before, whose secrets the last command makes worthless."""
    (change, _, replace), (changed, replaced) = section("Pulumi's passphrase or access token has leaked")
    outputs = ('pulumi.export("password", orders.password)', f'pulumi.export("keySecret", {REPORTS})')
    fire.write(f"orders = {ORDERS}", *outputs)
    fire.up()
    read = "pulumi stack output --show-secrets --json"
    leaked = json.loads(fire.run(read))
    fire.environment["NEW_PASSPHRASE"] = "another"
    assert_prints(changed, fire.run(change))
    assert "incorrect passphrase" in fire.run(read, fails=True)
    fire.environment["PULUMI_CONFIG_PASSPHRASE"] = "another"
    fire.write(f'orders = {ORDERS[:-1]}, password_rotation="2026-11")', *outputs)
    fire.environment["CLOUDDB_JOURNAL"] = str(fire.folder / "another machine")
    assert_prints(replaced, fire.run(replace))
    now = json.loads(fire.run(read))
    assert {name for name in leaked if now[name] == leaked[name]} == set()


def test_a_deleted_database(fire: Project) -> None:
    """The drift report changes nothing, and a backup becomes the service of the same program."""
    (drift, export, restore), (report, restored) = section("A database was deleted")
    fire.write(f'pulumi.export("serviceId", {ORDERS}.id)')
    fire.up()
    (lost,) = fire.sandbox.services
    backup = fire.sandbox.add_backup(lost)
    fire.run(f"curl -s -X DELETE {fire.sandbox.url}/_sandbox/services/{lost}")
    assert_prints(report, fire.run(drift, fails=True))
    assert fire.sandbox.services == {}
    fire.run(export)
    assert lost in (fire.folder / "state.json").read_text(encoding="utf-8")
    fire.write(f'pulumi.export("serviceId", {ORDERS[:-1]}, backup_id="{backup}").id)')
    assert_prints(restored, fire.run(restore))
    (request,) = [each for each in fire.sandbox.requests if each.operation == "create_service"][1:]
    assert isinstance(request.body, dict)
    assert request.body["backupId"] == backup
    assert lost not in fire.sandbox.services


@pytest.mark.parametrize("program", [dynamic_program, native_program], ids=["dynamic", "native"])
def test_a_deleted_database_with_everything_in_it(program: Callable[[list[Step]], str], fire: Project) -> None:
    """One object of each kind was in it: the report names them, and the same commands bring all of them back."""
    (drift, export, restore), _ = section("A database was deleted")
    service, *within = in_a_service.steps(fire.sandbox)
    assert {each.kind for each in within} == in_a_service.KINDS
    fire.write(program([service, *within]))
    fire.up()
    (lost,) = [each for each, record in fire.sandbox.services.items() if record["name"] == "Orders"]
    backup = fire.sandbox.add_backup(lost)
    fire.run(f"curl -s -X DELETE {fire.sandbox.url}/_sandbox/services/{lost}")
    report = fire.run(f"{drift}; echo exit $?")
    assert report.endswith("exit 6\n")
    gone = {each.kind for each in within} - {"PrivateEndpoint", "UdfAttachment"}  # objects of the organization stay
    assert gone == {each.kind for each in within if f"({each.kind})" in report}
    fire.run(export)
    fire.write(program([replace(service, properties={**service.properties, "backupId": backup}), *within]))
    fire.run(restore)
    assert lost not in fire.sandbox.services
    fire.run("pulumi preview --refresh --expect-no-changes")
    assert "none" in fire.run(drift)


def test_a_locked_stack(fire: Project) -> None:
    """A run is killed while it creates a service, and the next one on this machine adopts that."""
    (cancel, up), (locked, continued) = section("A stack is locked")
    fire.write(ORDERS)
    fire.sandbox.fault("create_service", "commit_then_hang")
    killed = subprocess.Popen(
        ["pulumi", "up", "--yes", "--skip-preview", "--non-interactive"],  # noqa: S607 - the CLI on PATH is meant
        cwd=fire.folder,
        env=fire.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        eventually(lambda: bool(fire.sandbox.services))
    finally:
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
    assert_prints(locked, fire.run("pulumi up --yes --skip-preview", fails=True))
    assert_prints(continued, fire.run(cancel) + fire.run(up))
    assert len(fire.sandbox.services) == 1
    assert fire.sandbox.count("create_service") == 1


def test_everything_returns_429(fire: Project) -> None:
    """Doctor says until when; then the same command succeeds, and nothing was carried out twice."""
    (doctor, up), (limited, succeeded) = section("Everything returns 429")
    fire.write(ORDERS)
    fire.up()
    fire.sandbox.fault("*", "rate_limit", seconds=6, reset=20)
    assert_prints(limited, fire.run(doctor, fails=True))
    eventually(lambda: "rejects further" not in fire.run(f"{doctor} || true"))
    assert_prints(succeeded, fire.run(up))
    assert fire.sandbox.count("create_service") == 1


def test_an_alert_that_nobody_can_find(fire: Project) -> None:
    """The link of a notification leads to the URN, and a silence on its page is no drift."""
    (find,), (found,) = section("An alert calls, and nobody knows where it is")
    fire.write(*ALERT)
    fire.up()
    (board,), (alert,) = fire.sandbox.dashboards.values(), fire.sandbox.alerts.values()
    link = find.replace("6717a3f2c0de5b0012ab34d1", board["id"]).replace(
        "6717a3f2c0de5b0012ab34d2", board["tiles"][0]["id"]
    )
    assert_prints(found, fire.run(link))
    silence = {"silenced": {"by": "ops@example.com", "at": "2026-11-27T03:00:00Z", "until": "2036-11-27T03:00:00Z"}}
    fire.sandbox.change("alerts", alert["id"], **silence)
    fire.run("pulumi preview --refresh --expect-no-changes")


def test_an_alert_that_does_not_fire(fire: Project) -> None:
    """Doctor shows the failed check, which the state of the alert does not."""
    (doctor,), (found,) = section("An alert does not fire")
    fire.write(*ALERT)
    fire.up()
    (alert,) = fire.sandbox.alerts.values()
    error = {
        "timestamp": "2026-11-27T08:00:00.000Z",
        "type": "QUERY_ERROR",
        "message": "Missing columns: 'Duration'",
    }
    fire.sandbox.change("alerts", alert["id"], executionErrors=[error])
    assert_prints(found, fire.run(f"{doctor} || true"))


def test_a_failed_service(fire: Project) -> None:
    """The error names the command that removes it, and the next run creates another one."""
    (up, destroy, again), (error, removed) = section("A service has failed")
    fire.write(ORDERS)
    fire.sandbox.fault("create_service", "failed")
    assert "the server reports that the service has failed" in fire.run(up)
    (failed,) = fire.sandbox.services
    printed = fire.run(up, fails=True)
    assert_prints(error, printed)
    assert destroy.split(" --yes")[0].replace("'", "") in " ".join(printed.split())
    assert_prints(removed, fire.run(destroy) + fire.run(again))
    (made,) = fire.sandbox.services
    assert made != failed
    assert fire.sandbox.services[made]["state"] == "running"
