"""The collections of one configuration."""

from __future__ import annotations

from typing import Any, TypeVar

from .client import Client
from .collection import Collection, Connection

CollectionT = TypeVar("CollectionT", bound=Collection[Any])


class Api:
    """Everything that the servers of one configuration hold.

    Args:
        client: Sends requests.

    Attributes:
        lists: The lists that were read, of all collections.
    """

    def __init__(self, client: Client) -> None:
        self._connection = Connection(client)
        self.lists = self._connection.lists

    def of(self, collection: type[CollectionT], service_id: str | None = None) -> CollectionT:
        """Return a collection: of the organization, of a service, or, without one, of the self-hosted server."""
        return collection(self._connection, service_id)
