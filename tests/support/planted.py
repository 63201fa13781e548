"""Mistakes of first-time users, with the inputs that their messages lead to."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

from .ids import CALM, CONNECTION, LOGS
from .rows import CONFIGURATION, UUID, Row, Values, refused, warned

TILE = {"name": "Errors", "x": 0, "y": 0, "w": 12, "h": 4}
CHART = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]}
SUNDAY = {"name": "night", "weekdays": [0], "startHourUtc": 1, "endHourUtc": 5}
BYOC = {"regionId": "us-east-1", "accountId": "123456789012"}
READERS = {"roles": ["sql_console_read_only"]}
ORDERS = {"name": "Orders", "provider": "aws", "region": "eu-central-1"}
WATCHED = {"dashboardId": "6b08ccf4690c99606839ff26", "tileId": "t", "threshold": 5, "thresholdType": "above"}
POLICY = {"allowDeny": "ALLOW", "permissions": ["control-plane:service:view"], "resources": ["instance/*"]}
OF_ALL = {**POLICY, "permissions": ["control-plane:organization:manage"]}
TEAM_ROLE = {"serviceId": UUID, "name": "R"}
BUCKET = {"bucketProvider": "GCP", "bucketPath": "b", "accessKeyId": "k"}
RECEIVER = {"serviceId": UUID, "name": "W", "service": "generic", "url": "https://shop.example.com"}
QUERY = {"serviceId": UUID, "name": "Q", "sql": "SELECT {day:Date}", "database": "shop"}
ENDPOINT = {**QUERY, "apiKeyIds": [UUID], "roles": ["sql_console_read_only"]}
KAFKA = {"type": "kafka", "format": "JSONEachRow", "brokers": "a:9092", "topics": "t"}
MSK = {**KAFKA, "type": "msk", "authentication": "IAM_ROLE"}
PLACE_OF_PIPE = {"database": "shop", "table": "t", "managedTable": True, "columns": [{"name": "id", "type": "String"}]}
STREAM = {"serviceId": UUID, "name": "P", "source": {"kafka": KAFKA}, "destination": PLACE_OF_PIPE}
P95 = {"aggFn": "quantile", "valueExpression": "Duration"}
SERIES = {"type": "number", "sourceId": LOGS, "aggFn": "quantile", "field": "Duration", "where": ""}
POSTGRES = {"name": "P", "provider": "aws", "region": "us-east-1", "size": "r6gd.large"}
FUNCTION = {
    "name": "score",
    "runtime": "python3.11",
    "type": "executable_pool",
    "arguments": [],
    "returnType": "String",
    "files": {"main.py": "for line in open(0): print(line, flush=True)"},
}
CALLS = "import sys, random\nfor line in sys.stdin: print(random.random(), flush=True)"
NOT_PYTHON = "main.py is not Python in line 1" if sys.version_info >= (3, 11) else "write a loop such as"
KINESIS = {"format": "JSONEachRow", "streamName": "s", "region": "us-east-1"}
FILES = {"type": "s3", "format": "JSONEachRow"}
FILTER = {"type": "QUERY_EXPRESSION", "name": "F", "expression": "ServiceName", "sourceId": LOGS}
REVERSE = {"serviceId": UUID, "description": "Shop", "type": "VPC_ENDPOINT_SERVICE"}
USER = {"username": "u", "password": "p"}
DRAWN = {"aggFn": "avg", "valueExpression": "Value", "metricType": "gauge", "metricName": "cpu"}
QUANTILE = {"metricType": "histogram", "aggFn": "quantile", "level": 0.95}
KEYS = {"accessKeyId": "AKIA", "secretKey": "s"}
RAW = {"configType": "sql", "displayType": "line", "connectionId": CONNECTION}
LOG_SOURCE = {
    "name": "S",
    "kind": "log",
    "connection": CONNECTION,
    "timestampValueExpression": "Timestamp",
    "defaultTableSelectExpression": "Body",
}
ON_GCP = {"regionId": "us-central1", "accountId": "shop-prod"}
ON_AZURE = {"regionId": "eastus2", "accountId": UUID, "tenantId": UUID, "servicePrincipalClientId": UUID}
OWN_VPC = {"vpcId": "vpc-1", "privateSubnetIds": ["subnet-1"]}
OWN_KEY = {
    "encryptionKey": "arn:aws:kms:eu-central-1:123456789012:key/k",
    "encryptionAssumedRoleIdentifier": "arn:aws:iam::123456789012:role/disks",
}
TRACE_SOURCE = {
    "name": "S",
    "kind": "trace",
    "connection": CONNECTION,
    "timestampValueExpression": "Timestamp",
    "defaultTableSelectExpression": "SpanName",
    "from": {"databaseName": "shop", "tableName": "spans"},
    "durationExpression": "Duration",
    "traceIdExpression": "TraceId",
    "spanIdExpression": "SpanId",
    "parentSpanIdExpression": "ParentSpanId",
    "spanNameExpression": "SpanName",
    "spanKindExpression": "SpanKind",
}
CHECKED = {**WATCHED, "source": "tile", "interval": "5m", "channel": {"type": "webhook", "webhookId": CALM}}
SEARCHED = {"source": "saved_search", "savedSearchId": LOGS, "dashboardId": None, "tileId": None}
HOOK = {"name": "W", "service": "generic", "url": "https://shop.example.com"}
DISCORD = "https://discord.com/api/webhooks/1/a"
METRICS = {
    "name": "S",
    "kind": "metric",
    "connection": CONNECTION,
    "from": {"databaseName": "shop"},
    "timestampValueExpression": "TimeUnix",
    "resourceAttributesExpression": "ResourceAttributes",
}
LOGS_OF_SHOP = {"databaseName": "shop", "tableName": "logs"}
VARIABLE = {**FILTER, "isVariableEnabled": True, "variableName": "service"}
CHOSEN = {"type": "variable", "values": ["shop"]}
NUMBER = {"displayType": "number", "sourceId": LOGS, "select": [{"aggFn": "count"}]}
WIDE = {"name": "T", "y": 0, "w": 12, "h": 3, "config": NUMBER}
RED = {"operator": "between", "color": "chart-red"}
MAPPING = {"sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "orders"}
SHOP = {"host": "db.example.com", "port": 5432, "database": "shop", "tableMappings": [MAPPING]}


def granting(*statements: str) -> dict[str, Any]:
    """Return a policy that grants access to databases."""
    return {**POLICY, "permissions": ["sql-console:database:access"], "tags": {"grants": [*statements]}}


def of_type(type_: str) -> dict[str, Any]:
    """Return a destination whose column has this type."""
    return {**PLACE_OF_PIPE, "columns": [{"name": "id", "type": type_}]}


def chart(title: str, right: Values, wrong: Values, *said: str) -> Row:
    """Return a row of the config of a tile."""
    return warned(
        title, "Dashboard", {"name": "B", "tiles": [{**TILE, "config": right}]}, {"tiles[0].config": wrong}, *said
    )


def value(title: str, right: Values, wrong: Values, *said: str) -> Row:
    """Return a row of a value of a chart."""
    return chart(title, {**CHART, "select": [right]}, {**CHART, "select": [wrong]}, *said)


def sql(title: str, right: str, wrong: str, *said: str) -> Row:
    """Return a row of raw SQL of a chart."""
    return chart(title, {**RAW, "sqlTemplate": right}, {**RAW, "sqlTemplate": wrong}, *said)


def source(title: str, right: Values, wrong: Values, *said: str) -> Row:
    """Return a row of the source of a pipe."""
    return warned(title, "Pipe", {**STREAM, "source": right}, {"source": wrong}, *said)


REFUSED: tuple[Row, ...] = (
    refused(
        "credentials in the source",
        "Pipe",
        STREAM,
        {"source": {"kafka": {**KAFKA, "credentials": USER}}},
        "source.kafka.credentials is not supported here: move it out of source.kafka, to the resource itself",
    ),
    refused(
        "several brokers",
        "Pipe",
        STREAM,
        {"source": {"kafka": {**KAFKA, "brokers": ["a:9092", "b:9092"]}}},
        "source.kafka.brokers must be text, not ['a:9092', 'b:9092']; did you mean 'a:9092,b:9092'?",
    ),
    refused("a name in snake case", "Service", ORDERS, {"num_replicas": 3}, "; did you mean numReplicas?"),
    refused(
        "a nested name in snake case",
        "Dashboard",
        {"name": "B", "tiles": [{**TILE, "config": CHART}]},
        {"tiles": [{**TILE, "display_type": "line", "config": CHART}]},
        "tiles[0].display_type is not supported here; did you mean config.displayType?",
    ),
    refused("a number for a name", "Service", ORDERS, {"name": 2027}, "name must be text, not 2027"),
    refused(
        "an interval as a number",
        "Alert",
        CHECKED,
        {"interval": 5},
        "interval must be a number with a unit such as 5m or 1h, not 5",
    ),
    refused("a map for tags", "Service", ORDERS, {"tags": {"a": "b"}}, "; did you mean [{'key': 'a', 'value': 'b'}]?"),
    refused(
        "a list for one receiver",
        "Alert",
        CHECKED,
        {"channel": [{"type": "webhook", "webhookId": CALM}]},
        "; did you mean {'type': 'webhook', 'webhookId': '65f5e4a3b9e77c001a567890'}?",
    ),
    refused(
        "a time without a zero",
        "Service",
        ORDERS,
        {"backupConfiguration": {"backupStartTime": "7:30"}},
        "backupConfiguration.backupStartTime must be a full hour as HH:MM, such as 07:00, not '7:30'",
    ),
    refused(
        "a date for a time",
        "ApiKey",
        {"name": "K", "roles": ["developer"]},
        {"expireAt": "2027-01-31"},
        "expireAt must be an ISO-8601 date-time such as 2027-01-31T00:00:00Z",
    ),
    refused(
        "one role as a text",
        "ApiKey",
        {"name": "K", "roles": ["developer"]},
        {"roles": "developer"},
        "roles must be a list, not 'developer'; did you mean ['developer']?",
    ),
    refused(
        "days for hours",
        "Service",
        ORDERS,
        {"backupConfiguration": {"backupRetentionPeriodInHours": 30}},
        "must be a multiple of 24, not 30",
    ),
    refused(
        "a percentage", "Alert", CHECKED, {"threshold": "80%"}, "threshold must be a number, not '80%'; write a number"
    ),
    refused(
        "the name of a webhook",
        "Alert",
        CHECKED,
        {"channel": {"type": "webhook", "webhookId": "pager"}},
        "channel has the webhookId 'pager', not 24 hexadecimal digits; take the output id of its resource",
    ),
    refused(
        "Sunday of ISO-8601",
        "Service",
        {**ORDERS, "scalingSchedule": {"entries": [SUNDAY]}},
        {"scalingSchedule": {"entries": [{**SUNDAY, "weekdays": [7]}]}},
        "weekdays[0] must be a day of the week, from 0 for Sunday to 6 for Saturday, not 7",
    ),
    refused(
        "the id of a function",
        "UdfAttachment",
        {"functionName": "score", "serviceId": UUID},
        {"functionName": UUID},
        f"must be a letter, followed by letters, digits and underscores, not '{UUID}'; it is an id: write the name",
    ),
    refused(
        "a list for a text",
        "Dashboard",
        {"name": "B", "tiles": [{**TILE, "config": CHART}]},
        {"tiles": [{**TILE, "config": {**CHART, "groupBy": ["ServiceName"]}}]},
        "groupBy must be text, not ['ServiceName']; did you mean 'ServiceName'?",
    ),
    refused(
        "an object for a text",
        "Webhook",
        HOOK,
        {"body": {"text": "{{title}}"}},
        "body must be text, not the secret value given; write the object as JSON in a text",
    ),
    refused(
        "the address of a host for a network",
        "ByocInfrastructure",
        BYOC,
        {"vpcCidrRange": "10.20.0.1/16"},
        "vpcCidrRange must be a network such as `10.0.0.0/16`, not '10.20.0.1/16'; did you mean 10.20.0.0/16?",
    ),
    refused(
        "a property that only the server sets",
        "Dashboard",
        {"name": "B", "tiles": [{**TILE, "config": CHART}]},
        {"tiles": [{**TILE, "id": "t", "config": CHART}]},
        "only the server sets it. Remove it",
    ),
)

FORMS: tuple[Row, ...] = tuple(
    refused(title, resource, valid, wrong, said)
    for title, resource, valid, wrong, said in (
        (
            "an object for a list",
            "Service",
            ORDERS,
            {"tags": {"team": "core"}},
            "tags must be a list, not {'team': 'core'}; did you mean [{'key': 'team', 'value': 'core'}]?",
        ),
        (
            "a text for a list of objects",
            "Service",
            ORDERS,
            {"ipAccessList": "10.0.0.1"},
            "ipAccessList must be a list, not '10.0.0.1'; write [{source: …, description: …}]",
        ),
        (
            "a text for a list of texts",
            "ApiKey",
            {"name": "K", "roles": ["admin"]},
            {"roles": "admin"},
            "roles must be a list, not 'admin'; did you mean ['admin']?",
        ),
        (
            "a text for an object",
            "Alert",
            CHECKED,
            {"channel": "w1"},
            "channel must be an object, not 'w1'; write {type: …, webhookId: …}",
        ),
        (
            "a list for an object",
            "Service",
            ORDERS,
            {"upgradeWindow": [1]},
            "upgradeWindow must be an object, not [1]; write {weekday: …, startHourUtc: …}",
        ),
        (
            "a list for a map",
            "Service",
            ORDERS,
            {"settings": [8]},
            "settings must be an object, not [8]; write {'NAME': VALUE}, with an entry for each element",
        ),
    )
)
"""Failures that show the form to write."""

WARNED: tuple[Row, ...] = (
    warned(
        "an invitation without any role",
        "Invitation",
        {"email": "a@shop.example.com", "role": "developer"},
        {"role": None},
        "assignedRoleIds or role should be given",
    ),
    warned(
        "a person's address as an actor",
        "Role",
        {"name": "R", "policies": [POLICY], "actors": [f"user/{UUID}", "invitation/1"]},
        {"actors": ["user/a@shop.example.com"]},
        (
            "actors[0] should be user/ID, with the id that listMembers returns, or apiKey/ID, not "
            "'user/a@shop.example.com'"
        ),
    ),
    warned(
        "the address of a person as a whole actor",
        "Role",
        {"name": "R", "policies": [POLICY]},
        {"actors": ["a@shop.example.com"]},
        "actors[0] should be user/ID, with the id that listMembers returns",
    ),
    warned(
        "a statement of another database",
        "Role",
        {"name": "R", "policies": [granting("GRANT SELECT ON shop.table")]},
        {"policies": [granting("GRANT SELECT ON ALL TABLES IN SCHEMA shop")]},
        "policies[0].tags.grants[0] should be GRANT … or REVOKE … on DATABASE.TABLE without a grantee",
    ),
    warned(
        "access to databases without its tags",
        "Role",
        {"name": "R", "policies": [{**granting("GRANT SELECT ON *.*"), "tags": {"roleV2": "sql-console-readonly"}}]},
        {"policies": [{**POLICY, "permissions": ["sql-console:database:access"]}]},
        "policies[0].tags should be given with the permission sql-console:database:access, and only with it",
    ),
    warned(
        "tags without access to databases",
        "Role",
        {"name": "R", "policies": [{**granting(), "allowDeny": "DENY", "tags": None}]},
        {"policies": [POLICY, {**granting("GRANT SELECT ON *.*"), "permissions": ["control-plane:service:view"]}]},
        "policies[1].tags should be given with the permission sql-console:database:access",
    ),
    warned(
        "the name of an organization",
        "Role",
        {"name": "R", "policies": [{**OF_ALL, "resources": [f"organization/{UUID}"]}]},
        {"policies": [{**OF_ALL, "resources": ["organization/acme"]}]},
        "policies[0].resources[0] should be instance/ID or organization/ID",
    ),
    warned(
        "a wildcard as a permission",
        "Role",
        {"name": "R", "policies": [POLICY]},
        {"policies": [{**POLICY, "permissions": ["control-plane:service:*"]}]},
        "; name each one, such as control-plane:service:view: wildcards are for resources, such as instance/*",
    ),
    warned(
        "a permission without its first part",
        "Role",
        {"name": "R", "policies": [POLICY]},
        {"policies": [{**POLICY, "permissions": ["service:view"]}]},
        "; did you mean control-plane:service:view?",
    ),
    warned(
        "a wildcard as an action",
        "StackRole",
        {**TEAM_ROLE, "permissions": [{"action": "manage", "subject": "all"}]},
        {"permissions": [{"action": "*", "subject": "all"}]},
        "permissions[0].action should be an action, and not *, not '*'; did you mean manage?",
    ),
    warned(
        "a wildcard as a subject",
        "StackRole",
        {**TEAM_ROLE, "permissions": [{"action": "read", "subject": "dashboard"}]},
        {"permissions": [{"action": "read", "subject": "*"}]},
        "permissions[0].subject should be a subject, such as dashboard, and neither * nor an action",
    ),
    warned(
        "an action for a subject",
        "StackRole",
        {**TEAM_ROLE, "permissions": [{"action": "read", "subject": "dashboard"}]},
        {"permissions": [{"action": "dashboard", "subject": "read"}]},
        "permissions[0].subject should be a subject, such as dashboard",
    ),
    warned(
        "a member without any role",
        "Member",
        {"userId": UUID, "role": "admin"},
        {"role": None},
        "assignedRoleIds or role should be given: without them, it gives no role",
    ),
    warned(
        "the id of nothing",
        "Member",
        {"userId": UUID, "role": "admin"},
        {"userId": "00000000-0000-0000-0000-000000000000"},
        "userId should be the id of an object, not '00000000-0000-0000-0000-000000000000'; take the output id of its",
    ),
    warned(
        "an address of a link",
        "Invitation",
        {"email": "a.b+c@shop.example.com", "role": "developer"},
        {"email": "mailto:a@shop.example.com"},
        (
            "email should be an email address alone, such as name@example.com, not "
            "'mailto:a@shop.example.com'; did you mean"
        ),
    ),
    warned(
        "an address without the end of its domain",
        "Invitation",
        {"email": "a@bücher.example", "role": "developer"},
        {"email": "a@example"},
        "email should be an email address alone, such as name@example.com, not 'a@example'",
    ),
    warned(
        "a time of the run",
        "ApiKey",
        {"name": "K", "roles": ["developer"], "expireAt": "2048-01-31T08:00:00.123Z"},
        {"expireAt": "2048-01-31T08:00:00.123456"},
        "expireAt should be a fixed text rather than the time of each run, not '2048-01-31T08:00:00.123456'",
    ),
    warned(
        "a time of the run that rotates",
        "ApiKey",
        {"name": "K", "roles": ["developer"], "rotation": "2026-11-28T10:00:00"},
        {"rotation": "1795860000.731"},
        "rotation should be a fixed text rather than the time of each run, not '1795860000.731'",
    ),
    warned(
        "a parameter in quotes",
        "SavedQuery",
        {**QUERY, "sql": """SELECT {day:Date}, '{"a": "String"}', '{x}' -- '{a:String}'"""},
        {"sql": "SELECT {day:Date} FROM t WHERE name LIKE '%{name:String}%'"},
        (
            "sql should give each parameter its name and type, such as `{day:Date}`, and without quotes, in "
            "which {name:Stri"
        ),
    ),
    warned(
        "a text for the name of a table",
        "SavedQuery",
        {
            **QUERY,
            "sql": "SELECT {day:Date} FROM shop.{table:Identifier} WHERE name = trim(LEADING ' ' FROM {n:String})",
        },
        {"sql": "SELECT {day:Date} FROM {table:String}"},
        "such as `{day:Date}`, not {table:String} for the name of a table: the type is Identifier",
    ),
    warned(
        "a type in the wrong case",
        "SavedQuery",
        {**QUERY, "sql": "SELECT {day:Date}, {ids:Array(UInt64)}, {table:Identifier}"},
        {"sql": "SELECT {day:Date}, {id:uint64}"},
        "such as `{day:Date}`, not {id:uint64}: a type is spelt as String, UInt64 or Array(UUID)",
    ),
    *(
        warned(
            f"{wrong} for a parameter of type {kind}",
            "QueryApiEndpoint",
            {**ENDPOINT, "sql": f"SELECT {{day:{kind}}}", "parameters": {"day": right}},
            {"parameters": {"day": wrong}},
            f"for `{{day:Date}}`, with values of their types: day is a {kind}, such as {example}, not {wrong!r}",
        )
        for kind, right, wrong, example in (
            ("Date", "2027-01-31", "today()", "2027-01-31"),
            ("Date", "20270131", "31.01.2027", "2027-01-31"),
            ("DateTime", "1795860000", "2027-01-31T08:00:00Z", "2027-01-31 08:00:00"),
            ("DateTime64(3)", "2027-01-31 08:00:00.123", "now() - INTERVAL 1 DAY", "2027-01-31 08:00:00"),
            ("UInt8", "7", "-7", "7"),
            ("Int64", "-7", "7.5", "-7"),
            ("Float64", "1e3", "7,5", "7.5"),
            ("UUID", UUID, "orders", "5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11"),
            ("Array(UInt64)", "[1,2]", "1,2", "[1,2]"),
        )
    ),
    warned(
        "values of other types",
        "SavedQuery",
        {**QUERY, "sql": "SELECT {a:String}, {b:Nullable(Date)}, {c:Enum8('x')}", "parameters": {"a": "7", "b": "\\N"}},
        {"parameters": {"d": "x"}},
        "such as `day` for `{day:Date}`, not 'd'",
    ),
    warned(
        "a file for SQL",
        "SavedQuery",
        {**QUERY, "sql": "SELECT{day:Date}"},
        {"sql": "queries/orders.sql"},
        "sql should be SQL itself rather than its name, not 'queries/orders.sql'",
    ),
    warned(
        "the id of a saved query for SQL",
        "QueryApiEndpoint",
        ENDPOINT,
        {"sql": UUID},
        "sql should be SQL itself rather than its name",
    ),
    warned(
        "a database with a table",
        "QueryApiEndpoint",
        {**ENDPOINT, "database": "shop"},
        {"database": "shop.orders"},
        "database should be the name of a database without its table, not 'shop.orders'; did you mean shop?",
    ),
    warned(
        "a query that writes with a role that reads",
        "QueryApiEndpoint",
        {**ENDPOINT, "sql": "INSERT INTO t SELECT 1", "roles": ["sql_console_read_only", "writer"], "parameters": {}},
        {"sql": "/* new */ ALTER TABLE t DELETE WHERE 1", "roles": ["sql_console_read_only"]},
        (
            "roles should be sql_console_read_only or sql_console_admin, or a role of the database: ALTER "
            "needs another than"
        ),
    ),
    warned(
        "any origin",
        "QueryApiEndpoint",
        {**ENDPOINT, "allowedOrigins": ["https://shop.example.com"]},
        {"allowedOrigins": ["*"]},
        "allowedOrigins[0] should be an origin such as https://shop.example.com, without a path, not '*'; name each",
    ),
    warned(
        "a domain with a path",
        "Service",
        {**ORDERS, "queryEndpoint": {**READERS, "allowedOrigins": "https://shop.example.com,localhost:3000"}},
        {"queryEndpoint.allowedOrigins": "https://shop.example.com/app,b.example"},
        "without paths, not 'https://shop.example.com/app,b.example'; did you mean https://shop.example.com,b.example?",
    ),
    warned(
        "any domain",
        "Service",
        {**ORDERS, "queryEndpoint": {**READERS, "allowedOrigins": ""}},
        {"queryEndpoint.allowedOrigins": "*"},
        "allowedOrigins should be domains such as shop.example.com, without paths, not '*'; name each website",
    ),
    warned(
        "an address of Slack for another service",
        "Webhook",
        {**RECEIVER, "url": "https://hooks.slack.com/services/T0/B0/x", "body": '{"text": "{{title}} {{{link}}}"}'},
        {"body": None},
        "service should be slack for an address of hooks.slack.com, unless body is what that reads",
    ),
    warned(
        "the placeholder of a secret",
        "Service",
        {**ORDERS, "backupBucket": BUCKET, "backupBucketSecret": "todo-list-7"},
        {"backupBucketSecret": "<secret>"},
        "is a placeholder: write the value in its place, config.require_secret('NAME') without quotes (in",
    ),
    warned(
        "the address in a manual",
        "Webhook",
        {**RECEIVER, "service": "slack", "url": "https://hooks.slack.com/services/T0/B0/xoxx"},
        {"url": "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"},
        "url is a placeholder: write the value in its place, config.require_secret('NAME')",
    ),
    warned(
        "the id of a service as a resource of a policy",
        "Role",
        {"name": "R", "policies": [POLICY]},
        {"policies": [{**POLICY, "resources": [UUID]}]},
        "policies[0].resources[0] should be instance/ID or organization/ID, or instance/* for all services, not",
    ),
    warned(
        "a parameter that a saved query lacks",
        "SavedQuery",
        {**QUERY, "parameters": {"day": "2027-01-31"}},
        {"parameters": {"days": "2027-01-31"}},
        "parameters should name parameters of sql, such as `day` for `{day:Date}`, not 'days'",
    ),
    warned(
        "a parameter that an endpoint's query lacks",
        "QueryApiEndpoint",
        {**ENDPOINT, "parameters": {"day": "2027-01-31"}},
        {"parameters": {"days": "2027-01-31"}},
        "parameters should name parameters of sql",
    ),
    warned(
        "an origin without a scheme",
        "QueryApiEndpoint",
        {**ENDPOINT, "allowedOrigins": ["https://shop.example.com"]},
        {"allowedOrigins": ["shop.example.com"]},
        (
            "allowedOrigins[0] should be an origin such as https://shop.example.com, without a path, not "
            "'shop.example.com'"
        ),
    ),
    warned(
        "an origin with a path",
        "QueryApiEndpoint",
        {**ENDPOINT, "allowedOrigins": ["https://shop.example.com:8443"]},
        {"allowedOrigins": ["https://shop.example.com/"]},
        "; did you mean https://shop.example.com?",
    ),
    warned(
        "domains without commas",
        "Service",
        {**ORDERS, "queryEndpoint": {**READERS, "allowedOrigins": "https://a.example.com, https://b.example.com"}},
        {"queryEndpoint.allowedOrigins": "https://a.example.com; https://b.example.com"},
        "; did you mean https://a.example.com,https://b.example.com?",
    ),
    warned(
        "an address for all addresses",
        "Service",
        {**ORDERS, "ipAccessList": [{"source": "0.0.0.0/0"}, {"source": "::1"}]},
        {"ipAccessList": [{"source": "::"}]},
        "; did you mean ::/0?",
    ),
    warned(
        "seconds for minutes",
        "Service",
        {**ORDERS, "idleTimeoutMinutes": 480, "waitTimeoutMinutes": 1440},
        {"idleTimeoutMinutes": 900},
        "idleTimeoutMinutes should be in minutes, not 900; did you mean 15?",
    ),
    warned(
        "seconds for the minutes of a wait",
        "Service",
        ORDERS,
        {"waitTimeoutMinutes": 3600},
        "waitTimeoutMinutes should be in minutes, not 3600; did you mean 60?",
    ),
    source(
        "seconds for a date-time",
        {"kafka": {**KAFKA, "offset": {"timestamp": "2027-01-31T08:00"}}},
        {"kafka": {**KAFKA, "offset": {"timestamp": "1790000000"}}},
        "source.kafka.offset.timestamp should be a date-time such as 2027-01-31T08:00",
    ),
    source(
        "brokers with a protocol",
        {"kafka": {**KAFKA, "brokers": "a:9092, b:9092"}},
        {"kafka": {**KAFKA, "brokers": "kafka://a:9092,b:9092"}},
        "; did you mean a:9092,b:9092?",
    ),
    source(
        "brokers without ports",
        {"kafka": KAFKA},
        {"kafka": {**KAFKA, "brokers": "a,b:9092"}},
        "source.kafka.brokers should be hosts with their ports",
    ),
    warned(
        "a type of a column in lower case",
        "Pipe",
        {**STREAM, "destination": of_type("Tuple(uuid UUID, string Map(String, datetime))")},
        {"destination": of_type("LowCardinality(nullable(string))")},
        "; did you mean LowCardinality(Nullable(String))?",
    ),
    warned(
        "a type of a function in lower case",
        "UserDefinedFunction",
        {**FUNCTION, "returnType": "Enum8('string' = 1)"},
        {"returnType": "uint64"},
        "returnType should be a type of ClickHouse, whose case is significant, not 'uint64'; did you mean UInt64?",
    ),
    warned(
        "credentials of another authentication",
        "Pipe",
        {**STREAM, "source": {"kafka": {**KAFKA, "type": "msk", "authentication": "IAM_USER"}}, "credentials": KEYS},
        {"credentials": {**KEYS, **USER}},
        (
            "credentials should be those of its authentication; IAM_USER accepts accessKeyId, secretKey, "
            "not username, passw"
        ),
    ),
    chart(
        "a colour of CSS",
        {**CHART, "displayType": "number", "color": "chart-red"},
        {**CHART, "displayType": "number", "color": "#ff0000"},
        "which this version does not know; known values are chart-blue, chart-orange, chart-red",
    ),
    warned(
        "cores for millicores",
        "PipeScaling",
        {"serviceId": UUID, "pipeId": UUID.replace("1", "2"), "replicas": 2, "replicaCpuMillicores": 500},
        {"replicaCpuMillicores": 2},
        "should be at least 125, not 2, as far as this version knows",
    ),
    source(
        "topics without commas",
        {"kafka": {**KAFKA, "topics": "clicks, views"}},
        {"kafka": {**KAFKA, "topics": "clicks; views"}},
        "topics should have commas between its elements, not 'clicks; views'; did you mean clicks,views?",
    ),
    warned(
        "a sorting key that columns lack",
        "Pipe",
        {**STREAM, "destination": {**PLACE_OF_PIPE, "tableDefinition": {"sortingKey": ["id", "toDate(at)"]}}},
        {"destination": {**PLACE_OF_PIPE, "tableDefinition": {"sortingKey": ["user_id"]}}},
        "destination.columns should have the columns that the table definition names; missing: user_id",
    ),
    warned(
        "the port of another database",
        "Pipe",
        {**STREAM, "source": {"postgres": SHOP}, "credentials": USER, "destination": {"database": "shop"}},
        {"source": {"postgres": {**SHOP, "port": 3306}}},
        "source.postgres.port should be that of Postgres, such as 5432, not 3306 of MySQL",
    ),
    *(
        value(
            f"a metric that is not drawn: {expected}",
            {**DRAWN, **of},
            {name: value for name, value in {**DRAWN, **of, **wrong}.items() if value is not None},
            f"tiles[0].config.select[0].{expected}",
        )
        for of, wrong, expected in (
            ({}, {"metricName": None}, "metricName is required with metricType"),
            ({}, {"metricType": None}, "metricType is required with metricName"),
            ({}, {"metricType": "summary"}, "metricType should be another one than summary"),
            (QUANTILE, {"aggFn": "avg", "level": None}, "aggFn should be quantile or count for a histogram"),
            ({"metricType": "sum", "aggFn": "increase"}, {"metricType": "gauge"}, "aggFn `increase` is for metricType"),
            ({"periodAggFn": "delta"}, {"metricType": "sum"}, "periodAggFn is for metricType gauge"),
        )
    ),
    warned(
        "an alert on the silence of a group",
        "Alert",
        {**CHECKED, **SEARCHED, "threshold": 1, "thresholdType": "below"},
        {"groupBy": "ServiceName"},
        "thresholdType below is not met by a group without rows beside others",
    ),
    *(
        warned(
            f"a search that cannot be read: {query}",
            "SavedSearch",
            {"name": "S", "sourceId": LOGS, "where": readable, "whereLanguage": "lucene"},
            {"where": query},
            f"where has {expected}",
        )
        for query, readable, expected in (
            ("(level:error OR level:fatal", "(level:error OR level:fatal)", "( without its counterpart"),
            ('body:"timed out', 'body:"timed (out"', "a double quote without its end"),
            ("duration:[5 TO 10", "duration:[5 TO 10}", "[ without its counterpart"),
            ("[ERROR] failed)", 'a\\(b AND "x \\" (y"', ") without its counterpart"),
        )
    ),
    *(
        warned(
            f"an endpoint's id that is none: {wrong!r}",
            "PrivateEndpoint",
            {"serviceId": UUID, "endpointId": "vpce-0a1b2c3d4e5f6a7b8"},
            {"endpointId": wrong},
            "endpointId should be the id of an endpoint",
        )
        for wrong in ("vpce-1", "vpce-0a1b2c3d4e5f6a7b8,vpce-0a1b2c3d4e5f6a7b9", "vpce-0a1b2c3d 4e5f6a7b8")
    ),
    warned(
        "the port of native clients",
        "Connection",
        {"name": "C", "host": "http://db.example.com:8123", "username": "default"},
        {"host": "http://db.example.com:9000"},
        "host should have the port of the HTTP interface, such as 8123 or 8443",
    ),
    warned(
        "two statements",
        "QueryApiEndpoint",
        {**ENDPOINT, "sql": "SELECT ';a' FROM t; -- {day:Date};"},
        {"sql": "SET max_threads = 1; SELECT 1"},
        "sql should be one statement: remove those after the first `;`",
    ),
    sql(
        "two statements in a tile",
        "SELECT 1;",
        "SELECT 1; SELECT 2",
        "tiles[0].config.sqlTemplate should be one statement",
    ),
    warned(
        "an order in words",
        "SavedSearch",
        {"name": "S", "sourceId": LOGS, "orderBy": "`descending` ASC"},
        {"orderBy": "Timestamp descending"},
        "orderBy should be an order in SQL, with ASC or DESC, not 'Timestamp descending'; did you mean Timestamp DESC?",
    ),
    warned(
        "an order of another product",
        "SavedSearch",
        {"name": "S", "sourceId": LOGS, "orderBy": "a ? b : c desc"},
        {"orderBy": "Timestamp:desc"},
        "orderBy should be an order in SQL, with ASC or DESC, not 'Timestamp:desc'; did you mean Timestamp DESC?",
    ),
    warned(
        "an account with hyphens",
        "ByocInfrastructure",
        BYOC,
        {"accountId": "1234-5678-9012"},
        "azure, not '1234-5678-9012'; did you mean 123456789012?",
    ),
    warned(
        "the service of a private endpoint",
        "PrivateEndpoint",
        {"serviceId": UUID, "endpointId": "vpce-0a1b2c3d4e5f6a7b8"},
        {"endpointId": "com.amazonaws.vpce.us-east-1.vpce-svc-0a1b2c3d4e5f6a7b8"},
        "endpointId should be the id of an endpoint",
    ),
    warned(
        "the endpoint of a service",
        "ReversePrivateEndpoint",
        {**REVERSE, "vpcEndpointServiceName": "com.amazonaws.vpce.us-east-1.vpce-svc-0a1b2c3d4e5f6a7b8"},
        {"vpcEndpointServiceName": "vpce-0a1b2c3d4e5f6a7b8"},
        "vpcEndpointServiceName should be the name of an endpoint service",
    ),
    warned(
        "addresses of the internet in a VPC",
        "ByocInfrastructure",
        {**BYOC, "vpcCidrRange": "100.64.0.0/16"},
        {"vpcCidrRange": "52.10.0.0/16"},
        "vpcCidrRange should be a private network such as 10.0.0.0/16",
    ),
    warned(
        "a VPC that is too small",
        "ByocInfrastructure",
        {**BYOC, "vpcCidrRange": "10.0.0.0/16"},
        {"vpcCidrRange": "10.0.0.0/30"},
        "vpcCidrRange should be a network of /16 to /28 in regions of aws",
    ),
    warned(
        "an account of 11 digits",
        "ByocInfrastructure",
        BYOC,
        {"accountId": "12345678901"},
        "accountId should be 12 digits on aws, the id of a project on gcp, and a UUID on azure",
    ),
    warned(
        "a mapping to a column that does not exist",
        "Pipe",
        {**STREAM, "fieldMappings": [{"sourceField": "id", "destinationField": "id"}]},
        {"fieldMappings": [{"sourceField": "id", "destinationField": "ids"}]},
        "fieldMappings should name columns of the destination, not 'ids'",
    ),
    source(
        "a role of AWS that is missing",
        {"kafka": {**MSK, "iamRole": "arn:aws:iam::1:role/r"}},
        {"kafka": MSK},
        "source.kafka.iamRole should be given for authentication IAM_ROLE",
    ),
    source(
        "a role without its ARN",
        {"kafka": {**MSK, "iamRole": "arn:aws:iam::1:role/r"}},
        {"kafka": {**MSK, "iamRole": "r"}},
        "source.kafka.iamRole should be the ARN of a role, such as arn:aws:iam::123456789012:role/NAME, not 'r'",
    ),
    warned(
        "a schedule for the text that rotates a key",
        "ApiKey",
        {"name": "ci", "roles": ["developer"], "rotation": "2026-11"},
        {"rotation": "every 30 days"},
        "rotation should be another text for each rotation, and is no schedule, not 'every 30 days'",
    ),
    warned(
        "a period for the text that rotates a password",
        "Service",
        {**ORDERS, "passwordRotation": "2"},
        {"passwordRotation": "90d"},
        "passwordRotation should be another text for each rotation, and is no schedule, not '90d'",
    ),
    value(
        "a quantile without its level",
        {**P95, "level": 0.95},
        P95,
        "tiles[0].config.select[0].level should be given for aggFn quantile",
    ),
    warned(
        "a quantile of a series without its level",
        "Dashboard",
        {"name": "B", "tiles": [{**TILE, "series": [{**SERIES, "level": 0.95}]}]},
        {"tiles": [{**TILE, "series": [SERIES]}]},
        "tiles[0].series[0].level should be given for aggFn quantile",
    ),
    warned(
        "a role of an endpoint without its prefix",
        "QueryApiEndpoint",
        {**ENDPOINT, "roles": ["sql_console_read_only", "reporting"]},
        {"roles": ["read_only"]},
        "or a role of the database: write sql_console_read_only in place of 'read_only'",
    ),
    warned(
        "a word for a number of Postgres",
        "PostgresService",
        {**POSTGRES, "pgConfig": {"max_connections": "100", "work_mem": "64MB"}},
        {"pgConfig": {"max_connections": "many"}},
        "max_connections must be a number, such as 100, 64MB or 30s, not 'many'",
    ),
    *(
        warned(what, "PostgresService", {**POSTGRES, "pgConfig": right}, {"pgConfig": wrong}, message)
        for what, right, wrong, message in (
            ("a setting of the server", {"work_mem": "4MB"}, {"fsync": "off"}, "fsync cannot be set here, though"),
            ("a setting of sessions", {"work_mem": "4MB"}, {"TimeZone": "UTC"}, "TimeZone cannot be set here"),
            ("a setting of the pool", {"work_mem": "4MB"}, {"pool_mode": "session"}, "move it to pgBouncerConfig"),
        )
    ),
    *(
        warned(what, "PostgresService", {**POSTGRES, "pgBouncerConfig": right}, {"pgBouncerConfig": wrong}, message)
        for what, right, wrong, message in (
            ("a setting of Postgres", {"transaction_timeout": "9"}, {"work_mem": "4MB"}, "move it to pgConfig"),
            ("a misspelt setting", {"newer": "1"}, {"default_poolsize": "9"}, "did you mean default_pool_size?"),
            ("a mode of no pool", {"pool_mode": "transaction"}, {"pool_mode": "txn"}, "session, transaction, stat"),
        )
    ),
    warned(
        "a tag that is given twice",
        "PostgresService",
        {**POSTGRES, "tags": [{"key": "team", "value": "shop"}]},
        {"tags": [{"key": "team", "value": "shop"}, {"key": "team", "value": "store"}]},
        "tags should name each key once, but 'team' occurs more than once",
    ),
    warned(
        "an address that begins within its range",
        "Service",
        {**ORDERS, "ipAccessList": [{"source": "203.0.113.0/24"}, {"source": "203.0.113.7"}]},
        {"ipAccessList": [{"source": "203.0.113.7/24"}]},
        "first address of its range, not '203.0.113.7/24'; did you mean 203.0.113.7 or 203.0.113.0/24?",
    ),
    warned(
        "a name for the id of a saved search",
        "SavedSearch",
        {"name": "S", "sourceId": LOGS},
        {"sourceId": "logs"},
        "sourceId should be an id of 24 hexadecimal digits, not 'logs'; take the output id of its resource",
    ),
    warned(
        "a database without its protocol",
        "Connection",
        {"name": "C", "host": "https://db.example.com:8443", "username": "default"},
        {"host": "db.example.com:8443"},
        "host should be an address with http:// or https://",
    ),
    warned(
        "an address for a host",
        "PipeSshKey",
        {"serviceId": UUID, "name": "K", "host": "db.example.com", "port": 22, "username": "u"},
        {"host": "ssh://db.example.com:22"},
        (
            "host should be a host name without protocol, port and path, not 'ssh://db.example.com:22'; did "
            "you mean db.exam"
        ),
    ),
    warned(
        "replicas that are left out",
        "Service",
        {**ORDERS, "autoscalingMode": "horizontal", "minReplicas": 2, "maxReplicas": 5},
        {"minReplicas": None, "maxReplicas": None},
        "minReplicas and maxReplicas should be given for autoscalingMode horizontal",
    ),
    warned(
        "a line break after a secret",
        "Connection",
        {"name": "C", "host": "https://db.example.com:8443", "username": "default", "password": "p"},
        {"password": "p\n"},
        "password begins or ends with a blank or a line break, which is part of it: write it without",
    ),
    warned(
        "SQL in a condition of a search",
        "SavedSearch",
        {"name": "S", "sourceId": LOGS, "where": r'Body:"\"a = b\"" OR value is null in (3 tries) between 1 and 2'},
        {"where": "SeverityText IN ('error')"},
        "where is read as lucene by default, and looks like sql: set whereLanguage to sql",
    ),
    chart(
        "SQL in a condition of a value",
        CHART,
        {**CHART, "select": [{"aggFn": "count", "where": "ServiceName = 'shop'"}]},
        "tiles[0].config.select[0].where is read as lucene by default",
    ),
    warned(
        "Lucene in a condition of a filter",
        "Dashboard",
        {"name": "B", "tiles": [], "filters": [{**FILTER, "where": r"Level::String = 'it\'s a:b' -- c:d"}]},
        {"filters": [{**FILTER, "where": "ServiceName:shop"}]},
        "filters[0].where is read as sql by default, and looks like lucene: set whereLanguage to lucene",
    ),
    warned(
        "Lucene in a query of a dashboard",
        "Dashboard",
        {"name": "B", "tiles": [], "savedQuery": "a ? b:c", "savedQueryLanguage": "sql"},
        {"savedQuery": "level:error"},
        "savedQuery is read as sql, and looks like lucene: set savedQueryLanguage to lucene",
    ),
    warned(
        "a parameter without a type",
        "SavedQuery",
        {**QUERY, "sql": "SELECT a ? b : c, '{x}', toString(d) FROM t WHERE day = {day:Date} -- {y}"},
        {"sql": "SELECT 1 FROM t WHERE day = {day}"},
        "sql should give each parameter its name and type, such as `{day:Date}`, not {day}",
    ),
    warned(
        "a parameter of another database",
        "QueryApiEndpoint",
        ENDPOINT,
        {"sql": "SELECT 1 FROM t WHERE day = :day"},
        "such as `{day:Date}`, not :day",
    ),
    sql(
        "a parameter without a type in a tile",
        "SELECT {intervalSeconds:Int64}, '$__f {{b}}'",
        "SELECT {a}",
        "tiles[0].config.sqlTemplate should give each parameter its name and type",
    ),
    warned(
        "a table with its database",
        "Source",
        {**LOG_SOURCE, "from": {"databaseName": "shop", "tableName": ".inner.logs"}},
        {"from": {"databaseName": "shop", "tableName": "shop.logs"}},
        "from.tableName should be the name of a table without its database or schema, not 'shop.logs'; did you mean",
    ),
    warned(
        "a table with its schema",
        "Pipe",
        {**STREAM, "source": {"postgres": SHOP}, "credentials": USER, "destination": {"database": "shop"}},
        {"source": {"postgres": {**SHOP, "tableMappings": [{**MAPPING, "sourceTable": "public.orders"}]}}},
        "source.postgres.tableMappings[0].sourceTable should be the name of a table without its database or schema",
    ),
    source(
        "a role without authentication",
        {"objectStorage": FILES},
        {"objectStorage": {**FILES, "iamRole": "arn:aws:iam::123456789012:role/r"}},
        "source.objectStorage.iamRole has no effect without authentication IAM_ROLE",
    ),
    warned(
        "a machine of another cloud",
        "PostgresService",
        {**POSTGRES, "provider": "gcp", "region": "us-central1", "size": "c4a-standard-4"},
        {"size": "m6gd.large"},
        "size should be a machine of the provider: aws has those with a dot",
    ),
    warned(
        "a region of another cloud",
        "PostgresService",
        POSTGRES,
        {"region": "us-central1"},
        "region should be a region of `provider`, not 'us-central1' of gcp",
    ),
    warned(
        "a region of another cloud than the endpoint's",
        "PrivateEndpoint",
        {"endpointId": UUID, "cloudProvider": "azure", "region": "eastus2"},
        {"region": "us-east-1"},
        "region should be a region of `cloudProvider`, not 'us-east-1' of aws",
    ),
    warned(
        "an endpoint of another cloud",
        "PrivateEndpoint",
        {"endpointId": "102600141743718403", "cloudProvider": "gcp", "region": "us-central1"},
        {"endpointId": "vpce-1a2b3c4d"},
        (
            "endpointId should be vpce-… on aws, the digits of a connection on gcp, and a UUID or "
            "/subscriptions/… on azure"
        ),
    ),
    warned(
        "the ARN of an endpoint",
        "PrivateEndpoint",
        {"serviceId": UUID, "endpointId": "vpce-1a2b3c4d"},
        {"endpointId": "arn:aws:ec2:us-east-1:123456789012:vpc-endpoint/vpce-1a2b3c4d"},
        "; did you mean vpce-1a2b3c4d?",
    ),
    warned(
        "the path of an endpoint of GCP",
        "PrivateEndpoint",
        {"endpointId": "102600141743718403", "cloudProvider": "gcp", "region": "us-central1"},
        {"endpointId": "projects/p/regions/us-central1/forwardingRules/r"},
        "endpointId should be the id of an endpoint",
        "endpointId should be vpce-… on aws, the digits of a connection on gcp",
    ),
    *(
        warned(what, "UserDefinedFunction", {**FUNCTION, **right}, wrong, message)
        for what, right, wrong, message in (
            (
                "the path of a file",
                {"runtime": "native"},
                {"files": {"run.sh": "./run.sh"}},
                "run.sh has a path: write",
            ),
            ("no code", {}, {"files": {"main.py": "def score(:\n  pass"}}, NOT_PYTHON),
            ("a list of Python", {}, {"returnType": "list[int]"}, "should be a type of ClickHouse, whose case"),
            (
                "arguments of one name",
                {"arguments": [{"name": "x", "type": "UInt8"}, {"name": "y", "type": "UInt8"}]},
                {"arguments": [{"name": "x", "type": "UInt8"}, {"name": "x", "type": "UInt8"}]},
                "arguments should each have a name of their own, but 'x' occurs more than once",
            ),
        )
    ),
    *(
        warned(what, "ByocInfrastructure", {**BYOC, **right}, wrong, message)
        for what, right, wrong, message in (
            ("the number of a project", ON_GCP, {"accountId": "123456789012"}, "should be 12 digits on aws, the id"),
            (
                "another host project",
                {**ON_GCP, **OWN_VPC},
                {"gcpSharedVpcHostProjectId": "9876543210"},
                "the id of a pro",
            ),
            ("the name of a subscription", ON_AZURE, {"accountId": "Shop"}, "a UUID on azure, not 'Shop'"),
            ("the name of a tenant", ON_AZURE, {"tenantId": "Shop"}, "tenantId should be a UUID, not 'Shop'"),
            (
                "the name of a principal",
                ON_AZURE,
                {"servicePrincipalClientId": "ch"},
                "ClientId should be a UUID, not 'ch'",
            ),
            ("the name of a VPC", OWN_VPC, {"vpcId": "shop"}, "vpcId should be the id of a VPC, vpc-…, on aws"),
            (
                "a range for a subnet",
                OWN_VPC,
                {"privateSubnetIds": ["10.0.0.0/24"]},
                "should have ids of subnets, subnet-…",
            ),
            ("a zone", {}, {"regionId": "us-east-1a"}, "not 'us-east-1a'; did you mean us-east-1?"),
            ("a zone of GCP", ON_GCP, {"regionId": "us-central1-f"}, "did you mean us-central1?"),
        )
    ),
    warned(
        "a session in place of its role",
        "Service",
        {**ORDERS, **OWN_KEY},
        {"encryptionAssumedRoleIdentifier": "arn:aws:sts::123456789012:assumed-role/disks/me"},
        "; did you mean arn:aws:iam::123456789012:role/disks?",
    ),
    warned(
        "a user in place of a role",
        "Service",
        {**ORDERS, **OWN_KEY},
        {"encryptionAssumedRoleIdentifier": "arn:aws:iam::123456789012:user/me"},
        "should be the ARN of a role, such as arn:aws:iam::123456789012:role/NAME",
    ),
    warned(
        "a key of another region",
        "Service",
        {**ORDERS, **OWN_KEY},
        {"encryptionKey": "arn:aws:kms:us-east-1:123456789012:key/k"},
        "encryptionKey should be the ARN of a key of KMS in the region of the service",
    ),
    warned(
        "the next key in another region",
        "Service",
        {**ORDERS, "transparentDataEncryptionKeyId": "k"},
        {"transparentDataEncryptionKeyId": "arn:aws:kms:us-east-1:123456789012:key/k"},
        "transparentDataEncryptionKeyId should be the ARN of a key of KMS in the region of the service",
    ),
    warned(
        "a restore in the future",
        "PostgresService",
        {"name": "P", "restoreFrom": {"postgresServiceId": UUID, "time": "2026-01-31T00:00:00Z"}},
        {"restoreFrom": {"postgresServiceId": UUID, "time": "2226-01-31T00:00:00Z"}},
        "restoreFrom.time should be in the past, not '2226-01-31T00:00:00Z'",
    ),
    warned(
        "a name for the id of a key",
        "Service",
        {**ORDERS, "queryEndpoint": {**READERS, "openApiKeys": [UUID]}},
        {"queryEndpoint.openApiKeys": ["reader"]},
        (
            "queryEndpoint.openApiKeys[0] should be the id of an API key, the output id of an ApiKey rather "
            "than its accessK"
        ),
    ),
    warned(
        "the access id of a key",
        "Service",
        {**ORDERS, "queryEndpoint": {**READERS, "openApiKeys": [UUID.upper()]}},
        {"queryEndpoint.openApiKeys": ["aBcDeFgHiJkLmNoPqRsT"]},
        "the output id of an ApiKey rather than its accessKeyId, not 'aBcDeFgHiJkLmNoPqRsT'",
    ),
    warned(
        "a permission of another word",
        "Role",
        {"name": "R", "policies": [POLICY, {**POLICY, "permissions": ["control-plane:service:manage-ip-access-list"]}]},
        {"policies": [{**POLICY, "permissions": ["control-plane:service:read"]}]},
        "policies[0].permissions[0] should be a permission that this version knows, not 'control-plane:service:read'",
    ),
    warned(
        "the name of a service in a policy",
        "Role",
        {"name": "R", "policies": [{**POLICY, "resources": [f"instance/{UUID}", "organization/*"]}]},
        {"policies": [{**POLICY, "resources": ["instance/orders"]}]},
        "policies[0].resources[0] should be instance/ID or organization/ID, or instance/* for all services, not 'insta",
    ),
    warned(
        "a service in a policy",
        "Role",
        {"name": "R", "policies": [POLICY]},
        {"policies": [{**POLICY, "resources": ["service/*"]}]},
        "; did you mean instance/*?",
    ),
    warned(
        "a kind of actor in lower case",
        "Role",
        {"name": "R", "policies": [POLICY], "actors": [f"apiKey/{UUID}"]},
        {"actors": [f"apikey/{UUID}"]},
        f"; did you mean apiKey/{UUID}?",
    ),
    warned(
        "a grant with its grantee",
        "Role",
        {"name": "R", "policies": [granting("GRANT SELECT ON shop.* WITH GRANT OPTION")]},
        {"policies": [granting("grant SELECT ON shop.* TO analyst;")]},
        "without a grantee, not 'grant SELECT ON shop.* TO analyst;'; did you mean grant SELECT ON shop.*?",
    ),
    warned(
        "a blank before an id",
        "PrivateEndpoint",
        {"serviceId": UUID, "endpointId": "vpce-1a2b3c4d"},
        {"endpointId": " vpce-1a2b3c4d"},
        "endpointId begins or ends with a blank or a line break",
    ),
    warned(
        "quotes within a text",
        "Service",
        {**ORDERS, "privateEndpointIds": ["vpce-1a2b3c4d"]},
        {"privateEndpointIds": ['"vpce-1a2b3c4d"']},
        "privateEndpointIds should be vpce-… on aws, the digits of a connection on gcp",
        "privateEndpointIds[0] has quotes around it, which are part of it: write it without",
    ),
    warned(
        "a placeholder",
        "PrivateEndpoint",
        {"serviceId": UUID, "endpointId": "vpce-1a2b3c4d"},
        {"endpointId": "<your endpoint>"},
        "endpointId is a placeholder: write the value in its place",
    ),
    value(
        "a text in double quotes",
        {"aggFn": "count", "where": "ResourceAttributes.\"a\" = 'b'", "whereLanguage": "sql"},
        {"aggFn": "count", "where": 'ServiceName = "error"', "whereLanguage": "sql"},
        "select[0].where has a text in double quotes, which are for names of columns: write it in single quotes",
    ),
    value(
        "operators of Lucene in lower case",
        {"aggFn": "count", "where": "level:error AND NOT service:and"},
        {"aggFn": "count", "where": "level:error and service:shop"},
        "select[0].where has and, or or not in lower case, which is a word to search for: write AND, OR or NOT",
    ),
    value(
        "a query of another product",
        {"aggFn": "count", "where": "a || b"},
        {"aggFn": "count", "where": '{app="shop"} |= "timeout"'},
        "looks like a query of another product, such as LogQL, PromQL or SPL: write it in lucene",
    ),
    chart(
        "the word of a clause",
        {**CHART, "groupBy": "ServiceName"},
        {**CHART, "groupBy": "GROUP BY ServiceName"},
        "groupBy begins with the word of its clause, which the server writes: leave it out",
    ),
    chart(
        "a semicolon after an expression",
        {**CHART, "groupBy": "splitByChar(';', Body)"},
        {**CHART, "groupBy": "ServiceName;"},
        "groupBy ends in a semicolon, and is only a part of a statement: leave it out",
    ),
    value(
        "two aggregations of a value",
        {"aggFn": "none", "valueExpression": "count(DISTINCT UserId)"},
        {"aggFn": "count_distinct", "valueExpression": "count(DISTINCT UserId)"},
        "select[0].valueExpression should have no aggregation or DISTINCT of its own unless aggFn is none",
    ),
    sql(
        "a macro of Grafana",
        "SELECT $__timeInterval(Timestamp), '{{a}}' FROM t WHERE $__timeFilter(a) -- $__from",
        "SELECT 1 FROM t WHERE a > $__toTime AND a > $__from",
        "sqlTemplate has $__from, which is no macro of the server",
    ),
    sql(
        "rows of any time",
        "SELECT $__timeInterval(t) AS ts, count() FROM t WHERE {startDateMilliseconds:Int64} < ts GROUP BY ts",
        "SELECT $__timeInterval(t) AS ts, count() FROM t WHERE '$__timeFilter(t)' != '' GROUP BY ts -- $__toTime",
        "sqlTemplate should have a time filter",
    ),
    sql(
        "a parameter that the server does not set",
        "SELECT {intervalSeconds:Int64}",
        "SELECT {day:Date}",
        "sqlTemplate has {day:Date}, which the server does not set; its parameters are startDateMilliseconds",
    ),
    sql(
        "a variable of another product",
        "SELECT [[1]]",
        "SELECT [[service]]",
        "sqlTemplate has [[service]], which stays as it is: write variables as $name",
    ),
    sql(
        "the name of a file for SQL",
        "-- a\n(SELECT 1)",
        "queries/errors.sql",
        "sqlTemplate is no query: write the SQL itself, such as SELECT",
    ),
    sql(
        "a format of SQL",
        "SELECT 1 AS format",
        "SELECT 1 FORMAT JSON",
        "sqlTemplate ends in FORMAT, which the server adds: leave it out",
    ),
    chart(
        "an interval without time",
        {**RAW, "sqlTemplate": "SELECT $__interval_s"},
        {**RAW, "displayType": "table", "sqlTemplate": "SELECT $__interval_s"},
        "sqlTemplate should group by a fixed interval, and not by `$__timeInterval`, unless displayType is line",
    ),
    chart(
        "no source for the filters",
        {**RAW, "sourceId": LOGS, "sqlTemplate": "SELECT 1 WHERE $__filters"},
        {**RAW, "sqlTemplate": "SELECT 1 WHERE $__filters"},
        "sourceId is needed for `$__filters` and `$__sourceTable` in sqlTemplate",
    ),
    chart(
        "a column of a row in single braces",
        {
            **CHART,
            "displayType": "table",
            "onClick": {"type": "external", "urlTemplate": "https://e.example.com/{{Id}}"},
        },
        {**CHART, "displayType": "table", "onClick": {"type": "external", "urlTemplate": "https://e.example.com/{Id}"}},
        "onClick.urlTemplate has {Id}, which stays as it is: write columns of the row as {{Column}}",
    ),
    warned(
        "a variable of no filter",
        "Dashboard",
        {
            "name": "B",
            "tiles": [{**TILE, "config": {**RAW, "sqlTemplate": "SELECT 1 WHERE a IN ($env) AND b != '$c'"}}],
            "filters": [{**FILTER, "isVariableEnabled": True, "variableName": "env"}],
        },
        {
            "filters": [FILTER],
            "tiles": [{**TILE, "config": {**RAW, "sqlTemplate": "SELECT 1 WHERE a = '${env}' -- $c"}}],
        },
        "filters should have each variable of sqlTemplate, as variableName with isVariableEnabled; 'Errors' has ${env",
    ),
    warned(
        "the name of a source that a filter applies to",
        "Dashboard",
        {"name": "B", "tiles": [], "filters": [{**FILTER, "appliesToSourceIds": [LOGS]}]},
        {"filters": [{**FILTER, "appliesToSourceIds": ["Logs"]}]},
        "appliesToSourceIds[0] should be an id of 24 hexadecimal digits, not 'Logs'",
    ),
    warned(
        "a threshold that nothing misses",
        "Alert",
        {**CHECKED, "threshold": 1},
        {"threshold": 0},
        "above includes 0, and so an interval without rows: did you mean thresholdType above_exclusive?",
    ),
    warned(
        "a threshold that nothing meets",
        "Alert",
        {**CHECKED, **SEARCHED, "thresholdType": "below"},
        {"threshold": 0},
        "no number of rows is below 0: did you mean thresholdType below_or_equal?",
    ),
    warned(
        "a number of rows below zero",
        "Alert",
        {**CHECKED, **SEARCHED, "thresholdType": "equal"},
        {"threshold": -1},
        "no number of rows is negative, not -1",
    ),
    warned(
        "a variable of Grafana",
        "Alert",
        {**CHECKED, "message": "{{#if group}}{{group}}{{/if}} {{{value}}} of /a/{value} {{attributes.host.name}}"},
        {"message": "{{ $value }} is too high"},
        "message should write variables as {{value}}; there are value, group, attributes",
    ),
    warned(
        "a variable in single braces",
        "Alert",
        {**CHECKED, "message": "{other} $5"},
        {"message": "{value} is too high"},
        "message should write variables as {{value}}",
    ),
    warned(
        "a variable that a message lacks",
        "Alert",
        {**CHECKED, "name": "{{dashboard.name}}"},
        {"name": "Errors of {{host.name}}"},
        "name should write variables as {{value}}",
    ),
    warned(
        "a person in a message",
        "Alert",
        {**CHECKED, "message": "a@b.example.com, @webhook-Ops"},
        {"message": "Look, @here"},
        "message should mention only webhooks, as @webhook-ID",
    ),
    warned(
        "a channel of Slack",
        "Webhook",
        {**HOOK, "service": "slack", "url": "https://hooks.slack.com/services/a/b/c"},
        {"url": "https://shop.slack.com/archives/C0123"},
        "url should be the address of a webhook, such as https://hooks.slack.com/services/…, and not that of a page",
    ),
    warned(
        "a variable that a body lacks",
        "Webhook",
        {**HOOK, "body": '{"text": "{{title}}", "at": {{startTime}} }'},
        {"body": '{"text": "{{message}}"}'},
        "body should write variables as {{title}}; there are title, body, link",
    ),
    warned(
        "braces that a message does not close",
        "Alert",
        {**CHECKED, "message": '{"a": {{value}} }'},
        {"message": '{"a": {{value}}}'},
        "message should write variables as {{value}}",
    ),
    warned(
        "a variable in a header",
        "Webhook",
        {**HOOK, "headers": {"Authorization": "Bearer a{b}$c"}},
        {"headers": {"Authorization": "Bearer ${TOKEN}"}},
        "headers.[secret] should be the value alone, without its name, and without variables",
    ),
    warned(
        "credentials of a header that are not encoded",
        "Webhook",
        {**HOOK, "headers": {"Authorization": "Basic dXNlcjpw"}},
        {"headers": {"Authorization": "Basic user:p"}},
        "headers.[secret] should have USER:PASSWORD in Base64 after Basic",
    ),
    warned(
        "a body that Discord refuses",
        "Webhook",
        {**HOOK, "url": DISCORD, "body": '{"content": "{{title}}"}'},
        {"body": None},
        "body should be JSON with content or embeds for Discord, and with routing_key for PagerDuty",
    ),
    warned(
        "milliseconds of OpenTelemetry's spans",
        "Source",
        {**TRACE_SOURCE, "durationPrecision": 9},
        {"durationPrecision": 3},
        "durationPrecision should be 9 for the column Duration of the collector's tables, which is in nanoseconds",
    ),
    warned(
        "a database with its table",
        "Source",
        {**LOG_SOURCE, "from": {"databaseName": "shop", "tableName": "logs"}},
        {"from": {"databaseName": "shop.logs", "tableName": "logs"}},
        "from.databaseName should be the name of a database without a table",
    ),
    warned(
        "the word of a clause in a source",
        "Source",
        {**LOG_SOURCE, "from": {"databaseName": "shop", "tableName": "logs"}, "tableFilterExpression": "a = 1"},
        {"tableFilterExpression": "WHERE a = 1"},
        "tableFilterExpression begins with the word of its clause",
    ),
    warned(
        "a variable of a shell",
        "Connection",
        {"name": "C", "host": "http://db.example.com:8123", "username": "default", "password": "$ecret-7"},
        {"password": "$CLICKHOUSE_PASSWORD"},
        "password is a placeholder: write the value in its place, config.require_secret('NAME')",
    ),
    warned(
        "HTTP at the port of HTTPS",
        "Connection",
        {"name": "C", "host": "http://db.example.com:8123", "username": "default"},
        {"host": "http://db.example.com:8443"},
        "host should be an address with https://, since port 8443 and ClickHouse Cloud have TLS only",
    ),
    warned(
        "the line of a shell for a setting",
        "Source",
        {**LOG_SOURCE, "from": LOGS_OF_SHOP, "querySettings": [{"setting": "max_execution_time", "value": "5"}]},
        {"querySettings": [{"setting": "SET max_execution_time", "value": "5"}]},
        "setting should be a name alone, not 'SET max_execution_time'; did you mean max_execution_time?",
    ),
    warned(
        "a parent that is the span itself",
        "Source",
        {**TRACE_SOURCE, "durationPrecision": 9},
        {"parentSpanIdExpression": "SpanId"},
        "parentSpanIdExpression should be another column than spanIdExpression",
    ),
    warned(
        "one table for two kinds of metrics",
        "Source",
        {**METRICS, "metricTables": {"gauge": "otel_gauge", "sum": "otel_sum"}},
        {"metricTables": {"gauge": "otel_gauge", "sum": "otel_gauge"}},
        "metricTables should each be a table of their own",
    ),
    warned(
        "a comma too many",
        "Webhook",
        {**HOOK, "body": '{"text": "{{title}}"}'},
        {"body": '{"text": "{{title}}",}'},
        "body should be JSON, since it begins like it",
    ),
    warned(
        "a bracket too few",
        "Webhook",
        {**HOOK, "body": '{"a": [{{threshold}}, {"t": "{{{title}}}"}] {{! all }} }'},
        {"body": '{"a": [{{threshold}}, {"t": "{{{title}}}"]}'},
        "body should be JSON, since it begins like it",
    ),
    warned(
        "a text without quotes",
        "Webhook",
        {**HOOK, "body": "[{{state}}] {{title}}, or {{#if body}}{{body}}{{/if}}"},
        {"body": '{"text": {{ title }} }'},
        "body should be JSON, since it begins like it",
    ),
    warned(
        "single quotes, beside a body with a block, which nobody can read without its values",
        "Webhook",
        {**HOOK, "body": '{"text": "{{title}}" {{#if body}}, "body": "{{body}}"{{/if}} }'},
        {"body": "{'text': '{{title}}'}"},
        "body should be JSON, since it begins like it",
    ),
    warned(
        "an endpoint whose roles a request clears",
        "Service",
        {**ORDERS, "queryEndpoint": {**READERS, "openApiKeys": [UUID]}},
        {"queryEndpoint.roles": []},
        "queryEndpoint.roles should have a role",
    ),
    warned(
        "a scaling that scales nothing",
        "PipeScaling",
        {"serviceId": UUID, "pipeId": "5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11", "concurrency": 0},
        {"concurrency": None},
        "replicas or another size should be given",
    ),
    warned(
        "the clients of a pool",
        "PostgresService",
        {**POSTGRES, "pgBouncerConfig": {"max_client_conn": "100"}},
        {"pgBouncerConfig": {"max_connections": 100}},
        "max_connections is a setting of Postgres: move it to pgConfig, or write max_client_conn",
    ),
    warned(
        "the id of the service for that of the pipe",
        "PipeScaling",
        {"serviceId": UUID, "pipeId": "5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11", "replicas": 2},
        {"pipeId": UUID},
        "pipeId should be the id of the pipe, and not that of its service",
    ),
    warned(
        "the id of the member for that of a role",
        "Member",
        {"userId": UUID, "assignedRoleIds": ["5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11"]},
        {"assignedRoleIds": [UUID]},
        "assignedRoleIds should be ids of roles, and not that of the member",
    ),
    warned(
        "a domain that does not exist",
        "Invitation",
        {"email": "ada@example.com", "role": "developer"},
        {"email": "ada@example.con"},
        "not 'ada@example.con'; did you mean ada@example.com?",
    ),
    warned(
        "a subnet that is private and public",
        "ByocInfrastructure",
        {**BYOC, **OWN_VPC, "publicSubnetIds": ["subnet-2"]},
        {"publicSubnetIds": ["subnet-1"]},
        "publicSubnetIds should be others than privateSubnetIds, not 'subnet-1'",
    ),
    warned(
        "the host of a user",
        "PipeSshKey",
        {"serviceId": UUID, "name": "K", "host": "bastion.example.com", "username": "pipes@corp"},
        {"username": "pipes@bastion.example.com"},
        "username should be the user alone, without @ and the host",
    ),
    warned(
        "a value of another variable",
        "Dashboard",
        {"name": "B", "tiles": [], "filters": [VARIABLE], "savedFilterValues": [{**CHOSEN, "name": "service"}]},
        {"savedFilterValues": [{**CHOSEN, "name": "services"}]},
        "savedFilterValues should be of variables in filters, not 'services'; did you mean service?",
    ),
    warned(
        "a tile beyond the grid",
        "Dashboard",
        {"name": "B", "tiles": [{**WIDE, "x": 12}]},
        {"tiles": [{**WIDE, "x": 18}]},
        "tiles[0].w should be at most 24 together with x, the columns of the grid",
    ),
    warned(
        "the bounds of a colour in the wrong order",
        "Dashboard",
        {"name": "B", "tiles": [{**WIDE, "x": 0, "config": {**NUMBER, "colorRules": [{**RED, "value": [1, 5]}]}}]},
        {"tiles": [{**WIDE, "x": 0, "config": {**NUMBER, "colorRules": [{**RED, "value": [5, 1]}]}}]},
        "colorRules[0].value should have the lower number first, not [5, 1]",
    ),
    warned(
        "an address with two protocols",
        "Webhook",
        {"name": "'a' or 'b'", "service": "generic", "url": "https://shop.example.com"},
        {"url": "https://https://shop.example.com"},
        "url has two protocols: remove the first one",
    ),
)

_IN_BOTH = ("an address that begins within its range", "quotes within a text")
"""Those whose properties the neutral dialect has as well, one for each way of finding them."""

_SETTINGS = (
    Row(
        CONFIGURATION,
        {"ignoreWarnings": "Pipe.source.kafka.brokers"},
        {"ignoreWarnings": "Pipes.source.kafka.brokers"},
        ("ignoreWarnings has 'Pipes.source.kafka.brokers': 'Pipes' is no resource; did you mean Pipe?",),
    ),
    Row(
        CONFIGURATION,
        {"paths": {"list_services": "/organizations/{organizationId}/services"}},
        {"paths": {"list_service": "/organizations/{organizationId}/services"}},
        ("paths list_service is not an operation; did you mean list_services?",),
    ),
)

CASES: list[Row] = [
    *_SETTINGS,
    *REFUSED,
    *FORMS,
    *WARNED,
    *(
        replace(each, config={"vocabulary": "neutral"}, warned=each.warned[-1:])
        for each in WARNED
        if each.title in _IN_BOTH
    ),
]
