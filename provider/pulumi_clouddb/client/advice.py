"""What to do about refusals in which a server says what it did not find, but not where to take it from."""

from __future__ import annotations

_SAME_SERVER = (
    "It must be on the same server: both with the same serviceId, or both without. If it was deleted since the last "
    "run, run `pulumi up --refresh`."
)
_ADVICE = {
    "Tile not found": "Take the tile's id from the dashboard that has it, by the tile's key: the output tileIds of a "
    "Dashboard. A tile that left the dashboard, or was created again, has another id or none.",
    "Dashboard not found": f"Take its id from the resource: the output id of a Dashboard. {_SAME_SERVER}",
    "Saved search not found": f"Take its id from the resource: the output id of a SavedSearch. {_SAME_SERVER}",
    "is supported only with clouddb:vocabulary=clickhouse": "This server speaks the dialect neutral: set "
    "clouddb:vocabulary=neutral, or clouddb:baseUrl to a server of the vendor.",
    "too many to read in": "Check the address of the API, or raise clouddb:requestTimeoutSeconds.",
    "Webhook not found": f"Take its id from the resource: the output id of a Webhook. {_SAME_SERVER}",
}
"""The words of the vendor's observability server, of the sandbox (tests/client/test_advice.py), and our own."""


def advice_on(words: str) -> str:
    """Return what to do about a server's words; nothing where they speak for themselves."""
    return next((advice for told, advice in _ADVICE.items() if told in words), "")
