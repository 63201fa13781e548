"""The names of this package in Python and on the wire. They are public: messages never mask them."""

from __future__ import annotations

import functools
import keyword
import re
from typing import Final

from pydantic.alias_generators import to_snake

from . import _public_names as generated

_QUOTED_OR_WORD = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<![\w:])[a-z]\w*""")
"""Quoted texts are values, and a name after a colon is a setting: both stay unchanged."""

_OPTIONS: Final = frozenset({"deleteBeforeReplace"})
"""Pulumi's options in messages."""

_PACKAGE: Final = frozenset({"clouddb", "pulumi", "pulumi-clouddb", "pulumi_clouddb", "pulumi-resource-clouddb"})
"""The names in commands, settings and type tokens."""


def python_name(wire: str) -> str:
    """Return the Python name of a property."""
    name = to_snake(wire)
    return f"{name}_" if keyword.iskeyword(name) else name


def in_python(text: str) -> str:
    """Return a message with the Python names of properties and functions: `ip_access_list[2].source must be …`."""
    return _QUOTED_OR_WORD.sub(lambda match: _in_programs().get(match[0], match[0]), text)


def in_program(text: str, *types: str) -> str:
    """Return a message with the names of a program with resources of these types: only Python has dynamic ones."""
    return in_python(text) if any(each.startswith("pulumi-python:dynamic/") for each in types) else text


@functools.cache
def _in_programs() -> dict[str, str]:
    names = generated.IN_PROGRAMS | generated.FUNCTIONS | _OPTIONS
    # A property such as `from` may also be an ordinary word.
    return {name: python_name(name) for name in names if not name.islower()}


@functools.cache
def public_names() -> frozenset[str]:
    """Return the names of all properties and functions, on the wire and in Python, of resources and of the package."""
    wire = generated.IN_PROGRAMS | generated.OTHERS | generated.FUNCTIONS
    return wire.union(map(python_name, wire), generated.RESOURCES, _PACKAGE)
