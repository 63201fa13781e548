"""Rules about API keys: what they may do, from where, and for how long."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from pulumi_policy import Severity

from pulumi_clouddb.keys.api_key import API_KEY, ApiKey, KeyRole, OnKeyDelete
from pulumi_clouddb.policy.rule import Context, Finding, Findings, Settings, rule, sets, setting, shown, violation
from pulumi_clouddb.policy.views import plain
from pulumi_clouddb.schema.equality import as_utc
from pulumi_clouddb.schema.view import is_complete, path_of


@rule(
    API_KEY,
    "key-limited-by-address",
    "An API key works from listed addresses only.",
    severity=Severity.HIGH,
    comply="Give ipAccessList with the addresses that calls come from.",
    tags=("network", "security"),
    control="SC-7 Boundary Protection",
)
def key_limited_by_address(key: ApiKey, _: Context[Settings]) -> Findings:
    """Judge whether there is a list."""
    if not key.ip_access_list:
        found = "is not given" if key.ip_access_list is None else "is empty"
        yield Finding(path_of(key, "ip_access_list"), found, "list the addresses that calls with this key come from")


class Lifetime(Settings):
    """How long a key may live."""

    maximum_days: int = setting("Days from today that a key may work.", default=365, ge=1)


@rule(
    API_KEY,
    "key-expires",
    "An API key expires, and not too late.",
    severity=Severity.HIGH,
    comply="Give expireAt; a new text in rotation makes the next key before the old one goes.",
    tags=("credentials", "security"),
    control="IA-5 Authenticator Management",
    settings=Lifetime,
)
def key_expires(key: ApiKey, context: Context[Lifetime]) -> Findings:
    """Judge the moment from which it no longer works."""
    latest = datetime.now(timezone.utc) + timedelta(days=context.settings.maximum_days)
    limit = f"give a moment within {context.settings.maximum_days} days, by {latest:%Y-%m-%d}"
    if not key.expire_at or _moment(key.expire_at) > latest:
        yield violation(key, "expire_at", limit)


def _moment(text: str) -> datetime:
    """Return a moment; one that cannot be read counts as never."""
    moment = as_utc(text)
    return moment if isinstance(moment, datetime) else datetime.max.replace(tzinfo=timezone.utc)


@rule(
    API_KEY,
    "key-no-admin",
    "An API key does not administrate.",
    severity=Severity.HIGH,
    comply="Give the key the role that its calls need.",
    tags=("least-privilege", "security"),
    control="AC-6 Least Privilege",
)
def key_no_admin(key: ApiKey, _: Context[Settings]) -> Findings:
    """Judge the roles."""
    if KeyRole.ADMIN in (key.roles or ()):
        others = " or ".join(role.value for role in KeyRole if role is not KeyRole.ADMIN)
        yield Finding(path_of(key, "roles"), f"holds {shown(KeyRole.ADMIN.value)}", f"use {others}")


@key_no_admin.fix
def _not_admin(key: ApiKey, _: Context[Settings]) -> Mapping[str, Any]:
    """Takes the role out where others are left."""
    left = [role for role in key.roles or () if role != KeyRole.ADMIN]
    return {"roles": left} if left and is_complete(key.roles) else {}


@rule(
    API_KEY,
    "key-one-role",
    "An API key holds one role.",
    severity=Severity.MEDIUM,
    comply="Make a key for each purpose, with the one role it needs.",
    tags=("least-privilege", "security"),
    control="AC-6 Least Privilege",
)
def key_one_role(key: ApiKey, _: Context[Settings]) -> Findings:
    """Judge the number of roles; one that is not known yet counts."""
    if key.roles is not None and len(key.roles) > 1 and is_complete(key.roles):
        yield Finding(
            path_of(key, "roles"), f"is {shown(plain(key.roles))}", "give 1 role, and other purposes other keys"
        )


@rule(
    API_KEY,
    "key-can-be-rotated",
    "An API key that the program makes can be renewed.",
    severity=Severity.LOW,
    comply="Give rotation any text; changing it makes the next key before the old one goes.",
    tags=("credentials", "operations"),
    control="IA-5 Authenticator Management",
)
def key_can_be_rotated(key: ApiKey, _: Context[Settings]) -> Findings:
    """Judge whether rotation is prepared; adopted keys cannot be rotated."""
    if key.key_id is None and not key.rotation:
        yield violation(key, "rotation", "give it any text, such as the date of the last rotation")


@rule(
    API_KEY,
    "key-not-left-behind",
    "An API key does not outlive its stack.",
    severity=Severity.MEDIUM,
    comply="Leave onDelete out, or use disable.",
    tags=("credentials", "security"),
    control="IA-5 Authenticator Management",
)
def key_not_left_behind(key: ApiKey, _: Context[Settings]) -> Findings:
    """Judge what destroying does; an adopted key is not the stack's."""
    if key.key_id is None and key.on_delete == OnKeyDelete.RETAIN:
        yield violation(key, "on_delete", f"use {OnKeyDelete.DELETE.value} or {OnKeyDelete.DISABLE.value}")


key_not_left_behind.fix(sets("onDelete", OnKeyDelete.DISABLE.value))
