"""An export of Terraform's modules and `for_each`: short names, loops, constants and no id of an object."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pulumi
import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.engine.wire import codec
from pulumi_clouddb.engine.wire.secret import strip
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.declared import mistakes
from support.exported import Exported, export, plain, resolved
from support.read_python import read_python
from support.read_typescript import read_typescript
from support.registered import registered
from support.schema import SCHEMA
from support.terraform import Json, instance, resource, state

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


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Exported]]:
    """The export of the shop in Python and in TypeScript."""
    folder = tmp_path_factory.mktemp("shop")
    with Sandbox(vocabulary=VocabularyName.CLICKHOUSE) as sandbox:
        file = folder / "terraform.tfstate"
        file.write_text(json.dumps(Shop(sandbox).state), encoding="utf-8")
        words = ("--from-terraform", str(file))
        yield {each: export(sandbox, folder / each, each, *words) for each in ("python", "python-plugin", "typescript")}


def test_program_is_as_an_engineer_would_have_written_it(exports: dict[str, Exported]) -> None:
    """Loops over the keys of `for_each`, one access list, references by key, and short names."""
    text = exports["python"].program
    assert len(exports["python"].entries) >= 40
    for each in (
        "for key, value in SHOP_SERVICES.items()\n",
        'f"shop-{key}"',
        "ip_access_list=IP_ACCESS_LIST,",
        "service_id=shop_services[key].id,",
        'pulumi.Output.concat("instance/", shop_services[key].id)',
        'f"clicks-{key}"',
    ):
        assert each in text, each
    assert not re.search(r"prod_prod|prod-prod|as_ratio|fill_nulls|IP_ACCESS_LIST_2|TILES", text)
    in_typescript = exports["typescript"].program
    for each in ("ipAccessList: ipAccessList", "serviceId: shopServices[key].id", "`instance/${shopServices[key].id}`"):
        assert each in in_typescript, each
    assert (text.count("IP_ACCESS_LIST = "), in_typescript.count("const ipAccessList = ")) == (1, 1)


def test_loops_declare_the_objects_of_the_state(exports: dict[str, Exported]) -> None:
    """Python runs as the class of this package, and every resource has the inputs of the import."""
    exported = exports["python"]
    keys = set(re.findall(r'config.require_secret\("(\w+)"\)', exported.program))
    pulumi.runtime.set_all_config({f"project:{key}": f"the value of {key}" for key in keys})
    known = {key: (entry["id"], strip(codec.read(entry["outputs"]))) for key, entry in exported.entries.items()}
    declared = registered(exported.folder, known)
    pulumi.runtime.set_all_config({})
    assert declared.keys() == exported.entries.keys()
    for key, entry in exported.entries.items():
        expected, found = plain(entry["inputs"]), plain(declared[key])
        assert {n: v for n, v in found.items() if n != "url"} == {n: v for n, v in expected.items() if n != "url"}, key


@pytest.mark.parametrize(("language", "reader"), [("python-plugin", read_python), ("typescript", read_typescript)])
def test_loops_of_other_languages_declare_the_same(language: str, reader: Any, exports: dict[str, Exported]) -> None:
    """With the same resource names; no id of an object is in the program, but for adopted keys."""
    program = reader(exports[language].program)
    assert mistakes(program, SCHEMA) == []
    entries = {(kind.rpartition(":")[2], name): each for (kind, name), each in exports["python"].entries.items()}
    assert {(each.kind, each.name) for each in program.resources.values()} == entries.keys()
    outputs = {
        each.variable: {**plain(entries[each.kind, each.name]["outputs"]), "id": entries[each.kind, each.name]["id"]}
        for each in program.resources.values()
    }
    for each in program.resources.values():
        written = {name: value for name, value in each.properties.items() if name != "url"}
        expected = plain(entries[each.kind, each.name]["inputs"])
        assert resolved(written, outputs, {}) == {name: value for name, value in expected.items() if name != "url"}
    ids = [each["id"] for (kind, _), each in entries.items() if kind != "ApiKey"]
    assert [each for each in ids if each in exports[language].program] == []
