"""Policy cases of API keys: their roles, addresses, expiry and removal."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from clouddb_tools.testing import UNKNOWN
from policy.case import Case

KEY_ID = "7f3c2a10-0000-4000-8000-00000000000c"


def in_days(days: int) -> str:
    """Return the time that many days from now."""
    return (datetime.now(timezone.utc) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


CASES = [
    Case(
        "key-limited-by-address",
        "ApiKey",
        fails={"ipAccessList": None},
        says="ipAccessList is not set; list the addresses",
        also_passes=({"ipAccessList": []},),  # which denies all
    ),
    Case(
        "key-expires",
        "ApiKey",
        settings={"maximumDays": 90},
        fails={"expireAt": "2999-01-01T00:00:00Z"},
        says="expireAt is '2999-01-01T00:00:00Z'; set a time within 90 days, by ",
        also=(
            ({}, "expireAt is not set"),
            ({"expireAt": ""}, "expireAt is empty"),
            ({"expireAt": in_days(91)}, "expireAt is '"),
            ({"expireAt": "2999-01-01T00:00:00"}, "expireAt is '2999-01-01T00:00:00'"),
        ),
        passes={"expireAt": in_days(89)},
    ),
    Case(
        "key-no-admin",
        "ApiKey",
        fails={"roles": ["developer", "admin"]},
        says="roles contains 'admin'; use developer or query_endpoints",
        also=(({"roles": [UNKNOWN, "admin"]}, "roles contains 'admin'"),),
        passes={"roles": ["developer", "query_endpoints"]},
        unknown={"roles": [UNKNOWN]},
        fixed={"roles": ["developer"]},
        unfixed=({"roles": ["admin"]}, {"roles": ["developer", "admin", UNKNOWN]}),
    ),
    Case(
        "key-one-role",
        "ApiKey",
        fails={"roles": ["developer", "query_endpoints"]},
        says="roles is ['developer', 'query_endpoints']; set 1 role",
        passes={"roles": ["query_endpoints"]},
        unknown={"roles": ["developer", UNKNOWN]},
    ),
    Case(
        "key-can-be-rotated",
        "ApiKey",
        fails={"rotation": ""},
        says="rotation is empty; set it to any text",
        also=(({}, "rotation is not set"),),
        passes={"keyId": KEY_ID},
    ),
    Case(
        "key-not-left-behind",
        "ApiKey",
        fails={"onDelete": "retain"},
        says="onDelete is 'retain'; set it to delete or disable",
        passes={"onDelete": "retain", "keyId": KEY_ID},
        fixed={"onDelete": "disable"},
    ),
]
