"""Secrets with the real CLI: values that a program marks, and credentials in plain text in the configuration.

The tests search all output of a run: terminal, reports, event log, plan, manifest and state.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic.alias_generators import to_snake

from clouddb_tools.commands.gitops.exit_codes import ExitCode
from clouddb_tools.commands.gitops.plan_manifest import manifest_file
from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.config import CREDENTIALS
from pulumi_clouddb.schema.secrets.spellings import spellings_of
from support.checkout import STACK, Checkout
from support.refused import CANARY, depths_of, inputs_of, shown_in

pytestmark = [pytest.mark.cli, pytest.mark.first]
REPORTS = ("--report-json", "report.json", "--report-markdown", "report.md")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A server for all tests."""
    with Sandbox(vocabulary="clickhouse") as server:
        yield server


@pytest.fixture(scope="module")
def shop(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout whose configuration has the credentials as secrets."""
    return Checkout(tmp_path_factory.mktemp("shop"), sandbox)


def output_of(checkout: Checkout, printed: str) -> dict[str, str]:
    """Return the texts of all files that runs wrote, and the output of the last one."""
    files = [*checkout.folder.rglob("*.json"), *checkout.folder.rglob("*.md"), *checkout.base.glob("backend/**/*")]
    read = [file for file in files if file.is_file() and file.name != "secret.json"]
    return {"terminal": printed, **{str(file): file.read_text(encoding="utf-8") for file in read}}


# -- secrets of a program ----------------------------------------------------------------------------------------------


SECRET = """
import json
import pulumi
import pulumi_clouddb as clouddb

secret = json.load(open("secret.json"))"""


class Marked:
    """A secret in the text of a program, by reference: Python prints lines of the program."""

    def __repr__(self) -> str:
        return "pulumi.Output.secret(secret)"


def invalid(kind: str, *, native: bool) -> str:
    """Return a program with an invalid secret in each property of a resource, at the deepest level."""
    inputs: dict[str, Any] = {}
    for depth in depths_of(RESOURCES[kind].type.inputs):
        inputs |= inputs_of(RESOURCES[kind].type.inputs, depth, lambda _: Marked())
    if native:
        declared = f"pulumi.CustomResource('clouddb:index:{kind}', 'wrong', {inputs!r})"
    else:
        declared = f"clouddb.{kind}('wrong', **{ {to_snake(name): value for name, value in inputs.items()}!r})"
    return (
        f"import json, pulumi\nimport pulumi_clouddb as clouddb\nsecret = json.load(open('secret.json'))\n{declared}\n"
    )


@pytest.mark.parametrize("native", [False, True], ids=["dynamic", "native"])
@pytest.mark.parametrize("kind", ["Service", "Dashboard", "Webhook"])
def test_invalid_secrets_are_not_shown(kind: str, native: bool, shop: Checkout) -> None:
    """Pulumi and `clouddb ci` report properties and rules; none of their output contains a value."""
    (shop.folder / "secret.json").write_text(json.dumps(CANARY), encoding="utf-8")
    shop.write(invalid(kind, native=native))
    done = shop.ci("preview", "--stack", STACK, "--save-plan", "plan/plan.json", *REPORTS)
    assert done.returncode == ExitCode.FAILED
    assert re.search(rf"{kind} resource 'wrong' has a problem: \S+ must ", done.stdout)
    log = ("--event-log", "plan/events.json", "--json", "--diff")
    planned = shop.pulumi_fails("preview", "--stack", STACK, *log, PULUMI_DEBUG_COMMANDS="true")
    applied = shop.pulumi_fails("up", "--yes", "--skip-preview", "--stack", STACK)
    assert " has a problem: " in planned
    assert " has a problem: " in applied
    assert "has a problem" in (shop.folder / "plan" / "events.json").read_text(encoding="utf-8")
    output = output_of(shop, done.stdout + done.stderr + planned + applied)
    assert {place: found for place, text in output.items() if (found := shown_in(text))} == {}


PRINTS = f"""{SECRET}
config = pulumi.Config()
pulumi.log.warn("name: " + secret["name"] + " or " + json.dumps(secret["name"]))
pulumi.log.warn("password: " + json.dumps(config.require_object("database")["password"]))
pin = config.require_float("pin")
pulumi.log.warn("pin: " + format(pin, ".7e") + " or " + format(pin, ",.0f"))
clouddb.Service("orders", name=pulumi.Output.secret(secret["name"]), provider="aws", region="us-east-1")
"""


def test_report_masks_secrets_that_a_program_prints(shop: Checkout) -> None:
    """Marked inputs in the first preview, and secret configuration, including parts of objects and numbers."""
    secret = {"name": 'Orders "hunter10"', "password": 'pa"ss-w0rd\\', "pin": "48151623"}
    (shop.folder / "secret.json").write_text(json.dumps(secret), encoding="utf-8")
    shop.pulumi("config", "set", "--secret", "--path", "database.password", "--stack", STACK, text=secret["password"])
    shop.pulumi("config", "set", "--secret", "pin", "--stack", STACK, text=secret["pin"])
    shop.write(PRINTS)
    done = shop.ci("preview", "--stack", STACK, *REPORTS)
    assert done.returncode == ExitCode.OK, done.stderr
    assert "pin: [secret] or [secret]" in done.stdout
    texts = [done.stdout, done.stderr, *((shop.folder / file).read_text(encoding="utf-8") for file in REPORTS[1::2])]
    for name, value in secret.items():
        spellings = [each for each in spellings_of(value) if len(each) > 5]
        assert [each for each in spellings for text in texts if each in text] == [], name


CHANGES = """
import os
import pulumi
import pulumi_clouddb as clouddb

name = pulumi.Output.secret(os.environ["SHOP_NAME"])
clouddb.Dashboard("orders", name=name, tiles=[])
"""


def test_step_that_differs_from_the_plan_shows_no_secret(shop: Checkout) -> None:
    """Pulumi itself prints the planned and the current value."""
    shop.write(CHANGES)
    plan = shop.folder / "plan" / "plan.json"
    done = shop.ci("preview", "--stack", STACK, "--save-plan", str(plan), SHOP_NAME="planned-hunter10")
    assert done.returncode == ExitCode.OK, done.stdout
    done = shop.ci("apply", "--stack", STACK, "--plan", str(plan), *REPORTS, SHOP_NAME="another-hunter11")
    assert done.returncode == ExitCode.MOVED
    assert "violates plan" in done.stdout
    output = output_of(shop, done.stdout + done.stderr)
    assert {place for place, text in output.items() if "hunter1" in text} == set()


def test_changed_secret_is_listed_with_other_changes(shop: Checkout) -> None:
    """The engine compares masked values; the plan has the changed inputs."""
    for tag in ("one", "two"):
        shop.write(CHANGES.replace("tiles=[]", f"tags=['{tag}'], tiles=[]"))
        name, plan = {"SHOP_NAME": f"{tag}-hunter10"}, shop.folder / "plan" / "plan.json"
        done = [shop.ci("preview", "--stack", STACK, "--save-plan", str(plan), **name)]
        done.append(shop.ci("preview", "--stack", STACK, **name))
        done.append(shop.ci("apply", "--stack", STACK, "--plan", str(plan), **name))
        assert [each.returncode for each in done] == [ExitCode.OK] * 3
    for each in done:
        assert "    name: [secret] → [secret]\n    tags[0]: one → two\n" in each.stdout.replace('"', "")


# -- credentials in plain text -----------------------------------------------------------------------------------------

BOARD = """
import pulumi_clouddb as clouddb

clouddb.Dashboard("orders", name="Orders", tiles=[])
clouddb.ApiKey("reports", name="Reports", roles=["developer"])
"""
IN_CLEAR = r"clouddb:\w+ is in plain text in the configuration of stack production"


def test_credentials_in_plain_text_are_reported(sandbox: Sandbox, tmp_path: Path) -> None:
    """Every command warns, and no plan is saved; after the advised commands, no file contains the new credentials."""
    checkout = Checkout(tmp_path, sandbox, BOARD)
    plan = checkout.folder / "plan" / "plan.json"
    save = ("preview", "--stack", STACK, "--save-plan", str(plan), *REPORTS)
    old = {key: sandbox.config[key] for key in CREDENTIALS}
    assert checkout.ci(*save).returncode == ExitCode.OK
    assert {oct(file.stat().st_mode)[-3:] for file in (plan, manifest_file(plan))} == {"600"}
    for key, value in old.items():
        checkout.pulumi("config", "set", "--plaintext", key, "--stack", STACK, text=value)

    moved = checkout.ci("apply", "--stack", STACK, "--plan", str(plan), *REPORTS)
    assert moved.returncode == ExitCode.MOVED
    assert "moved: configuration clouddb:keySecret: a secret → in plain text" in moved.stdout
    checkout.pulumi("up", "--yes", "--skip-preview", "--stack", STACK)
    assert all(value in checkout.pulumi("stack", "export", "--stack", STACK) for value in old.values())
    refused = checkout.ci(*save)
    assert refused.returncode == ExitCode.FAILED
    assert "no plan was saved: Pulumi would copy clouddb:keySecret and clouddb:stackToken into it" in refused.stdout
    assert not plan.exists()
    assert not manifest_file(plan).exists()
    for done in (moved, refused):
        assert len(re.findall(IN_CLEAR, done.stdout)) == len(old)
        assert not any(value in done.stdout + done.stderr for value in old.values())
    assert re.search(IN_CLEAR, (checkout.folder / "report.md").read_text(encoding="utf-8"))

    # The advice: a new key, and the commands that set it.
    made = sandbox.add_key(name="new", roles=["admin"])
    new = {"clouddb:keySecret": made["keySecret"], "clouddb:stackToken": old["clouddb:stackToken"]}
    for warned in (each["text"] for each in checkout.report()["messages"]):
        for command in re.findall(r"pulumi (config set [^;]+)", warned):
            words = command.replace("YOUR_KEY_ID", made["keyId"]).split()
            checkout.pulumi(*words, text=new.get(words[-1], ""))
    checkout.write(BOARD.replace('name="Orders"', 'name="All orders"'))
    checkout.commit("Rename the dashboard")
    assert checkout.ci(*save).returncode == ExitCode.OK
    applied = checkout.ci("apply", "--stack", STACK, "--plan", str(plan), *REPORTS)
    assert applied.returncode == ExitCode.OK, applied.stdout
    state = checkout.pulumi("stack", "export", "--stack", STACK)
    for text in (*output_of(checkout, applied.stdout + applied.stderr).values(), state):
        assert made["keySecret"] not in text
    assert not any(value in state for value in old.values())
    assert "is in plain text" not in applied.stdout
