"""Formulas over the selected values of a tile: arithmetic with a letter for each, such as `A / (A + B) * 100`."""

from __future__ import annotations

import ast
import re

LONGEST_FORMULA = 1024

_SIGNS = re.compile(r"[A-Z0-9.+\-*/()\s]*")
_NO_LETTER = re.compile(r"[A-Z][A-Z0-9.]|[0-9.][A-Z]|\*\s*\*|/\s*/")
_PARTS = (ast.Expression, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.UnaryOp, ast.USub, ast.Constant)


def fault_of(expression: str, values: int) -> str | None:
    """Return why an expression is no formula over so many values, or None if it is one."""
    if not _SIGNS.fullmatch(expression) or _NO_LETTER.search(expression):
        return "has more than numbers, letters, + - * / and parentheses"
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "cannot be read"
    letters = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            letters.add(node.id)
        elif not isinstance(node, (*_PARTS, ast.Load)):
            return "cannot be read"
    unknown = sorted(each for each in letters if ord(each) - ord("A") >= values)
    if unknown:
        return f"names {', '.join(unknown)}, but there are {values} value(s) in select"
    return None if letters else "names no value of select"
