"""The objects on the servers, and the user's choice of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from clouddb_tools.commands.find.stacks import Managed, managing

from .names import NO_WISH, Wish


@dataclass(frozen=True)
class Item:
    """An object on a server.

    Attributes:
        kind: The Pulumi name of its resource.
        object_id: Its import id, such as `SERVICE_ID/ID`.
        service_id: The service that it belongs to, or whose observability server it is on; None without one.
        name: Its name, if it has one.
        tags: Its tags or labels; a tag with a value also as `key=value`.
        wish: The preferred name of its resource, if it is not derived from the object.
        shared: The inputs that the program is to manage though other resources can set them.
    """

    kind: str
    object_id: str
    service_id: str | None
    name: str
    tags: frozenset[str] = frozenset()
    wish: Wish = NO_WISH
    shared: frozenset[str] = frozenset()

    @property
    def shown(self) -> str:
        """The object, for messages."""
        return f"{self.name!r} ({self.object_id})" if self.name else self.object_id

    @property
    def own_id(self) -> str:
        """The id without the service id."""
        return self.object_id.rpartition("/")[2]


@dataclass(frozen=True)
class Choice:
    """The user's choice of objects; an empty criterion matches all.

    Attributes:
        kinds: Names of resources.
        names: Globs for names of objects.
        tags: Tags, as `key` or `key=value`.
        ids: Globs for ids, with or without the service id.
        objects: Exactly these objects, by kind and id, with the names of their resources.
        shared: Of such an object, the inputs that the program is to manage though other resources can set them.
        managed: The resources in the state of the user's stack, whose objects are chosen only by their ids.
    """

    kinds: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    tags: frozenset[str] = frozenset()
    ids: tuple[str, ...] = ()
    objects: Mapping[tuple[str, str], Wish] | None = None
    shared: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    managed: tuple[Managed, ...] = ()

    def takes_kind(self, kind: str) -> bool:
        """Return whether the choice may contain objects of a kind."""
        if self.objects is not None and kind not in {each for each, _ in self.objects}:
            return False
        return not self.kinds or kind in self.kinds

    def names_kind(self, kind: str) -> bool:
        """Return whether the user asked explicitly for objects of a kind, or for single objects."""
        return kind in self.kinds or bool(self.ids) or self.objects is not None

    def takes_service(self, kind: str, service_id: str) -> bool:
        """Return whether the choice may contain objects of a kind in a service."""
        if self.objects is not None and any("/" in each for of, each in self.objects if of == kind):
            return any(each.startswith(f"{service_id}/") for of, each in self.objects if of == kind)
        return not self.ids or any(
            "/" not in each or fnmatchcase(service_id, each.partition("/")[0]) for each in self.ids
        )

    def takes(self, item: Item) -> bool:
        """Return whether the choice contains an object."""
        return (
            self.takes_kind(item.kind)
            and (not self.names or any(fnmatchcase(item.name, glob) for glob in self.names))
            and (not self.tags or not self.tags.isdisjoint(item.tags))
            and (not self.ids or self.names_id(item))
            and (self.objects is None or self.wish(item) is not None)
        )

    def names_id(self, item: Item) -> bool:
        """Return whether the user asked for an object by its id."""
        forms = (item.object_id, item.own_id)
        return any(fnmatchcase(form, glob) for glob in self.ids for form in forms)

    def owner(self, item: Item) -> Managed | None:
        """Return the resource of the user's stack that manages an object, unless the user asked for it by its id."""
        found = () if self.names_id(item) else managing(self.managed, item.kind, item.own_id, item.service_id)
        return next((each for each in found if each.kind == item.kind), None)

    def wish(self, item: Item) -> Wish | None:
        """Return the preferred name of an object's resource; None if `objects` lacks the object."""
        if self.objects is None:
            return NO_WISH
        found = (self.objects.get((item.kind, form)) for form in (item.object_id, item.own_id))
        return next((name for name in found if name is not None), None)

    def shared_of(self, item: Item) -> frozenset[str]:
        """Return the inputs of an object that the program is to manage though other resources can set them."""
        return self.shared.get((item.kind, item.object_id), frozenset())


def tags_of(answer: Mapping[str, Any]) -> frozenset[str]:
    """Return the tags of a server's record: labels are texts, tags of services have a key and an optional value."""
    listed = answer.get("tags")
    return frozenset(_tags(listed if isinstance(listed, list) else []))


def _tags(listed: Iterable[Any]) -> Iterable[str]:
    for each in listed:
        if isinstance(each, str):
            yield each
        elif isinstance(each, Mapping) and "key" in each:
            yield str(each["key"])
            if each.get("value") is not None:
                yield f"{each['key']}={each['value']}"
