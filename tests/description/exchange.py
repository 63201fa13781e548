"""The operations of the vendor, as its description has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Exchange:
    """The request and the response of an operation.

    Attributes:
        request: The type of the body; None without one.
        response: The type of the result; None without one.
        status: The status of a success.
        per_page: The records on a full page of a list; None without pages.
    """

    request: Any = None
    response: Any = None
    status: int = 200
    per_page: int | None = None


def collection(
    one: str, several: str, create: Any, update: Any, record: Any, per_page: int | None = None
) -> dict[str, Exchange]:
    """Return the five operations of a collection, by name."""
    return {
        f"list_{several}": Exchange(response=list[record], per_page=per_page),
        f"create_{one}": Exchange(create, record),
        f"get_{one}": Exchange(response=record),
        f"update_{one}": Exchange(update, record),
        f"delete_{one}": Exchange(),
    }


def both_forms(exchanges: Mapping[str, Exchange]) -> dict[str, Exchange]:
    """Return operations with those of self-hosted servers, which have the same types."""
    return {f"{form}{name}": each for name, each in exchanges.items() for form in ("", "self_hosted_")}
