"""Postgres services, with replicas, restores from backups, passwords and configuration."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

from pulumi_clouddb.schema.base import Model, Timestamp, names_in, prop
from pulumi_clouddb.schema.thing import body_of, inputs_of
from pulumi_clouddb.schema.times import parse_timestamp
from pulumi_clouddb.things.postgres_services.api import (
    BOUNCER_CONFIG,
    PASSWORD,
    PEM,
    PG_CONFIG,
    Command,
    PostgresServices,
)
from pulumi_clouddb.things.postgres_services.configuration import as_texts, unlisted_in
from pulumi_clouddb.things.postgres_services.enums import PENDING, PostgresHaType, PostgresVersion, Status
from pulumi_clouddb.things.postgres_services.history import LONGEST, MOST_ENTRIES, USUAL_ENTRIES, LogSeverity
from pulumi_clouddb.things.postgres_services.postgres_service import DETAILS, PostgresService

from .bodies import part_of
from .faults import FaultKind
from .ids import digest
from .lifecycle import GONE, begin
from .responses import File, bad_request, conflict, not_found
from .served import Served, digits
from .services import PASSWORDS
from .state import Call, SandboxState
from .store import Document

EARLIEST = "earliestRestoreTime"
CONFIGURATIONS = "postgres_configurations"
_CONFIGURATION = (PG_CONFIG, BOUNCER_CONFIG)
_OF_ORIGIN = ("provider", "region", "postgresVersion", "size")
_STORAGE_GB = {"large": 118, "medium": 59}
"""Storage of a machine size in GB, by the last part of its name."""

_STARTED = "database system is ready to accept connections"

_Body = body_of(PostgresService)
_Details = part_of(_Body, names_in(PostgresService, DETAILS))
_Origin = part_of(_Body, ("name", "tags", *_CONFIGURATION))
_Restore = part_of(
    _Body, ("name", "tags", *_CONFIGURATION), restore_target=(Timestamp, prop("Time to restore.", required=True))
)
_Password = part_of(inputs_of(PostgresService), (PASSWORD,))
_Settings = part_of(_Body, _CONFIGURATION)


class _CommandBody(Model):
    """Body of the command operation."""

    command: Command = prop("`restart` or `promote`.", required=True)


class ServedPostgresServices(Served):
    """The Postgres services of the organization."""

    def checked(self, state: SandboxState, model: type[Model], body: Any, **options: Any) -> Document:
        """Return the validated body, which may not have unknown settings of Postgres."""
        known = super().checked(state, model, body, **options)
        if unlisted := unlisted_in(known.get(PG_CONFIG) or {}):
            raise bad_request(f"request body.{PG_CONFIG}: must contain known settings; {'; '.join(unlisted)}")
        return known

    def create(self, state: SandboxState, call: Call) -> Document:
        """Create a service; only this response contains its password."""
        body = self.checked(state, _Body, call.body)
        for name in ("provider", "region", "size"):
            if name not in body:
                raise bad_request(f"request body.{name}: is required")
        return self._created(state, body, Status.CREATING)

    def create_replica(self, state: SandboxState, call: Call) -> Document:
        """Create a read replica, which shares the password of its primary."""
        primary = self.get(state, call)
        body = self._of_origin(state, call, _Origin, primary)
        if primary.get("isPrimary") is False:
            raise bad_request("A read replica cannot have read replicas")
        return self._created(state, {**body, "isPrimary": False, "parentId": primary["id"]}, Status.REPLAYING_WAL)

    def restore(self, state: SandboxState, call: Call) -> Document:
        """Restore a backup into a new service, which shares the password of the original."""
        origin = self.get(state, call)
        body = self._of_origin(state, call, _Restore, origin)
        del body["restoreTarget"]
        return self._created(state, {**body, "restored": True}, Status.RESTORING_BACKUP)

    def update(self, state: SandboxState, call: Call) -> Document:
        """Change name, size, replication and tags; an update without tags removes all tags."""
        document = self.get(state, call)
        body = self.checked(state, _Details, call.body)
        if document["state"] == Status.DELETING:
            raise conflict("It is being deleted")
        if document["isPrimary"] is False:
            raise bad_request("A read replica cannot be modified directly")
        changed = {**document, "tags": [], **body, **self._of_name({**document, **body})}
        state.store.put(self.kind, document["id"], changed)
        if any(document[name] != changed[name] for name in ("size", "haType")):
            begin(state, changed, Status.RESTARTING, Status.RUNNING, state.latency.start, self.kind)
        return changed

    def command(self, state: SandboxState, call: Call) -> Document:
        """Restart a service, or promote a replica."""
        document = self.get(state, call)
        body = self.checked(state, _CommandBody, call.body)
        if body["command"] == Command.PROMOTE.value:
            if document["isPrimary"]:
                raise bad_request("Only a read replica can be promoted")
            document = {**document, "isPrimary": True}
            document.pop("parentId", None)
        elif document["state"] in PENDING:
            raise bad_request(f"Cannot restart in state '{document['state']}'")
        begin(state, document, Status.RESTARTING, Status.RUNNING, state.latency.start, self.kind)
        return document

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete a service without replicas, which takes a while."""
        document = self.get(state, call)
        others = [each for each in state.store.all(self.kind) if each.get("parentId") == document["id"]]
        if any(each["state"] != Status.DELETING for each in others):
            raise conflict("Read replicas depend on this service")
        begin(state, document, Status.DELETING, GONE, state.latency.delete, self.kind)

    def set_password(self, state: SandboxState, call: Call) -> Document:
        """Set the password; without one, generate and return one."""
        document = self.get(state, call)
        if document["isPrimary"] is False:
            raise bad_request("A read replica has the password of its primary")
        body = self.checked(state, _Password, call.body)
        password = body.get(PASSWORD) or state.ids.text(24)
        _store_password(state, document["id"], password)
        return {} if PASSWORD in body else {PASSWORD: password}

    def get_config(self, state: SandboxState, call: Call) -> Document:
        """Read the settings that have been set."""
        return self._configuration(state, self.get(state, call)["id"])

    def update_config(self, state: SandboxState, call: Call) -> Document:
        """Change some settings; the others stay unchanged."""
        old = self._configuration(state, self.get(state, call)["id"])
        body = self._settings(state, call)
        return self._configured(state, call, {name: {**old[name], **body[name]} for name in _CONFIGURATION})

    def replace_config(self, state: SandboxState, call: Call) -> Document:
        """Replace the configuration; omitted settings return to their defaults."""
        self.get(state, call)
        return self._configured(state, call, self._settings(state, call))

    def list_backups(self, state: SandboxState, call: Call) -> Any:
        """List the base backups: one, made after the create."""
        document = self.get(state, call)
        if document["state"] == Status.CREATING:
            return self.page_of(state, call, [])
        made = document["createdAt"]
        return self.page_of(state, call, [{"key": f"basebackups_005/base_{document['id']}", "lastModified": made}])

    def list_logs(self, state: SandboxState, call: Call) -> Any:
        """Return the log: an entry about the start."""
        document, query = self.get(state, call), call.query
        first, last = (_moment(call, name) for name in ("from_date", "to_date"))
        if not timedelta() < last - first <= LONGEST:
            raise bad_request(f"request query.to_date: must be after from_date, by at most {LONGEST.days} days")
        limit = digits(call, "limit", USUAL_ENTRIES, least=1)
        if limit > MOST_ENTRIES:
            raise bad_request(f"request query.limit: must be at most {MOST_ENTRIES}")
        started = {"timestamp": document["createdAt"], "severity": LogSeverity.LOG.value, "body": _STARTED}
        entries = [
            each
            for each in ([] if document["state"] == Status.CREATING else [started])
            if first <= parse_timestamp(each["timestamp"]) <= last
            and query.get("body_contains", "") in each["body"]
            and query.get("severity", "") in ("", each["severity"])
        ]
        start = digits(call, "offset", 0, least=0)
        return entries[start : start + limit]

    def get_certificates(self, state: SandboxState, call: Call) -> File:
        """Download the certificates."""
        self.get(state, call)
        text = f"{PEM}\nMIIBsandbox\n-----END CERTIFICATE-----\n"
        return File(text, "application/x-pem-file", "postgres-ca-certificate.pem")

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add a running service with the fields that the server sets."""
        document: Document = {
            "id": state.ids.uuid(),
            "postgresVersion": PostgresVersion.V18.value,
            "haType": PostgresHaType.NONE.value,
            "tags": [],
            "isPrimary": True,
            "username": "postgres",
            "createdAt": state.clock.stamp(),
            "state": Status.RUNNING,
            **{name: value for name, value in fields.items() if name not in _CONFIGURATION},
        }
        document |= self._of_name(document)
        state.store.put(self.kind, document["id"], document, parent)
        settings = {name: fields.get(name) or {} for name in _CONFIGURATION}
        state.store.put(CONFIGURATIONS, document["id"], settings, document["id"])
        return document

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return a service without the sandbox's own fields; the first backup is made after the create."""
        shown = {name: value for name, value in document.items() if name not in ("parentId", "restored")}
        return shown if document["state"] == Status.CREATING else {**shown, EARLIEST: document["createdAt"]}

    def _created(self, state: SandboxState, fields: Document, through: str) -> Document:
        document = self.add(state, "", fields)
        name = PostgresServices.CREATE.managed.name
        fails = state.faults.consume(name, (FaultKind.FAILED,), state.clock.now(), fields)
        outcome = Status.UNAVAILABLE if fails else Status.RUNNING
        begin(state, document, through, outcome, state.latency.provision, self.kind)
        if document["isPrimary"] is False or document.get("restored"):
            return document
        password = state.ids.text(24)
        _store_password(state, document["id"], password)
        where = f"{document['hostname']}:5432/postgres?sslmode=require"
        login = f"{document['username']}:{quote(password, safe='')}"
        return {**document, PASSWORD: password, "connectionString": f"postgres://{login}@{where}"}

    def _of_origin(self, state: SandboxState, call: Call, model: type[Model], origin: Document) -> Document:
        body = self.checked(state, model, call.body, ruled=_Body)
        if origin["state"] in PENDING:
            raise bad_request("Parent server is not ready for read replicas. There are no backups, yet.")
        if "name" not in body:
            raise bad_request("request body.name: is required")
        inherited = {name: origin[name] for name in _OF_ORIGIN if name in origin}
        return {**self._configuration(state, origin["id"]), **inherited, **body}

    def _settings(self, state: SandboxState, call: Call) -> Document:
        body = call.body if isinstance(call.body, Mapping) else {}
        for name in _CONFIGURATION:
            if not isinstance(body.get(name), Mapping):
                raise bad_request(f"request body.{name}: is required")
        # The vendor's client sends an empty object to clear a group, although the API description requires a setting.
        filled = {name: as_texts(value) for name, value in body.items() if value}
        checked = self.checked(state, _Settings, filled, ruled=_Body)
        return {name: checked.get(name) or {} for name in _CONFIGURATION}

    def _configuration(self, state: SandboxState, id_: str) -> Document:
        return dict(state.store.get(CONFIGURATIONS, id_) or {name: {} for name in _CONFIGURATION})

    def _configured(self, state: SandboxState, call: Call, settings: Document) -> Document:
        id_ = self.id_of(call)
        old = self._configuration(state, id_)
        state.store.put(CONFIGURATIONS, id_, settings, id_)
        restart = old[PG_CONFIG].get("max_connections") != settings[PG_CONFIG].get("max_connections")
        return {**settings, **({"message": "max_connections needs a restart."} if restart else {})}

    def _of_name(self, document: Document) -> Document:
        machine = str(document.get("size", "")).rpartition(".")[2]
        times = int(machine.removesuffix("xlarge") or 1) * 2 if machine.endswith("xlarge") else 1
        slug = "-".join(str(document.get("name", "")).lower().split())
        return {
            "hostname": f"{slug}.{document['id'][:8]}.pg.clouddb.example",
            "storageSize": _STORAGE_GB.get(machine, _STORAGE_GB["large"] * times),
        }

    def missing(self) -> Any:
        """Return the error for an unknown id."""
        return not_found("Postgres service")


def _moment(call: Call, name: str) -> datetime:
    try:
        return parse_timestamp(call.query.get(name, ""))
    except ValueError:
        raise bad_request(f"request query.{name}: must be a time") from None


def _store_password(state: SandboxState, id_: str, password: str) -> None:
    state.store.put(PASSWORDS, id_, {"sha256": digest(password)}, id_)


SERVED = ServedPostgresServices(
    PostgresServices, _Body, name="Postgres", provider="aws", region="us-east-1", size="m6gd.large"
)
