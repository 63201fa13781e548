"""Lives of webhooks."""

from __future__ import annotations

from dataclasses import replace

from lives.life import Life
from lives.wire import both_forms

HOSTED = Life(
    name="Webhook",
    kind="webhooks",
    before="""name='On call', service='generic', url='https://events.example.com/a', description='Wakes somebody.',
        body='{{title}}', headers={'Authorization': 'Bearer one'}""",
    after="""name='Channel', service='generic', url='https://events.example.com/b', description='Wakes nobody.',
        headers={'Authorization': 'Bearer two'}, query_params={'token': 'three'}""",
    updated=frozenset(["name", "url", "description", "body", "headers", "queryParams"]),
    drift=lambda sandbox, id_: sandbox.change("webhooks", id_, name="Mine now", description=""),
    drifted=frozenset({"name", "description"}),
    as_wanted=lambda webhook: (
        (webhook["name"], webhook["url"]) == ("Channel", "https://events.example.com/b")
        and webhook["description"] == "Wakes nobody."
        and webhook["headers"] == {"Authorization": "Bearer two"}
        and webhook["queryParams"] == {"token": "three"}
        and "body" not in webhook
    ),
)
LIVES = {"self-hosted webhook": HOSTED, "managed webhook": HOSTED.of_a_service}

BEFORE = {
    "name": "On call",
    "service": "generic",
    "url": "https://events.example.com/a",
    "headers": {"Authorization": "Bearer one"},
    "description": "Wakes somebody.",
}
AFTER = {
    "name": "Channel",
    "service": "generic",
    "url": "https://events.example.com/b",
    "headers": {"Authorization": "Bearer two"},
    "queryParams": {"token": "three"},
    "body": "{{title}}",
}
DETAILS = {
    "name": "UPDATE",
    "url": "UPDATE",
    "headers.Authorization": "UPDATE",
    "queryParams": "ADD",
    "body": "ADD",
    "description": "DELETE",
}
OPERATIONS = ("create_webhook", "update_webhook", "delete_webhook", "list_webhooks")
UNSEEN = frozenset({"headers", "queryParams"})

WIRE_LIVES = both_forms(
    "webhook",
    replace(
        HOSTED,
        drift=lambda sandbox, id_: sandbox.change("webhooks", id_, name="Mine now", body=""),
        drifted=frozenset({"name", "body"}),
    ),
    OPERATIONS,
    BEFORE,
    AFTER,
    DETAILS,
    left_alone=frozenset({"createdAt"}),
    extra=UNSEEN,
)

OF_NO_INPUT = frozenset({"id", "createdAt", "updatedAt"})
"""Outputs that tell nothing of an input."""
