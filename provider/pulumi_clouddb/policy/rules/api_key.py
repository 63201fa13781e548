"""Rules about API keys: their roles, addresses, lifetime and rotation."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from pulumi_policy import Severity

from pulumi_clouddb.policy.rule import (
    Context,
    Finding,
    Findings,
    Settings,
    rule,
    sets,
    setting,
    shown,
    violation,
    without_role,
)
from pulumi_clouddb.policy.views import plain
from pulumi_clouddb.schema.times import as_utc
from pulumi_clouddb.schema.view import is_complete, path_of
from pulumi_clouddb.things.api_keys.api_key import API_KEY, ApiKey, KeyRole, OnKeyDelete


@rule(
    API_KEY,
    "key-limited-by-address",
    "An API key works only from listed addresses.",
    severity=Severity.HIGH,
    comply="Set ipAccessList with the addresses that use the key.",
    tags=("network", "security"),
    control="SC-7 Boundary Protection",
)
def key_limited_by_address(key: ApiKey, _: Context[Settings]) -> Findings:
    """Check that there is a list; with an empty one, the key works from nowhere."""
    if key.ip_access_list is None:
        yield Finding(path_of(key, "ip_access_list"), "is not set", "list the addresses that use the key")


class Lifetime(Settings):
    """The settings of key-expires."""

    # The upper limit keeps the latest date within the range of datetime.
    maximum_days: int = setting("Maximum lifetime of a key, in days from today.", default=365, ge=1, le=1_000_000)


@rule(
    API_KEY,
    "key-expires",
    "An API key expires within the limit.",
    severity=Severity.HIGH,
    comply="Set expireAt; changing rotation creates a new key before the old one is deleted.",
    tags=("credentials", "security"),
    control="IA-5 Authenticator Management",
    settings=Lifetime,
)
def key_expires(key: ApiKey, context: Context[Lifetime]) -> Findings:
    """Check expireAt."""
    days = context.settings.maximum_days
    latest = datetime.now(timezone.utc) + timedelta(days=days)
    expires = as_utc(key.expire_at) if key.expire_at else None
    if not isinstance(expires, datetime) or expires > latest:  # a text that is not a time counts as never
        yield violation(key, "expire_at", f"set a time within {days} days, by {latest:%Y-%m-%d}")


@rule(
    API_KEY,
    "key-no-admin",
    "An API key does not have the role admin.",
    severity=Severity.HIGH,
    comply="Assign only the role that the key's requests need.",
    tags=("least-privilege", "security"),
    control="AC-6 Least Privilege",
)
def key_no_admin(key: ApiKey, _: Context[Settings]) -> Findings:
    """Check the roles."""
    if KeyRole.ADMIN in (key.roles or ()):
        others = " or ".join(role.value for role in KeyRole if role is not KeyRole.ADMIN)
        yield Finding(path_of(key, "roles"), f"contains {shown(KeyRole.ADMIN.value)}", f"use {others}")


key_no_admin.fix(without_role(KeyRole.ADMIN.value))


@rule(
    API_KEY,
    "key-one-role",
    "An API key has one role.",
    severity=Severity.MEDIUM,
    comply="Create a key for each purpose, with the one role that it needs.",
    tags=("least-privilege", "security"),
    control="AC-6 Least Privilege",
)
def key_one_role(key: ApiKey, _: Context[Settings]) -> Findings:
    """Check the number of roles, once all of them are known."""
    if key.roles is not None and len(key.roles) > 1 and is_complete(key.roles):
        yield Finding(
            path_of(key, "roles"), f"is {shown(plain(key.roles))}", "set 1 role, and create a key for each purpose"
        )


@rule(
    API_KEY,
    "key-can-be-rotated",
    "An API key that the program creates can be rotated.",
    severity=Severity.LOW,
    comply="Set rotation to any text; changing it creates a new key before the old one is deleted.",
    tags=("credentials", "operations"),
    control="IA-5 Authenticator Management",
)
def key_can_be_rotated(key: ApiKey, _: Context[Settings]) -> Findings:
    """Check rotation; adopted keys cannot be rotated."""
    if key.key_id is None and not key.rotation:
        yield violation(key, "rotation", "set it to any text, such as the date of the last rotation")


@rule(
    API_KEY,
    "key-not-left-behind",
    "An API key is deleted or disabled with its stack.",
    severity=Severity.MEDIUM,
    comply="Omit onDelete, or set it to disable.",
    tags=("credentials", "security"),
    control="IA-5 Authenticator Management",
)
def key_not_left_behind(key: ApiKey, _: Context[Settings]) -> Findings:
    """Check onDelete; an adopted key may outlive the stack."""
    if key.key_id is None and key.on_delete == OnKeyDelete.RETAIN:
        yield violation(key, "on_delete", f"set it to {OnKeyDelete.DELETE.value} or {OnKeyDelete.DISABLE.value}")


key_not_left_behind.fix(sets("onDelete", OnKeyDelete.DISABLE.value))
