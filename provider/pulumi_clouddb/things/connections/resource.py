"""Connections of a self-hosted observability server."""

from __future__ import annotations

from pulumi_clouddb.resource.functions import get_by_name, list_all
from pulumi_clouddb.resource.observability import ObservabilityResource
from pulumi_clouddb.things.sources.api import Sources

from .api import Connections
from .connection import CONNECTION, Connection


class ConnectionResource(ObservabilityResource[Connection]):
    """A connection of a self-hosted server."""

    type = CONNECTION
    collection = Connections
    users = (("source", Sources),)
    functions = (get_by_name(CONNECTION, Connections), list_all(CONNECTION, Connections, by_name=True))
