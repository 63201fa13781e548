"""The values of enumerated fields of a service, and its states."""

from __future__ import annotations

from typing import Final

from pulumi_clouddb.schema.choice import ClosedChoice, OpenChoice
from pulumi_clouddb.schema.common import CLOUDS, cloud_of
from pulumi_clouddb.schema.values import WireValues


class CloudProvider(OpenChoice):
    """Cloud that runs the service."""

    AWS = "aws"
    GCP = "gcp"
    AZURE = "azure"


class EndpointProtocol(OpenChoice):
    """Protocol of an endpoint that can be turned on and off."""

    MYSQL = "mysql"


class Region(OpenChoice):
    """Region that the service runs in; each belongs to one cloud."""

    AP_NORTHEAST_1 = "ap-northeast-1"
    AP_SOUTH_1 = "ap-south-1"
    AP_SOUTHEAST_1 = "ap-southeast-1"
    AP_SOUTHEAST_2 = "ap-southeast-2"
    EU_CENTRAL_1 = "eu-central-1"
    EU_WEST_1 = "eu-west-1"
    EU_WEST_2 = "eu-west-2"
    ME_CENTRAL_1 = "me-central-1"
    AWS_US_EAST_1 = "us-east-1"
    US_EAST_2 = "us-east-2"
    US_WEST_2 = "us-west-2"
    GCP_US_EAST1 = "us-east1"
    US_CENTRAL1 = "us-central1"
    EUROPE_WEST4 = "europe-west4"
    ASIA_SOUTHEAST1 = "asia-southeast1"
    EASTUS = "eastus"
    EASTUS2 = "eastus2"
    WESTUS3 = "westus3"
    GERMANYWESTCENTRAL = "germanywestcentral"


class Tier(OpenChoice):
    """Service tier, from before organizations had tiers."""

    DEVELOPMENT = "development"
    PRODUCTION = "production"
    DEDICATED_HIGH_MEM = "dedicated_high_mem"
    DEDICATED_HIGH_CPU = "dedicated_high_cpu"
    DEDICATED_STANDARD = "dedicated_standard"
    DEDICATED_STANDARD_N2D_STANDARD_4 = "dedicated_standard_n2d_standard_4"
    DEDICATED_STANDARD_N2D_STANDARD_8 = "dedicated_standard_n2d_standard_8"
    DEDICATED_STANDARD_N2D_STANDARD_32 = "dedicated_standard_n2d_standard_32"
    DEDICATED_STANDARD_N2D_STANDARD_128 = "dedicated_standard_n2d_standard_128"
    DEDICATED_STANDARD_N2D_STANDARD_32_16SSD = "dedicated_standard_n2d_standard_32_16SSD"
    DEDICATED_STANDARD_N2D_STANDARD_64_24SSD = "dedicated_standard_n2d_standard_64_24SSD"


class ReleaseChannel(OpenChoice):
    """How early the service gets new releases."""

    SLOW = "slow"
    DEFAULT = "default"
    FAST = "fast"


class Profile(OpenChoice):
    """Instance profile."""

    V1_DEFAULT = "v1-default"
    V1_HIGHMEM_XS = "v1-highmem-xs"
    V1_HIGHMEM_S = "v1-highmem-s"
    V1_HIGHMEM_M = "v1-highmem-m"
    V1_HIGHMEM_L = "v1-highmem-l"
    V1_HIGHMEM_XL = "v1-highmem-xl"
    V1_HIGHCPU_S = "v1-highcpu-s"
    V1_HIGHCPU_M = "v1-highcpu-m"
    V1_HIGHCPU_L = "v1-highcpu-l"
    V1_HIGHCPU_XL = "v1-highcpu-xl"


class ComplianceType(OpenChoice):
    """Compliance type of the service."""

    HIPAA = "hipaa"
    PCI = "pci"


class AutoscalingMode(ClosedChoice, because="it decides which properties of scaling are sent"):
    """What autoscaling changes."""

    VERTICAL = "vertical", "the memory of a fixed number of replicas"
    HORIZONTAL = "horizontal", "the number of replicas of a fixed memory"


class QueryRole(OpenChoice):
    """What queries over HTTP may do."""

    SQL_CONSOLE_READ_ONLY = "sql_console_read_only", "read"
    SQL_CONSOLE_ADMIN = "sql_console_admin", "everything"


class ServerRegion(OpenChoice):
    """Regions of the vendor's own servers."""

    def fits(self, inputs: WireValues) -> bool:
        """Return whether it is a region of the provider, if that is known."""
        provider = inputs.get("provider")
        return provider not in CLOUDS or cloud_of(self.value) == provider

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


class ServerProfile(OpenChoice):
    """Instance profiles of the vendor's own servers."""

    V1_DEFAULT = "v1-default"
    V1_HIGHMEM_XS = "v1-highmem-xs"
    V1_HIGHMEM_S = "v1-highmem-s"
    V1_HIGHMEM_M = "v1-highmem-m"
    V1_HIGHMEM_L = "v1-highmem-l"
    V1_HIGHMEM_XL = "v1-highmem-xl"


class BucketProvider(ClosedChoice, because="it decides which properties a bucket has"):
    """Cloud of a bucket for backups."""

    AWS = "AWS"
    GCP = "GCP"
    AZURE = "AZURE"


class Status:
    """The states that matter for a wait; servers may report others."""

    PROVISIONING: Final = "provisioning"
    STARTING: Final = "starting"
    AWAKING: Final = "awaking"
    PARTIALLY_RUNNING: Final = "partially_running"
    RUNNING: Final = "running"
    IDLE: Final = "idle"
    DEGRADED: Final = "degraded"
    STOPPING: Final = "stopping"
    STOPPED: Final = "stopped"
    FAILED: Final = "failed"
    TERMINATING: Final = "terminating"


PENDING: Final = frozenset({Status.PROVISIONING, Status.STARTING, Status.AWAKING, Status.PARTIALLY_RUNNING})
FAILED: Final = frozenset({Status.FAILED})
STOPPED: Final = frozenset({Status.STOPPED, Status.FAILED})
AT_REST: Final = frozenset({Status.STOPPED, Status.STOPPING})
DELETED: Final = frozenset({"terminated", "softdeleting", "softdeleted"})
GONE: Final = DELETED | {Status.TERMINATING}
STARTED: Final = PENDING | {Status.RUNNING, Status.IDLE, Status.DEGRADED}
STOPS: Final = STOPPED | GONE | {Status.STOPPING}
KNOWN: Final = STARTED | STOPS
