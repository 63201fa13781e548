"""Examples of memos."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import Example, Examples

EXAMPLES: Examples = {
    "Memo": (Example("Keep a memo", [Step("memo", "Memo", {"name": "Todo", "text": "Write it down."})]),),
    "getMemo": (Example("Read a memo", [Step("memo", "getMemo", {"memoId": "memo-1"})], {"title": Ref("memo.name")}),),
}
