"""The request that creates an object, and its result."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from typing import Generic, TypeVar

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.marks import Mark
from pulumi_clouddb.client.operation import Operation
from pulumi_clouddb.schema.base import Record
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.values import WireValues

RecordT = TypeVar("RecordT", bound=Record)


@dataclass(frozen=True)
class CreateRequest(Generic[RecordT]):
    """The request that creates an object.

    Attributes:
        what: The object in words, such as `service 'orders'`.
        name: Its name, or what distinguishes it from its neighbours where it has none.
        resource: What the properties of its body mean.
        collection: Where it is created.
        body: What is sent, in the interface's words.
        unique: Whether a second object of the name is refused.
        allowed_by: The option of the resource that allows a second one of the same name; empty where none does.
        locks_out: Whether adopting the wrong object would lock its owner out: its password is reset, or it is deleted.
        way_on: What to do about an object that may be ours.
        generation: The arguments that distinguish it from the object of the same resource that it replaces.
        own_id: The id that the program gives the object, where servers do not make ids; only one object may have it.
        to_replace: What to do to replace the object that has the unique name.
    """

    what: str
    name: str
    resource: ResourceType
    collection: Collection[RecordT]
    body: WireValues
    unique: bool = False
    allowed_by: str = ""
    locks_out: bool = False
    way_on: str = "Import the one that is yours, or delete those that nobody needs"
    generation: str = ""
    own_id: str = ""
    to_replace: str = "set Pulumi's option deleteBeforeReplace on the resource"

    @functools.cached_property
    def place(self) -> str:
        """Digest of the collection and the name: only creates of one place can be mistaken for each other."""
        text = "\0".join((self.list_operation.name, str(self.collection.service_id), self.name))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @functools.cached_property
    def list_operation(self) -> Operation:
        """The operation that lists the collection."""
        return self.collection.LIST.of(self.collection.service_id)


@dataclass(frozen=True)
class CreateResult(Generic[RecordT]):
    """The result of a create.

    Attributes:
        id: The id of the object.
        record: The object as returned by the server.
        result: The whole `result` of the response, with one-time secrets; None if the response was lost.
        mark: The mark that the object carries, if there is one.
    """

    id: str
    record: RecordT
    result: WireValues | None
    mark: Mark | None
