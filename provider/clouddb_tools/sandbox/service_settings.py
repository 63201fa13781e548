"""Service settings that have operations of their own on the vendor's servers, such as backups and schedules."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from pulumi_clouddb.schema.base import Model, prop, wire_names
from pulumi_clouddb.schema.organization import OrganizationTier
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.values import from_text
from pulumi_clouddb.schema.view import view_of
from pulumi_clouddb.things.services.enums import AT_REST, AutoscalingMode
from pulumi_clouddb.things.services.parts import (
    MAX_ENTRIES,
    BackupBucket,
    BackupConfiguration,
    QueryEndpoint,
    ReplicaAwareRouting,
    ScheduledScaling,
    SnapshotConfiguration,
    UpgradeWindow,
)
from pulumi_clouddb.things.services.rules import SETTING_RULES
from pulumi_clouddb.things.services.service import Service
from pulumi_clouddb.things.services.settings import SECRETS_OF_BUCKETS

from .bodies import checked
from .responses import HTTPError, bad_request, forbidden, not_found
from .served import ServedWithState
from .state import Call, SandboxState
from .store import Document

BACKUP_CONFIGURATIONS = "backup_configurations"
SNAPSHOT_CONFIGURATIONS = "snapshot_configurations"
ROUTINGS = "replica_aware_routings"
QUERY_ENDPOINTS = "query_endpoints"
SCHEDULES = "scaling_schedules"

UPGRADE_WINDOWS = "upgrade_windows"
ENGINE_SETTINGS = "engine_settings"
BACKUP_BUCKETS = "backup_buckets"

SETTINGS_SCHEMA: Mapping[str, Document] = {
    "compatibility": {
        "type": "string",
        "description": "The version with which the engine is compatible.",
        "warning": "Test queries before you change the compatibility version.",
        "example": "24.8",
    },
    "max_query_size": {"type": "integer", "description": "Maximum length of a query in bytes.", "example": "262144"},
    "keep_alive_timeout": {"type": "integer", "description": "Seconds for which an idle connection is kept."},
    "shared_merge_tree_disable_merges_and_mutations_assignment": {
        "type": "integer",
        "description": "Whether other services run merges and mutations.",
        "enum": [0, 1],
    },
}
"""A sample of the engine's settings."""

DEFAULT_BACKUPS = {"backupPeriodInHours": 24, "backupRetentionPeriodInHours": 24}
"""The default backup configuration."""

NO_ROUTING = {"httpEnabled": False, "nativeEnabled": False}
"""The default replica-aware routing."""

_EMPTY: Document = {"roles": [], "openApiKeys": [], "allowedOrigins": ""}
_SCALING = (
    *("autoscalingMode", "minReplicaMemoryGb", "maxReplicaMemoryGb", "minReplicas", "maxReplicas"),
    *("idleScaling", "idleTimeoutMinutes"),
)

VERTICAL = AutoscalingMode.VERTICAL.value
BAND = ("minReplicas", "maxReplicas")
"""The range of replicas in horizontal autoscaling."""


class ScheduleBody(Model):
    """Body of a schedule; an empty list of entries deletes it."""

    entries: list[ScheduledScaling] = prop("The entries.", required=True, max_length=MAX_ENTRIES)


class ServedSettings(ServedWithState):
    """The handlers of these settings."""

    def get_backup_configuration(self, state: SandboxState, call: Call) -> Document:
        """Read the backup configuration."""
        service = self._primary(state, call)
        return {**DEFAULT_BACKUPS, **(state.store.get(BACKUP_CONFIGURATIONS, service["id"]) or {})}

    def configure_backups(self, state: SandboxState, call: Call) -> Document:
        """Change the backup configuration. Null restores a default, and a start time allows only some periods."""
        service = self._primary(state, call)
        given = call.body if isinstance(call.body, dict) else {}
        without_nulls = {name: value for name, value in given.items() if value is not None}
        body = checked(BackupConfiguration, without_nulls, context=state.context, drop_unknown=True)
        old = state.store.get(BACKUP_CONFIGURATIONS, service["id"]) or {}
        changed = {name: value for name, value in {**old, **body}.items() if name in body or name not in given}
        if "backupStartTime" in body and "backupPeriodInHours" not in body:
            changed.pop("backupPeriodInHours", None)
        _refuse({"backupConfiguration": changed}, state)
        state.store.put(BACKUP_CONFIGURATIONS, service["id"], changed, service["id"])
        return {**DEFAULT_BACKUPS, **changed}

    def get_snapshot_configuration(self, state: SandboxState, call: Call) -> Document:
        """Read the snapshot configuration."""
        return _shown(state.store.get(SNAPSHOT_CONFIGURATIONS, self.get(state, call)["id"]) or {})

    def configure_snapshots(self, state: SandboxState, call: Call) -> Document:
        """Change the snapshot configuration; what is omitted stays."""
        service = self.get(state, call)
        old = state.store.get(SNAPSHOT_CONFIGURATIONS, service["id"]) or {"since": state.clock.now()}
        if not isinstance(call.body, dict) or not call.body.keys() & {*wire_names(SnapshotConfiguration)}:
            raise bad_request("request body: must have at least one of enabled, gap, timeFrame")
        merged = {**_shown(old), **call.body}
        body = checked(SnapshotConfiguration, merged, context=state.context, drop_unknown=True)
        configuration = {**old, **body}
        if configuration.get("enabled") and not old.get("enabled"):
            configuration["since"] = state.clock.now()
        state.store.put(SNAPSHOT_CONFIGURATIONS, service["id"], configuration, service["id"])
        return _shown(configuration)

    def list_snapshots(self, state: SandboxState, call: Call) -> Any:
        """List the snapshots of a service, newest first: one for each gap since they were enabled."""
        service_id = self.get(state, call)["id"]
        configuration = state.store.get(SNAPSHOT_CONFIGURATIONS, service_id) or {}
        if not configuration.get("enabled"):
            return []
        since, gap = configuration["since"], configuration["gap"] * 60
        last, kept = int((state.clock.now() - since) // gap), configuration["timeFrame"] * 60 // gap
        return [_snapshot(state, service_id, since + gap * n) for n in range(last, max(-1, last - kept), -1)]

    def get_snapshot(self, state: SandboxState, call: Call) -> Document:
        """Read one snapshot of a service."""
        for snapshot in self.list_snapshots(state, call):
            if snapshot["id"] == call.params["snapshotId"].lower():
                return dict(snapshot)
        raise not_found("Snapshot")

    def get_replica_aware_routing(self, state: SandboxState, call: Call) -> Document:
        """Read the replica-aware routing."""
        return {**NO_ROUTING, **(state.store.get(ROUTINGS, self.get(state, call)["id"]) or {})}

    def update_replica_aware_routing(self, state: SandboxState, call: Call) -> Document:
        """Change the replica-aware routing; what is omitted stays."""
        old, service_id = self.get_replica_aware_routing(state, call), self.id_of(call)
        if state.settings.organization_tier is not OrganizationTier.ENTERPRISE:
            raise forbidden("Replica aware routing is not enabled for this organization")
        body = checked(ReplicaAwareRouting, call.body, context=state.context, drop_unknown=True)
        state.store.put(ROUTINGS, service_id, {**old, **body}, service_id)
        return {**old, **body}

    def get_query_endpoint(self, state: SandboxState, call: Call) -> Document:
        """Read the query endpoint."""
        return self._setting(state, call, QUERY_ENDPOINTS)

    def set_query_endpoint(self, state: SandboxState, call: Call) -> Document:
        """Create or replace the query endpoint."""
        service = self.get(state, call)
        body = checked(QueryEndpoint, call.body, context=state.context, drop_unknown=True)
        old = state.store.get(QUERY_ENDPOINTS, service["id"]) or {"id": state.ids.uuid()}
        endpoint = {"id": old["id"], **_EMPTY, **body}
        state.store.put(QUERY_ENDPOINTS, service["id"], endpoint, service["id"])
        return endpoint

    def delete_query_endpoint(self, state: SandboxState, call: Call) -> None:
        """Delete the query endpoint."""
        self._setting(state, call, QUERY_ENDPOINTS)
        state.store.delete(QUERY_ENDPOINTS, self.id_of(call))

    def get_scaling_schedule(self, state: SandboxState, call: Call) -> Document:
        """Read the scaling schedule."""
        return scheduled(state, self.get(state, call)) or _raise(not_found("Scaling schedule"))

    def set_scaling_schedule(self, state: SandboxState, call: Call) -> Document:
        """Replace the scaling schedule; without entries, delete it."""
        service = self.get(state, call)
        entries = checked(ScheduleBody, call.body, context=state.context, drop_unknown=True)["entries"]
        if not entries:
            state.store.delete(SCHEDULES, service["id"])
            return {"entries": [], "baseConfig": {}}
        _refuse({"scalingSchedule": {"entries": entries}}, state)
        schedule = {"entries": [{"id": state.ids.uuid(), **_banded(entry)} for entry in entries]}
        state.store.put(SCHEDULES, service["id"], schedule, service["id"])
        return scheduled(state, service) or {}

    def delete_scaling_schedule(self, state: SandboxState, call: Call) -> None:
        """Delete the scaling schedule."""
        self._setting(state, call, SCHEDULES)
        state.store.delete(SCHEDULES, self.id_of(call))

    def get_upgrade_window(self, state: SandboxState, call: Call) -> Document:
        """Read the upgrade window; all services of a warehouse share that of its primary service."""
        service = self.get(state, call)
        warehouse, services = service["dataWarehouseId"], state.store.all(self.kind)
        primary = (each for each in services if each["dataWarehouseId"] == warehouse and each["isPrimary"])
        return state.store.get(UPGRADE_WINDOWS, next(primary, service)["id"]) or _raise(not_found("Upgrade window"))

    def set_upgrade_window(self, state: SandboxState, call: Call) -> Document:
        """Set the upgrade window."""
        service = self._primary(state, call, "The upgrade window is set")
        window = {**checked(body_of(UpgradeWindow), call.body, context=state.context, drop_unknown=True), "duration": 6}
        state.store.put(UPGRADE_WINDOWS, service["id"], window, service["id"])
        return window

    def delete_upgrade_window(self, state: SandboxState, call: Call) -> None:
        """Delete the upgrade window."""
        self._primary(state, call, "The upgrade window is deleted")
        self._setting(state, call, UPGRADE_WINDOWS)
        state.store.delete(UPGRADE_WINDOWS, self.id_of(call))

    def get_settings(self, state: SandboxState, call: Call) -> Document:
        """Read the engine settings that have been set; those of integers were texts until October 2026."""
        settings = state.store.get(ENGINE_SETTINGS, self.get(state, call)["id"]) or {}
        shown = settings if state.is_newest else {name: str(value) for name, value in settings.items()}
        return {"settings": [{"name": name, "value": value} for name, value in shown.items()]}

    def get_settings_schema(self, state: SandboxState, call: Call) -> Document:
        """Read the schema of the engine settings."""
        self.get(state, call)
        return {"settings": [{"name": name, **setting} for name, setting in SETTINGS_SCHEMA.items()]}

    def update_settings(self, state: SandboxState, call: Call) -> Document:
        """Set some engine settings; the others stay unchanged.

        The request and the response have an object; until October 2026, it was JSON in a text.
        """
        service = self._running(state, call)
        given = call.body.get("settings") if isinstance(call.body, dict) else None
        if not state.is_newest:
            given = from_text(given) if isinstance(given, str) else None
        if not isinstance(given, dict) or not given:
            raise bad_request(f"request body.settings: must be {'' if state.is_newest else 'the text of '}an object")
        _require_known(given)
        old = state.store.get(ENGINE_SETTINGS, service["id"]) or {}
        state.store.put(ENGINE_SETTINGS, service["id"], {**old, **given}, service["id"])
        warnings = [{"name": name, "message": SETTINGS_SCHEMA[name].get("warning")} for name in given]
        changed = given if state.is_newest else json.dumps(given)
        return {
            "settings": changed,
            "warnings": [each for each in warnings if each["message"]],
        }

    def delete_setting(self, state: SandboxState, call: Call) -> None:
        """Restore the default of an engine setting, whether it is set or not."""
        service, name = self._running(state, call), call.params["settingName"]
        settings = state.store.get(ENGINE_SETTINGS, service["id"]) or {}
        settings.pop(name, None)
        state.store.put(ENGINE_SETTINGS, service["id"], settings, service["id"])

    def get_backup_bucket(self, state: SandboxState, call: Call) -> Document:
        """Read the bucket to which backups are copied, without its secret."""
        return self._setting(state, call, BACKUP_BUCKETS)

    def create_backup_bucket(self, state: SandboxState, call: Call) -> Document:
        """Set the bucket to which backups are copied, if the service has none."""
        service = self.get(state, call)
        if state.store.get(BACKUP_BUCKETS, service["id"]) is not None:
            raise bad_request("The service has a backup bucket already")
        return self._put_bucket(state, call, {"id": state.ids.uuid()})

    def update_backup_bucket(self, state: SandboxState, call: Call) -> Document:
        """Change the bucket; each request must contain the secret."""
        return self._put_bucket(state, call, self._setting(state, call, BACKUP_BUCKETS))

    def delete_backup_bucket(self, state: SandboxState, call: Call) -> None:
        """Delete the bucket."""
        self._setting(state, call, BACKUP_BUCKETS)
        state.store.delete(BACKUP_BUCKETS, self.id_of(call))

    def _put_bucket(self, state: SandboxState, call: Call, old: Document) -> Document:
        service = self.get(state, call)
        given = call.body if isinstance(call.body, dict) else {}
        secrets = {name: given[name] for name in SECRETS_OF_BUCKETS.values() if name in given}
        public = {name: given[name] for name in given if name not in secrets}
        body = checked(body_of(BackupBucket), public, context=state.context, drop_unknown=True)
        provider = body["bucketProvider"]
        if provider != old.get("bucketProvider", provider):
            raise bad_request(f"request body.bucketProvider: must be {old['bucketProvider']!r}, as before")
        if provider in SECRETS_OF_BUCKETS and not secrets.get(SECRETS_OF_BUCKETS[provider]):
            raise bad_request(f"request body.{SECRETS_OF_BUCKETS[provider]}: is required on {provider}")
        bucket = {"id": old["id"], **body}
        state.store.put(BACKUP_BUCKETS, service["id"], bucket, service["id"])
        return bucket

    def get_private_endpoint_config(self, state: SandboxState, call: Call) -> Document:
        """Read how private endpoints reach the service."""
        service = self.get(state, call)
        return {
            "endpointServiceId": f"com.amazonaws.vpce.{service['region']}.vpce-svc-{service['id'][:8]}",
            "privateDnsHostname": f"{service['id'][:10]}.{service['region']}.vpce.clouddb.example",
        }

    def _primary(self, state: SandboxState, call: Call, what: str = "Backups are configured") -> Document:
        service = self.get(state, call)
        if not service["isPrimary"]:
            raise bad_request(f"{what} for the primary service of a warehouse only")
        return service

    def _running(self, state: SandboxState, call: Call) -> Document:
        """Return the service, unless it is stopped: its engine takes no settings then."""
        service = self.get(state, call)
        if service["state"] in AT_REST:
            raise bad_request(f"Settings cannot be changed while the service is {service['state']}")
        return service

    def _setting(self, state: SandboxState, call: Call, kind: str) -> Document:
        service = self.get(state, call)
        return state.store.get(kind, service["id"]) or _raise(not_found(kind.replace("_", " ").capitalize()))


def _shown(configuration: Document) -> Document:
    """Return a snapshot configuration as responses show it."""
    return {"enabled": False, **{name: value for name, value in configuration.items() if name != "since"}}


def _snapshot(state: SandboxState, service_id: str, at: float) -> Document:
    with state.clock.at(at):
        started = state.clock.stamp()
    with state.clock.at(at + 1):
        finished = state.clock.stamp()
    return {
        "id": str(uuid.uuid5(uuid.UUID(service_id), started)),
        "serviceId": service_id,
        "status": "done",
        "type": "full",
        "startedAt": started,
        "finishedAt": finished,
        "sizeInBytes": 1024,
        "durationInSeconds": 1,
    }


def scheduled(state: SandboxState, service: Document) -> Document | None:
    """Return the schedule of a service with its currently active entry, or None."""
    stored = state.store.get(SCHEDULES, service["id"])
    if stored is None:
        return None
    entries = [{**entry, "isActiveNow": _is_active(state, entry)} for entry in stored["entries"]]
    schedule: Document = {"entries": entries, "baseConfig": _scaling(service)}
    active = [entry["id"] for entry in entries if entry["isActiveNow"]]
    return {**schedule, "activeEntryId": active[0]} if active else schedule


def effective(service: Document, schedule: Document | None) -> Document:
    """Return the effective scaling: the configured one, overridden by the active entry of the schedule."""
    entries: list[Document] = schedule["entries"] if schedule else []
    active: Document = next((entry for entry in entries if entry["isActiveNow"]), {})
    scaling = {**_scaling(service), **{name: active[name] for name in _SCALING if name in active}}
    named = {f"effective{name[0].upper()}{name[1:]}": value for name, value in scaling.items()}
    return {**named, "activeEntryId": active["id"]} if active else named


def _scaling(service: Document) -> Document:
    return {name: value for name, value in {**service, **_band(service)}.items() if name in _SCALING}


def _banded(entry: Document) -> Document:
    """Return an entry as responses show it."""
    rest = {name: each for name, each in entry.items() if name != "numReplicas"}
    return {"autoscalingMode": VERTICAL, **rest, **_band(entry)}


def _band(scaled: Document) -> Document:
    """Return `numReplicas` as a range."""
    count = scaled.get("numReplicas")
    return {} if count is None else dict.fromkeys(BAND, count)


def _is_active(state: SandboxState, entry: Document) -> bool:
    now = state.clock.moment()
    today, hour = now.isoweekday() % 7, now.hour
    start, end = entry["startHourUtc"], entry["endHourUtc"]
    if start < end:
        return today in entry["weekdays"] and start <= hour < end
    return (today in entry["weekdays"] and hour >= start) or ((today - 1) % 7 in entry["weekdays"] and hour < end)


def _refuse(given: Document, state: SandboxState) -> None:
    view = view_of(Service, given, context=state.context)
    for rule in SETTING_RULES:
        if reason := rule.failure(view):
            raise bad_request(f"request body: {reason}")


def _raise(error: HTTPError) -> Document:
    raise error


def _require_known(settings: Document) -> None:
    """Raise 400 for an unknown engine setting, or for a value that is none of the setting."""
    for name, value in settings.items():
        setting = SETTINGS_SCHEMA.get(name)
        if setting is None:
            raise bad_request(f"request body.settings: unknown setting {name!r}")
        whole = isinstance(value, int) and not isinstance(value, bool)
        if (setting["type"] == "integer") is not whole or value not in setting.get("enum", [value]):
            raise bad_request(f"request body.settings: {value!r} is not a value of {name}")
