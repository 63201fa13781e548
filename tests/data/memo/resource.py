"""Memos of an observability server."""

from __future__ import annotations

from pulumi_clouddb.client.collections.memos import Memos
from pulumi_clouddb.schema.memo import GET_MEMO, MEMO, MemoArgs, MemoOwn, MemoResponse

from pulumi_clouddb.schema.convert import to_wire

from .functions import Function
from .observability import ObservabilityResource


class MemoResource(ObservabilityResource[MemoArgs, MemoResponse, MemoOwn]):
    """A memo of a managed or self-hosted server."""

    type = MEMO
    collection = Memos
    functions = (Function(GET_MEMO, lambda api, args: to_wire(api.of(Memos).get(args.memo_id))),)
