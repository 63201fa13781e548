"""Memos of an observability server."""

from __future__ import annotations

from pulumi_clouddb.client.operation import observability
from pulumi_clouddb.client.replaced import ReplacedCollection
from pulumi_clouddb.schema.thing import body_of

from .memo import Memo


class Memos(ReplacedCollection[Memo]):
    """The memos of one server."""

    model = Memo
    body = body_of(Memo)
    id_part = "memo_id"

    LIST = observability("list_memos", "GET", "/memos", "Memo", "list the memos")
    CREATE = observability("create_memo", "POST", "/memos", "Memo", "create the memo")
    GET = observability("get_memo", "GET", "/memos/{memoId}", "Memo", "read the memo")
    UPDATE = observability("update_memo", "PUT", "/memos/{memoId}", "Memo", "update the memo")
    DELETE = observability("delete_memo", "DELETE", "/memos/{memoId}", "None", "delete the memo")
