"""What the servers of a configuration hold, from as few requests as there are lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from pulumi_clouddb.api.collection import Collection
from pulumi_clouddb.api.collections.keys import Keys
from pulumi_clouddb.api.collections.services import Services
from pulumi_clouddb.api.errors import (
    ApiError,
    ClientError,
    ConfigError,
    ListNotFoundError,
    NotFoundError,
    UnauthorizedError,
    UnsupportedOperationError,
)
from pulumi_clouddb.api.operation import OBSERVABILITY, ServerKind
from pulumi_clouddb.models.api_key import KeyResponse
from pulumi_clouddb.models.base import Record
from pulumi_clouddb.models.pipe import PipeResponse
from pulumi_clouddb.models.values import WireValues
from pulumi_clouddb.resources.registry import RESOURCES
from pulumi_clouddb.resources.session import Session

from .choice import Choice, Item, tags_of

Progress = Callable[[str, int, int], None]
"""Called with what is under way, how much of it is done, and how much there is."""

OF_ONE_LIST = (UnsupportedOperationError, ClientError, NotFoundError)
"""Errors of one list that say nothing about the others."""

FORBIDDEN = 403


@dataclass(frozen=True)
class Note:
    """Something that is not in the export, or not as one would expect.

    Attributes:
        what: The kind of object.
        which: The object, or where it would be; notes of one reason are shown together.
        reason: Why, as the end of a sentence.
    """

    what: str
    which: str
    reason: str


@dataclass
class Inventory:
    """The wanted objects, in the order of the servers' lists, and what of the servers could not be listed."""

    items: list[Item] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


@dataclass(frozen=True)
class _List:
    """One list to ask for."""

    kind: str
    service_id: str | None
    place: str


def take_inventory(session: Session, choice: Choice, progress: Progress) -> Inventory:
    """Return the wanted objects.

    Raises:
        ConfigError: The configuration names no server.
        ApiError: A server could not be reached, lets nobody in, or failed.
    """
    config = session.config
    managed, hosted = bool(config.key_id and config.organization_id), bool(config.stack_url)
    if not managed and not hosted:
        raise ConfigError(
            "there is no server to export from: neither clouddb:organizationId with clouddb:keyId, nor "
            "clouddb:stackUrl is set\nSet them in the environment (CLOUDDB_ORGANIZATION_ID …), or name a stack that "
            "has them with --stack."
        )
    inventory = Inventory()
    wanted = list(_lists(session, choice, inventory, managed=managed, hosted=hosted))
    lacking: set[str | None] = set()
    for number, each in enumerate(wanted):
        progress(f"listing {each.place}", number, len(wanted))
        if choice.objects is not None and len(inventory.items) == len(choice.objects):
            break
        if each.service_id in lacking and _is_observability(each.kind):
            continue
        try:
            inventory.items += _items(session, choice, each, inventory)
        except OF_ONE_LIST as error:
            if isinstance(error, ListNotFoundError) and each.service_id and _is_observability(each.kind):
                lacking.add(each.service_id)
                reason = "no list of its observability server: it has none, or is stopped"
                inventory.notes.append(Note("Service", each.place, reason))
            else:
                inventory.notes.append(_unlisted(each, error))
        except UnauthorizedError as error:
            if error.status != FORBIDDEN:
                raise
            inventory.notes.append(_unlisted(each, error))
    return inventory


def _lists(session: Session, choice: Choice, inventory: Inventory, *, managed: bool, hosted: bool) -> Iterator[_List]:
    """Yield the lists to ask for: those of the organization, of each service, and of the self-hosted server."""
    vocabulary = session.rules.vocabulary
    kinds = [
        kind
        for kind, resource in RESOURCES.items()
        if choice.takes_kind(kind) and resource.type.only in (None, vocabulary)
    ]
    of_services = [kind for kind in kinds if "{serviceId}" in RESOURCES[kind].collection.LIST.managed.path]
    if managed:
        for kind in kinds:
            forms = RESOURCES[kind].collection.LIST
            if kind not in of_services and forms.managed.server_kind == ServerKind.MANAGEMENT:
                yield _List(kind, None, "the organization")
        for service_id, name in _services(session, inventory) if of_services else ():
            for kind in of_services:
                if choice.takes_service(kind, service_id):
                    yield _List(kind, service_id, name)
    if hosted:
        for kind in kinds:
            if RESOURCES[kind].collection.LIST.self_hosted.server_kind == ServerKind.SELF_HOSTED:
                yield _List(kind, None, "the self-hosted server")


def _services(session: Session, inventory: Inventory) -> list[tuple[str, str]]:
    """Return id and name of each service."""
    services = session.api.of(Services)
    listing = _List("Service", None, "the organization")
    try:
        records = services.records()
    except OF_ONE_LIST as error:
        inventory.notes.append(_unlisted(listing, error))
        return []
    except UnauthorizedError as error:
        if error.status != FORBIDDEN:
            raise
        inventory.notes.append(_unlisted(listing, error))
        return []
    return [
        (services.id_of(each), each.name or services.id_of(each)) for each in records or () if services.exists(each)
    ]


def _is_observability(kind: str) -> bool:
    return RESOURCES[kind].collection.LIST.managed.path.startswith(OBSERVABILITY)


def _unlisted(listing: _List, error: ApiError) -> Note:
    return Note(listing.kind, listing.place, f"not listed: {str(error).partition(chr(10))[0]}")


def _items(session: Session, choice: Choice, listing: _List, inventory: Inventory) -> list[Item]:
    collection = session.api.of(RESOURCES[listing.kind].collection, listing.service_id)
    records = collection.records()
    if records is None:
        inventory.notes.append(Note(listing.kind, listing.place, "the server does not list them"))
        return []
    items = []
    for record in records:
        if not collection.exists(record):
            continue
        item = _item(collection, listing, record)
        wish = choice.wish(item)
        if not choice.takes(item) or wish is None or not _has_scaling(record):
            continue
        if isinstance(collection, Keys) and not choice.names_id(item) and _is_in_use(session, record):
            inventory.notes.append(
                Note(
                    "ApiKey",
                    f"{item.name!r} ({item.own_id})",
                    f"left out, {IN_USE}; --id {item.own_id} takes it all the same",
                )
            )
            continue
        items.append(replace(item, wish=wish))
    return items


IN_USE = "as it may be the key that this runs with: a program that disables its own key locks itself out"


def _item(collection: Collection[Record], listing: _List, record: Record) -> Item:
    own_id = collection.id_of(record)
    object_id = f"{listing.service_id}/{own_id}" if listing.service_id else own_id
    name = record.answer.get("name")
    return Item(
        listing.kind, object_id, listing.service_id, name if isinstance(name, str) else "", tags_of(record.answer)
    )


def _has_scaling(record: Record) -> bool:
    """Tell whether there is something to manage: of pipes, those with a scaling."""
    if not isinstance(record, PipeResponse):
        return True
    answer: WireValues = record.answer.get("scaling") or {}
    return any(value is not None for value in answer.values())


def _is_in_use(session: Session, record: Record) -> bool:
    """Tell whether a key may be the configured one; servers tell the last characters of its id only."""
    suffix = record.key_suffix if isinstance(record, KeyResponse) else None
    return bool(suffix) and str(session.config.key_id).endswith(str(suffix))


def by_reason(notes: Iterable[Note]) -> dict[tuple[str, str], list[str]]:
    """Return which objects each kind and reason is about, in order."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for note in notes:
        grouped.setdefault((note.what, note.reason), []).append(note.which)
    return grouped
