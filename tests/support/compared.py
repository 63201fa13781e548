"""What the tests compare: the values in their asserts, with those that their tables put there.

An inventory of the package is held against it. A value counts where a test function compares it, and not where it only
stands in a file.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

TESTS = Path(__file__).parents[1]

FILLED_IN = " … "
"""Stands in a text for a value that is filled in."""

DEEPEST = 3
"""So far variables and tables are followed."""


class TestFunction:
    """A test, with its tree and the values that its tables give its parameters."""

    __test__ = False

    def __init__(self, module: ModuleType, node: ast.FunctionDef, function: Callable[..., object]) -> None:
        self.name, self._module, self._node = f"{module.__name__}::{node.name}", module, node
        self._parameters: dict[str, list[Any]] = {}
        for mark in getattr(function, "pytestmark", ()):
            if mark.name == "parametrize":
                self._fill(*mark.args[:2])

    def _fill(self, names: str | tuple[str, ...], rows: Any) -> None:
        given = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
        for row in rows:
            values = getattr(row, "values", row) if hasattr(row, "marks") else row
            for name, value in zip(given, values if len(given) > 1 else [values], strict=True):
                self._parameters.setdefault(name, []).append(value)

    @property
    def asserts(self) -> Iterator[ast.Assert]:
        """Its asserts."""
        return (node for node in ast.walk(self._node) if isinstance(node, ast.Assert))

    @property
    def texts(self) -> Iterator[str]:
        """The texts that it looks for: in its asserts, and those that an error that it expects matches."""
        matches = [
            each.value
            for node in ast.walk(self._node)
            if isinstance(node, ast.Call)
            for each in node.keywords
            if each.arg == "match"
        ]
        for node in [*(each.test for each in self.asserts), *matches]:
            yield from self._texts(node)

    def _texts(self, node: ast.AST, depth: int = 0) -> Iterator[str]:
        if isinstance(node, ast.Compare) and any(isinstance(each, ast.NotIn | ast.NotEq) for each in node.ops):
            return
        if isinstance(node, ast.JoinedStr):
            yield FILLED_IN.join(str(each.value) for each in node.values if isinstance(each, ast.Constant))
            for value in (each.value for each in node.values if isinstance(each, ast.FormattedValue)):
                yield from self._texts(value, depth)
        elif isinstance(node, ast.Constant | ast.Name):
            yield from (text for each in self.values(node) for text in _strings(each))
            for value in self._assigned(node) if depth < DEEPEST else ():
                yield from self._texts(value, depth + 1)
        else:
            for each in ast.iter_child_nodes(node):
                yield from self._texts(each, depth)

    def _assigned(self, node: ast.expr) -> Iterator[ast.expr]:
        """Yield what the test puts into a variable."""
        for each in ast.walk(self._node):
            if isinstance(each, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == ast.unparse(node) for target in ast.walk(each.targets[0])
            ):
                yield each.value

    def values(self, node: ast.expr) -> list[Any]:
        """Return what an expression can be: a constant of the module or of a class, or what the tables hold."""
        if isinstance(node, ast.Constant):
            return [node.value]
        if isinstance(node, ast.Name):
            known = vars(self._module)
            return self._parameters.get(node.id) or ([known[node.id]] if node.id in known else [])
        if isinstance(node, ast.Attribute):
            return [getattr(each, node.attr) for each in self.values(node.value) if hasattr(each, node.attr)]
        return []


def having(words: str) -> Iterator[TestFunction]:
    """Yield the tests of each file in which a pattern is found; the others are not loaded."""
    for file in sorted(TESTS.glob("test_*.py")):
        if re.search(words, _text(file)):
            yield from _tests(file)


@cache
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def _tests(file: Path) -> Sequence[TestFunction]:
    module = importlib.import_module(file.stem)
    nodes = [each for each in ast.parse(_text(file)).body if isinstance(each, ast.FunctionDef)]
    return [TestFunction(module, each, getattr(module, each.name)) for each in nodes if each.name.startswith("test_")]


def _strings(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the texts in a value of a table; a pattern without what its characters are escaped with."""
    if isinstance(value, str):
        yield value.replace("\\", "")
    elif isinstance(value, Mapping) and depth < DEEPEST:
        yield from (text for each in value.items() for text in _strings(each, depth + 1))
    elif isinstance(value, Sequence) and not isinstance(value, bytes) and depth < DEEPEST:
        yield from (text for each in value for text in _strings(each, depth + 1))
