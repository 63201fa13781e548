"""The envelopes that answers come in."""

from __future__ import annotations

from .base import Record, Text, Whole, prop


class Envelope(Record):
    """Around every response of the management API."""

    status: Whole | None = prop("HTTP status, 200 on success.")
    request_id: Text | None = prop("Id of the request (UUID), unique.")
    result: object = prop("What was asked for; absent where there is nothing to say.")
    error: Text | None = prop("What went wrong, in the server's words; only on failures.")


class StackEnvelope(Record):
    """Around every response of the self-hosted observability server."""

    data: object = prop("What was asked for.")
    message: Text | None = prop("What went wrong, in the server's words; only on failures.")
