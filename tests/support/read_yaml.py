"""Reads a Pulumi program in YAML."""

from __future__ import annotations

import re
from typing import Any

import yaml

from .declared import CallResult, Joined, Path, Program, Reference, Resource, Setting, step

_WHOLE = re.compile(r"\$\{(.+)\}", re.DOTALL)
_MIXED = re.compile(r'((?:[^$]|\$\$|\$(?![${]))+|\$\{(?:[^"}]|"(?:\\"|[^"])*")*\})', re.DOTALL)
"""The plain texts and the expressions of a text."""
_PART = re.compile(r'\.?(?P<name>[A-Za-z_]\w*)|\["(?P<key>(?:\\"|[^"])+)"\]|\[(?P<index>\d+)\]')
_OPTIONS = {"type", "name", "properties", "options"}
_DEFAULTS: dict[str, type] = {"integer": int, "string": str, "boolean": bool}


def read_yaml(text: str) -> Program:
    """Return the declarations of a program; `text` is its Pulumi.yaml, or the relevant sections."""
    return _Reader(yaml.safe_load(text)).program


class _Reader:
    def __init__(self, document: dict[str, Any]) -> None:
        self.program = Program()
        self._document = document
        for key, spec in document.get("config", {}).items():
            if not spec.get("secret") and type(spec["default"]) is not _DEFAULTS[spec["type"]]:
                self.program.problems.append(f"config {key}: {spec['default']!r} is not of type {spec['type']}")
        for variable, spec in document.get("resources", {}).items():
            self._resource(variable, spec)
        self.program.outputs = {name: self._value(value) for name, value in document.get("outputs", {}).items()}
        for value in document.get("variables", {}).values():
            self._use(self._value(value))
        unused = set(document.get("config", {})) - set(self.program.settings)
        self.program.problems += [f"config {key}: nothing uses it" for key in sorted(unused)]

    def _resource(self, variable: str, spec: dict[str, Any]) -> None:
        package, _, kind = spec["type"].partition(":")
        if package != "clouddb" or spec.keys() - _OPTIONS:
            self.program.problems.append(f"{variable}: only type, name, properties and options of clouddb are read")
        properties = {name: self._value(value) for name, value in spec.get("properties", {}).items()}
        self.program.resources[variable] = Resource(
            variable, kind, spec.get("name", variable), properties, spec.get("options") == {"protect": True}
        )

    def _value(self, value: Any) -> Any:
        if isinstance(value, dict) and "fn::invoke" in value:
            call = value["fn::invoke"]
            arguments = {name: self._value(each) for name, each in call.get("arguments", {}).items()}
            return CallResult(call["function"].partition(":")[2], arguments)
        if isinstance(value, dict) and "fn::readFile" in value:
            return str(value["fn::readFile"])  # the text of a file
        if isinstance(value, dict):
            return {name: self._value(each) for name, each in value.items()}
        if isinstance(value, list):
            return [self._value(each) for each in value]
        if isinstance(value, str) and re.match(r"(?:[^$]|\$\$|\$(?![${]))*\$\{", value):
            return self._expression(value)
        return value.replace("$$", "$") if isinstance(value, str) else value

    def _expression(self, text: str) -> Any:
        pieces = [each for each in re.split(_MIXED, text) if each]
        if len(pieces) > 1:
            return Joined(tuple(self._value(each) for each in pieces))
        whole = _WHOLE.fullmatch(text)
        parts = list(_PART.finditer(whole[1])) if whole else []
        if not whole or "".join(part[0] for part in parts) != whole[1]:
            self.program.problems.append(f"{text}: cannot be read")
            return None
        keys = [part["key"] and part["key"].replace('\\"', '"') for part in parts]
        path: Path = tuple(
            part["name"] or key or int(part["index"]) for part, key in zip(parts[1:], keys[1:], strict=True)
        )
        return self._named(parts[0][0], path)

    def _named(self, name: str, path: Path) -> Any:
        if name in self._document.get("config", {}):
            return Setting(name, self._document["config"][name].get("default", ""))
        if name in self._document.get("variables", {}):
            value = self._value(self._document["variables"][name])
            return step(value, *path) if path else value
        return Reference(name, path)

    def _use(self, value: Any) -> None:
        if isinstance(value, (Reference, CallResult)):
            self.program.uses.append(value)
