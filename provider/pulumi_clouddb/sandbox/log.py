"""The request log: what came in, exactly as it came in, except for secrets."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from starlette.requests import Request

from pulumi_clouddb.keys.api_key import KeyCreated
from pulumi_clouddb.pipes.credentials import IN_REQUESTS
from pulumi_clouddb.pipes.sources import MongoDbSource, ObjectStorageSource
from pulumi_clouddb.registry import COLLECTIONS
from pulumi_clouddb.schema.base import names_marked
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.services.service import Service, ServiceCreated

from .bodies import HashDataBody, PasswordChange
from .parsing import parsed

REDACTED = "[secret]"

_SECRETS = frozenset(
    name
    for model in (
        body_of(Service),
        ServiceCreated,
        KeyCreated,
        ObjectStorageSource,
        MongoDbSource,
        PasswordChange,
        HashDataBody,
    )
    for name in names_marked(model, "secret")
) | {*IN_REQUESTS}

_SECRETS_OF: Mapping[str, frozenset[str]] = {
    operation.name: frozenset(names_marked(collection.body, "secret"))
    for collection in COLLECTIONS
    if collection.body
    for operation in collection.operations()
}
"""What is secret in the body of one operation, such as the `url` of a webhook, and a plain word in any other."""


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
        ms: Milliseconds until the answer was ready to be sent; None until then.
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
    ms: float | None = None


@dataclass(frozen=True)
class Which:
    """Which requests of the log are wanted; None wants all.

    Attributes:
        operation: Name of their operation.
        method: Their HTTP method.
        status: Their status, such as `404`, `4xx` for all of a class, or `none` where the connection was reset.
        path: A part of their path.
        match: Fields that their JSON bodies have, with these values.
    """

    operation: str | None = None
    method: str | None = None
    status: str | None = None
    path: str | None = None
    match: Mapping[str, Any] = field(default_factory=dict)

    def wants(self, entry: LoggedRequest) -> bool:
        """Return whether a request is wanted."""
        return (
            self.operation in (None, entry.operation)
            and (self.method is None or self.method.upper() == entry.method)
            and (self.status is None or self._is_of_status(entry))
            and (self.path is None or self.path in entry.path)
            and (not self.match or has_fields(entry.body, self.match))
        )

    def _is_of_status(self, entry: LoggedRequest) -> bool:
        told, wanted = str(entry.status).lower(), str(self.status).lower()
        return told[:1] == wanted[:1] and entry.status is not None if wanted.endswith("xx") else told == wanted


class Log:
    """All requests since the start, or since they were forgotten.

    Attributes:
        on_answer: Called with each request when its answer is ready.
    """

    def __init__(self) -> None:
        self._entries: list[LoggedRequest] = []
        self._begun: dict[int, float] = {}
        self.on_answer: Callable[[LoggedRequest], None] = lambda _: None

    def open(self, request: Request, raw: bytes, entry: LoggedRequest) -> LoggedRequest:
        """Complete `entry` from the request and keep it; status and fault are filled in when they are known."""
        authorization = request.headers.get("authorization", "")
        entry.path = request.scope["raw_path"].decode("latin-1")
        entry.query = request.scope["query_string"].decode("latin-1")
        entry.scheme = authorization.partition(" ")[0] or None
        entry.caller = basic_credentials(authorization)[0]
        entry.headers = [name.decode("latin-1") for name, _ in request.headers.raw]
        entry.content_type = request.headers.get("content-type")
        entry.body = _readable(raw, entry.operation)
        entry.number = len(self._entries)
        self._entries.append(entry)
        self._begun[id(entry)] = time.perf_counter()
        return entry

    def answered(self, entry: LoggedRequest) -> None:
        """Record that the response to a request is ready."""
        begun = self._begun.pop(id(entry), None)
        if begun is not None:
            entry.ms = round((time.perf_counter() - begun) * 1000, 1)
            self.on_answer(entry)

    def entries(self, since: int = 0, limit: int | None = None, which: Which | None = None) -> list[dict[str, Any]]:
        """Return at most `limit` entries as JSON objects, oldest first; `since` is the number of the first one."""
        found = (vars(entry) for entry in self._entries[since:] if which is None or which.wants(entry))
        return list(islice(found, limit))

    def forget(self) -> None:
        """Drop all entries."""
        self._entries.clear()
        self._begun.clear()


def has_fields(value: Any, wanted: Mapping[str, Any]) -> bool:
    """Return whether a JSON value is an object that has all of these fields, with these values."""
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


def _readable(raw: bytes, operation: str | None) -> Any:
    if not raw:
        return None
    try:
        return redact(parsed(raw), _SECRETS_OF.get(operation or "", frozenset()))
    except ValueError:
        return f"{len(raw)} bytes that are not JSON"


def redact(value: Any, more: frozenset[str] = frozenset()) -> Any:
    """Return `value` with every secret field replaced, at any depth; the models say which fields are secret.

    Of `value` itself, the fields `more` are secret, too.
    """
    if isinstance(value, dict):
        return {
            key: _hidden(item) if item and (key in _SECRETS or key in more) else redact(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [redact(item) for item in value]
    return value


def _hidden(value: Any) -> Any:
    """Return a secret as it is shown; of an object, such as headers, the names stay."""
    return dict.fromkeys(value, REDACTED) if isinstance(value, dict) else REDACTED
