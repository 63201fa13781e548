"""The program that creates a database for each entry of a file."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, Stack, stack_config
from support.engines import ENGINES

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[2] / "examples" / "fleet"


def fleet(engine: type[Stack], sandbox: Sandbox, folder: Path) -> tuple[Stack, Path]:
    """Return a stack of a copy of the example, and its file."""
    own = shutil.copytree(EXAMPLE, folder / "fleet")
    stack = engine(own, project="clouddb-fleet", config=stack_config(sandbox), work_dir=folder / "work")
    return stack, own / "fleet.yaml"


def edit(file: Path, before: str, after: str) -> None:
    """Replace a text that occurs once in a file."""
    text = file.read_text(encoding="utf-8")
    assert text.count(before) == 1
    file.write_text(text.replace(before, after), encoding="utf-8")


@pytest.mark.parametrize("engine", ENGINES)
def test_fleet_follows_its_file(engine: type[Stack], tmp_path: Path, sandbox: Sandbox) -> None:
    """An entry is added, changed and removed; the others are unchanged, and a protected one is not deleted."""
    stack, file = fleet(engine, sandbox, tmp_path)
    outputs = stack.up().outputs
    made = {service["name"]: service for service in sandbox.services.values()}
    assert made.keys() == {"orders", "clicks", "reports"}
    assert {name: (each["region"], each["numReplicas"], each["tags"][0]["value"]) for name, each in made.items()} == {
        "orders": ("eu-central-1", 3, "shop"),
        "clicks": ("us-east-1", 2, "analytics"),
        "reports": ("eu-central-1", 2, "analytics"),
    }
    passwords = outputs["passwords"]
    passwords = getattr(passwords, "value", passwords)
    for name, service in made.items():
        password = getattr(passwords[name], "value", passwords[name])
        assert sandbox.password_works(service["id"], password)
        assert password not in stack.state_text
    assert stack.preview().no_changes

    edit(file, "size: large", "size: medium")
    edit(file, "  reports:", "  billing: { team: finance }\n  reports:")
    done = stack.up()
    assert (done.changes["create"], done.changes["update"]) == (3, 1)
    assert {each["name"] for each in sandbox.services.values()} == {*made, "billing"}

    edit(file, "  reports: { team: analytics, idle: true, protect: false }\n", "")
    assert stack.up().changes["delete"] == 3
    edit(file, "  billing: { team: finance }\n", "")
    refused = stack.up(expect_failure=True)
    assert any("deletion_protection is set" in each for each in refused.errors)
    assert {each["name"] for each in sandbox.services.values()} == {"orders", "clicks", "billing"}
    edit(file, "services:\n", "services:\n  billing: { team: finance, protect: false }\n")
    stack.up()
    edit(file, "  billing: { team: finance, protect: false }\n", "")
    stack.up()
    assert {each["name"] for each in sandbox.services.values()} == {"orders", "clicks"}


MISTAKES = {
    "a key is misspelt": ("size: large", "sise: large", "services.orders.sise: "),
    "a size does not exist": ("size: large", "size: huge", "services.orders.size: "),
    "a region does not exist": ("us-east-1", "us-east-9", "services.clicks.region: "),
    "nobody could reach it": ("[203.0.113.0/24]", "[]", "services.orders.networks: "),
    "it belongs to nobody": ("team: shop, ", "", "services.orders.team: "),
}
"""For each mistake, the replaced text, its replacement and the beginning of the message."""


def test_mistakes_in_the_file_are_reported_at_once(tmp_path: Path) -> None:
    """All mistakes are reported with their places, and no request is sent."""
    for name, (before, after, place) in MISTAKES.items():
        with Sandbox(vocabulary="clickhouse") as sandbox:
            stack, file = fleet(FakeEngineStack, sandbox, tmp_path / name)
            edit(file, before, after)
            edit(file, "idle: true", "idle: sometimes")
            failed = stack.up(expect_failure=True)
            output = "\n".join([*failed.errors, *failed.stdout])
            assert f"\n{place}" in output, name
            assert "\nservices.reports.idle: " in output, name
            assert sandbox.requests == []
