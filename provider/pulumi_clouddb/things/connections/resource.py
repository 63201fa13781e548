"""Connections of a self-hosted observability server; no server returns their passwords."""

from __future__ import annotations

from pulumi_clouddb.resource.functions import list_all
from pulumi_clouddb.resource.observability import ObservabilityResource
from pulumi_clouddb.things.sources.api import Sources

from .api import Connections
from .connection import CONNECTION, Connection


class ConnectionResource(ObservabilityResource[Connection]):
    """A connection of a self-hosted server."""

    type = CONNECTION
    collection = Connections
    users = (("source", Sources),)
    functions = (list_all(CONNECTION, Connections, by_name=True),)
