"""Comparison of policies, whose order, ids and some permissions are the server's; see the assumptions below.

tests/provider/things/roles/test_roles.py holds it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from pulumi_clouddb.schema.convert import plain
from pulumi_clouddb.schema.equality import AtLeast, as_set
from pulumi_clouddb.schema.values import WireDict

ADDED_PERMISSIONS: Final[Mapping[str, str]] = MappingProxyType(
    {"control-plane:service:manage": "control-plane:service:delete"}
)
"""The permissions that bring another one with them, whenever the server adds it."""


def as_policies(policies: object) -> object:
    """Return policies as a set without ids; of the lists in them, only the order of grants matters."""
    if not isinstance(policies, list):
        return policies
    return frozenset((*_place(each), as_set(completed(_permissions(each)))) for each in map(_plain, policies))


def as_evidence(policies: object) -> object:
    """Return what a role created with these policies shows: at least their permissions, and no other policy."""
    if not isinstance(policies, list):
        return policies
    places = [(_place(each), each) for each in map(_plain, policies)]
    granted = [(place, permission) for place, each in places for permission in _permissions(each)]
    return AtLeast([sorted((place for place, _ in places), key=repr), *granted])


def completed(permissions: list[Any]) -> list[Any]:
    """Return permissions with those that the server is known to add to them."""
    more = (ADDED_PERMISSIONS[each] for each in permissions if isinstance(each, str) and each in ADDED_PERMISSIONS)
    return list(dict.fromkeys([*permissions, *more]))


def permissions_in(additions: object) -> Iterator[str]:
    """Yield the permissions in what a server has added to policies."""
    if isinstance(additions, str):
        yield additions
    for each in additions if isinstance(additions, list) else ():
        yield from permissions_in(each.get("permissions") if isinstance(each, Mapping) else each)


def named_additions(additions: object, names: Collection[str]) -> object:
    """Return the part of what a server has added to policies that is permissions with these names."""
    if isinstance(additions, str):
        return additions
    if isinstance(additions, list):
        return [named_additions(each, names) for each in additions if not isinstance(each, str) or each in names]
    permissions = additions.get("permissions") if isinstance(additions, Mapping) else None
    return {"permissions": named_additions(permissions, names)} if permissions else {}


def without_empty_tags(policy: WireDict) -> WireDict:
    """Return a policy without empty tags, which servers return if there are none."""
    return {name: value for name, value in policy.items() if name != "tags" or value}


def _place(policy: WireDict) -> tuple[Any, ...]:
    """Return what identifies a policy besides its permissions."""
    return policy.get("allowDeny"), as_set(_list(policy, "resources")), _tags(policy)


def _tags(policy: WireDict) -> object:
    """Return the tags; the grants are statements in the order in which they are carried out."""
    tags = policy.get("tags")
    tags = tags if isinstance(tags, Mapping) else {}
    return tuple(map(str, _list(tags, "grants"))), tags.get("roleV2")


def _permissions(policy: WireDict) -> list[Any]:
    return _list(policy, "permissions")


def _list(policy: Mapping[str, object], name: str) -> list[Any]:
    value = policy.get(name)
    return value if isinstance(value, list) else []


def _plain(policy: object) -> WireDict:
    value = plain(policy)
    return value if isinstance(value, dict) else {"allowDeny": str(value)}
