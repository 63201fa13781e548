"""Lives of API keys."""

from __future__ import annotations

from lives.life import Life, a_key
from lives.wire import wire_life

CREATED_KEY = Life(
    "ApiKey",
    before={"name": "ci", "roles": ["developer"], "expireAt": "2030-01-01T00:00:00Z"},
    after={
        "name": "ci and cd",
        "roles": ["query_endpoints", "developer"],
        "expireAt": "2031-01-01T00:00:00+01:00",
        "state": "disabled",
        "ipAccessList": [{"source": "192.0.2.0/24", "description": "runners"}],
    },
    drift={"roles": ["admin"], "state": "enabled"},
    other={"roles": ["admin"]},
    wanted=lambda key: (
        key["name"] == "ci and cd"
        and set(key["roles"]) == {"query_endpoints", "developer"}
        and key["expireAt"].startswith("2030-12-31T23:00:00")
        and key["state"] == "disabled"
        and [entry["source"] for entry in key["ipAccessList"]] == ["192.0.2.0/24"]
    ),
)

ADOPTED_KEY = Life(
    "ApiKey",
    before={"keyId": "$key_id", "name": "adopted"},
    after={
        "keyId": "$key_id",
        "name": "renamed",
        "roles": ["query_endpoints"],
        "expireAt": "2031-01-01T00:00:00Z",
    },
    drift={"name": "renamed by hand"},
    setting=a_key,
    stays=True,
    wanted=lambda key: key["name"] == "renamed" and key["roles"] == ["query_endpoints"],
)

LIVES = {"created key": CREATED_KEY, "adopted key": ADOPTED_KEY}

WIRE_LIVES = [
    wire_life(
        "created key",
        CREATED_KEY,
        after={name: value for name, value in CREATED_KEY.after.items() if name != "expireAt"},
        details={"name": "UPDATE", "roles[0]": "ADD", "expireAt": "DELETE", "state": "ADD", "ipAccessList": "ADD"},
        known=frozenset({"keySecret", "accessKeyId", "keySuffix", "createdAt", "adopted"}),
    ),
    wire_life(
        "adopted key",
        ADOPTED_KEY,
        operations=("update_key", "update_key", "update_key", "list_keys"),
        known=frozenset({"original", "keySuffix", "adopted"}),
        extra=frozenset({"expireAt"}),
    ),
]

OF_NO_INPUT = frozenset({"keySuffix", "usedAt", "accessKeyId", "keySecret", "adopted"})
"""Outputs that copy no input."""
