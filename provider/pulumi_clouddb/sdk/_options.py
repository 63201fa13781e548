# Written by hand; the other files of this package are generated.
"""Paths in resource options, with the names of Python.

Pulumi translates `ignore_changes` only where a path is one name, and `hide_diffs` not at all
(`pulumi.runtime.resource` of pulumi 3.272). A path that matches nothing is silently without effect.
"""

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

import pulumi

if TYPE_CHECKING:
    from pydantic import BaseModel

_PART = re.compile(r"""\[(?:\d+|\*)\]|\["(?P<quoted>(?:[^"\\]|\\.)*)"\]|\.?(?P<name>[^.\[\]"]+)""")
EVERYTHING = "*"


def translate_paths(opts: pulumi.ResourceOptions, resource: str) -> list[str]:
    """Give the paths in options the names of the wire, and return a message for each that names no property."""
    mistakes: list[str] = []
    for option, of_outputs in (("ignore_changes", False), ("hide_diffs", True), ("additional_secret_outputs", True)):
        paths = getattr(opts, option, None)
        if not isinstance(paths, list) or not paths:
            continue
        from pulumi_clouddb.registry import RESOURCES  # imports the models, which most programs need not load

        type_ = RESOURCES[resource].type
        model = type_.state if of_outputs else type_.inputs
        found = [_translated(path, model) if isinstance(path, str) else path for path in paths]
        setattr(opts, option, [path for path, _ in found])
        mistakes += [
            f"{option} has {path!r}: {problem}" for path, (_, problem) in zip(paths, found, strict=True) if problem
        ]
    return mistakes


def _translated(path: str, model: "type[BaseModel] | None") -> tuple[str, str]:
    """Return a path with the names of the wire, and what is wrong with it, or an empty text."""
    from pulumi_clouddb.schema.public_names import python_name

    result, end = "", 0
    for part in _PART.finditer(path):
        if part.start() != end:
            break
        end = part.end()
        name = part["name"] or part["quoted"]
        if name is None or model is None or name == EVERYTHING or name.startswith("__"):
            result += part[0]
            model = None if name is not None else model
            continue
        fields = _fields_by_either_name(model)
        if name not in fields:
            return path, _unknown(name, [each for each in fields if each == python_name(each)])
        wire, model = fields[name]
        result += part[0].replace(name, wire)
    return (result, "") if end == len(path) and path else (path, "it is not a path")


def _fields_by_either_name(model: "type[BaseModel]") -> "dict[str, tuple[str, type[BaseModel] | None]]":
    from pulumi_clouddb.schema.convert import fields_of
    from pulumi_clouddb.schema.public_names import python_name

    return {each: (wire, nested) for wire, _, nested in fields_of(model) for each in (wire, python_name(wire))}


def _unknown(name: str, known: Collection[str]) -> str:
    from pulumi_clouddb.schema.names import nearest

    near = nearest(name, known)
    return f"it has no property {name!r}" + (f" (did you mean {near!r}?)" if near else "")
