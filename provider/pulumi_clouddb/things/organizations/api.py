"""The organization of the key."""

from __future__ import annotations

from typing import ClassVar

from pulumi_clouddb.client.client import Query
from pulumi_clouddb.client.collection import Collection, RecordT, identified
from pulumi_clouddb.client.errors import InvalidResponseError, ListNotFoundError, NotFoundError
from pulumi_clouddb.client.operation import CALLER, ORGANIZATION, Forms, of_vendor
from pulumi_clouddb.schema.convert import parse
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.values import WireValues

from .notifications import NotificationType, PrometheusTarget
from .organization_settings import OrganizationSettings
from .usage import CreditBalances, GetUsageCostArgs, ListServiceProfilesArgs, Quota, ServiceProfile, UsageCost

ORGANIZATIONS = ORGANIZATION.rpartition("/")[0]
QUOTAS = ORGANIZATION + "/quotas"


class Organizations(Collection[OrganizationSettings]):
    """The organizations of the key, of which there is one."""

    model = OrganizationSettings
    body = body_of(OrganizationSettings)
    id_part = "organization_id"

    CALLER = Forms(CALLER, CALLER)
    LIST = of_vendor("list_organizations", "GET", ORGANIZATIONS, "Organization", "list the organizations")
    GET = of_vendor("get_organization", "GET", ORGANIZATION, "Organization", "read the organization")
    LIST_QUOTAS = of_vendor("list_quotas", "GET", QUOTAS, "Quota", "list the quotas")
    GET_QUOTA = of_vendor("get_quota", "GET", QUOTAS + "/{quotaCode}", "Quota", "read the quota")
    GET_USAGE_COST = of_vendor("get_usage_cost", "GET", ORGANIZATION + "/usageCost", "UsageCost", "read the cost")
    LIST_SERVICE_PROFILES = of_vendor(
        "list_service_profiles", "GET", ORGANIZATION + "/serviceProfiles", "ServiceProfile", "list the profiles"
    )
    GET_CREDIT_BALANCES = of_vendor(
        "get_credit_balances", "GET", ORGANIZATION + "/creditBalances", "CreditBalances", "read the credits"
    )
    GET_PROMETHEUS_TARGETS = of_vendor(
        "get_prometheus_targets",
        "GET",
        ORGANIZATION + "/prometheus/discovery",
        "PrometheusTarget",
        "read the targets of Prometheus",
        bare=True,
    )
    LIST_NOTIFICATION_TYPES = of_vendor(
        "list_notification_types",
        "GET",
        ORGANIZATION + "/notificationTypes",
        "NotificationType",
        "list the types of notifications",
    )
    UPDATE = of_vendor("update_organization", "PATCH", ORGANIZATION, "Organization", "update the organization")

    def quotas(self) -> list[Quota]:
        """Return the quotas of the configured organization."""
        return [parse(Quota, each) for each in self.call(self.LIST_QUOTAS)]

    def quota(self, quota_code: str) -> Quota:
        """Return one quota of the configured organization.

        Raises:
            NotFoundError: There is no such quota, or it does not apply to the organization.
        """
        return parse(Quota, self.call(self.GET_QUOTA, quota_code=quota_code))

    def usage_cost(self, args: GetUsageCostArgs) -> UsageCost:
        """Return the cost of the configured organization."""
        query: Query = {"from_date": args.from_date, "to_date": args.to_date, "filter": args.filters or []}
        return parse(UsageCost, self.call(self.GET_USAGE_COST, query=query))

    def service_profiles(self, args: ListServiceProfilesArgs) -> list[ServiceProfile]:
        """Return the profiles of services in a region, or in an infrastructure."""
        given = {"region_id": args.region_id, "byoc_id": args.byoc_id}
        query: Query = {name: value for name, value in given.items() if value is not None}
        return [parse(ServiceProfile, each) for each in self.call(self.LIST_SERVICE_PROFILES, query=query)]

    def credit_balances(self) -> CreditBalances:
        """Return the credits of the configured organization."""
        return parse(CreditBalances, self.call(self.GET_CREDIT_BALANCES))

    def prometheus_targets(self, *, filtered: bool) -> list[PrometheusTarget]:
        """Return the targets of Prometheus, with all metrics or with the most important ones."""
        query = {"filtered_metrics": str(filtered).lower()}
        return [parse(PrometheusTarget, each) for each in self.call(self.GET_PROMETHEUS_TARGETS, query=query)]

    def notification_types(self) -> list[NotificationType]:
        """Return the types of notifications that the organization can receive."""
        return [parse(NotificationType, each) for each in self.call(self.LIST_NOTIFICATION_TYPES)]


class OrganizationParts(Collection[RecordT]):
    """Objects that the record of the organization lists."""

    LIST = Organizations.GET
    part: ClassVar[str]
    """The field of that record with the list."""

    def list(self) -> dict[str, RecordT]:
        """Request the organization, and return the objects by id.

        Raises:
            ListNotFoundError: There is no such organization.
        """
        try:
            return self.parts_in(self.call(self.LIST))
        except NotFoundError as error:
            raise ListNotFoundError(error.operation, error.url, error.message, status=error.status) from None

    def parts_in(self, organization: WireValues) -> dict[str, RecordT]:
        """Return the objects in the record of the organization by id.

        Raises:
            InvalidResponseError: They are not a list of objects with an id, so nothing is known about any object.
        """
        found, operation = organization.get(self.part) or [], self.LIST.managed
        if not isinstance(found, list):
            raise InvalidResponseError(operation, operation.path, f"returned {self.part} that is not a list")
        return {self.id_of(each): each for each in map(self.parsed, identified(operation, found))}
