"""Connections of an observability server to databases."""

from __future__ import annotations

import re
from typing import Annotated

from pulumi_clouddb.schema.base import Answer, FilledText, Flag, Text, prop
from pulumi_clouddb.schema.check.wording import LATER, doubted, matching
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import Thing, answered, asked
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

_WEB_ADDRESS = doubted(
    "should be an address with http:// or https://, such as https://db.example.com:8443",
    matching("(?i)https?://.+|"),
    then=LATER,
)


def _port_of_http(value: str) -> str:
    """Return an address with the port of HTTP in place of that of native clients; none for those of others."""
    if re.search(r":(9004|9005|9009|9181|3306|5432)/?\Z", value):
        return ""
    return re.sub(r":(9000|9440)(/?)\Z", lambda found: f":{_HTTP[found[1]]}{found[2]}", value)


_HTTP = {"9000": "8123", "9440": "8443"}
_HTTP_PORT = doubted(
    "should have the port of the HTTP interface, such as 8123 or 8443, and not that of native clients",
    _port_of_http,
    then=LATER,
)
_WITH_TLS = doubted(
    "should be an address with https://, since port 8443 and ClickHouse Cloud have TLS only",
    matching(r"(?i)(?!http://[^/]*(:8443|\.clickhouse\.cloud(:\d+)?)(/|\Z)).*"),
    then=LATER,
)


class Connection(Thing):
    """A connection (OpenAPI: `CreateConnectionRequest`, `Connection`)."""

    id: Text | None = answered("Id of the connection.")
    name: FilledText | None = prop("Name of the connection.", required=True)
    host: Annotated[Text, _WEB_ADDRESS, _HTTP_PORT, _WITH_TLS] | None = prop(
        "Address of the database's HTTP interface.", required=True
    )
    username: Text | None = prop("User of the database.", required=True)
    password: Text | None = asked(
        "Password of the user. No server returns it, so a change by somebody else is not detected. If removed, it "
        "stays.",
        secret=True,
    )
    hyperdx_setting_prefix: Text | None = prop(
        "Prefix of the settings that the database receives. If removed, it is cleared.",
        pattern="^[a-zA-Z0-9_]+$",
        clears=None,
        answer=Answer("Prefix of the settings that the database receives."),
    )
    is_prometheus_endpoint: Flag | None = prop(
        "Whether `host` is a server with the API of Prometheus. If removed, it is cleared.",
        unset=False,
        clears=False,
        answer=Answer("Whether `host` is a server with the API of Prometheus."),
    )
    created_at: Text | None = answered("When it was created (ISO-8601).")
    updated_at: Text | None = answered("When it was last changed (ISO-8601).")


CONNECTION = ResourceType(
    Connection,
    "A connection of a self-hosted observability server to a database; data sources read through it. The stack of a "
    "service already has one.",
    required_outputs=("name", "host", "username"),
    only=CLICKHOUSE,
)
