"""Python classes of resources: the arguments, and the resource itself."""

from __future__ import annotations

from typing import Any

from .names import examples_of, prose, snake_case
from .python_text import docstring, indented, optional, parameter_docs, plain_type, signature, string_tuple
from .python_types import args_class, input_parameters

Json = dict[str, Any]

_OPTIONS = "opts: pulumi.ResourceOptions | None = None"


def resource_classes(name: str, spec: Json) -> list[str]:
    """Return the two classes of one resource."""
    inputs, must = spec["inputProperties"], set(spec["requiredInputs"])
    secret = [snake_case(key) for key, each in spec["properties"].items() if each.get("secret")]
    required = [snake_case(key) for key in inputs if key in must]
    return [
        *args_class(name, f"What a program may say about a resource {name}.", inputs, must),
        *["", "", f'class {name}(DynamicResource, module="clouddb", name="{name}"):'],
        *docstring(prose(spec), "    ", example_docs(spec)),
        *[
            "",
            f"    _args = {name}Args",
            f"    _required = {string_tuple(required)}",
            f"    _secret = {string_tuple(secret)}",
            "",
        ],
        *indented([*_constructors(name, spec), "", *_get(name, spec)]),
        *(line for key in spec["properties"] for line in ["", *indented(_getter(key, spec))]),
    ]


def example_docs(spec: Json) -> list[str]:
    """Return the Python examples of a resource or function as part of its docstring."""
    lines = ["## Example Usage"]
    for title, program in examples_of(spec, "python"):
        lines += ["", f"### {title}", "", "```python", *program.splitlines(), "```"]
    return lines


def _constructors(name: str, spec: Json) -> list[str]:
    """Return the two forms of the constructor, and the one behind them."""
    inputs, must = spec["inputProperties"], set(spec["requiredInputs"])
    texts = {
        "resource_name": {"description": "Name of the resource in the program."},
        "opts": {"description": "Options that Pulumi knows for every resource."},
        **inputs,
    }
    forms = [
        signature("__init__", ["self", "resource_name: str", f"args: {name}Args", _OPTIONS], [], "None"),
        signature("__init__", ["self", "resource_name: str", _OPTIONS], input_parameters(inputs, must), "None"),
    ]
    return [
        *(line for form in forms for line in ["@overload", *form[:-1], f"{form[-1]} ..."]),
        "def __init__(self, resource_name: str, *args: Any, **kwargs: Any) -> None:",
        # Not "Args:", since this form hides the names.
        *docstring(f"Declare a resource {name}.", "    ", ["Properties:", *parameter_docs(texts)[1:]]),
        "    self._declare(resource_name, args, kwargs)",
    ]


def _get(name: str, spec: Json) -> list[str]:
    """Return `get`, which takes what reading needs beside the id by name."""
    state = spec.get("stateInputs", {}).get("properties", {})
    texts = {
        "resource_name": {"description": "Name of the resource in the program."},
        "id": {"description": "Id of the object on the server."},
        "opts": {"description": "Options that Pulumi knows for every resource."},
        **state,
    }
    parameters = ["resource_name: str", "id: pulumi.Input[str]", _OPTIONS]
    passed = "".join(f", {snake_case(key)}={snake_case(key)}" for key in state)
    return [
        "@staticmethod",
        *signature("get", parameters, input_parameters(state, set()), f'"{name}"'),
        *docstring(f"Read an existing {name}, which stays unmanaged.", "    ", parameter_docs(texts)),
        f"    return {name}._look_up(resource_name, id, opts{passed})",
    ]


def _getter(key: str, spec: Json) -> list[str]:
    name, each = snake_case(key), spec["properties"][key]
    kind = optional(plain_type(each, "outputs."), key in spec["required"])
    translated = "" if name == key else f'(name="{key}")'
    return [
        *["@property", f"@pulumi.getter{translated}", f"def {name}(self) -> pulumi.Output[{kind}]:"],
        *docstring(each["description"], "    "),
        f'    return pulumi.get(self, "{name}")',
    ]
