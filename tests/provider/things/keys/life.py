"""Lives of API keys."""

from __future__ import annotations

from lives.life import Life, a_key
from lives.wire import WireLife

CREATED_KEY = Life(
    name="ApiKey",
    kind="keys",
    before="name='ci', roles=['developer'], expire_at='2030-01-01T00:00:00Z'",
    after="""name='ci and cd', roles=['query_endpoints', 'developer'], expire_at='2031-01-01T00:00:00+01:00',
        state='disabled', ip_access_list=[clouddb.IpAccessEntryArgs(source='192.0.2.0/24', description='runners')]""",
    updated=frozenset({"name", "roles", "expireAt", "state", "ipAccessList"}),
    drift=lambda sandbox, id_: sandbox.change("keys", id_, roles=["admin"], state="enabled"),
    drifted=frozenset({"roles", "state"}),
    as_wanted=lambda key: (
        key["name"] == "ci and cd"
        and set(key["roles"]) == {"query_endpoints", "developer"}
        and key["expireAt"].startswith("2030-12-31T23:00:00")
        and key["state"] == "disabled"
        and [entry["source"] for entry in key["ipAccessList"]] == ["192.0.2.0/24"]
    ),
)


ADOPTED_KEY = Life(
    name="ApiKey",
    kind="keys",
    setting=a_key,
    before="key_id=key_id, name='found and kept'",
    after="key_id=key_id, name='found again', roles=['query_endpoints'], expire_at='2031-01-01T00:00:00Z'",
    updated=frozenset({"name", "roles", "expireAt"}),
    drift=lambda sandbox, id_: sandbox.change("keys", id_, name="renamed by hand"),
    drifted=frozenset({"name"}),
    as_wanted=lambda key: key["name"] == "found again" and key["roles"] == ["query_endpoints"],
    stays=True,
)


LIVES = {"created key": CREATED_KEY, "adopted key": ADOPTED_KEY}

WIRE_LIVES = [
    WireLife(
        "created key",
        CREATED_KEY,
        operations=("create_key", "update_key", "delete_key", "list_keys"),
        before={"name": "ci", "roles": ["developer"], "expireAt": "2030-01-01T00:00:00Z"},
        after={
            "name": "ci and cd",
            "roles": ["query_endpoints", "developer"],
            "state": "disabled",
            "ipAccessList": [{"source": "192.0.2.0/24", "description": "runners"}],
        },
        details={"name": "UPDATE", "roles[0]": "ADD", "expireAt": "DELETE", "state": "ADD", "ipAccessList": "ADD"},
        left_alone=frozenset({"keySecret", "accessKeyId", "keySuffix", "createdAt", "adopted"}),
    ),
    WireLife(
        "adopted key",
        ADOPTED_KEY,
        operations=("update_key", "update_key", "update_key", "list_keys"),
        before={"keyId": "$key_id", "name": "found and kept"},
        after={"keyId": "$key_id", "name": "found again", "roles": ["query_endpoints"]},
        details={"name": "UPDATE", "roles": "ADD"},
        left_alone=frozenset({"original", "keySuffix", "adopted"}),
    ),
]

OF_NO_INPUT = frozenset({"id", "keySuffix", "createdAt", "usedAt", "accessKeyId", "keySecret", "adopted"})
"""Outputs that tell nothing of an input."""
