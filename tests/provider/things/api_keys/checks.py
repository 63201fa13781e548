"""Check cases of keys: valid and invalid inputs for each limit and rule of the interface."""

from __future__ import annotations

from typing import Any

from support import vendor_service_rules
from support.rules import CIDR, UUID, Case, one_of, rule, uuids, wrong_types

MOMENT = "must be an ISO-8601 date-time such as 2027-01-31T00:00:00Z, in UTC unless it has an offset, or empty"

RESOURCE = "ApiKey"

USUAL: dict[str, Any] = {"name": "reports", "roles": ["developer"]}
"""Valid inputs; each case changes one of them."""

CASES: list[Case] = [
    rule(
        {"roles": ["admin", "developer", "query_endpoints"]},
        {"roles": []},
        "roles must have at least 1 element(s), not []",
    ),
    rule(
        {"roles": ["query_endpoints"]},
        {"roles": ["admin", "root"]},
        "roles[1] must be one of admin, developer, query_endpoints, not 'root'",
    ),
    rule(
        {"name": None, "keyId": UUID},
        {"name": None},
        "name is required for a new key; to adopt an existing one, set keyId",
    ),
    rule({"roles": None, "keyId": UUID}, {"roles": None}, "roles is required for a new key, with at least 1 element"),
    rule({"name": "k"}, {"name": ""}, "name must have at least 1 character(s), not ''"),
    *one_of("state", "enabled disabled"),
    *(
        rule({"expireAt": value}, {"expireAt": bad}, f"expireAt {MOMENT}, not {bad!r}")
        for value, bad in (
            ("2999-01-31T00:00:00Z", "tomorrow"),
            ("2999-01-31T00:00:00.000+02:00", "31.01.2999"),
            ("", "2027"),
        )
    ),
    rule(
        {"ipAccessList": [{"source": "10.0.0.0/8", "description": "office"}]},
        {"ipAccessList": [{"source": "10.0.0.0/8"}, {"source": "10.0.0.0/33"}, {"description": "office"}]},
        f"ipAccessList[1].source {CIDR}, not '10.0.0.0/33'",
        "ipAccessList[2].source is required",
    ),
    rule(
        {"expireAt": "2999-01-31T00:00:00Z"},
        {"expireAt": "2025-01-31T00:00:00Z"},
        "expireAt must be in the future, not 2025-01-31T00:00:00Z",
    ),
    *vendor_service_rules.KEYS,
    *uuids("keyId"),
    rule(
        {"rotation": "2"},
        {"rotation": "2", "keyId": UUID},
        "rotation is only for keys that this program creates; an adopted key (keyId) cannot be rotated",
    ),
    rule(
        {"onDelete": "delete", "keyId": UUID},
        {"onDelete": "restore"},
        "onDelete must be delete, disable or retain for a key this program creates, not 'restore'",
    ),
    rule(
        {"onDelete": "disable"},
        {"onDelete": "other"},
        "onDelete must be one of delete, restore, disable, retain, not 'other'",
    ),
    *wrong_types(
        {
            "name": ("k", 5, "must be text"),
            "roles": (["admin"], 1, "must be a list"),
            "rotation": ("1", 1, "must be text"),
        }
    ),
]
