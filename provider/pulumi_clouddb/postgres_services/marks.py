"""What this provider makes itself for a Postgres service: a password, and the connection string with it."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from pulumi_clouddb.client.marks import derive

LETTERS = 29
EACH_KIND = "aA1"
"""A password needs a letter of each case and a digit."""


def own_password(service_id: str, credential: str) -> str:
    """Return a password that follows from the configured credential: who sets it twice, or late, sets the same one."""
    return derive(credential, service_id, "postgres password", LETTERS) + EACH_KIND


def with_login(connection: str | None, former_host: str | None, host: str | None, password: str | None) -> str | None:
    """Return a connection string with another password and another host; None where it names none that is known.

    Args:
        connection: The connection string as it was answered once.
        former_host: The host name that the service had then.
        host: The one that it has now.
        password: The password that it has now.
    """
    if not connection or not host or not password:
        return None
    try:
        parts = urlsplit(connection)
        there, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.username is None or there is None or there not in ((former_host or host).lower(), host.lower()):
        return None
    login = f"{parts.username}:{quote(password, safe='')}"
    return parts._replace(netloc=f"{login}@{host}" + (f":{port}" if port else "")).geturl()
