"""Infrastructures in accounts of the organization; things/organizations describes the responses."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from description.exchange import Exchange
from things.organizations.described import Byoc
from things.services.described import Region


class Create(TypedDict, total=False):
    regionId: Region
    accountId: str
    availabilityZoneSuffixes: list[Literal["a", "b", "c", "d", "e", "f"]]
    vpcCidrRange: str
    displayName: str


class Update(TypedDict, total=False):
    displayName: str


EXCHANGES = {
    "create_byoc_infrastructure": Exchange(Create, Byoc),
    "update_byoc_infrastructure": Exchange(Update, Byoc),
    "delete_byoc_infrastructure": Exchange(),
}
