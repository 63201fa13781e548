"""The example programs in Python, TypeScript, Go, Java and YAML, from the data in `examples`."""

from __future__ import annotations

from collections.abc import Sequence

from clouddb_tools.commands.export.layout import group, laid_out
from clouddb_tools.commands.export.python import NATIVE_IMPORT, python_program
from clouddb_tools.commands.export.python import reference as python_reference
from clouddb_tools.commands.export.python import text as python_text
from clouddb_tools.commands.export.statements import settings_of
from clouddb_tools.commands.export.typescript import reference as typescript_reference
from clouddb_tools.commands.export.typescript import typescript_program
from clouddb_tools.commands.export.yaml import dumped, value_of
from pulumi_clouddb.schema.resource_type import ResourceType

from .examples.example import Example
from .go import go_program
from .java import java_program
from .names import EXAMPLES_START, IMPORT_START, Json


def example_section(examples: Sequence[Example], schema: Json) -> str:
    """Return the examples in the format of Pulumi's documentation and generators.

    The heading is a part of the first example: generators remove examples without a program in their language, but not
    the text before them (filterExamples in pkg/codegen/docs.go of Pulumi).
    """
    blocks = [EXAMPLES_START]
    for number, example in enumerate(examples):
        heading = [] if number else ["## Example Usage", ""]
        blocks += ["{{% example %}}", *heading, f"### {example.title}", ""]
        for language, program in (
            ("typescript", _typescript(example, schema)),
            ("python", _python(example, schema)),
            ("go", go_program(example, schema)),
            ("java", java_program(example, schema)),
            ("yaml", _yaml(example)),
        ):
            blocks += [f"```{language}", program, "```"]
        blocks.append("{{% /example %}}")
    return "\n".join([*blocks, "{{% /examples %}}"])


def import_section(resource: ResourceType) -> str:
    """Return the import commands in the format of Pulumi's documentation."""
    commands = [f"pulumi import {resource.token} main {each}" for each in resource.import_ids]
    return "\n".join([IMPORT_START, "```sh", *commands, "```"])


def _python(example: Example, schema: Json) -> str:
    """Return an example in Python, for the SDK that is generated from schema.json."""
    program = python_program(example.steps, schema, NATIVE_IMPORT)
    if not example.exports:
        return program
    exports = [
        laid_out(group("pulumi.export(", [python_text(name), python_reference(ref)], ")"))
        for name, ref in example.exports.items()
    ]
    header = [] if program.startswith("import pulumi\n") else ["import pulumi"]
    return "\n".join([*header, program, "", *exports])


def _typescript(example: Example, schema: Json) -> str:
    program = typescript_program(example.steps, schema)
    exports = [f"export const {name} = {typescript_reference(ref)};" for name, ref in example.exports.items()]
    return "\n".join([program, "", *exports] if exports else [program])


def _yaml(example: Example) -> str:
    resources, variables = {}, {}
    for step in example.steps:
        properties = value_of(step.properties)
        if step.is_resource:
            resources[step.variable] = {"type": f"clouddb:{step.kind}", "properties": properties}
        else:
            invoke = {"function": f"clouddb:{step.kind}", "arguments": properties}
            variables[step.variable] = {"fn::invoke": invoke}
    document = {
        "config": {key: {"type": "string", "secret": True} for key in settings_of([*example.steps])},
        "resources": resources,
        "variables": variables,
        "outputs": {name: value_of(ref) for name, ref in example.exports.items()},
    }
    return dumped({section: content for section, content in document.items() if content})
