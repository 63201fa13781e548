"""Data sources of an observability server."""

from __future__ import annotations

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.operation import observability
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .source import Source

PATH = "/sources"
ONE = PATH + "/{sourceId}"


class Sources(Collection[Source]):
    """The data sources of one server; the interface only lists them."""

    model = Source
    body = body_of(Source)
    id_part = "source_id"

    LIST = observability("list_sources", "GET", PATH, "Source", "list the data sources")
    CREATE = observability("create_source", "POST", PATH, "Source", "create the data source", only=CLICKHOUSE)
    GET = observability("get_source", "GET", ONE, "Source", "read the data source", only=CLICKHOUSE)
    UPDATE = observability("update_source", "PUT", ONE, "Source", "update the data source", only=CLICKHOUSE)
    DELETE = observability("delete_source", "DELETE", ONE, "None", "delete the data source", only=CLICKHOUSE)
