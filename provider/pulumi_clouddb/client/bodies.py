"""Reading and decoding the body of a response, within a size limit."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import httpx

LARGEST_BODY = 16 * 1024 * 1024
"""Bytes after decoding."""

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
            raise UnreadableBodyError(f"answered with more than {LARGEST_BODY // 1024**2} MiB")
    return bytes(content)


def _decoded(response: httpx.Response) -> Iterator[bytes]:
    """Yield the parts of the body, none of them much larger than the limit: 64 KiB of gzip may hold 64 MiB."""
    if response.is_stream_consumed:  # a transport that answers from memory
        yield response.content
        return
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding in ("", "identity"):
        yield from response.iter_raw()
        return
    if encoding not in (ACCEPTED_ENCODING, "x-gzip"):
        raise UnreadableBodyError(f"answered in the encoding {encoding[:40]!r}, which was not asked for")
    gunzip = zlib.decompressobj(zlib.MAX_WBITS | 16)
    began = False
    try:
        for part in response.iter_raw():
            began = True
            yield gunzip.decompress(part, LARGEST_BODY + 1)
    except zlib.error:
        raise UnreadableBodyError("answered with a body that is not the gzip it says") from None
    if began and not gunzip.eof:
        raise UnreadableBodyError("answered with a body that breaks off")
