"""Connections of a self-hosted observability server; their passwords are only ever written."""

from __future__ import annotations

from pulumi_clouddb.api.collections.connections import Connections
from pulumi_clouddb.api.collections.sources import Sources
from pulumi_clouddb.models.base import NoRecord
from pulumi_clouddb.models.connection import CONNECTION, LIST_CONNECTIONS, ConnectionArgs, ConnectionResponse

from .functions import Function, listing
from .observability import ObservabilityResource


class ConnectionResource(ObservabilityResource[ConnectionArgs, ConnectionResponse, NoRecord]):
    """A connection of a self-hosted server."""

    type = CONNECTION
    collection = Connections
    users = (("source", Sources),)
    functions = (
        Function(LIST_CONNECTIONS, lambda api, args: listing(LIST_CONNECTIONS, api.of(Connections), args.name)),
    )
