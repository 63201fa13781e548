"""A state of the vendor's official Terraform provider, as version 3.25.3 writes it."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

PROVIDER = 'provider["registry.terraform.io/clickhouse/clickhouse"]'
PASSWORD = "canary-of-a-password"


def resource(kind: str, name: str, *instances: Json, module: str = "", mode: str = "managed") -> Json:
    """Return one resource of a state."""
    where = {"module": module} if module else {}
    return {**where, "mode": mode, "type": kind, "name": name, "provider": PROVIDER, "instances": list(instances)}


def instance(object_id: str | None, index_key: str | int | None = None, **more: Any) -> Json:
    """Return an instance with what the provider keeps of it that matters here."""
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


def whole(ids: dict[str, str]) -> Json:
    """Return the state of a configuration with every kind of resource: the objects of these ids, and others."""
    stack = "clickhouse_clickstack_"
    password = {"password": PASSWORD, "password_wo": None}
    return state(
        resource("clickhouse_service", "db", instance(ids["service"], "eu", attributes=password), module="module.shop"),
        resource(f"{stack}connection", "main", instance(ids["connection"], attributes=password)),
        resource(f"{stack}source", "logs", instance(ids["source"])),
        resource(f"{stack}webhook", "hook", instance(ids["webhook"])),
        resource(f"{stack}saved_search", "errors", instance(ids["search"])),
        resource(f"{stack}dashboard", "board", instance(ids["dashboard"], 0)),
        resource(f"{stack}alert", "many", instance(ids["alert"])),
        resource("clickhouse_clickpipe", "clicks", instance(ids["pipe"], attributes={"service_id": ids["service"]})),
        resource(
            "clickhouse_clickpipes_reverse_private_endpoint",
            "kafka",
            instance(ids["reach"], attributes={"service_id": ids["service"]}),
        ),
        resource(
            "clickhouse_clickpipe_cdc_infrastructure",
            "size",
            instance(None, attributes={"service_id": ids["service"]}),
        ),
        resource(
            "clickhouse_private_endpoint_registration",
            "office",
            instance(None, attributes={"private_endpoint_id": ids["office"]}),
        ),
        resource("clickhouse_clickpipes_reverse_private_endpoint_custom_private_dns", "names", instance("x:y")),
        resource(f"{stack}alert", "gone", instance("0" * 24)),
        resource(f"{stack}alert", "begun", instance(None)),
        resource(f"{stack}alert", "old", instance("1" * 24, deposed="abcd1234")),
        resource(f"{stack}team", "team", instance("2" * 24)),
        resource("clickhouse_postgres_service", "orders", instance(ids["postgres"], attributes=password)),
        resource("clickhouse_role", "reader", instance(ids["role"])),
        resource("clickhouse_udf", "twice", instance(None, attributes={"function_name": "twice"})),
        resource(
            "clickhouse_udf_attachment",
            "twice",
            instance(None, attributes={"function_name": "twice", "service_id": ids["service"]}),
        ),
        resource("clickhouse_service_scheduled_scaling", "week", instance(ids["service"])),
        resource("clickhouse_service", "looked_up", instance(ids["service"]), mode="data"),
        resource("random_id", "name", instance("x")),
    )
