"""A misspelt property is a type error wherever the package reads one."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "provider" / "pulumi_clouddb"

HEAD = """\
from pulumi_policy import PolicyResource, ResourceValidationArgs
from pulumi_clouddb.things.alerts.alert import Alert
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.things.dashboards.dashboard import Dashboard
from pulumi_clouddb.schema.names import property_name, property_names
from pulumi_clouddb.schema.check.rules import OURS, Rule, RuleContext
from pulumi_clouddb.things.services.service import Service
from pulumi_clouddb.things.dashboards.tile import Tile
from pulumi_clouddb.schema.values import WireValues
from pulumi_clouddb.schema.view import known_or, view_of
from pulumi_clouddb.policy import Context, Settings, dashboard, service
from pulumi_clouddb.things.dashboards.resource import DashboardResource
from pulumi_clouddb.resource.state import State
def test(args: Service) -> str | None: return None
def test_paths(config: ProviderConfig) -> str | None: return None
"""

READS = {
    "an argument of a handler": ("threshold", "def {f}(args: Alert) -> object: return args.{name}"),
    "an argument in state": ("interval", "def {f}(old: State[Alert]) -> object: return old.wanted.{name}"),
    "a record in state": ("updated_at", "def {f}(old: State[Alert]) -> object: return old.actual.{name}"),
    "an own value in state": ("alert_id", "def {f}(old: State[Alert]) -> object: return old.actual.{name}"),
    "the test of a rule": ("tier", "def {f}(args: Service, _: RuleContext) -> object: return args.{name}"),
    "the field of a rule": ("num_replicas", "{f}: Rule[Service] = Rule(lambda args: args.{name}, '', test, OURS)"),
    "the field of a rule of inferred type": ("paths", "{f} = (Rule(lambda args: args.{name}, '', test_paths, OURS),)"),
    "diff: the arguments": (
        "allow_replacement",
        "def {f}(new: WireValues) -> object: return known_or(True, lambda: view_of(Service, new).{name})",
    ),
    "diff: the state": (
        "tile_ids",
        "def {f}(it: DashboardResource, old: WireValues) -> object: return it._seen(old).actual.{name}",
    ),
    "preview": (
        "key",
        "def {f}(new: WireValues) -> object: return [it.{name} for it in view_of(Dashboard, new).tiles or ()]",
    ),
    "a rule of a policy": (
        "idle_scaling",
        "def {f}(service: Service, _: Context[Settings]) -> object: return service.{name}",
    ),
    "the name of a property": ("config", "{f} = property_name(Tile, lambda tile: tile.{name})"),
    "the names of several": ("series", "{f} = property_names(Tile, lambda tile: (tile.config, tile.{name}))"),
    "a policy": ("region", "def {f}(args: ResourceValidationArgs) -> object: return service(args).{name}"),
    "a policy of the stack": ("tile_ids", "def {f}(made: PolicyResource) -> object: return dashboard(made).{name}"),
}
"""A property and the code that reads it, by kind of code."""


@pytest.mark.slow
def test_misspelt_property_is_a_type_error(tmp_path: Path) -> None:
    """Mypy reports each place; the same code with the right name is accepted."""
    file = tmp_path / "reads.py"
    right = [code.format(f=f"right{number}", name=name) for number, (name, code) in enumerate(READS.values())]
    wrong = [code.format(f=f"wrong{number}", name=f"{name}s") for number, (name, code) in enumerate(READS.values())]
    file.write_text(HEAD + "\n".join([*wrong, *right]), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--no-error-summary", str(file)]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    first = len(HEAD.splitlines()) + 1
    reported = dict(re.findall(r'reads\.py:(\d+): error: .* has no attribute "(\w+)"', output))
    expected = {str(first + number): f"{name}s" for number, (name, _) in enumerate(READS.values())}
    assert reported == expected, output
    assert len(output.splitlines()) == len(expected), output


PROGRAM = """\
import pulumi
import pulumi_clouddb as clouddb
import clouddb_tools.sandbox
def tile(config: pulumi.Input[clouddb.TileConfigArgs | clouddb.TileConfigKindArgsDict]) -> clouddb.TileArgs:
    return clouddb.TileArgs(name="Errors", x=0, y=0, w=6, h=3, config=config)
setting = pulumi.Config().require("region")
listed: clouddb.DisplayTypeValue = "line"
"""
ALERT = (
    "clouddb.Alert('{{f}}', dashboard_id='d', tile_id='t', threshold=5, threshold_type={0}, interval={1}, "
    "channel={{{{'type': {2}, 'webhook_id': 'w'}}}})"
)
MISTAKES = {
    "a class": ("clouddb.{0}('{f}', name='Orders')", "Service", "Servise"),
    "a class of arguments": ("clouddb.{0}(source='0.0.0.0/0')", "IpAccessEntryArgs", "IpAccesEntryArgs"),
    "a function": ("clouddb.{0}(service_id='s')", "list_sources", "list_source"),
    "an input": ("clouddb.Service('{f}', name='Orders', {0}=3)", "num_replicas", "num_replica"),
    "an input of a function": ("clouddb.get_service_output({0}='s')", "service_id", "serviceid"),
    "an input of a class": ("clouddb.IpAccessEntryArgs(source='::/0', {0}='any')", "description", "descripton"),
    "a key": (
        "clouddb.Service('{f}', name='Orders', ip_access_list=[{{'source': '::/0', {0!r}: 'any'}}])",
        "description",
        "descripton",
    ),
    "an output": ("clouddb.Service('{f}', name='Orders').{0}", "password", "pasword"),
    "a result": ("clouddb.get_service(service_id='s').{0}", "state", "stat"),
    "a name of the sandbox": ("clouddb_tools.sandbox.{0}()", "Sandbox", "SandBox"),
    "a missing input": ("clouddb.Webhook('{f}', name='On call', service='generic', {0}='u')", "url", "body"),
    "region": ("clouddb.Service('{f}', name='Orders', region={0!r})", "ap-east-2", 2),
    "region of a setting": ("clouddb.Service('{f}', name='Orders', region={0})", "setting", "[setting]"),
    "display type": ("clouddb.TileConfigArgs(display_type={0!r})", "line", "graph"),
    "display type in a dict": ("tile({{'display_type': {0!r}, 'markdown': ''}})", "markdown", "graph"),
    "aggregate": ("clouddb.SelectItemArgs(agg_fn={0!r})", "count", 9),
    "aggregate in a dict": ("clouddb.TileConfigArgs(select=[{{'agg_fn': {0!r}}}])", "count", 9),
    "type of a series": ("clouddb.SeriesArgs(type={0!r}, agg_fn='count')", "time", "line"),
    "role": ("clouddb.ApiKey('{f}', name='CI', roles={0!r})", ["auditor"], [1]),
    "interval": (ALERT.format("'above'", "{0!r}", "'webhook'"), "30s", 30),
    "channel": (ALERT.format("'above'", "'5m'", "{0!r}"), "webhook", "pager"),
    "source of an alert": (
        "clouddb.AlertArgs(threshold=5, threshold_type='above', interval='5m', source={0!r})",
        "tile",
        "tiles",
    ),
    "an enum": ("clouddb.Service('{f}', name='Orders', region=clouddb.Region.{0})", "EU_WEST_1", "EU_WEST_9"),
    "a setting": ("clouddb.TileConfigArgs(display_type={0})", "clouddb.DisplayType(setting)", "setting"),
    "a variable": ("clouddb.TileConfigArgs(display_type={0})", "listed", "str(listed)"),
    "a value of an output": (
        "clouddb.Service('{f}', name='Orders', region=pulumi.Output.from_input({0}))",
        "'any'",
        "5",
    ),
    "a property of a kind of tile": (
        "clouddb.PieTileConfigArgs(source_id='s', select=[], {0}='x')",
        "group_by",
        "having",
    ),
    "a property of raw SQL": (
        "clouddb.SqlLineTileConfigArgs(connection_id='c', sql_template='', {0}=True)",
        "fill_nulls",
        "as_ratio",
    ),
    "what a kind needs": ("clouddb.SearchTileConfigArgs(columns='a', {0}='x')", "source_id", "where"),
    "a dict of a kind": (
        "tile({{'display_type': 'pie', 'source_id': 's', 'select': [], {0!r}: ''}})",
        "order_by",
        "having",
    ),
}
"""Code with a right and a wrong value, by mistake.

A checker cannot find two others: a key without any role, as `assigned_role_ids` or `key_id` may replace it, and an
attribute of a lifted output, whose type Pulumi declares as `Any`.
"""


CHECKERS: dict[str, tuple[str, ...]] = {
    "mypy": (*("mypy", "--no-error-summary", "--hide-error-context"), r"program\.py:(\d+): error:"),
    "pyright": (*("basedpyright", "--pythonpath", sys.executable, "-p"), r"program\.py:(\d+):\d+ - error:"),
}
"""The command, to which the path of a program is added, and the pattern of the line of a mistake.

basedpyright is pyright with a bundled Node.js; `standard` is the strictness of pyright's own checks.
"""


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_mistake_in_a_program_is_a_type_error(checker: str, tmp_path: Path) -> None:
    """The checker reports each place; the same code without the mistake is accepted."""
    right = [code.format(good, f=f"right{number}") for number, (code, good, _) in enumerate(MISTAKES.values())]
    wrong = [code.format(bad, f=f"wrong{number}") for number, (code, _, bad) in enumerate(MISTAKES.values())]
    (tmp_path / "program.py").write_text(PROGRAM + "\n".join([*right, *wrong]), encoding="utf-8")
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard"}', encoding="utf-8")
    *words, pattern = CHECKERS[checker]
    pytest.importorskip(words[0], reason=f"{words[0]} is not installed")
    path = tmp_path / "program.py" if checker == "mypy" else tmp_path
    command = [sys.executable, "-m", *words, str(path)]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    first = len(PROGRAM.splitlines()) + len(right) + 1
    lines = {int(line) - first for line in re.findall(pattern, output)}
    names = list(MISTAKES)
    assert [names[line] for line in sorted(lines)] == names, output


def test_resources_name_properties_by_attributes() -> None:
    """Wire names are not quoted by hand: `property_name` takes them from the model."""
    schema = json.loads((ROOT / "schema.json").read_text(encoding="utf-8"))
    objects = [*schema["resources"].values(), *schema["types"].values()]
    properties = {
        name for each in objects for name in {**each.get("properties", {}), **each.get("inputProperties", {})}
    }
    names = {name for name in properties if not name.islower()}  # a name of one word may be ordinary text
    assert len(names) > 100
    quoted = [
        f"{path.name}:{node.lineno}: {node.value}"
        for path in sorted([*PACKAGE.glob("things/*/resource.py"), *(PACKAGE / "resource").rglob("*.py")])
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in names
    ]
    assert not quoted


def test_core_uses_any_rarely() -> None:
    """`Any` disables the checker: it occurs fewer than 12 times in 1,000 lines, imports and comments included."""
    folders = ("schema", "client", "create", "resource", "things", "engine")
    texts = [path.read_text(encoding="utf-8") for folder in folders for path in (PACKAGE / folder).rglob("*.py")]
    assert len(texts) > 100
    count = sum(len(re.findall(r"\bAny\b", text)) for text in texts)
    assert count * 1000 < sum(len(text.splitlines()) for text in texts) * 12
