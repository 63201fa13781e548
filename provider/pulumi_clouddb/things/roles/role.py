"""Roles of the organization, with their policies and actors."""

from __future__ import annotations

from pulumi_clouddb.schema.base import Answer, Compare, FilledText, Text, prop
from pulumi_clouddb.schema.choice import OpenChoice
from pulumi_clouddb.schema.equality import as_set
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.rules import Rule
from pulumi_clouddb.schema.thing import Part, Thing, answered, ours
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .policies import as_evidence, as_policies


class RoleEffect(OpenChoice):
    """Effect of a policy."""

    ALLOW = "ALLOW"
    DENY = "DENY"


class SqlConsoleRole(OpenChoice):
    """A role of the SQL console."""

    READ_ONLY = "sql-console-readonly"
    ADMIN = "sql-console-admin"


class RolePolicyTags(Part):
    """What a policy with the permission `sql-console:database:access` allows in the databases."""

    # As the vendor's Terraform provider requires; the API itself documents no rule.
    OPTION_RULES = (
        Rule(
            lambda tags: tags.grants,
            lambda tags, _: (tags.grants is None) is (tags.role_v2 is None),
            "or roleV2 must be given, and not both",
        ),
    )

    grants: list[FilledText] | None = prop(
        "Whole SQL statements without a grantee, such as `GRANT SELECT ON default.*` or `REVOKE SELECT ON "
        "default.secret`, in the order in which they take effect. The server creates a database role with them for the "
        "SQL console.",
        min_length=1,
    )
    role_v2: SqlConsoleRole | None = prop("Role in the SQL console.")


def _without_kind(values: list[str] | None) -> str | None:
    found = [each for each in values or () if "/" not in each and each != "*"]
    return f", not {', '.join(map(repr, found))}" if found else None


class RolePolicy(Part):
    """A policy of a role."""

    # That it has both, the vendor's Terraform provider requires.
    OPTION_RULES = (
        Rule(
            lambda policy: policy.permissions,
            lambda policy, _: policy.permissions is not None and not policy.permissions,
            "must name one or more, or the policy does nothing",
            lists=True,
        ),
        Rule(
            lambda policy: policy.resources,
            lambda policy, _: policy.resources is not None and not policy.resources,
            "must name one or more, or the policy does nothing",
            lists=True,
        ),
        Rule(
            lambda policy: policy.resources,
            lambda policy, _: _without_kind(policy.resources),
            "must have the form KIND/ID, such as `instance/SERVICE_ID` or `instance/*`",
            lists=True,
        ),
    )

    id: Text | None = answered("Id of the policy.")
    role_id: Text | None = answered("Id of the role.")
    tenant_id: Text | None = answered("The organization, as `organization/ID`.")
    allow_deny: RoleEffect | None = prop("Whether it allows or denies.", required=True)
    permissions: list[FilledText] | None = prop("Permissions, such as `control-plane:service:view`.", required=True)
    resources: list[FilledText] | None = prop("Objects, such as `instance/SERVICE_ID` or `instance/*`.", required=True)
    tags: RolePolicyTags | None = prop("Access to databases; left out for other permissions.")


class Role(Thing):
    """A role of the organization (OpenAPI: `RoleCreateRequest`, `RBACRole`)."""

    OPTION_RULES = (
        Rule(
            lambda role: role.actors,
            lambda role, _: _without_kind(role.actors),
            "must have the form KIND/ID, such as `user/ID` or `apiKey/ID`",
            lists=True,
        ),
    )

    name: FilledText | None = prop("Name of the role.", required=True)
    policies: list[RolePolicy] | None = prop(
        "Policies: what it allows and denies, in any order. Permissions that the server adds to them in response to a "
        "create or update are in `addedPermissions`, and are not drift; those that appear later are.",
        required=True,
        compare=Compare(as_policies, evidence=as_evidence),
    )
    actors: list[FilledText] | None = prop(
        "Members and keys that have the role, in any order. If left out, a new "
        "role is assigned to nobody: keys, members and invitations refer to it by its id.",
        compare=Compare(as_set),
        answer=Answer("Who has it."),
    )
    added_permissions: list[Text] | None = ours(
        "Permissions that the server has added to those of the policies, such as `control-plane:service:delete`.",
        copies=("policies",),
    )
    id: Text | None = answered("Id of the role, for `assignedRoleIds` of keys, members and invitations.")
    type: Text | None = answered("Whether it is a role of the `system` or a `custom` one of the organization.")
    tenant_id: Text | None = answered("The organization, as `organization/ID`.")
    owner_id: Text | None = answered("Its owner, such as `organization/ID`.")
    created_at: Text | None = answered("When it was created (ISO-8601).")
    updated_at: Text | None = answered("When it was last changed (ISO-8601).")


ROLE = ResourceType(
    Role,
    "A role of the organization. The roles of the system cannot be changed; refer to them by their ids.",
    required_outputs=("name", "policies", "type"),
    import_id="ROLE_ID",
    only=CLICKHOUSE,
)
