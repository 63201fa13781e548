"""Cases of check: the rules of the vendor's servers for services and keys, in addition to the interface."""

from __future__ import annotations

from typing import Any

from pulumi_clouddb.schema.common import OF_ENDPOINTS
from support.rows import CIDR, NEWER, UUID, Row, Usual, Values, refused

SERVICE = Usual("Service", {"name": "Orders 2"})

SHA256 = f"{'k' * 43}="
SHA1 = "0a" * 20
BAND: Values = {"autoscalingMode": "horizontal", "minReplicas": 2, "maxReplicas": 5}
TO_ROUTE = "replicaAwareRouting needs an ENTERPRISE organization and two replicas or more"
ROUTED: Values = {"replicaAwareRouting": {"httpEnabled": True}}
NIGHT: Values = {"name": "night", "weekdays": [0, 6], "startHourUtc": 22, "endHourUtc": 6}
BYOC = "should be one of 48, 116, 172, 232 when byocId is given"
FITS = "autoscalingMode must fit the other properties of scaling"
AZURE = {"bucketProvider": "AZURE", "containerName": "c"}
GCP = {"bucketProvider": "GCP", "bucketPath": "b", "accessKeyId": "k"}
AWS = {"bucketProvider": "AWS", "bucketPath": "b", "iamRoleArn": "arn:aws:iam::123456789012:role/r"}
PAIR = "snapshotConfiguration.gap and timeFrame"
KEY, ROLE_OF_KEY = "arn:aws:kms:us-east-1:123456789012:key/k", "arn:aws:iam::123456789012:role/disks"
EVERYBODY = "0.0.0.0"  # noqa: S104 (an entry of a list, to which nothing binds)
PUBLIC = "ipAccessList should have addresses of the internet"
AT_VENDOR: Values = {"baseUrl": "https://api.clickhouse.cloud"}
TEXT = "must be letters, digits, dots, hyphens and underscores only"


def schedule(*entries: Values) -> Values:
    """Return inputs with a schedule."""
    return {"scalingSchedule": {"entries": [{**NIGHT, **each} for each in entries]}}


def entry(passes: Values, fails: Values, *failures: str) -> Row:
    """Return a case of the second entry of a schedule."""
    first: Values = {"weekdays": [3]}
    return SERVICE.of_vendor(
        schedule(first, passes), schedule(first, fails), *(f"scalingSchedule.entries[1].{each}" for each in failures)
    )


def limit(setting: str, name: str, good: Any, bad: Any, failure: str) -> Row:
    """Return a case of a property within a setting."""
    return SERVICE.of_vendor({setting: {name: good}}, {setting: {name: bad}}, f"{setting}.{name} {failure}")


SERVICES = [
    *SERVICE.only_there(
        tags=[{"key": "team"}],
        autoscalingMode="vertical",
        minReplicas=2,
        maxReplicas=2,
        enableCoreDumps=False,
        transparentDataEncryptionKeyId="k",
        backupConfiguration={"backupPeriodInHours": 12},
        snapshotConfiguration={"enabled": False},
        replicaAwareRouting={"httpEnabled": True},
        queryEndpoint={"roles": ["sql_console_read_only"]},
        scalingSchedule={"entries": [NIGHT]},
        upgradeWindow={"weekday": 0, "startHourUtc": 0},
        settings={"max_query_size": "1"},
        backupBucket=AZURE,
        passwordRotation="1",
    ),
    SERVICE.of_vendor(
        {"backupId": UUID, "backupEncryptionConfig": {"key": {"kind": "x"}}},
        {"backupEncryptionConfig": {"key": "x"}},
        "backupEncryptionConfig is for a backup only: set backupId",
    ),
    SERVICE.of_vendor(
        {"backupId": UUID, "backupEncryptionConfig": {}},
        {"backupId": UUID, "backupEncryptionConfig": "key"},
        "backupEncryptionConfig must be an object, not the secret value given",
    ),
    *(
        SERVICE.rule({total: 48, size: 16}, {total: 24, size: 16}, f"{total} must be 3 times {size} (48), not 24")
        for total, size in (
            ("minTotalMemoryGb", "minReplicaMemoryGb"),
            ("maxTotalMemoryGb", "maxReplicaMemoryGb"),
        )
    ),
    SERVICE.rule(
        {"ipAccessList": [{"source": "fe80::1"}]},
        {"ipAccessList": [{"source": "fe80::1%a b\n"}]},
        f"ipAccessList[0].source {CIDR}, not 'fe80::1%a b\\n'",
    ),
    SERVICE.rule(
        {"endpoints": [{"protocol": "mysql", "enabled": True}]},
        {"endpoints": [{"protocol": "mysql", "enabled": True}, {"protocol": "mysql", "enabled": False}]},
        "endpoints must turn each protocol either on or off",
    ),
    refused(
        "no region",
        "listServiceProfiles",
        {"regionId": "us-east-1"},
        {"regionId": None},
        "regionId or byocId is needed",
    ),
    *(
        SERVICE.rule({}, {name: value}, f"{name} is supported only with clouddb:vocabulary=clickhouse")
        for name, value in (
            ("stopped", True),
            ("backupEncryptionConfig", {}),
            ("passwordHash", SHA256),
            ("passwordDoubleSha1Hash", SHA1),
            ("backupBucketSecret", "s"),
        )
    ),
    SERVICE.of_vendor({"name": "[e2e]-orders_1.pri"}, {"name": ""}, "name must have at least 1 character(s), not ''"),
    *SERVICE.lengths(name=50),
    SERVICE.warned(
        {"profile": "v1-highmem-xl"},
        {"profile": "v1-standard-byoc-4"},
        f"profile is 'v1-standard-byoc-4', {NEWER}; known values are v1-default, v1-highmem-xs, v1-highmem-s, "
        "v1-highmem-m, v1-highmem-l, v1-highmem-xl",
    ),
    SERVICE.warned(
        {},
        {"region": "ap-east-2"},
        f"region is 'ap-east-2', {NEWER}; did you mean ap-southeast-2 or ap-northeast-2 or us-east-2?",
    ),
    SERVICE.warned(
        {},
        {"provider": "AWS", "region": "eu-central-9", "releaseChannel": "canary"},
        f"provider is 'AWS', {NEWER}; did you mean aws?",
        f"region is 'eu-central-9', {NEWER}; did you mean eu-central-1 or us-central1 or il-central-1?",
        f"releaseChannel is 'canary', {NEWER}; known values are slow, default, fast",
    ),
    SERVICE.warned(
        {"byocId": "b", "minReplicaMemoryGb": 48, "maxReplicaMemoryGb": 232},
        {"byocId": "b", "minReplicaMemoryGb": 8, "maxReplicaMemoryGb": 15},
        "maxReplicaMemoryGb should be a multiple of 4, not 15, as far as this version knows",
        f"minReplicaMemoryGb {BYOC}, not 8",
        f"maxReplicaMemoryGb {BYOC}, not 15",
    ),
    *(
        SERVICE.of_vendor(
            {"provider": cloud, "region": own},
            {"provider": cloud, "region": other},
            f"region must be a region of the provider ({cloud}), not {other!r} of {other_cloud}",
        )
        for cloud, own, other, other_cloud in (
            ("aws", "ap-southeast-2", "us-east1", "gcp"),
            ("gcp", "asia-northeast1", "eastus2", "azure"),
            ("azure", "germanywestcentral", "us-east-1", "aws"),
        )
    ),
    SERVICE.of_vendor(BAND, {"minReplicas": 2}, "minReplicas must be given together with maxReplicas, not 2 alone"),
    SERVICE.of_vendor(BAND, {"maxReplicas": 5}, "maxReplicas must be given together with minReplicas, not 5 alone"),
    SERVICE.of_vendor(
        {**BAND, "maxReplicas": 2}, {**BAND, "maxReplicas": 1}, "minReplicas must be at most maxReplicas (1), not 2"
    ),
    SERVICE.of_vendor({**BAND, "minReplicas": 1}, {**BAND, "minReplicas": 0}, "minReplicas must be at least 1, not 0"),
    SERVICE.warned(
        {**BAND, "maxReplicas": 50},
        {**BAND, "maxReplicas": 51},
        "maxReplicas should be at most 50, not 51, as far as this version knows",
    ),
    SERVICE.warned(
        {"numReplicas": 50},
        {"numReplicas": 51},
        "numReplicas should be at most 50, not 51, as far as this version knows",
    ),
    SERVICE.of_vendor(
        {"autoscalingMode": "vertical", "numReplicas": 3},
        {"numReplicas": 3, "minReplicas": 3, "maxReplicas": 3},
        "numReplicas excludes minReplicas and maxReplicas: remove it, or both of these",
    ),
    SERVICE.of_vendor(
        BAND, {"autoscalingMode": "diagonal"}, "autoscalingMode must be one of vertical, horizontal, not 'diagonal'"
    ),
    SERVICE.of_vendor(
        BAND,
        {"autoscalingMode": "horizontal", "numReplicas": 3},
        f"{FITS}; horizontal excludes numReplicas: set minReplicas and maxReplicas instead",
    ),
    SERVICE.of_vendor(
        {**BAND, "minReplicaMemoryGb": 16, "maxReplicaMemoryGb": 16},
        {**BAND, "minTotalMemoryGb": 24},
        "autoscalingMode horizontal excludes minTotalMemoryGb and maxTotalMemoryGb: set minReplicaMemoryGb and max",
    ),
    SERVICE.of_vendor(
        {**BAND, "minReplicaMemoryGb": 16, "maxReplicaMemoryGb": 16},
        {**BAND, "minReplicaMemoryGb": 16, "maxReplicaMemoryGb": 32},
        f"{FITS}; horizontal needs one memory of replicas, not 16 to 32: set minReplicaMemoryGb and "
        "maxReplicaMemoryGb to the same",
    ),
    SERVICE.of_vendor(
        {"autoscalingMode": "vertical", "minReplicas": 3, "maxReplicas": 3},
        {**BAND, "autoscalingMode": "vertical"},
        f"{FITS}; vertical needs one number of replicas, not 2 to 5: set numReplicas instead of "
        "minReplicas and maxReplicas",
    ),
    SERVICE.warned(
        {"endpoints": [{"protocol": "mysql", "enabled": True}]},
        {"endpoints": [{"protocol": "https", "enabled": False}]},
        "endpoints[0].protocol is 'https', which this version does not know; known values are mysql",
    ),
    SERVICE.of_vendor(
        {"tags": [{"key": "a.B-c_1", "value": "x"}, {"key": "b"}]},
        {"tags": [{"key": "a b", "value": "ü"}]},
        f"tags[0].key {TEXT}, not 'a b'",
        f"tags[0].value {TEXT}, not 'ü'",
    ),
    SERVICE.of_vendor(
        {"tags": [{"key": f"k{index}"} for index in range(50)]},
        {"tags": [{"key": f"k{index}"} for index in range(51)]},
        "tags must have at most 50 elements, not " + f"{str([{'key': f'k{index}'} for index in range(51)])[:77]}...",
    ),
    SERVICE.warned(
        {"tags": []},
        {"tags": [{"key": "a"}, {"key": "a", "value": "x"}]},
        "tags should name each key once, but 'a' occurs more than once",
    ),
    SERVICE.of_vendor({"stopped": True}, {"stopped": "yes"}, "stopped must be true or false, not 'yes'"),
    SERVICE.of_vendor(
        {"enableCoreDumps": False}, {"enableCoreDumps": "no"}, "enableCoreDumps must be true or false, not 'no'"
    ),
    SERVICE.of_vendor(
        {"transparentDataEncryptionKeyId": "k"},
        {"transparentDataEncryptionKeyId": ""},
        "transparentDataEncryptionKeyId must not be empty, not ''",
    ),
    limit("backupConfiguration", "backupPeriodInHours", 12, 0, "must be at least 1, not 0"),
    limit("backupConfiguration", "backupRetentionPeriodInHours", 168, 7, "must be at least 24, not 7"),
    limit("backupConfiguration", "backupRetentionPeriodInHours", 1080, 1104, "must be at most 1080, not 1104"),
    limit("backupConfiguration", "backupRetentionPeriodInHours", 48, 50, "must be a multiple of 24, not 50"),
    limit(
        "backupConfiguration",
        "backupStartTime",
        "02:00",
        "24:00",
        "must be a full hour as HH:MM, such as 07:00, not '24:00'; did you mean 00:00?",
    ),
    limit(
        "backupConfiguration",
        "backupStartTime",
        "02:00",
        2,
        "must be a full hour as HH:MM, such as 07:00, not 2; did you mean 02:00?",
    ),
    SERVICE.warned(
        {"backupConfiguration": {"backupStartTime": "02:00", "backupPeriodInHours": 48}},
        {"backupConfiguration": {"backupStartTime": "02:00", "backupPeriodInHours": 12}},
        "backupConfiguration should have a backupPeriodInHours of 24 or 48, or none, with a backupStartTime, "
        "not a backupPeriodInHours of 12",
    ),
    SERVICE.of_vendor(
        {"snapshotConfiguration": {"enabled": True, "gap": 60, "timeFrame": 2880}},
        {"snapshotConfiguration": {"enabled": True}},
        f"{PAIR} must be given together, and if enabled is true",
    ),
    SERVICE.of_vendor(
        {"snapshotConfiguration": {"enabled": False}},
        {"snapshotConfiguration": {"enabled": False, "gap": 30}},
        f"{PAIR} must be given together, and if enabled is true",
    ),
    SERVICE.of_vendor(
        {"snapshotConfiguration": {"gap": 30, "timeFrame": 1440}},
        {"snapshotConfiguration": {}},
        "snapshotConfiguration.enabled is required without gap and timeFrame",
    ),
    SERVICE.warned(
        {"snapshotConfiguration": {"gap": 30, "timeFrame": 1440}},
        {"snapshotConfiguration": {"gap": 15, "timeFrame": 1440}},
        f"{PAIR} should be 30 and 1440 or 60 and 2880, not 15 and 1440",
    ),
    SERVICE.of_vendor(
        {"replicaAwareRouting": {"nativeEnabled": False}},
        {"replicaAwareRouting": {}},
        "replicaAwareRouting.httpEnabled is required without nativeEnabled",
    ),
    SERVICE.of_vendor({"numReplicas": 1}, {"numReplicas": 0}, "numReplicas must be at least 1, not 0"),
    *(
        SERVICE.warned({**ROUTED, **passes}, {**ROUTED, **fails}, f"{TO_ROUTE}, not {of} of 1")
        for of, passes, fails in (
            ("numReplicas", {"numReplicas": 2}, {"numReplicas": 1}),
            ("minReplicas", BAND, {**BAND, "minReplicas": 1}),
        )
    ),
    SERVICE.warned(
        {"replicaAwareRouting": {"httpEnabled": False}},
        ROUTED,
        f"{TO_ROUTE}, not SCALE (clouddb:organizationTier)",
        organizationTier="SCALE",
    ),
    limit("snapshotConfiguration", "enabled", False, "no", "must be true or false, not 'no'"),
    SERVICE.of_vendor(
        {"upgradeWindow": {"weekday": 6, "startHourUtc": 18}},
        {"upgradeWindow": {"weekday": 7, "startHourUtc": 3}},
        "upgradeWindow.weekday must be a day of the week, from 0 for Sunday to 6 for Saturday, not 7",
        "upgradeWindow.startHourUtc must be a multiple of 6, not 3",
    ),
    SERVICE.of_vendor(
        {"settings": {"max_query_size": "1"}},
        {"settings": {"max_query_size": True}},
        "settings.max_query_size must be text, not True",
    ),
    SERVICE.of_vendor(
        {"backupBucket": {**AWS, "iamRoleSessionName": "s"}},
        {"backupBucket": {"bucketProvider": "AWS", "bucketPath": "b", "containerName": "c"}},
        "backupBucket.iamRoleArn is required on AWS, and is not given",
        "backupBucket.containerName is required on AZURE, not on AWS",
    ),
    SERVICE.of_vendor(
        {"backupBucket": GCP, "backupBucketSecret": "s"},
        {"backupBucket": {"bucketProvider": "GCP", "iamRoleSessionName": "s"}},
        "backupBucket.bucketPath is required on AWS and GCP, and is not given",
        "backupBucket.iamRoleSessionName is for buckets on AWS, not on GCP",
        "backupBucket.accessKeyId is required on GCP, and is not given",
    ),
    SERVICE.of_vendor(
        {"backupBucket": AZURE, "backupBucketSecret": "AccountName=a;AccountKey=k"},
        {"backupBucketSecret": "s"},
        "backupBucketSecret is for a backupBucket on GCP or Azure only",
    ),
    SERVICE.of_vendor(
        {"backupBucket": GCP, "backupBucketSecret": "s"},
        {"backupBucket": AWS, "backupBucketSecret": "s"},
        "backupBucketSecret is for a backupBucket on GCP or Azure only",
    ),
    *(
        SERVICE.warned(
            {"backupBucket": bucket, "backupBucketSecret": right},
            {"backupBucket": bucket, "backupBucketSecret": wrong},
            "backupBucketSecret should be a connection string (AccountName=…) on Azure, and the secret of the HMAC key "
            "on GCP, not a key file",
        )
        for bucket, right, wrong in ((AZURE, "AccountName=a;AccountKey=k", "k=="), (GCP, "k", '{\n"type": "x"}'))
    ),
    SERVICE.warned(
        schedule(
            {"weekdays": [6], "startHourUtc": 22, "endHourUtc": 6},
            {"weekdays": [0], "startHourUtc": 6, "endHourUtc": 8},
        ),
        schedule(
            {"weekdays": [6], "startHourUtc": 22, "endHourUtc": 6},
            {"weekdays": [0], "startHourUtc": 5, "endHourUtc": 8},
        ),
        "scalingSchedule should have entries of different hours in UTC; entries[1] has hours of entries[0]",
    ),
    SERVICE.warned(
        {"backupBucket": GCP},
        {"backupBucket": {**GCP, "bucketPath": "s3://b"}},
        "backupBucket.bucketPath should be in a bucket of bucketProvider",
    ),
    SERVICE.warned(
        {"dataWarehouseId": "w"},
        {"dataWarehouseId": "w", "backupBucket": GCP},
        "dataWarehouseId makes a secondary service, which has backups, upgrade window and password of the primary one: "
        "remove backupBucket",
    ),
    SERVICE.warned(
        {"encryptionKey": KEY, "encryptionAssumedRoleIdentifier": ROLE_OF_KEY, "region": "us-east-1"},
        {"encryptionKey": "alias/disks", "encryptionAssumedRoleIdentifier": ROLE_OF_KEY},
        "encryptionKey should be the ARN of a key of KMS in the region of the service",
    ),
    SERVICE.warned(
        {"provider": "aws", "privateEndpointIds": ["vpce-1a2b3c4d", "vpce-2a2b3c4d"]},
        {"provider": "aws", "privateEndpointIds": ["vpce-1a2b3c4d", "102600141743718403"]},
        f"privateEndpointIds {OF_ENDPOINTS}, not '102600141743718403'",
    ),
    *(
        SERVICE.warned(
            {"ipAccessList": [{"source": "8.8.8.8"}]},
            {"ipAccessList": [{"source": "8.8.8.8"}, {"source": source}]},
            f"{PUBLIC}, not {source!r}: write the address of your network there",
            **AT_VENDOR,
        )
        for source in ("10.0.0.0/8", "100.64.0.1", "203.0.113.0/24", "fd00::/8")
    ),
    SERVICE.warned(
        {"ipAccessList": [{"source": "0.0.0.0/0"}]},
        {"ipAccessList": [{"source": EVERYBODY}]},
        f"ipAccessList[0].source should be an address that a client can have, or a range, not {EVERYBODY!r}; did you "
        "mean 0.0.0.0/0?",
        **AT_VENDOR,
    ),
    SERVICE.warned(
        {"privateEndpointIds": ["vpce-1a2b3c4d"], "ipAccessList": [{"source": "10.0.0.0/8"}]},
        {"complianceType": "pci"},
        "complianceType needs an ENTERPRISE organization, not SCALE (clouddb:organizationTier)",
        organizationTier="SCALE",
        **AT_VENDOR,
    ),
    SERVICE.warned(
        {
            "queryEndpoint": {
                "roles": ["sql_console_admin"],
                "openApiKeys": ["6ba7b810-9dad-11d1-80b4-00c04fd430c8"],
                "allowedOrigins": "a.example",
            }
        },
        {"queryEndpoint": {"roles": ["admin"], "openApiKeys": [""]}},
        f"queryEndpoint.roles[0] is 'admin', {NEWER}; did you mean sql_console_admin?",
        failures=("queryEndpoint.openApiKeys[0] must not be empty, not ''",),
    ),
    SERVICE.of_vendor(
        schedule({"startHourUtc": 0, "endHourUtc": 24}),
        schedule({"weekdays": [7], "startHourUtc": 24, "endHourUtc": 0}),
        "scalingSchedule.entries[0].weekdays[0] must be a day of the week, from 0 for Sunday to 6 for Saturday, not 7",
        "scalingSchedule.entries[0].startHourUtc must be at most 23, not 24",
        "scalingSchedule.entries[0].endHourUtc must be at least 1, not 0",
    ),
    SERVICE.of_vendor(schedule({}), schedule(), "scalingSchedule.entries must have at least 1 element(s), not []"),
    entry({}, {"endHourUtc": 22}, "endHourUtc must be another hour than startHourUtc, not 22"),
    entry({}, {"minReplicas": 2}, "minReplicas must be given together with maxReplicas, not 2 alone"),
    entry({}, {"maxReplicas": 2}, "maxReplicas must be given together with minReplicas, not 2 alone"),
    entry({}, {"minReplicaMemoryGb": 16}, "minReplicaMemoryGb must be given together with maxReplicaMemoryGb, not 16"),
    entry({}, {"maxReplicaMemoryGb": 16}, "maxReplicaMemoryGb must be given together with minReplicaMemoryGb, not 16"),
    entry(
        {"minReplicaMemoryGb": 8, "maxReplicaMemoryGb": 16},
        {"minReplicaMemoryGb": 16, "maxReplicaMemoryGb": 8},
        "minReplicaMemoryGb must be at most maxReplicaMemoryGb (8), not 16",
    ),
    entry(
        {"minReplicas": 2, "maxReplicas": 2},
        {"minReplicas": 5, "maxReplicas": 2},
        "minReplicas must be at most maxReplicas (2), not 5",
        "autoscalingMode must fit the other properties of scaling; vertical, the default, needs one number of replicas",
    ),
    entry(
        {"numReplicas": 3},
        {"numReplicas": 3, "minReplicas": 3, "maxReplicas": 3},
        "numReplicas excludes minReplicas and maxReplicas: remove it, or both of these",
    ),
    entry(
        {**BAND, "minReplicaMemoryGb": 16, "maxReplicaMemoryGb": 16},
        {"autoscalingMode": "horizontal", "numReplicas": 3},
        "minReplicaMemoryGb and maxReplicaMemoryGb must be given for autoscalingMode horizontal",
        "minReplicas and maxReplicas must be given for autoscalingMode horizontal",
        "autoscalingMode must fit the other properties of scaling; horizontal excludes numReplicas",
    ),
    entry(
        {**BAND, "minReplicaMemoryGb": 16, "maxReplicaMemoryGb": 16},
        {**BAND, "minReplicaMemoryGb": 16, "maxReplicaMemoryGb": 32},
        "autoscalingMode must fit the other properties of scaling; horizontal needs one memory of replicas, not 16 to",
    ),
    entry(
        {"minReplicas": 3, "maxReplicas": 3},
        {"minReplicas": 3, "maxReplicas": 4},
        "autoscalingMode must fit the other properties of scaling; vertical, the default, needs one number of replicas",
    ),
    SERVICE.of_vendor(
        {"passwordHash": SHA256, "passwordDoubleSha1Hash": SHA1},
        {"passwordHash": "not-a-hash", "passwordDoubleSha1Hash": "not-a-hash"},
        "passwordHash must be a SHA-256 hash in Base64, 44 characters that end in =, not the secret value given",
        "passwordDoubleSha1Hash must be 40 hexadecimal digits, not the secret value given",
    ),
    SERVICE.of_vendor(
        {"passwordHash": SHA256, "passwordDoubleSha1Hash": SHA1},
        {
            "passwordHash": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            "passwordDoubleSha1Hash": "BE1BDEC0AA74B4DCB079943E70528096CCA985F8",
        },
        "passwordHash must not be the hash of an empty text or line, as of a variable that is not set",
        "passwordDoubleSha1Hash must not be the hash of an empty text or line, as of a variable that is not set",
    ),
    SERVICE.of_vendor(
        {"passwordHash": SHA256}, {"passwordDoubleSha1Hash": SHA1}, "passwordDoubleSha1Hash needs passwordHash"
    ),
    SERVICE.of_vendor(
        {"passwordRotation": "1"},
        {"passwordRotation": "1", "passwordHash": SHA256},
        "passwordRotation must not be given together with passwordHash",
    ),
]
