"""Memos: a resource for `test_declaration`."""

from __future__ import annotations

from pulumi_clouddb.schema.base import FilledText, Text, prop
from pulumi_clouddb.schema.observability import OnStack
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import answered


class Memo(OnStack):
    """A memo."""

    id: Text | None = answered("Id of the memo.")
    name: FilledText | None = prop("Title of the memo.", required=True, max_length=20)
    text: Text | None = prop("Text of the memo.")
    created_at: Text | None = answered("When it was created (ISO-8601).")


MEMO = ResourceType(Memo, "A memo.", required_outputs=("name",), state_inputs=("serviceId",))
