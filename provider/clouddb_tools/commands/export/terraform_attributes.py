"""The attributes of Terraform's resources that have another name or form here, or none.

The page for users of Terraform lists them, and an export from Terraform's state warns of those that are lost. The
generator compares them with the attributes in tools/codegen/terraform_attributes.json and with schema.json.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pulumi_clouddb.schema.values import objects


class Counterpart(NamedTuple):
    """What an attribute is here.

    Attributes:
        path: The property, nested ones with dots; empty if there is none.
        note: How it differs, or why there is none.
        lost: Whether a program cannot express what the attribute sets.
    """

    path: str
    note: str = ""
    lost: bool = False


_PASSWORD = Counterpart(
    "passwordHash", "the hash of your own password; without it, the output `password` has the server's"
)
_TAGS = Counterpart("tags", "a list of `key` and `value`")
_CHANGED = Counterpart("", "not needed: a value that has changed is sent")
_TEAM = Counterpart("", "none: the team of the token is used", lost=True)
_IN_STATE = Counterpart("credentials.password", "a secret in state")
_SERVERS_OWN = Counterpart("", "not needed: an id that only the server uses")
_WITH_PASSWORD = ("kafka", "mongodb", "mysql", "postgres")
_SECRETS = "one secret object beside `source`"

COUNTERPARTS: Mapping[str, Mapping[str, Counterpart]] = {
    "service": {
        "cloud_provider": Counterpart("provider"),
        "ip_access": Counterpart("ipAccessList", "its order means nothing"),
        "readonly": Counterpart("isReadonly"),
        "warehouse_id": Counterpart("dataWarehouseId"),
        "password": _PASSWORD,
        "password_wo": _PASSWORD,
        "password_wo_version": _CHANGED,
        "double_sha1_password_hash": Counterpart("passwordDoubleSha1Hash"),
        "query_api_endpoints": Counterpart("queryEndpoint"),
        "query_api_endpoints.api_key_ids": Counterpart("queryEndpoint.openApiKeys"),
        "query_api_endpoints.roles": Counterpart("queryEndpoint.roles"),
        "query_api_endpoints.allowed_origins": Counterpart("queryEndpoint.allowedOrigins"),
        "transparent_data_encryption": Counterpart(
            "hasTransparentDataEncryption", "true or false, in place of `enabled`"
        ),
        "transparent_data_encryption.role_id": Counterpart("encryptionRoleId", "an output"),
        "endpoints": Counterpart(
            "endpoints", 'a list: `{"protocol": "mysql", "enabled": true}`; the output has host and port'
        ),
        "private_endpoint_config": Counterpart("", "the function `getPrivateEndpointConfig`"),
        "tags": _TAGS,
        "generated_password": Counterpart(
            "password",
            "an output of a service that is created here, or whose password is rotated; the one of before is only in "
            "Terraform's state, and `--init` keeps it",
        ),
    },
    "service_clickhouse_settings": {
        "settings": Counterpart("settings", "of the `Service`; numbers may be written as such")
    },
    "service_upgrade_window": {
        "weekday": Counterpart("upgradeWindow.weekday", "of the `Service`"),
        "start_hour_utc": Counterpart("upgradeWindow.startHourUtc", "of the `Service`"),
        "duration": Counterpart("", "not needed: it is always six hours"),
    },
    "private_endpoint_registration": {"private_endpoint_id": Counterpart("endpointId")},
    "organization_settings": {"core_dumps_enabled": Counterpart("enableCoreDumps")},
    "clickpipes_reverse_private_endpoint_custom_private_dns": {
        "mapping": Counterpart("customPrivateDnsMappings", "of the `ReversePrivateEndpoint`")
    },
    "api_key": {
        "ip_access": Counterpart("ipAccessList", "its order means nothing"),
        "key_secret": Counterpart(
            "keySecret",
            "an output of a key that is created here; that of a moved key is only in Terraform's state, "
            "and `--init` keeps it",
        ),
    },
    "service_scheduled_scaling": {
        "entries": Counterpart("scalingSchedule.entries", "of the `Service`"),
        "base_config": Counterpart("", "not needed: the scaling of the `Service` itself"),
    },
    "service_private_endpoints_attachment": {
        "private_endpoint_ids": Counterpart("privateEndpointIds", "of the `Service`")
    },
    "service_transparent_data_encryption_key_association": {
        "key_id": Counterpart("transparentDataEncryptionKeyId", "of the `Service`")
    },
    "role": {
        **{f"policies.{name}": _SERVERS_OWN for name in ("id", "role_id", "tenant_id")},
        "policies.effect": Counterpart("policies.allowDeny"),
        "policies.tags.role": Counterpart("policies.tags.roleV2"),
    },
    "role_assignment": {
        "user_ids": Counterpart("actors", "of the `Role`: `user/ID`"),
        "api_key_ids": Counterpart("actors", "of the `Role`: `apiKey/ID`"),
    },
    "clickpipe": {
        "trigger_resync": Counterpart("", "none: start it in the console", lost=True),
        **{
            f"source.{kind}": Counterpart("credentials", _SECRETS)
            for kind in (
                "kafka.credentials",
                "kinesis.access_key",
                "mongodb.credentials",
                "mysql.credentials",
                "object_storage.access_key",
                "postgres.credentials",
            )
        },
        "source.kafka.schema_registry.credentials": Counterpart("credentials.schemaRegistry"),
        **{
            f"source.{kind}.protobuf_schema": Counterpart("credentials.protobufSchema") for kind in ("kafka", "kinesis")
        },
        "source.object_storage.service_account_key": Counterpart("credentials.serviceAccountKey"),
        **{
            f"source.{kind}": Counterpart("credentials.serviceAccountKey", "the text itself, not an object with it")
            for kind in ("bigquery.credentials", "pubsub.service_account_key")
        },
        **{f"source.{kind}.credentials.password_wo": _IN_STATE for kind in _WITH_PASSWORD},
        "source.kafka.schema_registry.credentials.password_wo": Counterpart(
            "credentials.schemaRegistry.password", "a secret in state"
        ),
        **{
            f"source.{kind}.credentials.password_wo_version": _CHANGED
            for kind in (*_WITH_PASSWORD, "kafka.schema_registry")
        },
        "source.kinesis.timestamp": Counterpart("source.kinesis.timestamp", "a number: seconds since 1970"),
    },
    "udf": {
        "function_name": Counterpart("name"),
        "source_archive_path": Counterpart("archive", "the archive itself, or `files`: the text of each file"),
        "source_archive_hash": Counterpart("", "not needed: code that has changed is sent"),
        "fail_on_build_error": Counterpart(
            "", "not needed: a failed build fails the run, and the next run builds again"
        ),
    },
    "postgres_service": {
        "cloud_provider": Counterpart("provider"),
        "password_wo": Counterpart("password", "a secret in state; without it, the output has the server's"),
        "password_wo_version": _CHANGED,
        "pgbouncer_config": Counterpart("pgBouncerConfig"),
        "restore_to_point_in_time": Counterpart("restoreFrom"),
        "restore_to_point_in_time.restore_target": Counterpart("restoreFrom.time"),
        "restore_to_point_in_time.source_id": Counterpart("restoreFrom.postgresServiceId"),
        "tags": _TAGS,
        "port": Counterpart("", "not needed: the output `connectionString` has it"),
    },
    "clickstack_alert": {"team": _TEAM},
    "clickstack_connection": {
        "team": _TEAM,
        "prometheus_endpoint": Counterpart("isPrometheusEndpoint", "true or false: whether `host` is such a server"),
    },
    "clickstack_dashboard": {
        "dashboard_json": Counterpart(
            "tiles", "and `name`, `tags`, `filters`, `containers` …: properties in place of JSON"
        ),
        "normalized_json": Counterpart("", "not needed: differences are shown tile by tile"),
        "team": _TEAM,
    },
    "clickstack_role": {
        "team": _TEAM,
        "permissions.fields": Counterpart("", "none: no description of the vendor has it", lost=True),
        "permissions.conditions": Counterpart("permissions.conditions", "an object in place of JSON"),
    },
    "clickstack_saved_search": {"filters": Counterpart("filters", "a list in place of JSON"), "team": _TEAM},
    "clickstack_source": {
        "connection_id": Counterpart("connection"),
        "metric_tables": Counterpart("metricTables", "a map by the kind of metrics, such as `exponential histogram`"),
        "team": _TEAM,
    },
    "clickstack_source_links": {"team": _TEAM},
    "clickstack_webhook": {
        "headers_version": _CHANGED,
        "query_params_version": _CHANGED,
        "team": _TEAM,
    },
}
"""By resource, the attributes with another name or form here, or without a counterpart. What is below an attribute is
below its property, too, unless that has another form."""


ONLY_IN_STATE: Mapping[str, str] = {
    "api_key": "key_secret",
    "postgres_service": "password",
    "service": "generated_password",
}
"""By resource, the attribute with a secret that the server made, and returns only once."""


def lost(kind: str, values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return which attributes of an object in a state no program can express, each with what happens instead.

    Args:
        kind: The type in Terraform, without `clickhouse_`.
        values: Its attributes.
    """
    return tuple(
        f"{attribute} has no counterpart here: {each.note.removeprefix('none: ')}"
        for attribute, each in COUNTERPARTS.get(kind, {}).items()
        if each.lost and any(_values(values, attribute.split(".")))
    )


def _values(value: object, path: Sequence[str]) -> Iterator[object]:
    """Yield the values at a path; it goes through every object of a list."""
    if not path:
        yield value
        return
    for each in [value] if isinstance(value, Mapping) else objects(value):
        yield from _values(each.get(path[0]), path[1:])
