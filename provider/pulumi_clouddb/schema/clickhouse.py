"""Limits that the vendor's own servers draw wider than the interface, for `clouddb:vocabulary=clickhouse`."""

from __future__ import annotations

from enum import Enum

from pulumi_clouddb.pipes.scaling import PipeScalingArgs
from pulumi_clouddb.services.service import ServiceArgs
from pulumi_clouddb.services.settings import DETAILS

from .base import Model, Text, Whole, prop


class ServerRegion(str, Enum):
    """Regions of the vendor's own servers."""

    AP_NORTHEAST_1 = "ap-northeast-1"
    AP_NORTHEAST_2 = "ap-northeast-2"
    AP_SOUTH_1 = "ap-south-1"
    AP_SOUTHEAST_1 = "ap-southeast-1"
    AP_SOUTHEAST_2 = "ap-southeast-2"
    ASIA_NORTHEAST1 = "asia-northeast1"
    ASIA_SOUTHEAST1 = "asia-southeast1"
    CA_CENTRAL_1 = "ca-central-1"
    CENTRALUS = "centralus"
    EASTUS = "eastus"
    EASTUS2 = "eastus2"
    EU_CENTRAL_1 = "eu-central-1"
    EU_WEST_1 = "eu-west-1"
    EU_WEST_2 = "eu-west-2"
    EUROPE_WEST2 = "europe-west2"
    EUROPE_WEST4 = "europe-west4"
    GERMANYWESTCENTRAL = "germanywestcentral"
    IL_CENTRAL_1 = "il-central-1"
    US_CENTRAL1 = "us-central1"
    AWS_US_EAST_1 = "us-east-1"
    US_EAST_2 = "us-east-2"
    GCP_US_EAST1 = "us-east1"
    US_WEST_2 = "us-west-2"
    WESTUS3 = "westus3"


class ServerProfile(str, Enum):
    """Instance profiles of the vendor's own servers."""

    V1_DEFAULT = "v1-default"
    V1_HIGHMEM_XS = "v1-highmem-xs"
    V1_HIGHMEM_S = "v1-highmem-s"
    V1_HIGHMEM_M = "v1-highmem-m"
    V1_HIGHMEM_L = "v1-highmem-l"
    V1_HIGHMEM_XL = "v1-highmem-xl"


class ServerServiceArgs(ServiceArgs):
    """A service within the limits of the vendor's own servers, which take any character in a name."""

    name: Text | None = prop("Name of the service.", required=True, min_length=1, max_length=50, groups=(DETAILS,))
    region: ServerRegion | None = prop("Region of that cloud.", replaces=True)  # type: ignore[assignment]
    profile: ServerProfile | None = prop("Instance profile.", replaces=True)  # type: ignore[assignment]


class ServerPipeScalingArgs(PipeScalingArgs):
    """A scaling within the limits of the vendor's own servers."""

    replicas: Whole | None = prop("Replicas of a stream pipe.", ge=1, le=40)


WIDER: dict[type[Model], type[Model]] = {ServiceArgs: ServerServiceArgs, PipeScalingArgs: ServerPipeScalingArgs}
"""The model that stands in for each one whose limits are wider."""
