"""The gallery has every example, and its pictures match the programs.

`KEEP_PICTURES=1 .venv/bin/pytest tests/docs/test_gallery.py` draws them again; check them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import yaml

from clouddb_tools.render.files import Drawing, with_comment
from clouddb_tools.render.objects import KINDS, Item, pictures
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, ResourceState, stack_config
from codegen.names import base_name
from codegen.resource_map import Node, resource_map
from pulumi_clouddb.engine.wire.secret import strip
from pulumi_clouddb.engine.wire.urns import ROOT_TYPE
from pulumi_clouddb.things.dashboards.dashboard import DASHBOARD
from pulumi_clouddb.things.sources.source import SOURCE

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PICTURES = ROOT / "docs" / "pictures"
GALLERY = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
MAPS = ("fleet", "observability", "organization")
"""Examples whose resources the gallery draws."""

DASHBOARDS = {"golden-signals": "Golden signals"}
"""Examples whose dashboard the gallery draws."""

DRAWN_BY = "Drawn by KEEP_PICTURES=1 .venv/bin/pytest tests/docs/test_gallery.py; do not edit."


def test_gallery_has_every_example() -> None:
    """The page has a link to it."""
    folders = {path.parent.relative_to(EXAMPLES).parts[0] for path in EXAMPLES.glob("*/*") if path.is_file()}
    linked = set(re.findall(r"\]\(\.\./examples/([\w-]+)", GALLERY))
    assert folders - linked == {"demo"}  # it runs the quickstart


def made_by(example: str, sandbox: Sandbox) -> list[ResourceState]:
    """Return the objects that a program creates in a sandbox."""
    stack = FakeEngineStack(EXAMPLES / example, config=stack_config(sandbox))
    stack.up()
    return stack.resources


def compare(name: str, text: str) -> None:
    """Compare a picture with the one in the repository, or write it."""
    path = PICTURES / f"{name}.svg"
    if os.environ.get("KEEP_PICTURES"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


def nodes(resources: Sequence[ResourceState]) -> Iterator[Node]:
    """Yield each resource with the resources that it refers to, or with its component."""
    roots = {each.urn for each in resources if each.type == ROOT_TYPE}
    for each in resources:
        if each.urn not in roots:
            kind = each.type.rpartition(":")[2]
            yield Node(each.urn, each.name, kind, frozenset({*each.dependencies, each.parent} - roots))


@pytest.mark.slow
@pytest.mark.parametrize("example", MAPS)
def test_map_of_an_example(example: str) -> None:
    """Each resource is drawn to the right of the resources that it refers to."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        found = list(nodes(made_by(example, sandbox)))
    compare(example, resource_map(f"What examples/{example} makes", found, DRAWN_BY))


@pytest.mark.slow
@pytest.mark.parametrize("example", DASHBOARDS)
def test_dashboard_of_an_example(example: str) -> None:
    """It is drawn as by `clouddb render`, with its alerts."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        items = [
            Item(KINDS[each.type], each.name, each.id, strip(dict(each.outputs)), urn=each.urn)
            for each in made_by(example, sandbox)
            if each.type in KINDS
        ]
        items += [Item(SOURCE.name, id_, id_, each) for id_, each in sandbox.objects("sources").items()]
    assert [each.values["name"] for each in items if each.kind == DASHBOARD.name] == [DASHBOARDS[example]]
    drawing = Drawing(list(pictures(items).values()), f"examples/{example}")
    compare(example, with_comment(drawing.text(".svg"), DRAWN_BY))


def test_map_of_the_organizations() -> None:
    """Each resource is drawn to the right of its provider. The program is in YAML and needs the CLI."""
    resources = yaml.safe_load((EXAMPLES / "organizations" / "Pulumi.yaml").read_text(encoding="utf-8"))["resources"]
    found = [
        Node(
            name,
            name,
            "Provider" if each["type"].startswith("pulumi:") else base_name(each["type"]),
            frozenset({each["options"]["provider"][2:-1]} if "options" in each else ()),
        )
        for name, each in resources.items()
    ]
    compare("organizations", resource_map("What examples/organizations makes", found, DRAWN_BY))
