"""Lives of webhooks."""

from __future__ import annotations

from lives.life import Life
from lives.wire import both_forms

LIVES = both_forms(
    "webhook",
    Life(
        "Webhook",
        before={
            "name": "On call",
            "service": "generic",
            "url": "https://events.example.com/a",
            "headers": {"Authorization": "Bearer one"},
            "description": "Wakes somebody.",
        },
        after={
            "name": "Channel",
            "service": "generic",
            "url": "https://events.example.com/b",
            "headers": {"Authorization": "Bearer two"},
            "queryParams": {"token": "three"},
            "body": "{{title}}",
        },
        drift={"name": "Mine now", "url": "https://mine.example.com/"},
    ),
)
