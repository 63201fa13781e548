"""The envelopes of responses."""

from __future__ import annotations

from typing import Any

from typing_extensions import Required, TypedDict

from .notation import Uuid


class Managed(TypedDict, total=False):
    """The envelope of the cloud's responses; without `result` if the operation returns nothing."""

    status: float
    requestId: Uuid
    result: Any


class ManagedPage(Managed, total=False):
    """The envelope of one page of a list; the cursor is null on the last page, and the count if it is unknown."""

    limit: int
    totalCount: int | None
    nextCursor: str | None


class Failure(TypedDict, total=False):
    """The cloud's response to a request that it rejects."""

    status: float
    requestId: Uuid
    error: str


class Page(TypedDict, total=False):
    """The position of a page in a list; the list of connections also has the ids that it omits."""

    total: int
    limit: int
    offset: int
    skipped: int
    skippedIds: list[str]


class SelfHosted(TypedDict, total=False):
    """The envelope of the self-hosted server's responses; a validation or deletion has none."""

    data: Any
    meta: Page


class SelfHostedFailure(TypedDict, total=False):
    """The self-hosted server's response to a request that it rejects."""

    message: Required[str]
