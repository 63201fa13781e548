"""The resources and attributes of the official Terraform provider, with their counterparts here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic.alias_generators import to_camel, to_snake

from clouddb_tools.commands.export.terraform import PARTS, PREFIX, kind_of
from pulumi_clouddb.registry import FUNCTIONS

from .docs import table
from .names import Json, base_name, named_type

VERSION = "3.33.0"
"""The newest version when its documentation was read, in October 2026; a few pages are of the version after it."""

PAGES = "https://registry.terraform.io/providers/ClickHouse/clickhouse/latest/docs"

RESOURCES: Sequence[str] = (
    "service",
    "service_scheduled_scaling",
    "service_upgrade_window",
    "service_clickhouse_settings",
    "service_private_endpoints_attachment",
    "service_transparent_data_encryption_key_association",
    "private_endpoint_registration",
    "organization_settings",
    "byoc_infrastructure",
    "api_key",
    "invitation",
    "role",
    "role_assignment",
    "clickpipe",
    "clickpipe_cdc_infrastructure",
    "clickpipes_reverse_private_endpoint",
    "clickpipes_reverse_private_endpoint_custom_private_dns",
    "clickpipes_ssh_key",
    "query_api_endpoint",
    "saved_query",
    "postgres_service",
    "udf",
    "udf_attachment",
    "clickstack_alert",
    "clickstack_connection",
    "clickstack_dashboard",
    "clickstack_role",
    "clickstack_saved_search",
    "clickstack_source",
    "clickstack_source_links",
    "clickstack_team",
    "clickstack_team_member",
    "clickstack_webhook",
)
"""Its resources, without `clickhouse_`: the pages of docs/resources in its repository."""

DATA_SOURCES: Mapping[str, str] = {
    "service": "getService",
    "services": "listServices",
    "private_endpoint_config": "getPrivateEndpointConfig",
    "role": "getRole",
    "roles": "listRoles",
    "user": "getMember",
    "users": "listMembers",
    "service_profiles": "listServiceProfiles",
    "byoc_infrastructures": "listByocInfrastructures",
    "byoc_infrastructure": "getByocInfrastructure",
    "clickpipes_service_context": "getPipeServiceContext",
    "clickstack_dashboard": "getDashboard",
    "clickstack_role": "getStackRole",
    "api_key_id": "",
    "postgres_service": "getPostgresService",
    "postgres_services": "listPostgresServices",
    "postgres_service_ca_certificates": "getPostgresCertificates",
}
"""Its data sources, with the functions here that read the same objects, if any."""


ATTRIBUTES: Mapping[str, Mapping[str, Sequence[str]]] = json.loads(
    Path(__file__).with_name("terraform_attributes.json").read_text(encoding="utf-8")
)
"""The attributes of the resources that have a counterpart here, nested ones with dots: inputs and outputs. From the
same pages."""

_PASSWORD = ("passwordHash", "the hash of your own password; without it, the output `password` has the server's")
_CHANGED = ("", "not needed: a value that has changed is sent")
_TEAM = ("", "none: the team of the token is used")
_SECRETS = "one secret object beside `source`"

OTHER_NAMES: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "service": {
        "cloud_provider": ("provider", ""),
        "ip_access": ("ipAccessList", "its order means nothing"),
        "readonly": ("isReadonly", ""),
        "warehouse_id": ("dataWarehouseId", ""),
        "password": _PASSWORD,
        "password_wo": _PASSWORD,
        "password_wo_version": _CHANGED,
        "double_sha1_password_hash": ("passwordDoubleSha1Hash", ""),
        "query_api_endpoints": ("queryEndpoint", ""),
        "query_api_endpoints.api_key_ids": ("queryEndpoint.openApiKeys", ""),
        "query_api_endpoints.roles": ("queryEndpoint.roles", ""),
        "query_api_endpoints.allowed_origins": ("queryEndpoint.allowedOrigins", ""),
        "transparent_data_encryption": ("hasTransparentDataEncryption", "true or false, in place of `enabled`"),
        "transparent_data_encryption.role_id": ("encryptionRoleId", "an output"),
        "endpoints": ("endpoints", 'a list: `{"protocol": "mysql", "enabled": true}`; the output has host and port'),
        "private_endpoint_config": ("", "the function `getPrivateEndpointConfig`"),
        "generated_password": ("password", "an output, also of an imported service whose password is rotated"),
    },
    "service_clickhouse_settings": {"settings": ("settings", "of the `Service`; numbers may be written as such")},
    "api_key": {
        "ip_access": ("ipAccessList", "its order means nothing"),
        "key_secret": ("keySecret", "a secret output"),
    },
    "service_scheduled_scaling": {
        "entries": ("scalingSchedule.entries", "of the `Service`"),
        "base_config": ("", "none: the scaling of the `Service` itself"),
    },
    "service_private_endpoints_attachment": {"private_endpoint_ids": ("privateEndpointIds", "of the `Service`")},
    "service_transparent_data_encryption_key_association": {
        "key_id": ("transparentDataEncryptionKeyId", "of the `Service`")
    },
    "role": {
        "policies.effect": ("policies.allowDeny", ""),
        "policies.tags.role": ("policies.tags.roleV2", ""),
    },
    "role_assignment": {
        "user_ids": ("actors", "of the `Role`: `user/ID`"),
        "api_key_ids": ("actors", "of the `Role`: `apiKey/ID`"),
    },
    "clickpipe": {
        "trigger_resync": ("", "none: start it in the console"),
        **{
            f"source.{kind}": ("credentials", _SECRETS)
            for kind in (
                "kafka.credentials",
                "kinesis.access_key",
                "mongodb.credentials",
                "mysql.credentials",
                "object_storage.access_key",
                "postgres.credentials",
            )
        },
        "source.kafka.schema_registry.credentials": ("credentials.schemaRegistry", ""),
        **{f"source.{kind}.protobuf_schema": ("credentials.protobufSchema", "") for kind in ("kafka", "kinesis")},
        **{
            f"source.{kind}": ("credentials.serviceAccountKey", "")
            for kind in ("bigquery.credentials", "object_storage.service_account_key", "pubsub.service_account_key")
        },
    },
    "udf": {
        "function_name": ("name", ""),
        "source_archive_path": ("archive", "the archive itself, or `files`: the text of each file"),
        "source_archive_hash": ("", "not needed: code that has changed is sent"),
        "fail_on_build_error": ("", "none: a failed build fails the run, and the next run builds again"),
    },
    "postgres_service": {
        "cloud_provider": ("provider", ""),
        "password_wo": ("password", "a secret in state; without it, the output has the server's"),
        "password_wo_version": _CHANGED,
        "pgbouncer_config": ("pgBouncerConfig", ""),
        "restore_to_point_in_time": ("restoreFrom", ""),
        "restore_to_point_in_time.restore_target": ("restoreFrom.time", ""),
        "restore_to_point_in_time.source_id": ("restoreFrom.postgresServiceId", ""),
        "tags": ("tags", "a list of `key` and `value`"),
        "port": ("", "none: the output `connectionString` has it"),
    },
    "clickstack_alert": {"team": _TEAM},
    "clickstack_connection": {
        "team": _TEAM,
        "prometheus_endpoint": ("isPrometheusEndpoint", "true or false: whether `host` is such a server"),
    },
    "clickstack_dashboard": {
        "dashboard_json": ("tiles", "and `name`, `tags`, `filters`, `containers` …: properties in place of JSON"),
        "normalized_json": ("", "none: differences are shown tile by tile"),
        "team": _TEAM,
    },
    "clickstack_role": {"team": _TEAM, "permissions.fields": ("", "none")},
    "clickstack_saved_search": {"team": _TEAM},
    "clickstack_source": {
        "connection_id": ("connection", ""),
        "metric_tables": ("metricTables", "a map by the kind of metrics, such as `exponential histogram`"),
        "team": _TEAM,
    },
    "clickstack_source_links": {"team": _TEAM},
    "clickstack_webhook": {
        "headers_version": _CHANGED,
        "query_params_version": _CHANGED,
        "team": _TEAM,
    },
}
"""Attributes with another name here, or without a counterpart: the property, and a note."""

ELSEWHERE = {"id", "service_id", "role_id"}
"""Attributes that contain the resource's id, or the id of the resource that has the property."""


def missing(_: Json) -> str:
    """Return links to its resources without a counterpart here."""
    names = [name for name in RESOURCES if not kind_of(name) and name not in PARTS]
    return ",\n".join(f"[`{PREFIX}{name}`]({PAGES}/resources/{name})" for name in names) + "."


def counterparts(_: Json) -> str:
    """Return a table of all its resources with their counterparts."""
    return table(
        ["Terraform", "Here"], [[f"[`{PREFIX}{name}`]({PAGES}/resources/{name})", _here(name)] for name in RESOURCES]
    )


def _here(name: str) -> str:
    if kind := kind_of(name):
        return f"[`{kind}`](reference/{to_snake(kind)}.md)"
    if name in PARTS:
        owner, attribute, _ = PARTS[name]
        return f"`{attribute}` of [`{owner}`](reference/{to_snake(owner)}.md)"
    return "none"


def data_sources(_: Json) -> str:
    """Return a table of all its data sources with the functions here that read the same."""
    rows = [
        [f"[`{PREFIX}{name}`]({PAGES}/data-sources/{name})", _function(ours)] for name, ours in DATA_SOURCES.items()
    ]
    return table(["Terraform", "Here"], rows)


def _function(name: str) -> str:
    if name and name not in FUNCTIONS:
        raise LookupError(f"{name} is not a function; mend DATA_SOURCES in tools/codegen/terraform.py")
    return f"[`{name}`](reference/functions/{to_snake(name)}.md)" if name else "none"


def attributes(schema: Json) -> str:
    """Return a table of the attributes that have another name here, or none.

    Raises:
        LookupError: An attribute has neither a property of its name here, nor another one.
    """
    rows = []
    for name, given in ATTRIBUTES.items():
        kind = kind_of(name) or PARTS[name].owner
        others = OTHER_NAMES.get(name, {})
        spec = schema["resources"][f"clouddb:index:{kind}"]
        inputs = spec["inputProperties"]
        for attribute in given["given"]:
            if not any(_within(attribute, each) for each in others) and attribute not in ELSEWHERE:
                _find(_here_named(attribute), inputs, schema, name)
        for attribute, (path, note) in others.items():
            if path:
                _find(path, {**spec["properties"], **inputs}, schema, name)
            here = ", ".join(filter(None, [f"`{path}`" if path else "", note]))
            rows.append([f"`{PREFIX}{name}`", f"`{attribute}`", here])
    return table(["Resource", "Attribute", "Here"], rows)


def _within(attribute: str, other: str) -> bool:
    return attribute == other or attribute.startswith(f"{other}.")


def _here_named(attribute: str) -> str:
    return ".".join(to_camel(part) for part in attribute.split("."))


def _find(path: str, properties: Json, schema: Json, name: str) -> None:
    """Raise an error if no property has that path."""
    for part in path.split("."):
        if part not in properties:
            raise LookupError(f"{PREFIX}{name}: {path} is not a property here; mend OTHER_NAMES in {__name__}")
        roots = [{"only": properties[part]}]
        types = [named_type(schema, each) for each in _direct(roots)]
        properties = {key: value for each in types for key, value in each.get("properties", {}).items()}


def _direct(value: Any) -> Iterator[str]:
    """Yield the names of the types to which a property refers directly."""
    if isinstance(value, list):
        for item in value:
            yield from _direct(item)
    elif isinstance(value, dict):
        if str(value.get("$ref", "")).startswith("#/types/"):
            yield base_name(value["$ref"])
        for item in value.values():
            yield from _direct(item)
