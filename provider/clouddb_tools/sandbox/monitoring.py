"""Measurements and activities, which other clients read and this package does not.

Names of metrics follow https://clickhouse.com/docs/integrations/prometheus; each has only the values of the sandbox.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_clouddb.client.operation import ORGANIZATION, Operation
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from pulumi_clouddb.things.postgres_services.api import PostgresServices

from .auth import KEYS
from .lifecycle import SERVICES
from .responses import File, not_found
from .served import Handler
from .state import EPOCH, Call, SandboxState
from .store import Document

POSTGRES = PostgresServices.plural()
TEXT = "text/plain"


def _metrics(name: str, id_label: str, services: Iterable[Document]) -> File:
    """Return the state of services in the text format of Prometheus."""
    lines = [f"# HELP {name} Information about a service", f"# TYPE {name} untyped"]
    for each in services:
        labels = {id_label: each["id"], f"{id_label}_name": each["name"], f"{id_label}_status": each["state"]}
        text = ",".join(f'{label}="{_escaped(str(value))}"' for label, value in labels.items())
        lines.append(f"{name}{{{text}}} 1")
    return File("\n".join(lines) + "\n", TEXT)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _one(state: SandboxState, kind: str, object_id: str) -> Document:
    found = state.store.get(kind, object_id)
    if found is None:
        raise not_found("Service")
    return found


def _clickhouse(services: Iterable[Document]) -> File:
    return _metrics("ClickHouse_ServiceInfo", "clickhouse_service", services)


def _postgres(services: Iterable[Document]) -> File:
    return _metrics("PostgresServer_ServiceInfo", "postgres_service", services)


def _activities(state: SandboxState) -> Iterator[Document]:
    """Yield who made what exists, latest first; the sandbox keeps no record of changes."""
    made: list[tuple[str, Document, Document]]
    made = [("create_organization", {"id": state.identity.organizationId, "createdAt": EPOCH}, {})]
    made += [("service_create", each, {"serviceId": each["id"]}) for each in state.store.all(SERVICES)]
    made += [("key_create", each, {"targetKeyId": each["id"]}) for each in state.store.all(KEYS)]
    for kind, record, scope in sorted(made, key=lambda each: str(each[1]["createdAt"]), reverse=True):
        yield {
            "id": f"{kind}-{record['id']}",
            "createdAt": record["createdAt"],
            "type": kind,
            "actorType": "system",
            "actorId": state.identity.organizationId,
            "actorDetails": "sandbox",
            "organizationId": state.identity.organizationId,
            **scope,
        }


def _list_activities(state: SandboxState, call: Call) -> list[Document]:
    first, last = (str(call.query.get(name, "")) for name in ("from_date", "to_date"))
    return [
        each
        for each in _activities(state)
        if first <= str(each["createdAt"]) and (not last or str(each["createdAt"]) <= last)
    ]


def _get_activity(state: SandboxState, call: Call) -> Any:
    for each in _activities(state):
        if each["id"] == call.params["activityId"]:
            return each
    raise not_found("Activity")


def _organization_metrics(state: SandboxState, _: Call) -> File:
    return _clickhouse(state.store.all(SERVICES))


def _service_metrics(state: SandboxState, call: Call) -> File:
    return _clickhouse([_one(state, SERVICES, call.params["serviceId"])])


def _postgres_metrics(state: SandboxState, _: Call) -> File:
    return _postgres(state.store.all(POSTGRES))


def _postgres_service_metrics(state: SandboxState, call: Call) -> File:
    return _postgres([_one(state, POSTGRES, call.params["postgresId"])])


def _read(name: str, path: str) -> Operation:
    return Operation(name, "GET", f"{ORGANIZATION}/{path}", "Monitoring", "read it", only=CLICKHOUSE)


MONITORING: Mapping[Operation, Handler] = {
    _read("organization_metrics", "prometheus"): _organization_metrics,
    _read("service_metrics", "services/{serviceId}/prometheus"): _service_metrics,
    _read("postgres_metrics", "postgres/prometheus"): _postgres_metrics,
    _read("postgres_service_metrics", "postgres/{postgresId}/prometheus"): _postgres_service_metrics,
    _read("list_activities", "activities"): _list_activities,
    _read("get_activity", "activities/{activityId}"): _get_activity,
}
"""The operations, each with its handler."""
