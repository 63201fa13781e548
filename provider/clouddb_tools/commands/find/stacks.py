"""The resources of stacks, by the objects that they manage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clouddb_tools.commands.stack_config import pulumi_json
from pulumi_clouddb.engine.wire import urns
from pulumi_clouddb.engine.wire.codec import read
from pulumi_clouddb.engine.wire.secret import strip
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.names import NAME, property_name
from pulumi_clouddb.schema.observability import OnStack
from pulumi_clouddb.schema.values import objects
from pulumi_clouddb.things.alerts.alert import Alert
from pulumi_clouddb.things.dashboards.dashboard import Dashboard
from pulumi_clouddb.things.pipes.pipe import PIPE
from pulumi_clouddb.things.pipes.scaling import PIPE_CDC_SCALING, PIPE_SCALING
from pulumi_clouddb.things.services.service import SERVICE
from pulumi_clouddb.things.sources.source import SOURCE
from pulumi_clouddb.things.sources.source_links import SOURCE_LINKS

PARTS: Mapping[str, str] = {
    PIPE_SCALING.name: PIPE.name,
    PIPE_CDC_SCALING.name: SERVICE.name,
    SOURCE_LINKS.name: SOURCE.name,
}
"""Resources that manage a part of another one's object, and have its id."""

SERVICE_ID = property_name(OnStack, lambda args: args.service_id)
ALERT_ID = property_name(Alert, lambda alert: alert.alert_id)
TILE_IDS = property_name(Dashboard, lambda board: board.tile_ids)


@dataclass(frozen=True)
class Managed:
    """A resource in the state of a stack.

    Attributes:
        origin: The stack, or the file with its state.
        urn: Its URN.
        kind: The Pulumi name of its resource.
        object_id: The id of its object without the service.
        service_id: The service of its object; None without one, or if it is not in state.
        name: The name of its object; empty without one.
        tiles: The id of each tile of a dashboard, by its key.
        is_leftover: Whether a replacement left it behind: the next `up` of the stack deletes its object.
    """

    origin: str
    urn: str
    kind: str
    object_id: str
    service_id: str | None
    name: str
    tiles: Mapping[str, str]
    is_leftover: bool

    @property
    def resource(self) -> str:
        """The name of the resource in the program."""
        return urns.name(self.urn)

    def key_of(self, tile_id: str) -> str | None:
        """Return the key of a tile in the program; None if it manages no such tile."""
        return next((key for key, each in self.tiles.items() if each == tile_id), None)


def in_state(origin: str, content: Mapping[str, Any]) -> list[Managed]:
    """Return the resources of this package in a state from `pulumi stack export`, with or without its envelope."""
    kinds = {token: name for name, each in RESOURCES.items() for token in (each.type.token, each.type.dynamic_token)}
    resources = content.get("deployment", content) or {}
    return [
        _managed(origin, kinds[each["type"]], each)
        for each in objects(resources.get("resources"))
        if each.get("type") in kinds and each.get("id")
    ]


def _managed(origin: str, kind: str, resource: Mapping[str, Any]) -> Managed:
    outputs: Mapping[str, Any] = strip(read({**(resource.get("inputs") or {}), **(resource.get("outputs") or {})}))
    service_id = outputs.get(SERVICE_ID)
    own_id = str(resource["id"]).removeprefix(f"{service_id}/")
    name, tiles = outputs.get(NAME), outputs.get(TILE_IDS)
    return Managed(
        origin,
        str(resource["urn"]),
        kind,
        str(outputs.get(ALERT_ID) or own_id),
        service_id if isinstance(service_id, str) else None,
        name if isinstance(name, str) else "",
        tiles if isinstance(tiles, Mapping) else {},
        bool(resource.get("delete")),
    )


def stacks_of(folder: Path, *, every_project: bool) -> list[str]:
    """Return the names of the stacks of the project in a folder, or of every project of the backend.

    Raises:
        ConfigError: They cannot be listed.
    """
    words = ("stack", "ls", "--json", *(["--all"] if every_project else []))
    return [str(each["name"]) for each in objects(pulumi_json(words, "the list of stacks", folder))]


def in_stack(stack: str, folder: Path) -> list[Managed]:
    """Return the resources of this package in a stack.

    Raises:
        ConfigError: Its state cannot be read.
    """
    state = pulumi_json(("stack", "export", "--stack", stack), f"the state of stack {stack!r}", folder)
    return in_state(stack, state)


def managing(found: Iterable[Managed], kind: str, object_id: str, service_id: str | None) -> Iterator[Managed]:
    """Yield the resources that manage an object, or a part of it."""
    for each in found:
        same = each.object_id == object_id and kind in (each.kind, PARTS.get(each.kind))
        if same and (each.service_id == service_id or None in (each.service_id, service_id)):
            yield each
