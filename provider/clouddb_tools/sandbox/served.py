"""Handlers of a collection, derived from its declaration: create, read, list, update and delete stored records.

Where a server behaves differently, the module of that collection overrides a method.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from pydantic.alias_generators import to_camel, to_snake
from starlette.datastructures import QueryParams

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.operation import OBSERVABILITY, Forms, Operation, ServerKind
from pulumi_clouddb.schema.base import Model, extras, names_with, wire_names
from pulumi_clouddb.schema.javascript import number
from pulumi_clouddb.schema.resource_type import in_words, with_article
from pulumi_clouddb.schema.thing import answer_of

from .bodies import checked, optional
from .ids import is_object_id
from .lifecycle import SERVICES
from .responses import HTTPError, Listing, bad_request, conflict, not_found
from .state import SELF_HOSTED, Call, SandboxState
from .store import Document

Handler = Callable[[SandboxState, Call], Any]

_NO_ID = "Params validation failed: id: Invalid ObjectId"
_CREATED, _UPDATED, _TEAM = "createdAt", "updatedAt", "teamId"


class Served:
    """One collection. The method `list` handles the operation declared as `LIST`, and so on.

    Args:
        collection: The declaration.
        body: The model of request bodies, if the declaration does not name one.
        defaults: Default fields of objects that are added by hand.

    Attributes:
        strict: Whether the vendor's servers refuse unknown properties instead of dropping them.
    """

    strict: ClassVar[bool] = False

    def __init__(self, collection: type[Collection[Any]], body: type[Model] | None = None, **defaults: Any) -> None:
        self.collection, self.body, self.defaults = collection, body or collection.body, defaults
        self.kind, self.record = collection.plural(), collection.LIST.managed.record
        declared = (vars(collection).get(name) for name in ("LIST", "CREATE"))
        self.records = {forms.managed.record for forms in declared if isinstance(forms, Forms)}
        listed = collection.LIST.self_hosted
        self.observability = listed.server_kind is ServerKind.SELF_HOSTED or listed.path.startswith(OBSERVABILITY)

    def handlers(self) -> Iterator[tuple[str, Handler]]:
        """Yield the name and the handler of each operation."""
        for name, forms in vars(self.collection).items():
            handled = hasattr(self, name.lower()) and (self.body or name not in ("CREATE", "UPDATE"))
            if isinstance(forms, Forms) and handled:
                for operation in (forms.managed, forms.self_hosted):
                    yield operation.name, partial(self._answer, getattr(self, name.lower()))

    def _answer(self, handle: Handler, state: SandboxState, call: Call) -> Any:
        """Return the result of an operation, with records as responses show them in the server's dialect."""
        result, part = handle(state, call), self.collection.created_part
        if call.operation.record not in self.records:
            return result
        content = result.items if isinstance(result, Listing) else result
        if isinstance(content, list):
            shown = (self.shown(state, each) for each in content)
            content = [_without(each, self.collection.not_listed) for each in shown]
        elif part in content:
            content = {**content, part: self.shown(state, content[part])}
        else:
            content = self.shown(state, content)
        content = state.dialect.to_server(call.operation.record, content)
        return replace(result, items=content) if isinstance(result, Listing) else content

    # -- operations ------------------------------------------------------------------------------------------------

    def list(self, state: SandboxState, call: Call) -> Any:
        """List the objects, oldest first, in pages if the collection has pages."""
        return self.page_of(state, call, self.visible(state, call))

    def page_of(self, state: SandboxState, call: Call, documents: Sequence[Document]) -> Any:
        """Return the page of a list that the query selects, or the whole list without pages.

        The interface shows no pages with cursors.
        """
        operation = call.operation
        if operation.per_page is None or not self.has_pages(state, operation):
            return documents
        if operation.by_offset:
            return _page_at_offset(documents, call, operation.per_page)
        page = _page_at_cursor(documents, call, operation.per_page)
        return page if state.is_newest else page.in_result(call.query.get("cursor"))

    def has_pages(self, state: SandboxState, operation: Operation) -> bool:
        """Return whether the release has pages of a list.

        Of the observability servers, the self-hosted one had them first.
        """
        if operation.by_offset:
            return state.is_newest or operation.server_kind is ServerKind.SELF_HOSTED
        return state.settings.is_clickhouse

    def visible(self, state: SandboxState, call: Call) -> Sequence[Document]:
        """Return the objects that a list contains; the fault `lag` hides new ones."""
        latest = state.clock.now() - call.hidden_for
        return [
            document
            for id_, document in state.store.items(self.kind, self.parent(state, call))
            if not call.hidden_for or state.store.created_at(self.kind, id_) <= latest
        ]

    def get(self, state: SandboxState, call: Call) -> Document:
        """Read one object."""
        parent = self.parent(state, call)
        document = self.find(state, parent, self.id_of(call))
        if document is None:
            raise self.missing()
        return document

    def create(self, state: SandboxState, call: Call) -> Document:
        """Create an object from the body."""
        fields = self.fields(state, call)
        self._refuse_second(state, call, {}, fields)
        document = self.add(state, self.parent(state, call), fields)
        part = self.collection.created_part
        return {part: document} if part else document

    def update(self, state: SandboxState, call: Call) -> Document:
        """Replace an object; PATCH replaces only the fields of the body."""
        if self.observability and state.settings.is_clickhouse:
            fields, old = self.validated_first(call, lambda: self.fields(state, call)), self.get(state, call)
        else:
            old, fields = self.get(state, call), self.fields(state, call)
        kept = old if call.operation.method == "PATCH" else self.kept(old)
        document = {**kept, **fields, **self._by_the_server(state, _UPDATED)}
        document = _without(document, [name for name in self.cleared_by_null if document.get(name) is None])
        self._refuse_second(state, call, old, document)
        state.store.put(self.kind, self.key(state, self.parent(state, call), document["id"]), document)
        return document

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete an object."""
        self.remove(state, self.key(state, self.parent(state, call), self.get(state, call)["id"]))

    # -- methods that subclasses override --------------------------------------------------------------------------

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return the validated fields that the body of a create or update sets; null clears in an update."""
        body, method = self.body or Model, call.operation.method
        nullable = () if method == "POST" else self.cleared_by_null
        return self.checked(state, optional(body) if method == "PATCH" else body, call.body, nullable=nullable)

    def checked(
        self,
        state: SandboxState,
        model: type[Model],
        body: Any,
        *,
        nullable: Iterable[str] = (),
        ruled: type[Model] | None = None,
    ) -> Document:
        """Return the validated body; see `bodies.checked`."""
        drop = state.settings.is_clickhouse and not self.strict
        return checked(model, body, nullable=nullable, ruled=ruled, context=state.context, drop_unknown=drop)

    def validated_first(self, call: Call, validate: Callable[[], Document]) -> Document:
        """Return the body, which is validated before the lookup; errors include a malformed id.

        Raises:
            HTTPError: The body, the id or both are refused.
        """
        try:
            return validate()
        except HTTPError as refusal:
            if is_object_id(self._id_in(call)):
                raise
            raise bad_request(f"{refusal.text}; {_NO_ID}") from None

    def kept(self, old: Document) -> Document:
        """Return the fields that a replacement keeps."""
        return {name: value for name, value in old.items() if name in ("id", _TEAM, _CREATED)}

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add an object with these fields."""
        id_ = state.ids.object_id() if self.observability else state.ids.uuid()
        document = {"id": id_, **self._by_the_server(state, _TEAM, _CREATED, _UPDATED), **fields}
        state.store.put(self.kind, document["id"], document, parent)
        return document

    def add_by_hand(self, state: SandboxState, fields: Document) -> Document:
        """Add an object without validation; `serviceId` is the service it belongs to."""
        parent = fields.pop("serviceId", None) or (SELF_HOSTED if self.observability else "")
        return self.add(state, parent, {**self.defaults, **fields})

    def changed_by_hand(self, state: SandboxState, document: Document, fields: Document) -> Document:
        """Return an object after a change of some fields, without validation."""
        return {**document, **fields}

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return an object as responses show it."""
        return document

    def remove(self, state: SandboxState, id_: str) -> None:
        """Remove an object with its dependent objects."""
        state.store.delete_with_children(self.kind, id_)

    def missing(self) -> HTTPError:
        """Return the error for an unknown id."""
        return not_found(self.record)

    def id_of(self, call: Call) -> str:
        """Return the id in the path as the store has it, or refuse a malformed id."""
        id_ = self._id_in(call)
        if self.observability and not is_object_id(id_):
            raise bad_request(_NO_ID)
        return id_

    def _id_in(self, call: Call) -> str:
        return call.params[to_camel(self.collection.id_part)].lower()

    def find(self, state: SandboxState, parent: str, id_: str) -> Document | None:
        """Return the object with this id, or None."""
        return state.store.get(self.kind, self.key(state, parent, id_.lower()), parent)

    def key(self, state: SandboxState, parent: str, id_: str) -> str:
        """Return the key of an object in the store."""
        return id_

    def parent(self, state: SandboxState, call: Call) -> str:
        """Return the parent of the objects at the path, or refuse an unknown service."""
        if not self.collection.LIST.managed.is_of_service:
            return ""
        stack = call.stack.lower()
        if stack != SELF_HOSTED and state.store.get(SERVICES, stack) is None:
            raise not_found("Service")
        return stack

    def _refuse_second(self, state: SandboxState, call: Call, old: Document, new: Document) -> None:
        """Refuse an object with the unique values of another one of its parent, unless it has had them before."""
        unique, objects = self.collection.unique_by, state.store.all(self.kind, self.parent(state, call))
        wanted = [new.get(name) for name in unique]
        if [old.get(name) for name in unique] == wanted:
            return
        if wanted in ([each.get(name) for name in unique] for each in objects):
            one = with_article(in_words(to_snake(self.record))).removeprefix("a")
            text = f"A{one} with this {' and '.join(unique)} already exists"
            raise bad_request(text) if self.observability else conflict(text)

    @property
    def cleared_by_null(self) -> Sequence[str]:
        """The fields that an update clears by null, so that no response has them."""
        return [name for name, values in extras(self.body or Model, "clears").items() if values == [None]]

    def _by_the_server(self, state: SandboxState, *names: str) -> Document:
        """Return values that the server sets, for those of the names that its records have."""
        now = state.clock.stamp()
        values = {_TEAM: state.identity.teamId, _CREATED: now, _UPDATED: now}
        return {name: values[name] for name in names if name in wire_names(answer_of(self.collection.model))}


class ServedWithState(Served):
    """A collection whose records have a `state`, which the interface does not document, and an IP list."""

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the record, or its documented fields only; the neutral dialect has the IP list in another order."""
        if not state.settings.shows_state:
            document = {name: document.get(name) for name in _of_interface(answer_of(self.collection.model))}
        if not state.settings.quirks or state.settings.is_clickhouse:
            return document
        # The interface documents no order, and clients that rely on one should fail here.
        return {**document, "ipAccessList": document["ipAccessList"][::-1]}


class ServedWithPredefined(Served):
    """A collection with predefined objects in each stack of the clickhouse dialect.

    Their ids are the same in every stack, so programs and tests can name them.
    """

    def key(self, state: SandboxState, parent: str, id_: str) -> str:
        """Return the id; for a predefined object of a managed stack, the stack and the id."""
        own = f"{parent}:{id_}"
        return own if state.store.get(self.kind, own) is not None else id_

    def add_predefined(self, state: SandboxState, stack: str, objects: Mapping[str, Mapping[str, Any]]) -> None:
        """Add the predefined objects of a stack, by id."""
        for id_, fields in objects.items():
            document: Document = {"id": id_, **self._by_the_server(state, _TEAM, _CREATED, _UPDATED), **fields}
            state.store.put(self.kind, id_ if stack == SELF_HOSTED else f"{stack}:{id_}", document, stack)


def _without(document: Document, names: Iterable[str]) -> Document:
    return {name: value for name, value in document.items() if name not in names}


def _of_interface(model: type[Model]) -> list[str]:
    """Return the wire names of the documented fields of a record."""
    return [name for name in wire_names(model) if name != "state" and name not in names_with(model, "only")]


def _page_at_cursor(documents: Sequence[Document], call: Call, page_size: int) -> Listing:
    """Return the page that `limit` and `cursor`, an index, select, or refuse these parameters."""
    limit = min(digits(call, "limit", page_size, least=1), page_size)
    start = digits(call, "cursor", 0, least=0)
    following = str(start + limit) if start + limit < len(documents) else None
    cursors = {"limit": limit, "totalCount": len(documents), "nextCursor": following}
    return Listing([*documents[start : start + limit]], cursors=cursors)


def digits(call: Call, name: str, default: int, *, least: int) -> int:
    """Return a number from the query, or refuse it."""
    text = call.query.get(name) or str(default)
    if not text.isdecimal() or int(text[:9]) < least:
        raise bad_request(f"request query.{name}: must be a number from {least}")
    return int(text[:9])


def _page_at_offset(documents: Sequence[Document], call: Call, page_size: int) -> Listing:
    """Return the page that `limit` and `offset` select, or refuse these parameters."""
    limit, limit_errors = _number(call, "limit", page_size, least=1)
    offset, offset_errors = _number(call, "offset", 0, least=0)
    if limit > page_size:
        limit_errors.append(f"limit: Number must be less than or equal to {page_size}")
    if errors := limit_errors + offset_errors:
        raise bad_request(f"Query validation failed: {'; '.join(errors)}")
    meta = {"total": len(documents), "limit": limit, "offset": offset}
    return Listing([*documents[offset : offset + limit]], meta)


def _number(call: Call, name: str, default: int, *, least: int) -> tuple[int, list[str]]:
    """Return a number from the query, parsed as JavaScript does, and the errors about it."""
    query = call.query
    given = query.getlist(name) if isinstance(query, QueryParams) else [query[name]] if name in query else []
    listed = [(key, value) for key, value in _items(query) if key.startswith(f"{name}[")]
    texts = [*given, *(value for _, value in listed)] or [str(default)]
    is_one = len(texts) == 1 and all(_IN_LIST.fullmatch(key[len(name) :]) for key, _ in listed)
    value = number(texts[0]) if is_one else math.nan
    if not math.isfinite(value):
        return default, [f"{name}: Expected number, received nan"]
    errors = [] if value.is_integer() else [f"{name}: Expected integer, received float"]
    errors += [] if value >= least else [f"{name}: Number must be greater than or equal to {least}"]
    return int(value), errors


_IN_LIST = re.compile(r"(?:\[(?:1?[0-9]|20)?\])+")
"""Suffixes that express reads as a list: `[]`, or an index up to 20."""


def _items(query: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """Return the parameters of a query in order; names can repeat."""
    return query.multi_items() if isinstance(query, QueryParams) else query.items()
