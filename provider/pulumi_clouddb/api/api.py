"""The collections of one configuration."""

from __future__ import annotations

from .alerts import Alerts
from .client import Client
from .collection import Connection
from .dashboards import Dashboards
from .keys import Keys
from .pipes import Pipes
from .services import Services
from .sources import Sources


class Api:
    """Everything that the servers of one configuration hold.

    Args:
        client: Sends requests.

    Attributes:
        lists: What was listed, for all collections.
        services: The services of the organization.
        keys: The API keys of the organization.
    """

    def __init__(self, client: Client) -> None:
        self._connection = Connection(client)
        self.lists = self._connection.lists
        self.services = Services(self._connection)
        self.keys = Keys(self._connection)

    def pipes(self, service_id: str) -> Pipes:
        """Return the pipes of a service."""
        return Pipes(self._connection, service_id)

    def dashboards(self, service_id: str | None) -> Dashboards:
        """Return the dashboards of a service's server, or of the self-hosted one."""
        return Dashboards(self._connection, service_id)

    def alerts(self, service_id: str | None) -> Alerts:
        """Return the alerts of a service's server, or of the self-hosted one."""
        return Alerts(self._connection, service_id)

    def sources(self, service_id: str | None) -> Sources:
        """Return the data sources of a service's server, or of the self-hosted one."""
        return Sources(self._connection, service_id)
