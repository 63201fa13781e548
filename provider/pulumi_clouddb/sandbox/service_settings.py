"""What the vendor's servers keep beside a service: backups, who may query over HTTP, and scaling over the week."""

from __future__ import annotations

from pulumi_clouddb.schema.base import Model, prop
from pulumi_clouddb.schema.view import view_of
from pulumi_clouddb.services.enums import AutoscalingMode
from pulumi_clouddb.services.parts import (
    MAX_ENTRIES,
    BackupConfiguration,
    QueryEndpoint,
    ScheduledScaling,
)
from pulumi_clouddb.services.rules import SETTING_RULES
from pulumi_clouddb.services.service import Service

from .bodies import checked
from .responses import HTTPError, bad_request, not_found
from .served import ServedWithState
from .state import Call, SandboxState
from .store import Document

BACKUP_CONFIGURATIONS = "backup_configurations"
QUERY_ENDPOINTS = "query_endpoints"
SCHEDULES = "scaling_schedules"

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

    def get_private_endpoint_config(self, state: SandboxState, call: Call) -> Document:
        """Tell how private endpoints reach the service."""
        service = self.get(state, call)
        return {
            "endpointServiceId": f"com.amazonaws.vpce.{service['region']}.vpce-svc-{service['id'][:8]}",
            "privateDnsHostname": f"{service['id'][:10]}.{service['region']}.vpce.clouddb.example",
        }

    def _primary(self, state: SandboxState, call: Call) -> Document:
        service = self.get(state, call)
        if not service["isPrimary"]:
            raise bad_request("Backups are configured for the primary service of a warehouse only")
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
