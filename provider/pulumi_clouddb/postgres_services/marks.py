"""What this provider makes itself for a Postgres service: a password, and the connection string with it."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from pulumi_clouddb.client.marks import derive

from .postgres_service import PostgresService

LETTERS = 29
EACH_KIND = "aA1"
"""A password needs a letter of each case and a digit."""


def own_password(service_id: str, credential: str) -> str:
    """Return a password that follows from the configured credential: who sets it twice, or late, sets the same one."""
    return derive(credential, service_id, "postgres password", LETTERS) + EACH_KIND


def with_login(connection: str | None, former_host: str | None, service: PostgresService) -> str | None:
    """Return the connection string of a service; None where its host, its user or its password is not known.

    A server answers it once, or never: then it has the port and the database that every such service has today
    (ClickHouse/terraform-provider-clickhouse, docs/resources/postgres_service.md).

    Args:
        connection: It as it was answered once.
        former_host: The host name that the service had then.
        service: The service as it is now.
    """
    host, user, password = service.hostname, service.username, service.password
    if not host or not user or not password:
        return None
    login, known = f"{quote(user, safe='')}:{quote(password, safe='')}", former_host or host
    try:
        parts = urlsplit(connection or "")
        there, port = parts.hostname, parts.port
    except ValueError:
        there = port = None
    if there is None or there not in (known.lower(), host.lower()):
        return f"postgres://{login}@{host}:5432/postgres?sslmode=require"
    return parts._replace(netloc=f"{login}@{host}" + (f":{port}" if port else "")).geturl()
