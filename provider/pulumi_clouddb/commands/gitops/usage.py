"""What a plan uses of the organization: quotas that it would pass, and the cost of the services that it changes.

Servers refuse what passes a quota in the middle of a run. Only the vendor's servers have quotas and costs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta, timezone

from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.collection import Api
from pulumi_clouddb.client.errors import CloudDBError, first_line
from pulumi_clouddb.organizations.api import Organizations
from pulumi_clouddb.organizations.usage import MOST_DAYS, GetUsageCostArgs, Quota
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.names import property_names
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from pulumi_clouddb.services.service import REPLICA_SCALING, TOTAL_MEMORY, Service

from .report import QuotaPassed, Report, ResourceChange

SERVICES, REPLICAS = "services-per-organization", "replicas-per-warehouse"
"""Codes of quotas (openapi: `OrganizationQuota`)."""

COUNTS = property_names(Service, lambda service: (service.num_replicas, service.max_replicas))
RESIZES = frozenset({*REPLICA_SCALING, *TOTAL_MEMORY})


def add_usage(report: Report, config: ProviderConfig) -> None:
    """Add to a report what its plan uses; what cannot be asked is said in it, and is no reason to fail.

    Only what the plan makes necessary is asked: quotas where it creates or resizes a service, costs where it deletes,
    replaces or resizes one.
    """
    services = [each for each in report.resources if each.database]
    sized = [each for each in services if each.operation == "create" or _is_resized(each)]
    touched = [each for each in services if each.operation in ("delete", "replace") or _is_resized(each)]
    if config.vocabulary is not CLICKHOUSE or not services:
        return
    organization = Api(Client(config)).of(Organizations)
    if sized:
        _ask(report, "quotas", lambda: report.quotas.extend(_passed(organization.quotas(), sized)))
    if touched:
        _ask(report, "costs", lambda: _add_costs(touched, _costs(organization)))


def _ask(report: Report, what: str, ask: Callable[[], None]) -> None:
    try:
        ask()
    except CloudDBError as error:
        report.not_known.append(f"The {what} of the organization are not known: {first_line(error)}")


def _is_resized(change: ResourceChange) -> bool:
    return change.operation == "update" and any(each.path.partition("[")[0] in RESIZES for each in change.properties)


def _passed(quotas: Iterable[Quota], sized: Iterable[ResourceChange]) -> Iterable[QuotaPassed]:
    """Yield the quotas that a plan would pass.

    Pulumi deletes after it has created, so that a service that the same plan deletes makes no room.
    """
    created = [each.name for each in sized if each.operation == "create"]
    planned = {
        SERVICES: [(len(created), created)] if created else [],
        REPLICAS: [(_replicas(each), [each.name]) for each in sized],
    }
    for quota in quotas:
        for count, names in planned.get(str(quota.quota_code), ()):
            if quota.value is not None and (quota.usage or 0) + count > quota.value:
                yield QuotaPassed(
                    code=str(quota.quota_code),
                    name=str(quota.name or quota.quota_code),
                    limit=int(quota.value),
                    used=None if quota.usage is None else int(quota.usage),
                    planned=count,
                    resources=names,
                )


def _replicas(change: ResourceChange) -> int:
    """Return the most replicas that a service is to have, as far as the change says so."""
    counts = [each.new for each in change.properties if each.path in COUNTS and isinstance(each.new, (int, float))]
    return int(max(counts, default=0))


def _costs(organization: Organizations) -> Mapping[str, float]:
    """Return what each service has cost in the last days, with its pipes, by its id."""
    today = datetime.now(timezone.utc).date()
    asked = GetUsageCostArgs.model_construct(from_date=str(today - timedelta(days=MOST_DAYS)), to_date=str(today))
    costs: defaultdict[str, float] = defaultdict(float)
    for each in organization.usage_cost(asked).costs or ():
        costs[str(each.service_id)] += each.total_chc or 0.0
    return costs


def _add_costs(touched: Iterable[ResourceChange], costs: Mapping[str, float]) -> None:
    for each in touched:
        each.cost = round(costs.get(each.id, 0.0), 2)
