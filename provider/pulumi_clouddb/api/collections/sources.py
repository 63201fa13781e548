"""Data sources of an observability server."""

from __future__ import annotations

from pulumi_clouddb.api.collection import Collection
from pulumi_clouddb.api.operation import observability
from pulumi_clouddb.models.source import SourceResponse


class Sources(Collection[SourceResponse]):
    """The data sources of one server."""

    model = SourceResponse
    id_part = "source_id"

    LIST = observability("list_sources", "GET", "/sources", "Source", "list the data sources")
