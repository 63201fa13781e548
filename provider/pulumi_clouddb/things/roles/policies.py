"""Comparison of policies, whose order, ids and further permissions are the server's; see the assumptions below.

tests/provider/things/roles/test_roles.py holds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_clouddb.schema.assumptions import CLOUD_ONLY, Assumption
from pulumi_clouddb.schema.convert import plain
from pulumi_clouddb.schema.equality import AtLeast, as_set
from pulumi_clouddb.schema.values import WireDict

POLICIES_GET_NEW_IDS = Assumption(
    "An update of a role gives its policies new ids.",
    "the acceptance tests of the vendor's Terraform provider",
    CLOUD_ONLY,
)
POLICIES_GAIN_PERMISSIONS = Assumption(
    "A policy that grants `control-plane:service:manage` gets `control-plane:service:delete`, too.",
    "the acceptance tests of the vendor's Terraform provider",
    CLOUD_ONLY,
)


Policies = list[WireDict]


def as_policies(policies: object) -> object:
    """Return policies as a set without ids; of the lists in them, only the order of grants matters."""
    if not isinstance(policies, list):
        return policies
    return frozenset((*_place(each), as_set(_list(each, "permissions"))) for each in map(_plain, policies))


def as_evidence(policies: object) -> object:
    """Return what a role created with these policies shows: at least their permissions, and no other policy."""
    if not isinstance(policies, list):
        return policies
    places = [(_place(each), each) for each in map(_plain, policies)]
    granted = [(place, permission) for place, each in places for permission in _list(each, "permissions")]
    return AtLeast([sorted((place for place, _ in places), key=repr), *granted])


def without_added(wanted: object, served: object) -> object:
    """Return a server's policies in the order of the program, without the permissions that only the server has."""
    if not isinstance(wanted, list) or not isinstance(served, list):
        return served
    ours, theirs = [*map(_plain, wanted)], [*map(_plain, served)]
    pairs = dict(_pairs(ours, theirs))
    matched = [_common(ours[index], theirs[pairs[index]]) for index in sorted(pairs)]
    return matched + [each for index, each in enumerate(theirs) if index not in pairs.values()]


def added_permissions(wanted: object, served: object) -> list[str]:
    """Return the permissions that only the server has in the policies of the program, in order."""
    ours, theirs = [*map(_plain, wanted or ())], [*map(_plain, served or ())]  # type: ignore[call-overload]
    added: set[str] = set()
    for one, other in _pairs(ours, theirs):
        added |= {*map(str, _list(theirs[other], "permissions"))} - {*map(str, _list(ours[one], "permissions"))}
    return sorted(added)


def without_empty_tags(policy: WireDict) -> WireDict:
    """Return a policy without empty tags, which servers return if there are none."""
    return {name: value for name, value in policy.items() if name != "tags" or value}


def _pairs(ours: Policies, theirs: Policies) -> Iterator[tuple[int, int]]:
    """Yield the places of policies of equal effect and resources, the most similar ones first."""
    similar = [
        (_similarity(one, other), -number, -index)
        for number, one in enumerate(ours)
        for index, other in enumerate(theirs)
        if _place(one)[:2] == _place(other)[:2]
    ]
    left, right = {*range(len(ours))}, {*range(len(theirs))}
    for _, number, index in sorted(similar, reverse=True):
        if -number in left and -index in right:
            left.remove(-number)
            right.remove(-index)
            yield -number, -index


def _similarity(one: WireDict, other: WireDict) -> tuple[bool, int, int]:
    permissions, shown = as_set(_list(one, "permissions")), as_set(_list(other, "permissions"))
    assert isinstance(permissions, frozenset)  # noqa: S101
    assert isinstance(shown, frozenset)  # noqa: S101
    return _tags(one) == _tags(other), len(permissions & shown), -len(shown - permissions)


def _common(one: WireDict, other: WireDict) -> WireDict:
    """Return a server's policy with the permissions of the program's that it has, and without empty tags."""
    shown = _list(other, "permissions")
    return without_empty_tags({**other, "permissions": [each for each in _list(one, "permissions") if each in shown]})


def _place(policy: WireDict) -> tuple[Any, ...]:
    """Return what identifies a policy besides its permissions."""
    return policy.get("allowDeny"), as_set(_list(policy, "resources")), _tags(policy)


def _tags(policy: WireDict) -> object:
    """Return the tags; the grants are statements in the order in which they are carried out."""
    tags = policy.get("tags")
    tags = tags if isinstance(tags, Mapping) else {}
    return tuple(map(str, _list(tags, "grants"))), tags.get("roleV2")


def _list(policy: Mapping[str, object], name: str) -> list[Any]:
    value = policy.get(name)
    return value if isinstance(value, list) else []


def _plain(policy: object) -> WireDict:
    value = plain(policy)
    return value if isinstance(value, dict) else {"allowDeny": str(value)}
