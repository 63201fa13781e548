"""The advice that this package gives: every text that says to a person what is wrong and what to do, with its place.

A text is known by its words: what stands between two values that are filled in is a piece, and five words of a piece in
a row are enough to know it by. An advice that shares all of its words with another cannot be told from it, so that its
own inventory refuses it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pulumi_clouddb

PACKAGE = Path(pulumi_clouddb.__file__).parent
WORDS = 5
"""So many words in a row are known again; of a shorter advice all of them."""

FINDINGS = ("error", "warning", "note")
"""What makes a finding of `clouddb doctor`: code, text, fix, command."""

NOTES = ("Note", "Left", "Managed", "reasons.append")
"""What makes a note of an export or an import: the last argument is the reason."""

VENDORS_WORDS = ("HTTPError", "InvalidBodyError")
"""Refusals of the sandbox, which says what the vendor's servers say."""

FEWEST = 3
"""A text of fewer words in a row joins what others say, such as `error: {}`."""

Pieces = tuple[str, ...]


def words(text: str) -> list[str]:
    """Return the words of a text, without the marks around them."""
    return [word for each in text.lower().split() if (word := each.strip(".,:;()[]{}'\"`│!?"))]


def runs(pieces: Iterable[str], length: int) -> set[tuple[str, ...]]:
    """Return all runs of so many words in a row."""
    found = set()
    for each in map(words, pieces):
        found |= {tuple(each[at : at + length]) for at in range(len(each) - length + 1)}
    return found


@dataclass(frozen=True)
class Advice:
    """A text, and where it is given.

    Attributes:
        place: File and function.
        pieces: What is literal in it.
    """

    place: str
    pieces: Pieces

    @property
    def length(self) -> int:
        """How many words in a row it is known by."""
        return min(WORDS, max(len(words(each)) for each in self.pieces))

    @property
    def runs(self) -> set[tuple[str, ...]]:
        """All runs of that many words in it."""
        return runs(self.pieces, self.length)


class _Reader(ast.NodeVisitor):
    """Collects the advice of one file."""

    def __init__(self, place: str, tree: ast.Module) -> None:
        self.found: list[Advice] = []
        self._place, self._tree = place, tree
        self._scopes: list[ast.Module | ast.ClassDef | ast.FunctionDef] = [tree]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._scopes.append(node)
        if node.name == "_advice":
            for each in ast.walk(node):
                if isinstance(each, ast.Return):
                    self._add(each.value)
        self.generic_visit(node)
        self._scopes.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for each in node.body:
            if isinstance(each, ast.Assign) and _target(each) == "hint":
                self._add(each.value)
        self._scopes.append(node)
        self.generic_visit(node)
        self._scopes.pop()

    def visit_Assign(self, node: ast.Assign) -> None:
        if _target(node) == "_ADVICE" and isinstance(node.value, ast.Dict):
            for each in node.value.values:
                self._add(each)
        if isinstance(node.targets[0], ast.Attribute) and node.targets[0].attr == "explanation":
            self._add(node.value)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = ast.unparse(node.func)
        given = {each.arg: each.value for each in node.keywords}
        if name in VENDORS_WORDS:
            return
        if re.search(r"(Error|Parameter)$", name) or (name == "super().__init__" and self._in_error()):
            self._add(*node.args[:2][-1:])
        elif name in NOTES:
            self._add(*node.args[-1:])
        elif name in FINDINGS and len(node.args) > 2:
            self._add(node.args[0], node.args[2])
        elif name.endswith("Message"):
            self._add(given.get("text"))
        elif name.endswith((".echo", ".print", ".warn", ".error")) and ("err" in given or not name.startswith("typer")):
            self._add(*node.args[:1])
        self.generic_visit(node)

    def _in_error(self) -> bool:
        return any(isinstance(each, ast.ClassDef) and each.name.endswith("Error") for each in self._scopes)

    def _add(self, *parts: ast.expr | None) -> None:
        for each in product(*(self._texts(part) or [()] for part in parts if part is not None)):
            pieces = _joined(each)
            if any(len(words(piece)) >= FEWEST for piece in pieces):
                inner = self._scopes[-1]
                where = "" if isinstance(inner, ast.Module) else inner.name
                self.found.append(Advice(f"{self._place}:{where}", pieces))

    def _texts(self, node: ast.expr, depth: int = 0) -> list[Pieces]:
        """Return what an expression can say, each as its literal pieces."""
        if isinstance(node, ast.Constant):
            return [(node.value,)] if isinstance(node.value, str) else []
        if isinstance(node, ast.JoinedStr):
            return [tuple(each.value if isinstance(each, ast.Constant) else "" for each in node.values)]  # type: ignore[misc]
        if isinstance(node, ast.BinOp):
            sides = (self._texts(node.left, depth) or [("",)], self._texts(node.right, depth) or [("",)])
            return [(*left[:-1], left[-1] + right[0], *right[1:]) for left, right in product(*sides)]
        if isinstance(node, ast.IfExp):
            return [*self._texts(node.body, depth), *self._texts(node.orelse, depth)]
        if isinstance(node, ast.Name) and depth < 3:
            return [each for value in self._values(node.id) for each in self._texts(value, depth + 1)]
        if isinstance(node, ast.Starred):
            return [each for value in self._returned(node.value) for each in self._texts(value, depth + 1)]
        return []

    def _values(self, name: str) -> list[ast.expr]:
        """Return what is put into a variable: of the function, else of the module."""
        for scope in reversed(self._scopes):
            nodes = scope.body if isinstance(scope, ast.Module) else ast.walk(scope)
            if found := [each for node in nodes if isinstance(node, ast.Assign) for each in _assigned(node, name)]:
                return found
        return []

    def _returned(self, call: ast.expr) -> list[ast.expr]:
        """Return the first value of the tuples that a function of this file returns."""
        name = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
        made = [each for each in self._tree.body if isinstance(each, ast.FunctionDef) and each.name == name]
        returns = [each.value for function in made for each in ast.walk(function) if isinstance(each, ast.Return)]
        return [each.elts[0] for each in returns if isinstance(each, ast.Tuple)]


def _target(node: ast.Assign) -> str:
    return node.targets[0].id if isinstance(node.targets[0], ast.Name) else ""


def _assigned(node: ast.Assign, name: str) -> Iterator[ast.expr]:
    target, value = node.targets[0], node.value
    pairs = (
        zip(target.elts, value.elts, strict=False)
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
        else [(target, value)]
    )
    return (each for to, each in pairs if isinstance(to, ast.Name) and to.id == name)


def _joined(parts: Sequence[Pieces]) -> Pieces:
    """Return the pieces of texts that follow each other: a code goes on into its fix."""
    first, *rest = parts or [()]
    for each in rest:
        first = (*first[:-1], f"{first[-1]}: {each[0]}", *each[1:]) if first else each
    return first


def advice_in(*rooms: str) -> list[Advice]:
    """Return the advice of folders of the package, each text once."""
    found: dict[tuple[tuple[str, ...], ...], Advice] = {}
    for room in rooms:
        for file in sorted((PACKAGE / room).rglob("*.py")):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            reader = _Reader(str(file.relative_to(PACKAGE)), tree)
            reader.visit(tree)
            for each in reader.found:
                found.setdefault(tuple(tuple(words(piece)) for piece in each.pieces if words(piece)), each)
    return list(found.values())
