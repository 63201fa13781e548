"""The request log. It contains requests exactly as received, except for secrets."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from starlette.requests import Request

from pulumi_clouddb.registry import COLLECTIONS
from pulumi_clouddb.schema.base import names_with
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.things.api_keys.api_key import KeyCreated
from pulumi_clouddb.things.pipes.credentials import IN_REQUESTS
from pulumi_clouddb.things.pipes.databases import MongoDbSource
from pulumi_clouddb.things.pipes.files import ObjectStorageSource
from pulumi_clouddb.things.services.service import Service, ServiceCreated

from .bodies import HashDataBody, PasswordChange, parse_json
from .logged_request import LoggedRequest

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
    for name in names_with(model, "secret")
) | {*IN_REQUESTS}

_SECRETS_OF: Mapping[str, frozenset[str]] = {
    operation.name: frozenset(names_with(collection.body, "secret"))
    for collection in COLLECTIONS
    if collection.body
    for operation in collection.operations()
}
"""Fields that are secret in the body of one operation only, such as the `url` of a webhook."""


@dataclass(frozen=True)
class Which:
    """A filter of the log; None matches all requests.

    Attributes:
        operation: Name of the operation.
        method: HTTP method.
        status: Status such as `404`, `4xx` for a class, or `none` for reset connections.
        path: Part of the path.
        match: Fields of the JSON body with their values.
    """

    operation: str | None = None
    method: str | None = None
    status: str | None = None
    path: str | None = None
    match: Mapping[str, Any] = field(default_factory=dict)

    def matches(self, entry: LoggedRequest) -> bool:
        """Return whether a request matches all conditions."""
        return (
            self.operation in (None, entry.operation)
            and (self.method is None or self.method.upper() == entry.method)
            and (self.status is None or self._is_of_status(entry))
            and (self.path is None or self.path in entry.path)
            and (not self.match or has_fields(entry.body, self.match))
        )

    def _is_of_status(self, entry: LoggedRequest) -> bool:
        status, wanted = str(entry.status).lower(), str(self.status).lower()
        if wanted.endswith("xx"):
            return entry.status is not None and status[:1] == wanted[:1]
        return status == wanted


class Log:
    """All requests since the start or the last `forget`.

    Attributes:
        on_answer: Called with each request when its response is ready.
    """

    def __init__(self) -> None:
        self._entries: list[LoggedRequest] = []
        self._begun: dict[int, float] = {}
        self.on_answer: Callable[[LoggedRequest], None] = lambda _: None

    def open(self, request: Request, raw: bytes, entry: LoggedRequest) -> LoggedRequest:
        """Complete `entry` from the request and add it; the caller sets status and fault later."""
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
        """Return at most `limit` matching entries from number `since` as JSON objects, oldest first."""
        matching = (vars(entry) for entry in self._entries[since:] if which is None or which.matches(entry))
        return list(islice(matching, limit))

    def forget(self) -> None:
        """Drop all entries."""
        self._entries.clear()
        self._begun.clear()


def has_fields(value: Any, wanted: Mapping[str, Any]) -> bool:
    """Return whether a JSON value is an object with all of these fields and values."""
    return isinstance(value, dict) and all(name in value and value[name] == item for name, item in wanted.items())


def basic_credentials(authorization: str) -> tuple[str | None, str | None]:
    """Return user name and password of an HTTP Basic header; None for both if it is not one."""
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
        return redact(parse_json(raw), _SECRETS_OF.get(operation or "", frozenset()))
    except ValueError:
        return f"{len(raw)} bytes that are not JSON"


def redact(value: Any, more: frozenset[str] = frozenset()) -> Any:
    """Return `value` with the secret fields of the models redacted at any depth, and the fields `more` at the top."""
    if isinstance(value, dict):
        return {
            key: _hidden(item) if item and (key in _SECRETS or key in more) else redact(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [redact(item) for item in value]
    return value


def _hidden(value: Any) -> Any:
    """Return a redacted secret; an object, such as headers, keeps its names."""
    return dict.fromkeys(value, REDACTED) if isinstance(value, dict) else REDACTED
