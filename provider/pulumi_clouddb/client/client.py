"""What both APIs are asked for: paths, pages, retries, results. Every request goes through the client's sender."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from pulumi_clouddb.schema.check.rules import wire_case
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.secrets.masking import secrets_of_body, secrets_of_settings
from pulumi_clouddb.schema.secrets.redaction import Redactor, remember
from pulumi_clouddb.schema.values import WireValues, whole_numbers

from .caller import KeyOrganization
from .dialect import DIALECTS, Dialect
from .errors import AmbiguousError, ApiError, CancelledError, ConfigError, ConnectError, RateLimitError, ResourceError
from .needed import missing_settings, not_set
from .operation import CALLER, Operation, ServerKind
from .pages import Page, PagedList
from .retries import may_retry, wait_for_retry
from .runtime import Runtime
from .version import Version

if TYPE_CHECKING:
    import httpx

    from .sender import Sender

    Transport = httpx.BaseTransport
    """Sends requests."""

Query = Mapping[str, int | str | list[str]]
"""Parameters behind the path."""

Repeats = Callable[[ApiError], bool]
"""Returns whether to repeat a write that a server refuses while it works on the object.

Such a refusal has changed nothing, so that even a POST can be repeated.
"""

_BODIES = {"ServiceCreated": "Service", "KeyCreated": "Key"}
"""The record in the request body of an operation, if it differs from that of the result."""


class Client:
    """Speaks to both APIs under one configuration. Thread-safe; keep one per configuration.

    Args:
        config: Addresses, credentials and time limits.
        runtime: Its clocks and waits.
        transport: Sends requests; by default over connections of its own, within `requestTimeoutSeconds`.
        folder: The folder in which processes share the limit of a key; None for a process by itself.
        provider: Name of the explicit provider that has the configuration; empty if it is that of the stack.
    """

    def __init__(
        self,
        config: ProviderConfig,
        *,
        runtime: Runtime | None = None,
        transport: Transport | None = None,
        folder: Path | None = None,
        provider: str = "",
    ) -> None:
        self.config = config
        self._provider = provider
        self.runtime = runtime or Runtime()
        self.dialect: Dialect = DIALECTS[config.vocabulary]
        secrets = secrets_of_settings(config.model_dump(by_alias=True))
        remember(secrets)
        self._redactor = Redactor(secrets)
        self._transport, self._folder = transport, folder
        self._opening = threading.Lock()
        self._sender: Sender | None = None
        self._key_organization = KeyOrganization(self.runtime, partial(self.call, CALLER), provider)

    @property
    def sender(self) -> Sender:
        """What sends its requests. A command without requests never loads httpx, which takes as long as pydantic."""
        with self._opening:
            if self._sender is None:
                addresses = {server_kind: self._address(server_kind) for server_kind in ServerKind}
                new = self._sender_type()
                self._sender = new(self.config, addresses, self._redactor, self.runtime, self._transport, self._folder)
            return self._sender

    def _sender_type(self) -> type[Sender]:
        from .sender import Sender

        return Sender

    def close(self) -> None:
        """Close all connections."""
        if self._sender is not None:
            self._sender.close()

    def server_time(self, server_kind: ServerKind) -> float | None:
        """Return the time of a server's clock, in seconds since 1970, or None before its first response with a date."""
        return None if self._sender is None else self._sender.server_time(server_kind)

    @property
    def organization_id(self) -> str:
        """The id of the organization: that of the configuration, or else that of the key.

        Raises:
            ConfigError: There is none, or there are several.
            ApiError: The server was not reached, or rejects the key.
        """
        if self.config.organization_id is not None:
            return self.config.organization_id
        if missing := missing_settings(self.config, ServerKind.MANAGEMENT, organization=True):
            raise ConfigError("\n".join(not_set(missing, self._provider)))
        return self._key_organization.id

    def call(
        self,
        operation: Operation,
        /,
        body: WireValues | None = None,
        *,
        once: bool = False,
        repeats: Repeats = lambda _: False,
        before_write: Callable[[], None] | None = None,
        query: Query | None = None,
        object_version: Version | None = None,
        **parts: str | None,
    ) -> Any:
        """Carry out one operation and return its result, with the field names of the interface.

        A list is whole: all its pages are requested, and if one of them fails, so does the list. If it raises anything
        but `AmbiguousError`, it has changed nothing.

        Args:
            operation: The operation.
            body: JSON body, with the field names of the interface.
            once: Whether 429, a write without a response and a refusal that may pass are raised instead of retried, so
                that the caller can list again what exists. After 429, the next request waits until the server's limit
                is lifted.
            repeats: Decides about each refusal of a write that may pass.
            before_write: Called immediately before each attempt of a write is sent, when its turn has come.
            query: Query parameters; a list repeats its parameter.
            object_version: The version of the object: a write names it, and a read sets it.
            parts: Parts of the path: `service_id`, `pipe_id`, `key_id`, `dashboard_id`, `alert_id`.

        Raises:
            ConfigError: Address, organization or credentials are missing, or a path of `clouddb:paths` cannot be used.
            ResourceError: The body cannot be written as JSON, or a part of the path is empty.
            ApiError: Everything else; see `errors`.
            CloudDBError: The operation was cancelled before anything was sent, or while something was read.
        """
        if operation.lists:
            whole = PagedList(operation, partial(self._page, operation, query or {}, parts), self.runtime.monotonic)
            return self.dialect.from_server(operation.record, whole.records())
        result = self._result(
            operation,
            body,
            parts,
            query,
            once=once,
            repeats=repeats,
            before_write=before_write,
            version=object_version,
        )
        return self.dialect.from_server(operation.record, result)

    def _page(self, operation: Operation, query: Query, parts: Mapping[str, str | None], page: Query) -> Page:
        """Request one page of a list."""
        found: Any = self._result(operation, None, parts, {**query, **page})
        return Page(*found)  # that of another process is JSON

    def _result(
        self,
        operation: Operation,
        body: WireValues | None,
        parts: Mapping[str, str | None],
        query: Query | None,
        *,
        once: bool = False,
        repeats: Repeats = lambda _: False,
        before_write: Callable[[], None] | None = None,
        version: Version | None = None,
    ) -> object:
        """Carry out one request, again if that is safe and may help, and return its result; see `call`."""
        request = self._request(operation, body, parts, query)
        if version and version.tag and operation.writes:
            request.headers["If-Match"] = version.tag
        started = self.runtime.monotonic()
        lost: AmbiguousError | None = None

        def redact(text: str) -> str:
            return self._redactor.also(secrets_of_body(body))(text)

        try:
            for attempt in count():
                try:
                    left = self.config.limit_retry_seconds - (self.runtime.monotonic() - started)
                    result = self.sender.send(operation, request, redact, left, version, before_write)
                    break
                except ApiError as error:
                    if isinstance(error, AmbiguousError):
                        lost = error
                    elapsed = self.runtime.monotonic() - started
                    passes = error.may_pass and operation.writes and not once and repeats(error)
                    if not passes and not may_retry(self.config, operation, error, elapsed, once=once):
                        raise
                    wait_for_retry(self.runtime, error, attempt)
        except (ConnectError, RateLimitError, CancelledError):  # the last attempt changed nothing
            if lost and operation.writes:  # but an earlier one may have
                raise lost from None
            raise
        return result

    # -- the request -----------------------------------------------------------------------------------------------

    def _request(
        self,
        operation: Operation,
        body: WireValues | None,
        parts: Mapping[str, str | None],
        query: Query | None = None,
    ) -> httpx.Request:
        if operation.only and operation.only is not self.config.vocabulary:
            raise ConfigError(
                f"could not {operation.action}: only the vendor's servers offer this\n"
                f"If this is one, set {operation.only.setting}."
            )
        template = self._template(operation)
        address = self._address(operation.server_kind)
        url = address + self._path(operation, template, parts)
        if query:
            url += f"?{urlencode(query, doseq=True)}"
        payload = None
        if body is not None:
            payload = whole_numbers(self.dialect.to_server(_BODIES.get(operation.record, operation.record), dict(body)))
        return self.sender.request(operation, address, url, payload)

    def _template(self, operation: Operation) -> str:
        """Return the path of an operation on this server, with placeholders; refuse it if a setting is missing."""
        template = operation.path
        if operation.server_kind is ServerKind.MANAGEMENT:
            template = self.dialect.path(template)
        template = (self.config.paths or {}).get(operation.name, template)
        organization = "{organizationId}" in template
        if missing := missing_settings(self.config, operation.server_kind, organization=organization):
            raise ConfigError("\n".join(not_set(missing, self._provider)))
        return template

    def _path(self, operation: Operation, template: str, parts: Mapping[str, str | None]) -> str:
        """Fill in the placeholders; an empty id would make the path of an object that of its collection."""
        values = {wire_case(name): value for name, value in parts.items() if value is not None}
        if empty := [name for name, value in values.items() if not value.strip()]:
            raise ResourceError(
                f"could not {operation.action}: {empty[0]} is empty",
                "Set it to the id of an existing object; if the program does, look for the empty id in state "
                "(`pulumi stack export`).",
            )
        if "{organizationId}" in template and "organizationId" not in values:
            values["organizationId"] = self.organization_id
        path = template
        for name, value in values.items():
            path = path.replace(f"{{{name}}}", _segment(str(value)))
        if unfilled := re.search(r"\{\w*}?", path):
            raise ConfigError(
                f"could not {operation.action}: {unfilled[0]} in its path has no value\n"
                f"Set clouddb:paths of {operation.name} to a path with the placeholders of {operation.path} only."
            )
        return path

    def _address(self, server_kind: ServerKind) -> str:
        if server_kind is ServerKind.SELF_HOSTED:
            return str(self.config.stack_url)
        return str(self.config.base_url or self.dialect.base_url)


def _segment(value: str) -> str:
    """Quote one part of a path; `.` and `..` would otherwise change the path."""
    return quote(value, safe="") if value.strip(".") else value.replace(".", "%2E")
