"""The error classes and messages in docs/troubleshooting.md, with advice."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

import typer

from pulumi_clouddb import errors
from pulumi_clouddb.client import errors as tree
from pulumi_clouddb.client.errors import ApiError
from pulumi_clouddb.client.needed import settings_problem
from pulumi_clouddb.client.operation import Operation
from pulumi_clouddb.client.responses import UnreadableBodyError
from pulumi_clouddb.engine.wire.settings import all_problems, path_problem
from pulumi_clouddb.registry import FUNCTIONS, OPERATIONS, RESOURCES
from pulumi_clouddb.resource.waits import WaitResult
from pulumi_clouddb.schema.annotations import parts_of
from pulumi_clouddb.schema.base import Model
from pulumi_clouddb.schema.check import WORDS, Failure, models_with_rules
from pulumi_clouddb.schema.times import YEARS
from pulumi_clouddb.schema.wording import PATTERNS, Form

from .docs import table
from .names import Json
from .raised import GAP, Raised, has_words, raised, returned

ADVICE: Mapping[str, str] = {
    "CloudDBError": "The base of all errors: catch it to catch any of them. Its subclasses say what to do.",
    "ConfigError": "Set what the message names, with `pulumi config set` or in the environment. `clouddb doctor` "
    "checks all settings.",
    "ResourceError": "The second line of the message says what to do; each message is listed [below](#messages).",
    "CancelledError": "Run again: the object is in state, and the wait continues.",
    "ProgramError": "Correct the line of the program that the traceback shows.",
    "ArgumentError": "Correct the argument that the message names. The reference lists the arguments of each resource.",
    "UnknownKeyError": "Use one of the keys that the message lists.",
    "ApiError": "The base of all errors of requests. Its subclasses say what to do.",
    "NotFoundError": "Check the id, the organization and the service. If somebody has deleted the object, run "
    "`pulumi up --refresh`.",
    "ClientError": "Correct what the server's message names, and run again. "
    f"After 402 (the organization's limit is reached): {tree.QUOTA[0].lower()}{tree.QUOTA[1:]}",
    "ConflictError": "Run again: the object was in a state that forbids the request, for example a service that is "
    "still stopping.",
}
"""Advice for errors whose class has none."""

SEEN: Mapping[str, tuple[int | None, str]] = {
    "ConnectError": (None, "[Errno 111] Connection refused"),
    "AmbiguousError": (None, "the connection broke"),
    "ResponseLostError": (None, "the connection broke after the request was sent"),
    "InvalidResponseError": (200, "returned a body of type text/html, not its envelope"),
    "PartialListError": (None, "the list has no end: 500 pages read, the limit is 500"),
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
OPTION = "Correct the command line; the command with `--help` lists its options."
BRACE = r"\{"
WAIT = "This is the reason why a wait failed. The rest of the message has details; fix the cause, then run again."
TOLD = "Follow the second line of the message, which depends on the case."

SHOWN_AS: Mapping[type[Any], type[errors.CloudDBError]] = {UnreadableBodyError: errors.InvalidResponseError}
"""The errors that users see in place of internal ones."""


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
    words = [*WORDS.values(), *PATTERNS.values(), YEARS, *sorted(set(_forms(Model)))]
    shown = dict.fromkeys(_filled(each) for each in words if each != "must match {pattern}")
    return table(["A value …"], [[f"{GAP} {each}"] for each in shown if each != "N"])


def _forms(model: type[Model]) -> Iterator[str]:
    """Yield the words of the forms of texts that a model and its subclasses require."""
    for info in model.model_fields.values():
        parts = (*info.metadata, *parts_of(info.annotation))
        yield from (part.words for part in parts if isinstance(part, Form))
    for each in model.__subclasses__():
        yield from _forms(each)


def _filled(words: str) -> str:
    return " ".join("N" if each.startswith("{") else each for each in words.split(" "))


def rules(_: Json) -> str:
    """Return for each resource and function a table of its rules over several properties, and of its other checks."""
    rows: dict[str, dict[str, list[str]]] = {}
    inputs = {name: each.type.inputs for name, each in RESOURCES.items()}
    for name, model in {**inputs, **{name: each.type.inputs for name, each in FUNCTIONS.items()}}.items():
        for path, text in _rules(model, set()):
            rows.setdefault(name, {}).setdefault(text, []).append(path)
    others = [(each.heading, text) for each in raised() if each.type is Failure for text in each.texts]
    problems = (all_problems, path_problem, settings_problem)
    others += [("the configuration", text) for problem in problems for text in returned(problem)]
    for name, text in others:
        if has_words(text):
            rows.setdefault(name, {}).setdefault(text.replace("\n", ". "), [])
    blocks = []
    for name, texts in rows.items():
        named = [[text, ", ".join(f"`{path}`" for path in dict.fromkeys(paths))] for text, paths in texts.items()]
        blocks += [f"### Values of {name}", table(["A value …", "Properties"], named)]
    return "\n\n".join(blocks)


def _rules(model: type[Model], seen: set[type[Model]]) -> Iterator[tuple[str, str]]:
    """Yield the property and the text of each rule of a model, and of the models of its properties."""
    if model not in seen:
        seen.add(model)
        yield from ((rule.path, rule.text) for rule in model.RULES)
        for _, inner in models_with_rules(model):
            yield from _rules(inner, seen)


def messages(_: Json) -> str:
    """Return a section for each message that the package raises, by resource or folder."""
    blocks = []
    for where, group in groupby(sorted(raised(), key=lambda each: each.heading), key=lambda each: each.heading):
        sections: dict[str, list[str]] = {}
        for heading, advice in (section for each in group for section in sections_of(each)):
            sections.setdefault(heading, []).append(advice)
        if sections:
            blocks.append(f"### {where}")
        for heading, advices in sections.items():
            # Braces at the end would be attributes of the heading, and a name such as __main__ would be bold.
            title = heading.replace("{", BRACE).replace("__", r"\_\_")
            blocks += [f"#### {title}", f"**What to do.** {' Or: '.join(dict.fromkeys(advices))}"]
    return "\n\n".join(blocks)


def sections_of(error: Raised) -> Iterator[tuple[str, str]]:
    """Yield the heading and the advice of each message of an error; failures of checks are in tables."""
    if error.type is Failure:
        return
    kind = SHOWN_AS.get(error.type) or next(
        (each for each in error.type.__mro__ if each.__name__ in errors.__all__), None
    )
    for what, _, hint in (text.partition("\n") for text in error.texts):
        if not has_words(what):
            continue
        hints = [hint] if hint else [*error.advice] or [_advice(error, kind)]
        known = [each for each in hints if has_words(each)] or [TOLD]
        name = f" *{kind.__name__}*" if kind else ""
        yield (f"stopped waiting: {what}" if kind is errors.CancelledError else what), " Or: ".join(known) + name


def _mend(error: Raised) -> str:
    """Return what a resource advises about an object that cannot be used: `mend` of the class that calls it so."""
    for handler in RESOURCES.values():
        module = type(handler).__module__.removeprefix("pulumi_clouddb.").replace(".", "/")
        if error.function == "unusable_result" and error.file == f"{module}.py":
            return str(getattr(handler, "mend", ""))
    return ""


def _advice(error: Raised, kind: type[Any] | None) -> str:
    raised_as = error.type
    if raised_as is WaitResult:
        return _mend(error) or WAIT
    if raised_as is typer.BadParameter:
        return OPTION
    if kind is errors.CancelledError:
        return ADVICE["CancelledError"]
    if kind is not None and issubclass(kind, ApiError):
        return ADVICE.get(kind.__name__) or str(_example(kind)).splitlines()[1]
    return CORRECT
