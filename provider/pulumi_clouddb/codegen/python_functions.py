"""Python functions, each as a plain call and as one that takes and returns outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .names import prose, snake_case
from .python_resources import example_docs
from .python_text import docstring, optional, parameter_docs, plain_type, signature, string_tuple
from .python_types import input_parameters, output_class

Json = dict[str, Any]

_OPTIONS = "opts: pulumi.InvokeOutputOptions | None = None"


def function_names(name: str) -> list[str]:
    """Return the Python names that one function gives rise to."""
    return [_result(name), snake_case(name), f"{snake_case(name)}_output"]


def function_definitions(functions: Mapping[str, Json], schema: Json) -> list[str]:
    """Return the result classes and the functions."""
    lines: list[str] = []
    for name, spec in functions.items():
        about = f"Answer of `{snake_case(name)}`."
        lines += ["", "", *output_class(_result(name), about, spec["outputs"], "outputs.")]
        lines += ["", "", *_plain(name, spec, schema), "", "", *_with_outputs(name, spec)]
    return lines[2:]


def _result(name: str) -> str:
    return f"{name[0].upper()}{name[1:]}Result"


def _plain(name: str, spec: Json, schema: Json) -> list[str]:
    properties, must = spec["inputs"]["properties"], set(spec["inputs"]["required"])
    parameters = []
    for key, each in properties.items():
        kind = optional(plain_type(each), key in must)
        parameters.append(f"{snake_case(key)}: {kind}" + ("" if key in must else " = None"))
    given = ", ".join(f'"{key}": {snake_case(key)}' for key in properties)
    secrets = string_tuple(sorted(_secrets(spec["outputs"], schema)))
    return [
        *signature(snake_case(name), [], parameters, _result(name)),
        *docstring(_about(name, spec), "    ", [*parameter_docs(properties), "", *example_docs(spec)]),
        f'    return call("{name}", {{{given}}}, {_result(name)}, secrets={secrets})',
    ]


def _with_outputs(name: str, spec: Json) -> list[str]:
    properties, must = spec["inputs"]["properties"], set(spec["inputs"]["required"])
    options = {"opts": {"description": "Options; of these, `depends_on` is heeded."}}
    given = ", ".join(f"{snake_case(key)}={snake_case(key)}" for key in properties)
    parameters = [*input_parameters(properties, must), _OPTIONS]
    return [
        *signature(f"{snake_case(name)}_output", [], parameters, f"pulumi.Output[{_result(name)}]"),
        *docstring(
            f"Do what `{snake_case(name)}` does, with arguments that may be outputs.",
            "    ",
            parameter_docs({**properties, **options}),
        ),
        f"    return call_output({snake_case(name)}, opts, {given})",
    ]


def _about(name: str, spec: Json) -> str:
    text = prose(spec)
    return f"Call `{name}`: {text[0].lower()}{text[1:]}"


def _secrets(value: Any, schema: Json) -> set[str]:
    """Return the wire names of all secret properties at any depth."""
    found: set[str] = set()
    if isinstance(value, list):
        return found.union(*(_secrets(item, schema) for item in value))
    if isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, dict) and item.get("secret") is True:
                found.add(key)
            found |= _secrets(item, schema)
        reference = value.get("$ref")
        if isinstance(reference, str) and reference.startswith("#/types/"):
            found |= _secrets(schema["types"][reference.removeprefix("#/types/")], schema)
    return found
