"""Postgres services, their configuration, replicas and restores."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import MinLen
from pydantic import Field
from typing_extensions import Required, TypedDict

from description.exchange import Exchange, collection
from description.notation import Moment, Uuid, Words

Name = Annotated[str, Field(min_length=1, max_length=50)]
TagText = r"^[a-zA-Z0-9._-]+$"
Size = Annotated[
    str,
    Words(
        "c6gd.large c6gd.xlarge c6gd.2xlarge c6gd.4xlarge c6gd.8xlarge c6gd.16xlarge "
        "i7i.large i7i.xlarge i7i.2xlarge i7i.4xlarge i7i.8xlarge i7i.12xlarge i7i.16xlarge i7i.24xlarge "
        "i7ie.large i7ie.xlarge i7ie.2xlarge i7ie.3xlarge i7ie.6xlarge i7ie.12xlarge i7ie.18xlarge i7ie.24xlarge "
        "i8g.large i8g.xlarge i8g.2xlarge i8g.4xlarge i8g.8xlarge i8g.16xlarge i8g.24xlarge "
        "i8ge.large i8ge.xlarge i8ge.2xlarge i8ge.3xlarge i8ge.6xlarge i8ge.12xlarge i8ge.18xlarge i8ge.24xlarge "
        "m6gd.large m6gd.xlarge m6gd.2xlarge m6gd.4xlarge m6gd.8xlarge m6gd.16xlarge "
        "m6id.large m6id.xlarge m6id.2xlarge m6id.4xlarge m6id.8xlarge m6id.16xlarge "
        "m8gd.large m8gd.xlarge m8gd.2xlarge m8gd.4xlarge m8gd.8xlarge m8gd.16xlarge "
        "r6gd.medium r6gd.large r6gd.xlarge r6gd.2xlarge r6gd.4xlarge r6gd.8xlarge r6gd.12xlarge r6gd.16xlarge "
        "r6id.large r6id.xlarge r6id.2xlarge r6id.4xlarge r6id.8xlarge r6id.12xlarge r6id.16xlarge "
        "r6id.24xlarge r6id.32xlarge "
        "r8gd.medium r8gd.large r8gd.xlarge r8gd.2xlarge r8gd.4xlarge r8gd.8xlarge r8gd.12xlarge r8gd.16xlarge "
        "r8gd.24xlarge r8gd.48xlarge"
    ),
]
State = Annotated[
    str,
    Words("creating restarting running replaying_wal restoring_backup finalizing_restore unavailable stopped deleting"),
]


class Tag(TypedDict, total=False):
    """A tag; keys that begin with `chc_` are reserved."""

    key: Required[Annotated[str, Field(min_length=1, max_length=128, pattern=TagText)]]
    value: Annotated[str, Field(max_length=256, pattern=TagText)]


Tags = Annotated[list[Tag], Field(max_length=50)]


class PgConfig(TypedDict, total=False):
    max_connections: str | Annotated[int, Field(ge=1)]
    default_transaction_isolation: Literal["read committed", "repeatable read", "serializable"]
    ssl_min_protocol_version: Literal["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"]
    maintenance_work_mem: str | Annotated[int, Field(ge=64)]
    work_mem: str | Annotated[int, Field(ge=64)]
    effective_cache_size: str | Annotated[int, Field(ge=8)]
    random_page_cost: str | Annotated[float, Field(ge=0)]
    effective_io_concurrency: str | Annotated[int, Field(ge=0)]
    max_worker_processes: str | Annotated[int, Field(ge=0)]
    max_parallel_workers: str | Annotated[int, Field(ge=0)]
    max_parallel_workers_per_gather: str | Annotated[int, Field(ge=0)]
    max_parallel_maintenance_workers: str | Annotated[int, Field(ge=0)]
    statement_timeout: str | Annotated[int, Field(ge=0)]
    lock_timeout: str | Annotated[int, Field(ge=0)]
    idle_session_timeout: str | Annotated[int, Field(ge=0)]
    idle_in_transaction_session_timeout: str | Annotated[int, Field(ge=0)]
    transaction_timeout: str | Annotated[int, Field(ge=0)]
    wal_sender_timeout: str | Annotated[int, Field(ge=0)]
    wal_keep_size: str | Annotated[int, Field(ge=0)]
    min_wal_size: str | Annotated[int, Field(ge=32768)]
    max_wal_size: str | Annotated[int, Field(ge=32768)]
    max_slot_wal_keep_size: str | Annotated[int, Field(ge=0)]
    wal_compression: Literal["off", "on", "lz4", "zstd"]
    autovacuum_max_workers: str | Annotated[int, Field(ge=1)]
    autovacuum_naptime: str | Annotated[int, Field(ge=1)]
    autovacuum_work_mem: str | Annotated[int, Field(ge=1024)]
    autovacuum_vacuum_scale_factor: str | Annotated[float, Field(ge=0)]
    autovacuum_analyze_scale_factor: str | Annotated[float, Field(ge=0)]
    autovacuum_vacuum_insert_scale_factor: str | Annotated[float, Field(ge=0)]
    autovacuum_vacuum_cost_limit: str | Annotated[int, Field(ge=1)]
    autovacuum_vacuum_cost_delay: str | Annotated[int, Field(ge=0)]


BouncerConfig = Annotated[dict[str, str], Field(max_length=64)]


class NewConfiguration(TypedDict, total=False):
    """The configuration of a new service: each group has at least one setting."""

    pgConfig: Annotated[PgConfig, MinLen(1)]
    pgBouncerConfig: Annotated[BouncerConfig, MinLen(1)]


class Configuration(TypedDict):
    """A configuration of an existing service.

    The description requires a setting in each group here, too, but the vendor's client sends empty groups:
    ReplacePostgresConfig of ClickHouse/terraform-provider-clickhouse, internal/api/postgres.go.
    """

    pgConfig: PgConfig
    pgBouncerConfig: BouncerConfig


class Configured(Configuration, total=False):
    """The response to a change of the configuration."""

    message: str


class Update(TypedDict, total=False):
    name: Name
    size: Size
    haType: Literal["none", "async", "sync"]
    tags: Tags


class Create(NewConfiguration, total=False):
    name: Required[Name]
    provider: Required[Literal["aws"]]
    region: Required[str]
    postgresVersion: Literal["18", "17"]
    size: Required[Size]
    haType: Literal["none", "async", "sync"]
    tags: Tags


class Replica(NewConfiguration, total=False):
    name: Required[Name]
    tags: Tags


class Restore(Replica, total=False):
    restoreTarget: Required[Moment]


class Listed(Update, total=False):
    provider: Literal["aws"]
    region: str
    postgresVersion: Literal["18", "17"]
    id: Uuid
    state: State
    createdAt: Moment
    isPrimary: bool


class Service(Listed, total=False):
    """A service; its password, and the connection string with it, are returned only once."""

    storageSize: int
    connectionString: str
    username: str
    password: str
    hostname: str


class Command(TypedDict, total=False):
    command: Literal["restart", "promote", "switchover"]


class PasswordChange(TypedDict, total=False):
    """A new password; if omitted, the server generates one."""

    password: Annotated[str, Field(min_length=12, max_length=1024, pattern="[a-z]")]


class Password(TypedDict, total=False):
    password: str


EXCHANGES = {
    **collection("postgres_service", "postgres_services", Create, Update, Service),
    "list_postgres_services": Exchange(response=list[Listed]),
    "command_postgres_service": Exchange(Command, Service),
    "create_postgres_read_replica": Exchange(Replica, Service),
    "restore_postgres_service": Exchange(Restore, Service),
    "set_postgres_password": Exchange(PasswordChange, Password),
    "get_postgres_config": Exchange(response=Configuration),
    "update_postgres_config": Exchange(Configuration, Configured),
    "replace_postgres_config": Exchange(Configuration, Configured),
    "get_postgres_certificates": Exchange(response=str),
}
