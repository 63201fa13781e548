"""The structure of the packages: imports point downwards, files are small, and one registry has all resources."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import statistics
from abc import ABCMeta
from graphlib import CycleError, TopologicalSorter
from typing import TypeVar

import grimp
import importlinter.api
import pytest

from codegen.descriptions import description_of
from pulumi_clouddb import schema
from pulumi_clouddb.registry import FUNCTIONS, RESOURCES
from pulumi_clouddb.resource.base import Resource
from pulumi_clouddb.resource.state import state_from_wire
from pulumi_clouddb.schema.base import Model, Record
from pulumi_clouddb.schema.resource_type import FunctionType, ResourceType
from pulumi_clouddb.schema.thing import Thing
from pulumi_clouddb.schema.view import view_of
from support.sources import PACKAGES, PROVIDER, hand_written

Kind = TypeVar("Kind")

PACKAGE, TOOLS = PACKAGES
ROOT = PROVIDER / PACKAGE
THINGS = sorted({type(handler).__module__.split(".")[2] for handler in RESOURCES.values()})
CORE = ("schema", "client", "create", "resource", "things")
"""The folders without Pulumi; the contracts in pyproject.toml restrict their imports."""

LONGEST_FILE, LONGEST_MEDIAN, LONGEST_FUNCTION = 900, 280, 60
SECTION = re.compile(r"^(?:Args|Attributes):\n((?:    .*\n?|\n)+)", re.MULTILINE)
HEADING = re.compile(r"^ *(?:Args|Attributes):$", re.MULTILINE)
DOCUMENTED = re.compile(r"^    (\w+(?:, \w+)*):", re.MULTILINE)


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """Return all imports of both packages, including those of other packages."""
    return grimp.build_graph(PACKAGE, TOOLS, include_external_packages=True, cache_dir=None)


def third_party_imports(graph: grimp.ImportGraph, layer: str) -> set[str]:
    """Return the third-party packages that a layer imports."""
    module = f"{PACKAGE}.{layer}"
    modules = {module, *graph.find_descendants(module)}
    return {
        name.partition(".")[0]
        for each in modules
        for name in graph.find_modules_directly_imported_by(each)
        if not name.startswith(PACKAGE)
    }


def test_every_folder_is_in_a_contract(graph: grimp.ImportGraph) -> None:
    """A new folder of a package must be added to the contracts in pyproject.toml."""
    folders = graph.find_children(PACKAGE) - {f"{PACKAGE}.errors"} | graph.find_children(TOOLS)
    contracts = importlinter.api.read_configuration(str(PROVIDER.parent / "pyproject.toml"))["contracts_options"]
    layers = [layer for each in contracts if "containers" not in each for layer in each.get("layers", ())]
    assert folders == {name for layer in layers for name in layer.split(" | ")}


def test_schema_lists_its_modules(graph: grimp.ImportGraph) -> None:
    """The docstring of the package states the purpose of each module."""
    modules = {name.rpartition(".")[2] for name in graph.find_children(schema.__name__)}
    listed = re.findall("`([a-z_]+)`", (schema.__doc__ or "").partition("Its modules")[2])
    assert sorted(set(listed) - {"prop"}) == sorted(modules)


def test_imports_have_no_cycles(graph: grimp.ImportGraph) -> None:
    """This includes modules of one folder, imports for type checking, and imports in functions."""
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_things_use_only_the_client_for_requests(graph: grimp.ImportGraph) -> None:
    """They contain no URL, no status code and no HTTP library; a place in a description begins with the method."""
    for folder in ("create", "resource", "things"):
        assert not third_party_imports(graph, folder) & {"httpx", "sqlite3"}
    handlers = [file for folder in ("create", "resource", "things") for file in (ROOT / folder).rglob("*.py")]
    for file in sorted(file for file in handlers if file.name != "api.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not re.search("(?<![A-Z] )/(v1|api)/", node.value), f"{file.name}:{node.lineno}"
            if isinstance(node, ast.Compare):
                numbers = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
                assert not [n for n in numbers if type(n) is int and 400 <= n <= 599], f"{file.name}:{node.lineno}"


def test_one_function_sends_requests() -> None:
    """All requests go through the transport in sender.py."""
    senders = []
    for layer in (*CORE, "engine", "sdk"):
        for file in sorted((ROOT / layer).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            senders += [file.name] * len(re.findall(r"_transport\.handle_request\(", text))
            if file.name != "sender.py":
                assert "httpx.Client" not in text
    assert senders == ["sender.py"]


def test_one_module_prints() -> None:
    """It removes control characters from texts of servers and files."""
    files = [
        *(file for folder in ("commands", "render") for file in (PROVIDER / TOOLS / folder).rglob("*.py")),
        *ROOT.glob("*.py"),
    ]
    prints = re.compile(r"(?<![.\w])(print|Console|typer\.echo|sys\.std\w+\.write)\(")
    found = {file.name for file in files if prints.search(file.read_text(encoding="utf-8"))}
    assert found == {"printing.py", "__main__.py"}  # the second one where the packages for printing are missing


def test_one_module_knows_the_dialect() -> None:
    """No other module depends on the name of the dialect."""
    files_with_dialect = [
        str(file.relative_to(ROOT))
        for files in (
            *(f"{folder}/**/*.py" for folder in ("client", "create", "resource", "engine")),
            "things/*/resource.py",
        )
        for file in sorted(ROOT.glob(files))
        if "VocabularyName." in file.read_text(encoding="utf-8")
    ]
    assert files_with_dialect == ["client/dialect.py"]


def test_property_names_are_assigned_one_by_one() -> None:
    """In `A, B = property_names(…)`, mypy would not detect exchanged names; `property_name` reads one each."""
    placed = [
        f"{path.relative_to(PROVIDER)}:{node.lineno}"
        for path in PROVIDER.rglob("*.py")
        if "property_names(" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple)
        if "property_names(" in ast.unparse(node.value)
    ]
    assert placed == []


def test_files_are_small() -> None:
    """No file is longer than 900 lines, and half of them are shorter than 280."""
    lines = {name: len(text.splitlines()) for name, text in hand_written().items()}
    assert {name: count for name, count in lines.items() if count > LONGEST_FILE} == {}
    assert statistics.median(lines.values()) < LONGEST_MEDIAN
    # Generated files are not counted, because their generator determines their length.
    assert {name.split("/")[1] for name in lines} >= {*CORE, "engine", "sandbox", "testing"}


def test_functions_are_small() -> None:
    """No function body is longer than 60 lines, and at least 95 % have at most 40."""
    lengths: dict[str, int] = {}
    for name, text in hand_written().items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                length = (node.end_lineno or 0) - body[0].lineno + 1 if body else 0
                lengths[f"{name}:{node.lineno} {node.name}"] = length
    assert {name: count for name, count in lengths.items() if count > LONGEST_FUNCTION} == {}
    assert sum(count <= 40 for count in lengths.values()) >= 0.95 * len(lengths)


def test_no_module_imports_the_policies(graph: grimp.ImportGraph) -> None:
    """The pack is an extra: no other module imports it or pulumi-policy."""
    package = f"{PACKAGE}.policy"
    inside = {package, *graph.find_descendants(package)}
    users = {user for module in inside for user in graph.find_modules_that_directly_import(module)}
    assert users - inside == set()
    assert graph.find_modules_that_directly_import("pulumi_policy") <= inside


# -- the registry ----------------------------------------------------------------------------------------------------


def public(module: str, kind: type[Kind]) -> dict[str, Kind]:
    """Return the values of a type that a module defines under upper-case names."""
    return {
        name: value
        for name, value in vars(importlib.import_module(module)).items()
        if isinstance(value, kind) and name.isupper()
    }


def modules(layer: str) -> list[str]:
    """Return the names of a layer's modules."""
    return sorted(file.stem for file in (ROOT / layer).glob("*.py") if file.stem != "__init__")


MODULES = [f"{PACKAGE}.things.{thing}.{module}" for thing in THINGS for module in modules(f"things/{thing}")]


def test_registry_has_every_declared_resource() -> None:
    """Each resource type has a handler under its name."""
    defined = {value.name for module in MODULES for value in public(module, ResourceType).values()}
    assert set(RESOURCES) == defined
    assert all(name == handler.type.name for name, handler in RESOURCES.items())


def test_registry_has_every_declared_function() -> None:
    """Each function type can be called under its name; other functions are derived from handlers."""
    defined = {value.name for module in MODULES for value in public(module, FunctionType).values()}
    assert set(FUNCTIONS) >= defined
    assert all(name == function.type.name for name, function in FUNCTIONS.items())


@pytest.mark.parametrize("name", RESOURCES)
def test_resource_has_a_folder_and_a_class(name: str) -> None:
    """Its modules are in one folder; the class for programs is generated."""
    handler = RESOURCES[name]
    folder = type(handler).__module__.rpartition(".")[0]
    assert type(handler).__module__.endswith("resource")  # pipes have several
    assert handler.collection.__module__ == f"{folder}.api"
    assert handler.type.inputs.__module__.rpartition(".")[0] == folder
    assert handler.type.snake_name in modules("sdk")
    assert hasattr(importlib.import_module(PACKAGE), name)
    assert hasattr(importlib.import_module(PACKAGE), f"{name}Args")


def test_every_handler_is_registered() -> None:
    """Each handler class with a type is in the registry."""
    handlers = {
        value
        for module in MODULES
        for value in vars(importlib.import_module(module)).values()
        if issubclass(type(value), ABCMeta)  # to Python 3.10 an alias such as Mapping[str, Any] is an instance, too
        and issubclass(value, Resource)
        and not value.__abstractmethods__
        and hasattr(value, "type")
    }
    assert handlers == {type(handler) for handler in RESOURCES.values()}


@pytest.mark.parametrize("name", RESOURCES)
def test_names_in_a_resource_type_exist(name: str) -> None:
    """Rules, required outputs and repairs name existing properties."""
    kind = RESOURCES[name].type
    inputs = set(kind.inputs.model_json_schema()["properties"])
    outputs = {info.alias or attribute for attribute, info in kind.state.model_fields.items()}
    assert inputs <= outputs
    assert set(kind.required_outputs) <= outputs
    assert set(kind.state_inputs) <= inputs
    assert {rule.path for rule in kind.inputs.RULES} <= inputs
    state = state_from_wire(kind, {"lastError": "not ready"}, view_of)
    moved = RESOURCES[name].outputs_changed_by(state, tuple(inputs))
    assert {*moved, *RESOURCES[name].needs_repair(state)} <= outputs
    assert issubclass(kind.inputs, Model)
    assert kind.token == f"clouddb:index:{name}"


def test_every_property_is_documented() -> None:
    """Each property of each model has a description that ends as a sentence."""
    declared = [
        value
        for module in [*MODULES, *(f"{PACKAGE}.schema.{module}" for module in modules("schema"))]
        for value in vars(importlib.import_module(module)).values()
        if inspect.isclass(value) and issubclass(value, (Model, Record)) and not issubclass(value, Thing)
    ]
    for model in (*declared, *(handler.type.state for handler in RESOURCES.values())):
        model.model_rebuild()
        for attribute in model.model_fields:
            description = description_of(model, attribute)
            assert len(description) > 5, f"{model.__name__}.{attribute}"
            assert description[-1] in ".`", f"{model.__name__}.{attribute}"


def documented(node: ast.ClassDef | ast.FunctionDef) -> set[str]:
    """Return the names under `Args:` and `Attributes:` of a docstring."""
    sections = SECTION.findall(ast.get_docstring(node) or "")
    return {name for section in sections for names in DOCUMENTED.findall(section) for name in names.split(", ")}


def declared(node: ast.ClassDef | ast.FunctionDef) -> set[str]:
    """Return the arguments of a function; of a class, its members, and the attributes and arguments of its methods."""
    names = {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
    if isinstance(node, ast.ClassDef):
        stored = [each for each in ast.walk(node) if isinstance(getattr(each, "ctx", None), ast.Store)]
        names |= {each.id for each in stored if isinstance(each, ast.Name)}
        names |= {each.attr for each in stored if isinstance(each, ast.Attribute)}
        names |= {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    return names


@pytest.mark.parametrize("folder", ["provider", "tests", "tools"])
def test_names_in_docstrings_exist(folder: str) -> None:
    """Each argument and attribute that a docstring describes exists."""
    unknown = []
    for file in sorted((PROVIDER.parent / folder).rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if HEADING.search(text) else ():
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and (names := documented(node)):
                names -= declared(node)
                unknown += [f"{file.relative_to(PROVIDER.parent)}:{node.lineno} {name}" for name in sorted(names)]
    assert not unknown
