"""Data sources: tables of logs, traces, metrics and sessions, and how they are read."""

from __future__ import annotations

from pulumi_clouddb.schema.base import Text
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import answered
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .fields import SourceFields
from .rules import RULES


class Source(SourceFields):
    """A data source (openapi: `Source`, `ClickStackSource`); in the interface an open record with an id and a name."""

    RULES = RULES

    id: Text | None = answered("Id of the source; series name it as `sourceId`.")


SOURCE = ResourceType.of(
    Source,
    "A table of logs, traces, metrics or sessions, and how it is read.",
    required_outputs=("name", "kind", "connection"),
    state_inputs=("serviceId",),
    only=CLICKHOUSE,
)
