"""A misspelt property is a type error wherever the package reads one, and never a silent None."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "provider" / "pulumi_clouddb"

HEAD = """\
from pulumi_policy import PolicyResource, ResourceValidationArgs
from pulumi_clouddb.models.alert import AlertArgs
from pulumi_clouddb.models.config import ProviderConfig
from pulumi_clouddb.models.dashboard import DashboardArgs
from pulumi_clouddb.models.names import property_name, property_names
from pulumi_clouddb.models.rules import Rule, RuleContext
from pulumi_clouddb.models.service import ServiceArgs, ServiceCreate
from pulumi_clouddb.models.tile import Tile
from pulumi_clouddb.models.values import WireValues
from pulumi_clouddb.models.view import known_or, view_of
from pulumi_clouddb.policy import Context, Settings, dashboard, service
from pulumi_clouddb.resources.alert import AlertState
from pulumi_clouddb.resources.dashboard import DashboardResource
def test(args: ServiceCreate, context: RuleContext) -> str | None: return None
def test_paths(config: ProviderConfig, context: RuleContext) -> str | None: return None
"""

READS = {
    "an argument of a handler": ("threshold", "def {f}(args: AlertArgs) -> object: return args.{name}"),
    "an argument in state": ("interval", "def {f}(old: AlertState) -> object: return old.args.{name}"),
    "a record in state": ("updated_at", "def {f}(old: AlertState) -> object: return old.record.{name}"),
    "what is our own in state": ("alert_id", "def {f}(old: AlertState) -> object: return old.own.{name}"),
    "the test of a rule": ("tier", "def {f}(args: ServiceCreate, _: RuleContext) -> object: return args.{name}"),
    "the field of a rule": ("num_replicas", "{f}: Rule[ServiceCreate] = Rule(lambda args: args.{name}, test, '')"),
    "the field of a rule of inferred type": ("paths", "{f} = (Rule(lambda config: config.{name}, test_paths),)"),
    "diff: the arguments": (
        "allow_replacement",
        "def {f}(new: WireValues) -> object: return known_or(True, lambda: view_of(ServiceArgs, new).{name})",
    ),
    "diff: the state": (
        "tile_ids",
        "def {f}(it: DashboardResource, old: WireValues) -> object: return it._seen(old).own.{name}",
    ),
    "preview": (
        "key",
        "def {f}(new: WireValues) -> object: return [it.{name} for it in view_of(DashboardArgs, new).tiles or ()]",
    ),
    "a rule of a policy": (
        "idle_scaling",
        "def {f}(service: ServiceArgs, _: Context[Settings]) -> object: return service.{name}",
    ),
    "the name of a property": ("config", "{f} = property_name(Tile, lambda tile: tile.{name})"),
    "the names of several": ("series", "{f} = property_names(Tile, lambda tile: (tile.config, tile.{name}))"),
    "a policy": ("region", "def {f}(args: ResourceValidationArgs) -> object: return service(args).{name}"),
    "a policy of the stack": ("tile_ids", "def {f}(made: PolicyResource) -> object: return dashboard(made).{name}"),
}
"""A property, and the code that reads it, by what that code stands for."""


def test_a_misspelt_property_is_a_type_error(tmp_path: Path) -> None:
    """In each place; spelt right, the same code is none."""
    file = tmp_path / "reads.py"
    right = [code.format(f=f"right{number}", name=name) for number, (name, code) in enumerate(READS.values())]
    wrong = [code.format(f=f"wrong{number}", name=f"{name}s") for number, (name, code) in enumerate(READS.values())]
    file.write_text(HEAD + "\n".join([*wrong, *right]), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--no-error-summary", str(file)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    first = len(HEAD.splitlines()) + 1
    found = dict(re.findall(r'reads\.py:(\d+): error: .* has no attribute "(\w+)"', told))
    expected = {str(first + number): f"{name}s" for number, (name, _) in enumerate(READS.values())}
    assert found == expected, told
    assert len(told.splitlines()) == len(expected), told


def test_resources_name_properties_by_attributes() -> None:
    """A wire name in quotes would be spelt by hand: `property_name` takes it from the model."""
    schema = json.loads((ROOT / "schema.json").read_text(encoding="utf-8"))
    objects = [*schema["resources"].values(), *schema["types"].values()]
    properties = {
        name for each in objects for name in {**each.get("properties", {}), **each.get("inputProperties", {})}
    }
    names = {name for name in properties if not name.islower()}  # of one word, it may be a word
    assert len(names) > 100
    quoted = [
        f"{path.name}:{node.lineno}: {node.value}"
        for path in sorted((PACKAGE / "resources").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in names
    ]
    assert not quoted


def test_the_core_says_what_its_values_are() -> None:
    """`Any` turns the checker off: in 1,000 lines it stands fewer than 12 times, imports and prose included."""
    rooms = ("models", "api", "resources", "dynamic", "plugin")
    texts = [path.read_text(encoding="utf-8") for room in rooms for path in (PACKAGE / room).rglob("*.py")]
    found = sum(len(re.findall(r"\bAny\b", text)) for text in texts)
    assert found * 1000 < sum(len(text.splitlines()) for text in texts) * 12
