"""Memos of an observability server."""

from __future__ import annotations

from pulumi_clouddb.resource.functions import get_one
from pulumi_clouddb.resource.observability import ObservabilityResource

from .api import Memos
from .memo import MEMO, Memo


class MemoResource(ObservabilityResource[Memo]):
    """A memo of a managed or self-hosted server."""

    type = MEMO
    collection = Memos
    functions = (get_one(MEMO, Memos),)
