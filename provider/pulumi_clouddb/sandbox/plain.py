"""Collections that a server keeps as they are sent; what behaves in a way of its own has a module of its own.

They are served from their declarations in `api.collections` alone: the operations, the model of the request body, and
the model of the record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic.alias_generators import to_camel

from pulumi_clouddb.api.collection import Collection
from pulumi_clouddb.api.operation import Operation, ServerKind
from pulumi_clouddb.api.operations import COLLECTIONS
from pulumi_clouddb.models.base import Model, wire_names

from .bodies import checked
from .errors import not_found
from .observability import checked_id, stack_of
from .state import SELF_HOSTED, Call, SandboxState
from .store import Document

Handler = Callable[[SandboxState, Call], Any]

_CREATED, _UPDATED, _TEAM = "createdAt", "updatedAt", "teamId"


@dataclass(frozen=True)
class Plain:
    """What serves one collection.

    Attributes:
        collection: Its declaration.
        body: The model of what its create and update take.
    """

    collection: type[Collection[Any]]
    body: type[Model]

    @property
    def handlers(self) -> Iterator[tuple[str, Handler]]:
        """Yield the name of each operation with what serves it."""
        acts: dict[str, Handler] = {"LIST": self.list, "GET": self.get, "DELETE": self.delete}
        for role, handler in {**acts, "CREATE": self.create, "UPDATE": self.update}.items():
            for operation in self._forms(role):
                yield operation.name, handler

    def list(self, state: SandboxState, call: Call) -> list[Document]:
        """List the objects, oldest first."""
        return state.listed(call, self.collection.plural(), self._parent(state, call))

    def get(self, state: SandboxState, call: Call) -> Document:
        """Read one object."""
        id_ = call.params[to_camel(self.collection.id_part)]
        id_ = checked_id(id_) if self._observability else id_.lower()
        document = state.store.get(self.collection.plural(), id_, self._parent(state, call))
        if document is None:
            raise not_found(self._forms("GET")[0].record)
        return document

    def create(self, state: SandboxState, call: Call) -> Document:
        """Create an object of the body."""
        document = self.add(state, self._parent(state, call), checked(self.body, call.body))
        part = self.collection.created_part
        return {part: document} if part else document

    def home(self, service_id: str | None) -> str:
        """Return the parent of the objects of a service, or of none."""
        return service_id or (SELF_HOSTED if self._observability else "")

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Make an object of these fields."""
        id_ = state.ids.object_id() if self._observability else state.ids.uuid()
        document = {"id": id_, **fields, **self._by_the_server(state, _TEAM, _CREATED, _UPDATED)}
        state.store.put(self.collection.plural(), id_, document, parent)
        return document

    def update(self, state: SandboxState, call: Call) -> Document:
        """Replace an object, or with PATCH the fields of the body."""
        old, body = self.get(state, call), checked(self.body, call.body)
        stays = old if call.operation.method == "PATCH" else ("id", _TEAM, _CREATED)
        kept = {name: value for name, value in old.items() if name in stays}
        document = {**kept, **body, **self._by_the_server(state, _UPDATED)}
        state.store.put(self.collection.plural(), document["id"], document)
        return document

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete an object."""
        state.store.delete(self.collection.plural(), self.get(state, call)["id"])

    @property
    def _observability(self) -> bool:
        return any(each.server_kind is ServerKind.SELF_HOSTED for each in self._forms("CREATE"))

    def _by_the_server(self, state: SandboxState, *names: str) -> Document:
        """Return what the server fills in, as far as its records have it."""
        now = state.clock.stamp()
        values = {_TEAM: state.identity.teamId, _CREATED: now, _UPDATED: now}
        return {name: values[name] for name in names if name in wire_names(self.collection.model)}

    def _parent(self, state: SandboxState, call: Call) -> str:
        return stack_of(state, call) if self._observability or "serviceId" in call.params else ""

    def _forms(self, role: str) -> tuple[Operation, ...]:
        forms = getattr(self.collection, role, None)
        return (forms.managed, forms.self_hosted) if forms else ()


PLAIN: dict[str, Plain] = {each.plural(): Plain(each, each.body) for each in COLLECTIONS if each.body is not None}
"""What is served in this way, by the name of the collection."""
