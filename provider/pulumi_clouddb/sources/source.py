"""Data sources: tables of logs, traces, metrics and sessions, and how they are read."""

from __future__ import annotations

from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import create_model

from pulumi_clouddb.schema.base import Flag, NoRecord, Number, Record, Text, marks_of, prop
from pulumi_clouddb.schema.convert import RecordT
from pulumi_clouddb.schema.observability import ListArgs, ObservabilityArgs
from pulumi_clouddb.schema.resource_type import FunctionType, ResourceType
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .fields import SourceFields
from .rules import RULES


class SourceBody(SourceFields):
    """The body of *Create source*."""

    RULES = RULES


class SourceArgs(ObservabilityArgs, SourceBody):
    """What a program may say about a data source."""


def _answered(annotation: Any) -> Any:
    """Return the form in which a server may answer a value of a request's type: without limits, objects as they are."""
    kind, arguments = get_origin(annotation) or annotation, get_args(annotation)
    if kind in (Annotated, Union, UnionType):  # None comes last
        return _answered(arguments[0])
    if kind is list:
        return list[_answered(arguments[0])]  # type: ignore[misc]
    if issubclass(kind, str):  # so are the enums
        return Text
    if issubclass(kind, bool):
        return Flag
    return Number if issubclass(kind, (int, float)) else WireDict


def _with_fields(record: type[RecordT]) -> type[RecordT]:
    """Return a record with the fields of a request, in the same words; code that reads one has to declare it."""
    fields: WireDict = {
        attribute: (_answered(info.annotation) | None, prop(marks_of(SourceFields, attribute)["words"]))
        for attribute, info in SourceFields.model_fields.items()
    }
    return create_model(record.__name__, __base__=record, __module__=__name__, __doc__=record.__doc__, **fields)


@_with_fields
class SourceResponse(Record):
    """A data source as the server answers it: in the interface an open record with an id and a name."""

    id: Text | None = prop("Id of the source; series name it as `sourceId`.")


class SourceState(SourceArgs, SourceResponse):
    """What Pulumi keeps of a data source: the inputs as given, and what the server made of them."""


SOURCE = ResourceType(
    name="Source",
    description="A table of logs, traces, metrics or sessions, and how it is read.",
    inputs=SourceArgs,
    record=SourceResponse,
    own=NoRecord,
    state=SourceState,
    required_outputs=("name", "kind", "connection"),
    state_inputs=("serviceId",),
    only=CLICKHOUSE,
)


class ListSourcesArgs(ListArgs):
    """Arguments of listSources."""

    name: Text | None = prop("Only sources of exactly this name, or the one of this id.")


class SourceList(Record):
    """Answer of listSources."""

    sources: list[WireDict] = prop(
        "The sources, each with all the fields the server reports (`id`, `name` …).", required=True
    )


LIST_SOURCES = FunctionType("listSources", "Lists the data sources of a stack.", ListSourcesArgs, SourceList)
