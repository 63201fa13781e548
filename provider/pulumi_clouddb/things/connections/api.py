"""Connections of a self-hosted observability server."""

from __future__ import annotations

from pulumi_clouddb.client.operation import self_hosted
from pulumi_clouddb.client.replaced import ReplacedCollection
from pulumi_clouddb.schema.thing import body_of

from .connection import Connection

PATH = "/connections"
ONE = PATH + "/{connectionId}"


class Connections(ReplacedCollection[Connection]):
    """The connections of the self-hosted server."""

    model = Connection
    body = body_of(Connection)
    id_part = "connection_id"

    LIST = self_hosted("list_connections", "GET", PATH, "Connection", "list the connections")
    CREATE = self_hosted("create_connection", "POST", PATH, "Connection", "create the connection")
    GET = self_hosted("get_connection", "GET", ONE, "Connection", "read the connection")
    UPDATE = self_hosted("update_connection", "PUT", ONE, "Connection", "update the connection")
    DELETE = self_hosted("delete_connection", "DELETE", ONE, "None", "delete the connection")
