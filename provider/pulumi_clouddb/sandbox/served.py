"""How a collection is served: from its declaration in `api.collections` alone, as a server that keeps what it is sent.

What a server does otherwise is a method of a subclass, in the module of that collection.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from pydantic.alias_generators import to_camel
from starlette.datastructures import QueryParams

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.operation import OBSERVABILITY, Forms, ServerKind
from pulumi_clouddb.schema.base import Model, names_marked, wire_names
from pulumi_clouddb.schema.javascript import number
from pulumi_clouddb.schema.thing import answer_of

from .bodies import checked, optional
from .ids import is_object_id
from .lifecycle import SERVICES
from .responses import HTTPError, Listing, bad_request, not_found
from .state import SELF_HOSTED, Call, SandboxState
from .store import Document

Handler = Callable[[SandboxState, Call], Any]

_NO_ID = "Params validation failed: id: Invalid ObjectId"
_CREATED, _UPDATED, _TEAM = "createdAt", "updatedAt", "teamId"


class Served:
    """One collection. The operation that it declares as `LIST` is served by the method `list`, and so on.

    Args:
        collection: Its declaration: operations, record, and the body of create and update if it names one.
        body: That body, where the declaration names none.
        defaults: Fields of an object that is made by hand without them.
    """

    def __init__(self, collection: type[Collection[Any]], body: type[Model] | None = None, **defaults: Any) -> None:
        self.collection, self.body, self.defaults = collection, body or collection.body, defaults
        self.kind, self.record = collection.plural(), collection.LIST.managed.record
        declared = (vars(collection).get(name) for name in ("LIST", "CREATE"))
        self.records = {forms.managed.record for forms in declared if isinstance(forms, Forms)}
        listed = collection.LIST.self_hosted
        self.observability = listed.server_kind is ServerKind.SELF_HOSTED or listed.path.startswith(OBSERVABILITY)

    def handlers(self) -> Iterator[tuple[str, Handler]]:
        """Yield the name of each operation with what serves it."""
        for name, forms in vars(self.collection).items():
            serves = hasattr(self, name.lower()) and (self.body or name not in ("CREATE", "UPDATE"))
            if isinstance(forms, Forms) and serves:
                for operation in (forms.managed, forms.self_hosted):
                    yield operation.name, partial(self._answer, getattr(self, name.lower()))

    def _answer(self, handle: Handler, state: SandboxState, call: Call) -> Any:
        """Return the result of an operation as a response has it: records as they are shown, in the server's words."""
        result, part = handle(state, call), self.collection.created_part
        if call.operation.record not in self.records:
            return result
        found = result.items if isinstance(result, Listing) else result
        if isinstance(found, list):
            found = [self.shown(state, each) for each in found]
        else:
            found = {**found, part: self.shown(state, found[part])} if part in found else self.shown(state, found)
        said = state.dialect.to_server(call.operation.record, found)
        return Listing(said, result.meta) if isinstance(result, Listing) else said

    # -- operations ------------------------------------------------------------------------------------------------

    def list(self, state: SandboxState, call: Call) -> Any:
        """List the objects, oldest first; in pages where the collection has them."""
        latest = state.clock.now() - call.hidden_for
        found = [
            document
            for id_, document in state.store.items(self.kind, self.parent(state, call))
            if not call.hidden_for or state.store.created_at(self.kind, id_) <= latest
        ]
        most = self.most_on_a_page(state)
        return found if most is None else _page_of(found, call, most)

    def get(self, state: SandboxState, call: Call) -> Document:
        """Read one object."""
        parent = self.parent(state, call)
        document = self.find(state, parent, self.id_of(call))
        if document is None:
            raise self.missing()
        return document

    def create(self, state: SandboxState, call: Call) -> Document:
        """Create an object of the body."""
        document = self.add(state, self.parent(state, call), self.fields(state, call))
        part = self.collection.created_part
        return {part: document} if part else document

    def update(self, state: SandboxState, call: Call) -> Document:
        """Replace an object, or with PATCH the fields of the body."""
        if self.observability and state.settings.is_clickhouse:
            fields, old = self.judged(call, lambda: self.fields(state, call)), self.get(state, call)
        else:
            old, fields = self.get(state, call), self.fields(state, call)
        kept = old if call.operation.method == "PATCH" else self.kept(old)
        document = {**kept, **fields, **self._by_the_server(state, _UPDATED)}
        state.store.put(self.kind, self.key(state, self.parent(state, call), document["id"]), document)
        return document

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete an object."""
        self.remove(state, self.key(state, self.parent(state, call), self.get(state, call)["id"]))

    # -- what a subclass may do otherwise --------------------------------------------------------------------------

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return the fields of the record that the body of a create or update sets, or refuse the body."""
        body = self.body or Model
        return self.checked(state, optional(body) if call.operation.method == "PATCH" else body, call.body)

    def checked(
        self,
        state: SandboxState,
        model: type[Model],
        body: Any,
        *,
        nullable: Iterable[str] = (),
        ruled: type[Model] | None = None,
    ) -> Document:
        """Return a body, or refuse it; see `bodies.checked`. The vendor's servers drop properties they do not know."""
        drop = state.settings.is_clickhouse
        return checked(model, body, nullable=nullable, ruled=ruled, context=state.context, drop_unknown=drop)

    def judged(self, call: Call, judge: Callable[[], Document]) -> Document:
        """Return a body that is judged before its object is looked for; a malformed id is reported beside its faults.

        Raises:
            HTTPError: The body, the id or both are refused.
        """
        try:
            return judge()
        except HTTPError as refusal:
            if is_object_id(self._id_in(call)):
                raise
            raise bad_request(f"{refusal.text}; {_NO_ID}") from None

    def kept(self, old: Document) -> Document:
        """Return what a replacement leaves as it was."""
        return {name: value for name, value in old.items() if name in ("id", _TEAM, _CREATED)}

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Make an object of these fields."""
        id_ = state.ids.object_id() if self.observability else state.ids.uuid()
        document = {"id": id_, **self._by_the_server(state, _TEAM, _CREATED, _UPDATED), **fields}
        state.store.put(self.kind, document["id"], document, parent)
        return document

    def add_by_hand(self, state: SandboxState, fields: Document) -> Document:
        """Make an object without asking any rule; `serviceId` says which service it belongs to."""
        parent = fields.pop("serviceId", None) or (SELF_HOSTED if self.observability else "")
        return self.add(state, parent, {**self.defaults, **fields})

    def changed_by_hand(self, document: Document, fields: Document) -> Document:
        """Return an object after a change of some fields, without asking any rule."""
        return {**document, **fields}

    def shown(self, state: SandboxState, document: Document) -> Document:  # noqa: ARG002
        """Return an object as responses show it."""
        return document

    def remove(self, state: SandboxState, id_: str) -> None:
        """Remove an object, with what belongs to it."""
        state.store.delete(self.kind, id_)

    def missing(self) -> HTTPError:
        """There is no such object."""
        return not_found(self.record)

    def id_of(self, call: Call) -> str:
        """Return the id in the path as it is stored, or refuse what is none."""
        id_ = self._id_in(call)
        if self.observability and not is_object_id(id_):
            raise bad_request(_NO_ID)
        return id_

    def _id_in(self, call: Call) -> str:
        return call.params[to_camel(self.collection.id_part)].lower()

    def most_on_a_page(self, state: SandboxState) -> int | None:  # noqa: ARG002
        """Return how many objects a list answers at most; None where it does not come in pages."""
        return self.collection.page

    def find(self, state: SandboxState, parent: str, id_: str) -> Document | None:
        """Return the object of an id, or None."""
        return state.store.get(self.kind, self.key(state, parent, id_.lower()), parent)

    def key(self, state: SandboxState, parent: str, id_: str) -> str:  # noqa: ARG002
        """Return what the object of an id is stored under."""
        return id_

    def parent(self, state: SandboxState, call: Call) -> str:
        """Return what the objects of the path belong to, or refuse a service that is not there."""
        if "{serviceId}" not in self.collection.LIST.managed.path:
            return ""
        stack = call.stack.lower()
        if stack != SELF_HOSTED and state.store.get(SERVICES, stack) is None:
            raise not_found("Service")
        return stack

    def _by_the_server(self, state: SandboxState, *names: str) -> Document:
        """Return what the server fills in, as far as its records have it."""
        now = state.clock.stamp()
        values = {_TEAM: state.identity.teamId, _CREATED: now, _UPDATED: now}
        return {name: values[name] for name in names if name in wire_names(answer_of(self.collection.model))}


class ServedWithState(Served):
    """A collection whose records have a state beyond the interface, and an IP list that is a set."""

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the record, or only what of it is in the interface, with the IP list in another order."""
        if not state.settings.shows_state:
            document = {name: document.get(name) for name in _of_interface(answer_of(self.collection.model))}
        if not state.settings.quirks:
            return document
        # Servers keep the list as a set, and clients that count on an order shall notice.
        return {**document, "ipAccessList": document["ipAccessList"][::-1]}


class Furnished(Served):
    """A collection of which each stack of the vendor's has some objects from the start: the same ids in every stack.

    So programs and tests can name them. In the interface's dialect there is none of this.
    """

    def key(self, state: SandboxState, parent: str, id_: str) -> str:
        """Return the id, or for an object of a managed stack that has an id of every stack, the stack and the id."""
        own = f"{parent}:{id_}"
        return own if state.store.get(self.kind, own) is not None else id_

    def furnish(self, state: SandboxState, stack: str, objects: Mapping[str, Mapping[str, Any]]) -> None:
        """Give a stack its objects, by id."""
        for id_, fields in objects.items():
            document: Document = {"id": id_, **self._by_the_server(state, _TEAM, _CREATED, _UPDATED), **fields}
            state.store.put(self.kind, id_ if stack == SELF_HOSTED else f"{stack}:{id_}", document, stack)


def _of_interface(model: type[Model]) -> list[str]:
    """Return the wire names of the fields that the interface shows of a record."""
    return [name for name in wire_names(model) if name != "state" and name not in names_marked(model, "only")]


def _page_of(found: list[Document], call: Call, most: int) -> Listing:
    """Return the part of a list that `limit` and `offset` ask for, or refuse what they ask for."""
    limit, of_limit = _number(call, "limit", most, least=1)
    offset, of_offset = _number(call, "offset", 0, least=0)
    if limit > most:
        of_limit.append(f"limit: Number must be less than or equal to {most}")
    if said := of_limit + of_offset:
        raise bad_request(f"Query validation failed: {'; '.join(said)}")
    return Listing(found[offset : offset + limit], {"total": len(found), "limit": limit, "offset": offset})


def _number(call: Call, name: str, default: int, *, least: int) -> tuple[int, list[str]]:
    """Return a number of the query, read as JavaScript does, and what the servers say of it."""
    query = call.query
    given = query.getlist(name) if isinstance(query, QueryParams) else [query[name]] if name in query else []
    listed = [(key, value) for key, value in _items(query) if key.startswith(f"{name}[")]
    texts = [*given, *(value for _, value in listed)] or [str(default)]
    is_one = len(texts) == 1 and all(_IN_LIST.fullmatch(key[len(name) :]) for key, _ in listed)
    value = number(texts[0]) if is_one else math.nan
    if not math.isfinite(value):
        return default, [f"{name}: Expected number, received nan"]
    said = [] if value.is_integer() else [f"{name}: Expected integer, received float"]
    said += [] if value >= least else [f"{name}: Number must be greater than or equal to {least}"]
    return int(value), said


_IN_LIST = re.compile(r"(?:\[(?:1?[0-9]|20)?\])+")
"""What makes a parameter of a query a list for express: `[]`, or a place in it up to 20."""


def _items(query: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """Return the parameters of a query in their order; a name may occur more than once."""
    return query.multi_items() if isinstance(query, QueryParams) else query.items()
