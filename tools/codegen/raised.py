"""The errors that the packages construct, with their messages, read from its code."""

from __future__ import annotations

import ast
import builtins
import inspect
import itertools
import re
import sys
import textwrap
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
from pulumi_clouddb.client.needed import settings_problem
from pulumi_clouddb.client.rate_limiter import LimitedError
from pulumi_clouddb.registry import HANDLERS
from pulumi_clouddb.resource.waits import WaitResult, _Polls
from pulumi_clouddb.schema.check import Failure
from pulumi_clouddb.schema.values import UnknownValueError
from pulumi_clouddb.sdk._base import DynamicResource

PACKAGES = (pulumi_clouddb, clouddb_tools)
GAP = "…"
"""Placeholder for the variable parts of a message."""

FEW_WORDS = 2
"""A message with at most so many words of its own is shown with each text that its variable parts can have."""

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

PROBLEMS = ("problem", "last_error")
"""Attributes with the reason for a failed wait: the texts of the methods below, of resource/waits.py."""

WAITS = ("stopped", "timed_out")

PASSED_ON: Mapping[tuple[str, str], str] = {
    ("things/organizations/api.py", "list"): "words of the server",
    ("client/client.py", "_exchange"): "words of httpx, or of UnreadableBodyError",
    ("commands/export/export.py", "export"): "NothingError has the text",
    ("commands/export/import_file.py", "__init__"): "its caller has the text",
    ("commands/export/import_file.py", "find"): "words of another error",
    ("commands/gitops/command.py", "_finish"): "words of another error",
    ("commands/gitops/command.py", "apply"): "words of another error",
    ("commands/gitops/project.py", "_command"): "words of Pulumi",
    ("commands/printing.py", "usage_error"): "its caller has the text",
    ("commands/render.py", "render"): "words of another error",
    ("commands/sandbox/command.py", "serve"): "words of other errors",
    ("engine/plugin/configured.py", "create"): "the reason for a failed wait",
    ("engine/plugin/configured.py", "update"): "the reason for a failed wait",
    ("engine/plugin/rpc.py", "__init__"): "its caller has the text",
    ("engine/wire/settings.py", "provider_config"): "failures of the configuration",
    ("policy/server.py", "__init__"): "its caller has the text",
    ("policy/server.py", "not_applicable"): "words of a policy",
    ("resource/functions.py", "call"): "failures of the arguments",
    ("resource/lifecycle.py", "check"): "words of another error",
    ("resource/lifecycle.py", "update"): "words of the server",
    ("resource/provisioned.py", "wait"): "no problem",
    ("resource/waits.py", "wait"): "the texts of WAITS",
    ("sandbox/faults.py", "fault_from"): "words of another error",
    ("sandbox/remote.py", "_call"): "words of the sandbox",
    ("schema/config.py", "_safe_url"): "words of a form",
    ("schema/config.py", "_unquoted"): "its caller has the text",
    ("sdk/_base.py", "_argument_error"): "its caller has the text",
    ("testing/stack.py", "_finish"): "words of other errors",
    ("things/pipes/resource.py", "wait"): "no problem",
}
"""Functions, by file and name, that construct errors without words of their own, and whose words these are."""

WRITTEN_BY: Mapping[tuple[str, str], Callable[..., Any]] = {
    ("resource/base.py", "check"): settings_problem,
    ("sdk/_base.py", "_declare"): DynamicResource._mistakes,
}
"""Functions that return the words of an error which another function, by file and name, constructs."""

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

    def __str__(self) -> str:
        """Return where it is constructed."""
        return f"{self.type.__name__} in {self.function or 'the module'}, {self.file}, line {self.line}"


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
    finder = _Finder(file, module)
    finder.visit(ast.parse(code))
    return finder.found


def without_words(found: Iterable[Raised]) -> list[Raised]:
    """Return the errors without words of their own whose words are not known to come from elsewhere."""
    return [
        each for each in found if not any(map(has_words, each.texts)) and (each.file, each.function) not in PASSED_ON
    ]


def returned(function: Callable[..., Any]) -> list[str]:
    """Return the texts that a function returns."""
    finder = _Finder("", sys.modules[function.__module__])
    parsed = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    return [text for each in parsed if isinstance(each, ast.FunctionDef) for text in finder.returned(each)]


def has_words(text: str) -> bool:
    """Return whether a text has more than variable parts."""
    return any(letter.isalpha() for letter in text)


class _Finder(ast.NodeVisitor):
    def __init__(self, file: str, module: ModuleType) -> None:
        self.found: list[Raised] = []
        self._file, self._module = file, module
        self._functions: list[ast.FunctionDef] = []
        self._classes: list[ast.ClassDef] = []
        self._searched: ast.FunctionDef | None = None
        self._assignments: dict[str, list[ast.expr]] = {}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._functions.append(node)
        self.generic_visit(node)
        self._functions.pop()

    def returned(self, function: ast.FunctionDef) -> list[str]:
        """Return the texts that a function returns; the elements of a tuple become lines of one text."""
        self._functions.append(function)
        texts: list[str] = []
        for value in [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]:
            if isinstance(value, ast.Tuple):
                texts += map("\n".join, itertools.product(*map(self._texts, value.elts)))
            else:
                plain = self._texts(value)
                texts += plain if any(map(has_words, plain)) else self._texts(value, each=True)
        self._functions.pop()
        return [text for text in texts if has_words(text)]

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._classes.append(node)
        self.generic_visit(node)
        self._classes.pop()

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        kind = self._constructed(node.func)
        if kind is None:
            return
        second = (kind in (Failure, WaitResult) and self._file != SETTINGS) or ast.unparse(node.func) in MADE_BY
        position = 2 if issubclass(kind, ApiError) else int(second)
        what, *advice = [*node.args[position : position + 2]] if len(node.args) > position else [None]
        texts = self._texts(what)
        function = self._functions[-1].name if self._functions else ""
        if all(len([word for word in text.split() if has_words(word)]) <= FEW_WORDS for text in texts):
            texts = self._texts(what, each=True)
        if (self._file, function) in WRITTEN_BY and not any(map(has_words, texts)):
            texts = returned(WRITTEN_BY[self._file, function])
        hints = self._texts(advice[0], each=True) if advice and issubclass(kind, errors.ResourceError) else []
        self.found.append(Raised(self._file, function, node.lineno, kind, tuple(texts), tuple(hints)))

    def visit_Assign(self, node: ast.Assign) -> None:
        """Read the problem of a wait that is assigned to its result."""
        self.generic_visit(node)
        attributes = [each.attr for each in node.targets if isinstance(each, ast.Attribute)]
        if PROBLEMS[0] in attributes and self._functions:
            texts = [text for text in self._texts(node.value, each=True) if has_words(text)]
            self.found.append(Raised(self._file, self._functions[-1].name, node.lineno, WaitResult, tuple(texts), ()))

    def _constructed(self, called: ast.expr) -> type[Any] | None:
        """Return the class of an error that a call constructs; None for any other call."""
        name = called.id if isinstance(called, ast.Name) else ""
        code = ast.unparse(called)
        if made := MADE_BY.get(code):
            return made
        if code in USAGE:
            return typer.BadParameter
        if self._file == SETTINGS and name in ("ValueError", "_unquoted"):
            return Failure
        if code == "super().__init__" and self._classes:
            name = self._classes[-1].name
        for each in [name, *(found.id for value in self._assigned(name) for found in _names(value))]:
            kind = getattr(self._module, each, None) or getattr(errors, each, None) or getattr(builtins, each, None)
            if isinstance(kind, type) and self._counts(kind):
                return kind
        return None

    def _counts(self, kind: type[Any]) -> bool:
        if kind in (Failure, WaitResult):
            return not self._file.startswith("sandbox/")
        internal = (HTTPError, UnknownValueError, LimitedError, AttributeError)
        if not issubclass(kind, Exception) or issubclass(kind, internal) or self._file == "client/errors.py":
            return False
        return (
            kind.__module__.startswith(tuple(each.__name__ for each in PACKAGES))
            or self._file.partition("/")[0] in CALLED_BY_USERS
        )

    def _assigned(self, name: str) -> list[ast.expr]:
        """Return what the function assigns to a variable."""
        function = self._functions[-1] if self._functions else None
        if function is not self._searched:
            self._searched, self._assignments = function, _assignments(function)
        return self._assignments.get(name, [])

    def _texts(self, node: ast.expr | None, *, each: bool = False) -> list[str]:
        """Return the texts of an expression, with a placeholder for each variable part.

        With `each`, a part that the code chooses from several texts is not variable: there is a text for each of them.
        """
        texts = self._alternatives(node, each) or [GAP]
        return [text for text in texts if has_words(text)] or texts[:1]

    def _alternatives(self, node: ast.expr | None, each: bool) -> list[str]:
        texts = [GAP]
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts = [node.value]
        elif isinstance(node, ast.FormattedValue):
            found = self._alternatives(node.value, each and not _calls_function(node.value))
            texts = found if all(map(has_words, found)) else [GAP]
        elif isinstance(node, ast.JoinedStr) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)):
            parts = node.values if isinstance(node, ast.JoinedStr) else [node.left, node.right]
            texts = list(map("".join, itertools.product(*(self._alternatives(part, each) for part in parts))))
        elif isinstance(node, ast.Name) and isinstance(getattr(self._module, node.id, None), str):
            texts = [getattr(self._module, node.id)]
        elif each and isinstance(node, ast.Attribute) and node.attr in PROBLEMS:
            texts = [text for name in WAITS for text in returned(getattr(_Polls, name))]
        elif each and isinstance(node, ast.Call) and _calls_function(node):
            function = getattr(self._module, ast.unparse(node.func), None)
            texts = returned(function) if inspect.isfunction(function) else []
        elif each:
            texts = [text for part in self._parts(node) for text in self._alternatives(part, each)]
        return [re.sub(f"{GAP}{GAP}+", GAP, text) for text in dict.fromkeys(texts)] or [GAP]

    def _parts(self, node: ast.expr | None) -> list[ast.expr]:
        """Return the expressions of which one, or several joined ones, make the text."""
        if isinstance(node, ast.IfExp):
            return [node.body, node.orelse]
        if isinstance(node, ast.BoolOp):
            return node.values
        if isinstance(node, ast.Name):
            added = [
                call.args[0]
                for function in self._functions[-1:]
                for call in ast.walk(function)
                if isinstance(call, ast.Call) and ast.unparse(call.func) == f"{node.id}.append"
            ]
            return [*self._assigned(node.id), *added]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join":
            return node.args
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return [node.elt]
        if isinstance(node, (ast.List, ast.Tuple)):
            return node.elts
        return [node.value] if isinstance(node, ast.Starred) else []


def _assignments(function: ast.FunctionDef | None) -> dict[str, list[ast.expr]]:
    """Return what a function assigns to each of its variables."""
    assigned: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function) if function else ():
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.NamedExpr)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    assigned.setdefault(target.id, []).append(node.value)
    return assigned


def _calls_function(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def _names(node: ast.expr) -> Iterator[ast.Name]:
    return (each for each in ast.walk(node) if isinstance(each, ast.Name))


def _module(path: Path) -> ModuleType:
    parts = path.relative_to(Path(pulumi_clouddb.__file__).parents[1]).with_suffix("").parts
    return import_module(".".join(part for part in parts if part != "__init__"))
