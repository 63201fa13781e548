"""What surrounds every answer."""

from __future__ import annotations

from typing import Any

from typing_extensions import Required, TypedDict

from .notation import Uuid


class Managed(TypedDict, total=False):
    """Around the answers of the cloud; without a result where there is nothing to tell."""

    status: float
    requestId: Uuid
    result: Any


class ManagedPage(Managed, total=False):
    """Around one page of a list; the cursor is null on the last page, and the count if it is not known."""

    limit: int
    totalCount: int | None
    nextCursor: str | None


class Failure(TypedDict, total=False):
    """What the cloud answers to a request that it refuses."""

    status: float
    requestId: Uuid
    error: str


class Page(TypedDict, total=False):
    """Which part of a list an answer is; connections tell of those that they have left out."""

    total: int
    limit: int
    offset: int
    skipped: int
    skippedIds: list[str]


class SelfHosted(TypedDict, total=False):
    """Around the answers of the self-hosted server; nothing at all around that of a judgement or a deletion."""

    data: Any
    meta: Page


class SelfHostedFailure(TypedDict, total=False):
    """What the self-hosted server answers to a request that it refuses."""

    message: Required[str]
