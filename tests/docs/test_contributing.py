"""CONTRIBUTING's tables of resources to copy: each row is as the code has it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pulumi_clouddb.client.operation import OBSERVABILITY, SERVICE, ServerKind
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.base import AnyResource
from pulumi_clouddb.resource.overrides import OverrideResource

ROOT = Path(__file__).parents[2]
THINGS = ROOT / "provider" / "pulumi_clouddb" / "things"
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([A-Z]\w+) \|$", TEXT, re.MULTILINE)
PLACES = [row for row in ROWS if row[1].startswith(("none", "`PATCH`", "`PUT`"))]
TRAITS = [row for row in ROWS if row not in PLACES]


def place_of(handler: AnyResource) -> str:
    """Return what the objects of a resource belong to, in the words of the table."""
    if isinstance(handler, OverrideResource):
        return "somebody else, and a destroy restores it"
    managed, hosted = handler.collection.LIST.managed, handler.collection.LIST.self_hosted
    if managed.server_kind is ServerKind.SELF_HOSTED:
        return "a self-hosted server"
    if hosted.server_kind is ServerKind.SELF_HOSTED:
        return "the observability server of a service, or a self-hosted one"
    if managed.path.startswith(OBSERVABILITY):
        return "the observability server of a service"
    return "a service" if managed.path.startswith(SERVICE) else "the organization"


@pytest.mark.parametrize(("place", "update", "name"), PLACES, ids=[row[2] for row in PLACES])
def test_a_resource_to_copy_belongs_where_the_table_says(place: str, update: str, name: str) -> None:
    """And is updated with this method."""
    handler = RESOURCES[name]
    forms = getattr(handler.collection, "UPDATE", None)
    assert (place_of(handler), f"`{forms.managed.method}`" if forms else update) == (place, update)
    assert forms or update.startswith("none")


@pytest.mark.parametrize(("trait", "declared", "name"), TRAITS, ids=[row[0] for row in TRAITS])
def test_a_resource_to_copy_has_the_declarations(trait: str, declared: str, name: str) -> None:
    """Each word in backticks is in the folder of the thing; a trait without an operation is one that lacks it."""
    folder = THINGS / type(RESOURCES[name]).__module__.split(".")[-2]
    code = "\n".join(file.read_text(encoding="utf-8") for file in folder.glob("*.py"))
    words = re.findall(r"`([^`]+)`", declared)
    assert words, trait
    if declared == "a collection without `GET`":
        assert not hasattr(RESOURCES[name].collection, "GET")
    else:
        assert [word for word in words if not re.search(rf"\b{re.escape(word)}\b", code)] == []


def test_every_place_has_a_row() -> None:
    """A resource of a new form is a model of its own."""
    assert {place_of(each) for each in RESOURCES.values()} - {place for place, _, _ in PLACES} == set()


PATHS = sorted({*re.findall(r"(?<![\w/.])(?:provider|tests|tools|docs)/[\w/]+(?:\.\w+)?", TEXT)})


@pytest.mark.parametrize("path", [each for each in PATHS if "NAME" not in each])
def test_named_file_exists(path: str) -> None:
    """Whoever follows the steps finds each file and folder."""
    assert (ROOT / path).exists()


NAMED = [
    ("folders of things", ["things/members", "things/roles"], {"members", "roles", "contract", "schema"}),
    ("a file in one", ["things/members/test_members.py"], {"members"}),
]


@pytest.mark.parametrize(("named", "expected"), [each[1:] for each in NAMED], ids=[each[0] for each in NAMED])
def test_folder_of_a_thing_runs_with_its_cases_in_tables(named: list[str], expected: set[str]) -> None:
    """And with those of no other resource."""
    folders = [f"tests/provider/{each}" for each in named]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--no-header", *folders]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=200).stdout
    tests = [line for line in shown.splitlines() if "::" in line]
    assert {line.split("::")[0].split("/")[-2] for line in tests} == expected
    resources = {line.split("[")[1].split()[0].strip(":") for line in tests if "/contract/" in line}
    assert resources == {each[:-1].capitalize() for each in expected & {"members", "roles"} if "contract" in expected}
