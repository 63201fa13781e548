"""Read the body of a response within a size limit, and turn it into a result or an error, in both envelopes."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
from pydantic import ValidationError
from pydantic_core import from_json

from pulumi_clouddb.schema.base import Record, Text, Whole, prop
from pulumi_clouddb.schema.values import storable

from .errors import (
    ApiError,
    ClientError,
    ConflictError,
    InvalidResponseError,
    ListNotFoundError,
    NotFoundError,
    RateLimitError,
    ServerError,
    UnauthorizedError,
    UnsupportedOperationError,
)
from .operation import JSON, Operation, ServerKind
from .pages import Page

LARGEST_BODY = 16 * 1024 * 1024
"""Bytes, after decoding."""

ACCEPTED_ENCODING = "gzip"

_FRAMING = (b"content-encoding", b"content-length", b"transfer-encoding")


class UnreadableBodyError(Exception):
    """A body is too large, or cannot be decoded."""


def read_whole(response: httpx.Response) -> httpx.Response:
    """Return the response with its whole body, decoded.

    A failure is known by its status: if its body cannot be read, it counts as empty. The exception is 404, whose
    meaning depends on the body.

    Raises:
        UnreadableBodyError: The body of a success is too large, or cannot be decoded.
        httpx.RequestError: The connection was lost within the body.
    """
    try:
        content = _content(response)
    except UnreadableBodyError:
        if response.is_success:
            raise
        content = b""
    except httpx.RequestError:
        if response.is_success or response.status_code == httpx.codes.NOT_FOUND:
            raise
        content = b""
    finally:
        response.close()
    headers = [(name, value) for name, value in response.headers.raw if name.lower() not in _FRAMING]
    extensions = {"reason_phrase": response.extensions.get("reason_phrase", b"")}
    return httpx.Response(
        response.status_code, headers=headers, content=content, request=response.request, extensions=extensions
    )


def _content(response: httpx.Response) -> bytes:
    content = bytearray()
    for part in _decoded(response):
        content += part
        if len(content) > LARGEST_BODY:
            raise UnreadableBodyError(f"returned more than {LARGEST_BODY // 1024**2} MiB")
    return bytes(content)


def _decoded(response: httpx.Response) -> Iterator[bytes]:
    """Yield the parts of the body, none of them much larger than the limit: 64 KiB of gzip may contain 64 MiB."""
    if response.is_stream_consumed:  # a transport that responds from memory
        yield response.content
        return
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding in ("", "identity"):
        yield from response.iter_raw()
        return
    if encoding not in (ACCEPTED_ENCODING, "x-gzip"):
        raise UnreadableBodyError(f"returned the encoding {encoding[:40]!r}, which was not requested")
    gunzip = zlib.decompressobj(zlib.MAX_WBITS | 16)
    began = False
    try:
        for part in response.iter_raw():
            began = True
            yield gunzip.decompress(part, LARGEST_BODY + 1)
    except zlib.error:
        raise UnreadableBodyError("returned a body that is not valid gzip") from None
    if began and not gunzip.eof:
        raise UnreadableBodyError("returned an incomplete body")


RESET_HEADERS = ("x-ratelimit-reset", "ratelimit-reset", "retry-after")
REMAINING_HEADERS = ("x-ratelimit-remaining", "ratelimit-remaining")
LONGEST_RESET_SECONDS = 3600.0
AGAIN_SECONDS = 120.0
"""A server that names a time beyond `LONGEST_RESET_SECONDS` is asked again after this one: it may count otherwise."""
FIRST_TIME = 1e9
"""A number from here on is a time, in seconds since 1970: some servers report when the limit is lifted."""
LONGEST_REQUEST_ID = 100


Redact = Callable[[str], str]


class Envelope(Record):
    """The envelope of every response of the management API."""

    status: Whole | None = prop("HTTP status, 200 on success.")
    request_id: Text | None = prop("Id of the request (UUID), unique.")
    result: object = prop("The result; absent if there is none.")
    error: Text | None = prop("Error message of the server, of failures only.")
    next_cursor: object = prop("Cursor of the next page of a list; absent on the last one.")


class StackEnvelope(Record):
    """The envelope of every response of the self-hosted observability server."""

    data: object = prop("The result.")
    message: Text | None = prop("Error message of the server, of failures only.")


_ERRORS: dict[int, type[ApiError]] = {
    httpx.codes.UNAUTHORIZED: UnauthorizedError,
    httpx.codes.FORBIDDEN: UnauthorizedError,
    httpx.codes.METHOD_NOT_ALLOWED: UnsupportedOperationError,
    httpx.codes.NOT_IMPLEMENTED: UnsupportedOperationError,
    httpx.codes.CONFLICT: ConflictError,
    httpx.codes.TOO_MANY_REQUESTS: RateLimitError,
}
"""Errors by status; see `_kind_of` for the others."""


def parse_response(operation: Operation, response: httpx.Response, redact: Redact = str) -> object:
    """Return the result in the envelope; raise the error of a failure, redacted.

    Raises:
        ApiError: The response is not a success in an envelope of the interface.
    """
    if response.is_success and operation.media != JSON:
        return _text(response)
    if response.is_success and operation.bare:
        return _bare(operation, response, redact)
    envelope = _envelope(operation, response)
    if not response.is_success or (envelope is not None and envelope.error and envelope.result is None):
        raise _failure(operation, response, envelope, redact)
    if operation.record == "None" and (envelope is not None or not response.content):
        return None
    return _result_in(operation, response, envelope, redact)


def _bare(operation: Operation, response: httpx.Response, redact: Redact) -> object:
    """Return the body of a success without an envelope."""
    kind, word = (list, "a list") if operation.server_kind is ServerKind.MANAGEMENT else (dict, "an object")
    with suppress(ValueError):
        if isinstance(body := from_json(response.content), kind):
            return _storable(response, body)
    problem = f"returned {redact(_body_in_words(response))}, not {word}"
    raise InvalidResponseError(operation, _url(response, redact), problem, **_details(response, None, redact))


def _result_in(operation: Operation, response: httpx.Response, envelope: Envelope | None, redact: Redact) -> object:
    """Return the object or the page in the envelope of a success."""
    if envelope is None:
        problem = f"returned {redact(_body_in_words(response))}, not its envelope"
        raise InvalidResponseError(operation, _url(response, redact), problem, **_details(response, envelope, redact))
    problem = "returned no object in its envelope"
    if operation.lists:
        records, cursor = _page_in(envelope)
        if isinstance(records, list) and isinstance(cursor, str):
            return Page(records, cursor)
        problem = "returned no list in its envelope"
        if isinstance(records, list):
            problem = "returned no cursor that is text in its envelope"
    elif isinstance(envelope.result, dict):
        return envelope.result
    raise InvalidResponseError(operation, _url(response, redact), problem, **_details(response, envelope, redact))


def _page_in(envelope: Envelope) -> tuple[object, object]:
    """Return the records of a list, and the cursor of its next page: in the envelope, or both in the result."""
    records, cursor = envelope.result, envelope.next_cursor
    if isinstance(records, dict):
        pagination = records.get("pagination")
        cursor = cursor or (pagination.get("nextCursor") if isinstance(pagination, dict) else None)
        records = records.get("items")
    number = isinstance(cursor, int) and not isinstance(cursor, bool)
    return records, str(cursor) if number else cursor or ""


def _kind_of(operation: Operation, response: httpx.Response, envelope: Envelope | None) -> type[ApiError]:
    """Return the class of the error of a failed response."""
    if response.status_code == httpx.codes.NOT_FOUND:
        # A 404 of a proxy or of an unknown route proves nothing about an object.
        bare = operation.server_kind is ServerKind.SELF_HOSTED and _text(response) == "Not Found"
        if not (envelope.error if envelope is not None else bare):
            return UnsupportedOperationError
        return ListNotFoundError if operation.lists else NotFoundError
    if response.status_code in _ERRORS:
        return _ERRORS[response.status_code]
    if response.is_client_error:
        return ClientError
    return ServerError if response.is_server_error else InvalidResponseError


def _failure(operation: Operation, response: httpx.Response, envelope: Envelope | None, redact: Redact) -> ApiError:
    """Return the error of a failed response, in the words of the server."""
    kind = _kind_of(operation, response, envelope)
    url, details = _url(response, redact), _details(response, envelope, redact)
    message = redact((envelope and envelope.error) or _body_in_words(response))
    if kind is InvalidResponseError:
        problem = _redirect(response, redact) or f"returned {message}, and no result"
        return InvalidResponseError(operation, url, problem, **details)
    retry_after = seconds_until_reset(response.headers) if kind in (RateLimitError, ServerError) else None
    return kind(operation, url, message, retry_after=retry_after, **details)


def _url(response: httpx.Response, redact: Redact) -> str:
    return redact(str(response.request.url.copy_with(query=None)))


def _details(response: httpx.Response, envelope: Envelope | None, redact: Redact) -> dict[str, Any]:
    """Return the arguments of an error that every response has."""
    request_id = envelope.request_id if envelope else None
    return {
        "status": response.status_code,
        "request_id": redact(request_id)[:LONGEST_REQUEST_ID] if request_id else None,
    }


def _redirect(response: httpx.Response, redact: Redact) -> str:
    """Describe the target of a redirect, without path and query, which may contain a token; empty without a target."""
    if not response.has_redirect_location:
        return ""
    try:
        target = urlsplit(response.headers["location"])
        where = f"{target.scheme}://{target.hostname}" if target.hostname else "another path"
    except ValueError:
        where = "no address"
    return f"returned a redirect to {redact(where)}; redirects are not followed"


def seconds_until_reset(headers: Mapping[str, str]) -> float | None:
    """Return the seconds after which a limit is lifted, within 0 to 3600, or None if no header has them."""
    for name in RESET_HEADERS:
        seconds = _seconds(headers.get(name, ""))
        if seconds is not None and seconds >= 0:
            return seconds if seconds <= LONGEST_RESET_SECONDS else AGAIN_SECONDS
    return None


def nothing_remains(headers: httpx.Headers) -> bool:
    """Return whether the next request would be refused until the limit is lifted."""
    return any(headers.get(name, "").strip() == "0" for name in REMAINING_HEADERS)


def _seconds(text: str) -> float | None:
    """Read a number of seconds, or the seconds from now to a time; None for anything else, and for NaN."""
    now = datetime.now(timezone.utc)
    try:
        seconds = float(text)
        if seconds >= FIRST_TIME:
            seconds -= now.timestamp()
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(text) - now).total_seconds()
        except (TypeError, ValueError, OverflowError, IndexError):
            return None
    return None if math.isnan(seconds) else seconds


def date_of(headers: Mapping[str, str]) -> float | None:
    """Return the `Date` of a response, in seconds since 1970, or None."""
    try:
        return parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, TypeError, ValueError, OverflowError, IndexError):
        return None


def _envelope(operation: Operation, response: httpx.Response) -> Envelope | None:
    """Return the envelope, that of the self-hosted server in the names of the other; None without one."""
    try:
        if operation.server_kind is ServerKind.MANAGEMENT:
            found = Envelope.model_validate_json(response.content, extra="allow")
            found.result = _storable(response, found.result)
            return found
        stack = StackEnvelope.model_validate_json(response.content, extra="allow")
        error = None if response.is_success else stack.message
        return Envelope.model_construct(result=_storable(response, stack.data), error=error)
    except ValidationError:
        return None


_HUGE: Final = re.compile(rb"[eE]\+?\d{3}|\d{309}|NaN|Infinity")


def _storable(response: httpx.Response, result: Any) -> Any:
    """Return a result with null for each number that Python reads as infinity, such as 1e400, or that is none."""
    return storable(result) if _HUGE.search(response.content) else result


def _body_in_words(response: httpx.Response) -> str:
    """Describe a body without an envelope: the words of a failure, or its text if it is one short line.

    Of any other body it is the media type: a success may contain a secret that the server has just generated.
    """
    if not response.is_success and (reason := _reason_of_another_make(response)):
        return reason
    text = _text(response)
    media = response.headers.get("content-type", "").partition(";")[0]
    if not text:
        return (not response.is_success and response.reason_phrase) or "an empty body"
    if media == "text/plain" and len(text) <= 120 and len(text.splitlines()) == 1 and not response.is_success:
        return text
    return f"a body of type {media or 'unknown'}"


def _reason_of_another_make(response: httpx.Response) -> str | None:
    """Return the words of a failure in the field of the other API: the interface does not define the form of failures.

    They are only shown: which 404 means that an object is gone is decided by the envelope (`_kind_of`).
    """
    try:
        stack = StackEnvelope.model_validate_json(response.content, extra="allow")
        return stack.message or Envelope.model_validate_json(response.content, extra="allow").error
    except ValidationError:
        return None


def _text(response: httpx.Response) -> str:
    """Return the body as UTF-8 text, whatever encoding the server names: one such as `hex` decodes to no text."""
    return response.content.decode("utf-8", "replace").strip()
