"""The shape of the package: imports point downwards, files stay small, and one registry says what there is."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import statistics
from abc import ABCMeta
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

import pulumi_clouddb
from lives import LIVES, WIRE_LIVES
from pulumi_clouddb.registry import FUNCTIONS, RESOURCES
from pulumi_clouddb.resource.base import Resource
from pulumi_clouddb.resource.state import state_from_wire
from pulumi_clouddb.schema.base import Model, Record
from pulumi_clouddb.schema.resource_type import FunctionType, ResourceType
from pulumi_clouddb.schema.view import view_of

PACKAGE = "pulumi_clouddb"
ROOT = Path(pulumi_clouddb.__file__).parent
COLUMN = ("models", "api", "resources", "pulumi_wire", "dynamic", "sdk")
"""The layers from the lowest to the highest; each may import those before it."""

BESIDE = {
    "plugin": {"models", "api", "resources", "pulumi_wire"},
    "render": {"models", "api", "resources", "pulumi_wire"},
    "sandbox": {"models", "api", "render"},
    "testing": {"models", "pulumi_wire", "sandbox"},
    "policy": {"models", "pulumi_wire"},
    "printing": {"models"},
    "gitops": {"models", "pulumi_wire", "render", "doctor", "printing"},
    "doctor": {"models", "api", "resources", "pulumi_wire", "plugin"},
    "export": {"models", "api", "resources", "pulumi_wire", "dynamic", "plugin"},
    "cli": {
        *("gitops", "doctor", "export", "render", "sandbox", "printing"),
        *("models", "api", "resources", "pulumi_wire", "dynamic", "plugin"),
    },
}
"""What stands beside the column, and what of it may be imported."""

LONGEST_FILE, LONGEST_MEDIAN, LONGEST_FUNCTION = 900, 280, 60
GENERATED = re.compile(r"generated", re.IGNORECASE)


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """All imports of the package, those of other packages included."""
    return grimp.build_graph(PACKAGE, include_external_packages=True, cache_dir=None)


def layers_of(graph: grimp.ImportGraph, layer: str) -> set[str]:
    """Return the layers of this package that a layer imports, itself left out."""
    module = f"{PACKAGE}.{layer}"
    imported: set[str] = set()
    for each in {module, *graph.find_descendants(module)}:
        for name in graph.find_modules_directly_imported_by(each):
            if name.startswith(f"{PACKAGE}."):
                imported.add(name.split(".")[1])
    return imported - {layer}


def others_of(graph: grimp.ImportGraph, layer: str) -> set[str]:
    """Return the other packages that a layer imports."""
    module = f"{PACKAGE}.{layer}"
    modules = {module, *graph.find_descendants(module)}
    return {
        name.partition(".")[0]
        for each in modules
        for name in graph.find_modules_directly_imported_by(each)
        if not name.startswith(PACKAGE)
    }


@pytest.mark.parametrize("layer", COLUMN)
def test_imports_point_downwards(layer: str, graph: grimp.ImportGraph) -> None:
    """Nothing in the column knows what stands above it."""
    assert layers_of(graph, layer) <= set(COLUMN[: COLUMN.index(layer)])


@pytest.mark.parametrize("layer", BESIDE)
def test_what_stands_beside_leans_on_few_layers(layer: str, graph: grimp.ImportGraph) -> None:
    """The column does not know it, and it knows no more of the column than it needs."""
    assert layers_of(graph, layer) <= BESIDE[layer]


def test_every_module_has_its_place(graph: grimp.ImportGraph) -> None:
    """A new folder of the package is put into the picture first."""
    children = {name.split(".")[1] for name in graph.find_children(PACKAGE)}
    assert children <= {*COLUMN, *BESIDE, "errors"}
    assert layers_of(graph, "errors") == {"api"}  # the public names of what is declared there
    assert {*COLUMN, *BESIDE} <= children


def test_no_imports_go_round_in_a_circle(graph: grimp.ImportGraph) -> None:
    """Not between two modules of a room either, and not for type checking only, nor within functions."""
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_nothing_of_the_product_needs_what_is_for_tests(graph: grimp.ImportGraph) -> None:
    """Whoever runs programs, previews or policies never loads the room `testing`."""
    room = f"{PACKAGE}.testing"
    inside = {room, *graph.find_descendants(room)}
    assert {user for name in inside for user in graph.find_modules_that_directly_import(name)} <= inside


@pytest.mark.parametrize("layer", ["models", "api", "resources", "render", "sandbox"])
def test_nothing_below_the_front_ends_knows_pulumi(layer: str, graph: grimp.ImportGraph) -> None:
    """Neither its SDK nor its wire."""
    assert not others_of(graph, layer) & {"pulumi", "grpc", "google", "dill"}


def test_models_know_neither_http_nor_state(graph: grimp.ImportGraph) -> None:
    """What the interface says needs pydantic, and nothing that talks."""
    assert others_of(graph, "models") & {"httpx", "tenacity", "pyrate_limiter", "starlette"} == set()


def test_resources_speak_through_the_api_only(graph: grimp.ImportGraph) -> None:
    """They hold no URL, no status number and no HTTP."""
    assert not others_of(graph, "resources") & {"httpx", "tenacity", "pyrate_limiter"}
    for file in sorted((ROOT / "resources").glob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert "/v1/" not in node.value, f"{file.name}:{node.lineno}"
                assert "/api/" not in node.value, f"{file.name}:{node.lineno}"
            if isinstance(node, ast.Compare):
                numbers = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
                assert not [n for n in numbers if type(n) is int and 400 <= n <= 599], f"{file.name}:{node.lineno}"


def test_there_is_one_funnel() -> None:
    """One place of the column sends requests."""
    senders = []
    for layer in ("models", "api", "resources", "dynamic", "sdk"):
        for file in sorted((ROOT / layer).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            senders += [file.name] * len(re.findall(r"_transport\.handle_request\(", text))
            if file.name != "client.py":
                assert "httpx.Client" not in text
    assert senders == ["client.py"]


def test_one_module_prints() -> None:
    """So that no command shows a control character of a server or a file."""
    files = [
        *(file for room in ("cli", "gitops", "doctor", "export", "render") for file in (ROOT / room).rglob("*.py")),
        *ROOT.glob("*.py"),
    ]
    prints = re.compile(r"(?<![.\w])(print|Console|typer\.echo|sys\.std\w+\.write)\(")
    assert [file.name for file in files if prints.search(file.read_text(encoding="utf-8"))] == ["printing.py"]


def test_one_module_knows_the_vocabulary() -> None:
    """Nobody else asks which words are spoken."""
    asking = [
        str(file.relative_to(ROOT))
        for layer in ("api", "resources", "dynamic")
        for file in sorted((ROOT / layer).rglob("*.py"))
        if "VocabularyName." in file.read_text(encoding="utf-8")
    ]
    assert asking == ["client/dialect.py"]


def hand_written() -> dict[str, int]:
    """Return the lines of each file that is written by hand."""
    found: dict[str, int] = {}
    for file in sorted(ROOT.rglob("*.py")):
        lines = file.read_text(encoding="utf-8").splitlines()
        if lines and not GENERATED.search("\n".join(lines[:5])):
            found[str(file.relative_to(ROOT))] = len(lines)
    return found


def test_files_stay_small() -> None:
    """No file is longer than 900 lines, and half of them are shorter than 280."""
    lines = hand_written()
    assert {name: count for name, count in lines.items() if count > LONGEST_FILE} == {}
    assert statistics.median(lines.values()) < LONGEST_MEDIAN
    # Generated files are left out above; they are what their generator makes of the models.
    assert {name.split("/")[0] for name in lines} >= {"models", "api", "resources", "dynamic", "sandbox", "testing"}


def test_functions_stay_small() -> None:
    """No function's body is longer than 60 lines, and of all at least 95 of 100 have at most 40."""
    lengths: dict[str, int] = {}
    for name in hand_written():
        for node in ast.walk(ast.parse((ROOT / name).read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                length = (node.end_lineno or 0) - body[0].lineno + 1 if body else 0
                lengths[f"{name}:{node.lineno} {node.name}"] = length
    assert {name: count for name, count in lengths.items() if count > LONGEST_FUNCTION} == {}
    assert sum(count <= 40 for count in lengths.values()) >= 0.95 * len(lengths)


def test_nothing_needs_the_policies(graph: grimp.ImportGraph) -> None:
    """The pack is an extra: nothing imports it, and nothing else imports pulumi-policy."""
    package = f"{PACKAGE}.policy"
    inside = {package, *graph.find_descendants(package)}
    users = {user for module in inside for user in graph.find_modules_that_directly_import(module)}
    assert users - inside == set()
    assert graph.find_modules_that_directly_import("pulumi_policy") <= inside


# -- the registry ----------------------------------------------------------------------------------------------------


def public(module: str, kind: type) -> dict[str, object]:
    """Return the values of a kind that a module defines under upper-case names."""
    return {
        name: value
        for name, value in vars(importlib.import_module(module)).items()
        if isinstance(value, kind) and name.isupper()
    }


def modules(layer: str) -> list[str]:
    """Return the names of a layer's modules."""
    return sorted(file.stem for file in (ROOT / layer).glob("*.py") if file.stem != "__init__")


def test_the_registry_names_every_resource_that_the_models_define() -> None:
    """A resource that has a model has a handler, under the name that the model gives it."""
    defined = {
        value.name
        for module in modules("models")
        for value in public(f"{PACKAGE}.models.{module}", ResourceType).values()
        if isinstance(value, ResourceType)
    }
    assert set(RESOURCES) == defined
    assert all(name == handler.type.name for name, handler in RESOURCES.items())


def test_the_registry_names_every_function_that_the_models_define() -> None:
    """A function that has a model can be called, under the name that the model gives it."""
    defined = {
        value.name
        for module in modules("models")
        for value in public(f"{PACKAGE}.models.{module}", FunctionType).values()
        if isinstance(value, FunctionType)
    }
    assert set(FUNCTIONS) == defined
    assert all(name == function.type.name for name, function in FUNCTIONS.items())


@pytest.mark.parametrize("name", RESOURCES)
def test_each_resource_has_a_file_of_its_name_in_every_layer(name: str) -> None:
    """The model, what it means, and the class that programs import."""
    handler = RESOURCES[name]
    file = handler.type.snake_name
    assert type(handler).__name__ == f"{name}Resource"
    assert type(handler).__module__ == f"{PACKAGE}.resources.{file}"
    assert handler.type.inputs.__module__ == handler.type.state.__module__ == f"{PACKAGE}.models.{file}"
    assert file in modules("sdk")
    assert hasattr(importlib.import_module(PACKAGE), name)
    assert hasattr(importlib.import_module(PACKAGE), f"{name}Args")


def test_every_resource_is_taken_through_life() -> None:
    """The tests of both front ends and the fault matrix go by the lives."""
    lived = {life.name for life in LIVES.values()}
    assert lived == set(RESOURCES), "tests/lives/ must hold a life of each resource"
    assert {life.life.name for life in WIRE_LIVES} == set(RESOURCES)


def test_every_handler_is_registered() -> None:
    """No handler is written and forgotten."""
    written = {
        value
        for module in modules("resources")
        for value in vars(importlib.import_module(f"{PACKAGE}.resources.{module}")).values()
        if issubclass(type(value), ABCMeta)  # to Python 3.10 an alias such as Mapping[str, Any] is an instance, too
        and issubclass(value, Resource)
        and not value.__abstractmethods__
        and hasattr(value, "type")
    }
    assert written == {type(handler) for handler in RESOURCES.values()}


@pytest.mark.parametrize("name", RESOURCES)
def test_names_that_a_resource_s_type_uses_exist(name: str) -> None:
    """Rules, promised outputs and look-ups name properties that there are."""
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
    """Each property of each model says what it means, in words that end."""
    for module in modules("models"):
        for value in vars(importlib.import_module(f"{PACKAGE}.models.{module}")).values():
            if inspect.isclass(value) and issubclass(value, (Model, Record)):
                for attribute, info in value.model_fields.items():
                    description = info.description or ""
                    assert len(description) > 5, f"{value.__name__}.{attribute}"
                    assert description[-1] in ".`", f"{value.__name__}.{attribute}"
