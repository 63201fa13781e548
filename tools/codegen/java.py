"""The example programs in Java, for the SDK that Pulumi generates from schema.json."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic.alias_generators import to_snake

from clouddb_tools.commands.export.names import camel
from clouddb_tools.commands.export.statements import Ref, Setting, Step, items_of, settings_of

from .examples.example import Example
from .names import Json, base_name

WIDTH = 96
TAB = "    "
_FUNCTIONS = "ClouddbFunctions"


def java_program(example: Example, schema: Json) -> str:
    """Return an example as a class with a main method."""
    return _Program(example, schema).text()


class _Program:
    """Writes the statements, and collects the classes that they import."""

    def __init__(self, example: Example, schema: Json) -> None:
        self.example = example
        self.schema = schema
        self.steps = {camel(step.variable): step for step in example.steps}
        self.imports = {"com.pulumi.Pulumi"}
        java = schema["language"]["java"]
        self.package = f"{java['basePackage']}.{java['packages'][schema['name']]}"

    def text(self) -> str:
        read = _read([*self.example.exports.values(), *(step.properties for step in self.example.steps)])
        lines = [f"// pulumi config set --secret {key}" for key in settings_of([*self.example.steps])]
        for step in self.example.steps:
            lines += [f"// {note}" for note in step.notes]
            variable = f"var {camel(step.variable)} = " if camel(step.variable) in read else ""
            lines.append(f"{variable}{self._created(step) if step.is_resource else self._invoked(step)};")
        lines += [f"ctx.export({_text(name)}, {self._exported(ref)});" for name, ref in self.example.exports.items()]
        return "\n".join(
            [
                *(f"import {each};" for each in sorted(self.imports)),
                "",
                "public class App {",
                f"{TAB}public static void main(String[] args) {{",
                f"{TAB * 2}Pulumi.run(ctx -> {{",
                *(TAB * 3 + line for text in lines for line in text.split("\n")),
                f"{TAB * 2}}});",
                f"{TAB}}}",
                "}",
            ]
        )

    def _class(self, name: str) -> str:
        """Import a class of the SDK and return its simple name."""
        self.imports.add(f"{self.package}.{name}")
        return name.rpartition(".")[2]

    def _created(self, step: Step) -> str:
        inputs = self.schema["resources"][f"clouddb:index:{step.kind}"]["inputProperties"]
        label = _text(step.name or to_snake(step.variable).replace("_", "-"))
        return f"new {self._class(step.kind)}({label}, {self._built(f'{step.kind}Args', step.properties, inputs)})"

    def _invoked(self, step: Step) -> str:
        inputs = self.schema["functions"][f"clouddb:index:{step.kind}"]["inputs"]["properties"]
        name = f"inputs.{step.kind[0].upper()}{step.kind[1:]}Args"
        arguments = self._built(name, step.properties, inputs) if step.properties else ""
        return f"{self._class(_FUNCTIONS)}.{step.kind}({arguments})"

    def _output(self, ref: Ref) -> str:
        """Return an output of a resource or function."""
        variable, _, name = ref.path.partition(".")
        step = self.steps[camel(variable)]
        if not step.is_resource:
            return f"{camel(variable)}.applyValue(result -> result.{name}())"
        key = f".applyValue(values -> values.get({_text(ref.key)}))" if ref.key is not None else ""
        return f"{camel(variable)}.{name}(){key}"

    def _exported(self, ref: Ref) -> str:
        """Return an output as a stack output: Pulumi's SDK for Java (1.16) cannot serialize generated classes."""
        variable, _, name = ref.path.partition(".")
        spec, required = self._declared(ref)
        if "#/types/" not in json.dumps([spec.get("$ref"), spec.get("items")]):
            return self._output(ref)
        self.imports.add("com.google.gson.Gson")
        output, value = f"{camel(variable)}.{name}()", "result"
        if not self.steps[camel(variable)].is_resource:
            output, value = camel(variable), f"result.{name}()"
            required |= spec.get("type") == "array"  # an absent list of a result is an empty one
        value += "" if required else ".orElseThrow()"
        return f"{output}.applyValue(result -> new Gson().toJsonTree({value}))"

    def _input(self, ref: Ref) -> str:
        """Return an output as an input: the SDK's outputs are optional unless the schema requires them."""
        output = self._output(ref)
        return output if self._declared(ref)[1] else f"{output}.applyValue(value -> value.orElseThrow())"

    def _declared(self, ref: Ref) -> tuple[Json, bool]:
        """Return the schema of an output, and whether it is always set."""
        variable, _, name = ref.path.partition(".")
        step = self.steps[camel(variable)]
        if step.is_resource and name == "id":
            return {"type": "string"}, True
        owner = self.schema["resources" if step.is_resource else "functions"][f"clouddb:index:{step.kind}"]
        outputs = owner if step.is_resource else owner["outputs"]
        return outputs["properties"][name], name in outputs["required"]

    def _built(self, name: str, values: Mapping[str, Any], specs: Json) -> str:
        """Return a builder's calls on one line if they fit, else one per line."""
        calls = [f".{key}({self._argument(value, specs[key])})" for key, value in values.items()]
        return _laid_out(f"{self._class(name)}.builder()", [*calls, ".build()"])

    def _argument(self, value: Any, spec: Json) -> str:
        if not isinstance(value, list):
            return self._value(value, spec)
        items = items_of(spec)
        elements = [self._value(item, items) for item in value]
        if any(isinstance(item, Ref) for item in value):
            self.imports.add("com.pulumi.core.Output")
            return _list("Output.all(", elements)
        if items.get("oneOf"):  # builders take texts for an enum, but not for a list of them
            self.imports.add("com.pulumi.core.Either")
            elements = [f"Either.ofLeft({element})" for element in elements]
        if spec.get("type") == "array" and elements:
            return _list("", elements)
        self.imports.add("java.util.List")
        return _list("List.of(", elements)

    def _value(self, value: Any, spec: Json) -> str:
        if isinstance(value, Ref):
            return self._input(value)
        if isinstance(value, Setting):
            return f"ctx.config().requireSecret({_text(value.key)})"
        if isinstance(value, list):
            self.imports.add("java.util.List")
            return _list("List.of(", [self._value(item, items_of(spec)) for item in value])
        if isinstance(value, Mapping):
            if spec.get("$ref", "").startswith("#/types/"):
                return self._built(
                    f"inputs.{base_name(spec['$ref'])}Args",
                    value,
                    self.schema["types"][spec["$ref"].removeprefix("#/types/")]["properties"],
                )
            self.imports.add("java.util.Map")
            items = spec.get("additionalProperties", {})
            return _list("Map.of(", [f"{_text(key)}, {self._value(item, items)}" for key, item in value.items()])
        if isinstance(value, str):
            return _text(value)
        return json.dumps(float(value) if spec.get("type") == "number" else value)


def _read(value: Any) -> set[str]:
    """Return the variables to which a value refers."""
    if isinstance(value, Ref):
        return {camel(value.path.partition(".")[0])}
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return set().union(*(_read(part) for part in parts))


def _text(value: str) -> str:
    """Return a string literal: Java shares its escapes with JSON."""
    return json.dumps(value, ensure_ascii=False)


def _laid_out(head: str, calls: Sequence[str]) -> str:
    line = head + "".join(calls)
    if "\n" not in line and len(line) <= WIDTH / 2:
        return line
    return "\n".join([head, *(TAB + part for call in calls for part in call.split("\n"))])


def _list(head: str, elements: Sequence[str]) -> str:
    """Return arguments on one line if they fit, else one per line; without a head, those of the caller's call."""
    end = ")" if head else ""
    line = f"{head}{', '.join(elements)}{end}"
    if len(elements) < 2 or ("\n" not in line and len(line) <= WIDTH / 2):
        return line
    return head + "".join(f"\n{TAB}{part}" for part in ",\n".join(elements).split("\n")) + end
