"""What the official Terraform provider manages, and what of it has a counterpart here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic.alias_generators import to_snake

from pulumi_clouddb.commands.export.terraform import PARTS, PREFIX, kind_of
from pulumi_clouddb.registry import FUNCTIONS

from .docs import table

Json = dict[str, Any]

VERSION = "3.25.3"
PAGES = f"https://registry.terraform.io/providers/ClickHouse/clickhouse/{VERSION}/docs"

RESOURCES: Sequence[str] = (
    "service",
    "service_scheduled_scaling",
    "service_upgrade_window",
    "service_private_endpoints_attachment",
    "service_transparent_data_encryption_key_association",
    "private_endpoint_registration",
    "organization_settings",
    "role",
    "role_assignment",
    "clickpipe",
    "clickpipe_cdc_infrastructure",
    "clickpipes_reverse_private_endpoint",
    "clickpipes_reverse_private_endpoint_custom_private_dns",
    "postgres_service",
    "udf",
    "udf_attachment",
    "clickstack_alert",
    "clickstack_connection",
    "clickstack_dashboard",
    "clickstack_role",
    "clickstack_saved_search",
    "clickstack_source",
    "clickstack_team",
    "clickstack_team_member",
    "clickstack_webhook",
)
"""Its resources, without `clickhouse_`: the pages of docs/resources in its repository at that version."""

DATA_SOURCES: Mapping[str, str] = {
    "service": "getService",
    "services": "listServices",
    "private_endpoint_config": "getPrivateEndpointConfig",
    "role": "getRole",
    "roles": "listRoles",
    "user": "getMember",
    "clickstack_dashboard": "getDashboard",
    "clickstack_role": "getStackRole",
    "api_key_id": "",
    "postgres_service": "",
    "postgres_services": "",
    "postgres_service_ca_certificates": "",
}
"""Its data sources, and the function here that reads the same, if there is one."""


def missing(_: Json) -> str:
    """Return its resources that have no counterpart here, each with a link to its page."""
    names = [name for name in RESOURCES if not kind_of(name) and name not in PARTS]
    return ",\n".join(f"[`{PREFIX}{name}`]({PAGES}/resources/{name})" for name in names) + "."


def counterparts(_: Json) -> str:
    """Return a table of all its resources, and what each of them is here."""
    return table(
        ["Terraform", "Here"], [[f"[`{PREFIX}{name}`]({PAGES}/resources/{name})", _here(name)] for name in RESOURCES]
    )


def _here(name: str) -> str:
    if kind := kind_of(name):
        return f"[`{kind}`](reference/{to_snake(kind)}.md)"
    if name in PARTS:
        owner, attribute = PARTS[name]
        return f"`{attribute}` of [`{owner}`](reference/{to_snake(owner)}.md)"
    return "none"


def data_sources(_: Json) -> str:
    """Return a table of all its data sources, and the function that reads the same here."""
    rows = [
        [f"[`{PREFIX}{name}`]({PAGES}/data-sources/{name})", _function(ours)] for name, ours in DATA_SOURCES.items()
    ]
    return table(["Terraform", "Here"], rows)


def _function(name: str) -> str:
    if name and name not in FUNCTIONS:
        raise LookupError(f"{name} is not a function; mend DATA_SOURCES in tools/codegen/terraform.py")
    return f"[`{name}`](reference/functions/{to_snake(name)}.md)" if name else "none"
