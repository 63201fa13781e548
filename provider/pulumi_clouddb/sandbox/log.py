"""The request log: what came in, exactly as it came in, except for secrets."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request

from pulumi_clouddb.models.api_key import KeyCreated
from pulumi_clouddb.models.base import names_marked
from pulumi_clouddb.models.pipe_sources import MongoDbSource, ObjectStorageSource
from pulumi_clouddb.models.service import ServiceCreate
from pulumi_clouddb.models.service_response import ServiceCreated

from .bodies import HashDataBody, PasswordChange

REDACTED = "[secret]"

_SECRETS = frozenset(
    name
    for model in (
        ServiceCreate,
        ServiceCreated,
        KeyCreated,
        ObjectStorageSource,
        MongoDbSource,
        PasswordChange,
        HashDataBody,
    )
    for name in names_marked(model, "secret")
)


@dataclass
class LoggedRequest:
    """One request as the sandbox saw it.

    Attributes:
        number: Its place in the log; the first is 0.
        at: When, in seconds since 1970.
        method: HTTP method.
        path: The path as it was sent, undecoded and without the query.
        query: The query as it was sent.
        operation: Name of the operation in `api.operations`, or None for a path that is not offered.
        vocabulary: Words the sandbox speaks.
        scheme: Scheme of the Authorization header, such as `Basic`; None without the header.
        caller: Key id for Basic; None otherwise.
        headers: Names of all headers, in lower case, in the order they came.
        content_type: The Content-Type header.
        body: The parsed JSON body with secrets replaced by `[secret]`, text if it was not JSON, None if there was none.
        status: HTTP status of the answer; None where the connection was reset.
        request_id: The `requestId` of the answer.
        fault: Kind of the fault that was played, if one was.
    """

    at: float
    method: str
    path: str
    number: int = 0
    query: str = ""
    operation: str | None = None
    vocabulary: str = ""
    scheme: str | None = None
    caller: str | None = None
    headers: list[str] = field(default_factory=list)
    content_type: str | None = None
    body: Any = None
    status: int | None = None
    request_id: str | None = None
    fault: str | None = None


class Log:
    """All requests since the start, or since they were forgotten."""

    def __init__(self) -> None:
        self._entries: list[LoggedRequest] = []

    def open(self, request: Request, raw: bytes, entry: LoggedRequest) -> LoggedRequest:
        """Complete `entry` from the request and keep it; status and fault are filled in when they are known."""
        authorization = request.headers.get("authorization", "")
        entry.path = request.scope["raw_path"].decode("latin-1")
        entry.query = request.scope["query_string"].decode("latin-1")
        entry.scheme = authorization.partition(" ")[0] or None
        entry.caller = basic_credentials(authorization)[0]
        entry.headers = [name.decode("latin-1") for name, _ in request.headers.raw]
        entry.content_type = request.headers.get("content-type")
        entry.body = _readable(raw)
        entry.number = len(self._entries)
        self._entries.append(entry)
        return entry

    def entries(
        self,
        since: int = 0,
        operation: str | None = None,
        method: str | None = None,
        match: Mapping[str, Any] | None = None,
    ) -> list[dict[str, Any]]:
        """Return entries as JSON objects, oldest first.

        Args:
            since: Number of the first entry to look at.
            operation: Only requests of this operation.
            method: Only requests of this method.
            match: Only requests whose JSON bodies have these fields with these values.
        """
        return [
            vars(entry)
            for entry in self._entries[since:]
            if operation in (None, entry.operation)
            and method in (None, entry.method)
            and (not match or has_fields(entry.body, match))
        ]

    def forget(self) -> None:
        """Drop all entries."""
        self._entries.clear()


def has_fields(value: Any, wanted: Mapping[str, Any]) -> bool:
    """Tell whether a JSON value is an object that has all of these fields, with these values."""
    return isinstance(value, dict) and all(name in value and value[name] == item for name, item in wanted.items())


def basic_credentials(authorization: str) -> tuple[str | None, str | None]:
    """Return user name and password of an HTTP Basic header; None for both when it is none."""
    scheme, _, encoded = authorization.partition(" ")
    if scheme.lower() != "basic":
        return None, None
    try:
        user, colon, password = base64.b64decode(encoded, validate=True).decode("utf-8").partition(":")
    except ValueError:
        return None, None
    return (user, password) if colon else (None, None)


def _readable(raw: bytes) -> Any:
    if not raw:
        return None
    try:
        return redact(json.loads(raw))
    except ValueError:
        return f"{len(raw)} bytes that are not JSON"


def redact(value: Any) -> Any:
    """Return `value` with every secret field replaced, at any depth; the models say which fields are secret."""
    if isinstance(value, dict):
        return {key: REDACTED if key in _SECRETS and item else redact(item) for key, item in value.items()}
    if isinstance(value, list):
        return [redact(item) for item in value]
    return value
