"""States of the vendor's official Terraform provider: version 3.25.3, and what its documentation has since."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Json = dict[str, Any]

RECORDED = Path(__file__).parents[1] / "data" / "terraform" / "state.json"
"""A state with every resource of version 3.25.3, written by OpenTofu."""

PROVIDER = 'provider["registry.terraform.io/clickhouse/clickhouse"]'
SECRETS = (
    "canary-password",
    "canary-key-secret",
    "Example123Secret",
    "canary-invitation",
    "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=",
)
"""The secrets in a state."""


def resource(kind: str, name: str, *instances: Json, module: str = "", mode: str = "managed") -> Json:
    """Return one resource of a state."""
    where = {"module": module} if module else {}
    return {**where, "mode": mode, "type": kind, "name": name, "provider": PROVIDER, "instances": list(instances)}


def instance(object_id: str | None, index_key: str | int | None = None, **more: Any) -> Json:
    """Return an instance with the attributes that an export reads."""
    key = {} if index_key is None else {"index_key": index_key}
    attributes = {"id": object_id, "name": "as it was", "team": None, **more.pop("attributes", {})}
    return {**key, "schema_version": 0, "attributes": attributes, "sensitive_attributes": [], **more}


def state(*resources: Json) -> Json:
    """Return a state."""
    return {
        "version": 4,
        "terraform_version": "1.11.4",
        "serial": 13,
        "lineage": "98dd53ce-2e67-4550-8618-554f6fe3ea91",
        "outputs": {},
        "resources": list(resources),
        "check_results": None,
    }


SHOP = "$shop"
"""The id of the service of the newer resources, until it is replaced."""


def _newer() -> Iterator[Json]:
    """Yield the resources that the provider has since, with the attributes of its documentation."""
    for kind, name, attributes in (
        ("api_key", "scraper", {"key_secret": "canary-key-secret", "state": "enabled", "ip_access": None}),
        ("invitation", "alice", {"email": "alice@example.com", "assigned_role_ids": [], "role": None}),
        ("byoc_infrastructure", "ours", {"account_id": "123456789012", "region_id": "us-east-1"}),
        ("clickpipes_ssh_key", "bastion", {"service_id": SHOP, "host": "bastion.example.com", "username": "u"}),
        ("query_api_endpoint", "daily", {"service_id": SHOP, "sql": "SELECT 1", "database": "default"}),
        ("clickstack_source_links", "traces", {"source_id": "$clickstack_source_links.traces", "log_source_id": None}),
        ("saved_query", "daily", {"service_id": SHOP, "sql": "SELECT 1", "database": "default"}),
        ("service_clickhouse_settings", "shop", {"service_id": SHOP, "settings": {"max_query_size": "524288"}}),
    ):
        own_id = SHOP if kind == "service_clickhouse_settings" else f"${kind}.{name}"
        yield resource(f"clickhouse_{kind}", name, instance(own_id, attributes=attributes))


def instances(content: Json) -> Iterator[tuple[str, Json, Json]]:
    """Yield the name of each managed instance without `clickhouse_`, its resource, and the instance."""
    for each in content["resources"]:
        for found in each["instances"] if each["mode"] == "managed" else ():
            key = found.get("index_key")
            name = f"{each['type'].removeprefix('clickhouse_')}.{each['name']}"
            yield name if key is None else f"{name}[{key}]", each, found


def recorded(ids: Mapping[str, str]) -> Json:
    """Return the recorded state and the newer resources, with other ids for the resources with these names."""
    content: Json = json.loads(RECORDED.read_text(encoding="utf-8"))
    content["resources"] += _newer()
    text = json.dumps(content).replace(SHOP, ids.get("service.shop[eu]", SHOP))
    for name, _, found in instances(json.loads(text)):
        if name in ids:
            text = text.replace(found["attributes"]["id"], ids[name])
    changed: Json = json.loads(text)
    return changed


def whole(ids: Mapping[str, str]) -> Json:
    """Return the recorded state with these ids, and resources that are gone, incomplete, old or of other providers."""
    content, alert = recorded(ids), "clickhouse_clickstack_alert"
    content["resources"] += [
        resource(alert, "gone", instance("0" * 24, dependencies=["clickhouse_clickstack_webhook.ops"])),
        resource(alert, "begun", instance(None)),
        resource(alert, "old", instance("1" * 24, deposed="abcd1234")),
        resource("random_id", "name", instance("x")),
    ]
    return content
