"""Check cases of keys: valid and invalid inputs for each limit and rule of the interface."""

from __future__ import annotations

from support.rows import CIDR, IDS, UUID, Row, Usual, Values

MOMENT = "must be an ISO-8601 date-time such as 2027-01-31T00:00:00Z, in UTC unless it has an offset, or empty"

KEY = Usual("ApiKey", {"name": "reports", "roles": ["developer"]})
ROLE = "8b7f5f6e-3a52-4d0e-9b27-0c5a1d2e3f40"
AT_VENDOR: Values = {"baseUrl": "https://api.clickhouse.cloud"}

CASES: list[Row] = [
    KEY.rule(
        {"roles": ["admin", "developer", "query_endpoints"]},
        {"roles": []},
        "roles must have at least 1 element(s), not []",
    ),
    KEY.rule(
        {"roles": ["query_endpoints"]},
        {"roles": ["admin", "root"]},
        "roles[1] must be one of admin, developer, query_endpoints, not 'root'",
    ),
    KEY.rule(
        {"name": None, "keyId": UUID},
        {"name": None},
        "name is required for a new key; to adopt an existing one, set keyId",
    ),
    KEY.rule(
        {"roles": None, "keyId": UUID}, {"roles": None}, "roles is required for a new key, with at least 1 element"
    ),
    KEY.rule({"name": "k"}, {"name": ""}, "name must have at least 1 character(s), not ''"),
    *KEY.one_of("state", "enabled disabled"),
    *(
        KEY.rule({"expireAt": value}, {"expireAt": bad}, f"expireAt {MOMENT}, not {bad!r}")
        for value, bad in (
            ("2999-01-31T00:00:00Z", "tomorrow"),
            ("2999-01-31T00:00:00.000+02:00", "31.01.2999"),
            ("", "2027"),
        )
    ),
    KEY.rule(
        {"ipAccessList": [{"source": "10.0.0.0/8", "description": "office"}]},
        {"ipAccessList": [{"source": "10.0.0.0/8"}, {"source": "10.0.0.0/33"}, {"description": "office"}]},
        f"ipAccessList[1].source {CIDR}, not '10.0.0.0/33'",
        "ipAccessList[2].source is required",
    ),
    KEY.rule(
        {"expireAt": "2999-01-31T00:00:00Z"},
        {"expireAt": "2025-01-31T00:00:00Z"},
        "expireAt must be in the future, not 2025-01-31T00:00:00Z",
    ),
    KEY.warned(
        {"ipAccessList": [{"source": "8.8.8.8"}]},
        {"ipAccessList": [{"source": "192.168.0.0/16"}]},
        "ipAccessList should have addresses of the internet, not '192.168.0.0/16': write the address of your network "
        "there",
        **AT_VENDOR,
    ),
    KEY.warned(
        {"ipAccessList": [{"source": "8.8.8.8"}]},
        {"ipAccessList": []},
        "ipAccessList should have an entry, or the key works from nowhere",
    ),
    *KEY.only_there(assignedRoleIds=[ROLE]),
    KEY.of_vendor(
        {"assignedRoleIds": [ROLE], "roles": None},
        {"assignedRoleIds": ["admin"], "roles": None},
        f"assignedRoleIds[0] must be a UUID, not 'admin'{IDS}",
    ),
    # On the vendor's servers, a key can be without a role.
    KEY.of_vendor({"roles": None}, {"roles": []}, "roles must have at least 1 element(s), not []"),
    KEY.of_vendor(
        {"assignedRoleIds": [], "roles": None},
        {"assignedRoleIds": [ROLE], "roles": ["admin"]},
        "roles must not be given together with assignedRoleIds",
    ),
    *KEY.uuids("keyId"),
    KEY.rule(
        {"rotation": "2"},
        {"rotation": "2", "keyId": UUID},
        "rotation is only for keys that this program creates; an adopted key (keyId) cannot be rotated",
    ),
    KEY.rule(
        {"onDelete": "delete", "keyId": UUID},
        {"onDelete": "restore"},
        "onDelete must be delete, disable or retain for a key this program creates, not 'restore'",
    ),
    KEY.rule(
        {"onDelete": "disable"},
        {"onDelete": "other"},
        "onDelete must be one of delete, restore, disable, retain, not 'other'",
    ),
    *KEY.wrong_types(
        {
            "name": ("k", 5, "must be text"),
            "roles": (["admin"], 1, "must be a list"),
            "rotation": ("1", 1, "must be text"),
        }
    ),
]
