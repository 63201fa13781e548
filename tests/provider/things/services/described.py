"""Services, and their settings with separate operations."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import Required, TypedDict

from description.exchange import Exchange, collection
from description.notation import Moment, Uuid, Words

Mode = Literal["vertical", "horizontal"]
Provider = Literal["aws", "gcp", "azure"]
Region = Annotated[
    str,
    Words(
        "ap-northeast-1 ap-northeast-2 ap-south-1 ap-southeast-1 ap-southeast-2 ca-central-1 "
        "eu-central-1 eu-west-1 eu-west-2 il-central-1 us-east-1 us-east-2 us-west-2 us-east1 "
        "us-central1 europe-west2 europe-west4 asia-southeast1 asia-northeast1 eastus eastus2 westus3 "
        "germanywestcentral centralus"
    ),
]
Tier = Annotated[  # deprecated wherever it stands
    str,
    Words(
        "development production dedicated_high_mem dedicated_high_cpu dedicated_standard "
        "dedicated_standard_n2d_standard_4 dedicated_standard_n2d_standard_8 "
        "dedicated_standard_n2d_standard_32 dedicated_standard_n2d_standard_128 "
        "dedicated_standard_n2d_standard_32_16SSD dedicated_standard_n2d_standard_64_24SSD"
    ),
]
State = Annotated[
    str,
    Words(
        "starting stopping terminating softdeleting awaking partially_running provisioning running "
        "stopped terminated softdeleted degraded failed idle"
    ),
]
Profile = Literal["v1-default", "v1-highmem-xs", "v1-highmem-s", "v1-highmem-m", "v1-highmem-l", "v1-highmem-xl"]
ReleaseChannel = Literal["slow", "default", "fast"]
Compliance = Literal["hipaa", "pci"]
QueryRole = Literal["sql_console_read_only", "sql_console_admin"]

Name = Annotated[str, Field(min_length=1, max_length=50)]
ReplicaGb = Annotated[float, Field(ge=8, le=356, multiple_of=4)]
TotalGb = Annotated[float, Field(ge=24, le=1068, multiple_of=12)]  # deprecated wherever it stands
Replicas = Annotated[int, Field(ge=1, le=20)]
TagText = Annotated[str, Field(pattern="^[a-zA-Z0-9._-]+$")]


class Address(TypedDict, total=False):
    source: str
    description: str


class Tag(TypedDict, total=False):
    key: Required[Annotated[TagText, Field(min_length=1, max_length=128)]]
    value: Annotated[TagText, Field(max_length=256)]


class EndpointSwitch(TypedDict, total=False):
    protocol: Literal["mysql"]
    enabled: bool


class Create(TypedDict, total=False):
    name: Name
    provider: Provider
    region: Region
    tier: Tier
    ipAccessList: list[Address]
    minTotalMemoryGb: TotalGb
    maxTotalMemoryGb: TotalGb
    autoscalingMode: Mode
    minReplicaMemoryGb: ReplicaGb
    maxReplicaMemoryGb: ReplicaGb
    numReplicas: Replicas
    minReplicas: Replicas
    maxReplicas: Replicas
    idleScaling: bool
    idleTimeoutMinutes: float
    isReadonly: bool
    dataWarehouseId: str
    backupId: Uuid
    encryptionKey: str
    encryptionAssumedRoleIdentifier: str
    privateEndpointIds: list[str]  # deprecated
    privatePreviewTermsChecked: bool
    releaseChannel: ReleaseChannel
    byocId: str
    hasTransparentDataEncryption: bool
    endpoints: list[EndpointSwitch]
    profile: Profile
    complianceType: Compliance
    tags: Annotated[list[Tag], Field(max_length=50)]
    enableCoreDumps: bool


class AddressesChange(TypedDict, total=False):
    add: list[Address]
    remove: list[Address]


class IdsChange(TypedDict, total=False):
    add: list[str]
    remove: list[str]


class TagsChange(TypedDict, total=False):
    add: Annotated[list[Tag], Field(max_length=50)]
    remove: Annotated[list[Tag], Field(max_length=50)]


class Update(TypedDict, total=False):
    name: Name
    ipAccessList: AddressesChange
    privateEndpointIds: IdsChange
    releaseChannel: ReleaseChannel
    endpoints: list[EndpointSwitch]
    transparentDataEncryptionKeyId: str
    tags: TagsChange
    enableCoreDumps: bool


class ReplicaScaling(TypedDict, total=False):
    minReplicaMemoryGb: ReplicaGb
    maxReplicaMemoryGb: ReplicaGb
    autoscalingMode: Mode
    numReplicas: Replicas
    minReplicas: Replicas
    maxReplicas: Replicas
    idleScaling: bool
    idleTimeoutMinutes: float


class TotalScaling(TypedDict, total=False):
    """The scaling as a whole; the operation is deprecated."""

    minTotalMemoryGb: TotalGb
    maxTotalMemoryGb: TotalGb
    numReplicas: Replicas
    idleScaling: bool
    idleTimeoutMinutes: float


class Command(TypedDict, total=False):
    command: Literal["start", "stop", "awake"]


class PasswordChange(TypedDict, total=False):
    """Hashes of the password; without them the server generates one."""

    newPasswordHash: str
    newDoubleSha1Hash: str


class Password(TypedDict, total=False):
    password: str


class BackupChange(TypedDict, total=False):
    """The request of the backup schedule; the vendor's client sends null, which the description lacks."""

    backupPeriodInHours: float | None
    backupRetentionPeriodInHours: float | None
    backupStartTime: str | None


class BackupConfiguration(TypedDict, total=False):
    backupPeriodInHours: float
    backupRetentionPeriodInHours: float
    backupStartTime: str


class AwsBucketPlace(TypedDict, total=False):
    bucketProvider: Literal["AWS"]
    bucketPath: str
    iamRoleArn: str
    iamRoleSessionName: str


class GcpBucketPlace(TypedDict, total=False):
    bucketProvider: Literal["GCP"]
    bucketPath: str
    accessKeyId: str


class AzureBucketPlace(TypedDict, total=False):
    bucketProvider: Literal["AZURE"]
    containerName: str


class Backup(TypedDict, total=False):
    id: Uuid
    status: Literal["done", "error", "in_progress"]
    serviceId: str
    startedAt: Moment
    finishedAt: Moment
    sizeInBytes: float
    durationInSeconds: float
    type: Literal["full", "incremental"]
    backupName: str
    bucket: AwsBucketPlace | GcpBucketPlace | AzureBucketPlace


class QueryEndpointChange(TypedDict, total=False):
    roles: list[QueryRole]
    openApiKeys: list[str]
    allowedOrigins: str


class QueryEndpoint(QueryEndpointChange, total=False):
    id: str


class BaseScaling(TypedDict, total=False):
    """The scaling at times without an entry."""

    autoscalingMode: Mode
    minReplicaMemoryGb: float
    maxReplicaMemoryGb: float
    minReplicas: int
    maxReplicas: int
    idleScaling: bool
    idleTimeoutMinutes: int


class EntryChange(TypedDict, total=False):
    name: Required[str]
    weekdays: Required[Annotated[list[int], Field(min_length=1)]]
    startHourUtc: Required[Annotated[int, Field(ge=0, le=23)]]
    endHourUtc: Required[Annotated[int, Field(ge=1, le=24)]]
    autoscalingMode: Mode
    minReplicaMemoryGb: ReplicaGb
    maxReplicaMemoryGb: ReplicaGb
    numReplicas: Annotated[int, Field(ge=1)]
    minReplicas: Annotated[int, Field(ge=1)]
    maxReplicas: Annotated[int, Field(ge=1)]
    idleScaling: bool
    idleTimeoutMinutes: int


class Entry(TypedDict, total=False):
    id: Required[Uuid]
    name: Required[str]
    weekdays: Required[Annotated[list[int], Field(min_length=1)]]
    startHourUtc: Required[Annotated[int, Field(ge=0, le=23)]]
    endHourUtc: Required[Annotated[int, Field(ge=1, le=24)]]
    autoscalingMode: Required[Mode]
    minReplicaMemoryGb: float
    maxReplicaMemoryGb: float
    minReplicas: int
    maxReplicas: int
    idleScaling: bool
    idleTimeoutMinutes: int
    isActiveNow: Required[bool]


class ScheduleChange(TypedDict, total=False):
    entries: Required[list[EntryChange]]


class Schedule(TypedDict, total=False):
    entries: Required[list[Entry]]
    baseConfig: Required[BaseScaling]
    activeEntryId: Uuid


class CurrentScaling(TypedDict, total=False):
    effectiveAutoscalingMode: Mode
    effectiveMinReplicaMemoryGb: float
    effectiveMaxReplicaMemoryGb: float
    effectiveMinReplicas: int
    effectiveMaxReplicas: int
    effectiveIdleScaling: bool
    effectiveIdleTimeoutMinutes: float  # whole in the description, though the configured one is not
    activeEntryId: Uuid


class Endpoint(TypedDict, total=False):
    protocol: Literal["https", "nativesecure", "mysql"]
    host: str
    port: float
    username: str | None


class Service(TypedDict, total=False):
    id: Uuid
    name: Name
    provider: Provider
    region: Region
    state: State
    clickhouseVersion: str
    endpoints: list[Endpoint]
    tier: Tier
    minTotalMemoryGb: TotalGb
    maxTotalMemoryGb: TotalGb
    minReplicaMemoryGb: ReplicaGb
    maxReplicaMemoryGb: ReplicaGb
    numReplicas: Replicas
    minReplicas: Replicas
    maxReplicas: Replicas
    autoscalingMode: Required[Mode]
    replicaMemoryGb: ReplicaGb
    idleScaling: bool
    idleTimeoutMinutes: float
    ipAccessList: list[Address]
    createdAt: Moment
    encryptionKey: str
    encryptionAssumedRoleIdentifier: str
    iamRole: str
    privateEndpointIds: list[str]
    availablePrivateEndpointIds: list[str]
    dataWarehouseId: str
    isPrimary: bool
    isReadonly: bool
    releaseChannel: ReleaseChannel
    byocId: str
    hasTransparentDataEncryption: bool
    profile: Profile
    transparentDataEncryptionKeyId: str
    encryptionRoleId: str
    complianceType: Compliance
    tags: Annotated[list[Tag], Field(max_length=50)]
    enableCoreDumps: bool
    scalingSchedule: Schedule
    currentScaling: Required[CurrentScaling]


class Created(TypedDict, total=False):
    service: Service
    password: str


class PrivateEndpointConfig(TypedDict, total=False):
    endpointServiceId: str
    privateDnsHostname: str


class UpgradeWindowChange(TypedDict, total=False):
    weekday: Required[Annotated[int, Field(ge=0, le=6)]]
    startHourUtc: Required[Literal[0, 6, 12, 18]]


class UpgradeWindow(UpgradeWindowChange, total=False):
    duration: Required[Literal[6]]


class SettingsChange(TypedDict, total=False):
    """Settings of ClickHouse by name: an object in later descriptions, but text in this one."""

    settings: Required[dict[str, str | int]]


class SettingWarning(TypedDict, total=False):
    name: str
    message: str


class SettingsChanged(SettingsChange, total=False):
    warnings: list[SettingWarning]


class Setting(TypedDict, total=False):
    """A setting of ClickHouse with a value that is not the default."""

    name: str
    value: str


class Settings(TypedDict, total=False):
    settings: list[Setting]


class KnownSetting(TypedDict, total=False):
    """A setting of ClickHouse that can be changed."""

    name: str
    type: str
    description: str
    enum: list[int]
    warning: str
    deprecationNotice: str
    example: str


class SettingsSchema(TypedDict, total=False):
    settings: list[KnownSetting]


class GcpBucketChange(GcpBucketPlace, total=False):
    secretAccessKey: str


class AzureBucketChange(AzureBucketPlace, total=False):
    connectionString: str


BucketChange = AwsBucketPlace | GcpBucketChange | AzureBucketChange
"""The request of a bucket for backups; null for the name of sessions, which only an update accepts, is missing."""


class AwsBucket(AwsBucketPlace, total=False):
    id: Uuid


class GcpBucket(GcpBucketPlace, total=False):
    id: Uuid


class AzureBucket(AzureBucketPlace, total=False):
    id: Uuid


Bucket = AwsBucket | GcpBucket | AzureBucket
"""The response of a bucket for backups."""


EXCHANGES = {
    **collection("service", "services", Create, Update, Service),
    "create_service": Exchange(Create, Created),
    "scale_service": Exchange(ReplicaScaling, Service),
    "scale_service_total": Exchange(TotalScaling, Service),
    "command_service": Exchange(Command, Service),
    "reset_password": Exchange(PasswordChange, Password),
    "get_backup_configuration": Exchange(response=BackupConfiguration),
    "configure_backups": Exchange(BackupChange, BackupConfiguration),
    "get_query_endpoint": Exchange(response=QueryEndpoint),
    "set_query_endpoint": Exchange(QueryEndpointChange, QueryEndpoint),
    "delete_query_endpoint": Exchange(),
    "get_scaling_schedule": Exchange(response=Schedule),
    "set_scaling_schedule": Exchange(ScheduleChange, Schedule),
    "delete_scaling_schedule": Exchange(),
    "get_upgrade_window": Exchange(response=UpgradeWindow),
    "set_upgrade_window": Exchange(UpgradeWindowChange, UpgradeWindow),
    "delete_upgrade_window": Exchange(),
    "get_settings": Exchange(response=Settings),
    "get_settings_schema": Exchange(response=SettingsSchema),
    "update_settings": Exchange(SettingsChange, SettingsChanged),
    "delete_setting": Exchange(),
    "get_backup_bucket": Exchange(response=Bucket),
    "create_backup_bucket": Exchange(BucketChange, Bucket),
    "update_backup_bucket": Exchange(BucketChange, Bucket),
    "delete_backup_bucket": Exchange(),
    "get_private_endpoint_config": Exchange(response=PrivateEndpointConfig),
    "list_backups": Exchange(response=list[Backup]),
    "get_backup": Exchange(response=Backup),
}
