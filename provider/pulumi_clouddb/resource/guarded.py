"""Databases: none is replaced or deleted by accident."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.values import WireValues, contains_unknown
from pulumi_clouddb.schema.view import known_or

from .base import DiffResult


class Guarded(Protocol):
    """The arguments of a database, with the options that say what may happen to it."""

    name: str | None
    allow_duplicate_name: bool | None
    allow_replacement: bool | None
    deletion_protection: bool | None


def guarded(
    type_: ResourceType, result: DiffResult, old: WireValues, new: WireValues, before: Guarded, wanted: Guarded
) -> DiffResult:
    """Return a comparison that replaces a database only where that is allowed; what is taken out replaces nothing.

    Args:
        type_: The type of the database.
        result: The comparison of its properties.
        old: State.
        new: Checked inputs.
        before: What the program said, or a view of it.
        wanted: A view of the checked inputs.

    Raises:
        ResourceError: A field that cannot change in place changes, and `allowReplacement` is not set.
    """
    fixed = tuple(name for name in result.replaces if name in new)
    known = tuple(name for name in fixed if not contains_unknown(new[name]))
    allowed = known_or(True, lambda: wanted.allow_replacement)
    if known and not allowed:
        raise replacement_refused(type_, before.name, old, new, known)
    if fixed and allowed and before.deletion_protection:
        raise ResourceError(
            f"changing {', '.join(fixed)} would delete {type_.words} {before.name!r}, which is protected",
            "Set deletionProtection to false and run `pulumi up` once before this change.",
        )
    unique = known_or(False, lambda: not wanted.allow_duplicate_name)
    first = result.delete_before_replace and unique and not before.deletion_protection
    return replace(result, replaces=fixed if allowed else (), delete_before_replace=first)


def refuse_protected(wanted: Guarded, what: str) -> None:
    """Refuse to delete a database that is protected.

    Raises:
        ResourceError: It is.
    """
    if wanted.deletion_protection:
        raise ResourceError(
            f"{what} is not deleted: deletionProtection is set",
            "Set deletionProtection to false, run `pulumi up`, then delete it.",
        )


def replacement_refused(
    type_: ResourceType, name: str | None, old: WireValues, new: WireValues, names: tuple[str, ...]
) -> ResourceError:
    """Return the error of a change that would need another database."""
    changes = ", ".join(
        each if each in type_.secrets else f"{each} ({old.get(each)!r} to {new.get(each)!r})" for each in names
    )
    return ResourceError(
        f"{type_.words} {name!r} cannot change {changes} in place: that would delete this database",
        f"Put it back, or set allowReplacement to true to delete the {type_.words} and create another, without its "
        "data.",
    )
