"""Writes programs in YAML."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from .names import camel
from .shared import Shared
from .statements import Joined, Ref, Setting, Step, settings_of
from .typescript import path_of

QUOTED = """Quote a secret that looks like a number, a boolean or JSON as JSON: '"123"'."""

_PLAIN = re.compile(r"""([A-Za-z_/]|\$\{)([\w/. (){}\[\]"'+$=,<>*%@&!|;~?-]|:(?=[^ ]))*(?<! )|[0-9]+[dhms]""", re.ASCII)
"""Texts that all versions of YAML read as strings without quotes, except `_WORDS`."""

_WORDS = {"yes", "no", "on", "off", "true", "false", "null"}


def yaml_resources(steps: Sequence[Step], variables: Mapping[str, Any] | None = None) -> str:
    """Return the sections `config`, `variables` and `resources` of a program, with notes as comments."""
    lines: list[str] = []
    shared = Shared(steps, lambda _: {})
    constants = {camel(each.variable): value_of(value) for each, _, _, value in shared.new(steps)}
    named = {**(variables or {}), **constants}
    settings = settings_of(list(steps))
    if settings:
        lines.append("config:")
        lines.append(f"  # {QUOTED}")
        for key in settings:
            lines += [f"  # pulumi config set --secret {key}", f"  {key}: {{ type: string, secret: true }}"]
        lines.append("")
    if named:
        lines += [dumped({"variables": named}), ""]
    lines.append("resources:" if steps else "resources: {}")
    for step in steps:
        lines += [f"  # {note}" for note in step.notes]
        lines += [f"  {line}" if line else "" for line in _resource(step, shared).splitlines()]
    return "\n".join(lines)


def _resource(step: Step, shared: Shared) -> str:
    variable, properties = camel(step.variable), {}
    for key, value in step.properties.items():
        constant = shared.constant(step, key, value)
        properties[key] = value_of(value if constant is None else Ref(constant.variable))
    name = {} if step.name in ("", variable) else {"name": escaped(step.name)}
    options = {"options": {"protect": True}} if step.protect else {}
    return dumped({variable: {"type": f"clouddb:{step.kind}", **name, "properties": properties, **options}})


def value_of(value: Any) -> Any:
    """Return a value for YAML, with references as expressions."""
    if isinstance(value, Ref):
        return f"${{{reference(value)}}}"
    if isinstance(value, Joined):
        return "".join(map(_in_text, value.parts, [*value.parts[1:], ""]))
    if isinstance(value, Setting):
        return f"${{{value.key}}}"
    if isinstance(value, Mapping):
        return {key: value_of(item) for key, item in value.items()}
    if isinstance(value, list):
        return [value_of(item) for item in value]
    return escaped(value) if isinstance(value, str) else value


def reference(ref: Ref) -> str:
    """Write a reference to an output.

    Pulumi unescapes only quotation marks in a key, so a key that ends in a backslash cannot be written (`can_refer`).
    """
    return path_of(ref) if ref.key is None else path_of(ref) + '["' + ref.key.replace('"', '\\"') + '"]'


def can_refer(ref: Ref) -> bool:
    """Return whether Pulumi's expressions can refer to an output."""
    return not (ref.key or "").endswith("\\")


def escaped(text: str) -> str:
    """Escape dollar signs that Pulumi would read as the start of an expression or as an escape."""
    return re.sub(r"\$(?=[${])", "$$", text)


def _in_text(part: str | Ref, following: str | Ref) -> str:
    """Write a part of a text before another part."""
    if isinstance(part, Ref):
        return f"${{{reference(part)}}}"
    # A dollar sign at the end would escape that of the reference.
    return escaped(part) + ("$" if isinstance(following, Ref) and part.endswith("$") else "")


def dumped(document: Mapping[str, Any]) -> str:
    """Return a document as YAML that all versions of YAML read in the same way.

    PyYAML does not escape some invisible characters, such as those that reverse the text around them. They
    are in quoted texts only, where an escape means the same.
    """
    text: str = yaml.dump(document, Dumper=_Dumper, sort_keys=False, width=10_000, allow_unicode=True)
    return _UNSEEN.sub(lambda found: "".join(map(_escape, found[0])), text.rstrip())


def _escape(char: str) -> str:
    return char if char.isprintable() or char == "\n" else f"\\U{ord(char):08X}"


_UNSEEN = re.compile(r"[^\x20-\x7e\n]+")


class _Dumper(yaml.SafeDumper):
    """Writes no aliases, indents lists, and quotes strings that a version of YAML reads as another type."""

    def ignore_aliases(self, data: Any) -> bool:
        """Return True, so that there are no aliases."""
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent the elements of a list below its name."""
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    lines = text.split("\n")
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        style = None
    elif len(lines) > 2 and any(lines[-2:]) and all(line.isprintable() and line == line.rstrip() for line in lines):
        style = "|"  # not with empty lines at the end, after which PyYAML ends the document
    else:
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
