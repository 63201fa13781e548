"""The operations on services."""

from __future__ import annotations

import secrets
import uuid
from typing import Any

from pulumi_clouddb.models.config import OrganizationTier
from pulumi_clouddb.models.service import ServiceArgs
from pulumi_clouddb.models.service_enums import Tier
from pulumi_clouddb.models.service_states import Status

from . import lifecycle, pipes, sources
from .bodies import broken_rules, checked
from .errors import bad_request, not_found
from .faults import FaultKind
from .key_bodies import digest
from .lifecycle import SERVICES
from .service_bodies import (
    MAX_TAGS,
    Command,
    PasswordChange,
    ReplicaScaling,
    StateCommand,
    TotalScaling,
    basic_details,
    create_body,
)
from .service_record import new_service, set_endpoints, set_memory
from .state import Call, SandboxState
from .store import Document

PASSWORDS = "passwords"
BACKUPS = "backups"

_ENTERPRISE_ONLY = ("profile", "complianceType", "hasTransparentDataEncryption")
_CHANGES = ("endpoints", "ipAccessList", "privateEndpointIds", "tags")
"""What an update of the basic details changes in part; every other field it replaces."""


def find(state: SandboxState, call: Call) -> Document:
    """Return the service that the path names, or refuse."""
    id_ = call.params["serviceId"]
    document = state.store.get(SERVICES, as_uuid("serviceId", id_))
    if document is None:
        raise not_found("Service")
    return document


def as_uuid(name: str, value: str) -> str:
    """Return an id of the path as it is stored, or refuse what is no UUID."""
    try:
        return str(uuid.UUID(value))
    except ValueError:
        raise bad_request(f"request params.{name}: must be a UUID, not {value!r}") from None


def list_all(state: SandboxState, call: Call) -> list[Document]:
    """List the services."""
    return state.listed(call, SERVICES)


def get(state: SandboxState, call: Call) -> Document:
    """Read one service."""
    return find(state, call)


def create(state: SandboxState, call: Call) -> dict[str, Any]:
    """Create a service; its password is told here and nowhere else."""
    model = create_body(state.dialect.model(ServiceArgs), state.settings.is_clickhouse)
    body = checked(model, call.body, ruled=ServiceArgs, context=state.context)
    _check_organization(state, body)
    _check_origin(state, body)
    document = add(state, body)
    return {"service": document, "password": new_password(state, document["id"])}


def add(state: SandboxState, body: dict[str, Any]) -> Document:
    """Make the service that a checked body describes, with the pipes and the sources that come with it."""
    document = new_service(state, body, Status.RUNNING)
    state.store.put(SERVICES, document["id"], document)
    fails = state.faults.consume("create_service", (FaultKind.FAILED,), state.clock.now(), body)
    if fails or not state.settings.documented_only:
        outcome = Status.FAILED if fails else Status.RUNNING
        lifecycle.begin(state, document, Status.PROVISIONING, outcome, state.latency.provision)
    pipes.add(state, document["id"], "kafka", name="events")
    pipes.add(state, document["id"], "objectStorage", name="archive")
    sources.add_all(state, document["id"])
    return document


def _check_organization(state: SandboxState, body: dict[str, Any]) -> None:
    tier = state.settings.organization_tier
    given = [name for name in _ENTERPRISE_ONLY if body.get(name)]
    if given and tier is not OrganizationTier.ENTERPRISE:
        raise bad_request(f"request body.{given[0]}: is for ENTERPRISE organizations only, this one is {tier.value}")


def _check_origin(state: SandboxState, body: dict[str, Any]) -> None:
    """Refuse a warehouse or backup that is not there; what a backup was taken of sets region and tier."""
    warehouse = body.get("dataWarehouseId")
    if warehouse and all(document["dataWarehouseId"] != warehouse for document in state.store.all(SERVICES)):
        raise bad_request("request body.dataWarehouseId: Warehouse not found")
    if "backupId" not in body:
        return
    backup = state.store.get(BACKUPS, str(uuid.UUID(body["backupId"])))
    if backup is None:
        raise bad_request("request body.backupId: Backup not found")
    for name in ("region", "tier"):
        if body.setdefault(name, backup[name]) != backup[name]:
            raise bad_request(f"request body.{name}: must be {backup[name]!r}, as in the backup, not {body[name]!r}")


def update(state: SandboxState, call: Call) -> Document:
    """Change the basic details: name, release channel, endpoints, IP list, private endpoints, tags."""
    document = find(state, call)
    body = checked(basic_details(state.settings.is_clickhouse), call.body)
    merged = {**document, **{name: value for name, value in body.items() if name not in _CHANGES}}
    broken_rules(ServiceArgs, merged, body, state.context)
    if "endpoints" in body:
        set_endpoints(merged, body["endpoints"])
    if change := body.get("ipAccessList"):
        # Removals come first, so that an entry that is in both ends up in the list.
        leaving = {entry["source"] for entry in [*change.get("remove", []), *change.get("add", [])]}
        staying = [entry for entry in merged["ipAccessList"] if entry["source"] not in leaving]
        merged["ipAccessList"] = staying + change.get("add", [])
    if change := body.get("privateEndpointIds"):
        leaving = {*change.get("remove", []), *change.get("add", [])}
        merged["privateEndpointIds"] = [
            *(id_ for id_ in merged["privateEndpointIds"] if id_ not in leaving),
            *dict.fromkeys(change.get("add", [])),
        ]
    if change := body.get("tags"):
        leaving = {tag["key"] for tag in [*change.get("remove", []), *change.get("add", [])]}
        staying = [tag for tag in merged["tags"] if tag["key"] not in leaving]
        merged["tags"] = staying + change.get("add", [])
        if len(merged["tags"]) > MAX_TAGS:
            raise bad_request(f"request body.tags: a service may have at most {MAX_TAGS} tags")
    state.store.put(SERVICES, merged["id"], merged)
    return merged


def scale(state: SandboxState, call: Call) -> Document:
    """Change the number and the memory of replicas, and idling."""
    return _scale(state, find(state, call), checked(ReplicaScaling, call.body))


def scale_total(state: SandboxState, call: Call) -> Document:
    """Change the memory of all workers together; deprecated."""
    return _scale(state, find(state, call), checked(TotalScaling, call.body))


def _scale(state: SandboxState, document: Document, body: dict[str, Any]) -> Document:
    if document["tier"] == Tier.DEVELOPMENT.value:
        raise bad_request("Development services have a fixed size")
    merged = {**document, **body}
    # Whether it came first into its warehouse is what counts, not that it is in one.
    seen = {name: value for name, value in merged.items() if name != "dataWarehouseId" or not document["isPrimary"]}
    broken_rules(ServiceArgs, seen, body, state.context)
    set_memory(merged, body)
    state.store.put(SERVICES, merged["id"], merged)
    return merged


def command(state: SandboxState, call: Call) -> Document:
    """Start, stop or wake a service."""
    document = find(state, call)
    body = checked(StateCommand, call.body)
    lifecycle.command(state, document, Command(body["command"]))
    return document


def delete(state: SandboxState, call: Call) -> None:
    """Delete a service; it is gone after a while."""
    lifecycle.terminate(state, find(state, call))


def reset_password(state: SandboxState, call: Call) -> dict[str, Any]:
    """Set the password to the hashes given; without them make one up and tell it."""
    document = find(state, call)
    body = checked(PasswordChange, call.body)
    if "newPasswordHash" not in body:
        return {"password": new_password(state, document["id"])}
    known = {"sha256": body["newPasswordHash"], "doubleSha1": body.get("newDoubleSha1Hash")}
    state.store.put(PASSWORDS, document["id"], known, document["id"])
    return {}


def new_password(state: SandboxState, service_id: str) -> str:
    """Give a service a new password and return it; only its hashes are kept."""
    password = state.ids.text(24)
    state.store.put(PASSWORDS, service_id, {"sha256": digest(password)}, service_id)
    return password


def password_works(state: SandboxState, service_id: str, password: str) -> bool:
    """Tell whether a client could log in to the service with this password."""
    known = state.store.get(PASSWORDS, service_id)
    return known is not None and secrets.compare_digest(known["sha256"], digest(password))


def add_backup(state: SandboxState, service_id: str) -> Document:
    """Take a backup of a service; a create may start from it by `backupId`."""
    origin = state.store.get(SERVICES, service_id)
    if origin is None:
        raise not_found("Service")
    document = {"id": state.ids.uuid(), "serviceId": service_id, "region": origin["region"], "tier": origin["tier"]}
    state.store.put(BACKUPS, document["id"], document)
    return document
