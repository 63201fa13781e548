"""The organization."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import Required, TypedDict

from description.exchange import Exchange
from description.notation import Moment, Uuid
from things.services.described import Provider, Region


class PrivateEndpoint(TypedDict, total=False):
    id: str
    description: str
    cloudProvider: Provider
    region: Region


class PrivateEndpointsChange(TypedDict, total=False):
    add: list[PrivateEndpoint]  # deprecated
    remove: list[PrivateEndpoint]


class Update(TypedDict, total=False):
    name: str
    privateEndpoints: PrivateEndpointsChange
    enableCoreDumps: bool


class Byoc(TypedDict, total=False):
    """A region that is prepared for bring-your-own-cloud."""

    id: str
    state: Literal["infra-ready", "infra-provisioning", "infra-terminated"]
    accountName: str
    regionId: Region
    cloudProvider: Provider
    displayName: str


class Organization(TypedDict, total=False):
    id: Uuid
    createdAt: Moment
    name: str
    privateEndpoints: list[PrivateEndpoint]
    byocConfig: list[Byoc]
    enableCoreDumps: bool


class Quota(TypedDict, total=False):
    quotaCode: Required[
        Literal["services-per-organization", "postgres-services-per-organization", "replicas-per-warehouse"]
    ]
    name: Required[str]
    description: Required[str]
    scope: Required[Literal["organization", "warehouse"]]
    value: Required[Annotated[int, Field(ge=0)]]
    usage: Annotated[int, Field(ge=0)]
    adjustable: Required[bool]


class CostMetrics(TypedDict, total=False):
    storageCHC: float
    backupCHC: float
    computeCHC: float
    dataTransferCHC: float
    initialLoadCHC: float
    publicDataTransferCHC: float
    interRegionTier1DataTransferCHC: float
    interRegionTier2DataTransferCHC: float
    interRegionTier3DataTransferCHC: float
    interRegionTier4DataTransferCHC: float


class CostRecord(TypedDict, total=False):
    """The cost of one object on one day."""

    dataWarehouseId: Uuid
    serviceId: Uuid | None
    date: str
    entityType: Literal["datawarehouse", "service", "clickpipe"]
    entityId: Uuid
    entityName: str
    metrics: CostMetrics
    totalCHC: float
    locked: bool


class UsageCost(TypedDict, total=False):
    grandTotalCHC: float
    costs: list[CostRecord]


EXCHANGES = {
    "list_organizations": Exchange(response=list[Organization]),
    "get_organization": Exchange(response=Organization),
    "update_organization": Exchange(Update, Organization),
    "list_quotas": Exchange(response=list[Quota]),
    "get_quota": Exchange(response=Quota),
    "get_usage_cost": Exchange(response=UsageCost),
}
