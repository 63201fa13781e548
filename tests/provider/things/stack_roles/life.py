"""Lives of roles of a service's observability server."""

from __future__ import annotations

from lives.life import Life, a_service

_READ = {"action": "read", "subject": "dashboard"}

LIVES = {
    "stack role": Life(
        "StackRole",
        before={"serviceId": "$service_id", "name": "Reader", "description": "Reads", "permissions": [_READ]},
        after={
            "serviceId": "$service_id",
            "name": "Writer",
            "permissions": [
                {"action": "update", "subject": "dashboard", "conditions": {"tags": "shop"}},
                {"action": "delete", "subject": "dashboard", "inverted": True},
            ],
        },
        drift={"name": "Mine now", "permissions": []},
        setting=a_service,
    )
}

OF_NO_INPUT = frozenset({"isPredefined"})
"""Outputs that copy no input."""
