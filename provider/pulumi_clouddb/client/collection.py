"""The base of all collections: list, get, find, create, replace, delete, with lists that many callers share."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Any, ClassVar, Generic, TypeVar, cast

from pydantic.alias_generators import to_snake

from pulumi_clouddb.schema.base import Model, Record, wire_names
from pulumi_clouddb.schema.convert import parse
from pulumi_clouddb.schema.thing import Thing, inputs_of
from pulumi_clouddb.schema.values import WireDict, WireValues

from .client import Client, Query, Repeats
from .errors import (
    ApiError,
    ClientError,
    InvalidResponseError,
    ListNotFoundError,
    NotFoundError,
    UnsupportedOperationError,
)
from .list_cache import ListCache, ListKey
from .marks import Mark, TagMark, tagged_second
from .operation import READ_SERVICE, Forms, Operation
from .version import Version

RecordT = TypeVar("RecordT", bound=Record)
CollectionT = TypeVar("CollectionT", bound="Collection[Any]")
ResultT = TypeVar("ResultT")

UPDATED_AT = "updatedAt"
"""Servers report the time of an object's last update under one name, in one format."""

SHARED_LIST_SECONDS = 60.0
"""How old a shared list may be for a read; after a write of this process, an older list is not used."""


class Api:
    """The servers of one configuration: their collections, and the operations that they offer.

    Args:
        client: Sends requests.

    Attributes:
        lists: The shared lists of all collections.
        parsed: The records of the last response to each list request.
        repeats: Decides which refused writes are repeated; see `Client.call`.
        before_write: Called immediately before each write is sent; see `Client.call`.
        reads_alone: Whether no list replaces the read of an object, as lists may leave out fields.
        compares_versions: Whether the server compares the version in an update, by operation, as far as that is known.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.lists = ListCache(client.runtime)
        self.parsed: dict[ListKey, dict[str, Any]] = {}
        self.repeats: Repeats = lambda _: False
        self.before_write: Callable[[], None] | None = None
        self.reads_alone = False
        self.compares_versions: dict[str, bool] = {}
        self._offered: set[str] = set()
        self._not_offered: set[str] = set()
        self._older_forms: set[str] = set()

    def of(self, collection: type[CollectionT], parent: str | None = None) -> CollectionT:
        """Return a collection of the organization or of a parent, or without one of the self-hosted server."""
        return collection(self, parent)

    def repeating(self, repeats: Repeats) -> Api:
        """Return the same servers with another decision about refused writes."""
        view = copy.copy(self)
        view.repeats = repeats
        return view

    def calling(self, before_write: Callable[[], None]) -> Api:
        """Return the same servers with one more function that is called immediately before each write is sent."""
        view, earlier = copy.copy(self), self.before_write

        def both() -> None:
            if earlier is not None:
                earlier()
            before_write()

        view.before_write = both
        return view

    def alone(self) -> Api:
        """Return the same servers for the read of an object by itself; it fails if the server does not offer that."""
        view = copy.copy(self)
        view.reads_alone = True
        return view

    def if_offered(self, operation: Operation, request: Callable[[], ResultT]) -> ResultT | None:
        """Return the result of `request`, or None if the server does not offer `operation`, which is then remembered.

        A gateway's error page looks like an operation that is not offered. An operation that has worked once is
        offered; any other is tried twice.
        """
        if self.reads_alone:
            return request()
        if operation.name in self._not_offered:
            return None
        for _ in range(2):
            try:
                result = request()
                break
            except UnsupportedOperationError:
                if operation.name in self._offered:
                    raise
        else:
            self._not_offered.add(operation.name)
            return None
        self._offered.add(operation.name)
        return result

    def in_either_form(
        self, operation: Operation, newer: Callable[[], ResultT], older: Callable[[], ResultT]
    ) -> ResultT:
        """Return the result of the request in the form that the server accepts; that form is sent first from then on.

        Raises:
            ApiError: The server refused the form that it accepts, or both with 400; then it is the error of the first.
        """
        older_first = operation.name in self._older_forms
        first, second = (older, newer) if older_first else (newer, older)
        try:
            return first()
        except ClientError as error:
            if error.status != HTTPStatus.BAD_REQUEST:
                raise
            refusal = error
        try:
            result = second()
        except ClientError as error:
            if error.status != HTTPStatus.BAD_REQUEST:
                raise
            raise refusal from None
        remember = self._older_forms.discard if older_first else self._older_forms.add
        remember(operation.name)
        return result


class Collection(Generic[RecordT]):
    """The objects of one kind, of the organization, or of one service or function.

    Args:
        api: The servers.
        parent: The id of the service or function that they belong to; None for the organization or the self-hosted
            server.
    """

    model: ClassVar[type[Record]]
    identity: ClassVar[tuple[str, ...]] = ("id",)
    """The texts of a listed record that its id consists of."""
    id_part: ClassVar[str]
    """The placeholder of an object's id in paths."""
    created_part: ClassVar[str | None] = None
    """The field of a create's result that contains the record; None if the result is the record."""

    body: ClassVar[type[Model] | None] = None
    """The body of its create and update, if the server stores it as sent; the sandbox needs no more to serve it."""
    not_listed: ClassVar[tuple[str, ...]] = ()
    """Wire names of the fields that lists leave out. If programs set one of them, each object is read by its id."""
    unique_by: ClassVar[tuple[str, ...]] = ()
    """Wire names of the fields that identify an object of a list: servers refuse a second one with the same values."""
    source: ClassVar[str | None] = None
    """Where it is described or was seen that servers do as `unique_by` and `not_listed` state; docs/assumptions.md then
    has an assumption for each of the two. None if they have none, or if constants of the thing state it."""

    LIST: ClassVar[Forms]
    GET: ClassVar[Forms]
    """Reads one object; without it, `get` uses a new list."""
    CREATE: ClassVar[Forms]
    UPDATE: ClassVar[Forms]
    DELETE: ClassVar[Forms]

    def __init__(self, api: Api, parent: str | None = None) -> None:
        self.api = api
        self.parent = parent or None

    def form(self, forms: Forms) -> Operation:
        """Return the form of an operation: the managed one if the service is set, else the self-hosted one."""
        return forms.managed if self.parent else forms.self_hosted

    @property
    def list_operation(self) -> Operation:
        """The operation that lists the collection."""
        return self.form(self.LIST)

    @property
    def list_key(self) -> ListKey:
        """The key of the shared list."""
        return self.list_operation, self.parent

    def object_key(self, object_id: str) -> tuple[str, ...]:
        """Return what identifies an object of the server, for changes of it that wait for each other."""
        return self.plural(), self.parent or "", object_id

    def server_time(self) -> float | None:
        """Return the time of the server's clock; see `Client.server_time`."""
        return self.api.client.server_time(self.list_operation.server_kind)

    @classmethod
    def operations(cls) -> Iterator[Operation]:
        """Yield all operations, in order of declaration."""
        declared = [each for owner in cls.__mro__[::-1] for each in vars(owner).values() if isinstance(each, Forms)]
        yield from dict.fromkeys(operation for each in declared for operation in (each.managed, each.self_hosted))

    @classmethod
    def plural(cls) -> str:
        """Return the plural name of the objects in snake case, such as `dashboards`."""
        return to_snake(cls.__name__)

    @classmethod
    def lists_inputs(cls) -> bool:
        """Return whether lists contain every field that programs set, so that they show all drift."""
        return not cls.not_listed or {*cls.not_listed}.isdisjoint(wire_names(inputs_of(cast(type[Thing], cls.model))))

    def lacks_inputs(self, listed: RecordT) -> bool:
        """Return whether a listed record lacks fields that programs set, so that it must be read by its id."""
        return not self.lists_inputs()

    # -- reading -------------------------------------------------------------------------------------------------
    #
    # `list` and `get` always send a request. `records` and `find` use the list that all callers share; `current` uses
    # it for an update that replaces an object.

    def records(self, *, max_age: float = SHARED_LIST_SECONDS, allow_stale: bool = False) -> dict[str, RecordT] | None:
        """Return all records by id, or None if the server offers no such list.

        Args:
            max_age: How old a shared list may be, in seconds.
            allow_stale: Whether it may be older than the last write of this process. Objects that this process has
                created are in it, as they were sent and returned.

        Raises:
            ApiError: The list could not be read for any other reason.
        """
        lists = self.api.lists
        return self.api.if_offered(
            self.list_operation,
            lambda: lists.list(self.list_key, self.list, max_age=max_age, allow_stale=allow_stale),
        )

    def list(self) -> dict[str, RecordT]:
        """Request all records now and return them by id.

        Raises:
            InvalidResponseError: A record has no id, the list does not end, or it takes too long to parse.
            ApiError: The list could not be read.
        """
        records = identified(self.list_operation, self.call(self.LIST), self.identity)
        found = {self.id_of(each): each for each in self._parse_all(records)}
        self.api.parsed[self.list_key] = found
        return found

    def _parse_all(self, records: Sequence[WireValues]) -> Iterator[RecordT]:
        """Yield the parsed records; most are equal to those of the last list, as polls request it again and again."""
        client, last = self.api.client, self.api.parsed.get(self.list_key, {})
        started, limit = client.runtime.monotonic(), float(client.config.request_timeout_seconds)
        for record in records:
            if client.runtime.monotonic() - started > limit:
                operation, many = self.list_operation, f"returned {len(records)} records"
                raise InvalidResponseError(operation, operation.path, f"{many}, too many to read in {limit:g} s")
            same = last.get(str(record.get("id")))
            yield same if same is not None and same.answer == record else self.parsed(record)

    def get(self, object_id: str) -> RecordT:
        """Request one record now, or a list with it if no operation reads one object.

        Raises:
            NotFoundError: There is no such object.
            UnsupportedOperationError: The server does not offer the operation.
        """
        if hasattr(self, "GET"):
            return self.parsed(self.call(self.GET, object_id))
        operation, listed = self.list_operation, self.records(max_age=0.0)
        if listed is None:
            raise UnsupportedOperationError(operation, operation.path, "the server offers no list")
        if object_id not in listed:
            raise NotFoundError(operation, operation.path, f"the list does not contain {object_id}")
        return listed[object_id]

    def find(self, object_id: str, *, max_age: float = SHARED_LIST_SECONDS) -> RecordT | None:
        """Return one record, with all fields that programs set; None if the object does not exist.

        It is from the shared list, or from a request of its own if the list does not contain it, or lacks such fields.
        Without the service of the collection, it does not exist either.

        Raises:
            NotFoundError: The server does not find it, but lists it.
            ListNotFoundError: The server finds no list, and no operation reads one object.
            UnsupportedOperationError: The server offers neither the list nor the single read.
            ApiError: It could not be read for any other reason.
        """
        listed = None
        with suppress(ListNotFoundError):
            listed = None if self.api.reads_alone else (self.records(max_age=max_age) or {}).get(object_id)
        if listed is not None and not self.lacks_inputs(listed):
            return listed
        try:
            return self.get(object_id)
        except NotFoundError:
            if listed is not None and object_id in (self.records(max_age=0.0) or {}):
                raise
            return None
        except (UnsupportedOperationError, ListNotFoundError):
            if listed is None and not is_service_gone(self.api, self.list_operation, self.parent):
                raise
            return listed

    def with_all_fields(self, listed: Iterable[RecordT]) -> dict[str, RecordT]:
        """Return listed records, by id, with the fields that lists leave out; deleted objects are omitted.

        Raises:
            InvalidResponseError: A response has another id than was asked for, so that it proves nothing.
            ApiError: One of them could not be read.
        """
        found = {}
        for record in listed:
            object_id = self.id_of(record)
            if not self.lacks_inputs(record):
                found[object_id] = record
                continue
            with suppress(NotFoundError):
                whole = self.api.if_offered(self.form(self.GET), partial(self.get, object_id)) or record
                if self.id_of(whole) != object_id:
                    asked = self.form(self.GET)
                    raise InvalidResponseError(asked, asked.path, f"returned a record without the id {object_id}")
                found[object_id] = whole
        return found

    def current(self, object_id: str, known: WireValues) -> RecordT | None:
        """Return one record as it is now, or was up to a poll interval ago; None if the server does not show it.

        One list serves all objects that are changed within that time. If it lacks fields that programs set, or that
        the server has returned before (`known`, from state), the record is requested separately.

        Raises:
            NotFoundError: There is no such object.
            ApiError: It could not be read for any other reason.
        """
        listed = None
        with suppress(ApiError):
            max_age = float(self.api.client.config.poll_interval_seconds)
            listed = (self.records(max_age=max_age, allow_stale=True) or {}).get(object_id)
        if listed is not None and self.shows_all(listed, known):
            return listed
        return self.api.if_offered(self.form(getattr(self, "GET", self.LIST)), lambda: self.get(object_id)) or listed

    def shows_all(self, listed: RecordT, known: WireValues) -> bool:
        """Return whether a listed record has all fields that programs set or that are known, and is not older."""
        if self.lacks_inputs(listed):
            return False
        older = str(listed.answer.get(UPDATED_AT, "")) < str(known.get(UPDATED_AT, ""))
        return known.keys() <= listed.answer.keys() and not older

    def invalidate(self) -> None:
        """Drop the shared list: something has changed the collection, or may have."""
        self.api.lists.invalidate(self.list_key)

    def outdate(self) -> None:
        """Let the shared list serve only callers that allow a stale one."""
        self.api.lists.outdate(self.list_key)

    @property
    def age(self) -> float | None:
        """The age of the shared list in seconds; None without one."""
        return self.api.lists.age(self.list_key)

    # -- writing -------------------------------------------------------------------------------------------------

    def create(self, body: WireValues, what: str) -> tuple[RecordT, WireValues]:
        """Create an object, `what` in errors; return its record, and the whole result with one-time secrets.

        Raises:
            RateLimitError: Nothing was created. It is not retried, so that the caller can list again what exists.
            InvalidResponseError: The response has no id.
            ApiError: Everything else.
        """
        result = self.posted(body)
        record = result.get(self.created_part) if self.created_part else result
        if not isinstance(record, dict) or not isinstance(record.get("id"), str) or not record["id"]:
            operation = self.form(self.CREATE)
            raise InvalidResponseError(operation, operation.path, f"returned no id for {what}")
        made = self.parsed(record)
        # The result may be a part of the record; the body has the name, which the next create looks for.
        whole = made if body.keys() <= record.keys() else self.parsed({**body, **record})
        self.api.lists.wrote(self.list_key, record["id"], whole)
        self.outdate()
        return made, result

    def posted(self, body: WireValues) -> WireDict:
        """Send the request that creates an object, and return the result."""
        return dict(self.call(self.CREATE, None, body, once=True))

    def delete(self, object_id: str) -> None:
        """Delete an object.

        Raises:
            NotFoundError: There is no such object.
        """
        try:
            self.call(self.DELETE, object_id)
        finally:
            self.outdate()

    def change(self, object_id: str, body: WireValues) -> RecordT:
        """Change the fields that the body has; the others stay.

        Raises:
            NotFoundError: The server does not find it.
        """
        try:
            return self.parsed(self.call(self.UPDATE, object_id, body))
        finally:
            self.invalidate()

    def patch(self, forms: Forms, object_id: str, body: WireValues) -> RecordT:
        """Change an object with one of several updates.

        Raises:
            NotFoundError: The server does not find it.
        """
        try:
            return self.parsed(self.call(forms, object_id, body))
        finally:
            self.outdate()

    def remove(self, object_id: str) -> bool:
        """Delete an object, if it exists; return whether the server has found it.

        Raises:
            NotFoundError: The server does not find it, but lists it.
            ListNotFoundError: The server finds neither it nor the list, which proves nothing.
        """
        try:
            self.delete(object_id)
        except NotFoundError:
            if self.find(object_id, max_age=0.0) is not None:
                raise
            return False
        return True

    def call(
        self,
        forms: Forms,
        object_id: str | None = None,
        body: WireValues | None = None,
        *,
        once: bool = False,
        query: Query | None = None,
        object_version: Version | None = None,
        **parts: str,
    ) -> Any:
        """Carry out one operation of this collection; see `Client.call`."""
        api, place = self.api, {**self.place_of(object_id), **parts}
        return api.client.call(
            self.form(forms),
            body,
            once=once,
            repeats=api.repeats,
            before_write=api.before_write,
            query=query,
            object_version=object_version,
            **place,
        )

    def place_of(self, object_id: str | None) -> dict[str, str | None]:
        """Return the parts of a path that name the collection, or an object in it."""
        return {"service_id": self.parent, **({} if object_id is None else {self.id_part: object_id})}

    # -- records ------------------------------------------------------------------------------------------------

    def parsed(self, record: WireValues) -> RecordT:
        """Return the record in a response."""
        return cast(RecordT, parse(self.model, record))

    def id_of(self, record: RecordT) -> str:
        """Return the id of a record."""
        return str(record.answer.get("id"))

    def name_of(self, record: RecordT) -> str | None:
        """Return the name of a record."""
        return record.answer.get("name")

    def exists(self, record: RecordT) -> bool:
        """Return whether a listed object exists; one that is being deleted does not."""
        return True

    def can_be_managed(self, record: RecordT) -> bool:
        """Return whether a program can manage a listed object; a predefined one belongs to the server."""
        return True

    def may_be_lost(self, record: RecordT) -> bool:
        """Return whether a listed object may be the one of a lost response: nobody has used it."""
        return True

    def mark(self, nonce: str) -> Mark | None:
        """Return the mark of a create, if the dialect has marks."""
        return None

    def marked_in(self, record: RecordT, name: str, window: range) -> Iterable[int]:
        """Return the seconds, of a window since 1970 with the latest first, in which an object may have been created.

        `name` is the name in the create's request.
        """
        return ()

    def takes_marks(self, record: str) -> bool:
        """Return whether requests with such a record can carry a mark or a secret of ours."""
        return record in self.api.client.dialect.markable

    @property
    def credential(self) -> str:
        """The configured `clouddb:keySecret`, which marks are derived from."""
        return str(self.api.client.config.key_secret)


def is_service_gone(api: Api, operation: Operation, service_id: str | None) -> bool:
    """Return whether an operation certainly finds nothing since its service does not exist.

    The server's 404 to the service itself decides: that to a list within it can be a fault of another server.
    """
    if service_id is None or not operation.is_of_service:
        return False
    try:
        api.client.call(READ_SERVICE.managed, service_id=service_id)
    except NotFoundError:
        return True
    except ApiError:  # so nobody knows
        return False
    return False


def identified(
    operation: Operation, records: Sequence[object], fields: Iterable[str] = ("id",)
) -> Sequence[WireValues]:
    """Return the records of a list, each of which has an id: one without may be any object that the list lacks.

    Raises:
        InvalidResponseError: A record is not an object with an id, so that the list proves nothing.
    """
    found = [each for each in records if isinstance(each, dict) and all(_is_text(each.get(name)) for name in fields)]
    if len(found) < len(records):
        raise InvalidResponseError(operation, operation.path, "returned a record without an id")
    return found


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


class TaggedCollection(Collection[RecordT]):
    """A collection in which a create is marked with a tag."""

    def mark(self, nonce: str) -> Mark | None:
        """Return a tag, if the objects have tags in this dialect."""
        return TagMark(nonce) if self.takes_marks(self.GET.managed.record) else None

    def marked_in(self, record: RecordT, name: str, window: range) -> Iterable[int]:
        """Return the second in the tag; the object may have another name by now."""
        second = tagged_second(record)
        return () if second is None or second not in window else (second,)
