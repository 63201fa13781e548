"""The typed Python of sdk/ and policy/, generated from schema.json and the models with templates."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from pydantic.alias_generators import to_pascal, to_snake

from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.public_names import python_name
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.things.dashboards.tile_config_fields import (
    BUILDER,
    RAW_SQL,
    REQUIRED,
    SQL_REQUIRED,
    ConfigType,
    DisplayType,
)

from . import python_text
from .names import NOTICE, Json, base_name, examples_of, named_type, prose, reachable
from .permissions import permissions
from .public_names import name_groups
from .schema import is_open

GIVEN = "Objects within the arguments"
READ = "Objects within the outputs"

_PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def modules(schema: Json) -> dict[str, str]:
    """Return the text of each generated module by its path in the package."""
    resources = {base_name(token): spec for token, spec in schema["resources"].items()}
    functions = {base_name(token): spec for token, spec in schema["functions"].items()}
    roots = {to_snake(name): spec for name, spec in resources.items()}
    given = _by_user(
        {module: [spec["inputProperties"]] for module, spec in roots.items()}
        | {"functions": [spec["inputs"]["properties"] for spec in functions.values()]},
        schema,
    )
    read = _by_user(
        {module: [spec["properties"]] for module, spec in roots.items()}
        | {"functions": [spec["outputs"]["properties"] for spec in functions.values()]},
        schema,
    )
    enums = dict(sorted((name, spec) for types in given.values() for name, spec in types.items() if "enum" in spec))
    inputs, outputs = _objects(given), _objects(read)
    kinds = list(_kinds_of_tile(named_type(schema, python_text.TILE_CONFIG)["properties"]))
    inputs_of = {module: _input_names(types, kinds) for module, types in inputs.items()}
    exports = {
        "_enums": [each for name in enums for each in (name, f"{name}Value")],
        "_inputs": [name for names in inputs_of.values() for name in names],
        "functions": [each for name in functions for each in _function_names(name)],
        "_files": ["dashboard_from_file"],
        **{to_snake(name): [name, f"{name}Args"] for name in resources},
    }
    environment = _environment(schema, exports)

    def write(template: str, **values: Any) -> str:
        return environment.get_template(f"{template}.py.jinja").render(values)

    texts = {
        "__init__.py": write("package"),
        "sdk/__init__.py": write("sdk"),
        "sdk/_enums.py": write("enums", types=enums, open_lists=[*filter(is_open, enums)]),
        "sdk/_inputs/__init__.py": write("types", about=f"{GIVEN}, and the types of their dicts.", modules=inputs_of),
        "sdk/outputs/__init__.py": write("types", about=f"{READ}.", modules=outputs),
        "sdk/functions.py": write("functions", functions=functions),
        "schema/_public_names.py": write("public_names", groups=name_groups()),
        "schema/_version.py": write("version", version=schema["version"]),
        "schema/_permissions.py": write(
            "permissions", notice=NOTICE.format("tests/description"), permissions=permissions()
        ),
        "policy/resources.py": write("policy", resources=[_importable(each.type) for each in RESOURCES.values()]),
    }
    for module, types in inputs.items():
        values = {"types": types, "earlier": _earlier(inputs_of, module), "about": f"{GIVEN} of {module}."}
        texts[f"sdk/_inputs/{module}.py"] = write("inputs", tile_config=python_text.TILE_CONFIG, kinds=kinds, **values)
    for module, types in outputs.items():
        values = {"types": types, "earlier": _earlier(outputs, module), "about": f"{READ} of {module}."}
        texts[f"sdk/outputs/{module}.py"] = write("outputs", **values)
    for name, spec in resources.items():
        texts[f"sdk/{to_snake(name)}.py"] = write(
            "resource", name=name, spec=spec, deleted_first_unless=RESOURCES[name].deleted_first_unless
        )
    return _formatted(texts)


def _kinds_of_tile(properties: Json) -> Iterator[Json]:
    """Yield the classes of tile configs by display type, each with its properties and the required ones."""
    for sql, table in ((False, BUILDER), (True, RAW_SQL)):
        for display, names in table.items():
            kind = DisplayType(display)
            own = {name: _of_one_kind(spec) for name, spec in properties.items() if name in names}
            yield {
                "name": f"{'Sql' if sql else ''}{to_pascal(kind.value)}TileConfig",
                "about": f"What a tile of `displayType` `{kind.value}` shows{' with raw SQL' if sql else ''}: "
                f"{kind.meaning}.",
                "fixed": {"display_type": kind.value, **({"config_type": ConfigType.SQL.value} if sql else {})},
                "properties": own,
                "required": SQL_REQUIRED if sql else REQUIRED[display],
            }


def _of_one_kind(spec: Json) -> Json:
    """Return a property without the kinds in its description."""
    sentences = re.split(r"(?<=\.) (?=[A-Z])", spec["description"])
    return {**spec, "description": " ".join(each for each in sentences if "displayType" not in each)}


def _importable(resource: ResourceType) -> ResourceType:
    """Return the type of a resource, after checking that generated code can import it by its name.

    Raises:
        LookupError: The module of its inputs does not hold it under that name.
    """
    module, constant = resource.inputs.__module__, resource.snake_name.upper()
    if getattr(import_module(module), constant, None) != resource:
        raise LookupError(f"the type of {resource.name} must be {constant} in {module}")
    return resource


def _by_user(roots: Mapping[str, list[Json]], schema: Json) -> dict[str, Json]:
    """Return the named types by the module of their first user, each after the types to which it refers."""
    groups: dict[str, Json] = {}
    seen: set[str] = set()
    for module, properties in roots.items():
        groups[module] = {name: spec for name, spec in _types(properties, schema).items() if name not in seen}
        seen.update(groups[module])
    return groups


def _objects(groups: Mapping[str, Json]) -> dict[str, Json]:
    """Return the modules that have objects, with these alone."""
    objects = {
        module: {name: spec for name, spec in types.items() if "enum" not in spec} for module, types in groups.items()
    }
    return {module: types for module, types in objects.items() if types}


def _earlier(groups: Mapping[str, Iterable[str]], module: str) -> Json:
    """Return the modules before one, which may import from these alone."""
    return {each: list(groups[each]) for each in takewhile(lambda each: each != module, groups)}


def _input_names(types: Iterable[str], kinds: Iterable[Json]) -> list[str]:
    """Return the Python names of objects in arguments; each kind of a tile has a class of its own."""
    tile = python_text.TILE_CONFIG
    more = [f"{tile}KindArgsDict"] if tile in types else []
    classes = [*types, *(kind["name"] for kind in kinds if more)]
    return [*(f"{name}{end}" for name in classes for end in ("Args", "ArgsDict")), *more]


def _types(roots: Iterable[Json], schema: Json) -> Json:
    """Return the named types to which properties refer, each after the types to which it refers."""
    return {name: named_type(schema, name) for name in reachable(roots, schema)}


def _function_names(name: str) -> tuple[str, str, str]:
    """Return the Python names of a function's result, of the function, and of its form with outputs."""
    return f"{name[0].upper()}{name[1:]}Result", to_snake(name), f"{to_snake(name)}_output"


def _environment(schema: Json, exports: Mapping[str, list[str]]) -> Environment:
    """Return the environment of the templates, with filters and global values."""

    def nested_secrets(properties: Json) -> tuple[str, ...]:
        """Return the wire names of all secret properties at any depth."""
        groups = [properties, *(spec.get("properties", {}) for spec in _types([properties], schema).values())]
        return tuple(sorted({key for group in groups for key, spec in group.items() if "secret" in spec}))

    environment = Environment(
        loader=PackageLoader("codegen"),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - the output is Python, not HTML
    )
    environment.filters.update(python_text.FILTERS)
    environment.filters.update(
        examples=lambda spec: examples_of(spec, "python"),
        function_names=_function_names,
        nested_secrets=nested_secrets,
        prose=prose,
        snake=python_name,
        tuple=tuple,
    )
    names = ["outputs", *(name for group in exports.values() for name in group)]
    environment.globals.update(notice=NOTICE.format("schema.json"), exports=exports, names=names)
    return environment


def _formatted(texts: Mapping[str, str]) -> dict[str, str]:
    """Return modules without unused imports, with sorted imports and exports, formatted by `ruff format`."""
    with TemporaryDirectory() as folder:
        files = {name: Path(folder, name) for name in texts}
        for name, file in files.items():
            file.parent.mkdir(exist_ok=True, parents=True)
            file.write_text(texts[name], encoding="utf-8")
        # In separate runs: sorting splits imports over lines, and they stay split after the removal of unused ones.
        for command in (["check", "--fix", "--select=F401"], ["check", "--fix", "--select=I001,RUF022"], ["format"]):
            ruff = [sys.executable, "-m", "ruff", *command, "--quiet", "--no-cache", "--config", str(_PROJECT), folder]
            subprocess.run(ruff, check=True)  # noqa: S603 - a fixed command
        return {name: file.read_text(encoding="utf-8") for name, file in files.items()}
