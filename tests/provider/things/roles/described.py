"""Roles of the organization."""

from __future__ import annotations

from typing import Literal

from typing_extensions import Required, TypedDict

from description.exchange import collection
from description.notation import Moment


class Tags(TypedDict, total=False):
    """The part of a policy about databases."""

    grants: list[str]
    roleV2: Literal["sql-console-readonly", "sql-console-admin"]


class NewPolicy(TypedDict, total=False):
    allowDeny: Required[Literal["ALLOW", "DENY"]]
    permissions: Required[list[str]]
    resources: Required[list[str]]
    tags: Tags


class Policy(TypedDict, total=False):
    id: str
    roleId: str
    tenantId: str
    allowDeny: Literal["ALLOW", "DENY"]
    permissions: list[str]
    resources: list[str]
    tags: Tags


class Create(TypedDict):
    name: str
    actors: list[str]
    policies: list[NewPolicy]


class Update(TypedDict, total=False):
    name: str
    actors: list[str]
    policies: list[NewPolicy]


class Role(TypedDict, total=False):
    id: str
    tenantId: str
    ownerId: str
    name: str
    type: Literal["system", "custom"]
    actors: list[str]
    policies: list[Policy]
    createdAt: Moment
    updatedAt: Moment


EXCHANGES = collection("role", "roles", Create, Update, Role)
