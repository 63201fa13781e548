"""What the vendor's servers keep beside a service: backups, who may query over HTTP, and scaling over the week."""

from __future__ import annotations

from collections.abc import Mapping

from pulumi_clouddb.schema.base import Model, prop
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.view import view_of
from pulumi_clouddb.services.enums import AutoscalingMode
from pulumi_clouddb.services.parts import (
    MAX_ENTRIES,
    BackupBucket,
    BackupConfiguration,
    QueryEndpoint,
    ScheduledScaling,
    UpgradeWindow,
)
from pulumi_clouddb.services.rules import SETTING_RULES
from pulumi_clouddb.services.service import Service
from pulumi_clouddb.services.settings import SECRETS_OF_BUCKETS

from .bodies import checked
from .responses import HTTPError, bad_request, not_found
from .served import ServedWithState
from .state import Call, SandboxState
from .store import Document

BACKUP_CONFIGURATIONS = "backup_configurations"
QUERY_ENDPOINTS = "query_endpoints"
SCHEDULES = "scaling_schedules"

UPGRADE_WINDOWS = "upgrade_windows"
ENGINE_SETTINGS = "engine_settings"
BACKUP_BUCKETS = "backup_buckets"

SETTINGS_SCHEMA: Mapping[str, Document] = {
    "compatibility": {
        "type": "string",
        "description": "The version whose behaviour the engine has.",
        "warning": "Test queries before the compatibility version is changed.",
        "example": "24.8",
    },
    "max_query_size": {"type": "integer", "description": "The most bytes of a query.", "example": "262144"},
    "keep_alive_timeout": {"type": "integer", "description": "Seconds for which a connection is kept."},
    "shared_merge_tree_disable_merges_and_mutations_assignment": {
        "type": "integer",
        "description": "Whether merges and mutations are left to other services.",
        "enum": [0, 1],
    },
}
"""Some settings of the engine."""

USUAL_BACKUPS = {"backupPeriodInHours": 24, "backupRetentionPeriodInHours": 24}
"""When backups are made where nobody says."""

_EMPTY: Document = {"roles": [], "openApiKeys": [], "allowedOrigins": ""}
_SCALING = (
    *("autoscalingMode", "minReplicaMemoryGb", "maxReplicaMemoryGb", "minReplicas", "maxReplicas"),
    *("idleScaling", "idleTimeoutMinutes"),
)

VERTICAL = AutoscalingMode.VERTICAL.value
BAND = ("minReplicas", "maxReplicas")
"""How many replicas there are in horizontal autoscaling."""


class ScheduleBody(Model):
    """Body of a schedule; without entries there is none."""

    entries: list[ScheduledScaling] = prop("The entries.", required=True, max_length=MAX_ENTRIES)


class ServedSettings(ServedWithState):
    """The settings of services that have operations of their own."""

    def get_backup_configuration(self, state: SandboxState, call: Call) -> Document:
        """Tell when backups are made."""
        service = self._primary(state, call)
        return {**USUAL_BACKUPS, **(state.store.get(BACKUP_CONFIGURATIONS, service["id"]) or {})}

    def configure_backups(self, state: SandboxState, call: Call) -> Document:
        """Change when backups are made; null is the default, and a time of the day makes it once a day."""
        service = self._primary(state, call)
        given = call.body if isinstance(call.body, dict) else {}
        said = {name: value for name, value in given.items() if value is not None}
        body = checked(BackupConfiguration, said, drop_unknown=True)
        kept = state.store.get(BACKUP_CONFIGURATIONS, service["id"]) or {}
        changed = {name: value for name, value in {**kept, **body}.items() if name in body or name not in given}
        if "backupStartTime" in body:
            changed.pop("backupPeriodInHours", None)
        elif "backupPeriodInHours" in body:
            changed.pop("backupStartTime", None)
        state.store.put(BACKUP_CONFIGURATIONS, service["id"], changed, service["id"])
        return {**USUAL_BACKUPS, **changed}

    def get_query_endpoint(self, state: SandboxState, call: Call) -> Document:
        """Tell who may query over HTTP."""
        return self._kept(state, call, QUERY_ENDPOINTS)

    def set_query_endpoint(self, state: SandboxState, call: Call) -> Document:
        """Let queries in over HTTP; what was let in before counts no more."""
        service = self.get(state, call)
        body = checked(QueryEndpoint, call.body, drop_unknown=True)
        known = state.store.get(QUERY_ENDPOINTS, service["id"]) or {"id": state.ids.uuid()}
        endpoint = {"id": known["id"], **_EMPTY, **body}
        state.store.put(QUERY_ENDPOINTS, service["id"], endpoint, service["id"])
        return endpoint

    def delete_query_endpoint(self, state: SandboxState, call: Call) -> None:
        """Let no more queries in over HTTP."""
        self._kept(state, call, QUERY_ENDPOINTS)
        state.store.delete(QUERY_ENDPOINTS, self.id_of(call))

    def get_scaling_schedule(self, state: SandboxState, call: Call) -> Document:
        """Tell the scaling over the week."""
        return scheduled(state, self.get(state, call)) or _raise(not_found("Scaling schedule"))

    def set_scaling_schedule(self, state: SandboxState, call: Call) -> Document:
        """Set the scaling over the week, or none."""
        service = self.get(state, call)
        entries = checked(ScheduleBody, call.body, drop_unknown=True)["entries"]
        if not entries:
            state.store.delete(SCHEDULES, service["id"])
            return {"entries": [], "baseConfig": {}}
        _refuse({"scalingSchedule": {"entries": entries}}, state)
        kept = {"entries": [{"id": state.ids.uuid(), **_banded(entry)} for entry in entries]}
        state.store.put(SCHEDULES, service["id"], kept, service["id"])
        return scheduled(state, service) or {}

    def delete_scaling_schedule(self, state: SandboxState, call: Call) -> None:
        """Scale by no schedule."""
        self._kept(state, call, SCHEDULES)
        state.store.delete(SCHEDULES, self.id_of(call))

    def get_upgrade_window(self, state: SandboxState, call: Call) -> Document:
        """Tell when the service may be upgraded; the services of a warehouse have the window of its first one."""
        service = self.get(state, call)
        house = [each for each in state.store.all(self.kind) if each["dataWarehouseId"] == service["dataWarehouseId"]]
        first = next((each for each in house if each["isPrimary"]), service)
        return state.store.get(UPGRADE_WINDOWS, first["id"]) or _raise(not_found("Upgrade window"))

    def set_upgrade_window(self, state: SandboxState, call: Call) -> Document:
        """Set when the service may be upgraded."""
        service = self._primary(state, call, "The upgrade window is set")
        window = {**checked(body_of(UpgradeWindow), call.body, drop_unknown=True), "duration": 6}
        state.store.put(UPGRADE_WINDOWS, service["id"], window, service["id"])
        return window

    def delete_upgrade_window(self, state: SandboxState, call: Call) -> None:
        """Let upgrades come at any time."""
        self._primary(state, call, "The upgrade window is deleted")
        self._kept(state, call, UPGRADE_WINDOWS)
        state.store.delete(UPGRADE_WINDOWS, self.id_of(call))

    def get_settings(self, state: SandboxState, call: Call) -> Document:
        """Tell the settings of the engine that somebody has set, each as text."""
        kept = state.store.get(ENGINE_SETTINGS, self.get(state, call)["id"]) or {}
        return {"settings": [{"name": name, "value": str(value)} for name, value in kept.items()]}

    def get_settings_schema(self, state: SandboxState, call: Call) -> Document:
        """Tell what can be set of the engine."""
        self.get(state, call)
        return {"settings": [{"name": name, **known} for name, known in SETTINGS_SCHEMA.items()]}

    def update_settings(self, state: SandboxState, call: Call) -> Document:
        """Set settings of the engine; the others stay."""
        service = self.get(state, call)
        given = call.body.get("settings") if isinstance(call.body, dict) else None
        if not isinstance(given, dict) or not given:
            raise bad_request("request body.settings: must be an object of settings")
        for name, value in given.items():
            known = SETTINGS_SCHEMA.get(name) or _raise(bad_request(f"request body.settings: unknown setting {name!r}"))
            whole = isinstance(value, int) and not isinstance(value, bool)
            if (known["type"] == "integer") is not whole or value not in known.get("enum", [value]):
                raise bad_request(f"request body.settings: {value!r} is no value of {name}")
        kept = state.store.get(ENGINE_SETTINGS, service["id"]) or {}
        state.store.put(ENGINE_SETTINGS, service["id"], {**kept, **given}, service["id"])
        told = [{"name": name, "message": SETTINGS_SCHEMA[name].get("warning")} for name in given]
        return {"settings": given, "warnings": [each for each in told if each["message"]]}

    def delete_setting(self, state: SandboxState, call: Call) -> None:
        """Give a setting its default, also one that nobody has set."""
        service, name = self.get(state, call), call.params["settingName"]
        kept = state.store.get(ENGINE_SETTINGS, service["id"]) or {}
        left = {each: value for each, value in kept.items() if each != name}
        state.store.put(ENGINE_SETTINGS, service["id"], left, service["id"])

    def get_backup_bucket(self, state: SandboxState, call: Call) -> Document:
        """Tell the bucket that backups are copied to, without its secret."""
        return self._kept(state, call, BACKUP_BUCKETS)

    def create_backup_bucket(self, state: SandboxState, call: Call) -> Document:
        """Let backups be copied to a bucket; there may be one."""
        service = self.get(state, call)
        if state.store.get(BACKUP_BUCKETS, service["id"]) is not None:
            raise bad_request("The service has a backup bucket already")
        return self._put_bucket(state, call, {"id": state.ids.uuid()})

    def update_backup_bucket(self, state: SandboxState, call: Call) -> Document:
        """Change the bucket; its secret is required each time."""
        return self._put_bucket(state, call, self._kept(state, call, BACKUP_BUCKETS))

    def delete_backup_bucket(self, state: SandboxState, call: Call) -> None:
        """Let backups no longer be copied."""
        self._kept(state, call, BACKUP_BUCKETS)
        state.store.delete(BACKUP_BUCKETS, self.id_of(call))

    def _put_bucket(self, state: SandboxState, call: Call, known: Document) -> Document:
        service = self.get(state, call)
        given = call.body if isinstance(call.body, dict) else {}
        secrets = {name: given[name] for name in SECRETS_OF_BUCKETS.values() if name in given}
        said = {name: given[name] for name in given if name not in secrets}
        body = checked(body_of(BackupBucket), said, drop_unknown=True)
        provider = body["bucketProvider"]
        if provider != known.get("bucketProvider", provider):
            raise bad_request(f"request body.bucketProvider: must be {known['bucketProvider']!r}, as it was")
        if provider in SECRETS_OF_BUCKETS and not secrets.get(SECRETS_OF_BUCKETS[provider]):
            raise bad_request(f"request body.{SECRETS_OF_BUCKETS[provider]}: is required on {provider}")
        bucket = {"id": known["id"], **body}
        state.store.put(BACKUP_BUCKETS, service["id"], bucket, service["id"])
        return bucket

    def get_private_endpoint_config(self, state: SandboxState, call: Call) -> Document:
        """Tell how private endpoints reach the service."""
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

    def _kept(self, state: SandboxState, call: Call, kind: str) -> Document:
        service = self.get(state, call)
        return state.store.get(kind, service["id"]) or _raise(not_found(kind.replace("_", " ").capitalize()))


def scheduled(state: SandboxState, service: Document) -> Document | None:
    """Return the schedule of a service as it is at this moment, or None where it has none."""
    kept = state.store.get(SCHEDULES, service["id"])
    if kept is None:
        return None
    entries = [{**entry, "isActiveNow": _is_active(state, entry)} for entry in kept["entries"]]
    schedule: Document = {"entries": entries, "baseConfig": _scaling(service)}
    active = [entry["id"] for entry in entries if entry["isActiveNow"]]
    return {**schedule, "activeEntryId": active[0]} if active else schedule


def effective(service: Document, schedule: Document | None) -> Document:
    """Return the scaling that holds now: that of the entry that is active, over the configured one."""
    entries: list[Document] = schedule["entries"] if schedule else []
    active: Document = next((entry for entry in entries if entry["isActiveNow"]), {})
    scaling = {**_scaling(service), **{name: active[name] for name in _SCALING if name in active}}
    told = {f"effective{name[0].upper()}{name[1:]}": value for name, value in scaling.items()}
    return {**told, "activeEntryId": active["id"]} if active else told


def _scaling(service: Document) -> Document:
    return {name: value for name, value in {**service, **_band(service)}.items() if name in _SCALING}


def _banded(entry: Document) -> Document:
    """Return an entry as it is answered."""
    rest = {name: each for name, each in entry.items() if name != "numReplicas"}
    return {"autoscalingMode": VERTICAL, **rest, **_band(entry)}


def _band(scaled: Document) -> Document:
    """Return a number of replicas as a band of one."""
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
    seen = view_of(Service, given)
    for rule in SETTING_RULES:
        if reason := rule.failure(seen, state.context):
            raise bad_request(f"request body: {reason}")


def _raise(error: HTTPError) -> Document:
    raise error
