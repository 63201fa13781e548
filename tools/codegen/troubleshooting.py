"""The error classes, and the messages of servers, in docs/troubleshooting.md."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from pulumi_clouddb import errors
from pulumi_clouddb.client import errors as tree
from pulumi_clouddb.client.errors import ApiError
from pulumi_clouddb.client.operation import Operation
from pulumi_clouddb.registry import OPERATIONS

from .names import Json

ADVICE: Mapping[str, str] = {
    "CloudDBError": "The base of all errors: catch it to catch any of them. Its subclasses say what to do.",
    "ConfigError": "Set what the message names, with `pulumi config set` or in the environment. `clouddb doctor` "
    "checks all settings.",
    "ResourceError": "The second line of the message says what to do.",
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
    "ClientError": (400, "BAD_REQUEST: request body.numReplicas: must be at most 50"),
    "ListNotFoundError": (404, "NOT_FOUND: organization not found"),
    "ConflictError": (409, "CONFLICT: the service is stopping"),
}
"""Status and text of an example of each request error."""


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
