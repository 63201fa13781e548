"""Quotas that a plan would exceed, and the cost of the services that it changes.

Servers reject requests beyond a quota in the middle of a run. Only the vendor's servers have quotas and costs.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import TypeVar

from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.collection import Api
from pulumi_clouddb.client.errors import CloudDBError, first_line
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.names import property_names
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from pulumi_clouddb.things.organizations.api import Organizations
from pulumi_clouddb.things.organizations.measured_usage import QuotaUse, Usage
from pulumi_clouddb.things.organizations.usage import MOST_DAYS, REPLICAS, SERVICES, GetUsageCostArgs, Quota
from pulumi_clouddb.things.services.service import REPLICA_SCALING, SERVICE, TOTAL_MEMORY, Service

from .report import QuotaPassed, Report, ResourceChange

COUNTS = property_names(Service, lambda service: (service.num_replicas, service.max_replicas))
RESIZES = frozenset({*REPLICA_SCALING, *TOTAL_MEMORY})

RETRY_SECONDS = 20.0
"""For how long a request is retried: longer than the window of the rate limit, and not as long as one that a preview
needs. Without a response, the report names what is unknown."""

Answer = TypeVar("Answer")


class Organization:
    """The usage of the organization, requested on first use.

    Args:
        config: The address and the credentials of the server.
        report: The report that lists failed requests.
    """

    def __init__(self, config: ProviderConfig, report: Report) -> None:
        self.is_counted = config.vocabulary is CLICKHOUSE
        seconds = min(config.retry_seconds, RETRY_SECONDS)
        self._api = Api(Client(config.model_copy(update={"retry_timeout_seconds": seconds}))).of(Organizations)
        self._report = report

    @functools.cached_property
    def quotas(self) -> Sequence[Quota]:
        """The quotas; empty if the request failed."""
        return self._request("quotas", self._api.quotas) or ()

    @functools.cached_property
    def costs(self) -> Mapping[str, float] | None:
        """The cost of each service with its pipes in the last days, by id; None if the request failed."""
        return self._request("costs", self._costs)

    @property
    def usage(self) -> Usage:
        """The quotas and costs, for policies."""
        if not self.is_counted:
            return Usage()
        counted = {
            str(each.quota_code): QuotaUse(used=each.usage, limit=each.value)
            for each in self.quotas
            if each.usage is not None and each.value is not None
        }
        return Usage(quotas=counted, costs=dict(self.costs or {}))

    def _request(self, what: str, request: Callable[[], Answer]) -> Answer | None:
        try:
            return request()
        except CloudDBError as error:
            self._report.not_known.append(f"The {what} of the organization are unknown: {first_line(error)}")
            return None

    def _costs(self) -> Mapping[str, float]:
        today = datetime.now(timezone.utc).date()
        dates = GetUsageCostArgs.model_construct(from_date=str(today - timedelta(days=MOST_DAYS)), to_date=str(today))
        costs: defaultdict[str, float] = defaultdict(float)
        for each in self._api.usage_cost(dates).costs or ():
            costs[str(each.service_id)] += each.total_chc or 0.0
        return costs


def add_usage(report: Report, organization: Organization) -> None:
    """Add quotas and costs to the report of a plan; a failed request is listed in it.

    Quotas are requested only if the plan creates or resizes a service, costs only if it deletes, replaces or resizes
    one.
    """
    services = [each for each in report.resources if each.type in (SERVICE.token, SERVICE.dynamic_token)]
    sized = [each for each in services if each.operation == "create" or _is_resized(each)]
    touched = [each for each in services if each.operation in ("delete", "replace") or _is_resized(each)]
    if not organization.is_counted:
        return
    if sized:
        report.quotas.extend(_passed(organization.quotas, sized))
    if touched and organization.costs is not None:
        for each in touched:
            each.cost = round(organization.costs.get(each.id, 0.0), 2)


def _is_resized(change: ResourceChange) -> bool:
    return change.operation == "update" and any(each.path.partition("[")[0] in RESIZES for each in change.properties)


def _passed(quotas: Iterable[Quota], sized: Iterable[ResourceChange]) -> Iterable[QuotaPassed]:
    """Yield the quotas that a plan would exceed.

    Services that the same plan deletes still count: Pulumi deletes after it has created.
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
    """Return the largest number of replicas in the change of a service; 0 if it contains none."""
    counts = [each.new for each in change.properties if each.path in COUNTS and isinstance(each.new, (int, float))]
    return int(max(counts, default=0))
