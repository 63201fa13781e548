"""A program that declares the dashboards of files, as an engineer would have written it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic.alias_generators import to_snake

from clouddb_tools.commands.export import python, typescript, yaml
from clouddb_tools.commands.export.language import Language
from clouddb_tools.commands.export.names import Variables, camel, resource_names, slug
from clouddb_tools.commands.export.statements import Json, Noted, Ref, Step
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.engine.plugin.schema import schema_text
from pulumi_clouddb.things.dashboards.files.dashboard import Converted, converted, read_file
from pulumi_clouddb.things.dashboards.files.file import FileDashboard
from pulumi_clouddb.things.dashboards.files.losses import Loss, Severity
from pulumi_clouddb.things.dashboards.files.names import Kind, is_id

from .losses import Declared

LOOKUPS: Mapping[Kind, str] = {Kind.SOURCE: "getSource", Kind.CONNECTION: "getConnection"}
"""The function that finds an object by its name."""

REPEATED = 3
"""A text that occurs so often in the dashboards is a constant,"""
LONG = 20
"""if it has so many characters."""
DISTINCT = 3
"""Words of a text in its variable, if there are several of its kind."""

_CONSTANTS = {"where": "condition", "valueExpression": "expression", "groupBy": "group", "whereTemplate": "condition"}
"""The properties whose texts can be constants, with the word for their variables."""


@dataclass(frozen=True)
class Lookup:
    """An object that the program finds by its name.

    Attributes:
        variable: Its variable.
        kind: Its kind.
        name: Its name.
    """

    variable: str
    kind: Kind
    name: str


def program(files: Mapping[Path, str], language: Language, service_id: str | None = None) -> tuple[str, list[Declared]]:
    """Return the text of a program, and what each dashboard loses.

    Args:
        files: The text of each file.
        language: The language of the program.
        service_id: The service whose observability server gets the dashboards; None for the self-hosted server.

    Raises:
        ResourceError: A file contains no dashboard.
    """
    boards = {file: _board_of(file, text) for file, text in files.items()}
    writer = _Program(language, service_id)
    variables = writer.reserve(boards)
    results = [converted(board, writer.refer) for board in boards.values()]
    text = writer.text(list(variables.values()), results)
    found = zip(boards, results, strict=True)
    return text, [Declared(str(file), [*each.losses, *writer.placeholders(files[file])]) for file, each in found]


def _board_of(file: Path, text: str) -> FileDashboard:
    try:
        return read_file(text)
    except ResourceError as error:
        raise ResourceError(f"{file}: {error}") from None


class _Program:
    """Collects what the statements of a program refer to."""

    def __init__(self, language: Language, service_id: str | None) -> None:
        self._language, self._service = language, service_id
        self._variables = Variables()
        self._lookups: dict[tuple[Kind, str], Lookup] = {}
        self._constants: dict[str, str] = {}

    def reserve(self, boards: Mapping[Path, FileDashboard]) -> dict[Path, tuple[str, str]]:
        """Return the resource name and the variable of each dashboard."""
        wanted = [(slug(board.name) or "dashboard", slug(file.stem)) for file, board in boards.items()]
        names = resource_names(wanted)
        return {file: (name, self._variables.free(name, "dashboard")) for file, name in zip(boards, names, strict=True)}

    def refer(self, kind: Kind, name: str) -> object:
        """Return the reference for a name; a dashboard is known only by its id."""
        if is_id(name):
            return name
        if kind not in LOOKUPS:
            return None
        if (kind, name) not in self._lookups:
            self._lookups[kind, name] = Lookup(self._variables.free(name, kind.value), kind, name)
        variable = self._lookups[kind, name].variable
        return Ref(f"{variable}.id" if self._language is Language.YAML else variable)

    def placeholders(self, text: str) -> Iterator[Loss]:
        """Yield the names in the text of a file that stand for others: a template such as `{{TRACES_SOURCE_ID}}`."""
        for each in self._lookups.values():
            if "{{" in each.name and each.name in text:
                message = f"it is a placeholder: write the name of the {each.kind.value} in the program instead"
                yield Loss(f"{each.kind.value} {each.name!r}", message, Severity.WARNING)

    def text(self, names: Sequence[tuple[str, str]], results: Sequence[Converted]) -> str:
        """Return the text of the program."""
        self._constants = self._repeated(results)
        steps = [self._step(*each, result) for each, result in zip(names, results, strict=True)]
        schema: Json = json.loads(schema_text())
        if self._language is Language.YAML:
            return f"{yaml.yaml_resources(steps, self._yaml_variables())}\n"
        if self._language is Language.TYPESCRIPT:
            return typescript.typescript_program(steps, schema, "\n\n", before=[*self._typescript_lines()]) + "\n"
        native = self._language is Language.PYTHON_PLUGIN
        head = python.NATIVE_IMPORT if native else python.IMPORT
        lines = [*self._python_lines()]
        return python.python_program(steps, schema, "\n".join([head, *lines]), native=native, between="\n\n") + "\n"

    def _repeated(self, results: Iterable[Converted]) -> dict[str, str]:
        """Return the variable of each text that occurs several times."""
        found = Counter(each for result in results for each in _texts(result.inputs))
        several = {text: name for (name, text), count in found.items() if count >= REPEATED and len(text) >= LONG}
        kinds = Counter(_CONSTANTS[name] for name in several.values())
        return {
            text: self._variables.free(_constant(_CONSTANTS[name], text, kinds), _CONSTANTS[name])
            for text, name in several.items()
        }

    def _step(self, name: str, variable: str, result: Converted) -> Step:
        service = {} if self._service is None else {"serviceId": self._service}
        known = {tile["key"] for tile in result.inputs["tiles"]}
        above = [each for each in result.losses if each.tile not in known or self._language is Language.YAML]
        notes: dict[str | None, list[str]] = {}
        for each in result.losses:
            notes.setdefault(each.tile, []).append(_comment(each))
        inputs = {name: self._with_constants(value) for name, value in result.inputs.items()}
        tiles = []
        for tile in inputs["tiles"]:
            noted = Noted(tile)
            noted.notes = tuple(notes.get(tile["key"], ()))
            tiles.append(noted)
        return Step(variable, "Dashboard", {**service, **inputs, "tiles": tiles}, name, tuple(map(_comment, above)))

    def _with_constants(self, value: Any, name: str = "") -> Any:
        if isinstance(value, Mapping):
            return {key: self._with_constants(item, key) for key, item in value.items()}
        if isinstance(value, list):
            return [self._with_constants(item, name) for item in value]
        variable = self._constants.get(value) if isinstance(value, str) and name in _CONSTANTS else None
        return value if variable is None else Ref(variable)

    def _python_lines(self) -> Iterator[str]:
        if self._lookups or self._constants:
            yield ""
        for each in self._lookups.values():
            service = "" if self._service is None else f", service_id={python.text(self._service)}"
            call = f"clouddb.{to_snake(LOOKUPS[each.kind])}_output(name={python.text(each.name)}{service})"
            yield f"{each.variable} = {call}.id"
        for text, variable in self._constants.items():
            yield f"{variable} = {python.text(text)}"

    def _typescript_lines(self) -> Iterator[str]:
        for each in self._lookups.values():
            service = "" if self._service is None else f", serviceId: {typescript.text(self._service)}"
            call = f"clouddb.{LOOKUPS[each.kind]}Output({{ name: {typescript.text(each.name)}{service} }})"
            yield f"const {camel(each.variable)} = {call}.id;"
        for text, variable in self._constants.items():
            yield f"const {camel(variable)} = {typescript.text(text)};"
        if self._lookups or self._constants:
            yield ""

    def _yaml_variables(self) -> Json:
        variables: Json = {}
        for each in self._lookups.values():
            service = {} if self._service is None else {"serviceId": self._service}
            arguments = {"name": yaml.escaped(each.name), **service}
            call = {"function": f"clouddb:{LOOKUPS[each.kind]}", "arguments": arguments}
            variables[camel(each.variable)] = {"fn::invoke": call}
        return variables | {camel(variable): yaml.escaped(text) for text, variable in self._constants.items()}


def _constant(word: str, text: str, kinds: Mapping[str, int]) -> str:
    """Return the preferred variable of a text: with its first words, if there are several of its kind."""
    first = [to_snake(each) for each in re.findall(r"[A-Za-z]\w*", text)[:DISTINCT]]
    return "_".join([word, *first]) if kinds[word] > 1 else word


def _comment(loss: Loss) -> str:
    return " ".join(f"{loss.severity.value}: {loss}".split())


def _texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts that can be constants, each with its property."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, name)
    elif isinstance(value, str) and name in _CONSTANTS:
        yield name, value
