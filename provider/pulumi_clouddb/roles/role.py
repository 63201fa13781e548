"""Roles of the organization: what their policies allow, and who has them."""

from __future__ import annotations

from enum import Enum

from pulumi_clouddb.schema.base import FilledText, Text, prop
from pulumi_clouddb.schema.convert import plain
from pulumi_clouddb.schema.equality import as_set
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import Part, Thing, answered
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE


class RoleEffect(str, Enum):
    """What a policy does with its permissions."""

    ALLOW = "ALLOW"
    DENY = "DENY"


class SqlConsoleRole(str, Enum):
    """A role of the SQL console."""

    READ_ONLY = "sql-console-readonly"
    ADMIN = "sql-console-admin"


class RolePolicyTags(Part):
    """What a policy says of databases."""

    grants: list[FilledText] | None = prop("Names of databases that it grants.")
    role_v2: SqlConsoleRole | None = prop("Role in the SQL console.")


class RolePolicy(Part):
    """A policy of a role."""

    id: Text | None = answered("Id of the policy.")
    role_id: Text | None = answered("Id of the role.")
    tenant_id: Text | None = answered("The organization, as `organization/ID`.")
    allow_deny: RoleEffect | None = prop("Whether it allows or denies.", required=True)
    permissions: list[FilledText] | None = prop(
        "What it is about, such as `control-plane:service:view`.", required=True
    )
    resources: list[FilledText] | None = prop("On what, such as `instance/SERVICE_ID` or `instance/*`.", required=True)
    tags: RolePolicyTags | None = prop("Databases, and the role in the SQL console.")


def as_policies(policies: object) -> object:
    """Return policies without their ids as a set: neither their order nor that of their lists means anything."""
    if not isinstance(policies, list):
        return policies
    return frozenset(_as_said(plain(each)) for each in policies)


def _as_said(policy: object) -> object:
    if not isinstance(policy, dict):
        return str(policy)
    tags = policy.get("tags") or {}
    said = [policy.get(name) for name in ("allowDeny", "permissions", "resources")]
    return tuple(as_set(each) for each in (*said, tags.get("grants") or [], tags.get("roleV2")))


class Role(Thing):
    """A role of the organization (openapi: `RoleCreateRequest`, `RBACRole`)."""

    name: FilledText | None = prop("Name of the role.", required=True)
    policies: list[RolePolicy] | None = prop(
        "What it allows and denies. The order means nothing.", required=True, compare=as_policies
    )
    actors: list[FilledText] | None = prop(
        "Who has it, all of them, such as `user/ID` and `apiKey/ID`. The order means nothing. Left out, nobody has a "
        "new role, and it is for keys, members and invitations to name it by its id.",
        compare=as_set,
        answer="Who has it.",
    )
    id: Text | None = answered("Id of the role, for `assignedRoleIds` of keys, members and invitations.")
    type: Text | None = answered("Whether it is a role of the `system` or a `custom` one of the organization.")
    tenant_id: Text | None = answered("The organization, as `organization/ID`.")
    owner_id: Text | None = answered("Its owner, such as `organization/ID`.")
    created_at: Text | None = answered("When it was created (ISO-8601).")
    updated_at: Text | None = answered("When it was changed last (ISO-8601).")


ROLE = ResourceType(
    Role,
    "A role of the organization. The system's own roles are named by their ids; nobody can change them.",
    required_outputs=("name", "policies", "type"),
    import_id="ROLE_ID",
    only=CLICKHOUSE,
)
