"""The password of a Postgres service, and the connection string with it."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from pulumi_clouddb.client.marks import derive
from pulumi_clouddb.resource.state import merged

from .postgres_service import PostgresService

LETTERS = 29
EACH_KIND = "aA1"
"""A password needs a letter of each case and a digit."""


def own_password(service_id: str, credential: str) -> str:
    """Return a password derived from the configured credential: setting it again later sets the same one."""
    return derive(credential, service_id, "postgres password", LETTERS) + EACH_KIND


def has_own_password(wanted: PostgresService, record: PostgresService) -> bool:
    """Return whether a service has its own password: replicas and restored services have the one of their origin."""
    return not (wanted.read_replica_of or wanted.restore_from or record.is_primary is False)


def with_password(before: PostgresService, record: PostgresService, password: str | None) -> PostgresService:
    """Return a record with the earlier credentials, the password, and a connection string that contains it.

    Args:
        before: The last known record; servers return a password once.
        record: The record.
        password: The password, if it is known better than from either of them.
    """
    actual = merged(before, record)
    actual.password = password or record.password or before.password
    if record.connection_string is None:
        actual.connection_string = connection_string(before.connection_string, before.hostname, actual)
    return actual


def connection_string(former: str | None, former_host: str | None, service: PostgresService) -> str | None:
    """Return the connection string of a service; None if its host, its user or its password is not known.

    A server returns it once, or never: then it has the port and the database that every such service has today
    (ClickHouse/terraform-provider-clickhouse, docs/resources/postgres_service.md).

    Args:
        former: The string that the server returned once.
        former_host: The host name that the service had then.
        service: The service as it is now.
    """
    host, user, password = service.hostname, service.username, service.password
    if not host or not user or not password:
        return None
    login = f"{quote(user, safe='')}:{quote(password, safe='')}"
    try:
        parts = urlsplit(former or "")
        known_host, port = parts.hostname, parts.port
    except ValueError:
        known_host = port = None
    if known_host is None or known_host not in ((former_host or host).lower(), host.lower()):
        return f"postgres://{login}@{host}:5432/postgres?sslmode=require"
    return parts._replace(netloc=f"{login}@{host}" + (f":{port}" if port else "")).geturl()
