"""API keys."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from description.exchange import Exchange, collection
from description.notation import Moment, Uuid
from things.services.described import Address

State = Literal["enabled", "disabled"]
Role = Literal["admin", "developer", "query_endpoints"]


class Update(TypedDict, total=False):
    name: str
    expireAt: Moment | None
    state: State
    roles: list[Role]  # deprecated
    assignedRoleIds: list[Uuid]
    ipAccessList: list[Address]


class Hashes(TypedDict, total=False):
    """Hashes of a key that the client has generated."""

    keyIdHash: str
    keyIdSuffix: str
    keySecretHash: str


class Create(Update, total=False):
    hashData: Hashes


class AssignedRole(TypedDict, total=False):
    roleId: Uuid
    roleName: str
    roleType: Literal["system", "custom"]


class Key(TypedDict, total=False):
    id: Uuid
    name: str
    state: State
    roles: list[Role]  # deprecated
    assignedRoles: list[AssignedRole]
    keySuffix: str
    createdAt: Moment
    expireAt: Moment | None
    usedAt: Moment
    ipAccessList: list[Address]


class Created(TypedDict, total=False):
    """A key with its secret; the latter two only if the server has generated them."""

    key: Key
    keyId: str
    keySecret: str


EXCHANGES = {
    **collection("key", "keys", Create, Update, Key, 250),
    "create_key": Exchange(Create, Created),
}
