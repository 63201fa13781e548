"""Roles of the organization, with their policies and actors."""

from __future__ import annotations

from pulumi_clouddb.schema.base import FilledText, Text, prop
from pulumi_clouddb.schema.choice import OpenChoice
from pulumi_clouddb.schema.convert import plain
from pulumi_clouddb.schema.equality import as_set
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import Part, Thing, answered
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE


class RoleEffect(OpenChoice):
    """Effect of a policy."""

    ALLOW = "ALLOW"
    DENY = "DENY"


class SqlConsoleRole(OpenChoice):
    """A role of the SQL console."""

    READ_ONLY = "sql-console-readonly"
    ADMIN = "sql-console-admin"


class RolePolicyTags(Part):
    """The part of a policy about databases."""

    grants: list[FilledText] | None = prop("Names of databases that it grants.")
    role_v2: SqlConsoleRole | None = prop("Role in the SQL console.")


class RolePolicy(Part):
    """A policy of a role."""

    id: Text | None = answered("Id of the policy.")
    role_id: Text | None = answered("Id of the role.")
    tenant_id: Text | None = answered("The organization, as `organization/ID`.")
    allow_deny: RoleEffect | None = prop("Whether it allows or denies.", required=True)
    permissions: list[FilledText] | None = prop("Permissions, such as `control-plane:service:view`.", required=True)
    resources: list[FilledText] | None = prop("Objects, such as `instance/SERVICE_ID` or `instance/*`.", required=True)
    tags: RolePolicyTags | None = prop("Databases, and the role in the SQL console.")


def as_policies(policies: object) -> object:
    """Return policies as a set without ids; the order of their lists does not matter either."""
    if not isinstance(policies, list):
        return policies
    return frozenset(_comparable(plain(each)) for each in policies)


def _comparable(policy: object) -> object:
    if not isinstance(policy, dict):
        return str(policy)
    tags = policy.get("tags") or {}
    values = [policy.get(name) for name in ("allowDeny", "permissions", "resources")]
    return tuple(as_set(each) for each in (*values, tags.get("grants") or [], tags.get("roleV2")))


class Role(Thing):
    """A role of the organization (OpenAPI: `RoleCreateRequest`, `RBACRole`)."""

    name: FilledText | None = prop("Name of the role.", required=True)
    policies: list[RolePolicy] | None = prop(
        "Policies: what it allows and denies, in any order.", required=True, compare=as_policies
    )
    actors: list[FilledText] | None = prop(
        "All who have it, such as `user/ID` and `apiKey/ID`, in any order. If left out, a new role has none: keys, "
        "members and invitations name it by its id.",
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
    "A role of the organization. Nobody can change the system's own roles; use their ids.",
    required_outputs=("name", "policies", "type"),
    import_id="ROLE_ID",
    only=CLICKHOUSE,
)
