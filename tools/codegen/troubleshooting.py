"""The error classes and messages in docs/troubleshooting.md, with advice."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

import pulumi_clouddb
from pulumi_clouddb import errors
from pulumi_clouddb.client import errors as tree
from pulumi_clouddb.client.errors import ApiError
from pulumi_clouddb.client.operation import Operation
from pulumi_clouddb.registry import HANDLERS, OPERATIONS
from pulumi_clouddb.schema.wording import LIMITS, PATTERNS

from .docs import table

Json = dict[str, Any]

PACKAGE = Path(pulumi_clouddb.__file__).parent
GAP = "…"
"""Placeholder for the variable parts of a message."""

ADVICE: Mapping[str, str] = {
    "CloudDBError": "The base of all errors: catch it to catch any of them. Its subclasses say what to do.",
    "ConfigError": "Set what the message names, with `pulumi config set` or in the environment. `clouddb doctor` "
    "checks all settings.",
    "ResourceError": "The second line of the message says what to do; each message is listed [below](#messages).",
    "CancelledError": "Run again: the object is in state, and the wait goes on.",
    "ProgramError": "Correct the line of the program that the traceback shows.",
    "ArgumentError": "Correct the argument that the message names. The reference lists the arguments of each resource.",
    "UnknownKeyError": "Use one of the keys that the message lists.",
    "ApiError": "The base of everything that a request can fail with. Its subclasses say what to do.",
    "NotFoundError": "Check the id, the organization and the service. If somebody has deleted the object, run "
    "`pulumi up --refresh`.",
    "ClientError": "Correct what the server's words name, and run again. "
    f"After 402 (the organization's limit is reached): {tree.QUOTA[0].lower()}{tree.QUOTA[1:]}",
    "ConflictError": "Run again: the object was in a state that forbids the request, as a service is that still stops.",
}
"""Advice for errors whose class has none."""

SEEN: Mapping[str, tuple[int | None, str]] = {
    "ConnectError": (None, "[Errno 111] Connection refused"),
    "AmbiguousError": (None, "the connection broke"),
    "ResponseLostError": (None, "the connection broke after the request was sent"),
    "InvalidResponseError": (200, "answered with a body of type text/html, not with its envelope"),
    "ServerError": (502, "Bad Gateway"),
    "RateLimitError": (429, "Too Many Requests"),
    "UnauthorizedError": (401, "UNAUTHORIZED: Key is not found"),
    "NotFoundError": (404, "NOT_FOUND: service not found"),
    "UnsupportedOperationError": (404, "a body of type text/html"),
    "ClientError": (400, "BAD_REQUEST: request body.numReplicas: must be at most 20"),
    "ListNotFoundError": (404, "NOT_FOUND: organization not found"),
    "ConflictError": (409, "CONFLICT: the service is stopping"),
}
"""Status and text of an example of each request error."""

CORRECT = "Correct what the message names, and run again."
TOLD = "The second line of the message says it; it depends on the case."

OTHERS: Mapping[str, str] = {
    "client": "All requests",
    "commands": "Commands",
    "create": "Creates",
    "engine": "Front ends",
    "render": "Pictures",
    "resource": "All resources",
}
"""Headings for folders of the package that belong to no resource."""


def classes(_: Json) -> str:
    """Return the tree of the errors, and a section for each."""
    drawn = inspect.cleandoc(tree.__doc__ or "").partition("\n\n")[2].rpartition("\n\n")[0]
    blocks = [f"```text\n{inspect.cleandoc(drawn)}\n```"]
    for name in errors.__all__:
        kind = getattr(errors, name)
        blocks += [f"### {name}", (inspect.getdoc(kind) or "").partition("\n\n")[0].replace("\n", " ")]
        if issubclass(kind, ApiError) and kind is not ApiError:
            seen = str(_example(kind)).splitlines()
            blocks.append(f"```text\n{seen[0]}\n```")
        else:
            seen = []
        if advice := ADVICE.get(name) or (seen[1] if len(seen) > 1 else ""):
            blocks.append(f"**What to do.** {advice}")
        else:
            raise LookupError(f"{name} has no advice; ADVICE in tools/codegen/troubleshooting.py must have it")
    return "\n\n".join(blocks)


def _example(kind: type[ApiError]) -> ApiError:
    operation: Operation = OPERATIONS["list_services" if kind is errors.ListNotFoundError else "create_service"]
    status, words = SEEN[kind.__name__]
    url = "https://api.clickhouse.cloud/v1/organizations/ORGANIZATION_ID/services"
    return kind(operation, url, words, status=status) if status else kind(operation, url, words)


def server_words(_: Json) -> str:
    """Return a section for each server message with advice of its own."""
    return "\n\n".join(f"### {words}\n\n**What to do.** {advice}" for words, advice in tree.ADVICE.items())


def limits(_: Json) -> str:
    """Return a table of the messages about refused values in a preview."""
    words = [*LIMITS.values(), *PATTERNS.values()]
    return table(
        ["A value …"], [[f"{GAP} {_filled(each)}"] for each in dict.fromkeys(words) if each != "must match {pattern}"]
    )


def _filled(words: str) -> str:
    return " ".join("N" if each.startswith("{") else each for each in words.split(" "))


@dataclass(frozen=True)
class Message:
    """A message that is raised somewhere in the package."""

    where: str
    kind: str
    what: str
    advice: str


def messages(_: Json) -> str:
    """Return a section for each message that the package raises, by resource or folder."""
    blocks = []
    for where, group in groupby(sorted(_raised(), key=lambda each: each.where), key=lambda each: each.where):
        blocks.append(f"### {where}")
        for each in {each.what: each for each in group}.values():
            blocks += [f"#### {each.what}", f"**What to do.** {each.advice} *{each.kind}*"]
    return "\n\n".join(blocks)


def _raised() -> Iterator[Message]:
    for path in sorted(PACKAGE.rglob("*.py")):
        where = _heading(path)
        if not where:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in errors.__all__:
                texts = [_text(each, path) for each in node.args[:2]]
                what, _, advice = (texts[0] if texts else "").partition("\n")
                if node.func.id == "CancelledError":
                    what, advice = f"stopped waiting: {what}", ADVICE["CancelledError"]
                if what.replace(GAP, "").strip(" :"):
                    hints = [advice] if advice else texts[1:]
                    told = not hints or hints[0].replace(GAP, "").strip()
                    yield Message(where, node.func.id, what, (hints or [CORRECT])[0] if told else TOLD)


def _heading(path: Path) -> str:
    folder = path.relative_to(PACKAGE).parts[0]
    if folder in OTHERS:
        return OTHERS[folder]
    names = [name for name, handler in HANDLERS.items() if handler.startswith(f"{folder}.")]
    return ", ".join(names)


def _text(node: ast.expr, path: Path) -> str:
    """Return a text in the code with a placeholder for each variable part."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part, path) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return _text(node.value, path)
    if isinstance(node, ast.Name):
        value = getattr(_module(path), node.id, None)
        return value if isinstance(value, str) else GAP
    return GAP


@cache
def _module(path: Path) -> Any:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return import_module(".".join(["pulumi_clouddb", *(part for part in parts if part != "__init__")]))
