"""How stored objects look in an answer: the interface's fields or all of them, the server's words, its habits."""

from __future__ import annotations

from typing import Any

from pulumi_clouddb.models.api_key import KeyResponse
from pulumi_clouddb.models.base import wire_names

from .dashboard_record import with_config
from .service_record import interface_fields
from .store import Document
from .world import Listing, World


def shape(world: World, record: str, result: Any) -> Any:
    """Put what a handler returned into the form of an answer.

    Args:
        world: The sandbox.
        record: What the operation answers, as `api.operations` names it.
        result: One document, a list of them, a `Listing`, or None.
    """
    if isinstance(result, Listing):
        return Listing(shape(world, record, result.items), result.meta)
    if isinstance(result, list):
        return [shape(world, record, item) for item in result]
    if record in ("None", "Password") or result is None:
        return result
    return world.vocabulary.to_server(record, _shaped(world, record, result))


def _shaped(world: World, record: str, document: Document) -> Document:
    if record == "ServiceCreated":
        return {**document, "service": _shaped(world, "Service", document["service"])}
    if record == "KeyCreated":
        return {**document, "key": _shaped(world, "Key", document["key"])}
    if record == "Service":
        return _in_other_order(world, _service(world, document))
    if record == "Key":
        return _in_other_order(world, _key(world, document))
    if record == "Pipe" and world.settings.quantities:
        return {**document, "scaling": _quantities(document["scaling"])}
    if record == "Dashboard" and world.settings.answer_config:
        return with_config(document)
    return document


def _service(world: World, document: Document) -> Document:
    if not world.settings.shows_state:
        return {name: document.get(name) for name in interface_fields()}
    # What the vendor's servers report beyond the interface.
    scaling = {name: document[name] for name in ("numReplicas", "minReplicaMemoryGb", "maxReplicaMemoryGb")}
    return {**document, "autoscalingMode": "vertical", "currentScaling": {"effective": scaling}}


def _key(world: World, document: Document) -> Document:
    if world.settings.shows_state:
        return document
    return {name: document.get(name) for name in wire_names(KeyResponse) if name != "state"}


def _in_other_order(world: World, document: Document) -> Document:
    """Turn the IP list around: servers keep it as a set, and clients that count on an order shall notice."""
    if not world.settings.habits:
        return document
    return {**document, "ipAccessList": document["ipAccessList"][::-1]}


def _quantities(scaling: dict[str, Any]) -> dict[str, Any]:
    cpu, memory = scaling["replicaCpuMillicores"], scaling["replicaMemoryGb"]
    return {**scaling, "replicaCpuMillicores": f"{cpu}m", "replicaMemoryGb": f"{memory * 1024:g}Mi"}
