"""Roles of a service's observability server."""

from __future__ import annotations

from typing import Any

from typing_extensions import Required, TypedDict

from description.exchange import collection
from description.notation import Moment


class Permission(TypedDict, total=False):
    action: Required[str]
    subject: Required[str]
    inverted: bool
    integration: str
    conditions: dict[str, Any]


class Create(TypedDict, total=False):
    name: Required[str]
    description: str
    permissions: Required[list[Permission]]


class Update(TypedDict, total=False):
    name: str
    description: str
    permissions: Required[list[Permission]]


class Role(TypedDict, total=False):
    id: Required[str]
    name: Required[str]
    description: str
    permissions: Required[list[Permission]]
    isPredefined: Required[bool]
    createdAt: Moment
    updatedAt: Moment


EXCHANGES = collection("stack_role", "stack_roles", Create, Update, Role)
