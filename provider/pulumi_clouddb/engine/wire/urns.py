"""URNs of the form `urn:pulumi:STACK::PROJECT::PARENT_TYPE$TYPE::NAME` (sdk/go/common/resource/urn).

`pulumi.create_urn` of 3.272 adds the type of the stack if that is the parent, and splits the name of a parent at its
last `::` instead of the first.
"""

from __future__ import annotations

from typing import Final

ROOT_TYPE: Final = "pulumi:pulumi:Stack"
PROVIDERS: Final = "pulumi:providers:"
"""The prefix of the types of provider resources."""


def create(stack: str, project: str, parent: str, type_: str, name: str) -> str:
    """Compose a URN; the types of all parents but the stack come before the type."""
    prefix = qualified_type(parent) if parent else ROOT_TYPE
    full = type_ if prefix == ROOT_TYPE else f"{prefix}${type_}"
    return f"urn:pulumi:{stack}::{project}::{full}::{name}"


def qualified_type(urn: str) -> str:
    """Return the type with the types of its parents."""
    return urn.split("::", 3)[2]


def plain_type(urn: str) -> str:
    """Return the type without the types of its parents."""
    return qualified_type(urn).rpartition("$")[2]


def name(urn: str) -> str:
    """Return the resource's name."""
    return urn.split("::", 3)[3]
