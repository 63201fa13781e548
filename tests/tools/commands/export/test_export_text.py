"""The writers of an export: any text comes back as it is, any name is a name, and formatters find nothing to do."""

from __future__ import annotations

import ast
import json
import keyword
import re
import subprocess
import sys
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
from clouddb_tools.commands.export.modules import modules_of
from clouddb_tools.commands.export.names import RESERVED, Variables, camel, resource_names, slug
from clouddb_tools.commands.export.reading import Found
from clouddb_tools.commands.export.statements import Ref, Step
from pulumi_clouddb.resource.lifecycle import ReadResult
from support.estate import NAMES
from support.read_yaml import read_yaml
from support.schema import SCHEMA

TEXTS = st.one_of(st.sampled_from(NAMES), st.text(max_size=60), st.text("${}\"'`\\\n #:-*&!|>%@[]", max_size=30))
PARSER = Parser(Language(tree_sitter_typescript.language_typescript()))


@given(TEXTS)
def test_a_text_comes_back_in_python(text: str) -> None:
    """On one line, in the quotes that need fewer escapes."""
    written = python.text(text)
    assert ast.literal_eval(written) == text
    assert written.isprintable()


@given(TEXTS)
def test_a_text_comes_back_in_typescript(text: str) -> None:
    """JSON is TypeScript, and control characters are escaped."""
    written = typescript.text(text)
    assert json.loads(written) == text
    assert written.isprintable()


@given(st.lists(TEXTS, max_size=5))
@example(["\n\n"])
@example(["a\nb\n\n", "x"])
@example(["\n0\n"])
@example(["\u202egnirts\u2066\u00a0", "a\nb\nc\u200f"])
def test_a_text_comes_back_in_yaml(texts: list[str]) -> None:
    """Also where YAML would read another type, and where Pulumi would read an expression; all of it can be seen."""
    step = Step("a", "Dashboard", {"name": "x", "tags": texts})
    written = yaml.yaml_resources([step])
    assert all(line.isprintable() for line in written.split("\n"))
    program = read_yaml("\n".join(["name: x", "runtime: yaml", written, ""]))
    assert program.problems == []
    assert program.resources["a"].properties["tags"] == texts


@pytest.mark.parametrize(
    "text", ["1e3", "0x1F", "0o7", "1_000", "12:30:45", "2026-01-01", ".5", "on", "NO", "Null", "~", "="]
)
def test_what_some_version_of_yaml_reads_otherwise_is_quoted(text: str) -> None:
    """Go's library and Python's differ in what is a number."""
    assert yaml.dumped({"a": text}) == f'a: "{text}"'


@pytest.mark.parametrize(
    "text", ["Orders", "${a.id}", '${a.tileIds["x"]}', "5m", "ServiceName IN ('a')", "clouddb:Alert"]
)
def test_a_plain_text_has_no_quotes(text: str) -> None:
    """People read it."""
    assert yaml.dumped({"a": text}) == f"a: {text}"


@given(st.text(max_size=20).filter(lambda key: not key.endswith("\\")))
def test_a_key_comes_back_in_an_expression(key: str) -> None:
    """Of YAML, which knows one escape only."""
    step = Step("b", "Alert", {"tileId": Ref("a.tileIds", key)})
    if key:
        program = read_yaml("\n".join(["name: x", "runtime: yaml", yaml.yaml_resources([step]), ""]))
        assert program.resources["b"].properties["tileId"].path == ("tileIds", key)


@given(st.lists(TEXTS, max_size=12))
def test_names_are_unique_and_variables_are_names(texts: list[str]) -> None:
    """In Python and in TypeScript, whatever the objects are called."""
    named = resource_names([(slug(text) or "alert", "") for text in texts])
    assert len(set(named)) == len(texts)
    variables = Variables()
    found = [variables.free(name, "alert") for name in named]
    for each in (found, [camel(name) for name in found]):
        assert len(set(each)) == len(texts)
        assert all(re.fullmatch(r"[a-z][A-Za-z0-9_]*", name) for name in each)
        assert not RESERVED & set(each)
    assert not any(keyword.iskeyword(name) for name in found)


COLLISIONS: dict[str, tuple[list[tuple[str, str]], list[str]]] = {
    "none": ([("a", ""), ("b", "s")], ["a", "b"]),
    "one name": ([("a", ""), ("a", ""), ("a", "")], ["a", "a-2", "a-3"]),
    "of services": ([("a", "s"), ("a", "t"), ("b", "s")], ["s-a", "t-a", "b"]),
    "of one service": ([("a", "s"), ("a", "s")], ["s-a", "s-a-2"]),
    "with a number that is a name": ([("a", ""), ("a", ""), ("a-2", "")], ["a", "a-3", "a-2"]),
}


@pytest.mark.parametrize(("wanted", "named"), COLLISIONS.values(), ids=COLLISIONS)
def test_names_that_collide(wanted: list[tuple[str, str]], named: list[str]) -> None:
    """The service tells them apart, else a number."""
    assert resource_names(wanted) == named


SLUGS = {
    "Orders “today”": "orders-today",
    "Größe Übersicht": "groe-ubersicht",
    "😀": "",
    "a" * 200: "a" * 50,
    "word " * 30: "word-word-word-word-word-word-word-word-word-word",
}


@pytest.mark.parametrize(("text", "name"), SLUGS.items())
def test_a_name_is_short_and_plain(text: str, name: str) -> None:
    """It ends with a whole word where it has several."""
    assert slug(text) == name


UNKNOWN = {"displayType": "line", "sourceId": "s", "select": [{"aggFn": "count"}], "newerThanUs": {"a": [1]}}
LONG = "ServiceName = 'checkout' AND SeverityText IN ('error', 'fatal') AND Body LIKE '%x%'"


def board(config: dict[str, Any], name: str = "a") -> Step:
    """Return a dashboard of one tile."""
    tile = {"name": name, "x": 0, "y": 0, "w": 6, "h": 3, "config": config}
    return Step("board", "Dashboard", {"name": "x", "tiles": [tile]})


PROGRAMS: dict[str, list[Step]] = {
    "a property of a newer server": [board(UNKNOWN)],
    "a text in place of a list": [board({"displayType": "search", "sourceId": "s", "select": "a, b"})],
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
def test_formatters_find_nothing_to_do(native: bool, tmp_path: Path) -> None:
    """Whatever the texts are, with the settings that ruff has by default."""
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
def test_each_is_typescript(name: str) -> None:
    """By its syntax."""
    text = typescript.typescript_program(PROGRAMS[name], SCHEMA)
    assert not PARSER.parse(text.encode()).root_node.has_error
    assert ("<any>(" in text) is (name == "a property of a newer server")


def test_a_property_of_a_newer_server_passes_the_type_checker() -> None:
    """It is written as the server names it, and what a class knows is a class."""
    text = python.python_program(PROGRAMS["a property of a newer server"], SCHEMA)
    assert text.startswith("from typing import Any, cast\n\nimport pulumi_clouddb as clouddb\n")
    assert "config=cast(" in text
    assert '"newerThanUs": {"a": [1]},' in text
    assert '"display_type": "line",' in text


def found(kind: str, name: str, object_id: str, /, **inputs: Any) -> Found:
    """Return an object as it was read."""
    return Found(kind, name, object_id, ReadResult({}, inputs))


ID = [f"{number:024x}" for number in range(9)]


def test_objects_that_name_each_other_are_declared() -> None:
    """One of each circle keeps an id, and says so; the others refer, each behind what it names."""
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


def test_an_id_means_something_on_its_own_server_only() -> None:
    """The same id on the servers of two services is two objects."""
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


def test_yaml_keeps_the_id_where_it_cannot_write_a_key() -> None:
    """A key that ends in a backslash; the comment says so."""
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
    """Return dashboards of the same tiles."""
    return [Step(f"board_{each}", "Dashboard", {"name": f"Board {each}", "tiles": TILES}) for each in range(count)]


def test_what_several_resources_have_is_written_once() -> None:
    """Six equal dashboards are one list of tiles and six short statements; a single one keeps its tiles."""
    several = python.python_program(boards(6), SCHEMA)
    assert several.count("clouddb.TileArgs(") == len(TILES)
    assert several.count("tiles=board_0_tiles)") == 6
    assert "board_0_tiles" not in python.python_program(boards(1), SCHEMA)


def test_a_long_program_has_a_file_for_each_kind() -> None:
    """Each imports what it refers to, and `__main__` all of them; a short one, and one in a circle, is one file."""
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


def test_what_several_resources_have_hides_no_variable_of_another_file() -> None:
    """A source has the name of the variable that the tiles of the first dashboard would have."""
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
