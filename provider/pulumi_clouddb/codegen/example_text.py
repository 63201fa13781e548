"""Writes the example programs in Python, TypeScript and YAML from the one structure in `examples`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml

from .examples import Example, Ref, Step
from .names import EXAMPLES_START, IMPORT, NATIVE_IMPORT, base_name, snake_case

Json = dict[str, Any]


def example_section(examples: Sequence[Example], schema: Json) -> str:
    """Return the examples in the form that Pulumi's documentation and generators know."""
    blocks = [EXAMPLES_START, "## Example Usage"]
    for example in examples:
        blocks += ["{{% example %}}", f"### {example.title}", ""]
        for language, program in (
            ("typescript", _typescript(example)),
            ("python", python_program(example, schema).replace(IMPORT, NATIVE_IMPORT)),
            ("yaml", _yaml(example)),
        ):
            blocks += [f"```{language}", program, "```"]
        blocks.append("{{% /example %}}")
    return "\n".join([*blocks, "{{% /examples %}}"])


def _block(opening: str, items: Iterable[str], closing: str) -> str:
    """Put items between brackets: on one line where that is short, else each on its own line, one level deeper."""
    items = list(items)
    line = opening + ", ".join(items) + closing
    if "\n" not in line and len(line) <= 72:
        return line
    return "\n".join([opening, *(f"    {line}" for item in items for line in f"{item},".splitlines()), closing])


def python_program(example: Example, schema: Json) -> str:
    """Write an example in Python, for the classes of this package."""
    lines = ["import pulumi", IMPORT, ""]
    for step in example.steps:
        specs = _input_specs(step, schema)
        given = [
            f"{snake_case(name)}={_python_value(value, specs[name], schema)}" for name, value in step.properties.items()
        ]
        name = step.kind if step.is_resource else f"{snake_case(step.kind)}_output"
        first = [_python_text(step.name or snake_case(step.variable).replace("_", "-"))] if step.is_resource else []
        lines += [_block(f"{snake_case(step.variable)} = clouddb.{name}(", [*first, *given], ")")]
    if example.exports:
        exports = [f'pulumi.export("{name}", {_python_reference(ref)})' for name, ref in example.exports.items()]
        return "\n".join([*lines, "", *exports])
    return "\n".join(lines[1:])


def _input_specs(step: Step, schema: Json) -> Json:
    token = f"clouddb:index:{step.kind}"
    specs: Json = (
        schema["resources"][token]["inputProperties"]
        if step.is_resource
        else schema["functions"][token]["inputs"]["properties"]
    )
    return specs


def _python_value(value: Any, spec: Json, schema: Json) -> str:
    """Write a value; an object of a declared type becomes its class, any other map stays as the user wrote it."""
    if isinstance(value, Ref):
        return _python_reference(value)
    if isinstance(value, list):
        return _block("[", [_python_value(item, spec.get("items", {}), schema) for item in value], "]")
    if not isinstance(value, dict):
        return _python_text(value) if isinstance(value, str) else repr(value)
    if "#/types/" not in spec.get("$ref", ""):
        return _block(
            "{", [f"{_python_text(key)}: {_python_value(item, {}, schema)}" for key, item in value.items()], "}"
        )
    name = base_name(spec["$ref"])
    specs = schema["types"][f"clouddb:index:{name}"]["properties"]
    given = [f"{snake_case(key)}={_python_value(item, specs[key], schema)}" for key, item in value.items()]
    return _block(f"clouddb.{name}Args(", given, ")")


def _python_text(text: str) -> str:
    """Write a text on one line; JSON's escapes are Python's as long as it is ASCII."""
    return json.dumps(text) if text.isascii() else repr(text)


def _python_reference(ref: Ref) -> str:
    text = ".".join(snake_case(part) for part in ref.path.split("."))
    return f"{text}[{json.dumps(ref.key)}]" if ref.key else text


def _typescript(example: Example) -> str:
    lines = ['import * as clouddb from "@clouddb/pulumi";', ""]
    for step in example.steps:
        fields = _typescript_value(step.properties)
        if step.is_resource:
            resource_name = snake_case(step.variable).replace("_", "-")
            lines.append(f'const {step.variable} = new clouddb.{step.kind}("{resource_name}", {fields});')
        else:
            lines.append(f"const {step.variable} = clouddb.{step.kind}Output({fields});")
    if example.exports:
        lines.append("")
    lines += [f"export const {name} = {_typescript_value(ref)};" for name, ref in example.exports.items()]
    return "\n".join(lines)


def _typescript_value(value: Any) -> str:
    if isinstance(value, Ref):
        return f"{value.path}[{json.dumps(value.key)}]" if value.key else value.path
    if isinstance(value, Mapping):
        return _block("{", [f"{key}: {_typescript_value(item)}" for key, item in value.items()], "}")
    if isinstance(value, list):
        return _block("[", [_typescript_value(item) for item in value], "]")
    return json.dumps(value)


def _yaml(example: Example) -> str:
    resources, variables = {}, {}
    for step in example.steps:
        properties = _yaml_value(step.properties)
        if step.is_resource:
            resources[step.variable] = {"type": f"clouddb:{step.kind}", "properties": properties}
        else:
            invoke = {"function": f"clouddb:{step.kind}", "arguments": properties}
            variables[step.variable] = {"fn::invoke": invoke}
    document = {
        "resources": resources,
        "variables": variables,
        "outputs": {name: _yaml_value(ref) for name, ref in example.exports.items()},
    }
    present = {section: content for section, content in document.items() if content}
    text: str = yaml.dump(present, Dumper=_NoAliases, sort_keys=False, width=100)
    return text.rstrip()


def _yaml_value(value: Any) -> Any:
    if isinstance(value, Ref):
        return f"${{{_typescript_value(value)}}}"
    if isinstance(value, Mapping):
        return {key: _yaml_value(item) for key, item in value.items()}
    return [_yaml_value(item) for item in value] if isinstance(value, list) else value


class _NoAliases(yaml.SafeDumper):
    """Writes shared parts out each time."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the base class gives the signature
        """Never make an alias."""
        return True
