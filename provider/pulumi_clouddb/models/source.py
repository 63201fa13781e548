"""Data sources of the observability server; their fields are the server's business."""

from __future__ import annotations

from .base import Model, Record, Text, Uuid, prop
from .observability import MANAGED_FORM
from .resource_type import FunctionType
from .values import WireDict


class SourceResponse(Record):
    """A data source: an open record, of which only the id and the name are counted on."""

    id: Text | None = prop("Id of the source; series name it as `sourceId`.")
    name: Text | None = prop("Name of the source.")


class ListSourcesArgs(Model):
    """Arguments of listSources."""

    service_id: Uuid | None = prop(MANAGED_FORM)
    name: Text | None = prop("Only sources of exactly this name, or the one of this id.")


class SourceList(Record):
    """Answer of listSources."""

    sources: list[WireDict] = prop(
        "The sources, each with all the fields the server reports (`id`, `name` …).", required=True
    )


LIST_SOURCES = FunctionType("listSources", "Lists the data sources of a stack.", ListSourcesArgs, SourceList)
