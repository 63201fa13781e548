"""How stored objects look in an answer: the interface's fields or all of them, the server's words, its quirks."""

from __future__ import annotations

from typing import Any

from pulumi_clouddb.models.api_key import KeyResponse
from pulumi_clouddb.models.base import wire_names

from .dashboards import with_config
from .responses import Listing
from .service_record import interface_fields
from .state import SandboxState
from .store import Document


def shape(state: SandboxState, record: str, result: Any) -> Any:
    """Put what a handler returned into the form of an answer.

    Args:
        state: The sandbox.
        record: What the operation answers, as `api.operations` names it.
        result: One document, a list of them, a `Listing`, or None.
    """
    if isinstance(result, Listing):
        return Listing(shape(state, record, result.items), result.meta)
    if isinstance(result, list):
        return [shape(state, record, item) for item in result]
    if record in ("None", "Password") or result is None:
        return result
    return state.dialect.to_server(record, _shaped(state, record, result))


def _shaped(state: SandboxState, record: str, document: Document) -> Document:
    if record == "ServiceCreated":
        return {**document, "service": _shaped(state, "Service", document["service"])}
    if record == "KeyCreated":
        return {**document, "key": _shaped(state, "Key", document["key"])}
    if record == "Service":
        return _in_other_order(state, _service(state, document))
    if record == "Key":
        return _in_other_order(state, _key(state, document))
    if record == "Pipe" and state.settings.quantities:
        return {**document, "scaling": _quantities(document["scaling"])}
    if record == "Dashboard" and state.settings.answer_config:
        return with_config(document)
    return document


def _service(state: SandboxState, document: Document) -> Document:
    if not state.settings.shows_state:
        return {name: document.get(name) for name in interface_fields()}
    # What the vendor's servers report beyond the interface.
    scaling = {name: document[name] for name in ("numReplicas", "minReplicaMemoryGb", "maxReplicaMemoryGb")}
    return {**document, "autoscalingMode": "vertical", "currentScaling": {"effective": scaling}}


def _key(state: SandboxState, document: Document) -> Document:
    if state.settings.shows_state:
        return document
    return {name: document.get(name) for name in wire_names(KeyResponse) if name != "state"}


def _in_other_order(state: SandboxState, document: Document) -> Document:
    """Turn the IP list around: servers keep it as a set, and clients that count on an order shall notice."""
    if not state.settings.quirks:
        return document
    return {**document, "ipAccessList": document["ipAccessList"][::-1]}


def _quantities(scaling: dict[str, Any]) -> dict[str, Any]:
    cpu, memory = scaling["replicaCpuMillicores"], scaling["replicaMemoryGb"]
    return {**scaling, "replicaCpuMillicores": f"{cpu}m", "replicaMemoryGb": f"{memory * 1024:g}Mi"}
