"""The organization of the key."""

from __future__ import annotations

from collections.abc import Sequence

from pulumi_clouddb.client.client import Query
from pulumi_clouddb.client.collection import Collection, identified
from pulumi_clouddb.client.errors import InvalidResponseError
from pulumi_clouddb.client.operation import ORGANIZATION, of_vendor
from pulumi_clouddb.schema.convert import parse
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.values import WireValues

from .organization_settings import OrganizationSettings
from .usage import GetUsageCostArgs, Quota, UsageCost

ORGANIZATIONS = ORGANIZATION.rpartition("/")[0]
QUOTAS = ORGANIZATION + "/quotas"


class Organizations(Collection[OrganizationSettings]):
    """The organizations of the key, of which there is one."""

    model = OrganizationSettings
    body = body_of(OrganizationSettings)
    id_part = "organization_id"

    LIST = of_vendor("list_organizations", "GET", ORGANIZATIONS, "Organization", "list the organizations")
    GET = of_vendor("get_organization", "GET", ORGANIZATION, "Organization", "read the organization")
    LIST_QUOTAS = of_vendor("list_quotas", "GET", QUOTAS, "Quota", "list the quotas")
    GET_QUOTA = of_vendor("get_quota", "GET", QUOTAS + "/{quotaCode}", "Quota", "read the quota")
    GET_USAGE_COST = of_vendor("get_usage_cost", "GET", ORGANIZATION + "/usageCost", "UsageCost", "read the cost")
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


def parts_of(organization: WireValues, name: str) -> Sequence[WireValues]:
    """Return the objects of a list that the record of an organization contains.

    Raises:
        InvalidResponseError: It is not a list of objects with an id, which says nothing about the objects.
    """
    found, operation = organization.get(name) or [], Organizations.GET.managed
    if not isinstance(found, list):
        raise InvalidResponseError(operation, operation.path, f"returned {name} that is not a list")
    return identified(operation, found)
