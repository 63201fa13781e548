"""Checks the credentials: whether the server accepts them from this address, and the permissions of their role."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

from pulumi_clouddb.client.errors import ApiError, UnauthorizedError
from pulumi_clouddb.schema.secrets.redaction import redact
from pulumi_clouddb.schema.times import as_utc
from pulumi_clouddb.schema.values import objects
from pulumi_clouddb.things.api_keys.api_key import KeyRole

from .finding import Finding, error, note, ok, warning
from .permissions import check_permissions
from .servers import Management, SelfHosted, Server
from .situation import Situation

SOON = timedelta(days=14)
"""Warn of a key that expires within this time."""

SUFFIX = 4
"""Length of `keySuffix`, the end of the key's id."""

_ADDRESS_REJECTED = re.compile(r"may not be used from|\bIP\b|address", re.IGNORECASE)


def check_credentials(situation: Situation) -> Iterator[Finding]:
    """Yield the findings on the credentials of each server that responds."""
    for server in situation.servers:
        rejection = server.decisive.error
        if isinstance(rejection, UnauthorizedError) and server.responded:
            if not server.blames_organization:
                yield _rejected(situation, server, rejection)
        elif server.accepts:
            findings = list(_check_key(situation, server)) if isinstance(server, Management) else []
            yield from findings or [ok("credentials", f"clouddb:{server.setting} accepts {_names(server)}")]


def _names(server: Server) -> str:
    return " and ".join(f"clouddb:{name}" for name in server.credentials)


def _to_set(situation: Situation, server: Server) -> str:
    return "; ".join(situation.to_set(name) for name in server.credentials)


def _rejected(situation: Situation, server: Server, rejection: ApiError) -> Finding:
    message, to_set = redact(rejection.message), _to_set(situation, server)
    self_hosted = isinstance(server, SelfHosted)
    if rejection.status == 401:
        text = f"clouddb:{server.setting} rejects {_names(server)}: {message}"
        fix = "Set a key that exists, is enabled and has not expired:"
        if self_hosted:
            fix = "Set the access key from the user settings of this server:"
        return error("refused-credentials", text, fix, to_set)
    if _ADDRESS_REJECTED.search(rejection.message):
        text = f"clouddb:{server.setting} rejects {_names(server)} from this address: {message}"
        fix = "Add the address of this machine to the key's IP access list, or set a key that is valid from here:"
        return error("ip-access-list", text, fix, to_set)
    if server.refuses_everybody:
        text = f"clouddb:{server.setting} returns 403 for every key, even for one that does not exist: {message}"
        fix = "Ask the operator of the server, or of the gateway in front of it, to admit this machine; then run again:"
        return error("forbidden", text, fix, situation.again)
    text = f"{_names(server)} may not read {server.lists}: {message}"
    fix = (
        f"Assign the key the role {KeyRole.DEVELOPER.value}, or set a key that has it; only ApiKey, "
        f"OrganizationSettings and backups need the role {KeyRole.ADMIN.value}:"
    )
    if self_hosted:
        fix = "Set the access key of a user with permission to read them:"
    return error("role", text, fix, to_set)


def _check_key(situation: Situation, server: Management) -> Iterator[Finding]:
    """Yield the findings on the record of the configured key, if its suffix identifies it."""
    listed = server.keys
    if isinstance(listed.error, UnauthorizedError):
        text = f"{_names(server)} may not list keys: {redact(listed.error.message)}"
        fix = "For resources of the type ApiKey, set a key with the role admin:"
        yield note("role", text, fix, _to_set(situation, server))
    suffix = (server.config.key_id or "")[-SUFFIX:]
    records = [each for each in listed.result or [] if isinstance(each, dict) and each.get("keySuffix") == suffix]
    if len(records) == 1:
        yield from _check_record(situation, server, records[0])


def _check_record(situation: Situation, server: Management, record: dict[str, Any]) -> Iterator[Finding]:
    to_set = _to_set(situation, server)
    name = f"the key {record.get('name')!r} of {_names(server)}"
    roles = record.get("roles")
    if isinstance(roles, list) and roles and KeyRole.ADMIN.value not in roles:
        text = f"{name} has the role {', '.join(map(str, roles))}, which may not write keys, "
        text += "change the organization or configure backups"
        fix = "If the program has an ApiKey or OrganizationSettings, or sets backups, set a key with the role admin:"
        yield note("role", text, fix, to_set)
    yield from check_permissions(situation, server, name, objects(record.get("assignedRoles")))
    expires = as_utc(record.get("expireAt"))
    if isinstance(expires, datetime) and expires - datetime.now(timezone.utc) < SOON:
        text = f"{name} expires at {expires:%Y-%m-%d %H:%M} UTC"
        yield warning("expires-soon", text, "Set a key that expires later:", to_set)
