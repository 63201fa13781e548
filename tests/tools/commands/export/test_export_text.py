"""The writers of an export: texts round-trip, names are valid, and formatters make no changes."""

from __future__ import annotations

import ast
import json
import keyword
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import tree_sitter_typescript
import yaml as pyyaml
from hypothesis import example, given
from hypothesis import strategies as st
from tree_sitter import Language, Parser

from clouddb_tools.commands.export import python, typescript, yaml
from clouddb_tools.commands.export.graph import statements
from clouddb_tools.commands.export.language import Language as Written
from clouddb_tools.commands.export.modules import modules_of
from clouddb_tools.commands.export.names import RESERVED, Variables, camel, resource_names, slug
from clouddb_tools.commands.export.project import Project, files
from clouddb_tools.commands.export.reading import Found
from clouddb_tools.commands.export.statements import Ref, Step
from pulumi_clouddb.resource.lifecycle import ReadResult
from support.estate import NAMES
from support.read_yaml import read_yaml
from support.schema import SCHEMA

TEXTS = st.one_of(st.sampled_from(NAMES), st.text(max_size=60), st.text("${}\"'`\\\n #:-*&!|>%@[]", max_size=30))
PARSER = Parser(Language(tree_sitter_typescript.language_typescript()))


@pytest.mark.parametrize("language", Written)
def test_a_function_without_its_code_says_so(language: Written) -> None:
    """No server returns the code, so a comment of the program names its properties."""
    function = Found("UserDefinedFunction", "echo", "echo", ReadResult({}, {"name": "echo"}))
    steps, _ = statements([function])
    text = "\n".join(files(language, Project("echoes", steps, [function])).values())
    assert re.search(r"(#|//) No server returns the code of a UserDefinedFunction, .*: files, archive\.", text)


@given(TEXTS)
def test_python_text_round_trips(text: str) -> None:
    """Printable, on one line."""
    written = python.text(text)
    assert ast.literal_eval(written) == text
    assert written.isprintable()


@given(TEXTS)
def test_typescript_text_round_trips(text: str) -> None:
    """It is valid JSON with escaped control characters."""
    written = typescript.text(text)
    assert json.loads(written) == text
    assert written.isprintable()


@given(st.lists(TEXTS, max_size=5))
@example(["\n\n"])
@example(["a\nb\n\n", "x"])
@example(["\n0\n"])
@example(["\u202egnirts\u2066\u00a0", "a\nb\nc\u200f"])
def test_yaml_text_round_trips(texts: list[str]) -> None:
    """Also texts that YAML would parse as another type, and Pulumi as an expression; all output is printable."""
    step = Step("a", "Dashboard", {"name": "x", "tags": texts})
    written = yaml.yaml_resources([step])
    assert all(line.isprintable() for line in written.split("\n"))
    program = read_yaml("\n".join(["name: x", "runtime: yaml", written, ""]))
    assert program.problems == []
    assert program.resources["a"].properties["tags"] == texts


@pytest.mark.parametrize(
    "text", ["1e3", "0x1F", "0o7", "1_000", "12:30:45", "2026-01-01", ".5", "on", "NO", "Null", "~", "="]
)
def test_yaml_quotes_texts_that_parsers_read_differently(text: str) -> None:
    """Go's and Python's libraries differ in what they parse as a number."""
    assert yaml.dumped({"a": text}) == f'a: "{text}"'


@pytest.mark.parametrize(
    "text", ["Orders", "${a.id}", '${a.tileIds["x"]}', "5m", "ServiceName IN ('a')", "clouddb:Alert"]
)
def test_yaml_does_not_quote_plain_texts(text: str) -> None:
    """For readability."""
    assert yaml.dumped({"a": text}) == f"a: {text}"


@given(st.text(max_size=20).filter(lambda key: not key.endswith("\\")))
def test_yaml_key_in_an_expression_round_trips(key: str) -> None:
    """Expressions have only one escape sequence."""
    step = Step("b", "Alert", {"tileId": Ref("a.tileIds", key)})
    if key:
        program = read_yaml("\n".join(["name: x", "runtime: yaml", yaml.yaml_resources([step]), ""]))
        assert program.resources["b"].properties["tileId"].path == ("tileIds", key)


@given(st.lists(TEXTS, max_size=12))
def test_names_are_unique_and_variables_are_valid(texts: list[str]) -> None:
    """In Python and TypeScript, for all names of objects."""
    named = resource_names([(slug(text) or "alert", "") for text in texts])
    assert len(set(named)) == len(texts)
    variables = Variables()
    snake = [variables.free(name, "alert") for name in named]
    for each in (snake, [camel(name) for name in snake]):
        assert len(set(each)) == len(texts)
        assert all(re.fullmatch(r"[a-z][A-Za-z0-9_]*", name) for name in each)
        assert not RESERVED & set(each)
    assert not any(keyword.iskeyword(name) for name in snake)


COLLISIONS: dict[str, tuple[list[tuple[str, str]], list[str]]] = {
    "none": ([("a", ""), ("b", "s")], ["a", "b"]),
    "one name": ([("a", ""), ("a", ""), ("a", "")], ["a", "a-2", "a-3"]),
    "on several services": ([("a", "s"), ("a", "t"), ("b", "s")], ["s-a", "t-a", "b"]),
    "on one service": ([("a", "s"), ("a", "s")], ["s-a", "s-a-2"]),
    "with a number that is a name": ([("a", ""), ("a", ""), ("a-2", "")], ["a", "a-3", "a-2"]),
}


@pytest.mark.parametrize(("wanted", "named"), COLLISIONS.values(), ids=COLLISIONS)
def test_equal_names_get_a_prefix_or_a_number(wanted: list[tuple[str, str]], named: list[str]) -> None:
    """The name of the service if it differs, otherwise a number."""
    assert resource_names(wanted) == named


SLUGS = {
    "Orders “today”": "orders-today",
    "Größe Übersicht": "groe-ubersicht",
    "😀": "",
    "a" * 200: "a" * 50,
    "word " * 30: "word-word-word-word-word-word-word-word-word-word",
}


@pytest.mark.parametrize(("text", "name"), SLUGS.items())
def test_slug_is_short_and_ascii(text: str, name: str) -> None:
    """It is cut at the end of a word if it has several."""
    assert slug(text) == name


UNKNOWN = {"displayType": "line", "sourceId": "s", "select": [{"aggFn": "count"}], "newerThanUs": {"a": [1]}}
LONG = "ServiceName = 'checkout' AND SeverityText IN ('error', 'fatal') AND Body LIKE '%x%'"


def board(config: dict[str, Any], name: str = "a") -> Step:
    """Return a dashboard with one tile."""
    tile = {"name": name, "x": 0, "y": 0, "w": 6, "h": 3, "config": config}
    return Step("board", "Dashboard", {"name": "x", "tiles": [tile]})


PROGRAMS: dict[str, list[Step]] = {
    "a property of a newer server": [board(UNKNOWN)],
    "columns": [board({"displayType": "search", "sourceId": "s", "columns": "a, b"})],
    "long texts": [board({"displayType": "event_patterns", "sourceId": "s", "where": LONG}, LONG)],
    "keys of every length": [
        Step("many", "Alert", {"dashboardId": Ref("board.id"), "tileId": Ref("board.tileIds", "k" * n), "threshold": 1})
        for n in range(30, 80)
    ],
    "a long key": [Step("many_of_them", "Alert", {"tileId": Ref("board_of_many.tileIds", "k" * 90), "threshold": 0.5})],
    "quotes": [
        board({"displayType": "markdown", "markdown": text}) for text in ('"', "'", "\"'", '""\'', "\\", "é\u200b")
    ],
    "wide characters": [board({"displayType": "markdown", "markdown": "漢" * n}, "字" * n) for n in range(12, 34)],
    "every length": [
        Step("a", "ApiKey", {"name": "n" * n, "roles": ["developer"], "state": "enabled"}) for n in range(60)
    ],
}


@pytest.mark.parametrize("native", [False, True], ids=["classes", "plugin"])
def test_formatters_make_no_changes(native: bool, tmp_path: Path) -> None:
    """For all kinds of texts, with ruff's default settings."""
    for name, steps in PROGRAMS.items():
        text = python.python_program(steps, SCHEMA, native=native, between="\n\n")
        (tmp_path / f"{name.replace(' ', '_')}.py").write_text(text + "\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--isolated", "--diff", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_typescript_programs_parse(name: str) -> None:
    """Only a property of a newer server needs a cast."""
    text = typescript.typescript_program(PROGRAMS[name], SCHEMA)
    assert not PARSER.parse(text.encode()).root_node.has_error
    assert ("<any>(" in text) is (name == "a property of a newer server")


def test_property_of_a_newer_server_is_cast() -> None:
    """It keeps its name on the server, and the other properties keep their Python names."""
    text = python.python_program(PROGRAMS["a property of a newer server"], SCHEMA)
    assert text.startswith("from typing import Any, cast\n\nimport pulumi_clouddb as clouddb\n")
    assert "config=cast(" in text
    assert '"newerThanUs": {"a": [1]},' in text
    assert '"display_type": "line",' in text


def found(kind: str, name: str, object_id: str, /, **inputs: Any) -> Found:
    """Return an object as read from the server."""
    return Found(kind, name, object_id, ReadResult({}, inputs))


ID = [f"{number:024x}" for number in range(9)]


def test_circular_references_are_declared_with_one_id() -> None:
    """One reference of each circle is an id with a comment; all others follow the resource that they refer to."""
    sources = [
        found("Source", "a", ID[0], name="a", traceSourceId=ID[1]),
        found("Source", "b", ID[1], name="b", logSourceId=ID[0], metricSourceId=ID[2]),
        found("Source", "c", ID[2], name="c", sessionSourceId=ID[2]),
    ]
    steps, dangling = statements(sources, ("Source",))
    assert dangling == []
    seen: set[str] = set()
    literal: list[str] = []
    for step in steps:
        refs = {value.path.partition(".")[0] for value in step.properties.values() if isinstance(value, Ref)}
        assert refs <= seen
        seen.add(step.variable)
        literal += step.notes
    assert len(literal) == 1
    assert literal[0].endswith("which refers to this resource.")
    assert {step.variable for step in steps} == {"a", "b", "c"}
    (own,) = (step for step in steps if step.variable == "c")
    assert own.properties["sessionSourceId"] == ID[2]


def test_ids_are_resolved_on_their_own_server() -> None:
    """The same id on two servers identifies two objects."""
    one, two = "11111111-2222-4333-8444-555555555555", "21111111-2222-4333-8444-555555555555"
    objects = [
        Found("Source", "logs", ID[0], ReadResult({}, {"name": "logs", "serviceId": service}), "", service)
        for service in (one, two)
    ]
    search = {"name": "x", "sourceId": ID[0], "serviceId": two}
    objects.append(Found("SavedSearch", "x", ID[3], ReadResult({}, search), "", two))
    steps, dangling = statements(objects, ("Source", "Service"))
    (step,) = (each for each in steps if each.kind == "SavedSearch")
    assert step.properties["sourceId"] == Ref("logs_source.id")
    assert [each.kind for each in dangling] == ["Service", "Service", "Service"]


def test_yaml_uses_the_id_if_it_cannot_write_a_key() -> None:
    """For a key that ends in a backslash, with a comment."""
    tile = {"name": "ends in \\"}
    board = Found(
        "Dashboard", "board", ID[0], ReadResult({"tileIds": {tile["name"]: ID[1]}}, {"name": "x", "tiles": [tile]})
    )
    alert = found("Alert", "alert", ID[2], tileId=ID[1], dashboardId=ID[0])
    (_, step), _ = statements([board, alert], (), yaml.can_refer)
    assert (step.properties["tileId"], step.properties["dashboardId"]) == (ID[1], Ref("board.id"))
    assert step.notes == ("tileId: the id itself, as this language cannot write the reference's key.",)
    assert pyyaml.safe_load(yaml.dumped(yaml.value_of(step.properties)))["tileId"] == ID[1]


TILES = [{"name": f"tile {number}", "x": 0, "y": 0, "w": 12, "h": 4} for number in range(12)]


def boards(count: int) -> list[Step]:
    """Return dashboards with the same tiles."""
    return [Step(f"board_{each}", "Dashboard", {"name": f"Board {each}", "tiles": TILES}) for each in range(count)]


def test_values_that_several_resources_share_are_written_once() -> None:
    """Six equal dashboards share one list of tiles; a single dashboard contains its tiles."""
    several = python.python_program(boards(6), SCHEMA)
    assert several.count("clouddb.TileArgs(") == len(TILES)
    assert several.count("tiles=TILES)") == 6
    assert python.python_program(boards(2), SCHEMA).count("tiles=BOARD_0_TILES)") == 2
    assert "TILES" not in python.python_program(boards(1), SCHEMA)


ACCESS = [{"source": "10.0.0.0/8", "description": "Office"}]
VPN = [{"source": "10.1.0.0/16", "description": "VPN"}]


def named(lists: Sequence[Any], kind: str = "Service", name: str = "ipAccessList") -> list[Step]:
    """Return statements with these values of a property."""
    return [Step(f"x_{each}", kind, {"name": f"{each}", name: value}) for each, value in enumerate(lists)]


def test_value_of_three_statements_is_a_constant() -> None:
    """It has the name of its property in each language, and a number only if there is another one."""
    one = named([ACCESS] * 3)
    assert python.python_program(one, SCHEMA).count("ip_access_list=IP_ACCESS_LIST") == 3
    assert '\nIP_ACCESS_LIST = [clouddb.IpAccessEntryArgs(source="10.0.0.0/8", ' in python.python_program(one, SCHEMA)
    assert typescript.typescript_program(one, SCHEMA).count("ipAccessList: ipAccessList") == 3
    assert 'const ipAccessList = [{ source: "10.0.0.0/8", ' in typescript.typescript_program(one, SCHEMA)
    assert pyyaml.safe_load(yaml.yaml_resources(one))["variables"] == {"ipAccessList": ACCESS}
    assert yaml.yaml_resources(one).count("ipAccessList: ${ipAccessList}") == 3
    both = python.python_program(named([ACCESS, VPN] * 3), SCHEMA)
    assert (both.count("=IP_ACCESS_LIST)"), both.count("=IP_ACCESS_LIST_2)")) == (3, 3)
    short = python.python_program(named([["eu"]] * 3, "Dashboard", "tags"), SCHEMA)
    assert short.count('tags=["eu"]') == 3


def test_constant_that_refers_to_a_resource_follows_it() -> None:
    """It is a variable in small letters, before the first statement that uses it."""
    hook = Step("ops", "Webhook", {"name": "ops", "service": "generic"})
    alerts = named([[{"type": "webhook", "webhookId": Ref("ops.id")}]] * 3, "Alert", "channels")
    lines = python.python_program([hook, *alerts], SCHEMA).splitlines()
    starts = [line.partition(" = ")[0] for line in lines if " = " in line]
    assert starts == ["ops", "channels", "x_0", "x_1", "x_2"]


def test_long_programs_have_a_file_for_each_kind() -> None:
    """Each file imports its references, and `__main__` all files; short and circular programs have one file."""
    sources = [Step(f"source_{each}", "Source", {"name": f"{each}"}) for each in range(500)]
    search = Step("errors", "SavedSearch", {"name": "Errors", "sourceId": Ref("source_1.id")})

    def modules(*steps: Step) -> dict[str, str]:
        return dict(modules_of(steps, lambda some, also: python.python_program(some, SCHEMA, imports=also)))

    assert modules(search, *sources[:2]).keys() == {"__main__"}
    split = modules(search, *sources, Step("ours", "OrganizationSettings", {}))
    assert sorted(split) == ["__main__", "organization_settings", "saved_searches", "sources"]
    assert "\nfrom sources import source_1\n" in split["saved_searches"]
    assert split["__main__"].splitlines() == [
        "import organization_settings  # noqa: F401",
        "import saved_searches  # noqa: F401",
        "import sources  # noqa: F401",
    ]
    circle = Step("source_x", "Source", {"name": "x", "logSourceId": Ref("errors.id")})
    assert modules(search, circle, *sources).keys() == {"__main__"}


def test_variables_of_shared_values_do_not_shadow_imported_ones() -> None:
    """A source has the variable that the tiles of the first dashboard would get."""
    sources = [Step(f"source_{each}", "Source", {"name": f"{each}"}) for each in range(500)]
    source = Step("board_0_tiles", "Source", {"name": "x"})
    tile = {
        "name": "Logs",
        "x": 0,
        "y": 0,
        "w": 1,
        "h": 1,
        "config": {"displayType": "search", "sourceId": Ref("board_0_tiles.id")},
    }
    several = [Step(each.variable, each.kind, {"name": each.variable, "tiles": [*TILES, tile]}) for each in boards(2)]
    split = modules_of(
        [*sources, source, *several], lambda some, also: python.python_program(some, SCHEMA, imports=also)
    )
    assert "\nfrom sources import board_0_tiles\n" in split["dashboards"]
    assert split["dashboards"].count("tiles=board_0_tiles_2)") == 2
    assert "\nboard_0_tiles = " not in split["dashboards"]
