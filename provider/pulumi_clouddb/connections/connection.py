"""Connections of an observability server to databases."""

from __future__ import annotations

from pulumi_clouddb.schema.base import FilledText, Flag, Model, NoRecord, Record, Text, prop
from pulumi_clouddb.schema.resource_type import FunctionType, ResourceType
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE


class ConnectionBody(Model):
    """The body of *Create connection* (openapi: `CreateConnectionRequest`)."""

    name: FilledText | None = prop("Name of the connection.", required=True)
    host: Text | None = prop("Address of the database's HTTP interface.", required=True)
    username: Text | None = prop("User of the database.", required=True)
    password: Text | None = prop(
        "Password of the user. Servers never answer it, so a change that somebody else makes is not seen. Taken out "
        "again, it stays.",
        secret=True,
    )
    hyperdx_setting_prefix: Text | None = prop(
        "Prefix of the settings that the database is sent. Taken out again, it is cleared.",
        pattern="^[a-zA-Z0-9_]+$",
        clears=None,
    )
    is_prometheus_endpoint: Flag | None = prop(
        "Whether `host` is a server with the API of Prometheus. Taken out again, it is cleared.",
        unset=False,
        clears=False,
    )


class ConnectionArgs(ConnectionBody):
    """What a program may say about a connection."""


class ConnectionResponse(Record):
    """The connection as the server answers it (openapi: `Connection`)."""

    id: Text | None = prop("Id of the connection.")
    name: Text | None = prop("Name of the connection.")
    host: Text | None = prop("Address of the database's HTTP interface.")
    username: Text | None = prop("User of the database.")
    hyperdx_setting_prefix: Text | None = prop("Prefix of the settings that the database is sent.")
    is_prometheus_endpoint: Flag | None = prop("Whether `host` is a server with the API of Prometheus.")
    created_at: Text | None = prop("When it was created (ISO-8601).")
    updated_at: Text | None = prop("When it was changed last (ISO-8601).")


class ConnectionState(ConnectionArgs, ConnectionResponse):
    """What Pulumi keeps of a connection: the inputs as given, and what the server made of them."""


CONNECTION = ResourceType(
    name="Connection",
    description="A connection of a self-hosted observability server to a database; data sources read through it. The "
    "stack of a service has one already.",
    inputs=ConnectionArgs,
    record=ConnectionResponse,
    own=NoRecord,
    state=ConnectionState,
    required_outputs=("name", "host", "username"),
    only=CLICKHOUSE,
)


class ListConnectionsArgs(Model):
    """Arguments of listConnections."""

    name: Text | None = prop("Only connections of exactly this name, or the one of this id.")


class ConnectionList(Record):
    """Answer of listConnections."""

    connections: list[ConnectionResponse] = prop("The connections, in the server's order.", required=True)


LIST_CONNECTIONS = FunctionType(
    "listConnections", "Lists the connections of a self-hosted server.", ListConnectionsArgs, ConnectionList
)
