"""Quotas, profiles of services, cost and credits of the organization."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import ClassVar

from pulumi_clouddb.schema.base import Date, FilledText, Flag, Model, Number, Record, Region, Text, prop
from pulumi_clouddb.schema.check.rules import API, Rule, rule
from pulumi_clouddb.schema.resource_type import FunctionType, NoArguments, list_function

MOST_DAYS = 30
"""The longest period of a report, in days (OpenAPI: `usageCostGet`)."""

SERVICES, REPLICAS = "services-per-organization", "replicas-per-warehouse"
"""Codes of quotas (OpenAPI: `OrganizationQuota`)."""


class Quota(Record):
    """A limit of the organization (OpenAPI: `OrganizationQuota`)."""

    quota_code: Text | None = prop("Code of the quota, such as `services-per-organization`.")
    name: Text | None = prop("Name of the quota.")
    description: Text | None = prop("Description of the limit.")
    scope: Text | None = prop("Scope of the limit: the `organization`, or each `warehouse`.")
    value: Number | None = prop("Current limit.")
    usage: Number | None = prop("Current usage, if the server reports it; it can exceed the limit if that was lowered.")
    adjustable: Flag | None = prop("Whether the vendor can raise the limit on request.")


class GetQuotaArgs(Model):
    """Arguments of getQuota."""

    quota_code: FilledText = prop("Code of the quota, such as `services-per-organization`.", required=True)


class ServiceProfile(Record):
    """A size that services of the organization can have."""

    profile: Text | None = prop("Name, for `profile` of a service.")
    cpu_cores: Number | None = prop("Processor cores of a replica.")
    memory_gi: Number | None = prop("Memory of a replica, in GiB.")


class ListServiceProfilesArgs(Model):
    """Arguments of listServiceProfiles."""

    RULES: ClassVar[tuple[Rule[ListServiceProfilesArgs], ...]] = (
        rule(
            lambda args: args.region_id,
            "or byocId is needed",
            lambda args: args.region_id is None and args.byoc_id is None,
            source=API("GET /v1/organizations/{organizationId}/serviceProfiles query region_id"),
        ),
    )

    region_id: Region | None = prop("Region of the services; by default that of the infrastructure.", api="region_id")
    byoc_id: FilledText | None = prop("Id of a `ByocInfrastructure`, for its own profiles.", api="byoc_id")


class UsageCostMetrics(Record):
    """The parts of a cost, in credits (OpenAPI: `UsageCostMetrics`)."""

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
        "Data that a service sends to other regions, in the second tier.", alias="interRegionTier2DataTransferCHC"
    )
    inter_region_tier3_data_transfer_chc: Number | None = prop(
        "Data that a service sends to other regions, in the third tier.", alias="interRegionTier3DataTransferCHC"
    )
    inter_region_tier4_data_transfer_chc: Number | None = prop(
        "Data that a service sends to other regions, in the fourth tier.", alias="interRegionTier4DataTransferCHC"
    )


class UsageCostRecord(Record):
    """The cost of one warehouse, service or pipe on one day (OpenAPI: `UsageCostRecord`)."""

    data_warehouse_id: Text | None = prop("Id of its warehouse.")
    service_id: Text | None = prop("Id of its service; absent for a warehouse.")
    date: Text | None = prop("The day, in UTC.")
    entity_type: Text | None = prop("Kind of the object: `datawarehouse`, `service` or `clickpipe`.")
    entity_id: Text | None = prop("Id of the object.")
    entity_name: Text | None = prop("Name of the object.")
    metrics: UsageCostMetrics | None = prop("Parts of the cost.")
    total_chc: Number | None = prop("The cost, in credits.", alias="totalCHC")
    locked: Flag | None = prop("Whether the cost is final; before that, it may change.")


class UsageCost(Record):
    """Answer of getUsageCost (OpenAPI: `UsageCost`)."""

    grand_total_chc: Number | None = prop("Total cost, in credits of the vendor.", alias="grandTotalCHC")
    costs: list[UsageCostRecord] | None = prop("Cost by day, of each warehouse, service and pipe.")


class CreditBalance(Record):
    """Credits of the organization that were bought, or given for a trial."""

    id: Text | None = prop("Id of the balance.")
    type: Text | None = prop("Kind of the credits: `prepaid` or `trial`.")
    remaining_credits: Number | None = prop("Credits that remain.")
    total_amount: Number | None = prop("Credits at the start.")
    amount_spent: Number | None = prop("Credits that are spent.")
    start_date: Text | None = prop("When they became valid (ISO-8601).")
    expiration_date: Text | None = prop("When they expire (ISO-8601).")


class CreditBalances(Record):
    """Answer of getCreditBalances."""

    total_remaining_credits: Number | None = prop("Credits that remain in all balances.")
    balances: list[CreditBalance] | None = prop("The balances; the one that expires first is first.")


def _fits(args: GetUsageCostArgs) -> str | None:
    if args.from_date is None or args.to_date is None:
        return None
    days = date.fromisoformat(args.to_date) - date.fromisoformat(args.from_date)
    return None if timedelta() <= days <= timedelta(days=MOST_DAYS) else f", not {args.to_date} after {args.from_date}"


class GetUsageCostArgs(Model):
    """Arguments of getUsageCost."""

    RULES: ClassVar[tuple[Rule[GetUsageCostArgs], ...]] = (
        rule(
            lambda args: args.to_date,
            f"must be from 0 to {MOST_DAYS} days after fromDate",
            _fits,
            source=API("GET /v1/organizations/{organizationId}/usageCost query to_date"),
        ),
        rule(
            lambda args: args.filters,
            "should each be `tag:KEY` or `tag:KEY=VALUE`",
            lambda args: not all(re.fullmatch(r"tag:[\w.-]+(=.*)?", each) for each in args.filters or ()),
            warns=True,
            source=API("GET /v1/organizations/{organizationId}/usageCost query filter"),
        ),
    )

    from_date: Date = prop("First day, in UTC.", required=True, api="from_date")
    to_date: Date = prop("Last day, in UTC.", required=True, api="to_date")
    filters: list[FilledText] | None = prop("Include only objects with these tags.", api="filter")


GET_QUOTA = FunctionType("getQuota", "Reads one quota of the organization by its code.", GetQuotaArgs, Quota)
LIST_QUOTAS = list_function(
    "listQuotas",
    "Lists the quotas of the organization, and the usage of each.",
    NoArguments,
    "quotas",
    Quota,
    "The quotas that apply to the organization.",
)
GET_USAGE_COST = FunctionType(
    "getUsageCost",
    "Reads the cost of the organization, by day, and by warehouse, service and pipe.",
    GetUsageCostArgs,
    UsageCost,
)
GET_CREDIT_BALANCES = FunctionType(
    "getCreditBalances",
    "Reads the prepaid and trial credits of the organization, and what remains of them.",
    NoArguments,
    CreditBalances,
)
LIST_SERVICE_PROFILES = list_function(
    "listServiceProfiles",
    "Lists the profiles that services of the organization can have in a region, or in an infrastructure of its own.",
    ListServiceProfilesArgs,
    "service_profiles",
    ServiceProfile,
    "The profiles; none if the organization has no profiles of its own.",
)
