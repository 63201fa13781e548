"""API keys of an organization: created with a one-time secret, or adopted."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from pulumi_clouddb.schema.base import Answer, Compare, Flag, Record, Text, Uuid, prop, wire_names
from pulumi_clouddb.schema.check.rules import OURS, SEEN, Rule, rule
from pulumi_clouddb.schema.choice import ClosedChoice, OpenChoice
from pulumi_clouddb.schema.common import AssignedRole, IpAccessEntry, ids_of, public_sources
from pulumi_clouddb.schema.equality import as_access_list, as_set
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import Thing, answered, option, ours
from pulumi_clouddb.schema.usual import Expiry, Rotation
from pulumi_clouddb.schema.vendor import only_there
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, VocabularyName


class KeyRole(OpenChoice):
    """Roles of a key."""

    ADMIN = "admin"
    DEVELOPER = "developer"
    QUERY_ENDPOINTS = "query_endpoints"


class KeyState(OpenChoice):
    """Whether a key works."""

    ENABLED = "enabled"
    DISABLED = "disabled"


class OnKeyDelete(ClosedChoice, because="it is an option of this provider"):
    """What destroying an ApiKey does."""

    DELETE = "delete", "deletes the key"
    RESTORE = "restore", "restores the original key"
    DISABLE = "disable", "disables the key"
    RETAIN = "retain", "keeps the key as it is"


class KeyFields(Thing):
    """The fields that an update of a key accepts; those of an adopted key are stored (*Update key*)."""

    ANSWER = "OriginalKey"

    name: Text | None = prop("Name of the key.", min_length=1)
    expire_at: Expiry | None = prop(
        "Time at which the key expires; empty or removed means never.",
        answer=Answer("When the key stops working (ISO-8601), or null."),
    )
    ip_access_list: list[IpAccessEntry] | None = prop(
        "Addresses that requests with this key may come from, in any order.",
        compare=Compare(as_access_list),
        answer=Answer("Addresses that requests with this key may come from.", type=list[IpAccessEntry]),
    )
    roles: list[KeyRole] | None = prop(
        "Roles of the key, in any order.",
        min_length=1,
        compare=Compare(as_set),
        answer=Answer("Roles of the key.", type=list[KeyRole]),
    )
    assigned_role_ids: list[Uuid] | None = only_there(
        "Ids of the roles of the key, of the system or the organization, in any order; newer than `roles`.",
        compare=Compare(as_set),
        answer=Answer("Ids of the roles of the key."),
    )
    state: KeyState | None = prop("Whether the key works.", answer=Answer(type=KeyState))


def _needed_by_new(field: Callable[[ApiKey], object], how: str) -> Rule[ApiKey]:
    def test(args: ApiKey) -> str | None:
        return how if args.key_id is None and field(args) is None else None

    return rule(field, "is required for a new key", test, source=OURS)


def _some_role(args: ApiKey) -> str | None:
    has_roles = args.key_id is not None or args.roles is not None or args.assigned_role_ids is not None
    return None if has_roles else ", with at least 1 element"


def _rotatable(args: ApiKey) -> str | None:
    adopted = args.key_id is not None and args.rotation is not None
    return "; an adopted key (keyId) cannot be rotated" if adopted else None


def _restorable(args: ApiKey) -> str | None:
    refused = args.on_delete == OnKeyDelete.RESTORE and args.key_id is None
    return f", not {OnKeyDelete.RESTORE.value!r}" if refused else None


_OF_A_NEW_KEY = "must be delete, disable or retain for a key this program creates"


class ApiKey(KeyFields):
    """An API key of the organization (*Create key*, *Update key*)."""

    ANSWER = "KeyResponse"
    RULES: ClassVar[tuple[Rule[ApiKey], ...]] = (
        _needed_by_new(lambda args: args.name, "; to adopt an existing one, set keyId"),
        rule(
            lambda args: args.roles, "is required for a new key", _some_role, only=VocabularyName.NEUTRAL, source=OURS
        ),
        rule(
            lambda args: args.roles,
            "must not be given together with assignedRoleIds",
            lambda args: args.roles is not None and args.assigned_role_ids is not None,
            only=CLICKHOUSE,
            source=OURS,
        ),
        public_sources(lambda args: args.ip_access_list),
        rule(
            lambda args: args.ip_access_list,
            "should have an entry, or the key works from nowhere",
            lambda args: args.ip_access_list is not None and len(args.ip_access_list) == 0,
            warns=True,
            only=CLICKHOUSE,
            source=SEEN("ClickHouse/clickhousectl#829"),
        ),
        rule(lambda args: args.rotation, "is only for keys that this program creates", _rotatable, source=OURS),
        rule(lambda args: args.on_delete, _OF_A_NEW_KEY, _restorable, source=OURS),
    )

    id: Text | None = answered("Id (UUID) of the key.")
    key_suffix: Text | None = answered("Last characters of the key, to recognise it.")
    created_at: Text | None = answered("When the key was created (ISO-8601).")
    used_at: Text | None = answered("When the key was last used (ISO-8601).")
    assigned_roles: list[AssignedRole] | None = answered(
        "Roles of the key, with their names.", only=CLICKHOUSE, copies=("roles", "assignedRoleIds")
    )
    key_id: Uuid | None = option("Id of an existing key to adopt. Without it a key is created.", replaces=True)
    rotation: Rotation | None = option(
        "Any text. Changing it creates a new key with a new secret before the old key is deleted.",
        replaces=True,
    )
    on_delete: OnKeyDelete | None = option(
        "What destroying does.",
        unset=f"`{OnKeyDelete.DELETE.value}` for created keys, `{OnKeyDelete.RESTORE.value}` for adopted ones",
    )
    access_key_id: Text | None = ours("User name for HTTP Basic; returned once, for created keys.", api="keyId")
    key_secret: Text | None = ours(
        "Password for HTTP Basic; returned once, for created keys.", secret=True, api="keySecret"
    )
    adopted: Flag | None = ours("Whether the key existed before.")
    original: KeyFields | None = ours("The fields of an adopted key before its adoption.", copies=wire_names(KeyFields))

    def received(self) -> None:
        """Set the roles in the form of a request."""
        if self.assigned_roles is not None:
            self.assigned_role_ids = ids_of(self.assigned_roles)


class KeyCreated(Record):
    """The `result` of creating a key."""

    key: ApiKey = prop("The new key.", required=True)
    key_id: Text | None = prop("User name for HTTP Basic.")
    key_secret: Text | None = prop("Password for HTTP Basic.", secret=True)


API_KEY = ResourceType(
    ApiKey,
    "An API key of the organization: created with its one-time secret, or adopted by `keyId` and restored when this is "
    "destroyed.",
    required_outputs=("adopted",),
    import_id="KEY_ID",
)
