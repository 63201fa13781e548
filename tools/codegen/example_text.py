"""Writes the example programs in Python, TypeScript and YAML from the one structure in `examples`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import yaml
from pydantic.alias_generators import to_snake

from pulumi_clouddb.cli.program import IMPORT, Ref, block, python_program, reference
from pulumi_clouddb.models.resource_type import ResourceType

from .examples.example import Example
from .names import EXAMPLES_START, IMPORT_START, NATIVE_IMPORT

Json = dict[str, Any]


def example_section(examples: Sequence[Example], schema: Json) -> str:
    """Return the examples in the form that Pulumi's documentation and generators know."""
    blocks = [EXAMPLES_START, "## Example Usage"]
    for example in examples:
        blocks += ["{{% example %}}", f"### {example.title}", ""]
        for language, program in (
            ("typescript", _typescript(example)),
            ("python", _python(example, schema)),
            ("yaml", _yaml(example)),
        ):
            blocks += [f"```{language}", program, "```"]
        blocks.append("{{% /example %}}")
    return "\n".join([*blocks, "{{% /examples %}}"])


def import_section(resource: ResourceType) -> str:
    """Return how an existing object is imported, in the form that Pulumi's documentation knows."""
    commands = [f"pulumi import {resource.token} main {each}" for each in resource.import_ids]
    return "\n".join([IMPORT_START, "```sh", *commands, "```"])


def _python(example: Example, schema: Json) -> str:
    """Write an example in Python, for the SDK that is generated from schema.json."""
    program = python_program(example.steps, schema).replace(IMPORT, NATIVE_IMPORT)
    if not example.exports:
        return program
    exports = [f'pulumi.export("{name}", {reference(ref)})' for name, ref in example.exports.items()]
    return "\n".join(["import pulumi", program, "", *exports])


def _typescript(example: Example) -> str:
    lines = ['import * as clouddb from "@clouddb/pulumi";', ""]
    for step in example.steps:
        fields = _typescript_value(step.properties)
        if step.is_resource:
            resource_name = to_snake(step.variable).replace("_", "-")
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
        return block("{", [f"{key}: {_typescript_value(item)}" for key, item in value.items()], "}")
    if isinstance(value, list):
        return block("[", [_typescript_value(item) for item in value], "]")
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
