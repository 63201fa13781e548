"""A sandbox with many objects: services, dashboards with every kind of tile, alerts, awkward names."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any

from clouddb_tools.sandbox import Sandbox
from lives.life import Life, fill
from lives.table import LIVES
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.vocabulary import VocabularyName
from pulumi_clouddb.things.dashboards.tile_config_fields import BUILDER, RAW_SQL, WITH_ALERTS, DisplayType
from support.ids import CALM, CONNECTION, LOGS, METRICS

Values = dict[str, Any]

SERVICES, DASHBOARDS, ALERTS = 12, 30, 30

NAMES = (
    "Orders",
    "Orders",
    'the "quoted" one',
    "it's",
    "two\nlines",
    "${pulumi.stack} and $${x}",
    "`backticks` \\ and \\",
    "😀",
    "Größe Übersicht",
    "n" * 200,
    "class",
    "import",
    "print",
    "on",
    "1e3",
    "*starred",
    "null",
    "- item: # no comment",
    "{{ braces }}",
    "\u2028 \u202e odd \x07",
    " blank ",
    "__proto__",
)
"""Names that are not unique, or that need escaping in one of the languages."""

ROWS: Values = {"aggFn": "count", "where": "", "whereLanguage": "lucene"}
SLOW: Values = {
    "aggFn": "quantile",
    "level": 0.95,
    "valueExpression": "Duration",
    "where": "a:1",
    "alias": "p95 “slow”",
}
SQL = "SELECT count()\nFROM otel.otel_logs\nWHERE $__timeFilter(Timestamp) AND a = '${x}'"

MORE: dict[str, Values] = {
    "line": {
        "select": [ROWS, SLOW],
        "groupBy": "ServiceName",
        "formulas": [{"expression": "A / B"}],
        "fillNulls": False,
    },
    "stacked_bar": {"select": [ROWS], "numberFormat": {"output": "byte", "mantissa": 2}},
    "table": {
        "select": [ROWS],
        "groupBy": "ServiceName",
        "onClick": {"type": "search", "target": {"mode": "id", "id": LOGS}, "whereTemplate": "a:{{a}}"},
    },
    "number": {
        "select": [ROWS],
        "colorRules": [{"operator": "between", "value": [1, 2.5], "color": "chart-warning", "label": "busy"}],
        "backgroundChart": {"type": "area"},
    },
    "pie": {"select": [ROWS], "groupBy": "ServiceName", "limit": 5},
    "bar": {"select": [ROWS], "groupBy": "ServiceName"},
    "heatmap": {"select": [{"valueExpression": "Duration", "countExpression": "count()", "heatmapScaleType": "log"}]},
    "search": {"columns": "Timestamp, Body", "where": "Severity:error", "whereLanguage": "lucene"},
    "event_patterns": {"where": "", "whereLanguage": "sql"},
    "markdown": {"markdown": '# Orders\n\n- a `tile`\n- ${braces} and "quotes"\n'},
}
"""Further properties of a tile by its display type."""


TABS: list[Values] = [{"id": "t1", "title": "on"}, {"id": "t2", "title": "1e3"}]


def tiles() -> list[Values]:
    """Return a tile of each display type, built from a source and in raw SQL."""
    shown: list[Values] = []
    for kind, fields in ((DisplayType(each).value, BUILDER[each]) for each in BUILDER):
        source = {"sourceId": LOGS} if "sourceId" in fields else {}
        shown.append({"displayType": kind, **source, **MORE[kind]})
    raw = {"configType": "sql", "connectionId": CONNECTION, "sqlTemplate": SQL}
    shown += [{"displayType": kind, **raw} for kind in (DisplayType(each).value for each in RAW_SQL)]
    return [
        {"name": f"{each['displayType']} {index}", "x": 0, "y": 3 * index, "w": 12, "h": 3, "config": each}
        for index, each in enumerate(shown)
    ]


def names() -> Iterator[str]:
    """Yield the awkward names in an endless cycle."""
    return cycle(NAMES)


def kinds_in(sandbox: Sandbox) -> set[str]:
    """Return the kinds of resources of which the sandbox has an object."""
    return {name for name, each in RESOURCES.items() if sandbox.objects(each.collection.plural())}


class Estate:
    """The objects in the sandbox.

    Attributes:
        services: Ids of the services.
    """

    def __init__(self, sandbox: Sandbox, vocabulary: VocabularyName) -> None:
        self.sandbox = sandbox
        self._made = {"services", "pipes", "keys", "dashboards"}
        self.vendor = vocabulary == VocabularyName.CLICKHOUSE
        self.services = [self._service(index, name) for index, name in enumerate(islice(names(), SERVICES))]
        if self.vendor:
            self._settings()
        self.places: list[str | None] = [None, *self.services[:3]]
        for service_id in self.services[:2]:
            sandbox.add_pipe(service_id, name="clicks")
        for index, name in enumerate(islice(names(), 8)):
            sandbox.add_key(name=name, roles=["developer"], expireAt=None if index % 2 else "2031-01-01T00:00:00Z")
        self.hooks = {place: self._parts(place) for place in self.places}
        boards = [  # the first of each place has a tile of each type
            self._dashboard(place, name, tiles() if number < len(self.places) else tiles()[:4])
            for number, place, name in zip(range(DASHBOARDS), cycle(self.places), names(), strict=False)
        ]
        for number in range(ALERTS):
            self._alert(number, *boards[number % DASHBOARDS])
        for life in LIVES.values() if self.vendor else ():
            if life.kind not in self._made and not life.stays:
                self._of_life(life)

    def _of_life(self, life: Life) -> None:
        """Add an object as the life of its resource begins, where nothing else needs one."""
        inputs = fill(life.before, {"service_id": self.services[0]})
        if "$" in str(inputs):
            inputs = fill(inputs, life.setting(self.sandbox))
        options = {*RESOURCES[life.name].type.provider_only} - {"serviceId"}
        self._add(life.kind, None, **{name: value for name, value in inputs.items() if name not in options})

    def _add(self, kind: str, place: str | None, /, **fields: Any) -> str:
        self._made.add(kind)
        where = {"serviceId": place} if place else {}
        id_: str = self.sandbox.add(kind, **where, **fields)["id"]
        return id_

    def _service(self, index: int, name: str) -> str:
        name = name if self.vendor else f"service {index // 2}"
        fields: Values = {"tags": [{"key": "team", "value": "shop"}]} if self.vendor and index % 2 else {}
        id_: str = self.sandbox.add(
            "services",
            name=name.strip() or "x",
            provider="aws",
            region="us-east-1",
            ipAccessList=[{"source": "10.0.0.0/8", "description": name.strip()}],
            **fields,
        )["id"]
        return id_

    def _settings(self) -> None:
        """Set the settings that have endpoints of their own: all, the smallest ones, and the defaults."""
        policy = {"allowDeny": "ALLOW", "permissions": ["view"], "resources": ["instance/*"]}
        role = self._add("roles", None, name="Reader", policies=[policy])
        self.sandbox.add_pipe(self.services[0], "postgres", name="orders")
        self._add("private_endpoints", None, endpointId="vpce-1a2b3c4d", description="Office")
        twice: Values = {"name": "twice", "runtime": "native", "type": "executable", "returnType": "UInt8"}
        self._add("user_defined_functions", None, **twice, arguments=[{"name": "x", "type": "UInt8"}])
        self._add("udf_attachments", self.services[0], functionName="twice")
        postgres = {"provider": "aws", "region": "us-east-1", "size": "m6gd.large", "tags": [{"key": "team"}]}
        self._add("postgres_services", None, name="Orders", pgConfig={"work_mem": "8MB"}, **postgres)
        self._add("invitations", None, email="grace@example.com", assignedRoleIds=[role])
        self._add("members", None, name="Ada", assignedRoleIds=[role])
        key = self.sandbox.add_key(name="queries", roles=[], assignedRoleIds=[role])["key"]["id"]
        self._add("query_api_endpoints", self.services[0], name="Orders", apiKeyIds=[key])
        all_of_it, least, usual = self.services[:3]
        origins = "https://a.example.com, https://b.example.com"
        night: Values = {"name": "on", "weekdays": [1], "startHourUtc": 22, "endHourUtc": 6, "numReplicas": 2}
        endpoint = {"roles": ["sql_console_read_only"], "openApiKeys": [key], "allowedOrigins": origins}
        bucket = {"bucketProvider": "GCP", "bucketPath": "gs://b", "accessKeyId": "k", "secretAccessKey": ADDRESS}
        with self.sandbox.management() as http:
            for service, method, path, body in (
                (all_of_it, "PATCH", "backupConfiguration", {"backupStartTime": "02:00"}),
                (all_of_it, "POST", "serviceQueryEndpoint", endpoint),
                (all_of_it, "POST", "scalingSchedule", {"entries": [night]}),
                (all_of_it, "PUT", "upgradeWindow", {"weekday": 6, "startHourUtc": 18}),
                (
                    all_of_it,
                    "PATCH",
                    "clickhouseSettings",
                    {"settings": {"max_query_size": 1}},
                ),
                (all_of_it, "POST", "backupBucket", bucket),
                (least, "PATCH", "backupConfiguration", {"backupRetentionPeriodInHours": 48}),
                (least, "POST", "serviceQueryEndpoint", {}),
                (usual, "PATCH", "backupConfiguration", {"backupPeriodInHours": 24}),
            ):
                http.request(method, f"/services/{service}/{path}", json=body).raise_for_status()

    def _parts(self, place: str | None) -> Values:
        """Create the objects that dashboards and alerts refer to, and return their ids."""
        search: Values = {"where": "Severity:error", "whereLanguage": "lucene", "tags": ["a", "on"]}
        if not self.vendor:
            search_id = self._add("saved_searches", place, name="Errors", sourceId=LOGS, **search)
            return {"webhook": CALM, "search": search_id, "source": LOGS}
        connection = CONNECTION
        if place is None:
            connection = self._add("connections", None, name='Ours "x"', host="https://db.example.com", username="u")
        table = {"databaseName": "otel", "tableName": "logs"}
        log: Values = {"kind": "log", "timestampValueExpression": "T", "defaultTableSelectExpression": "T, Body"}
        source = self._add("sources", place, name="on", connection=connection, **{"from": table}, **log)
        # Two sources that refer to each other, like logs and traces.
        first = self._add("sources", place, name="logs", connection=connection, **{"from": table}, **log)
        trace: Values = {
            "kind": "trace",
            "timestampValueExpression": "T",
            "defaultTableSelectExpression": "T",
            **{f"{name}Expression": "X" for name in ("duration", "traceId", "spanId", "parentSpanId")},
            "spanNameExpression": "N",
            "spanKindExpression": "K",
            "durationPrecision": 9,
            "logSourceId": first,
        }
        second = self._add("sources", place, name="traces", connection=connection, **{"from": table}, **trace)
        self.sandbox.change("sources", first, traceSourceId=second)
        if place is None:
            flows: Values = {f"{name}Expression": name for name in ("bytes", "packets", "srcAddr", "dstAddr")}
            flows |= {f"{name}Expression": name for name in ("srcPort", "dstPort", "protocol", "timestampValue")}
            flows |= {"kind": "netflow", "name": "flows", "defaultTableSelectExpression": "T"}
            self._add("sources", place, connection=connection, **{"from": table}, **flows)
        return {
            "webhook": self._add("webhooks", place, name="Hook '", service="generic", url=ADDRESS, body="{{title}}"),
            "search": self._add("saved_searches", place, name="Errors", sourceId=source, **search),
            "source": source,
        }

    def _dashboard(self, place: str | None, name: str, shown: list[Values]) -> tuple[str | None, Values]:
        source = self.hooks[place]["source"]
        where = {"serviceId": place} if place else {}
        if not self.vendor:
            series: Values = {"type": "time", "aggFn": "count", "sourceId": LOGS, "where": "", "groupBy": []}
            shown = [
                {"name": each, "x": 0, "y": 0, "w": 8, "h": 3, "series": [series]} for each in ("Errors", 'a "b" \\')
            ]
            return place, self.sandbox.add("dashboards", **where, name=name, tags=["a"], tiles=shown)
        boxes: list[Values] = [
            {"id": "c1", "title": name.strip() or "x", "collapsed": False},
            {
                "id": "c2",
                "title": "Tabs",
                "collapsed": True,
                "tabs": TABS,
            },
        ]
        for tile in shown:
            if tile["config"].get("sourceId"):
                tile["config"]["sourceId"] = source
        shown[0] |= {"containerId": "c1"}
        shown[1] |= {"containerId": "c2", "tabId": "t2", "name": "ends in \\"}
        shown[2] |= {"name": shown[3]["name"]}
        chosen: list[Values] = [
            {"type": "QUERY_EXPRESSION", "name": "Service", "expression": "ServiceName", "sourceId": source},
            {
                "type": "QUERY_EXPRESSION",
                "name": "Host",
                "expression": "Host",
                "sourceId": source,
                "isVariableEnabled": True,
                "variableName": "host",
                "appliesToSourceIds": [source, METRICS],
            },
        ]
        values: list[Values] = [{"type": "sql", "condition": "a = 'x'"}]
        if place is None:
            chosen.append({"type": "STATIC_LIST", "name": "Area", "options": ["on", "${x}"], "variableName": "area"})
            values.append({"type": "variable", "name": "area", "values": ["on"]})
        return place, self.sandbox.add(
            "dashboards",
            **where,
            name=name,
            tags=["a", "on"],
            tiles=shown,
            containers=boxes,
            filters=chosen,
            savedQuery="a:1",
            savedQueryLanguage="lucene",
            savedFilterValues=values,
        )

    def _alert(self, number: int, place: str | None, board: Values) -> None:
        parts, name = self.hooks[place], NAMES[number % len(NAMES)]
        rule: Values = {"threshold": 10.5, "interval": "5m", "thresholdType": "above", "name": name}
        channel = {"type": "webhook", "webhookId": parts["webhook"]}
        if self.vendor and number % 3 == 2:
            watched: Values = {"source": "saved_search", "savedSearchId": parts["search"], "groupBy": "ServiceName"}
        else:
            able = [tile for tile in board["tiles"] if keeps_alerts(tile)]
            watched = {"source": "tile", "dashboardId": board["id"], "tileId": able[number % len(able)]["id"]}
        self._add("alerts", place, **watched, **rule, channel=channel)


def keeps_alerts(tile: Values) -> bool:
    """Return whether an alert on a tile survives the next update of its dashboard."""
    config = tile.get("config")
    return config is None or (config["displayType"] in WITH_ALERTS and config.get("configType") != "sql")


ADDRESS = "https://events.example.com/canary-of-the-address"
"""The address of all webhooks of the estate; it is secret."""
