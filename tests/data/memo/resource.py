"""Memos of an observability server."""

from __future__ import annotations

from pulumi_clouddb.resource.functions import Function
from pulumi_clouddb.resource.observability import ObservabilityResource
from pulumi_clouddb.schema.convert import to_wire

from .api import Memos
from .memo import GET_MEMO, MEMO, Memo


class MemoResource(ObservabilityResource[Memo, Memo]):
    """A memo of a managed or self-hosted server."""

    type = MEMO
    collection = Memos
    functions = (Function(GET_MEMO, lambda api, args: to_wire(api.of(Memos).get(args.memo_id))),)
