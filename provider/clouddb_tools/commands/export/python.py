"""Writes programs in Python: for the classes of this package, and for the SDK that Pulumi generates from the schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic.alias_generators import to_snake

from pulumi_clouddb.schema.public_names import python_name

from .layout import WIDTH, Commented, Group, Labelled, Part, group, laid_out, on_one_line, width_of
from .loops import Item, Keyed, Loop, units
from .shared import Constant, Shared
from .statements import Joined, Json, Noted, Ref, Setting, Step, has_texts, items_of, settings_of, specs_of

IMPORT = "import pulumi_clouddb as clouddb"
"""Imports this package."""

NATIVE_IMPORT = "import pulumi_clouddb_native as clouddb"
"""Imports the SDK that Pulumi generates from schema.json."""


def python_program(
    steps: Sequence[Step],
    schema: Json,
    head: str = IMPORT,
    *,
    native: bool = False,
    between: str = "\n",
    imports: Sequence[str] = (),
) -> str:
    """Write a program.

    Args:
        steps: The statements.
        schema: The package's schema, with the classes of nested objects.
        head: The line that imports the package.
        native: Whether it uses the SDK that Pulumi generates.
        between: The text between two statements.
        imports: Lines that import other modules of the program.
    """
    writer = NativeWriter(schema) if native else Writer(schema)
    statements = between.join(writer.statements(steps))
    if writer.open_properties:
        statements = between.join(writer.statements(steps))  # again, now that all open properties are known
    blocks = open_classes(writer.open_properties)
    if settings := [f"# pulumi config set --secret {key}" for key in settings_of(list(steps))]:
        blocks.append("\n".join([*settings, "config = pulumi.Config()"]))
    typing = _from_typing(writer)
    lines = [f"from typing import {', '.join(typing)}", ""] if typing else []
    uses_pulumi = blocks or any(step.protect for step in steps) or has_texts(steps)
    lines += ["import pulumi", head] if uses_pulumi else [head]
    lines += ["", *imports] if imports else []
    return "\n".join([*lines, *(f"\n{block}" for block in blocks), "", statements])


def _from_typing(writer: Writer) -> list[str]:
    """Return what a program imports from `typing`."""
    names = ["TYPE_CHECKING"] if writer.open_properties else []
    names += ["Any"] if writer.open_properties or writer.casts or writer.uses_any else []
    return [*names, "cast"] if writer.casts else names


def open_classes(properties: Mapping[str, Sequence[str]]) -> list[str]:
    """Return subclasses for a native program, in which Pulumi's Python can serialize the values of all properties.

    Pulumi fails or does not translate names in an object with unknown properties (pulumi 3.272,
    `_get_list_element_type`). It copies the value of a property with the type Any. Type checkers still see the classes
    of the SDK.
    """
    if not properties:
        return []
    lines = ["if TYPE_CHECKING:", f"    from pulumi_clouddb_native import {', '.join(sorted(properties))}", "else:"]
    lines.append("    # Pulumi's Python cannot serialize these properties by the types that the SDK gives them.")
    for name, attributes in sorted(properties.items()):
        lines += ["", f"    class {name}(clouddb.{name}):"]
        for attribute in attributes:
            lines += [
                "        @property",
                "        @pulumi.getter",
                f"        def {attribute}(self) -> Any:",
                f'            return pulumi.get(self, "{attribute}")',
                "",
            ]
        lines.pop()
    return ["\n".join([*lines, ""])]


def reference(ref: Ref) -> Part:
    """Write a reference to an output."""
    variable, *names = ref.path.split(".")
    start = to_snake(variable)
    if ref.member:
        key = "key" if ref.member.key is None else text(ref.member.key)
        start = f"{to_snake(ref.member.group)}[{key}]"
    path = ".".join([start, *map(python_name, names)])
    return path if ref.key is None else Group(f"{path}[", (text(ref.key),), "]", trailing=False)


def text(value: str) -> str:
    """Write a string literal on one line, in the quotes that need fewer escapes, as formatters do."""
    quote = "'" if value.count('"') > value.count("'") else '"'
    return quote + "".join(_character(char, quote) for char in value) + quote


_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _character(char: str, quote: str) -> str:
    if char in _ESCAPES or char == quote:
        return _ESCAPES.get(char, f"\\{quote}")
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


class _Name(str):
    """A variable as a value."""


class Writer:
    """Writes statements for the classes of this package.

    Attributes:
        casts: Whether a statement contains a cast to Any.
        uses_any: Whether a statement has the type Any without a cast.
        open_properties: The properties that need the type Any, by class.
    """

    def __init__(self, schema: Json) -> None:
        self.casts = False
        self.uses_any = False
        self._item_specs: dict[str, tuple[Json, str, str]] = {}
        self._only_item = False
        self.open_properties: dict[str, list[str]] = {}
        self._schema = schema
        self._shared = Shared([], self._specs)

    def statements(self, steps: Sequence[Step]) -> list[str]:
        """Return the statements with their notes; a value of several statements is assigned before the first."""
        self._shared = Shared(steps, self._specs)
        written: list[str] = []
        for unit in units(steps):
            members = unit.steps if isinstance(unit, Loop) else [unit]
            for constant, step, name, value in self._shared.new(members):
                part = self._value(value, self._specs(step)[name], "", name)
                before = f"{_variable(constant)} = "
                written.append(before + laid_out(part, before=len(before)))
            written += self._loop(unit) if isinstance(unit, Loop) else [self._statement(unit)]
        return written

    def _loop(self, loop: Loop) -> Iterator[str]:
        """Yield the values that differ, and a dict of the resources."""
        first, variable = loop.steps[0], loop.group
        self._item_specs = {}
        self._only_item = len(loop.items) == 1
        given = {name: self._once(first, name, value) for name, value in loop.properties.items()}
        arguments = [_with_key(loop.name), *self._keywords(given, self._specs(first)), *_options(first)]
        call = group(f"clouddb.{first.kind}(", arguments, ")")
        values = {
            name: [self._once(step, name, value) for step, value in zip(loop.steps, several, strict=True)]
            for name, several in loop.items.items()
        }
        yield self._values(loop, values)
        clause = f"for key, value in {variable.upper()}.items()" if loop.items else f"for key in {variable.upper()}"
        line = f"{variable} = {{key: {on_one_line(call)} {clause}}}"
        if "\n" not in line and width_of(line) <= WIDTH:
            yield line
        else:
            yield f"{variable} = {{\n    key: {laid_out(call, column=4, before=5)}\n    {clause}\n}}"

    def _values(self, loop: Loop, values: Mapping[str, Sequence[Any]]) -> str:
        """Return the values that differ by key, or the keys."""
        name = loop.group.upper()
        before = f"{name} = "
        if not values:
            return before + laid_out(group("(", map(text, loop.keys), ")"), before=len(before))
        kinds = {type(each) for several in values.values() for each in several}
        if len(kinds) > 1 or not kinds <= {str, int, float, bool}:
            self.uses_any = True
            before = f"{name}: dict[str, {'Any' if self._only_item else 'dict[str, Any]'}] = "
        entries: list[Part] = []
        for index, key in enumerate(loop.keys):
            parts = {
                each: self._value(several[index], *self._item_specs.get(each, ({}, "", "")))
                for each, several in values.items()
            }
            fields = [Labelled(f"{text(python_name(each))}: ", part) for each, part in parts.items()]
            entries.append(Labelled(f"{text(key)}: ", fields[0].part if self._only_item else group("{", fields, "}")))
        return before + laid_out(group("{", entries, "}"), before=len(before))

    def _specs(self, step: Step) -> Json:
        return specs_of(step, self._schema)

    def _statement(self, step: Step) -> str:
        first: list[Part] = []
        if step.is_resource:
            call = step.kind
            first = [text(step.name or to_snake(step.variable).replace("_", "-"))]
        else:
            call = f"{to_snake(step.kind)}_output"
        given = {name: self._once(step, name, value) for name, value in step.properties.items()}
        before = f"{to_snake(step.variable)} = "
        arguments = [*first, *self._keywords(given, self._specs(step)), *_options(step)]
        part = group(f"clouddb.{call}(", arguments, ")")
        return "\n".join([*(f"# {note}" for note in step.notes), before + laid_out(part, before=len(before))])

    def _once(self, step: Step, name: str, value: Any) -> Any:
        constant = self._shared.constant(step, name, value)
        return value if constant is None else _Name(_variable(constant))

    def _keywords(self, values: Mapping[str, Any], specs: Json, owner: str = "") -> Iterator[Part]:
        for name, value in values.items():
            yield Labelled(f"{python_name(name)}=", self._value(value, specs[name], owner, name))

    def _value(self, value: Any, spec: Json, owner: str = "", name: str = "") -> Part:
        """Write a value of a property: an object of a declared type as its class, another map as a dict."""
        if isinstance(value, Item):
            self._item_specs.setdefault(value.name, (spec, owner, name))
            return "value" if self._only_item else f"value[{text(python_name(value.name))}]"
        if isinstance(value, _Name | Keyed | Ref | Joined | Setting):
            return _expression(value)
        if isinstance(value, list):
            items = items_of(spec)
            return group("[", [self._value(item, items, owner, name) for item in value], "]")
        if isinstance(value, Noted) and value.notes:
            comments = tuple(f"# {note}" for note in value.notes)
            return Commented(comments, self._value(dict(value), spec, owner, name))
        if not isinstance(value, dict):
            return text(value) if isinstance(value, str) else repr(value)
        kind, specs = self._type(spec)
        if specs is None:
            return group("{", [Labelled(f"{text(key)}: ", self._value(item, {})) for key, item in value.items()], "}")
        return self._object(value, kind, specs, owner, name)

    def _object(self, value: Json, kind: str, specs: Json, owner: str, name: str) -> Part:
        """Write an object of a declared type: as its class, or as a dict if it has properties of a newer server."""
        if value.keys() <= specs.keys():
            return group(f"clouddb.{kind}(", self._keywords(value, specs), ")")
        return self._cast(
            [
                Labelled(f"{text(python_name(key) if key in specs else key)}: ", self._value(item, specs.get(key, {})))
                for key, item in value.items()
            ]
        )

    def _cast(self, items: Sequence[Part]) -> Part:
        """Write a dict with a property that is not in the schema but of a newer server."""
        self.casts = True
        return group("cast(", ["Any", group("{", items, "}")], ")")

    def _type(self, spec: Json) -> tuple[str, Json | None]:
        """Return the class and the properties of an object's declared type, if it has one."""
        _, found, token = spec.get("$ref", "").partition("#/types/")
        return (f"{token.rpartition(':')[2]}Args", self._schema["types"][token]["properties"]) if found else ("", None)


class NativeWriter(Writer):
    """Writes statements for the SDK that Pulumi generates."""

    def _object(self, value: Json, kind: str, specs: Json, owner: str, name: str) -> Part:
        if value.keys() <= specs.keys():
            call = kind if kind in self.open_properties else f"clouddb.{kind}"
            return group(f"{call}(", self._keywords(value, specs, kind), ")")
        self._open(owner, name)
        return self._cast(
            [Labelled(f"{text(key)}: ", self._value(item, specs.get(key, {}))) for key, item in value.items()]
        )

    def _open(self, kind: str, name: str) -> None:
        attributes = self.open_properties.setdefault(kind, [])
        if python_name(name) not in attributes:
            attributes.append(python_name(name))


def _options(step: Step) -> list[Part]:
    return [Labelled("opts=", "pulumi.ResourceOptions(protect=True)")] if step.protect else []


def _expression(value: _Name | Keyed | Ref | Joined | Setting) -> Part:
    """Write a value that is no literal."""
    if isinstance(value, Keyed):
        return _with_key(value)
    if isinstance(value, Ref):
        return reference(value)
    if isinstance(value, Joined):
        parts = (reference(each) if isinstance(each, Ref) else text(each) for each in value.parts)
        return group("pulumi.Output.concat(", parts, ")")
    return f"config.require_secret({text(value.key)})" if isinstance(value, Setting) else str(value)


def _with_key(value: Keyed) -> str:
    """Write a text with the key of the loop."""
    if not value.before and not value.after:
        return "key"
    quote = "'" if (value.before + value.after).count('"') > (value.before + value.after).count("'") else '"'
    before, after = (
        "".join(_character(char, quote) for char in each).replace("{", "{{").replace("}", "}}")
        for each in (value.before, value.after)
    )
    return f"f{quote}{before}{{key}}{after}{quote}"


def _variable(constant: Constant) -> str:
    """Return the variable of a constant, in capitals if it refers to nothing."""
    return constant.variable.upper() if constant.is_literal else constant.variable
