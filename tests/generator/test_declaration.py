"""A resource is one declaration: a folder, its examples and a line; a missing part is named."""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import codegen.examples
from codegen import docs
from codegen.docs import pages
from codegen.python import modules
from codegen.schema import build_schema
from pulumi_clouddb import registry, things
from pulumi_clouddb.things.saved_queries.resource import SavedQueryResource

ROOT = Path(__file__).parents[2]
MEMO = ROOT / "tests" / "data" / "memo"
REGISTRY = "provider/pulumi_clouddb/registry.py"
EXAMPLES = "examples"
PARTS = ("memo", "api", "resource", EXAMPLES)

Declare = Callable[..., None]


@pytest.fixture
def declare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Declare]:
    """Return a function that declares a memo, with one text replaced: `declare("api", "DELETE", "OTHER")`."""
    folder, examples = tmp_path / "memos", tmp_path / "more" / "memo.py"
    monkeypatch.setattr(things, "__path__", [*things.__path__, str(tmp_path)])
    monkeypatch.setattr(codegen.examples, "__path__", [*codegen.examples.__path__, str(examples.parent)])

    def make(part: str = "", old: str = "", new: str = "") -> None:
        folder.mkdir()
        examples.parent.mkdir()
        (folder / "__init__.py").touch()
        for each in PARTS:
            text = (MEMO / f"{each}.py").read_text(encoding="utf-8")
            assert each != part or old in text
            file = examples if each == EXAMPLES else folder / f"{each}.py"
            file.write_text(text.replace(old, new) if each == part else text, encoding="utf-8")
        importlib.invalidate_caches()
        memo = importlib.import_module("pulumi_clouddb.things.memos.resource").MemoResource()
        more = importlib.import_module("codegen.examples.memo").EXAMPLES
        monkeypatch.setattr(codegen.examples, "EXAMPLES", {**codegen.examples.EXAMPLES, **more})
        monkeypatch.setattr(registry, "COLLECTIONS", (*registry.COLLECTIONS, memo.collection))
        monkeypatch.setitem(registry.HANDLERS, memo.type.name, "memos.resource:MemoResource")
        for function in memo.functions:
            monkeypatch.setitem(registry.FUNCTIONS, function.type.name, function)
        for operation in memo.collection.operations():
            monkeypatch.setitem(registry.OPERATIONS, operation.name, operation)

    yield make
    registry._loaded.cache_clear()
    for name in [
        name for name in sys.modules if name.startswith(("pulumi_clouddb.things.memos", "codegen.examples.memo"))
    ]:
        del sys.modules[name]


def served() -> set[str]:
    """Return the operations of a sandbox that starts now."""
    spec = importlib.util.find_spec("clouddb_tools.sandbox.handlers")
    assert spec
    assert spec.loader
    handlers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(handlers)
    return set(handlers.HANDLERS)


def test_everything_is_generated_from_a_declaration(
    declare: Declare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The schema, the class, the page, the sandbox and the policies contain the resource."""
    declare()
    monkeypatch.setattr(docs, "BEHAVIOUR", tmp_path)
    (tmp_path / "memo.md").write_text("It fades.\n", encoding="utf-8")
    schema = build_schema()
    assert "clouddb:index:Memo" in schema["resources"]
    assert "clouddb:index:getMemo" in schema["functions"]
    texts = modules(schema)
    assert "class Memo(" in texts["sdk/memo.py"]
    assert "is_memo" in texts["policy/resources.py"]
    assert "# getMemo" in pages(schema)["functions/get_memo.md"]
    page = pages(schema)["memo.md"]
    assert "Title of the memo. Must not be empty. Must have at most 20 characters." in page
    assert "pulumi import" in page
    assert page.index("## Examples") < page.index("It fades.") < page.index("## Inputs")
    assert served() >= {"create_memo", "get_memo", "update_memo", "delete_memo", "list_memos"}


MISSING = {
    "the example": (EXAMPLES, '"Memo": (', '"Mem": (', "Memo has no example"),
    "the example of the function": (EXAMPLES, '"getMemo": (', '"getMem": (', "getMemo has no example"),
    "an argument of the function": (
        EXAMPLES,
        '{"memoId"',
        '{"memId"',
        r"memo.py: getMemo, 'Read a memo': getMemo has no property memId; did you mean memoId\?; it has memoId",
    ),
    "an input of the resource": (
        EXAMPLES,
        '"name": "Todo", ',
        "",
        "examples/memo.py: Memo, 'Keep a memo': Memo requires name",
    ),
    "the function of an example": (EXAMPLES, '"memo", "getMemo"', '"memo", "getMem"', "there is no getMem"),
    "the output that an example exports": (
        EXAMPLES,
        'Ref("memo.name")',
        'Ref("memo.titel")',
        "memo has no output titel",
    ),
    "the statement that an example refers to": (
        EXAMPLES,
        'Ref("memo.name")',
        'Ref("other.name")',
        "other.name refers to no earlier statement",
    ),
    "the type under its usual name": ("memo", "MEMO = Res", "TYPE = Res", "MEMO"),
    "the delete operation": ("api", "    DELETE = ", "    OTHER = ", "Memos has no DELETE"),
    "the read of what its list leaves out": (
        "api",
        "    GET = ",
        '    not_listed = ("text",)\n    OTHER = ',
        "Memos has no GET",
    ),
    "the model of request bodies": (
        "api",
        "    body = body_of(Memo)\n",
        "",
        "their collection needs a `body`, or sandbox/ a module of its name",
    ),
    "the collection of the handler": ("resource", "    collection = Memos\n", "", "MemoResource has no collection"),
}


@pytest.mark.parametrize(("part", "old", "new", "message"), MISSING.values(), ids=MISSING)
def test_missing_part_is_named(
    part: str, old: str, new: str, message: str, declare: Declare, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package, the generator or the start of the sandbox raises."""

    def use() -> None:
        declare(part, old, new)
        monkeypatch.setattr("codegen.schema.RESOURCES", {"Memo": registry.RESOURCES["Memo"]})
        monkeypatch.setattr("codegen.schema.FUNCTIONS", {"getMemo": registry.FUNCTIONS["getMemo"]})
        build_schema()
        served()

    with pytest.raises((LookupError, TypeError, ImportError), match=message):
        use()


def test_name_that_another_service_may_have_is_no_id() -> None:
    """A run would keep an object that the program no longer has, since another one has its id."""
    named = type("NamedQueryResource", (SavedQueryResource,), {"name_is_id": True})
    with pytest.raises(TypeError, match="NamedQueryResource has a name as its id, which another service may have"):
        named()


@pytest.mark.slow
def test_resource_works_in_both_front_ends(tmp_path: Path) -> None:
    """It is added to a copy of the package, in which the generator runs."""
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for folder in ("benchmarks", "provider", "tools", "docs", "tests/description"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    for file in ("pyproject.toml", "README.md", "schema.json"):
        shutil.copy(ROOT / file, tmp_path / file)
    memos = tmp_path / "provider/pulumi_clouddb/things/memos"
    memos.mkdir()
    (memos / "__init__.py").touch()
    for part in PARTS:
        place = tmp_path / "tools/codegen/examples/memo.py" if part == EXAMPLES else memos / f"{part}.py"
        shutil.copy(MEMO / f"{part}.py", place)
    text = (tmp_path / REGISTRY).read_text(encoding="utf-8")
    line = '    "Alert": "alerts.resource:AlertResource",\n'
    assert line in text
    text = text.replace(line, f'{line}    "Memo": "memos.resource:MemoResource",\n')
    (tmp_path / REGISTRY).write_text(text, encoding="utf-8")
    assert run(tmp_path, "-m", "codegen") == ""
    assert run(tmp_path, str(MEMO / "life.py"), str(tmp_path)) == "lived\n"


def run(copy: Path, *arguments: str) -> str:
    """Run Python with the copy of the package, and return the output."""
    tests = (ROOT / "tests" / part for part in ("", "provider", "tools"))
    places = [copy / "provider", copy / "tools", *tests]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places))}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=copy, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
