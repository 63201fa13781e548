"""Roles of the organization, with their policies and actors."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, ClassVar

from pulumi_clouddb.schema._permissions import PERMISSIONS
from pulumi_clouddb.schema.base import Answer, Compare, FilledCode, FilledText, Text, prop
from pulumi_clouddb.schema.check.rules import TF, Rule, rule
from pulumi_clouddb.schema.check.wording import UUID_FORM, doubted
from pulumi_clouddb.schema.choice import OpenChoice
from pulumi_clouddb.schema.equality import as_set
from pulumi_clouddb.schema.names import nearest
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import Part, Thing, answered, ours
from pulumi_clouddb.schema.view import is_complete
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


def _grant(value: str) -> str:
    """Return a statement without its grantee; an empty text for another statement."""
    text = re.sub(r"(?<!\s)\s+(TO|FROM)\s+[^\s,]+(?=\s+WITH\s|\s*;?\s*\Z)|(?<!\s)\s*;\s*\Z", "", value, flags=re.I)
    return text if re.match(r"\s*(GRANT|REVOKE)\s(?!.*\sON\s+(ALL|DATABASE|SCHEMA|TABLE)\s)", value, re.I) else ""


DATABASE_ACCESS = "sql-console:database:access"

_OF_NO_OPERATION = frozenset(
    {
        *(f"control-plane:organization:{each}" for each in ("manage-billing", "update-api-keys", "delete-api-keys")),
        *(f"control-plane:service:{each}" for each in ("manage-ip-access-list", "manage-generative-ai")),
        *("control-plane:service:view-scaling-config", "control-plane:support:manage", DATABASE_ACCESS),
    }
)
"""The permissions of https://clickhouse.com/docs/cloud/security/console-roles that no operation of the API needs."""


def _permission(value: str) -> str:
    known = _OF_NO_OPERATION.union(*PERMISSIONS.values())
    likely = [each for each in (value, f"control-plane:{value}") if each in known]
    return next(iter(likely), "") or ("" if "*" in value else nearest(value, sorted(known)) or "")


_KINDS = {"service": "instance", "services": "instance", "instances": "instance", "organizations": "organization"}
_ACTORS = {"apikey": "apiKey", "api-key": "apiKey", "api_key": "apiKey", "key": "apiKey", "users": "user"}
"""Kinds that people write in place of those of the API."""


def _resource(value: str) -> str:
    kind, slash, object_id = value.partition("/")
    known = _KINDS.get(kind.lower(), kind)
    is_id = object_id == "*" or re.fullmatch(UUID_FORM, object_id) or (slash and known not in _KINDS.values())
    return f"{known}{slash}{object_id}" if is_id or value == "*" else ""


def _actor(value: str) -> str:
    kind, slash, object_id = value.partition("/")
    known = _ACTORS.get(kind, kind)
    is_id = re.fullmatch(UUID_FORM, object_id) or (slash and known not in ("user", "apiKey"))
    return f"{known}{slash}{object_id}" if is_id else ""


Grant = Annotated[FilledCode, doubted("should be GRANT … or REVOKE … on DATABASE.TABLE without a grantee", _grant)]
_EACH = "; name each one, such as control-plane:service:view: wildcards are for resources, such as instance/*"
Permission = Annotated[FilledText, doubted("should be a permission that this version knows", _permission, advice=_EACH)]
Target = Annotated[
    FilledText,
    doubted("should be instance/ID or organization/ID, or instance/* for all services", _resource),
]
Actor = Annotated[FilledText, doubted("should be user/ID, with the id that listMembers returns, or apiKey/ID", _actor)]


class RolePolicyTags(Part):
    """What a policy with the permission `sql-console:database:access` allows in the databases."""

    RULES: ClassVar[tuple[Rule[RolePolicyTags], ...]] = (
        rule(
            lambda tags: tags.grants,
            "or roleV2 should be given, and not both",
            lambda tags: (tags.grants is None) is (tags.role_v2 is None),
            warns=True,
            source=TF("role.go"),
        ),
    )

    grants: list[Grant] | None = prop(
        "Whole SQL statements without a grantee, such as `GRANT SELECT ON default.*` or `REVOKE SELECT ON "
        "default.secret`, in the order in which they take effect. The server creates a database role with them for the "
        "SQL console.",
        min_length=1,
    )
    role_v2: SqlConsoleRole | None = prop("Role in the SQL console.")


def _some(read: Callable[[RolePolicy], object]) -> Rule[RolePolicy]:
    def test(policy: RolePolicy) -> bool:
        return read(policy) is not None and not read(policy)

    text = "should name one or more, or the policy does nothing"
    return rule(read, text, test, warns=True, source=TF("role.go"))


def _lacks_access(policy: RolePolicy) -> bool:
    has = DATABASE_ACCESS in (policy.permissions or ())
    denies = policy.tags is None and policy.allow_deny == RoleEffect.DENY
    return is_complete(policy.permissions) and not denies and has is (policy.tags is None)


class RolePolicy(Part):
    """A policy of a role."""

    RULES: ClassVar[tuple[Rule[RolePolicy], ...]] = (
        _some(lambda policy: policy.permissions),
        _some(lambda policy: policy.resources),
        rule(
            lambda policy: policy.tags,
            f"should be given with the permission {DATABASE_ACCESS}, and only with it",
            _lacks_access,
            warns=True,
            source=TF("role.go"),
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

    name: FilledText | None = prop("Name of the role.", required=True)
    policies: list[RolePolicy] | None = prop(
        "Policies: what it allows and denies, in any order. Permissions that the server adds to them in response to a "
        "create or update are in `addedPermissions`, and are not drift; those that appear later are.",
        required=True,
        compare=Compare(as_policies, evidence=as_evidence),
    )
    actors: list[Actor] | None = prop(
        "Members and keys that have the role, as `user/ID` or `apiKey/ID`, in any order. If left out, a new "
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
