"""A life on the wire: its requests, and the expected diffs, previews and imports."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.observability import ObservabilityResource
from pulumi_clouddb.resource.overrides import OverrideResource
from pulumi_clouddb.schema.names import FOR_LIFE, ID
from support.ids import LOGS

from .life import Inputs, Life

_OF_TWO = ("pipes", "udf_attachments")
"""Collections whose import ids have two parts."""


@dataclass(frozen=True)
class WireLife:
    """A life with inputs on the wire; a value such as `$pipe_id` is a name of its setting.

    Attributes:
        life: The object's environment, and its drift.
        before: The inputs at creation.
        after: The inputs of the update.
        details: The details of the update's diff, by property.
        left_alone: Outputs that the preview of the update knows.
        operations: The operations that create, update, delete and read.
        extra: Wire names of inputs that an import cannot return, or returns differently.
    """

    name: str
    life: Life
    before: Inputs
    after: Inputs
    details: dict[str, str]
    left_alone: frozenset[str]
    operations: tuple[str, str, str, str]
    extra: frozenset[str] = frozenset()

    @property
    def observability(self) -> bool:
        """Whether the object is on an observability server."""
        handler = RESOURCES[self.life.name]
        hosted = handler.server_kind({}) is ServerKind.SELF_HOSTED
        return isinstance(handler, ObservabilityResource) or hosted or bool(handler.type.state_inputs)

    @property
    def managed(self) -> bool:
        """Whether the object is in a service, so that its import id is `serviceId/ID`."""
        override = isinstance(RESOURCES[self.life.name], OverrideResource)  # its id has the service
        return self.observability and "serviceId" in self.before and not override

    @property
    def where(self) -> str:
        """The id for an import."""
        return "$service_id/$id" if self.managed or self.life.name == "Pipe" else "$id"

    @property
    def missing(self) -> str:
        """A valid import id without an object."""
        nothing = "00000000000000000000dead" if self.observability else "00000000-0000-4000-8000-00000000dead"
        return f"$service_id/{nothing}" if self.managed or self.life.kind in _OF_TWO else nothing

    @property
    def imported(self) -> Inputs:
        """The inputs of `after` that an import returns, except ids."""
        ids = re.compile(r"\$|[0-9a-f]{24}")
        return {
            name: value for name, value in self.after.items() if name not in self.extra and not ids.search(str(value))
        }

    def __str__(self) -> str:
        """Return the id of the test case."""
        return self.name


def wire_life(
    name: str,
    life: Life,
    before: Inputs | None = None,
    after: Inputs | None = None,
    *,
    details: dict[str, str] | None = None,
    known: frozenset[str] | None = None,
    operations: tuple[str, str, str, str] | None = None,
    extra: frozenset[str] = frozenset(),
) -> WireLife:
    """Return a life on the wire, with defaults for all that is omitted.

    Args:
        name: Its name in tests.
        life: The life.
        before: The inputs at creation, if they are not those of the life.
        after: The inputs of the update, if they are not those of the life.
        details: The details of the diff; by default, each place where the inputs differ.
        known: The outputs that the preview of the update knows; by default, unchanged inputs and outputs that never
            change.
        operations: The operations that create, update, delete and read; by default, those of the collection.
        extra: Inputs that an import returns in another form; options and secrets are never returned.
    """
    before, after = before or life.before, after or life.after
    type_ = RESOURCES[life.name].type
    kept = {each for each in before if before[each] == after.get(each)}
    never = {*type_.provider_only, *type_.unanswered}
    return WireLife(
        name,
        life,
        before,
        after,
        differences(before, after) if details is None else details,
        frozenset(kept | FOR_LIFE.intersection(type_.output_only) - {ID}) if known is None else known,
        operations or _operations(life.name, managed="serviceId" in before),
        extra | never,
    )


def differences(before: Any, after: Any, path: str = "") -> dict[str, str]:
    """Return each place where two values differ, in the form of Pulumi's diffs."""
    if isinstance(before, dict) and isinstance(after, dict):
        places = {name: f"{path}.{name}".lstrip(".") for name in {**before, **after}}
    elif isinstance(before, list) and isinstance(after, list):
        before, after = dict(enumerate(before)), dict(enumerate(after))
        places = {index: f"{path}[{index}]" for index in {**before, **after}}
    else:
        return {} if before == after else {path: "UPDATE"}
    result: dict[str, str] = {}
    for key, place in places.items():
        if key in before and key in after:
            result |= differences(before[key], after[key], place)
        else:
            result[place] = "DELETE" if key in before else "ADD"
    return result


def _operations(resource: str, *, managed: bool) -> tuple[str, str, str, str]:
    """Return the operations that create, update, delete and list the objects of a resource."""
    handler = RESOURCES[resource]
    collection, listed = handler.collection, handler.collection.LIST
    update = getattr(collection, "UPDATE", listed)
    is_override = isinstance(handler, OverrideResource)
    create, delete = (update, update) if is_override else (collection.CREATE, collection.DELETE)
    names = [(each.managed if managed else each.self_hosted).name for each in (create, update, delete, listed)]
    return names[0], names[1], names[2], names[3]


def tile(name: str, **grid: Any) -> Inputs:
    """Return a tile with one series."""
    agg = grid.pop("agg", "count")
    series = [{"type": "number", "aggFn": agg, "field": "ms", "sourceId": LOGS, "where": ""}]
    return {"key": name.lower(), "name": name, **grid, "series": series}


def both_forms(noun: str, life: Life) -> dict[str, Life]:
    """Return the life on a self-hosted server, and the one in a service."""
    return {f"self-hosted {noun}": life, f"managed {noun}": life.of_a_service}
