"""The organization. There is exactly one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from starlette.datastructures import QueryParams

from pulumi_clouddb.things.organizations.api import Organizations
from pulumi_clouddb.things.organizations.usage import MOST_DAYS
from pulumi_clouddb.things.private_endpoints.api import PrivateEndpoints

from . import byoc_infrastructures, private_endpoints
from .lifecycle import SERVICES
from .private_endpoints import ENDPOINTS, add_endpoint
from .responses import Bare, bad_request, not_found
from .served import Served
from .services import tagged
from .state import EPOCH, Call, SandboxState
from .store import Document

QUOTAS: Mapping[str, tuple[str, str, int]] = {
    "services-per-organization": ("Services per organization", "organization", 100),
    "postgres-services-per-organization": ("Postgres services per organization", "organization", 10),
    "replicas-per-warehouse": ("Replicas per warehouse", "warehouse", 20),
}
"""Name, scope and limit of each quota, by code; the sandbox does not enforce them."""

BYOC = byoc_infrastructures.SERVED.kind

NOTIFICATIONS = (
    ("service_backup_failed", "service", "warning"),
    ("clickpipe_failed", "clickpipe", "critical"),
    ("payment_overdue", "billing", "critical"),
)
"""Name, category and severity of types of notifications."""

TRIAL_CREDITS = 300
CREDITS_PER_DAY = 1.5
"""Cost of each service."""


class ServedOrganizations(Served):
    """The organization of the key."""

    def caller(self, state: SandboxState, call: Call) -> Document:
        """Return the key of the request and its organization."""
        key = call.key or {}
        own = {"keyId": key["id"], "name": key["name"], "organizationId": state.identity.organizationId}
        return {"actorType": "apiKey", **own}

    def list_quotas(self, state: SandboxState, call: Call) -> Any:
        """List the quotas; that of services shows its usage."""
        return _quotas(state)

    def get_quota(self, state: SandboxState, call: Call) -> Document:
        """Read one quota."""
        for quota in _quotas(state):
            if quota["quotaCode"] == call.params["quotaCode"]:
                return quota
        raise not_found("Quota")

    def get_usage_cost(self, state: SandboxState, call: Call) -> Document:
        """Return the cost of the existing services, as if they had existed on every day."""
        first, last = (_day(call, name) for name in ("from_date", "to_date"))
        if not timedelta() <= last - first <= timedelta(days=MOST_DAYS):
            raise bad_request(f"request query.to_date: must be from 0 to {MOST_DAYS} days after from_date")
        filters = call.query.getlist("filter") if isinstance(call.query, QueryParams) else []
        days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
        services = tagged(state.store.all(SERVICES), filters)
        costs = [_cost(service, day) for day in days for service in services]
        return {"grandTotalCHC": sum(each["totalCHC"] for each in costs), "costs": costs}

    def list_service_profiles(self, state: SandboxState, call: Call) -> Any:
        """List the profiles of an infrastructure; the organization has none beside these."""
        if not call.query.get("region_id") and not call.query.get("byoc_id"):
            raise bad_request("request query.region_id: is required without byoc_id")
        known = {each["id"] for each in state.store.all(BYOC)}
        sizes = (4, 8) if call.query.get("byoc_id") in known else ()
        return [{"profile": f"v1-standard-byoc-{size}", "cpuCores": size, "memoryGi": 4 * size} for size in sizes]

    def get_credit_balances(self, state: SandboxState, call: Call) -> Document:
        """Return the credits of a trial, of which nothing is spent."""
        balance = {
            "id": state.identity.organizationId,
            "type": "trial",
            "remainingCredits": TRIAL_CREDITS,
            "totalAmount": TRIAL_CREDITS,
            "amountSpent": 0,
            "startDate": EPOCH,
            "expirationDate": "2100-01-01T00:00:00Z",
        }
        return {"totalRemainingCredits": TRIAL_CREDITS, "balances": [balance]}

    def list_notification_types(self, state: SandboxState, call: Call) -> Any:
        """List some of the types of notifications."""
        return [
            {
                "name": name,
                "title": name.replace("_", " ").capitalize(),
                "category": kind,
                "severity": severity,
                "resourceType": kind,
                "isConfigurable": True,
                "isAvailable": True,
            }
            for name, kind, severity in NOTIFICATIONS
        ]

    def get_prometheus_targets(self, state: SandboxState, call: Call) -> Bare:
        """Return a target for each service."""
        organization, host = state.identity.organizationId, call.origin.partition("://")[2].rstrip("/")
        return Bare(
            [
                {
                    "targets": [host],
                    "labels": {
                        "__metrics_path__": f"/v1/organizations/{organization}/services/{service['id']}/prometheus",
                        "__scheme__": call.origin.partition("://")[0],
                        "__param_filtered_metrics": call.query.get("filtered_metrics", "true"),
                        "clickhouse_org_id": organization,
                        "clickhouse_service_id": service["id"],
                        "clickhouse_discovery_service_name": str(service["name"] or ""),
                    },
                }
                for service in state.store.all(SERVICES)
            ]
        )

    def update(self, state: SandboxState, call: Call) -> Document:
        """Change the organization; private endpoints are removed before others are added."""
        change = call.body.get(ENDPOINTS) if isinstance(call.body, dict) else None
        for each in (change or {}).get("remove") or ():
            private_endpoints.SERVED.remove(state, str(each.get("id")))
        for each in (change or {}).get("add") or ():
            add_endpoint(state, each)
        return super().update(state, call)

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the organization with its infrastructures and private endpoints."""
        newer = ("accountId",) if state.is_newest else ()
        infrastructures = [
            {**byoc_infrastructures.SERVED.listed(each), **{name: each[name] for name in newer if name in each}}
            for each in state.store.all(BYOC)
        ]
        known = {each["id"] for each in infrastructures}
        infrastructures = [*(each for each in document["byocConfig"] if each.get("id") not in known), *infrastructures]
        return {**document, "byocConfig": infrastructures, ENDPOINTS: state.store.all(PrivateEndpoints.plural())}

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add the organization, or replace it."""
        own: Document = {"id": state.identity.organizationId, "name": "Sandbox", "createdAt": EPOCH}
        own |= {"enableCoreDumps": True, "byocConfig": [], "capabilities": {"snapshots": True}}
        return super().add(state, parent, {**own, **fields, "id": own["id"]})


SERVED = ServedOrganizations(Organizations)


def _quotas(state: SandboxState) -> list[Document]:
    used = {"services-per-organization": {"usage": len(state.store.all(SERVICES))}}
    return [
        {
            "quotaCode": code,
            "name": name,
            "description": f"{name}.",
            "scope": scope,
            "value": value,
            "adjustable": True,
            **used.get(code, {}),
        }
        for code, (name, scope, value) in QUOTAS.items()
    ]


def _day(call: Call, name: str) -> date:
    try:
        return date.fromisoformat(call.query.get(name, ""))
    except ValueError:
        raise bad_request(f"request query.{name}: must be a date") from None


def _cost(service: Document, day: date) -> Document:
    id_ = service["id"]
    return {
        "dataWarehouseId": service["dataWarehouseId"],
        "serviceId": id_,
        "date": day.isoformat(),
        "entityType": "service",
        "entityId": id_,
        "entityName": service["name"],
        "metrics": {"computeCHC": CREDITS_PER_DAY},
        "totalCHC": CREDITS_PER_DAY,
        "locked": True,
    }
