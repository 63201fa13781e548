"""Connections of a self-hosted observability server; their passwords are only ever written."""

from __future__ import annotations

from pulumi_clouddb.resource.functions import Function, listing
from pulumi_clouddb.resource.observability import ObservabilityResource
from pulumi_clouddb.sources.api import Sources

from .api import Connections
from .connection import CONNECTION, LIST_CONNECTIONS, Connection


class ConnectionResource(ObservabilityResource[Connection, Connection]):
    """A connection of a self-hosted server."""

    type = CONNECTION
    collection = Connections
    users = (("source", Sources),)
    functions = (
        Function(LIST_CONNECTIONS, lambda api, args: listing(LIST_CONNECTIONS, api.of(Connections), args.name)),
    )
