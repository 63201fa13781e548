"""Authentication and authorization.

Management API: HTTP Basic with an enabled key that has not expired, from an address on the key's list. An `admin`
key may call every operation, a `developer` key all but the administrative ones, and a `query_endpoints` key none: it
is for queries only. The interface does not document the permissions of these roles; they are derived from their names.
A key with a custom role may do what its policies allow on the object, and no policy denies.
Self-hosted server: one bearer token.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Mapping

from pulumi_clouddb.client.operation import Operation, ServerKind
from pulumi_clouddb.schema._permissions import PERMISSIONS
from pulumi_clouddb.schema.base import parse_network
from pulumi_clouddb.schema.times import parse_timestamp
from pulumi_clouddb.things.api_keys.api_key import KeyRole, KeyState
from pulumi_clouddb.things.roles.role import RoleEffect

from .ids import digest
from .log import basic_credentials
from .responses import HTTPError, forbidden
from .roles import system_role
from .settings import to_stamp
from .state import SandboxState
from .store import Document

KEYS = "keys"
CREDENTIALS = "credentials"

_ADMIN_ONLY: Mapping[str, str] = {
    **dict.fromkeys(("create_key", "update_key", "delete_key"), "write keys"),
    "configure_backups": "configure backups",
    "configure_snapshots": "configure snapshots",
    **dict.fromkeys((f"{verb}_backup_bucket" for verb in ("create", "update", "delete")), "change backup buckets"),
    "update_organization": "update the organization",
}
"""Operations that need the role admin, in words (OpenAPI: `backupConfigurationUpdate`, `organizationUpdate`)."""


def authenticate(
    state: SandboxState, operation: Operation, authorization: str, address: str, params: Mapping[str, str]
) -> Document | None:
    """Return the record of the caller's key; None on the self-hosted server, which has no keys.

    Args:
        state: The state, with the keys and their roles.
        operation: The operation.
        authorization: The header of the request.
        address: The caller's address.
        params: The ids in the path: roles can permit an operation on some objects only.

    Raises:
        HTTPError: The caller may not call the operation.
    """
    if operation.server_kind is ServerKind.SELF_HOSTED:
        expected = f"Bearer {state.identity.stackToken}"
        if not hmac.compare_digest(authorization.encode(), expected.encode()):
            raise HTTPError(401, "Unauthorized", plain=True)
        return None
    key = _known_key(state, authorization)
    _check_usable(state, key, address)
    _check_role(state, key, operation, params)
    # It may be before `createdAt`. Held by `test_the_last_use_of_a_key_is_known_to_the_minute`.
    minute = to_stamp(state.clock.moment().replace(second=0, microsecond=0))
    if key.get("usedAt") != minute:
        state.store.put(KEYS, key["id"], {**key, "usedAt": minute})
    return key


def check_organization(state: SandboxState, params: Mapping[str, str]) -> None:
    """Refuse paths of other organizations."""
    if params.get("organizationId", state.identity.organizationId) != state.identity.organizationId:
        raise forbidden("The key belongs to another organization")


def _known_key(state: SandboxState, authorization: str) -> Document:
    if not authorization:
        raise HTTPError(401, "Authorization header is missing")
    user, secret = basic_credentials(authorization)
    credential = state.store.get(CREDENTIALS, digest(user)) if user else None
    if credential is None or not hmac.compare_digest(credential["secretHash"], digest(secret or "")):
        raise HTTPError(401, "Key is not found")
    key = state.store.get(KEYS, credential["key"])
    if key is None:
        raise HTTPError(401, "Key is not found")
    return key


def _check_usable(state: SandboxState, key: Document, address: str) -> None:
    if key["state"] != KeyState.ENABLED.value:
        raise HTTPError(401, "Key is disabled")
    if key["expireAt"] and to_stamp(parse_timestamp(key["expireAt"])) <= state.clock.stamp():
        raise HTTPError(401, "Key has expired")
    caller = ipaddress.ip_address(address)
    networks = [parse_network(entry["source"]) for entry in key["ipAccessList"]]
    if not any(caller in network for network in networks):
        raise forbidden(f"Key may not be used from {address}")


def _check_role(state: SandboxState, key: Document, operation: Operation, params: Mapping[str, str]) -> None:
    ids = {each.lower() for each in key.get("assignedRoleIds") or ()}
    roles = [*key["roles"], *(role.value for role in KeyRole if system_role(role.value) in ids)]
    if KeyRole.ADMIN.value in roles:
        return None
    if KeyRole.DEVELOPER.value in roles and operation.name not in _ADMIN_ONLY:
        return None
    if ids:
        policies = [each for id_ in ids for each in (state.store.get("roles", id_) or {}).get("policies", ())]
        return _check_policies(policies, operation, params)
    if KeyRole.DEVELOPER.value not in roles:
        raise forbidden("A key with role query_endpoints may not use the management API")
    raise forbidden(f"Only a key with role admin may {_ADMIN_ONLY[operation.name]}")


def _check_policies(policies: list[Document], operation: Operation, params: Mapping[str, str]) -> None:
    ids = {"*", *params.values()}
    matching = [each for each in policies if any(of.rpartition("/")[2] in ids for of in each.get("resources", ()))]
    for permission in PERMISSIONS.get(operation.name, ()):
        effects = {each["allowDeny"] for each in matching if permission in each["permissions"]}
        if effects != {RoleEffect.ALLOW.value}:
            raise forbidden(f"The roles of the key do not permit to {operation.action}")
