"""The errors that the packages construct, with their messages, read from its code."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import typer

import clouddb_tools
import pulumi_clouddb
from clouddb_tools.sandbox.responses import HTTPError
from pulumi_clouddb import errors
from pulumi_clouddb.client.errors import ApiError, CloudDBError
from pulumi_clouddb.client.rate_limiter import LimitedError
from pulumi_clouddb.registry import HANDLERS
from pulumi_clouddb.resource.waits import WaitResult
from pulumi_clouddb.schema.check import Failure
from pulumi_clouddb.schema.values import UnknownValueError

PACKAGES = (pulumi_clouddb, clouddb_tools)
_NAMES = tuple(each.__name__ for each in PACKAGES)
GAP = "…"
"""Placeholder for the variable parts of a message."""

FEW_WORDS = 2
"""A text with at most so many words of its own is shown with the texts of its variable parts."""

FOLDERS: Mapping[str, str] = {
    "client": "All requests",
    "commands": "Commands",
    "create": "Creates",
    "engine": "Front ends",
    "policy": "Policies",
    "render": "Pictures",
    "resource": "All resources",
    "sandbox": "The sandbox",
    "sdk": "Programs",
    "testing": "Tests of programs",
}
"""Headings for folders of the package that belong to no resource."""

SETTINGS = "schema/config.py"
"""The module whose functions raise ValueError, also by `_unquoted`, about a setting."""

CALLED_BY_USERS = frozenset({"policy", "sandbox", "testing"})
"""Folders whose functions raise exceptions of Python, too."""

MADE_BY: Mapping[str, type[CloudDBError]] = {"self._argument_error": errors.ArgumentError}
"""Methods that construct an error with the words that they are given."""

USAGE = ("typer.BadParameter", "usage_error")
"""What constructs an error of the command line."""


@dataclass(frozen=True)
class Raised:
    """An error that a line of the package constructs.

    Attributes:
        file: The module, relative to the package.
        function: The function.
        line: The line.
        type: The class.
        texts: The messages that it can have; a second line is advice.
        advice: The texts of the argument with advice, if there is one.
    """

    file: str
    function: str
    line: int
    type: type[Any]
    texts: tuple[str, ...]
    advice: tuple[str, ...]

    @property
    def heading(self) -> str:
        """The resources or the part of the package that raises it."""
        return heading(self.file)


def heading(file: str) -> str:
    """Return the heading for the errors of a module; empty for a module that only other code of the package calls."""
    if file == SETTINGS:
        return "the configuration"
    folder, _, module = file.partition("/")
    names = [
        name
        for name, handler in HANDLERS.items()
        if folder == "things" and handler.startswith(f"{module.partition('/')[0]}.")
    ]
    return FOLDERS.get(folder) or ", ".join(names)


@cache
def raised() -> tuple[Raised, ...]:
    """Return all errors of the package, failures of checks, and problems of waits."""
    return tuple(
        each
        for file, path in sources().items()
        if heading(file) and path.stem != "__main__"
        for each in raised_in(file, path.read_text(encoding="utf-8"), _module(path))
    )


def sources() -> dict[str, Path]:
    """Return the modules of both packages, by the path in their package."""
    folders = [Path(str(package.__file__)).parent for package in PACKAGES]
    return {path.relative_to(folder).as_posix(): path for folder in folders for path in sorted(folder.rglob("*.py"))}


def raised_in(file: str, code: str, module: ModuleType) -> list[Raised]:
    """Return the errors that the code of one module constructs."""
    return list(_Module(file, ast.parse(code), module).raised())


@cache
def returned(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the texts that a function returns."""
    module = sys.modules[function.__module__]
    code = _Module("", ast.parse(inspect.getsource(module)), module)
    return (*dict.fromkeys(code.returned(function.__name__)),)


def has_words(text: str) -> bool:
    """Return whether a text has more than variable parts."""
    return any(letter.isalpha() for letter in text)


class _Module:
    """The code of a module, and what it imports."""

    def __init__(self, file: str, tree: ast.Module, module: ModuleType) -> None:
        self._file, self._tree, self._module = file, tree, module
        self._functions = {each.name: each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}

    def raised(self) -> Iterator[Raised]:
        """Yield the errors that it constructs, and the problems of waits."""
        for node, function, class_name in _places(self._tree):
            if isinstance(node, ast.Call) and (kind := self._constructed(node.func, function, class_name)):
                what, advice = self._words(node, kind)
            elif isinstance(node, ast.Assign) and any(ast.unparse(each).endswith(".problem") for each in node.targets):
                kind, what, advice = WaitResult, [node.value], []
            else:
                continue
            texts, hints = ([*dict.fromkeys(self._texts(each, function))] for each in (what, advice))
            yield Raised(self._file, function.name if function else "", node.lineno, kind, tuple(texts), tuple(hints))

    def returned(self, name: str) -> Iterator[str]:
        """Yield the texts that one of its functions returns."""
        return self._texts(_returns(self._functions[name]), self._functions[name])

    def _words(self, call: ast.Call, kind: type[Any]) -> tuple[list[ast.expr], list[ast.expr]]:
        """Return the arguments of a call with the message, and with the advice."""
        is_second = (kind in (Failure, WaitResult) and self._file != SETTINGS) or ast.unparse(call.func) in MADE_BY
        position = 2 if issubclass(kind, ApiError) else int(is_second)
        advice = call.args[position + 1 : position + 2] if issubclass(kind, errors.ResourceError) else []
        return call.args[position : position + 1], advice

    def _constructed(self, called: ast.expr, function: ast.FunctionDef | None, class_name: str) -> type[Any] | None:
        """Return the class of an error that a call constructs; None for any other call."""
        code = ast.unparse(called)
        if code in MADE_BY or code in USAGE:
            return MADE_BY.get(code, typer.BadParameter)
        if self._file == SETTINGS and code in ("ValueError", "_unquoted"):
            return Failure
        chosen = [
            each.id for value in _assigned(function, code) for each in ast.walk(value) if isinstance(each, ast.Name)
        ]
        for name in [class_name if code == "super().__init__" else code, *chosen]:
            kind = getattr(self._module, name, None) or getattr(errors, name, None) or getattr(builtins, name, None)
            if isinstance(kind, type) and self._counts(kind):
                return kind
        return None

    def _counts(self, kind: type[Any]) -> bool:
        if kind in (Failure, WaitResult):
            return not self._file.startswith("sandbox/")
        internal = (HTTPError, UnknownValueError, LimitedError, AttributeError)
        if not issubclass(kind, Exception) or issubclass(kind, internal) or self._file == "client/errors.py":
            return False
        return kind.__module__.startswith(_NAMES) or self._file.partition("/")[0] in CALLED_BY_USERS

    def _texts(
        self, nodes: Iterable[ast.AST], function: ast.FunctionDef | None, seen: frozenset[ast.AST] = frozenset()
    ) -> Iterator[str]:
        """Yield the texts in expressions, in their variables, and in what the functions that they call return."""
        for node in nodes:
            text = self._text(node)
            words = len([word for word in text.split() if has_words(word)])
            if words > int(bool(seen)):  # a word within another expression may be a name
                yield text
            if words <= FEW_WORDS and node not in seen:
                yield from self._texts(self._within(node, function), function, seen | {node})
                yield from self._called(node, seen | {node})

    def _within(self, node: ast.AST, function: ast.FunctionDef | None) -> list[ast.AST]:
        """Return the expressions in another one that can have texts of their own."""
        if isinstance(node, ast.Name):
            return [*_assigned(function, node.id)]
        inner = ast.iter_child_nodes(node)
        return [each for each in inner if not (isinstance(node, ast.JoinedStr) and isinstance(each, ast.Constant))]

    def _called(self, node: ast.AST, seen: frozenset[ast.AST]) -> Iterator[str]:
        """Yield the texts that the function returns which an expression calls."""
        name = ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
        imported = getattr(self._module, name, None)
        if name in self._functions:
            yield from self._texts(_returns(self._functions[name]), self._functions[name], seen)
        elif inspect.isfunction(imported) and imported.__module__.startswith(_NAMES):
            yield from returned(imported)

    def _text(self, node: ast.AST) -> str:
        """Return the text of an expression, with a placeholder for each variable part; empty if it is no text."""
        if isinstance(node, ast.Name):
            value = getattr(self._module, node.id, None)
            return value if isinstance(value, str) else ""
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else ""
        if isinstance(node, ast.FormattedValue):
            text = self._text(node.value) if isinstance(node.value, (ast.Name, ast.JoinedStr)) else ""
            return text if has_words(text) else ""
        if isinstance(node, ast.Tuple):  # what failed, and what to do
            lines = [self._text(each) for each in node.elts]
            return "\n".join(lines) if all(map(has_words, lines)) else ""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            parts: list[ast.expr] = [node.left, node.right]
        else:
            parts = node.values if isinstance(node, ast.JoinedStr) else []
        return re.sub(f"{GAP}{GAP}+", GAP, "".join(self._text(part) or GAP for part in parts))


def _places(
    node: ast.AST, function: ast.FunctionDef | None = None, class_name: str = ""
) -> Iterator[tuple[ast.AST, ast.FunctionDef | None, str]]:
    """Yield all nodes below one, each with the function and the name of the class around it."""
    for each in ast.iter_child_nodes(node):
        yield each, function, class_name
        inner = each if isinstance(each, ast.FunctionDef) else function
        yield from _places(each, inner, each.name if isinstance(each, ast.ClassDef) else class_name)


def _returns(function: ast.FunctionDef) -> list[ast.expr]:
    return [each.value for each in ast.walk(function) if isinstance(each, ast.Return) and each.value]


def _assigned(function: ast.FunctionDef | None, name: str) -> Iterator[ast.expr]:
    """Yield what a function assigns to a variable, or appends to it."""
    for node in ast.walk(function) if function else ():
        if isinstance(node, ast.Call) and ast.unparse(node.func) == f"{name}.append":
            yield from node.args
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.NamedExpr)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(each, ast.Name) and each.id == name for each in targets):
                yield node.value


def _module(path: Path) -> ModuleType:
    parts = path.relative_to(Path(pulumi_clouddb.__file__).parents[1]).with_suffix("").parts
    return import_module(".".join(part for part in parts if part != "__init__"))
