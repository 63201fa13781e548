"""Services, with their states, passwords and backups."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from operator import itemgetter
from typing import Any

from starlette.datastructures import QueryParams

from pulumi_clouddb.schema.base import Model, prop
from pulumi_clouddb.schema.organization import OrganizationTier
from pulumi_clouddb.schema.tags import MAX_TAGS
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.things.services.api import Services
from pulumi_clouddb.things.services.enums import Status, Tier
from pulumi_clouddb.things.services.service import SERVICE, Service

from . import connections, pipes, sources, stack_roles, webhooks
from .bodies import PasswordChange, ReplicaScaling, TotalScaling, basic_details, broken_rules, create_body
from .faults import FaultKind
from .ids import digest
from .lifecycle import GONE, SERVICES, begin
from .responses import bad_request, conflict, not_found
from .service_record import new_service, of_mode, set_endpoints, set_memory, set_replicas, shown_by_vendor
from .service_settings import BACKUP_BUCKETS, VERTICAL, ServedSettings, scheduled
from .state import SELF_HOSTED, Call, SandboxState
from .store import Document

PASSWORDS = "passwords"
BACKUPS = "backups"
_OF_ORIGIN = ("region", "tier")
"""Fields in which a restored service must equal the service of the backup."""

_ENTERPRISE_ONLY = ("profile", "complianceType", "hasTransparentDataEncryption")
_CHANGES = ("endpoints", "ipAccessList", "privateEndpointIds", "tags")
"""Fields of the basic details that an update changes in part; it replaces all others."""

_DELETABLE = (
    Status.PROVISIONING,
    Status.STARTING,
    Status.AWAKING,
    Status.IDLE,
    Status.STOPPED,
    Status.DEGRADED,
    Status.FAILED,
)
_STOPPABLE = (
    Status.RUNNING,
    Status.PARTIALLY_RUNNING,
    Status.IDLE,
    Status.DEGRADED,
    Status.STARTING,
    Status.AWAKING,
)


class Command(str, Enum):
    """Command that changes the state of a service."""

    START = "start"
    STOP = "stop"
    AWAKE = "awake"


_STEPS: Mapping[Command, tuple[tuple[str, ...], str, str]] = {
    Command.START: ((Status.STOPPED,), Status.STARTING, Status.RUNNING),
    Command.AWAKE: ((Status.IDLE,), Status.AWAKING, Status.RUNNING),
    Command.STOP: (_STOPPABLE, Status.STOPPING, Status.STOPPED),
}
"""For each command: the states that allow it, the state during the change, and the state after it."""


class StateCommand(Model):
    """Body of the command operation."""

    command: Command = prop("`start`, `stop` or `awake`.", required=True)


def tagged(services: Sequence[Document], filters: Iterable[str]) -> list[Document]:
    """Return the services that match all filters, each `tag:key` or `tag:key=value`."""
    matching = [*services]
    for wanted in filters:
        filter_kind, _, tag = wanted.partition(":")
        key, equals, value = tag.partition("=")
        if filter_kind == "tag":
            matching = [each for each in matching if _has_tag(each, key, value if equals else None)]
    return matching


def _has_tag(service: Document, key: str, value: str | None) -> bool:
    """Return whether a service has a tag; None matches every value."""
    return any(tag["key"] == key and value in (None, tag.get("value")) for tag in service["tags"])


class ServedServices(ServedSettings):
    """The services of the organization."""

    def id_of(self, call: Call) -> str:
        """Return the id in the path in canonical form, or refuse it unless it is a UUID."""
        value = call.params["serviceId"]
        try:
            return str(uuid.UUID(value))
        except ValueError:
            raise bad_request(f"request params.serviceId: must be a UUID, not {value!r}") from None

    def list(self, state: SandboxState, call: Call) -> Any:
        """List the services; the clickhouse dialect has filters by tag."""
        found: list[Document] = super().list(state, call)
        if not state.settings.is_clickhouse or not isinstance(call.query, QueryParams):
            return found
        return tagged(found, call.query.getlist("filter"))

    def create(self, state: SandboxState, call: Call) -> Document:
        """Create a service; only this response contains its password."""
        model = create_body(SERVICE.inputs_in(state.settings.vocabulary))
        body = self.checked(state, model, call.body, ruled=body_of(Service))
        _check_organization(state, body)
        _check_origin(state, body)
        document = self.add(state, "", body)
        return {"service": document, "password": _new_password(state, document["id"])}

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add the service that a body describes, with two pipes and the initial objects of its stack."""
        document = new_service(state, fields, Status.RUNNING)
        state.store.put(self.kind, document["id"], document, parent)
        fails = state.faults.consume("create_service", (FaultKind.FAILED,), state.clock.now(), fields)
        if fails or not state.settings.documented_only:
            outcome = Status.FAILED if fails else Status.RUNNING
            begin(state, document, Status.PROVISIONING, outcome, state.latency.provision)
        pipes.SERVED.add(state, document["id"], {"kind": "kafka", "name": "events"})
        pipes.SERVED.add(state, document["id"], {"kind": "objectStorage", "name": "archive"})
        add_stack_objects(state, document["id"])
        return document

    def add_by_hand(self, state: SandboxState, fields: Document) -> Document:
        """Add a service without validation, and return its record with its password."""
        document = self.add(state, "", fields)
        return {**document, "password": _new_password(state, document["id"])}

    def update(self, state: SandboxState, call: Call) -> Document:
        """Change name, release channel, endpoints, IP list, private endpoints and tags."""
        document = self.get(state, call)
        body = self.checked(state, basic_details(SERVICE.inputs_in(state.settings.vocabulary)), call.body)
        merged = {**document, **{name: value for name, value in body.items() if name not in _CHANGES}}
        broken_rules(body_of(Service), {**merged, "endpoints": body.get("endpoints")}, body, state.context)
        if "endpoints" in body:
            set_endpoints(merged, body["endpoints"])
        if change := body.get("ipAccessList"):
            merged["ipAccessList"] = _changed(merged["ipAccessList"], change, itemgetter("source"))
        if change := body.get("privateEndpointIds"):
            merged["privateEndpointIds"] = list(dict.fromkeys(_changed(merged["privateEndpointIds"], change, str)))
        if change := body.get("tags"):
            merged["tags"] = _changed(merged["tags"], change, itemgetter("key"))
            if len(merged["tags"]) > MAX_TAGS:
                raise bad_request(f"request body.tags: a service may have at most {MAX_TAGS} tags")
        state.store.put(self.kind, merged["id"], merged)
        return merged

    def scale(self, state: SandboxState, call: Call) -> Document:
        """Change the number and the memory of replicas, and idling."""
        return _scaled(state, self.get(state, call), self.checked(state, ReplicaScaling, call.body))

    def scale_total(self, state: SandboxState, call: Call) -> Document:
        """Change the total memory of all workers; deprecated."""
        return _scaled(state, self.get(state, call), self.checked(state, TotalScaling, call.body))

    def command(self, state: SandboxState, call: Call) -> Document:
        """Start, stop or wake a service."""
        document = self.get(state, call)
        command = Command(self.checked(state, StateCommand, call.body)["command"])
        allowed, through, to = _STEPS[command]
        if document["state"] not in allowed:
            states = ", ".join(f"'{each}'" for each in allowed)
            raise bad_request(
                f"Command {command.value} needs one of the following states: {states}. "
                f"Current state: '{document['state']}'"
            )
        if command is Command.STOP:
            _refuse_to_stop_primary(state, document)
        seconds = state.latency.stop if command is Command.STOP else state.latency.start
        begin(state, document, through, to, seconds)
        return document

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete a service, which takes a while."""
        document = self.get(state, call)
        if document["state"] not in _DELETABLE:
            states = ",".join(f"'{each}'" for each in _DELETABLE)
            raise conflict(
                f"Only instance in one of the following states: {states} can be terminated. "
                f"Current state: '{document['state']}'"
            )
        begin(state, document, Status.TERMINATING, GONE, state.latency.delete)

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the record with the additional fields of the vendor's servers, if they are enabled."""
        if state.settings.is_clickhouse:
            document = shown_by_vendor(document, scheduled(state, document))
        elif state.settings.shows_state:
            scaling = {name: document[name] for name in ("numReplicas", "minReplicaMemoryGb", "maxReplicaMemoryGb")}
            document = {**document, "autoscalingMode": VERTICAL, "currentScaling": {"effective": scaling}}
        return super().shown(state, document)

    def list_backups(self, state: SandboxState, call: Call) -> Any:
        """List the backups of a service, newest first."""
        return _backups(state, self.get(state, call)["id"])

    def get_backup(self, state: SandboxState, call: Call) -> Document:
        """Read one backup of a service."""
        for backup in _backups(state, self.get(state, call)["id"]):
            if backup["id"] == call.params["backupId"].lower():
                return backup
        raise not_found("Backup")

    def reset_password(self, state: SandboxState, call: Call) -> Document:
        """Set the password to the given hashes; without hashes, generate a password and return it."""
        document = self.get(state, call)
        body = self.checked(state, PasswordChange, call.body)
        if "newPasswordHash" not in body:
            return {"password": _new_password(state, document["id"])}
        hashes = {"sha256": body["newPasswordHash"], "doubleSha1": body.get("newDoubleSha1Hash")}
        state.store.put(PASSWORDS, document["id"], hashes, document["id"])
        return {}


SERVED = ServedServices(Services, body_of(Service))


def add_stack_objects(state: SandboxState, stack: str) -> None:
    """Add the initial objects of a stack: sources; in the clickhouse dialect also connection, webhooks and roles."""
    sources.add_predefined(state, stack)
    if state.settings.is_clickhouse:
        connections.add_predefined(state, stack)
        webhooks.add_predefined(state, stack)
        if stack != SELF_HOSTED:
            stack_roles.add_predefined(state, stack)


def _check_organization(state: SandboxState, body: dict[str, Any]) -> None:
    tier = state.settings.organization_tier
    given = [name for name in _ENTERPRISE_ONLY if body.get(name)]
    if given and tier is not OrganizationTier.ENTERPRISE:
        raise bad_request(f"request body.{given[0]}: is for ENTERPRISE organizations only, this one is {tier.value}")


def _check_origin(state: SandboxState, body: dict[str, Any]) -> None:
    """Refuse an unknown warehouse or backup; a backup sets region and tier."""
    warehouse = body.get("dataWarehouseId")
    if warehouse and all(document["dataWarehouseId"] != warehouse for document in state.store.all(SERVICES)):
        raise bad_request("request body.dataWarehouseId: Warehouse not found")
    if "backupId" not in body:
        return
    backup = state.store.get(BACKUPS, str(uuid.UUID(body["backupId"])))
    if backup is None:
        raise bad_request("request body.backupId: Backup not found")
    _check_encryption(body, backup)
    for name in _OF_ORIGIN:
        if name in backup and body.setdefault(name, backup[name]) != backup[name]:
            raise bad_request(f"request body.{name}: must be {backup[name]!r}, as in the backup, not {body[name]!r}")


def _check_encryption(body: dict[str, Any], backup: Document) -> None:
    """Refuse the encryption of a backup that is in no bucket of the user, and its lack for one that is encrypted there.

    The service that starts from it encrypts its data, too.
    """
    is_encrypted = "bucket" in backup and bool(backup.get("isEncrypted"))
    if ("backupEncryptionConfig" in body) is not is_encrypted:
        needed = "is required for this backup" if is_encrypted else "is for an encrypted backup in your own bucket only"
        raise bad_request(f"request body.backupEncryptionConfig: {needed}")
    if is_encrypted:
        body["hasTransparentDataEncryption"] = True


def _refuse_to_stop_primary(state: SandboxState, document: Document) -> None:
    """Refuse to stop the primary service of a warehouse while others of it run."""
    warehouse = document["dataWarehouseId"]
    others = [each for each in state.store.all(SERVICES) if each["dataWarehouseId"] == warehouse]
    if document["isPrimary"] and any(each["state"] in _STOPPABLE for each in others if each["id"] != document["id"]):
        raise bad_request("The primary service of a warehouse can only be stopped after its secondary services")


def _backups(state: SandboxState, service_id: str) -> list[Document]:
    """Return the backups of a service as responses show them, newest first."""
    found = [each for each in state.store.all(BACKUPS) if each["serviceId"] == service_id]
    kept = (*_OF_ORIGIN, "isEncrypted")
    return [{name: value for name, value in each.items() if name not in kept} for each in reversed(found)]


def _changed(items: list[Any], change: Mapping[str, list[Any]], key: Callable[[Any], str]) -> list[Any]:
    """Return a list after a change. Removals are applied first, so an item that is in both stays in the list."""
    added = change.get("add", [])
    removed = {key(item) for item in [*change.get("remove", []), *added]}
    return [item for item in items if key(item) not in removed] + added


def _scaled(state: SandboxState, document: Document, body: dict[str, Any]) -> Document:
    if document.get("tier") == Tier.DEVELOPMENT.value:
        raise bad_request("Development services have a fixed size")
    merged = of_mode({**document, **body}, body) if state.settings.is_clickhouse else {**document, **body}
    # The rules about `dataWarehouseId` apply to secondary services only, but every record has the field.
    ruled = {name: value for name, value in merged.items() if name != "dataWarehouseId" or not document["isPrimary"]}
    broken_rules(body_of(Service), ruled, body, state.context)
    set_memory(merged, body)
    if state.settings.is_clickhouse:
        set_replicas(merged)
    state.store.put(SERVICES, merged["id"], merged)
    return merged


def _new_password(state: SandboxState, service_id: str) -> str:
    """Generate a password for a service and return it; only its hash is stored."""
    password = state.ids.text(24)
    state.store.put(PASSWORDS, service_id, {"sha256": digest(password)}, service_id)
    return password


def password_works(state: SandboxState, service_id: str, password: str) -> bool:
    """Return whether the password of a service is this one."""
    hashes = state.store.get(PASSWORDS, service_id)
    return hashes is not None and secrets.compare_digest(hashes["sha256"], digest(password))


def add_backup(state: SandboxState, service_id: str) -> Document:
    """Add a backup of a service, which `backupId` of a create can name."""
    origin = state.store.get(SERVICES, service_id)
    if origin is None:
        raise not_found("Service")
    inherited: Document = {name: origin[name] for name in _OF_ORIGIN if name in origin}
    now = state.clock.stamp()
    document = {"id": state.ids.uuid(), "serviceId": service_id, "status": "done", "type": "full", **inherited}
    if bucket := state.store.get(BACKUP_BUCKETS, service_id):
        place = {name: value for name, value in bucket.items() if name != "id"}
        document |= {"backupName": f"backup-{document['id'][:8]}", "bucket": place}
    if origin.get("hasTransparentDataEncryption"):
        document["isEncrypted"] = True
    document |= {"startedAt": now, "finishedAt": now, "sizeInBytes": 1024, "durationInSeconds": 1}
    state.store.put(BACKUPS, document["id"], document)
    return document
