"""The collections of one configuration."""

from __future__ import annotations

from typing import Any, TypeVar

from .client import Client
from .collection import Collection, Connection

CollectionT = TypeVar("CollectionT", bound=Collection[Any])


class Api:
    """The collections on the servers of one configuration.

    Args:
        client: Sends requests.

    Attributes:
        lists: The shared lists of all collections.
    """

    def __init__(self, client: Client) -> None:
        self._connection = Connection(client)
        self.lists = self._connection.lists

    def of(self, collection: type[CollectionT], service_id: str | None = None) -> CollectionT:
        """Return a collection of the organization, of a service, or without one of the self-hosted server."""
        return collection(self._connection, service_id)
