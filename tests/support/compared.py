"""What the tests compare: the values in their asserts, with those that their tables put there.

An inventory of the package is held against it. A value counts where a test function compares it, and not where it only
stands in a file.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

TESTS = Path(__file__).parents[1]


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

    def walk(self, kind: type[ast.AST]) -> Iterator[Any]:
        """Yield all nodes of a kind."""
        return (node for node in ast.walk(self._node) if isinstance(node, kind))

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
