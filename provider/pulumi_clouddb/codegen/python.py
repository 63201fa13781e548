"""The typed Python classes in sdk/, written from schema.json."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .names import base_name, named_type, reachable, snake_case
from .python_functions import function_definitions, function_names
from .python_resources import resource_classes
from .python_text import HEADER, from_import, isort_key
from .python_types import enum_classes, input_classes, output_classes

Json = dict[str, Any]

_STANDARD = {"collections.abc": ["Mapping", "Sequence"], "enum": ["Enum"], "typing": ["Any", "overload"]}

_ROOT = '''{header}
"""Pulumi resources for managed database services, their pipes and keys, dashboards and alerts.

Each name is loaded when it is first used, so that parts that need no Pulumi, such as the sandbox, start without it.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    {imports}

    __version__: str

__all__ = [
{names}
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return version("pulumi-clouddb")
    if name in __all__:
        return getattr(import_module(".sdk", __name__), name)
    raise AttributeError(f"module {{__name__!r}} has no attribute {{name!r}}")


def __dir__() -> list[str]:
    return sorted({{*globals(), *__all__}})
'''


def modules(schema: Json) -> dict[str, str]:
    """Return the text of each generated module by its path in the package."""
    resources = {base_name(token): spec for token, spec in schema["resources"].items()}
    functions = {base_name(token): spec for token, spec in schema["functions"].items()}
    given = list(reachable((spec["inputProperties"] for spec in resources.values()), schema))
    answered = [spec["properties"] for spec in resources.values()]
    answered += [spec["outputs"]["properties"] for spec in functions.values()]
    objects = [name for name in given if "enum" not in named_type(schema, name)]
    enums = sorted(set(given) - set(objects))
    results = [name for name in reachable(answered, schema) if "enum" not in named_type(schema, name)]
    exports = {
        "_enums": enums,
        "_inputs": [f"{name}Args" for name in objects],
        **{snake_case(name): [name, f"{name}Args"] for name in resources},
        "functions": [part for name in functions for part in function_names(name)],
    }
    files = {
        "_enums": ("Words that properties take; other words are passed through.", enum_classes(enums, schema)),
        "_inputs": ("Objects within the arguments of resources.", input_classes(objects, schema)),
        "outputs": ("Objects within the outputs of resources and functions.", output_classes(results, schema)),
        "functions": ("Functions: they read and never write.", function_definitions(functions, schema)),
    }
    for name, spec in resources.items():
        files[snake_case(name)] = (f"The resource {name} and its arguments.", resource_classes(name, spec))
    local = {
        "": ["outputs"],
        "_base": ["Args", "DynamicResource", "call", "call_output", "deprecated"],
        "_enums": exports["_enums"],
        "_inputs": exports["_inputs"],
    }
    texts = {f"sdk/{name}.py": _module(about, lines, local) for name, (about, lines) in files.items()}
    return {**texts, "sdk/__init__.py": _package(exports), "__init__.py": _root(exports)}


def _module(about: str, lines: list[str], local: Mapping[str, Sequence[str]]) -> str:
    """Put in front of the text of a module the imports that it uses."""
    text = "\n".join(lines)
    code = re.sub(r'""".*?"""', "", text, flags=re.DOTALL)
    defined = set(re.findall(r"^class (\w+)", code, re.MULTILINE))

    def used(names: Iterable[str]) -> list[str]:
        return sorted(name for name in names if name not in defined and re.search(rf"\b{name}\b", code))

    groups = [
        [from_import(name, used(_STANDARD[name])) for name in _STANDARD if used(_STANDARD[name])],
        ["import pulumi"] if used(["pulumi"]) else [],
        [from_import(f".{name}", used(names)) for name, names in local.items() if used(names)],
    ]
    shadows = re.search(r"^ +(type|id): .*,$", code, re.MULTILINE)
    notes = ["# ruff: noqa: A002 - the names of arguments are the schema's"] if shadows else []
    notes += ["# mypy: disable-error-code=no-any-return"] if "return pulumi.get(" in code else []
    head = "\n".join([HEADER, *notes, f'"""{about}"""'])
    return "\n\n".join([head, *("\n".join(group) for group in groups if group)]) + f"\n\n\n{text}\n"


def _package(exports: Mapping[str, Sequence[str]]) -> str:
    imports = ["from . import outputs", *(from_import(f".{name}", sorted(exports[name])) for name in sorted(exports))]
    names = sorted({"outputs", *(name for group in exports.values() for name in group)}, key=isort_key)
    lines = [HEADER, '"""The typed classes that programs import."""', "", *imports, "", "__all__ = ["]
    return "\n".join([*lines, *(f'    "{name}",' for name in names), "]", ""])


def _root(exports: Mapping[str, Sequence[str]]) -> str:
    names = sorted({"outputs", *(name for group in exports.values() for name in group)}, key=isort_key)
    every = sorted([*names, "__version__"], key=isort_key)
    return _ROOT.format(
        header=HEADER,
        imports=from_import(".sdk", names).replace("\n", "\n    "),
        names="\n".join(f'    "{name}",' for name in every),
    )
