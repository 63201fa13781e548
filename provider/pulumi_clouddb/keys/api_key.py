"""API keys of an organization: created with a one-time secret, or adopted."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import ClassVar

from pydantic import model_validator

from pulumi_clouddb.schema.base import Flag, Model, OptionalTimestamp, Record, Text, Uuid, prop, wire_names
from pulumi_clouddb.schema.common import IpAccessEntry
from pulumi_clouddb.schema.equality import as_access_list, as_ids, as_set, as_utc
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.rules import Rule, RuleContext
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from pulumi_clouddb.schema.wording import Choice, prose


class KeyRole(str, Enum):
    """What a key may do."""

    ADMIN = "admin"
    DEVELOPER = "developer"
    QUERY_ENDPOINTS = "query_endpoints"


class KeyState(str, Enum):
    """Whether a key works."""

    ENABLED = "enabled"
    DISABLED = "disabled"


class OnKeyDelete(Choice):
    """What destroying an ApiKey does."""

    DELETE = "delete", "deletes the key"
    RESTORE = "restore", "puts back what was found"
    DISABLE = "disable", "leaves a key that no longer works"
    RETAIN = "retain", "leaves the key as it is"


class KeyBody(Model):
    """The body of *Update key*."""

    name: Text | None = prop("Name of the key.", min_length=1)
    expire_at: OptionalTimestamp | None = prop(
        "Moment from which the key no longer works; empty, or taken out again, means never.", compare=as_utc
    )
    ip_access_list: list[IpAccessEntry] | None = prop(
        "Addresses that calls with this key may come from. The order means nothing.", compare=as_access_list
    )
    roles: list[KeyRole] | None = prop("Roles of the key. The order means nothing.", min_length=1, compare=as_set)
    assigned_role_ids: list[Uuid] | None = prop(
        "Ids of the roles of the key, system ones or those of the organization; newer than `roles`. The order means "
        "nothing.",
        min_length=1,
        only=CLICKHOUSE,
        compare=as_ids,
    )
    state: KeyState | None = prop("Whether the key works.")


def _needed_by_new(field: Callable[[ApiKeyArgs], object], how: str) -> Rule[ApiKeyArgs]:
    def test(args: ApiKeyArgs, _: RuleContext) -> str | None:
        return how if args.key_id is None and field(args) is None else None

    return Rule(field, test, "is required for a new key")


def _some_role(args: ApiKeyArgs, context: RuleContext) -> str | None:
    if args.key_id is not None or args.roles is not None or args.assigned_role_ids is not None:
        return None
    ids = ", or assignedRoleIds" if context.vocabulary is CLICKHOUSE else ""
    return f", with at least 1 element{ids}"


def _rotatable(args: ApiKeyArgs, _: RuleContext) -> str | None:
    adopted = args.key_id is not None and args.rotation is not None
    return "; an adopted key (keyId) cannot be rotated" if adopted else None


def _deletable(but: OnKeyDelete, adopted: bool, whose: str) -> Rule[ApiKeyArgs]:
    def test(args: ApiKeyArgs, _: RuleContext) -> str | None:
        refused = args.on_delete == but and (args.key_id is not None) is adopted
        return f", not {but.value!r}" if refused else None

    *others, last = (choice.value for choice in OnKeyDelete if choice is not but)
    return Rule(lambda args: args.on_delete, test, f"must be {', '.join(others)} or {last} for {whose}")


class ApiKeyArgs(KeyBody):
    """What a program may say about a key: the body of an update, and how this provider treats the key."""

    RULES: ClassVar[tuple[Rule[ApiKeyArgs], ...]] = (
        _needed_by_new(lambda args: args.name, "; to adopt an existing one, give keyId"),
        Rule(lambda args: args.roles, _some_role, "is required for a new key"),
        Rule(lambda args: args.rotation, _rotatable, "is for keys this program creates"),
        _deletable(OnKeyDelete.DELETE, True, "an adopted key (keyId)"),
        _deletable(OnKeyDelete.RESTORE, False, "a key this program creates"),
    )

    key_id: Uuid | None = prop(
        "Id of an existing key to adopt. Without it a key is created.", replaces=True, provider_only=True
    )
    rotation: Text | None = prop(
        "Any text. Changing it makes a new key, and a new secret, before the old key goes.",
        replaces=True,
        provider_only=True,
    )
    on_delete: OnKeyDelete | None = prop(
        "What destroying does.",
        unset=f"{prose(OnKeyDelete.DELETE)} for created keys, {prose(OnKeyDelete.RESTORE)} for adopted ones",
        provider_only=True,
    )


class AssignedRole(Record):
    """A role of a key."""

    role_id: Text | None = prop("Id of the role.")
    role_name: Text | None = prop("Name of the role.")
    role_type: Text | None = prop("Whether it is a role of the `system` or a `custom` one of the organization.")


class KeyResponse(Record):
    """The key as the server answers it."""

    id: Text | None = prop("Id (UUID) of the key.")
    name: Text | None = prop("Name of the key.")
    key_suffix: Text | None = prop("Last characters of the key, to recognise it by.")
    created_at: Text | None = prop("When the key was created (ISO-8601).")
    expire_at: Text | None = prop("When the key stops working (ISO-8601), or null.")
    used_at: Text | None = prop("When the key was used last (ISO-8601).")
    ip_access_list: list[IpAccessEntry] | None = prop("Addresses that calls with this key may come from.")
    roles: list[KeyRole] | None = prop("Roles of the key.")
    assigned_roles: list[AssignedRole] | None = prop(
        "Roles of the key, with their names.", only=CLICKHOUSE, copies=("roles", "assignedRoleIds")
    )
    assigned_role_ids: list[Text] | None = prop("Ids of the roles of the key.", only=CLICKHOUSE)
    state: KeyState | None = prop("Whether the key works; absent where the server does not report it.")

    @model_validator(mode="after")
    def _name_ids(self) -> KeyResponse:
        """Say the roles as a request does."""
        if self.assigned_roles is not None:
            self.assigned_role_ids = [role.role_id for role in self.assigned_roles if role.role_id is not None]
        return self


class OriginalKey(Record):
    """What an adopted key was like before this provider changed it."""

    name: Text | None = prop("Name of the key.")
    expire_at: Text | None = prop("When the key stops working (ISO-8601).")
    ip_access_list: list[IpAccessEntry] | None = prop("Addresses that calls with this key may come from.")
    roles: list[KeyRole] | None = prop("Roles of the key.")
    assigned_role_ids: list[Text] | None = prop("Ids of the roles of the key.", only=CLICKHOUSE)
    state: KeyState | None = prop("Whether the key works.")


class ApiKeyOwn(Record):
    """What this provider adds to the state of a key."""

    access_key_id: Text | None = prop("User name for HTTP Basic; answered once, for created keys.", api="keyId")
    key_secret: Text | None = prop(
        "Password for HTTP Basic; answered once, for created keys.", secret=True, api="keySecret"
    )
    adopted: Flag | None = prop("Whether the key existed before.")
    original: OriginalKey | None = prop("What an adopted key was like before.", copies=wire_names(KeyBody))


class ApiKeyState(ApiKeyOwn, ApiKeyArgs, KeyResponse):
    """What Pulumi keeps of a key: the inputs as given, what the server made of them, and the one-time secret."""


class KeyCreated(Record):
    """The `result` of creating a key."""

    key: KeyResponse = prop("The new key.", required=True)
    key_id: Text | None = prop("User name for HTTP Basic.")
    key_secret: Text | None = prop("Password for HTTP Basic.", secret=True)


API_KEY = ResourceType(
    name="ApiKey",
    description=(
        "An API key of the organization: created with its one-time secret, or adopted by `keyId` and put back as it "
        "was when this is destroyed."
    ),
    inputs=ApiKeyArgs,
    record=KeyResponse,
    own=ApiKeyOwn,
    state=ApiKeyState,
    required_outputs=("adopted",),
    import_id="KEY_ID",
)
