"""What the organization may use, and what it has cost."""

from __future__ import annotations

from datetime import date, timedelta

from pulumi_clouddb.schema.base import Date, FilledText, Flag, Model, Number, Record, Text, prop
from pulumi_clouddb.schema.resource_type import FunctionType
from pulumi_clouddb.schema.rules import Rule, RuleContext

MOST_DAYS = 30
"""The days from the first one to the last one of a report (openapi: `usageCostGet`)."""

SERVICES, REPLICAS = "services-per-organization", "replicas-per-warehouse"
"""Codes of quotas (openapi: `OrganizationQuota`)."""


class Quota(Record):
    """A limit of the organization (openapi: `OrganizationQuota`)."""

    quota_code: Text | None = prop("Code of the quota, such as `services-per-organization`.")
    name: Text | None = prop("Name of the quota.")
    description: Text | None = prop("What it limits, and how.")
    scope: Text | None = prop("What it is counted in: the `organization`, or each `warehouse`.")
    value: Number | None = prop("The limit at this moment.")
    usage: Number | None = prop(
        "How much of it is used, where the server counts that; it may be more than a limit that was lowered."
    )
    adjustable: Flag | None = prop("Whether the vendor raises the limit when asked.")


class GetQuotaArgs(Model):
    """Arguments of getQuota."""

    quota_code: FilledText = prop("Code of the quota, such as `services-per-organization`.", required=True)


class ListQuotasArgs(Model):
    """Arguments of listQuotas: none."""


class QuotaList(Record):
    """Answer of listQuotas."""

    quotas: list[Quota] = prop("The quotas that apply to the organization.", required=True)


class UsageCostMetrics(Record):
    """What a cost consists of, in credits (openapi: `UsageCostMetrics`)."""

    storage_chc: Number | None = prop("Storage, of a warehouse.", alias="storageCHC")
    backup_chc: Number | None = prop("Backups, of a warehouse.", alias="backupCHC")
    compute_chc: Number | None = prop("Compute, of a service or a pipe.", alias="computeCHC")
    data_transfer_chc: Number | None = prop("Data that a pipe transfers.", alias="dataTransferCHC")
    initial_load_chc: Number | None = prop("Initial loads and resyncs of a pipe.", alias="initialLoadCHC")
    public_data_transfer_chc: Number | None = prop(
        "Data that a service sends to the internet.", alias="publicDataTransferCHC"
    )
    inter_region_tier1_data_transfer_chc: Number | None = prop(
        "Data that a service sends to other regions, in the first tier.", alias="interRegionTier1DataTransferCHC"
    )
    inter_region_tier2_data_transfer_chc: Number | None = prop(
        "The same in the second tier.", alias="interRegionTier2DataTransferCHC"
    )
    inter_region_tier3_data_transfer_chc: Number | None = prop(
        "The same in the third tier.", alias="interRegionTier3DataTransferCHC"
    )
    inter_region_tier4_data_transfer_chc: Number | None = prop(
        "The same in the fourth tier.", alias="interRegionTier4DataTransferCHC"
    )


class UsageCostRecord(Record):
    """What one warehouse, service or pipe has cost on one day (openapi: `UsageCostRecord`)."""

    data_warehouse_id: Text | None = prop("Id of its warehouse.")
    service_id: Text | None = prop("Id of its service; absent for a warehouse.")
    date: Text | None = prop("The day, in UTC.")
    entity_type: Text | None = prop("What it is: `datawarehouse`, `service` or `clickpipe`.")
    entity_id: Text | None = prop("Its id.")
    entity_name: Text | None = prop("Its name.")
    metrics: UsageCostMetrics | None = prop("What the cost consists of.")
    total_chc: Number | None = prop("The cost, in credits.", alias="totalCHC")
    locked: Flag | None = prop("Whether it is final; before, it may change.")


class UsageCost(Record):
    """Answer of getUsageCost (openapi: `UsageCost`)."""

    grand_total_chc: Number | None = prop("The cost of all of it, in credits of the vendor.", alias="grandTotalCHC")
    costs: list[UsageCostRecord] | None = prop("The cost by day, of each warehouse, service and pipe.")


def _fits(args: GetUsageCostArgs, _: RuleContext) -> str | None:
    if args.from_date is None or args.to_date is None:
        return None
    days = date.fromisoformat(args.to_date) - date.fromisoformat(args.from_date)
    return None if timedelta() <= days <= timedelta(days=MOST_DAYS) else f", not {args.to_date} after {args.from_date}"


class GetUsageCostArgs(Model):
    """Arguments of getUsageCost."""

    RULES = (Rule(lambda args: args.to_date, _fits, f"must be from 0 to {MOST_DAYS} days after fromDate"),)

    from_date: Date = prop("First day, in UTC.", required=True, api="from_date")
    to_date: Date = prop("Last day, in UTC.", required=True, api="to_date")
    filters: list[FilledText] | None = prop(
        "Only what has these tags, each as `tag:KEY` or `tag:KEY=VALUE`.", api="filter"
    )


GET_QUOTA = FunctionType("getQuota", "Reads one quota of the organization by its code.", GetQuotaArgs, Quota)
LIST_QUOTAS = FunctionType(
    "listQuotas", "Lists the quotas of the organization, and how much of each is used.", ListQuotasArgs, QuotaList
)
GET_USAGE_COST = FunctionType(
    "getUsageCost",
    "Reads what the organization has cost, by day, and by warehouse, service and pipe.",
    GetUsageCostArgs,
    UsageCost,
)
