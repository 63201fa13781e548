"""Rules over several fields of a service."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from pulumi_clouddb.schema.check.rules import API, INTERFACE, OURS, PAGE, TF, Rule, Source, context_of, name_of, rule
from pulumi_clouddb.schema.common import CLOUDS, REGIONS, cloud_of, ids_of_endpoints, public_sources
from pulumi_clouddb.schema.organization import BASIC, UNPAID_REPLICA_GB, UNPAID_TOTAL_GB, OrganizationTier
from pulumi_clouddb.schema.values import whole_numbers
from pulumi_clouddb.schema.vendor import among, repeated
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, VocabularyName

from .enums import AutoscalingMode, BucketProvider, CloudProvider, ServerRegion, Tier
from .fields import ServiceFields
from .parts import BYOC_GB, BYOC_SIZES, DAY_HOURS, FIRST_REPLICAS, WORKERS
from .scaling_rules import fits_mode, ordered, together

Number = Callable[[ServiceFields], int | None]
Field = Callable[[ServiceFields], object]


IN_TERRAFORM = TF("service.go")
"""Of what the description does not say: check only warns."""


def _create(field: Field) -> Source:
    """Return the place of a field in the description of a create."""
    return API(f"{_CREATE}.{name_of(field)}")


def _byoc_memory(memory: Number) -> tuple[Rule[ServiceFields], ...]:
    def unlisted(args: ServiceFields) -> str | None:
        given = memory(args)
        return None if not args.byoc_id or given in BYOC_GB else f", not {given:g}"

    required = "is required when byocId is given"
    one_of = f"should be one of {BYOC_SIZES} when byocId is given"
    source = API("ServicePostRequest.byocId")
    return (
        rule(memory, required, lambda args: bool(args.byoc_id) and memory(args) is None, source=source),
        rule(memory, one_of, unlisted, given=memory, warns=True, source=source),
    )


def _unpaid_ceiling(memory: Number, ceiling: int) -> Rule[ServiceFields]:
    def test(args: ServiceFields) -> str | None:
        given = memory(args)
        return None if context_of(args).paid or given is None or given <= ceiling else f", not {given:g}"

    return rule(memory, f"must be at most {ceiling} while clouddb:paid is false", test, source=_create(memory))


def _first_of_warehouse(args: ServiceFields) -> str | None:
    basic = context_of(args).organization_tier == BASIC or args.tier == Tier.DEVELOPMENT
    replicas = args.num_replicas
    if replicas is None or replicas >= FIRST_REPLICAS or args.data_warehouse_id or basic:
        return None
    return f", not {replicas:g}; set dataWarehouseId, or set clouddb:organizationTier to {BASIC}"


def _production_only(field: Field) -> Rule[ServiceFields]:
    def test(args: ServiceFields) -> str | None:
        if field(args) is None or args.tier != Tier.DEVELOPMENT:
            return None
        return f", not for tier development: {whole_numbers(field(args))}"

    return rule(field, "is for production services only", test, source=_create(field))


_REGIONS = {each.value for each in ServerRegion}
"""The known regions: private ones follow no pattern."""


def _region_of_cloud(args: ServiceFields) -> str | None:
    cloud, region = args.provider, args.region
    if cloud not in CLOUDS or region not in _REGIONS:
        return None
    owner = cloud_of(region)
    return None if owner == cloud else f" ({cloud!s}), not {region!r} of {owner}"


def _needs(field: Field, other: Field, source: Source, warns: bool = False) -> Rule[ServiceFields]:
    def test(args: ServiceFields) -> bool:
        return other(args) is None

    return rule(field, f"needs {name_of(other)}", test, given=field, warns=warns, only=CLICKHOUSE, source=source)


def _one_state(args: ServiceFields) -> str | None:
    states: dict[str, set[bool]] = {}
    for entry in args.endpoints or ():
        states.setdefault(entry.protocol, set()).add(entry.enabled is not False)
    return next((f", not {name!r} on and off" for name, found in states.items() if len(found) > 1), None)


def _three_workers(replica: Number, total: Number) -> Rule[ServiceFields]:
    def test(args: ServiceFields) -> str | None:
        one, all_ = replica(args), total(args)
        return None if one is None or all_ is None or all_ == WORKERS * one else f" ({WORKERS * one:g}), not {all_:g}"

    return rule(total, f"must be {WORKERS} times {name_of(replica)}", test, source=OURS)


_CREATE = "ServicePostRequest"
BAND_RULES: tuple[Rule[ServiceFields], ...] = together(
    _CREATE, lambda args: args.min_replicas, lambda args: args.max_replicas
)
"""The rules for each request, also for an update of a service that has the other end of the band already."""

RULES: tuple[Rule[ServiceFields], ...] = (
    rule(
        lambda args: args.is_readonly,
        "may be true only together with dataWarehouseId",
        lambda args: ", which is not given" if args.is_readonly and not args.data_warehouse_id else None,
        source=API("ServicePostRequest.isReadonly"),
    ),
    *_byoc_memory(lambda args: args.min_replica_memory_gb),
    *_byoc_memory(lambda args: args.max_replica_memory_gb),
    ordered(_CREATE, lambda args: args.min_replica_memory_gb, lambda args: args.max_replica_memory_gb),
    ordered(_CREATE, lambda args: args.min_total_memory_gb, lambda args: args.max_total_memory_gb),
    _unpaid_ceiling(lambda args: args.max_replica_memory_gb, UNPAID_REPLICA_GB),
    _unpaid_ceiling(lambda args: args.max_total_memory_gb, UNPAID_TOTAL_GB),
    rule(
        lambda args: args.tier,
        "must not be development on azure, which does not have that tier",
        lambda args: args.provider == CloudProvider.AZURE and args.tier == Tier.DEVELOPMENT,
        source=API("ServicePostRequest.tier"),
    ),
    rule(
        lambda args: args.num_replicas,
        f"must be at least {FIRST_REPLICAS} for the first service of a warehouse",
        _first_of_warehouse,
        only=VocabularyName.NEUTRAL,
        source=INTERFACE,
    ),
    _production_only(lambda args: args.min_total_memory_gb),
    _production_only(lambda args: args.max_total_memory_gb),
    _production_only(lambda args: args.release_channel),
    rule(
        lambda args: args.region,
        "must be a region of the provider",
        _region_of_cloud,
        only=CLICKHOUSE,
        source=replace(REGIONS, refuses=True),
    ),
    *fits_mode(_CREATE),
    *BAND_RULES,
    ordered(_CREATE, lambda args: args.min_replicas, lambda args: args.max_replicas, CLICKHOUSE),
    rule(
        lambda args: args.autoscaling_mode,
        "horizontal excludes minTotalMemoryGb and maxTotalMemoryGb: set minReplicaMemoryGb and maxReplicaMemoryGb",
        lambda args: (
            args.autoscaling_mode == AutoscalingMode.HORIZONTAL
            and (args.min_total_memory_gb is not None or args.max_total_memory_gb is not None)
        ),
        only=CLICKHOUSE,
        source=_create(lambda args: args.autoscaling_mode),
    ),
    rule(
        lambda args: args.min_replicas,
        "and maxReplicas should be given for autoscalingMode horizontal, unless the service has them already",
        lambda args: (
            args.autoscaling_mode == AutoscalingMode.HORIZONTAL
            and not any((args.num_replicas, args.min_replicas, args.max_replicas))
        ),
        warns=True,
        only=CLICKHOUSE,
        source=IN_TERRAFORM,
    ),
    rule(
        lambda args: args.tags,
        "should name each key once",
        lambda args: repeated(tag.key for tag in args.tags or ()),
        warns=True,
        only=CLICKHOUSE,
        source=OURS,
    ),
    rule(
        lambda args: args.backup_encryption_config,
        "is for a backup only: set backupId",
        lambda args: args.backup_id is None,
        given=lambda args: args.backup_encryption_config,
        only=CLICKHOUSE,
        source=API("ServicePostRequest.backupEncryptionConfig"),
    ),
)
"""The rules for the body of a create."""


def _once_a_day(args: ServiceFields) -> str | None:
    backups = args.backup_configuration
    if backups is None or backups.backup_start_time is None:
        return None
    if backups.backup_period_in_hours in (None, DAY_HOURS, 2 * DAY_HOURS):
        return None
    return f", not a backupPeriodInHours of {backups.backup_period_in_hours:g}"


OF_NOTHING = "must not be the hash of an empty text or line, as of a variable that is not set"
_SHA1 = partial(hashlib.sha1, usedforsecurity=False)  # the form of MySQL's protocol
_SHA256_OF_NOTHING = [base64.b64encode(hashlib.sha256(each).digest()).decode() for each in (b"", b"\n")]
_SHA1_TWICE_OF_NOTHING = [_SHA1(_SHA1(each).digest()).hexdigest() for each in (b"", b"\n")]


def _overlapping(args: ServiceFields) -> str | None:
    hours: dict[int, int] = {}
    entries = args.scaling_schedule.entries if args.scaling_schedule is not None else ()
    for index, entry in enumerate(entries or ()):
        start, end = entry.start_hour_utc, entry.end_hour_utc
        if start not in range(24) or end not in range(1, 25):
            continue
        for first in (int(day * 24 + start) for day in entry.weekdays if day in range(7)):
            for hour in range(first, first + int(end - start - 1) % 24 + 1):
                if hours.setdefault(hour % _WEEK_HOURS, index) != index:
                    return f"; entries[{index}] has hours of entries[{hours[hour % _WEEK_HOURS]}]"
    return None


_WEEK_HOURS = 7 * 24


def _routes_nowhere(args: ServiceFields) -> str | None:
    routing, tier = args.replica_aware_routing, context_of(args).organization_tier
    if routing is None or not (routing.http_enabled or routing.native_enabled):
        return None
    if tier not in (None, OrganizationTier.ENTERPRISE):
        return f", not {tier} (clouddb:organizationTier)"
    counts = {name_of(field): field(args) for field in _REPLICAS}
    return next((f", not {name} of {count:g}" for name, count in counts.items() if count and count < _TO_ROUTE), None)


_REPLICAS: tuple[Number, ...] = (lambda args: args.num_replicas, lambda args: args.min_replicas)
_TO_ROUTE = 2


def _secret_of_another(args: ServiceFields) -> bool:
    bucket, secret = args.backup_bucket, args.backup_bucket_secret
    if bucket is None or secret is None:
        return False
    if bucket.bucket_provider == BucketProvider.AZURE:
        return ";" not in secret
    return bucket.bucket_provider == BucketProvider.GCP and secret.lstrip().startswith(("{", "-"))


SETTING_RULES: tuple[Rule[ServiceFields], ...] = (
    rule(
        lambda args: args.backup_configuration,
        f"should have a backupPeriodInHours of {DAY_HOURS} or {2 * DAY_HOURS}, or none, with a backupStartTime",
        _once_a_day,
        warns=True,
        only=CLICKHOUSE,
        source=API("BackupConfigurationPatchRequest.backupStartTime"),
    ),
    rule(
        lambda args: args.replica_aware_routing,
        "needs an ENTERPRISE organization and two replicas or more",
        _routes_nowhere,
        warns=True,
        only=CLICKHOUSE,
        source=PAGE("https://clickhouse.com/docs/products/cloud/features/infrastructure/replica-aware-routing"),
    ),
    rule(
        lambda args: args.scaling_schedule,
        "should have entries of different hours in UTC",
        _overlapping,
        warns=True,
        only=CLICKHOUSE,
        source=API("POST /v1/organizations/{organizationId}/services/{serviceId}/scalingSchedule"),
    ),
    rule(
        lambda args: args.backup_bucket_secret,
        "is for a backupBucket on GCP or Azure only",
        lambda args: args.backup_bucket is None or args.backup_bucket.bucket_provider == BucketProvider.AWS,
        given=lambda args: args.backup_bucket_secret,
        only=CLICKHOUSE,
        source=API("AwsBackupBucketPostRequestV1"),
    ),
    rule(
        lambda args: args.backup_bucket_secret,
        "should be a connection string (AccountName=…) on Azure, and the secret of the HMAC key on GCP, not a key file",
        _secret_of_another,
        warns=True,
        only=CLICKHOUSE,
        source=API("AzureBackupBucketPostRequestV1.connectionString"),
    ),
    rule(
        lambda args: args.password_hash,
        OF_NOTHING,
        lambda args: args.password_hash in _SHA256_OF_NOTHING,
        only=CLICKHOUSE,
        source=OURS,
    ),
    rule(
        lambda args: args.password_double_sha1_hash,
        OF_NOTHING,
        lambda args: (args.password_double_sha1_hash or "").lower() in _SHA1_TWICE_OF_NOTHING,
        only=CLICKHOUSE,
        source=OURS,
    ),
    _needs(
        lambda args: args.password_double_sha1_hash,
        lambda args: args.password_hash,
        API("ServicePasswordPatchRequest.newDoubleSha1Hash"),
    ),
    rule(
        lambda args: args.password_rotation,
        "must not be given together with passwordHash",
        lambda _: True,
        given=lambda args: (args.password_rotation, args.password_hash),
        only=CLICKHOUSE,
        source=OURS,
    ),
)
"""The rules for the settings with operations of their own."""


def _given_of(args: ServiceFields, fields: tuple[Field, ...]) -> str | None:
    """Return the text that a failure adds about the given ones of some fields."""
    given = [name_of(field) for field in fields if field(args) is not None]
    return f": remove {among(given)}" if given else None


_PRODUCTION: tuple[Field, ...] = (
    lambda args: args.min_replica_memory_gb,
    lambda args: args.max_replica_memory_gb,
    lambda args: args.num_replicas,
    lambda args: args.autoscaling_mode,
    lambda args: args.byoc_id,
    lambda args: args.encryption_key,
    lambda args: args.backup_configuration,
)


def _for_enterprise(field: Field, source: Source | None = None) -> Rule[ServiceFields]:
    def test(args: ServiceFields) -> str | None:
        tier = context_of(args).organization_tier
        of_another = tier not in (None, OrganizationTier.ENTERPRISE) and field(args) not in (None, False)
        return f", not {tier} (clouddb:organizationTier)" if of_another else None

    return rule(field, "needs an ENTERPRISE organization", test, warns=True, source=source or _create(field))


_PRIMARY: tuple[Field, ...] = (
    lambda args: args.backup_configuration,
    lambda args: args.backup_bucket,
    lambda args: args.upgrade_window,
    lambda args: args.password_hash,
)


def _of_kms(field: Field, form: str) -> Rule[ServiceFields]:
    """Return the rule that a key is one of KMS in the region, if its id has this form."""

    def test(args: ServiceFields) -> bool:
        key = str(field(args) or "")
        found = re.match(r"arn:[\w-]+:kms:([\w-]+):", key)
        return bool(re.match(form, key)) and (not found or args.region not in (None, found[1]))

    text = "should be the ARN of a key of KMS in the region of the service"
    source = PAGE("https://clickhouse.com/docs/cloud/security/cmek")
    return rule(field, text, test, warns=True, only=CLICKHOUSE, source=source)


DOUBTED: tuple[Rule[ServiceFields], ...] = (
    rule(
        lambda args: args.idle_timeout_minutes,
        "is for idleScaling true",
        lambda args: args.idle_scaling is False,
        given=lambda args: args.idle_timeout_minutes,
        warns=True,
        only=CLICKHOUSE,
        source=IN_TERRAFORM,
    ),
    _for_enterprise(lambda args: args.has_transparent_data_encryption),
    _for_enterprise(lambda args: args.profile),
    _for_enterprise(lambda args: args.compliance_type, REGIONS),
    rule(
        lambda args: args.tier,
        "development excludes sizes, BYOC, encryption keys and settings of backups",
        lambda args: _given_of(args, _PRODUCTION) if args.tier == Tier.DEVELOPMENT else None,
        warns=True,
        only=CLICKHOUSE,
        source=IN_TERRAFORM,
    ),
    rule(
        lambda args: args.data_warehouse_id,
        "makes a secondary service, which has backups, upgrade window and password of the primary one",
        lambda args: _given_of(args, _PRIMARY),
        given=lambda args: args.data_warehouse_id,
        warns=True,
        only=CLICKHOUSE,
        source=IN_TERRAFORM,
    ),
    _needs(
        lambda args: args.encryption_key,
        lambda args: args.encryption_assumed_role_identifier,
        IN_TERRAFORM,
        warns=True,
    ),
    _needs(
        lambda args: args.encryption_assumed_role_identifier,
        lambda args: args.encryption_key,
        IN_TERRAFORM,
        warns=True,
    ),
    rule(
        lambda args: args.encryption_key,
        "is for provider aws",
        lambda args: args.provider not in (None, CloudProvider.AWS),
        given=lambda args: args.encryption_key,
        warns=True,
        only=CLICKHOUSE,
        source=IN_TERRAFORM,
    ),
    _of_kms(lambda args: args.encryption_key, r"arn:|alias/|mrk-|[0-9a-f]{8}-"),
    _of_kms(lambda args: args.transparent_data_encryption_key_id, r"arn:"),
    ids_of_endpoints(lambda args: args.provider, lambda args: args.private_endpoint_ids),
    public_sources(lambda args: args.ip_access_list, lambda args: args.byoc_id or args.private_endpoint_ids),
)
"""The rules that the description or the vendor's Terraform provider has, and servers may not: check only warns."""

MEANT: tuple[Rule[ServiceFields], ...] = (
    rule(lambda args: args.endpoints, "must turn each protocol either on or off", _one_state, source=OURS),
    _three_workers(lambda args: args.min_replica_memory_gb, lambda args: args.min_total_memory_gb),
    _three_workers(lambda args: args.max_replica_memory_gb, lambda args: args.max_total_memory_gb),
)
"""The rules that no server has: what breaks them cannot be meant, and would be drift in each run."""
