"""A life in the words of the wire: inputs before and after an update, and what a diff says of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.observability import ObservabilityResource
from support.ids import LOGS

from .life import Life

Inputs = dict[str, Any]
_OF_TWO = ("pipes", "udf_attachments")
"""Objects whose id to import names two."""


@dataclass(frozen=True)
class WireLife:
    """A life in the words of the wire; a value such as `$pipe_id` is a name of its setting.

    Attributes:
        life: What surrounds the object, and what strangers do to it.
        details: What the update's diff says of each property.
        left_alone: Outputs that the preview of the update knows.
        extra: Wire names of inputs that an import cannot tell, or tells otherwise.
        operations: The operations that create, update, delete and read.
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
        """Whether the object belongs to an observability server."""
        handler = RESOURCES[self.life.name]
        hosted = handler.server_kind({}) is ServerKind.SELF_HOSTED
        return isinstance(handler, ObservabilityResource) or hosted or bool(handler.type.state_inputs)

    @property
    def managed(self) -> bool:
        """Whether the object belongs to a service's stack, so that its id is imported as `serviceId/ID`."""
        return self.observability and "serviceId" in self.before

    @property
    def where(self) -> str:
        """The id that imports name it by."""
        return "$service_id/$id" if self.managed or self.life.name == "Pipe" else "$id"

    @property
    def missing(self) -> str:
        """An id that imports may name, and that nothing has."""
        nothing = "00000000000000000000dead" if self.observability else "00000000-0000-4000-8000-00000000dead"
        return f"$service_id/{nothing}" if self.managed or self.life.kind in _OF_TWO else nothing

    @property
    def told(self) -> Inputs:
        """What an import tells of the inputs later; of ids it tells the real ones."""
        ids = re.compile(r"\$|[0-9a-f]{24}")
        return {
            name: value for name, value in self.after.items() if name not in self.extra and not ids.search(str(value))
        }

    def __str__(self) -> str:
        """Name the test."""
        return self.name


def tile(name: str, **grid: Any) -> Inputs:
    """Return a tile with one series."""
    agg = grid.pop("agg", "count")
    series = [{"type": "number", "aggFn": agg, "field": "ms", "sourceId": LOGS, "where": ""}]
    return {"key": name.lower(), "name": name, **grid, "series": series}


def hosted(*operations: str) -> Any:
    """Return the self-hosted forms of operations."""
    return tuple(f"self_hosted_{name}" for name in operations)


def both_forms(
    noun: str,
    life: Life,
    operations: tuple[str, str, str, str],
    before: Inputs,
    after: Inputs,
    details: dict[str, str],
    left_alone: frozenset[str],
    extra: frozenset[str] = frozenset(),
) -> list[WireLife]:
    """Return the life on a self-hosted server, whose preview knows `left_alone`, and in the stack of a service."""
    service = {"serviceId": "$service_id"}
    return [
        WireLife(f"self-hosted {noun}", life, before, after, details, left_alone, hosted(*operations), extra),
        WireLife(
            f"managed {noun}",
            life.of_a_service,
            {**service, **before},
            {**service, **after},
            details,
            frozenset(service),
            operations,
            extra,
        ),
    ]
