"""Lists the objects on the configured servers, with one request for each list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.errors import (
    ApiError,
    ClientError,
    ConfigError,
    ListNotFoundError,
    NotFoundError,
    UnauthorizedError,
    UnsupportedOperationError,
)
from pulumi_clouddb.client.needed import finds_organization
from pulumi_clouddb.client.operation import OBSERVABILITY, ServerKind
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.base import Record
from pulumi_clouddb.schema.names import NAME
from pulumi_clouddb.schema.values import WireValues
from pulumi_clouddb.things.api_keys.api import Keys
from pulumi_clouddb.things.api_keys.api_key import ApiKey
from pulumi_clouddb.things.pipes.pipe import Pipe
from pulumi_clouddb.things.pipes.scaling import PIPE_SCALING
from pulumi_clouddb.things.services.api import Services
from pulumi_clouddb.things.sources.source import links_apart
from pulumi_clouddb.things.sources.source_links import SOURCE_LINKS
from pulumi_clouddb.things.user_defined_functions.attachment import FUNCTION_NAME

from .choice import Choice, Item, tags_of

Progress = Callable[[str, int, int], None]
"""Called with the current task, the number of finished tasks, and the number of all tasks."""

OF_ONE_LIST = (UnsupportedOperationError, ClientError, NotFoundError)
"""Errors that affect one list only."""

FORBIDDEN = 403


@dataclass(frozen=True)
class Note:
    """An object or a list that is not in the export, or another deviation.

    Attributes:
        what: The kind of object.
        which: The object, or the place of the list; notes with the same reason are shown together.
        reason: The reason, as the end of a sentence.
    """

    what: str
    which: str
    reason: str


@dataclass(frozen=True)
class Listing:
    """One list to request.

    Attributes:
        kind: The Pulumi name of the resource.
        service_id: The service whose objects it has, or None.
        place: Whose objects it has, for messages.
    """

    kind: str
    service_id: str | None
    place: str


def inventory(session: Session, choice: Choice, notes: list[Note], progress: Progress) -> Iterator[Item]:
    """Yield the chosen objects, in the order of the servers' lists.

    Objects are yielded before the next list is requested, so that a read of them can still use the list.

    Args:
        session: The servers.
        choice: The user's choice.
        notes: Collects the omitted objects, and the lists that cannot be read.
        progress: Called with the current list.

    Raises:
        ConfigError: No server is configured.
        ApiError: A server could not be reached, rejects the credentials, or failed.
    """
    managed, hosted = configured(session)
    if not managed and not hosted:
        raise ConfigError(f"there is no server to export from: {NOT_CONFIGURED}")
    lists = list(listings(session, choice, notes, managed=managed, hosted=hosted))
    without_server: set[str | None] = set()
    count = 0
    for number, each in enumerate(lists):
        progress(f"{each.kind} of {each.place}", number, len(lists))
        if choice.objects is not None and count == len(choice.objects):
            return
        if each.service_id in without_server and is_observability(each.kind):
            continue
        try:
            items = _items(session, choice, each, notes)
        except ApiError as error:
            if isinstance(error, ListNotFoundError) and each.service_id and is_observability(each.kind):
                notes.append(Note("Service", each.place, NO_SERVER))
                without_server.add(each.service_id)
            else:
                notes.append(unlisted(each, error))
            continue
        count += len(items)
        yield from items


NO_SERVER = "its observability server does not list objects: it does not exist, or is stopped"


NOT_CONFIGURED = (
    "neither clouddb:organizationId with clouddb:keyId, nor clouddb:stackUrl is set\nSet them in the environment "
    "(CLOUDDB_ORGANIZATION_ID …), or choose a stack that has them with --stack."
)


def configured(session: Session) -> tuple[bool, bool]:
    """Return whether the organization, and whether a self-hosted server is configured."""
    config = session.config
    managed = bool(config.key_id and (config.organization_id or finds_organization(config)))
    return managed, bool(config.stack_url)


def listings(session: Session, choice: Choice, notes: list[Note], *, managed: bool, hosted: bool) -> Iterator[Listing]:
    """Yield the lists to request: those of the organization, of each service, and of the self-hosted server."""
    vocabulary = session.rules.vocabulary
    kinds = [
        kind
        for kind, resource in RESOURCES.items()
        if choice.takes_kind(kind) and resource.type.only in (None, vocabulary)
    ]
    if managed:
        if PIPE_SCALING.name in kinds and not choice.names_kind(PIPE_SCALING.name):
            kinds.remove(PIPE_SCALING.name)
            notes.append(Note(PIPE_SCALING.name, "of all services", NOT_CHOSEN))
        yield from _managed_listings(session, choice, notes, kinds)
    if hosted:
        for kind in kinds:
            if RESOURCES[kind].collection.LIST.self_hosted.server_kind == ServerKind.SELF_HOSTED:
                yield Listing(kind, None, "the self-hosted server")


def _managed_listings(session: Session, choice: Choice, notes: list[Note], kinds: Sequence[str]) -> Iterator[Listing]:
    of_services = [kind for kind in kinds if RESOURCES[kind].collection.LIST.managed.is_of_service]
    for kind in kinds:
        forms = RESOURCES[kind].collection.LIST
        if kind not in of_services and forms.managed.server_kind == ServerKind.MANAGEMENT:
            yield Listing(kind, None, "the organization")
    for service_id, name in _services(session, notes) if of_services else ():
        for kind in of_services:
            if choice.takes_service(kind, service_id):
                yield Listing(kind, service_id, name)


def _services(session: Session, notes: list[Note]) -> list[tuple[str, str]]:
    """Return id and name of each service."""
    services = session.api.of(Services)
    listing = Listing("Service", None, "the organization")
    try:
        records = services.records()
    except ApiError as error:
        notes.append(unlisted(listing, error))
        return []
    return [(own_id, each.name or own_id) for own_id, each in (records or {}).items() if services.exists(each)]


def is_observability(kind: str) -> bool:
    """Return whether the objects of a kind are on an observability server."""
    return RESOURCES[kind].collection.LIST.managed.path.startswith(OBSERVABILITY)


def unlisted(listing: Listing, error: ApiError) -> Note:
    """Return why a list could not be read; raise an error that affects all lists."""
    forbidden = isinstance(error, UnauthorizedError) and error.status == FORBIDDEN
    if not forbidden and not isinstance(error, OF_ONE_LIST):
        raise error
    message = f"{error.status} {error.message}" if error.status else error.message
    return Note(listing.kind, f"of {listing.place}", f"not listed: could not {error.operation.action}: {message}")


def _items(session: Session, choice: Choice, listing: Listing, notes: list[Note]) -> list[Item]:
    collection = session.api.of(RESOURCES[listing.kind].collection, listing.service_id)
    records = collection.records()
    if records is None:
        notes.append(not_offered(listing))
        return []
    items = []
    for record in records.values():
        if not collection.exists(record) or not collection.can_be_managed(record):
            continue
        item = item_of(collection, listing, record)
        wish = choice.wish(item)
        if not choice.takes(item) or wish is None or not _has_scaling(record):
            continue
        if listing.kind == SOURCE_LINKS.name and not links_apart(record, records):
            continue  # the Source has all its links
        if isinstance(collection, Keys) and not choice.names_id(item) and _is_in_use(session, record):
            notes.append(Note("ApiKey", item.shown, IN_USE))
            continue
        if owner := choice.owner(item):
            notes.append(Note(item.kind, item.shown, OWNED.format(stack=owner.origin)))
            continue
        items.append(replace(item, wish=wish, shared=choice.shared_of(item)))
    return items


def not_offered(listing: Listing) -> Note:
    """Return that a server does not offer a list."""
    return Note(listing.kind, f"of {listing.place}", "the server does not list them")


NOT_CHOSEN = "omitted: every pipe has a scaling, even if nobody has set it; --kind PipeScaling exports them"

IN_USE = (
    "omitted: it may be the key of this command, and a program that disables its own key locks itself out; "
    "--id exports it"
)

OWNED = "omitted: stack {stack} manages it, and each of two owners would revert the other; --id exports it"


NAMES = (NAME, FUNCTION_NAME)
"""The fields with the name that an object has on its server."""


def item_of(collection: Collection[Record], listing: Listing, record: Record) -> Item:
    """Return the object of a record."""
    own_id = collection.id_of(record)
    within = listing.service_id and listing.service_id != own_id
    object_id = f"{listing.service_id}/{own_id}" if within else own_id
    name = next((record.answer[each] for each in NAMES if each in record.answer), collection.name_of(record))
    return Item(
        listing.kind, object_id, listing.service_id, name if isinstance(name, str) else "", tags_of(record.answer)
    )


def _has_scaling(record: Record) -> bool:
    """Return whether an object has a scaling, if it is a pipe."""
    if not isinstance(record, Pipe):
        return True
    answer: WireValues = record.answer.get("scaling") or {}
    return any(value is not None for value in answer.values())


def _is_in_use(session: Session, record: Record) -> bool:
    """Return whether a key may be the configured one; servers return only the last characters of its id."""
    suffix = record.key_suffix if isinstance(record, ApiKey) else None
    return bool(suffix) and str(session.config.key_id).endswith(str(suffix))


def by_reason(notes: Iterable[Note]) -> dict[tuple[str, str], list[str]]:
    """Return the objects of each kind and reason, in order."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for note in notes:
        grouped.setdefault((note.what, note.reason), []).append(note.which)
    return grouped
