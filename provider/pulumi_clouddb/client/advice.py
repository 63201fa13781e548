"""What to do about refusals that name what was not found, but not where to find it."""

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
"""The texts are from the vendor's observability server, from the sandbox (tests/client/test_advice.py), and our own."""


def advice_on(words: str) -> str:
    """Return what to do about a message; empty if the message is enough."""
    return next((advice for told, advice in _ADVICE.items() if told in words), "")
