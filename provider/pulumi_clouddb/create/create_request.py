"""The request that creates an object, its result, and the refusal of a name that is taken."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.schema.base import Record
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.values import WireValues

RecordT = TypeVar("RecordT", bound=Record)


@dataclass(frozen=True)
class CreateRequest(Generic[RecordT]):
    """The request that creates an object.

    Attributes:
        what: The object in words, such as `service 'orders'`.
        name: Its name, or what distinguishes it from its neighbours if it has none.
        resource: The meaning of its properties.
        collection: The collection in which it is created.
        body: The body of the request, with the field names of the interface.
        unique: Whether a second object of the name is refused.
        replaces_none: Whether a second object of the resource is refused: it would replace the first.
        allowed_by: The option of the resource that allows a second one of the same name; empty without one.
        locks_out: Whether adopting the wrong object would lock its owner out: its password is reset, or it is deleted.
        second_is_harmless: Whether a second one does no harm, so that one is created where nothing proves the first.
        way_on: What the user can do about an object that may be ours.
        generation: The arguments that distinguish it from the object of the same resource that it replaces.
        own_id: The id that the program gives the object, if servers do not generate ids; it is unique.
        to_replace: How to replace the object that has the unique name.
    """

    what: str
    name: str
    resource: ResourceType
    collection: Collection[RecordT]
    body: WireValues
    unique: bool = False
    replaces_none: bool = False
    allowed_by: str = ""
    locks_out: bool = False
    second_is_harmless: bool = False
    way_on: str = "Import the one that is yours, or delete those that nobody needs"
    generation: str = ""
    own_id: str = ""
    to_replace: str = "set Pulumi's option deleteBeforeReplace on the resource"

    @functools.cached_property
    def place(self) -> str:
        """Digest of the collection and the name: only creates of one place can be mistaken for each other."""
        text = "\0".join((self.collection.list_operation.name, str(self.collection.parent), self.name))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class CreateResult(Generic[RecordT]):
    """The result of a create.

    Attributes:
        id: The id of the object.
        record: The object as returned by the server.
        result: The whole `result` of the response, with one-time secrets; None if the response was lost.
        nonce: What the mark follows from that the object carries, if the dialect has marks.
        adopted: Whether an interrupted run has created it, perhaps for an older program.
        unproven: The inputs that the record does not show, that an interrupted run may have sent with other values, and
            that an update can send.
        removed: The inputs that an interrupted run has sent, and that the program no longer sets.
        differing: The immutable inputs that the record does not show, and that an interrupted run has sent otherwise.
    """

    id: str
    record: RecordT
    result: WireValues | None
    nonce: str
    adopted: bool = False
    unproven: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    differing: frozenset[str] = frozenset()


RENAMED = (
    "If resources were renamed in the program, put their old names back, run `pulumi up`, and rename them again, each "
    "with an alias of its old name."
)


def taken_by(request: CreateRequest[RecordT], listed: Mapping[str, RecordT] | None) -> str | None:
    """Return the id of the listed object that has the name of the one to create."""
    objects = request.collection
    for object_id, record in (listed or {}).items():
        if objects.exists(record) and objects.name_of(record) == request.name:
            return object_id
    return None


def refusal_of_taken(
    new_names: Sequence[str], request: CreateRequest[Any], object_id: str, to_replace: str = ""
) -> ResourceError:
    """Return the refusal of a second object of a name.

    Args:
        new_names: The names of the new resources of the run.
        request: The request that is refused.
        object_id: The object that has the name.
        to_replace: How to replace that object; by default the request's text.
    """
    new = f". New resources of this run so far: {', '.join(new_names)}" if len(new_names) > 1 else ""
    both = f", or set {request.allowed_by}" if request.allowed_by else ""
    untaint = " After a taint, `pulumi state untaint` keeps it." if request.replaces_none else ""
    return ResourceError(
        f"{request.what} exists already, with the id {object_id}; a second one of the same name is not created{new}",
        f"{RENAMED} To replace it, {to_replace or request.to_replace}.{untaint} If another resource of the program "
        "gives this name up, let the new one depend on it (dependsOn). "
        f"If it is yours, import it (`pulumi import`, or `clouddb import-file`, with the id {object_id}), "
        f"or delete it. Else choose another name{both}. "
        "`CLOUDDB_PREVIEW_ONLY=true pulumi preview` lists all of a program that exist already.",
    )


def refusal_beside(whose: str, refusal: ResourceError, *, is_told: bool) -> ResourceError:
    """Return the refusal of a new resource beside one whose name is taken; `is_told` if an error has said that."""
    if is_told:
        return ResourceError(f"is not created beside {whose}, whose name is taken", f"See the error of {whose}.")
    what, _, hint = str(refusal).partition("\n")
    return ResourceError(f"is not created beside {whose}: {what}", f"For {whose}: {hint}")


def refusal_of_second(request: CreateRequest[RecordT], urn: str, object_id: str, record: RecordT) -> ResourceError:
    """Return the refusal of a second object of a resource, which `--replace` or a taint of the first one asks for."""
    words, name = request.resource.words, request.collection.name_of(record)
    return ResourceError(
        f"{request.what} is not created: it would replace {words} {name!r} ({object_id}), the last object of this "
        "resource, and the program does not allow that",
        "If state no longer has it, import it by that id, or declare the new one under another resource name. After a "
        f"taint, run `pulumi state untaint {urn!r}`; otherwise leave out --replace. To replace it, "
        f"{request.to_replace}.",
    )


def refusal_in_preview_only() -> ResourceError:
    """Return the refusal of a write if previews only warn about taken names: an update could stop in the middle.

    A check cannot know whether it belongs to a preview (CheckRequest of Pulumi's provider.proto), hence the setting.
    """
    return ResourceError(
        "clouddb:previewOnly is set, so nothing is created, changed or deleted",
        "Remove it from the configuration of the stack, or CLOUDDB_PREVIEW_ONLY from the environment.",
    )


def warning_of_taken(request: CreateRequest[Any], object_id: str) -> str:
    """Return the warning of a preview, which creates nothing, that an object exists already."""
    service_id = request.collection.parent
    import_id = object_id if service_id is None or "/" in object_id else f"{service_id}/{object_id}"
    return f"{request.what} exists already: import it by the id {import_id}, or choose another name."


def refusal_of_same_name(request: CreateRequest[Any], other: str = "") -> ResourceError:
    """Return the refusal of an object if another one of its name is being created; `other` names its resource."""
    both = f", or set {request.allowed_by} on both" if request.allowed_by else ""
    as_other = f", as {other}" if other else ""
    return ResourceError(
        f"{request.what} is being created by this program already{as_other}; a second one of the same name is not "
        "created",
        f"Two resources of the program have this name: give one of them another name{both}.",
    )


def warning_of_passed_name(request: CreateRequest[Any], giver: str, taker: str) -> str:
    """Return the warning that a resource gets the name of another one, which gives it up in the same run."""
    return (
        f"{taker} gets the name that {giver} has until it is updated, and only one {request.resource.words} may have "
        f"it.\nLet {taker} depend on {giver} (dependsOn). If they exchange their names, give one of them a third name "
        "in an `up` before."
    )


def warning_of_same_name(request: CreateRequest[Any], first: str, second: str) -> str:
    """Return the warning that two resources of the program have a name that only one object may have."""
    both = f", or set {request.allowed_by} on both" if request.allowed_by else ""
    return (
        f"{first} and {second} have the same name, and only one {request.resource.words} may have it: "
        f"{request.what}.\nGive one of them another name{both}."
    )
