"""Lives of roles."""

from __future__ import annotations

from lives.life import Life
from lives.wire import WireLife

ROLE = Life(
    name="Role",
    kind="roles",
    before="""name='Reader', policies=[clouddb.RolePolicyArgs(
        allow_deny='ALLOW', permissions=['control-plane:service:view'], resources=['instance/*'])]""",
    after="""name='Writer', actors=['user/1'], policies=[clouddb.RolePolicyArgs(
        allow_deny='DENY', permissions=['control-plane:service:delete', 'control-plane:service:view'],
        resources=['instance/*'], tags=clouddb.RolePolicyTagsArgs(grants=['GRANT SELECT ON shop.*']))]""",
    updated=frozenset({"name", "policies", "actors"}),
    drift=lambda sandbox, id_: sandbox.change("roles", id_, name="Mine now", policies=[]),
    drifted=frozenset({"name", "policies"}),
    as_wanted=lambda role: (
        (role["name"], role["actors"]) == ("Writer", ["user/1"])
        and [policy["allowDeny"] for policy in role["policies"]] == ["DENY"]
        and role["policies"][0]["tags"] == {"grants": ["GRANT SELECT ON shop.*"]}
    ),
)
LIVES = {"role": ROLE}

_VIEW = {"allowDeny": "ALLOW", "permissions": ["control-plane:service:view"], "resources": ["instance/*"]}

WIRE_LIVES = [
    WireLife(
        "role",
        ROLE,
        operations=("create_role", "update_role", "delete_role", "list_roles"),
        before={"name": "Reader", "policies": [_VIEW]},
        after={
            "name": "Reader and more",
            "policies": [{**_VIEW, "tags": {"grants": ["GRANT SELECT ON shop.*"]}}],
            "actors": ["user/1"],
        },
        details={"name": "UPDATE", "policies[0].tags": "ADD", "actors": "ADD"},
        left_alone=frozenset({"createdAt", "tenantId", "ownerId"}),
        extra=frozenset({"actors"}),
    )
]

OF_NO_INPUT = frozenset({"id", "type", "tenantId", "ownerId", "createdAt", "updatedAt"})
"""Outputs that tell nothing of an input."""
