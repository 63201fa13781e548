"""Services: what only they can do, their passwords, and their backups."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from starlette.datastructures import QueryParams

from pulumi_clouddb.schema.organization import OrganizationTier
from pulumi_clouddb.schema.tags import MAX_TAGS
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.services.api import Services
from pulumi_clouddb.services.enums import Status, Tier
from pulumi_clouddb.services.service import SERVICE, Service

from . import connections, lifecycle, pipes, sources, stack_roles, webhooks
from .bodies import (
    Command,
    PasswordChange,
    ReplicaScaling,
    StateCommand,
    TotalScaling,
    basic_details,
    broken_rules,
    create_body,
)
from .faults import FaultKind
from .ids import digest
from .responses import bad_request, not_found
from .service_record import new_service, of_mode, set_endpoints, set_memory, set_replicas, shown_by_vendor
from .service_settings import BACKUP_BUCKETS, VERTICAL, ServedSettings, scheduled
from .state import SELF_HOSTED, Call, SandboxState
from .store import Document

PASSWORDS = "passwords"
BACKUPS = "backups"
_OF_ORIGIN = ("region", "tier")
"""What a backup has of its service, which a service that starts from it must have, too."""

_ENTERPRISE_ONLY = ("profile", "complianceType", "hasTransparentDataEncryption")
_CHANGES = ("endpoints", "ipAccessList", "privateEndpointIds", "tags")
"""What an update of the basic details changes in part; every other field it replaces."""


def tagged(services: Sequence[Document], filters: Iterable[str]) -> list[Document]:
    """Return the services that have the tags of all filters, each as `tag:key` or `tag:key=value`."""
    found = [*services]
    for wanted in filters:
        of, _, tag = wanted.partition(":")
        key, given, value = tag.partition("=")
        if of == "tag":
            found = [each for each in found if _has_tag(each, key, value if given else None)]
    return found


def _has_tag(service: Document, key: str, value: str | None) -> bool:
    """Return whether a service has a tag, with this value unless that is None."""
    return any(tag["key"] == key and value in (None, tag.get("value")) for tag in service["tags"])


class ServedServices(ServedSettings):
    """The services of the organization."""

    def id_of(self, call: Call) -> str:
        """Return the id in the path as it is stored, or refuse what is no UUID."""
        value = call.params["serviceId"]
        try:
            return str(uuid.UUID(value))
        except ValueError:
            raise bad_request(f"request params.serviceId: must be a UUID, not {value!r}") from None

    def list(self, state: SandboxState, call: Call) -> Any:
        """List the services; the vendor's servers take filters by tag (openapi: `instanceGetList`)."""
        found: list[Document] = super().list(state, call)
        if not state.settings.is_clickhouse or not isinstance(call.query, QueryParams):
            return found
        return tagged(found, call.query.getlist("filter"))

    def create(self, state: SandboxState, call: Call) -> Document:
        """Create a service; only this response has its password."""
        model = create_body(SERVICE.inputs_in(state.settings.vocabulary))
        body = self.checked(state, model, call.body, ruled=SERVICE.inputs)
        _check_organization(state, body)
        _check_origin(state, body)
        document = self.add(state, "", body)
        return {"service": document, "password": _new_password(state, document["id"])}

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Make the service that a body describes, with the pipes and the sources that come with it."""
        document = new_service(state, fields, Status.RUNNING)
        state.store.put(self.kind, document["id"], document, parent)
        fails = state.faults.consume("create_service", (FaultKind.FAILED,), state.clock.now(), fields)
        if fails or not state.settings.documented_only:
            outcome = Status.FAILED if fails else Status.RUNNING
            lifecycle.begin(state, document, Status.PROVISIONING, outcome, state.latency.provision)
        pipes.SERVED.add(state, document["id"], {"kind": "kafka", "name": "events"})
        pipes.SERVED.add(state, document["id"], {"kind": "objectStorage", "name": "archive"})
        furnish(state, document["id"])
        return document

    def add_by_hand(self, state: SandboxState, fields: Document) -> Document:
        """Make a service without asking any rule, and tell its password beside the record."""
        document = self.add(state, "", fields)
        return {**document, "password": _new_password(state, document["id"])}

    def update(self, state: SandboxState, call: Call) -> Document:
        """Change the basic details: name, release channel, endpoints, IP list, private endpoints, tags."""
        document = self.get(state, call)
        body = self.checked(state, basic_details(SERVICE.inputs_in(state.settings.vocabulary)), call.body)
        merged = {**document, **{name: value for name, value in body.items() if name not in _CHANGES}}
        broken_rules(SERVICE.inputs, {**merged, "endpoints": body.get("endpoints")}, body, state.context)
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
        """Change the memory of all workers together; deprecated."""
        return _scaled(state, self.get(state, call), self.checked(state, TotalScaling, call.body))

    def command(self, state: SandboxState, call: Call) -> Document:
        """Start, stop or wake a service."""
        document = self.get(state, call)
        body = self.checked(state, StateCommand, call.body)
        lifecycle.command(state, document, Command(body["command"]))
        return document

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete a service; it is gone after a while."""
        lifecycle.terminate(state, self.get(state, call))

    def remove(self, state: SandboxState, id_: str) -> None:
        """Remove a service at once, with its pipes and its stack."""
        lifecycle.remove(state, id_)

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the record with what the vendor's servers report beyond the interface, or without."""
        if state.settings.is_clickhouse:
            document = shown_by_vendor(document, scheduled(state, document))
        elif state.settings.shows_state:
            scaling = {name: document[name] for name in ("numReplicas", "minReplicaMemoryGb", "maxReplicaMemoryGb")}
            document = {**document, "autoscalingMode": VERTICAL, "currentScaling": {"effective": scaling}}
        return super().shown(state, document)

    def list_backups(self, state: SandboxState, call: Call) -> Any:
        """List the backups of a service, the latest first."""
        return _backups(state, self.get(state, call)["id"])

    def get_backup(self, state: SandboxState, call: Call) -> Document:
        """Read one backup of a service."""
        for backup in _backups(state, self.get(state, call)["id"]):
            if backup["id"] == call.params["backupId"].lower():
                return backup
        raise not_found("Backup")

    def reset_password(self, state: SandboxState, call: Call) -> Document:
        """Set the password to the hashes given; without them make one up and tell it."""
        document = self.get(state, call)
        body = self.checked(state, PasswordChange, call.body)
        if "newPasswordHash" not in body:
            return {"password": _new_password(state, document["id"])}
        known = {"sha256": body["newPasswordHash"], "doubleSha1": body.get("newDoubleSha1Hash")}
        state.store.put(PASSWORDS, document["id"], known, document["id"])
        return {}


SERVED = ServedServices(Services, body_of(Service))


def furnish(state: SandboxState, stack: str) -> None:
    """Give a stack its sources, and in the clickhouse dialect the connection that they read through and webhooks."""
    sources.add_usual(state, stack)
    if state.settings.is_clickhouse:
        connections.add_usual(state, stack)
        webhooks.add_usual(state, stack)
        if stack != SELF_HOSTED:
            stack_roles.add_usual(state, stack)


def _check_organization(state: SandboxState, body: dict[str, Any]) -> None:
    tier = state.settings.organization_tier
    given = [name for name in _ENTERPRISE_ONLY if body.get(name)]
    if given and tier is not OrganizationTier.ENTERPRISE:
        raise bad_request(f"request body.{given[0]}: is for ENTERPRISE organizations only, this one is {tier.value}")


def _check_origin(state: SandboxState, body: dict[str, Any]) -> None:
    """Refuse a warehouse or backup that is not there; what a backup was taken of sets region and tier."""
    warehouse = body.get("dataWarehouseId")
    if warehouse and all(document["dataWarehouseId"] != warehouse for document in state.store.all(lifecycle.SERVICES)):
        raise bad_request("request body.dataWarehouseId: Warehouse not found")
    if "backupId" not in body:
        return
    backup = state.store.get(BACKUPS, str(uuid.UUID(body["backupId"])))
    if backup is None:
        raise bad_request("request body.backupId: Backup not found")
    for name in _OF_ORIGIN:
        if name in backup and body.setdefault(name, backup[name]) != backup[name]:
            raise bad_request(f"request body.{name}: must be {backup[name]!r}, as in the backup, not {body[name]!r}")


def _backups(state: SandboxState, service_id: str) -> list[Document]:
    """Return the backups of a service as they are answered, the latest first: without where they can be restored."""
    found = [each for each in state.store.all(BACKUPS) if each["serviceId"] == service_id]
    return [{name: value for name, value in each.items() if name not in _OF_ORIGIN} for each in reversed(found)]


def _changed(items: list[Any], change: Mapping[str, list[Any]], key: Callable[[Any], str]) -> list[Any]:
    """Return a list after a change; removals come first, so that an item that is in both ends up in the list."""
    added = change.get("add", [])
    leaving = {key(item) for item in [*change.get("remove", []), *added]}
    return [item for item in items if key(item) not in leaving] + added


def _scaled(state: SandboxState, document: Document, body: dict[str, Any]) -> Document:
    if document.get("tier") == Tier.DEVELOPMENT.value:
        raise bad_request("Development services have a fixed size")
    merged = of_mode({**document, **body}, body) if state.settings.is_clickhouse else {**document, **body}
    # Whether it came first into its warehouse is what counts, not that it is in one.
    seen = {name: value for name, value in merged.items() if name != "dataWarehouseId" or not document["isPrimary"]}
    broken_rules(SERVICE.inputs, seen, body, state.context)
    set_memory(merged, body)
    if state.settings.is_clickhouse:
        set_replicas(merged)
    state.store.put(lifecycle.SERVICES, merged["id"], merged)
    return merged


def _new_password(state: SandboxState, service_id: str) -> str:
    """Give a service a new password and return it; only its hashes are kept."""
    password = state.ids.text(24)
    state.store.put(PASSWORDS, service_id, {"sha256": digest(password)}, service_id)
    return password


def password_works(state: SandboxState, service_id: str, password: str) -> bool:
    """Return whether a client could log in to the service with this password."""
    known = state.store.get(PASSWORDS, service_id)
    return known is not None and secrets.compare_digest(known["sha256"], digest(password))


def add_backup(state: SandboxState, service_id: str) -> Document:
    """Take a backup of a service; a create may start from it by `backupId`."""
    origin = state.store.get(lifecycle.SERVICES, service_id)
    if origin is None:
        raise not_found("Service")
    like: Document = {name: origin[name] for name in _OF_ORIGIN if name in origin}
    now = state.clock.stamp()
    document = {"id": state.ids.uuid(), "serviceId": service_id, "status": "done", "type": "full", **like}
    if bucket := state.store.get(BACKUP_BUCKETS, service_id):
        place = {name: value for name, value in bucket.items() if name != "id"}
        document |= {"backupName": f"backup-{document['id'][:8]}", "bucket": place}
    document |= {"startedAt": now, "finishedAt": now, "sizeInBytes": 1024, "durationInSeconds": 1}
    state.store.put(BACKUPS, document["id"], document)
    return document
