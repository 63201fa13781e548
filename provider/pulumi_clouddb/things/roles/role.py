"""Roles of the organization, with their policies and actors."""

from __future__ import annotations

import re
from typing import Annotated

from pulumi_clouddb.schema._permissions import PERMISSIONS
from pulumi_clouddb.schema.base import Answer, Compare, FilledText, Text, prop
from pulumi_clouddb.schema.choice import OpenChoice
from pulumi_clouddb.schema.equality import as_set
from pulumi_clouddb.schema.names import nearest
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.rules import Rule
from pulumi_clouddb.schema.thing import Part, Thing, answered, ours
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from pulumi_clouddb.schema.wording import doubted

from .policies import as_evidence, as_policies


class RoleEffect(OpenChoice):
    """Effect of a policy."""

    ALLOW = "ALLOW"
    DENY = "DENY"


class SqlConsoleRole(OpenChoice):
    """A role of the SQL console."""

    READ_ONLY = "sql-console-readonly"
    ADMIN = "sql-console-admin"


def _grant(value: str) -> str:
    """Return a statement without its grantee; an empty text for another statement."""
    text = re.sub(r"\s+(TO|FROM)\s+[^\s,]+(?=\s+WITH\s|\s*;?\s*\Z)|\s*;\s*\Z", "", value, flags=re.I)
    return text if re.match(r"\s*(GRANT|REVOKE)\s", value, re.I) else ""


_OF_NO_OPERATION = frozenset(
    {
        *(f"control-plane:organization:{each}" for each in ("manage-billing", "update-api-keys", "delete-api-keys")),
        *(f"control-plane:service:{each}" for each in ("manage-ip-access-list", "manage-generative-ai")),
        *("control-plane:service:view-scaling-config", "control-plane:support:manage", "sql-console:database:access"),
    }
)
"""The permissions of https://clickhouse.com/docs/cloud/security/console-roles that no operation of the API needs."""


def _permission(value: str) -> str:
    known = _OF_NO_OPERATION.union(*PERMISSIONS.values())
    return value if value in known else nearest(value, sorted(known)) or ""


_KINDS = {"service": "instance", "services": "instance", "instances": "instance", "organizations": "organization"}
_ACTORS = {"apikey": "apiKey", "api-key": "apiKey", "api_key": "apiKey", "key": "apiKey", "users": "user"}
"""Kinds that people write in place of those of the API."""


def _resource(value: str) -> str:
    kind, slash, object_id = value.partition("/")
    known = _KINDS.get(kind.lower(), kind)
    is_id = object_id == "*" or re.fullmatch("[0-9a-fA-F-]{36}", object_id) or known != "instance" or not slash
    return f"{known}{slash}{object_id}" if is_id else ""


def _actor(value: str) -> str:
    kind, slash, object_id = value.partition("/")
    return f"{_ACTORS.get(kind, kind)}{slash}{object_id}"


Grant = Annotated[FilledText, doubted("must be GRANT … or REVOKE … without a grantee", _grant)]
Permission = Annotated[FilledText, doubted("must be a permission that this version knows", _permission)]
Target = Annotated[FilledText, doubted("must be instance/ID with the id of a service, or instance/*", _resource)]
Actor = Annotated[FilledText, doubted("must be of a kind such as user or apiKey", _actor)]


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

    grants: list[Grant] | None = prop(
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
    permissions: list[Permission] | None = prop("Permissions, such as `control-plane:service:view`.", required=True)
    resources: list[Target] | None = prop("Objects, such as `instance/SERVICE_ID` or `instance/*`.", required=True)
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
    actors: list[Actor] | None = prop(
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
