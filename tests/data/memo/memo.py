"""Memos: a resource that only `test_declaration` declares."""

from __future__ import annotations

from pulumi_clouddb.schema.base import FilledText, Model, Record, Text, prop
from pulumi_clouddb.schema.observability import ObservabilityArgs
from pulumi_clouddb.schema.resource_type import FunctionType, ResourceType


class MemoBody(Model):
    """The body of *Create memo*, field by field."""

    name: FilledText | None = prop("Title of the memo.", required=True, max_length=20)
    text: Text | None = prop("What it says.")


class MemoArgs(ObservabilityArgs, MemoBody):
    """What a program may say about a memo."""


class MemoResponse(Record):
    """The memo as the server answers it."""

    id: Text | None = prop("Id of the memo.")
    name: Text | None = prop("Title of the memo.")
    text: Text | None = prop("What it says.")
    created_at: Text | None = prop("When it was created (ISO-8601).")


class MemoOwn(Record):
    """What this provider adds to the state of a memo: nothing."""


class MemoState(MemoArgs, MemoResponse):
    """What Pulumi keeps of a memo."""


MEMO = ResourceType(
    name="Memo",
    description="A memo.",
    inputs=MemoArgs,
    record=MemoResponse,
    own=MemoOwn,
    state=MemoState,
    required_outputs=("name",),
    state_inputs=("serviceId",),
)


class GetMemoArgs(Model):
    """Arguments of getMemo."""

    memo_id: FilledText = prop("Id of the memo.", required=True)


GET_MEMO = FunctionType("getMemo", "Reads one memo by its id.", GetMemoArgs, MemoResponse)
