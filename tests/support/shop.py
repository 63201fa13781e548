"""A shop in several regions, and the state of Terraform, with modules and `for_each`, that declares it."""

from __future__ import annotations

from clouddb_tools.sandbox import Sandbox

from .terraform import Json, instance, resource, state

REGIONS = {"eu": "eu-west-1", "us": "us-east-1", "ap": "ap-southeast-1"}
OFFICE = [
    {"source": "203.0.113.0/24", "description": "Office"},
    {"source": "198.51.100.7", "description": "VPN"},
]
BOARDS = ("orders", "payments", "returns", "stock")
TILES = {"errors": "SeverityText:error", "slow": "Duration:>1000"}


class Shop:
    """The objects of a shop, and the state of Terraform that declares them.

    Attributes:
        state: The state.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._resources: dict[tuple[str, str, str], Json] = {}
        place = {"provider": "aws", "ipAccessList": OFFICE}
        shops = {}
        for key, region in REGIONS.items():
            shop = sandbox.add("services", name=f"shop-{key}", region=region, **place)["id"]
            shops[key] = self._add("service", "this", shop, module=f'module.shop["{key}"]')
            self._boards(shop, self._source(shop, key), key)
        for name in ("prod", "staging"):
            made = sandbox.add("services", name=name, region="us-east-1", **place)["id"]
            self._add("service", name, made, module=f"module.{name}")
        for name in ("ci", "grafana", "backup", "auditor"):
            key = sandbox.add_key(name=name, roles=["developer"], ipAccessList=OFFICE)["key"]["id"]
            self._add("api_key", "keys", key, name)
        self._add("organization_settings", "this", str(sandbox.config["clouddb:organizationId"]))
        for key, shop in shops.items():
            policy = {"allowDeny": "ALLOW", "permissions": ["control-plane:service:view"]}
            policies = [{**policy, "resources": [f"instance/{shop}"]}]
            self._add("role", "reader", sandbox.add("roles", name=f"{key} reader", policies=policies)["id"], key)
            self._add("clickpipe", "clicks", sandbox.add_pipe(shop, name=f"clicks-{key}")["id"], key, shop)

    def _add(self, kind: str, name: str, object_id: str, key: str = "", service: str = "", module: str = "") -> str:
        found = instance(object_id, key or None, attributes={"service_id": service} if service else {})
        where = self._resources.setdefault((kind, name, module), resource(f"clickhouse_{kind}", name, module=module))
        where["instances"].append(found)
        return object_id

    def _source(self, shop: str, key: str) -> str:
        table = {"from": {"databaseName": "otel", "tableName": "logs"}, "timestampValueExpression": "T"}
        shown = {"name": "Shop logs", "kind": "log", "defaultTableSelectExpression": "T, Body", "connection": "6" * 24}
        source = str(self._sandbox.add("sources", serviceId=shop, **table, **shown)["id"])
        where = {"name": "Errors", "sourceId": source, "where": "SeverityText:error"}
        search = self._sandbox.add("saved_searches", serviceId=shop, **where)["id"]
        module = f'module.shop["{key}"]'
        self._add("clickstack_saved_search", "errors", search, service=shop, module=module)
        return self._add("clickstack_source", "logs", source, service=shop, module=module)

    def _boards(self, shop: str, source: str, key: str) -> None:
        module, hook = f'module.shop["{key}"]', {"service": "generic", "url": f"https://hooks.example.com/{key}"}
        ops = self._sandbox.add("webhooks", serviceId=shop, name="ops", **hook)["id"]
        self._add("clickstack_webhook", "ops", ops, service=shop, module=module)
        line = {"displayType": "line", "sourceId": source}
        configs = {name: {**line, "select": [{"aggFn": "count", "where": where}]} for name, where in TILES.items()}
        place = {"x": 0, "y": 0, "w": 12, "h": 3}
        tiles = [{"name": name, **place, "config": config} for name, config in configs.items()]
        for name in BOARDS:
            board = self._sandbox.add("dashboards", serviceId=shop, name=name, tags=["shop", key], tiles=tiles)
            self._add("clickstack_dashboard", "dashboards", board["id"], name, shop, module)
        rule = {"threshold": 10, "interval": "5m", "thresholdType": "above", "source": "tile"}
        watched = {"dashboardId": board["id"], "tileId": board["tiles"][0]["id"]}
        channel = {"type": "webhook", "webhookId": ops}
        alert = self._sandbox.add("alerts", serviceId=shop, name="Errors", **rule, **watched, channel=channel)["id"]
        self._add("clickstack_alert", "errors", alert, service=shop, module=module)

    @property
    def state(self) -> Json:
        """The state of Terraform."""
        return state(*self._resources.values())
