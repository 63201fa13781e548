"""A managed Postgres service: its fields, its rules, and the options of this provider."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, TypeAlias

from pulumi_clouddb.schema.base import (
    Answer,
    Compare,
    FilledText,
    Flag,
    Record,
    Region,
    StrongText,
    Text,
    Uuid,
    Whole,
    prop,
)
from pulumi_clouddb.schema.base import wire_names as names_of
from pulumi_clouddb.schema.check.rules import API, OURS, PAGE, TF, Rule, Source, rule
from pulumi_clouddb.schema.common import region_of
from pulumi_clouddb.schema.provisioned import Database
from pulumi_clouddb.schema.resource_type import FunctionType, ResourceType
from pulumi_clouddb.schema.tags import CREATE_TAG, MAX_TAGS, ServiceTag, as_tags
from pulumi_clouddb.schema.thing import Part, answered, body_of, option
from pulumi_clouddb.schema.usual import PastTime
from pulumi_clouddb.schema.vendor import repeated
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .configuration import MAX_BOUNCER_SETTINGS, PG_SETTINGS, as_texts, faults_of, unlisted_in
from .enums import PostgresHaType, PostgresProvider, PostgresSize, PostgresVersion
from .history import OfPostgresServiceArgs
from .unusual import unusual_in_bouncer

DETAILS, CONFIG, PASSWORD_UPDATE = "update_postgres_service", "update_postgres_config", "set_postgres_password"
"""The operations that update the details, the configuration, and the password."""


class PostgresRestore(Part):
    """Where and when a Postgres service is restored from (OpenAPI: `PostgresServiceRestoreRequest`)."""

    postgres_service_id: Uuid | None = prop("Id of the Postgres service whose backups are read.", required=True)
    time: PastTime | None = prop("Point in time to restore.", required=True)


def _has_origin(service: PostgresService) -> bool:
    return service.read_replica_of is not None or service.restore_from is not None


Field: TypeAlias = Callable[["PostgresService"], object]


def _about(
    read: Field,
    faults_in: Callable[[PostgresService], list[str]],
    text: str,
    source: Source,
    *,
    warns: bool = True,
) -> Rule[PostgresService]:
    """Return a rule on settings that names each fault."""

    def broken(service: PostgresService) -> str | None:
        faults = faults_in(service)
        return f"; {'; '.join(faults)}" if faults else None

    return rule(read, text, broken, warns=warns, source=source)


def _config(service: PostgresService) -> object:
    return service.pg_config


RESERVED = "chc_"
"""The beginning of the keys of tags that servers keep for themselves (OpenAPI: `pgTags`)."""


def _needed_by_first(read: Field) -> Rule[PostgresService]:
    text = "is required without `readReplicaOf` and `restoreFrom`"  # which requests do not have: others create these
    source = API("PostgresServicePostRequest", refuses=False)
    return rule(read, text, lambda each: not _has_origin(each) and read(each) is None, source=source)


def _of_primary(read: Field, why: str = "") -> Rule[PostgresService]:
    text = f"must be left out with `readReplicaOf`{why}"
    given, source = (lambda each: (each.read_replica_of, read(each))), TF("postgres_service.go")
    return rule(read, text, lambda _: True, given=given, source=source)


def _set(read: Callable[[PostgresService], Mapping[str, object] | None]) -> Rule[PostgresService]:
    return rule(
        read,
        "should have a name and a value in each entry: leave out a setting that is to have its default",
        lambda each: any(not (name and text) for name, text in (read(each) or {}).items()),
        warns=True,
        source=TF("postgres_service.go"),
    )


def _has_size(provider: PostgresProvider | None) -> bool | None:
    """Return whether the names of a cloud's machines have a dot; None if it is not known."""
    return {PostgresProvider.AWS: True, PostgresProvider.GCP: False}.get(provider) if provider else None


class PostgresService(Database):
    """A managed Postgres service (OpenAPI: `PostgresServicePostRequest`, `PostgresService`)."""

    RULES: ClassVar[tuple[Rule[PostgresService], ...]] = (
        _about(
            _config,
            lambda each: faults_of(each.pg_config or {}),
            "must contain settings within their limits",
            API("pgConfig"),
            warns=False,
        ),
        _about(
            _config, lambda each: unlisted_in(each.pg_config or {}), "should contain known settings", API("pgConfig")
        ),
        _about(
            lambda each: each.pg_bouncer_config,
            lambda each: unusual_in_bouncer(each.pg_bouncer_config or {}, PG_SETTINGS),
            "should have settings of PgBouncer",
            API("pgBouncerConfig"),
        ),
        _set(lambda each: each.pg_config),
        _set(lambda each: each.pg_bouncer_config),
        _about(
            lambda each: each.tags,
            lambda each: [tag.key for tag in each.tags or () if tag.key.startswith(RESERVED)],
            f"should have no keys that begin with {RESERVED}",
            API("pgTags"),
        ),
        rule(
            lambda each: each.tags,
            "should name each key once",
            lambda each: repeated(tag.key for tag in each.tags or ()),
            warns=True,
            only=CLICKHOUSE,
            source=OURS,
        ),
        _needed_by_first(lambda each: each.provider),
        _needed_by_first(lambda each: each.region),
        _needed_by_first(lambda each: each.size),
        _of_primary(lambda each: each.ha_type, ": a replica has that of its primary"),
        _of_primary(lambda each: each.password, ": a replica has that of its primary"),
        _of_primary(lambda each: each.restore_from),
        rule(
            lambda each: each.size,
            "should be a machine of the provider: aws has those with a dot, such as m6gd.large, and gcp the others",
            lambda each: _has_size(each.provider) not in (None, "." in (each.size or "")),
            given=lambda each: each.size,
            warns=True,
            source=PAGE("https://clickhouse.com/docs/cloud/managed-postgres/scaling"),
        ),
        region_of(lambda service: service.region, lambda service: service.provider),
    )
    READY = "it runs, or is gone"
    UNREADY = "Why it is not ready; absent once it is."

    name: FilledText | None = prop(
        "Name of the Postgres service. Changing it also changes the host name and the certificates.",
        required=True,
        min_length=1,
        max_length=50,
        groups=(DETAILS,),
    )
    provider: PostgresProvider | None = prop("Cloud that runs the Postgres service.", replaces=True)
    region: Region | None = prop("Region of that cloud.", replaces=True)
    postgres_version: PostgresVersion | None = prop(
        "Major version of Postgres.", replaces=True, unset="that of the server", compare=Compare(digits=True)
    )
    size: PostgresSize | None = prop("Machine that it runs on.", groups=(DETAILS,))
    ha_type: PostgresHaType | None = prop("How it is replicated.", unset=PostgresHaType.NONE, groups=(DETAILS,))
    tags: list[ServiceTag] | None = prop(
        "Tags of the Postgres service. The order is not significant; keys that begin with `chc_` are reserved.",
        taken_out="they are removed",
        groups=(DETAILS,),
        max_length=MAX_TAGS,
        compare=Compare(as_tags),
    )
    pg_config: dict[str, Text] | None = prop(
        "Settings of Postgres by name, such as `max_connections`; numbers may be written as such. Settings that the "
        "server has besides after a write are kept; one that appears later is drift. Some settings need a restart: the "
        "server reports it, and this provider does not restart the service.",
        taken_out="a setting has the server's default",
        groups=(CONFIG,),
        compare=Compare(as_texts, open_objects=True, digits=True),
        answer=Answer("Settings of Postgres that were set explicitly.", apart=True),
        min_length=1,
    )
    pg_bouncer_config: dict[str, Text] | None = prop(
        "Settings of PgBouncer by name, such as `default_pool_size`; numbers may be written as such. Settings that "
        "the server has besides after a write are kept; one that appears later is drift.",
        taken_out="a setting has the server's default",
        groups=(CONFIG,),
        compare=Compare(as_texts, open_objects=True, digits=True),
        answer=Answer("Settings of PgBouncer that were set explicitly.", apart=True),
        min_length=1,
        max_length=MAX_BOUNCER_SETTINGS,
    )
    password: StrongText | None = prop(
        "Password of the superuser; without it, the server generates one, which is the output of this name. If "
        "removed, it stays. A change by somebody else is detected only if the server returns the password.",
        secret=True,
        min_length=12,
        max_length=1024,
        groups=(PASSWORD_UPDATE,),
        later=True,
        answer=Answer(
            output="Password of the superuser: from the program, or generated by the server. Absent for a replica, "
            "and for a restored service if the server does not return it: they have the password of their "
            "origin."
        ),
    )
    read_replica_of: Uuid | None = option(
        "Id of the Postgres service of which this is a read replica. If removed, the replica is promoted: it "
        "becomes a service of its own, with its data, and cannot become a replica again.",
        replaces=True,
    )
    restore_from: PostgresRestore | None = option(
        "Creates the service from the backups of another one. If removed, nothing happens.", replaces=True
    )
    id: Text | None = answered("Id (UUID) of the Postgres service.")
    storage_size: Whole | None = answered("Size of its storage, in GiB, which depends on `size`.")
    state: Text | None = answered("State that the server last reported, such as `running` or `creating`.")
    created_at: Text | None = answered("When it was created (ISO-8601).")
    earliest_restore_time: Text | None = answered(
        "The oldest time that `time` of `restoreFrom` can have (ISO-8601), when the service was last read whole: it "
        "moves on as backups expire. Absent if the server does not report it."
    )
    is_primary: Flag | None = answered("Whether it is a primary: false for a read replica.")
    username: Text | None = answered("Name of the superuser.")
    hostname: Text | None = answered("Host name that clients connect to.", copies=("name",))
    connection_string: Text | None = answered(
        "Connection string; it contains the password if that is known.", secret=True, copies=("name", "password")
    )

    def received(self) -> None:
        """Remove the tag with which this provider marks the services it creates; see `client.marks`."""
        if self.tags is not None:
            self.tags = [tag for tag in self.tags if tag.key != CREATE_TAG]


AT_ONCE = names_of(body_of(PostgresService))
"""The properties that a create takes, by wire name."""

POSTGRES_SERVICE = ResourceType(
    PostgresService,
    "A managed Postgres service, a read replica of one, or one that is restored from backups. It is created, waited "
    "for, and changed in place where the API allows it.",
    required_outputs=("name",),
    import_id="POSTGRES_SERVICE_ID",
    only=CLICKHOUSE,
)


class PostgresCertificates(Record):
    """Answer of getPostgresCertificates."""

    pem: Text = prop("The certificates, as PEM.", required=True)


GET_POSTGRES_CERTIFICATES = FunctionType(
    "getPostgresCertificates",
    "Reads the certificates of the authorities that a client of a Postgres service trusts.",
    OfPostgresServiceArgs,
    PostgresCertificates,
)
