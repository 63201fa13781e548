"""Lives of saved queries."""

from __future__ import annotations

from lives.life import Life, a_service

LIVES = {
    "saved query": Life(
        "SavedQuery",
        before={
            "serviceId": "$service_id",
            "name": "Orders of a day",
            "sql": "SELECT count() FROM orders WHERE day = {day:Date}",
            "database": "shop",
            "parameters": {"day": "2026-11-01"},
        },
        after={
            "serviceId": "$service_id",
            "name": "Orders",
            "sql": "SELECT count() FROM orders",
            "database": "archive",
        },
        drift={"sql": "SELECT 1"},
        setting=a_service,
    )
}
