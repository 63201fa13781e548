"""Lives of saved searches."""

from __future__ import annotations

from lives.life import Life
from lives.wire import both_forms
from support.ids import LOGS, TRACES

LIVES = both_forms(
    "saved search",
    Life(
        "SavedSearch",
        before={
            "name": "Errors",
            "sourceId": LOGS,
            "where": "SeverityText:error",
            "whereLanguage": "lucene",
            "tags": ["shop"],
        },
        after={
            "name": "Slow requests",
            "sourceId": TRACES,
            "where": "Duration > 5",
            "whereLanguage": "sql",
            "orderBy": "Duration",
            "filters": [{"condition": "ServiceName IN ('shop')"}],
        },
        drift={"name": "Mine now", "where": ""},
    ),
)

OF_NO_INPUT = frozenset({"teamId"})
"""Outputs that copy no input."""
