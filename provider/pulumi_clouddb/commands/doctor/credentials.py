"""Checks the credentials: whether they are taken, from here, and what their role may not do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

from pulumi_clouddb.client.errors import ApiError, UnauthorizedError
from pulumi_clouddb.keys.api_key import KeyRole
from pulumi_clouddb.schema.equality import as_utc
from pulumi_clouddb.schema.redaction import redact

from .finding import Finding, error, note, ok, warning
from .servers import Management, SelfHosted, Server
from .situation import Situation

SOON = timedelta(days=14)
"""A key that expires within this time is a warning."""

SUFFIX = 4
"""Characters of a key's id that its record shows."""

_ELSEWHERE = re.compile(r"may not be used from|\bIP\b|address", re.IGNORECASE)


def check_credentials(situation: Situation) -> Iterator[Finding]:
    """Yield for each server that answers what is wrong with its credentials, or that it accepts them."""
    for server in situation.servers:
        refused = server.decisive.error
        if isinstance(refused, UnauthorizedError) and server.responded:
            if not server.blames_organization:
                yield _refused(situation, server, refused)
        elif server.accepts:
            found = list(_of_key(situation, server)) if isinstance(server, Management) else []
            yield from found or [ok("credentials", f"clouddb:{server.setting} accepts {_named(server)}")]


def _named(server: Server) -> str:
    return " and ".join(f"clouddb:{name}" for name in server.credentials)


def _set(situation: Situation, server: Server) -> str:
    """Return the commands that set its credentials."""
    return "; ".join(situation.to_set(name) for name in server.credentials)


def _refused(situation: Situation, server: Server, refused: ApiError) -> Finding:
    said, sets = redact(refused.message), _set(situation, server)
    if refused.status == 401:
        text = f"clouddb:{server.setting} rejects {_named(server)}: {said}"
        other_key = (
            "Set the access key that this server shows its user:"
            if isinstance(server, SelfHosted)
            else "Set a key that exists, is enabled and has not expired:"
        )
        return error("refused-credentials", text, other_key, sets)
    if _ELSEWHERE.search(refused.message):
        text = f"clouddb:{server.setting} does not let {_named(server)} in from this address: {said}"
        let_in = "Put the address of this machine on the key's IP access list, or set a key that may be used from here:"
        return error("ip-access-list", text, let_in, sets)
    if server.refuses_everybody:
        text = f"clouddb:{server.setting} answers 403 to every key, also to one that does not exist: {said}"
        ask = "Ask who runs the server, or the gateway before it, to let this machine in; then run again:"
        return error("forbidden", text, ask, situation.again)
    text = f"{_named(server)} may not read {server.lists}: {said}"
    rights = (
        "Set the access key of a user who may read them:"
        if isinstance(server, SelfHosted)
        else f"Give the key the role {KeyRole.DEVELOPER.value}, or set one that has it; the role "
        f"{KeyRole.ADMIN.value} is needed only for ApiKey, OrganizationSettings and backups:"
    )
    return error("role", text, rights, sets)


def _of_key(situation: Situation, server: Management) -> Iterator[Finding]:
    """Yield what the record of the key tells, if the key shows which one it is."""
    listed = server.keys
    if isinstance(listed.error, UnauthorizedError):
        text = f"{_named(server)} may not list keys: {redact(listed.error.message)}"
        fix = "For resources of the type ApiKey, set a key with the role admin:"
        yield note("role", text, fix, _set(situation, server))
    suffix = (server.config.key_id or "")[-SUFFIX:]
    records = [each for each in listed.result or [] if isinstance(each, dict) and each.get("keySuffix") == suffix]
    if len(records) == 1:
        yield from _of_record(situation, server, records[0])


def _of_record(situation: Situation, server: Management, record: dict[str, Any]) -> Iterator[Finding]:
    sets = _set(situation, server)
    name = f"the key {record.get('name')!r} of {_named(server)}"
    roles = record.get("roles")
    if isinstance(roles, list) and roles and KeyRole.ADMIN.value not in roles:
        text = f"{name} has the role {', '.join(map(str, roles))}, which may not write keys, "
        text += "change the organization or configure backups"
        fix = "If the program has an ApiKey or OrganizationSettings, or sets backups, set a key with the role admin:"
        yield note("role", text, fix, sets)
    expires = as_utc(record.get("expireAt"))
    if isinstance(expires, datetime) and expires - datetime.now(timezone.utc) < SOON:
        text = f"{name} expires at {expires:%Y-%m-%d %H:%M} UTC"
        yield warning("expires-soon", text, "Set a key that lasts:", sets)
