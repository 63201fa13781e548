"""Examples query columns that the vendor's tables have: the server accepts unknown ones, and alerts on them fail."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.commands.export.statements import Ref
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, stack_config
from codegen.examples import EXAMPLES
from support.ids import LOGS, METRICS, TRACES
from support.vendor_tables import COLUMNS

ROOT = Path(__file__).parents[2]
PROGRAMS = {
    "quickstart": ROOT,
    "golden-signals": ROOT / "examples" / "golden-signals",
    "observability": ROOT / "examples" / "observability",
}
"""Programs with queries of the vendor's tables. `test_plugin_examples` compares YAML and TypeScript with them."""

KINDS: Mapping[Any, str] = {
    LOGS: "log",
    TRACES: "trace",
    METRICS: "metric",
    Ref("logs.id"): "log",
    Ref("traces.id"): "trace",
}
"""The kinds of the data sources in the sandbox and in examples of the reference."""

EXPRESSIONS = ("valueExpression", "groupBy", "orderBy", "select", "field", "fields")
WORDS = {"DESC", "ASC"}
LUCENE = re.compile(r"(?:-?[A-Za-z_.]+:\S+ ?)+")
"""The conditions of examples: a field and its value, or several."""

TRANSLATED = {
    "go/main.go": re.compile(r'(?:ValueExpression|GroupBy):\s+pulumi\.String\("(\w+)"'),
    "java/src/main/java/com/example/shop/App.java": re.compile(r'\.(?:valueExpression|groupBy)\("(\w+)"'),
}


def columns_of(query: Mapping[str, Any]) -> set[str]:
    """Return the columns that a selected value, a tile or a search names."""
    texts: list[str] = []
    for name in EXPRESSIONS:
        value = query.get(name)
        texts += [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]
    names = {each for text in texts for each in re.findall(r"(?<![\w.])[A-Za-z_][\w.]*\b(?!\()", text)}
    condition = query.get("where") or ""
    if condition and query.get("whereLanguage", "lucene") == "lucene":
        assert LUCENE.fullmatch(condition), condition
        names |= {each.lstrip("-") for each in re.findall(r"(-?[A-Za-z_.]+):", condition)}
    return {each for each in names if each and each not in WORDS}


def queries(tile: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the id of the source, and each part of a tile that names columns."""
    config = tile.get("config") or {}
    select = config.get("select")
    if "sourceId" in config:
        yield from ((config["sourceId"], each) for each in (config, *(select if isinstance(select, list) else ())))
    for item in tile.get("series") or ():
        yield item["sourceId"], item


def misfits(objects: Mapping[str, list[Any]], kinds: Mapping[Any, str]) -> list[str]:
    """Return the columns of dashboards, searches and sources that are missing in the tables of their sources."""
    found = [query for board in objects["Dashboard"] for tile in board["tiles"] for query in queries(tile)]
    found += [(search["sourceId"], search) for search in objects["SavedSearch"]]
    wrong = [(kinds[source], name) for source, query in found for name in columns_of(query) - COLUMNS[kinds[source]]]
    for source in objects["Source"]:
        texts = [value for name, value in source.items() if name.endswith("Expression") and isinstance(value, str)]
        names = {each.strip() for text in texts for each in text.split(",") if each.strip()}
        wrong += [(source["kind"], name) for name in names - COLUMNS[source["kind"]]]
    return [f"{kind}: {name}" for kind, name in wrong]


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_query_columns_that_exist(name: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """Objects that they create name only existing columns, and each condition was sent with its language."""
    before = {each["id"] for each in sandbox.objects("sources").values()}
    stack = FakeEngineStack(PROGRAMS[name], config=stack_config(sandbox), work_dir=tmp_path)
    stack.up()
    sources = [each for each in sandbox.objects("sources").values() if each["kind"] in COLUMNS]
    objects = {
        "Dashboard": list(sandbox.dashboards.values()),
        "SavedSearch": list(sandbox.objects("saved_searches").values()),
        "Source": [each for each in sources if each["id"] not in before],
    }
    assert objects["Dashboard"]
    assert misfits(objects, {each["id"]: each["kind"] for each in sources}) == []


def test_reference_queries_columns_that_exist() -> None:
    """Examples of the reference name only existing columns."""
    objects: dict[str, list[Any]] = {"Dashboard": [], "SavedSearch": [], "Source": []}
    for step in [step for examples in EXAMPLES.values() for example in examples for step in example.steps]:
        objects.get(step.kind, []).append(step.properties)
    assert all(objects.values())
    assert misfits(objects, KINDS) == []


@pytest.mark.parametrize("file", TRANSLATED)
def test_translations_query_columns_that_exist(file: str) -> None:
    """The programs in Go and Java name only existing columns; they declare the same stack as the quickstart."""
    names = TRANSLATED[file].findall((ROOT / "examples" / file).read_text(encoding="utf-8"))
    assert len(names) == 3
    assert set(names) <= COLUMNS["log"]
