"""The lists of the configured servers; those that cannot be read are noted, and the others are still searched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from clouddb_tools.commands.export.choice import Choice
from clouddb_tools.commands.export.inventory import (
    NO_SERVER,
    NOT_CONFIGURED,
    Listing,
    Note,
    configured,
    is_observability,
    listings,
    not_offered,
    unlisted,
)
from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.errors import ApiError, ListNotFoundError, first_line
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.base import Record

from .stacks import PARTS

SERVERS: Mapping[ServerKind, str] = {
    ServerKind.MANAGEMENT: "the organization",
    ServerKind.SELF_HOSTED: "the self-hosted server",
}


def searched_kinds(session: Session, given: frozenset[str]) -> frozenset[str]:
    """Return the kinds whose lists are searched, if users name some of them, or none for all.

    A part of an object is found as the whole, if the dialect has that.
    """
    offered = {name for name, each in RESOURCES.items() if each.type.only in (None, session.rules.vocabulary)}
    return frozenset(whole if (whole := PARTS.get(each)) in offered else each for each in given or offered)


class Servers:
    """The configured servers.

    Attributes:
        read: The lists that have been read.
        notes: The lists that could not be read.
    """

    def __init__(self, session: Session, choice: Choice) -> None:
        self._session, self._choice = session, choice
        self._failed: set[ServerKind] = set()
        self._without_server: set[str | None] = set()
        self.read: list[Listing] = []
        self.notes: list[Note] = []

    def lists(self) -> list[Listing]:
        """Return the lists of the chosen objects."""
        managed, hosted = configured(self._session)
        hosted = hosted and not self._choice.ids  # objects of a service are wanted
        if not managed and not hosted:
            fix = "pass --stack NAME to use the configuration of a stack"
            self.notes.append(Note("all objects", "of servers", f"{NOT_CONFIGURED.splitlines()[0]}: {fix}"))
        found: list[Listing] = []
        for kind, is_set in ((ServerKind.MANAGEMENT, managed), (ServerKind.SELF_HOSTED, hosted)):
            of_cloud = kind is ServerKind.MANAGEMENT
            try:
                found += listings(
                    self._session, self._choice, self.notes, managed=is_set and of_cloud, hosted=is_set and not of_cloud
                )
            except ApiError as error:
                self._fail(kind, error)
        return found

    def collection(self, listing: Listing) -> Collection[Record]:
        """Return the collection of a list."""
        return self._session.api.of(RESOURCES[listing.kind].collection, listing.service_id)

    def records(self, listing: Listing) -> Iterable[Record]:
        """Return the records of a list that exist; none if it cannot be read."""
        collection = self.collection(listing)
        of_service = listing.service_id if is_observability(listing.kind) else None
        if collection.list_operation.server_kind in self._failed or (of_service in self._without_server and of_service):
            return []
        try:
            records = collection.records()
        except ListNotFoundError as error:
            if of_service:
                self._without_server.add(of_service)
            self.notes.append(Note("Service", listing.place, NO_SERVER) if of_service else unlisted(listing, error))
            return []
        except ApiError as error:
            self._note(listing, collection.list_operation.server_kind, error)
            return []
        if records is None:
            self.notes.append(not_offered(listing))
            return []
        if listing not in self.read:
            self.read.append(listing)
        return [each for each in records.values() if collection.exists(each)]

    def _note(self, listing: Listing, server: ServerKind, error: ApiError) -> None:
        try:
            self.notes.append(unlisted(listing, error))
        except ApiError:
            self._fail(server, error)

    def _fail(self, server: ServerKind, error: ApiError) -> None:
        """Note that no list of a server can be read."""
        self._failed.add(server)
        self.notes.append(Note("all objects", f"of {SERVERS[server]}", f"not listed: {first_line(error)}"))
