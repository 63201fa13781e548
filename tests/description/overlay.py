"""What servers do against their published description, or without one, each with source and date.

An entry replaces facts, or adds some, when bodies are validated. `test_overlay.py` fails for an entry that the kept
facts already have.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .facts import CLOUD, FOLDER, NULL, OBSERVABILITY, Facts, Schema, kept, plain

Way = tuple[str | int, ...]

PERMISSIONS = FOLDER / "permissions.json"
"""The permissions that a key needs for each operation, which the kept facts do not have yet."""


@dataclass(frozen=True)
class Entry:
    """Facts that the description states otherwise.

    Attributes:
        file: The facts that have them.
        at: The way to them, which begins with `schemas` or `operations`.
        fact: What servers accept or return.
        source: Where that is seen.
        date: When, as `YYYY-MM`.
        adds: Whether the description has nothing there.
    """

    file: Path
    at: Way
    fact: Any
    source: str
    date: str
    adds: bool = False

    @property
    def name(self) -> str:
        """The way in words."""
        return ".".join(map(str, self.at[1:]))

    def is_needed(self, facts: Facts) -> bool:
        """Return whether a description does not have the fact, but a place for it."""
        return self.has_place(facts) and not self.is_described(facts) and not self.is_described_otherwise(facts)

    def is_described(self, facts: Facts) -> bool:
        """Return whether a description has the fact, or a whole operation or schema that the entry adds."""
        found = found_at(facts, self.way_in(facts))
        return found == self.fact or (self._adds_whole and found is not None)

    def is_described_otherwise(self, facts: Facts) -> bool:
        """Return whether a description has another fact in the place where the entry adds one."""
        found = found_at(facts, self.way_in(facts))
        return self.adds and not self._adds_whole and bool(found) and found != self.fact

    def hides(self, before: Facts, after: Facts) -> bool:
        """Return whether the entry replaces what a description states otherwise than the one before, and than it."""
        now = found_at(after, self.way_in(after))
        return not self.adds and now not in (None, self.fact, found_at(before, self.way_in(before)))

    @property
    def _adds_whole(self) -> bool:
        return self.adds and len(self.at) == len(("schemas", "name"))

    def has_place(self, facts: Facts) -> bool:
        """Return whether a description has the place of the entry."""
        way = self.way_in(facts)
        return found_at(facts, way[:-1] if self.adds else way) is not None

    def way_in(self, facts: Facts) -> Way:
        """Return the way in a description, which chooses the names of the placeholders of an operation."""
        if self.at[0] != "operations" or self.at[1] in facts.operations:
            return self.at
        same = (each for each in facts.operations if plain(each) == plain(str(self.at[1])))
        return (self.at[0], next(same, self.at[1]), *self.at[2:])

    def like_it(self, facts: Facts) -> Iterator[str]:
        """Yield the places in schemas whose way ends as that of the entry, such as in a variant of its schema."""
        for way in _ways(facts.schemas) if self.at[0] == "schemas" else ():
            if way[-2:] == self.at[-2:] and (
                way[0] == self.at[1] or _refers(facts.schemas.get(str(self.at[1])), way[0])
            ):
                yield ".".join(map(str, way))


def _ways(value: Any, way: Way = ()) -> Iterator[Way]:
    """Yield the way to everything within a value."""
    for key, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*way, key)
        yield from _ways(each, (*way, key))


def _refers(schema: Any, name: str | int) -> bool:
    """Return whether a schema has another one in it."""
    return f'"#/schemas/{name}"' in json.dumps(schema)


_AUTUMN = "the description of autumn 2026"
_HAS_IT = f"{_AUTUMN} has it"
_SCOPES = "the vendor's command line (operations.rs), and by the kind of the object for newer operations"
_OF_NOVEMBER = "the description of November 2026 has it"
_SETTINGS = f"{_AUTUMN} has an object"
_VALUE = {"type": ["integer", "string"]}
_OBJECT = {"type": "object", "additionalProperties": _VALUE}
_NULL = "the server 2.36.0 accepts and returns null (external-api/v2/utils/dashboards.ts)"
_NO_SETTINGS = "both objects are required, so a service without settings has empty ones"
_SSH_KEYS = "the client of the vendor's Terraform provider (internal/api/clickpipe_ssh_key.go)"
_TEAM = "the routes of the server 2.36.0 (external-api/v2/team.ts)"
_TEXT = {"type": "string"}
_TEXT_OR_NULL = {"type": ["null", "string"]}
_FLAG = {"type": "boolean"}
_UUID = {"type": "string", "format": "uuid"}
_TIME = {"type": "string", "format": "date-time"}
_HUNDRED = {"type": "integer", "default": 100, "minimum": 1, "maximum": 100}
_JSON = "application/json"
_ORGANIZATION = "/v1/organizations/{organizationId}"
_SERVICE = _ORGANIZATION + "/services/{serviceId}"
_KEYS = f"GET {_ORGANIZATION}/keys"
_FUNCTIONS = f"GET {_ORGANIZATION}/udfs"
_KEYS_OF_PIPES = f"{_SERVICE}/clickpipesSshKeyResources"


def _ref(name: str) -> Schema:
    return {"$ref": f"#/schemas/{name}"}


def _or_null(name: str) -> Schema:
    return {"anyOf": [_ref(name), NULL]}


def _object(optional: Iterable[str] = (), **properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": sorted(properties.keys() - {*optional})}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


def _page(record: Schema) -> Schema:
    """Return the envelope of a page of records; the cursor is null on the last page, and the count if it is unknown."""
    page = {
        "status": {"type": "number"},
        "requestId": {"type": "string", "format": "uuid"},
        "result": _list(record),
        "limit": {"type": "integer"},
        "totalCount": {"type": ["integer", "null"]},
        "nextCursor": _TEXT_OR_NULL,
    }
    return {_JSON: {"type": "object", "properties": page}}


def _operation(
    path: str,
    method: str,
    result: Schema | None,
    *,
    request: Schema | None = None,
    source: str = _HAS_IT,
    query: Iterable[str] = (),
    status: str = "200",
) -> Entry:
    """Return an operation that the description does not have."""
    answer = {"result": result} if result else {}
    fact = {
        "parameters": {
            **{f"path {name}": {"required": True, "schema": _UUID} for name in re.findall(r"{(\w+)}", path)},
            **{f"query {name}": {"schema": _TEXT} for name in query},
        },
        **({} if request is None else {"request": {_JSON: request}}),
        "responses": {status: {_JSON: _object(status={"type": "number"}, requestId=_UUID, **answer)}},
    }
    return Entry(CLOUD, ("operations", f"{method} {path}"), fact, source, "2026-10", adds=True)


def _of_autumn(fact: Any, *at: str | int, adds: bool = True) -> Entry:
    """Return a part of the schemas of the cloud that the description of autumn has."""
    return Entry(CLOUD, ("schemas", *at), fact, _HAS_IT, "2026-10", adds=adds)


def _of_november(fact: Any, *at: str | int, adds: bool = False) -> Entry:
    """Return a part of the schemas of the cloud that the description of November has."""
    return Entry(CLOUD, ("schemas", *at), fact, _OF_NOVEMBER, "2026-11", adds=adds)


def _read_of_postgres(part: str, response: Schema, **query: Schema) -> Entry:
    """Return an operation that reads of a Postgres service, with its parameters."""
    path = "/v1/organizations/{organizationId}/postgres/{postgresId}"
    fact = {
        "parameters": {
            **{f"path {name}": {"required": True, "schema": _UUID} for name in ("organizationId", "postgresId")},
            **{f"query {name}": {"schema": schema} for name, schema in query.items()},
        },
        "responses": {"200": response},
    }
    return Entry(CLOUD, ("operations", f"GET {path}/{part}"), fact, _HAS_IT, "2026-10", adds=True)


def _sizes_of_gcp() -> Iterator[str]:
    """Yield the machine types of Google Cloud that Postgres services have."""
    for family, numbers in (
        ("c4a", (4, 8, 16, 32, 48, 64, 72)),
        ("c4", (4, 8, 16, 24, 32, 48, 96, 144, 192, 288)),
        ("c4d", (8, 16, 32, 48, 64, 96, 192, 384)),
    ):
        yield from (f"{family}-{kind}-{number}" for kind in ("highmem", "standard") for number in numbers)
    yield from (f"z3-highlssd-{number}" for number in (8, 16, 22, 32, 44, 88))
    yield from (f"z3-standardlssd-{number}" for number in (14, 22, 44, 88, 176))


def _of_team(operation: str, data: Schema) -> Entry:
    at = ("operations", operation, "responses", "200")
    return Entry(OBSERVABILITY, at, {_JSON: _object(data=data)}, _TEAM, "2026-08", adds=True)


def objects(
    path: str,
    part: str,
    record: Schema,
    sent: Schema,
    *,
    update: str | None = None,
    listed: Schema | None = None,
    per_page: int | None = None,
    created: str = "200",
    source: str = _HAS_IT,
) -> Iterator[Entry]:
    """Yield the operations on the objects of a place, such as `_ORGANIZATION` or `_SERVICE`.

    Args:
        path: The path of the list.
        part: The placeholder of an object's id.
        record: An object.
        sent: The body of a create and of a `PUT`; that of a `PATCH` requires nothing.
        update: The method of the update; None if there is none.
        listed: An object in a list; None if lists leave nothing out.
        per_page: The objects on a page; None if the list has no pages.
        created: The status of a create.
        source: Where the operations are seen.
    """
    one = f"{path}/{{{part}}}"
    listing = _operation(path, "GET", _list(listed or record), source=source)
    if per_page is not None:
        limit = {"type": "integer", "default": per_page, "minimum": 1, "maximum": per_page}
        listing.fact["parameters"] |= {"query cursor": {"schema": _TEXT}, "query limit": {"schema": limit}}
        listing.fact["responses"] = {"200": _page(listed or record)}
    yield listing
    yield _operation(path, "POST", record, request=sent, status=created, source=source)
    yield _operation(one, "GET", record, source=source)
    if update is not None:
        body = sent if update == "PUT" else {**sent, "required": []}
        yield _operation(one, update, record, request=body, source=source)
    yield _operation(one, "DELETE", None, source=source)


def _schemas(**schemas: Schema) -> Iterator[Entry]:
    for name, fact in schemas.items():
        yield _of_autumn(fact, name)


def _of_functions(**properties: Schema) -> Iterator[Entry]:
    """Yield properties of user-defined functions that requests, in both variants, and records have."""
    for name, fact in properties.items():
        places = [("UdfCreateRequest", "oneOf", 0), ("UdfCreateRequest", "oneOf", 1)]
        places += [("UdfVersionCreateRequest", "oneOf", 0), ("UdfVersionCreateRequest", "oneOf", 1)]
        for place in (*places, ("Udf",)):
            yield _of_autumn(fact, *place, "properties", name)


_MEMORY = {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 1048576}, NULL]}
_TEXTS = {"type": "object", "additionalProperties": _TEXT}
_SQL = {"type": "string", "maxLength": 4194304}
_QUERY: dict[str, Schema] = {
    "name": {"type": "string", "minLength": 1},
    "sql": _SQL,
    "database": _TEXT,
    "parameters": {**_TEXTS, "default": {}},
}
_FILLED = {"type": "string", "pattern": "\\S"}
_SENT_ENDPOINT: dict[str, Schema] = {
    **_QUERY,
    "name": {**_FILLED, "minLength": 1},
    "sql": {**_SQL, **_FILLED},
    "database": _FILLED,
    "apiKeyIds": {**_list(_UUID), "minItems": 1},
    "roles": {**_list({"type": "string", "minLength": 1}), "minItems": 1},
    "allowedOrigins": {**_list(_TEXT), "default": []},
}
_LISTED_ENDPOINT: dict[str, Schema] = {
    **dict.fromkeys(("name", "database"), _TEXT),
    "id": _UUID,
    "apiKeyIds": _list(_UUID),
    **dict.fromkeys(("roles", "allowedOrigins"), _list(_TEXT)),
    "url": {"type": "string", "format": "uri"},
    "ownerType": {"type": "string", "enum": ["queryApiEndpoint", "user"]},
}
_QUERIES = (
    *_schemas(
        PublicSavedQueryRequest=_object(["parameters"], **_QUERY),
        PublicSavedQuery=_object(id=_UUID, name=_TEXT, sql=_SQL, database=_TEXT, parameters=_TEXTS),
        PublicSavedQueryListItem=_object(id=_UUID, name=_TEXT, database=_TEXT),
    ),
    *_schemas(
        PublicQueryApiEndpointRequest=_object(["parameters", "allowedOrigins"], **_SENT_ENDPOINT),
        PublicQueryApiEndpoint=_object(sql=_SQL, parameters=_TEXTS, **_LISTED_ENDPOINT),
        PublicQueryApiEndpointListItem=_object(**_LISTED_ENDPOINT),
    ),
    *objects(
        f"{_SERVICE}/query-api-endpoints",
        "endpointId",
        _ref("PublicQueryApiEndpoint"),
        _ref("PublicQueryApiEndpointRequest"),
        update="PUT",
        listed=_ref("PublicQueryApiEndpointListItem"),
        per_page=100,
        created="201",
    ),
    *objects(
        f"{_SERVICE}/saved-queries",
        "queryId",
        _ref("PublicSavedQuery"),
        _ref("PublicSavedQueryRequest"),
        update="PUT",
        listed=_ref("PublicSavedQueryListItem"),
        per_page=100,
        created="201",
    ),
)

_MEMBER = _object(id=_TEXT, email=_TEXT, name=_TEXT, isCurrentUser=_FLAG)
_INVITATION = _object(["name"], id=_TEXT, createdAt=_TIME, email=_TEXT, name=_TEXT, url=_TEXT)
_INVITED = _object(email=_TEXT, invitationId=_TEXT, status={"type": "string", "enum": ["pending"]}, url=_TEXT)
_REMOVED = _object(success=_FLAG)

_SSH_KEY_INPUTS: dict[str, Schema] = {
    "name": _TEXT,
    "host": _TEXT,
    "username": _TEXT,
    "port": {"type": "integer"},
    "description": {"type": "string", "maxLength": 255},
}
_NUMBER = {"type": "number"}


def _enum_of_autumn(values: Iterable[str], property_: str, *schemas: str) -> Iterator[Entry]:
    """Yield the values of one property of several schemas of pipes."""
    for schema in schemas:
        yield _of_autumn(sorted(values), f"ClickPipe{schema}", "properties", property_, "enum", adds=False)


_IDENTITY = "SERVICE_ACCOUNT_WORKLOAD_IDENTITY"
_GLUE: dict[str, Schema] = {
    "type": {"type": "string", "enum": ["glue"]},
    "glueRegion": _TEXT,
    "glueRegistryName": _TEXT,
    "glueRoleArn": _TEXT_OR_NULL,
}
_GLUE_OR_NULL = {"oneOf": [_object(["glueRoleArn"], **_GLUE), NULL]}
_SCHEMA_OF_PIPES = {"type": "string", "minLength": 1, "maxLength": 1048576}
_TOMBSTONES = {"type": ["null", "string"], "enum": [None, "delete", "soft_delete"]}
_KEY = _ref("ServiceAccount")
_FIELDS_OF_PIPES: tuple[tuple[str, str, Schema], ...] = (
    ("PostRequest", "startPaused", _FLAG),
    ("DestinationTableDefinition", "ttl", {"type": "string", "minLength": 1}),
    *((each, "kafka_read_committed", _FLAG) for each in ("Settings", "SettingsPutRequest")),
    *((f"{each}KafkaSource", "tombstoneMode", _TOMBSTONES) for each in ("", "Post")),
    *((f"Post{each}Source", "protobufSchema", _SCHEMA_OF_PIPES) for each in ("Kafka", "Kinesis")),
    *((f"{each}KinesisSource", "schemaRegistry", _GLUE_OR_NULL) for each in ("", "Post")),
    *(
        (f"{each}KafkaSchemaRegistry", name, {**fact, "enum": ["confluent", "glue"]} if name == "type" else fact)
        for each in ("", "Mutate")
        for name, fact in _GLUE.items()
    ),
    *(
        (f"{each}BigQuerySource", "authentication", {"type": "string", "enum": ["SERVICE_ACCOUNT", _IDENTITY]})
        for each in ("", "Mutate")
    ),
    *((f"{each}BigQuerySource", "projectId", _TEXT) for each in ("", "Mutate")),
    ("MySQLPipeTableMapping", "partitionByExpr", _TEXT),
    ("MongoDBPipeSettings", "initialLoadParallelism", {"type": "integer", "minimum": 1}),
    ("SchemaDiscoverySource", "pubsub", _ref("ClickPipePostPubSubSource")),
    ("SchemaDiscoverySource", "objectStorage", _ref("ClickPipePostObjectStorageSource")),
)
_NAME_AND_TARGET: dict[str, Schema] = {"privateDnsName": _TEXT, "internalDnsName": _TEXT}
_TARGET: dict[str, Schema] = {
    "id": _TEXT,
    "kind": {"type": "string", "enum": ["RESOURCE_CONFIGURATION"]},
    "internalDnsName": _TEXT,
}
_PIPES = (
    _of_autumn(_TEXT_OR_NULL, "CustomPrivateDnsMapping", "properties", "targetId"),
    _of_autumn(_list(_object(**_NAME_AND_TARGET)), "ReversePrivateEndpoint", "properties", "privateDnsMappings"),
    _of_autumn(_list(_object(**_TARGET)), "ReversePrivateEndpoint", "properties", "dnsTargets"),
    *(_of_autumn(fact, f"ClickPipe{schema}", "properties", name) for schema, name, fact in _FIELDS_OF_PIPES),
    *_enum_of_autumn(
        ("IAM_ROLE", "IAM_USER", "MUTUAL_TLS", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", _IDENTITY),
        "authentication",
        *("KafkaSource", "PostKafkaSource", "PatchKafkaSource"),
    ),
    *_enum_of_autumn(
        ("CONNECTION_STRING", "IAM_ROLE", "IAM_USER", "SERVICE_ACCOUNT", _IDENTITY),
        "authentication",
        *("ObjectStorageSource", "PostObjectStorageSource", "PatchObjectStorageSource"),
    ),
    *_enum_of_autumn(
        ("SERVICE_ACCOUNT", _IDENTITY), "authentication", "PubSubSource", "PostPubSubSource", "PatchPubSubSource"
    ),
    *_enum_of_autumn(
        ("Avro", "AvroConfluent", "JSONEachRow", "Protobuf"), "format", "KinesisSource", "PostKinesisSource"
    ),
    _of_autumn(
        ["authentication", "format", "projectId", "seekType", "topic"],
        *("ClickPipePostPubSubSource", "required"),
        adds=False,
    ),
    _of_november(["authentication"], "ClickPipePatchPubSubSource", "required"),
    _of_november(["replicationMode"], "ClickPipeBigQueryPipeSettings", "required", adds=True),
    _of_november(
        ["settings", "snapshotStagingPath", "tableMappings"], "ClickPipeMutateBigQuerySource", "required", adds=True
    ),
    *(
        _of_november(limit, f"ClickPipe{each}", "properties", "object_storage_max_insert_bytes", word)
        for each in ("Settings", "SettingsPutRequest")
        for word, limit in (("minimum", 524288000), ("maximum", 10737418240))
    ),
)
_TAGS = {**_TEXTS, "maxProperties": 50}
_SENT_BYOC: dict[str, Schema] = {
    **dict.fromkeys(
        ("externalId", "tenantId", "servicePrincipalClientId", "vpcId", "gcpSharedVpcHostProjectId"), _TEXT
    ),
    **dict.fromkeys(("privateSubnetIds", "publicSubnetIds", "gcpPodCidrRangeNames"), _list(_TEXT)),
    "tags": _TAGS,
}
"""The properties of autumn in the create of an infrastructure; texts and lists have no described limits."""
_CHANGED_BYOC: dict[str, Schema] = {
    **dict.fromkeys(("enablePrivateLink", "enablePrivateLoadBalancer", "enablePublicLoadBalancer"), _FLAG),
    "gcpPscSubnetId": _TEXT,
    "tags": _TAGS,
}
_BYOC_STATES = {
    "type": "string",
    "enum": [
        f"infra-{each}" for each in ("degraded", "provisioning", "ready", "terminated", "terminating", "upgrading")
    ],
}
_BYOC = f"{_ORGANIZATION}/byocInfrastructure"
_TEXTS_OR_NULL = {"type": ["array", "null"], "items": _TEXT}
_BYOC_DETAILS: dict[str, Schema] = {
    **dict.fromkeys(("id", "accountId", "regionId", "cloudProvider", "displayName"), _TEXT),
    "state": _BYOC_STATES,
    **dict.fromkeys(("enablePrivateLink", "enablePrivateLoadBalancer", "enablePublicLoadBalancer", "isByoVpc"), _FLAG),
    **dict.fromkeys(("gcpPscSubnetId", "vpcCidrRange", "byoVpcId", "byoVpcSharedVpcHostProjectId"), _TEXT_OR_NULL),
    "vpcAvailabilityZoneList": _list(_TEXT),
    **dict.fromkeys(("byoVpcPrivateSubnetIds", "byoVpcPodCidrRangeNames"), _TEXTS_OR_NULL),
}
_BYOC_STATUS = {
    "type": "string",
    "enum": ["failed", "in_progress", "not_started", "pending", "ready", "waiting"],
}
_BYOC_STAGE = _ref("ByocInfrastructureProgressStage")
_BYOC_CHECK = _object(allowed=_FLAG, **dict.fromkeys(("name", "action", "group", "reason"), _TEXT))


def _of_byoc() -> Iterator[Entry]:
    """Yield what autumn adds to the infrastructures of the organization."""
    for name, properties in (
        ("ByocInfrastructurePostRequest", _SENT_BYOC),
        ("ByocInfrastructurePatchRequest", _CHANGED_BYOC),
    ):
        for each, fact in properties.items():
            yield _of_autumn(fact, name, "properties", each)
    yield _of_autumn(_BYOC_STATES, "ByocConfig", "properties", "state", adds=False)
    yield _of_november(_TEXT, "ByocConfig", "properties", "accountId", adds=True)
    yield from _schemas(
        ByocInfrastructureProgressStage=_object(
            name=_TEXT, status=_BYOC_STATUS, message=_TEXT, updatedAt=_TIME, subStages=_list(_BYOC_STAGE)
        )
    )
    validated = _object(
        cloudProvider=_TEXT,
        checks=_list(_BYOC_CHECK),
        **dict.fromkeys(("supported", "allPassed", "anyPassed"), _FLAG),
    )
    account = {"regionId": _TEXT, "accountId": _TEXT, "vpcCidrRange": _TEXT, "availabilityZoneSuffixes": _list(_TEXT)}
    sent = _object([*_SENT_BYOC, "vpcCidrRange", "availabilityZoneSuffixes"], **account, **_SENT_BYOC)
    one = f"{_BYOC}/{{byocInfrastructureId}}"
    for path, result in (
        ("", _object([*_BYOC_DETAILS], **_BYOC_DETAILS)),
        ("/tags", _object(tags=_TEXTS)),
        ("/progress", _object(id=_TEXT, status=_BYOC_STATUS, updatedAt=_TIME, stages=_list(_BYOC_STAGE))),
        ("/privateEndpointConfig", _object(endpointName=_TEXT, privateDnsHostname=_TEXT)),
    ):
        yield _operation(f"{one}{path}", "GET", result)
    yield _operation(f"{_BYOC}/validate", "POST", validated, request=sent)


_CREDITS = _object(
    id=_UUID,
    type={"type": "string", "enum": ["prepaid", "trial"]},
    **dict.fromkeys(("remainingCredits", "totalAmount", "amountSpent"), _NUMBER),
    **dict.fromkeys(("startDate", "expirationDate"), _TIME),
)
_LOG_ENTRY = _object(timestamp=_TIME, severity=_TEXT, body=_TEXT)
_SNAPSHOTS = f"{_SERVICE}/snapshot"
_SNAPSHOT_CONFIGURATION = _object(["enabled", "gap", "timeFrame"], enabled=_FLAG, gap=_NUMBER, timeFrame=_NUMBER)
_ROUTING_PATH = f"{_SERVICE}/replicaAwareRouting"
_ROUTING = {"httpEnabled": _FLAG, "nativeEnabled": _FLAG}
_BUCKETS = {"oneOf": [{"$ref": f"#/schemas/{cloud}BackupBucketProperties"} for cloud in ("Aws", "Gcp", "Azure")]}
_SNAPSHOT = _object(
    ["finishedAt", "backupName", "bucket", "sizeInBytes", "durationInSeconds"],
    id=_UUID,
    serviceId=_TEXT,
    status={"type": "string", "enum": ["done", "error", "in_progress", "throttled"]},
    type={"type": "string", "enum": ["full"]},
    backupName=_TEXT,
    bucket=_BUCKETS,
    **dict.fromkeys(("startedAt", "finishedAt"), _TIME),
    **dict.fromkeys(("sizeInBytes", "durationInSeconds"), _NUMBER),
)
_SSH_KEY = _ref("ClickPipeSshKey")

_FORMULAS: dict[str, Schema] = {
    "formulas": {**_list(_ref("ClickStackFormula")), "maxItems": 10},
    "showOperandSeries": {"type": "boolean", "default": True},
}
_OVER_TIME: dict[str, Schema] = {**_FORMULAS, "seriesLimit": {"type": "integer", "minimum": 0}}
_OF_VARIABLES: dict[str, Schema] = {
    "isBroadcastEnabled": {"type": "boolean", "default": True},
    "isVariableEnabled": {"type": "boolean", "default": False},
    "variableName": {"type": "string", "maxLength": 64, "pattern": "^[a-zA-Z][a-zA-Z0-9_]*$"},
}
_NEWER_CLICKSTACK: dict[str, dict[str, Schema]] = {
    "ClickStackLineBuilderChartConfig": _OVER_TIME,
    "ClickStackBarBuilderChartConfig": _OVER_TIME,
    "ClickStackTableBuilderChartConfig": _FORMULAS,
    "ClickStackNumberBuilderChartConfig": {"formulas": _FORMULAS["formulas"]},
    "ClickStackFilter": _OF_VARIABLES,
    "ClickStackFilterInput": _OF_VARIABLES,
    "ClickStackFilterSettingsColumn": {
        "valueExpression": _TEXT_OR_NULL,
        "allowAll": {"type": "boolean", "default": False},
    },
    "ClickStackLogSource": {"serviceVersionExpression": _TEXT_OR_NULL},
    "ClickStackTraceSource": {"serviceVersionExpression": _TEXT_OR_NULL},
}
"""The properties of autumn 2026 in schemas of ClickStack."""

_CHOSEN: Schema = {"type": "string", "maxLength": 10000}
_FILTER_VALUE = {
    "oneOf": [
        _object(["type"], type={"type": "string", "enum": ["sql"], "default": "sql"}, condition=_TEXT),
        _object(
            type={"type": "string", "enum": ["variable"]},
            name={"type": "string", "minLength": 1, "maxLength": 1024},
            values={**_list(_CHOSEN), "maxItems": 1000},
        ),
    ]
}
_FLOWS = "the server after 2.36.0 (common-utils/src/types.ts, NetflowSourceSchema)"
_FILTERS = "the server after 2.36.0 (common-utils/src/types.ts, DashboardFilterSchema)"
_OF_FILTER: dict[str, Schema] = {
    "options": {**_list({**_CHOSEN, "minLength": 1}), "minItems": 1, "maxItems": 1000},
    "label": {"type": "string", "minLength": 1, "maxLength": 1024},
    "match": {"type": "string", "minLength": 1},
}
_SOURCES = ("Log", "Trace", "Metric", "Session", "Promql", "Netflow")
_OF_FLOWS = ("bytes", "packets", "srcAddr", "dstAddr", "srcPort", "dstPort", "protocol")
_NOT_OF_ALL_FLOWS = ("implicitColumn", "samplingRate", "exporter", "inIf", "outIf")
_CLICKSTACK = (
    *_schemas(
        ClickStackFormula=_object(
            ["alias", "numberFormat"],
            expression={"type": "string", "maxLength": 1024},
            alias=_TEXT,
            numberFormat=_ref("ClickStackNumberFormat"),
        )
    ),
    *(
        _of_autumn(fact, schema, "properties", name)
        for schema, properties in _NEWER_CLICKSTACK.items()
        for name, fact in properties.items()
    ),
    Entry(CLOUD, ("schemas", "ClickStackSavedFilterValue"), _FILTER_VALUE, f"{_AUTUMN} has both kinds", "2026-10"),
    Entry(OBSERVABILITY, ("schemas", "SavedFilterValue"), _FILTER_VALUE, _FILTERS, "2026-10"),
    *(
        Entry(OBSERVABILITY, ("schemas", "FilterInput", "properties", name), fact, _FILTERS, "2026-10", adds=True)
        for name, fact in _OF_FILTER.items()
    ),
    Entry(
        OBSERVABILITY,
        ("schemas", "FilterInput", "properties", "type"),
        {"type": "string", "enum": ["PROMETHEUS_LABEL", "QUERY_EXPRESSION", "STATIC_LIST"]},
        _FILTERS,
        "2026-10",
    ),
    Entry(OBSERVABILITY, ("schemas", "FilterInput", "required"), ["name", "type"], _FILTERS, "2026-10"),
    Entry(
        OBSERVABILITY,
        ("schemas", "NetflowSource"),
        _object(
            ["id", "section", "disabled", "querySettings", *(f"{name}Expression" for name in _NOT_OF_ALL_FLOWS)],
            id=_TEXT,
            name=_TEXT,
            kind={"type": "string", "enum": ["netflow"]},
            connection=_TEXT,
            section={"type": "string", "maxLength": 256},
            disabled=_FLAG,
            querySettings=_list(_ref("QuerySetting")),
            **{"from": _ref("SourceFrom")},
            timestampValueExpression=_TEXT,
            defaultTableSelectExpression=_TEXT,
            **{f"{name}Expression": _TEXT for name in (*_OF_FLOWS, *_NOT_OF_ALL_FLOWS)},
        ),
        _FLOWS,
        "2026-10",
        adds=True,
    ),
    Entry(
        OBSERVABILITY,
        ("schemas", "Source", "oneOf"),
        [{"$ref": f"#/schemas/{name}Source"} for name in _SOURCES],
        _FLOWS,
        "2026-10",
    ),
)
_VALIDATION = _object(valid=_FLAG, errors=_list(_object(path=_TEXT, message=_TEXT)))
_AFTER_2_36 = "the observability server after 2.36.0 (utils/zod.ts)"
_CONDITION: dict[str, Schema] = {
    "where": {"type": "string", "maxLength": 10000},
    "whereLanguage": _ref("QueryLanguage"),
}
_ALERT_CHART: Schema = {
    "oneOf": [
        {
            "allOf": [
                {"$ref": f"#/schemas/{kind}{form}ChartConfig"},
                _object(["name", *condition], name=_TEXT, **condition),
            ]
        }
        for form, condition in (("Builder", _CONDITION), ("RawSql", {}))
        for kind in ("Line", "Bar", "Number")
    ]
}
_WITH_CHART: Schema = {"type": "object", "properties": {"chartConfig": _ALERT_CHART}}
_ALERT_BODY = [_ref("Alert"), {**_WITH_CHART, "required": ["interval", "threshold", "thresholdType"]}]
_ALERT_TITLE: dict[str, Schema] = {
    "displayName": {"type": ["null", "string"], "maxLength": 512},
    "tags": {"type": ["array", "null"], "items": {"type": "string", "maxLength": 32}, "maxItems": 50},
}

_PARTS: tuple[Entry, ...] = (
    Entry(
        OBSERVABILITY, ("schemas", "AlertSource", "enum"), ["inline", "saved_search", "tile"], _AFTER_2_36, "2026-10"
    ),
    *(
        Entry(OBSERVABILITY, ("schemas", name, "allOf"), _ALERT_BODY, _AFTER_2_36, "2026-10")
        for name in ("CreateAlertRequest", "UpdateAlertRequest")
    ),
    Entry(
        OBSERVABILITY,
        ("schemas", "AlertResponseEnvelope", "properties", "data"),
        {"allOf": [_ref("AlertResponse"), _WITH_CHART]},
        _AFTER_2_36,
        "2026-10",
    ),
    Entry(
        OBSERVABILITY,
        ("operations", "POST /api/v2/webhooks/validate"),
        {
            "operationId": "validateWebhook",
            "request": {_JSON: _ref("WebhookInput")},
            "responses": {"200": {_JSON: _VALIDATION}},
        },
        _AFTER_2_36,
        "2026-10",
        adds=True,
    ),
    _operation(
        f"{_SERVICE}/clickstack/webhooks/validate",
        "POST",
        _VALIDATION,
        request=_ref("ClickStackWebhookInput"),
    ),
    *(
        Entry(OBSERVABILITY, ("schemas", "Alert", "properties", name), fact, _AFTER_2_36, "2026-10", adds=True)
        for name, fact in _ALERT_TITLE.items()
    ),
    Entry(
        CLOUD,
        ("schemas", "ClickPipeSshKey"),
        _object(
            ["lastValidatedAt"],
            **{**_SSH_KEY_INPUTS, "description": _TEXT},
            **dict.fromkeys(("id", "serviceId"), _UUID),
            publicKey=_TEXT,
            status={"type": "string", "enum": ["active", "failed", "pending"]},
            statusMessage=_TEXT,
            lastValidatedAt={"type": ["null", "string"], "format": "date-time"},
            **dict.fromkeys(("createdAt", "updatedAt"), _TIME),
        ),
        _SSH_KEYS,
        "2026-10",
        adds=True,
    ),
    _operation(
        f"{_ORGANIZATION}/serviceProfiles",
        "GET",
        _list(_object(profile=_TEXT, cpuCores=_NUMBER, memoryGi=_NUMBER)),
        query=("region_id", "byoc_id"),
    ),
    _operation(
        f"{_SERVICE}/clickpipes/context",
        "GET",
        _object(
            gcpWorkloadIdentity=_object(
                supported=_FLAG,
                ready={"type": ["boolean", "null"]},
                principal={"type": ["null", "string"]},
            )
        ),
    ),
    _operation(
        "/v1/whoami",
        "GET",
        _object(
            ["userId", "email", "keyId", "organizationId", "organizations"],
            actorType=_TEXT,
            name=_TEXT,
            organizationId=_UUID,
            organizations=_list(_object(organizationId=_UUID, organizationName=_TEXT)),
            **dict.fromkeys(("userId", "email", "keyId"), _TEXT),
        ),
        source=f"{_AUTUMN} has it, with the fields of a key or those of a user",
    ),
    _operation(
        f"{_ORGANIZATION}/creditBalances",
        "GET",
        _object(totalRemainingCredits=_NUMBER, balances=_list(_CREDITS)),
    ),
    _of_autumn({"type": "object"}, "ServicePostRequest", "properties", "backupEncryptionConfig"),
    _of_autumn(_object(snapshots=_FLAG), "Organization", "properties", "capabilities"),
    *(
        _operation(f"{_SNAPSHOTS}{path}", method, result, request=request)
        for path, method, result, request in (
            ("Configuration", "GET", _SNAPSHOT_CONFIGURATION, None),
            ("Configuration", "PATCH", _SNAPSHOT_CONFIGURATION, _SNAPSHOT_CONFIGURATION),
            ("s", "GET", _list(_SNAPSHOT), None),
            ("s/{snapshotId}", "GET", _SNAPSHOT, None),
        )
    ),
    *(
        _of_november(50, f"Service{each}", "properties", name, "maximum")
        for each in ("", "PostRequest", "ReplicaScalingPatchRequest", "ScalingPatchRequest", "ScalingPatchResponse")
        for name in ("maxReplicas", "minReplicas", "numReplicas")
        if each != "ScalingPatchRequest" or name == "numReplicas"
    ),
    _operation(_ROUTING_PATH, "GET", _object(**_ROUTING), source=_OF_NOVEMBER),
    _operation(_ROUTING_PATH, "PATCH", _object(**_ROUTING), request=_object(_ROUTING, **_ROUTING), source=_OF_NOVEMBER),
    _operation(
        f"{_ORGANIZATION}/notificationTypes",
        "GET",
        _list(
            _object(
                ["description"],
                **dict.fromkeys(("name", "title", "description", "category", "resourceType"), _TEXT),
                severity={"type": "string", "enum": ["critical", "info", "warning"]},
                **dict.fromkeys(("isConfigurable", "isAvailable"), _FLAG),
            )
        ),
        source=f"{_AUTUMN} has the types; their path is inferred",
    ),
    Entry(
        CLOUD,
        ("operations", "GET /v1/organizations/{organizationId}/prometheus/discovery"),
        {
            "parameters": {
                "path organizationId": {"required": True, "schema": _UUID},
                "query filtered_metrics": {"schema": _TEXT},
            },
            "responses": {"200": {_JSON: _list(_object(targets=_list(_TEXT), labels=_TEXTS))}},
        },
        _HAS_IT,
        "2026-10",
        adds=True,
    ),
    *_of_byoc(),
    *objects(_KEYS_OF_PIPES, "sshKeyId", _SSH_KEY, _object(["description"], **_SSH_KEY_INPUTS), source=_SSH_KEYS),
    _operation(f"{_KEYS_OF_PIPES}/{{sshKeyId}}/validate", "POST", _SSH_KEY, request=_object(), source=_SSH_KEYS),
    *(
        Entry(
            CLOUD,
            ("schemas", f"ClickPipe{name}Source", "properties", "sshKeyResourceId"),
            {"type": ["null", "string"]},
            "the client of the vendor's Terraform provider (internal/api/clickpipe_models.go)",
            "2026-10",
            adds=True,
        )
        for name in (
            *("Kafka", "PostKafka", "Postgres", "MutatePostgres", "MySQL", "MutateMySQL", "MongoDB", "MutateMongoDB"),
        )
    ),
    *(
        Entry(CLOUD, ("schemas", name, "properties", "settings"), _OBJECT, _SETTINGS, "2026-10")
        for name in ("ServiceClickhouseSettingsPatchRequest", "ServiceClickhouseSettingsPatchResponse")
    ),
    Entry(
        CLOUD,
        ("schemas", "ServiceClickhouseSetting", "properties", "value"),
        _VALUE,
        f"{_AUTUMN} has texts and integers",
        "2026-10",
    ),
    *(
        Entry(
            CLOUD,
            ("operations", operation, "responses", "200"),
            _page(_ref(record)),
            f"{_AUTUMN} has the records in the result, and cursor, limit and count in the envelope",
            "2026-10",
        )
        for operation, record in (
            (_KEYS, "ApiKey"),
            (_FUNCTIONS, "Udf"),
            (f"{_FUNCTIONS}/{{functionName}}/versions", "Udf"),
            (f"{_FUNCTIONS}/{{functionName}}/attachments", "UdfAttachment"),
        )
    ),
    Entry(
        CLOUD,
        ("operations", _KEYS, "parameters", "query limit"),
        {"schema": {"type": "integer", "default": 250, "minimum": 1, "maximum": 250}},
        f"{_AUTUMN} has pages of keys",
        "2026-10",
        adds=True,
    ),
    Entry(
        CLOUD,
        ("schemas", "CurrentScaling", "properties", "effectiveIdleTimeoutMinutes"),
        {"type": "number"},
        f"deduced: it is the timeout in effect of idling, which is a number; {_AUTUMN} has an integer, too",
        "2026-10",
    ),
    *(
        Entry(
            CLOUD,
            ("schemas", "BackupConfigurationPatchRequest", "properties", name),
            {"type": ["null", kind]},
            f"{_AUTUMN} has null, which returns to the default",
            "2026-10",
        )
        for name, kind in (
            ("backupPeriodInHours", "number"),
            ("backupRetentionPeriodInHours", "number"),
            ("backupStartTime", "string"),
        )
    ),
    *(
        Entry(
            CLOUD,
            ("schemas", name, "properties", "mskAuthentication"),
            {"type": ["null", "string"], "enum": [None, "SASL_IAM", "SASL_SCRAM"]},
            f"its type has null, which its enum lacks; {_AUTUMN} has no null",
            "2026-10",
        )
        for name in ("CreateReversePrivateEndpoint", "ReversePrivateEndpoint")
    ),
    Entry(
        CLOUD,
        ("schemas", "CreateReversePrivateEndpoint", "properties", "description", "maxLength"),
        255,
        "its text has the limit",
        "2026-07",
        adds=True,
    ),
    Entry(CLOUD, ("schemas", "pgProvider", "enum"), ["aws", "gcp"], f"{_AUTUMN} has Google Cloud", "2026-10"),
    Entry(
        CLOUD,
        ("schemas", "pgSize", "enum"),
        sorted({*kept(CLOUD).schemas["pgSize"]["enum"], *_sizes_of_gcp()}),
        f"{_AUTUMN} has the machines of Google Cloud",
        "2026-10",
    ),
    Entry(
        CLOUD,
        ("schemas", "PostgresService", "properties", "earliestRestoreTime"),
        _TIME,
        "the text of the vendor's page *List of Postgres service backups*",
        "2026-10",
        adds=True,
    ),
    *(
        Entry(
            CLOUD,
            ("schemas", "PostgresSlowQueryPattern", "properties", name),
            _NUMBER,
            "the vendor's command line, which reads fractions (models/postgres.rs)",
            "2026-09",
        )
        for name, fact in kept(CLOUD).schemas["PostgresSlowQueryPattern"]["properties"].items()
        if fact == {"type": "integer"}
    ),
    _read_of_postgres("backups", _page(_ref("PostgresServiceBackup")), cursor=_TEXT, limit=_HUNDRED),
    *_schemas(PostgresServiceBackup=_object(key=_TEXT, lastModified=_TIME)),
    _read_of_postgres(
        "logs",
        {_JSON: _object(status={"type": "integer"}, requestId=_UUID, result=_list(_LOG_ENTRY))},
        **dict.fromkeys(("from_date", "to_date", "body_contains", "severity", "sort_order", "limit", "offset"), _TEXT),
    ),
    *_of_functions(deterministic=_FLAG, memoryLimitMib=_MEMORY),
    *(
        Entry(CLOUD, ("schemas", name, "minProperties"), 0, _NO_SETTINGS, "2026-07")
        for name in ("pgConfig", "pgBouncerConfig")
    ),
    *(
        Entry(
            CLOUD,
            ("schemas", name, "properties", "channels"),
            {**_list(_ref("ClickStackAlertChannel")), "minItems": 1, "maxItems": 10},
            f"{_AUTUMN} has several channels",
            "2026-10",
            adds=True,
        )
        for name in ("ClickStackAlertResponse", "ClickStackCreateAlertRequest", "ClickStackUpdateAlertRequest")
    ),
    *(
        Entry(
            OBSERVABILITY,
            ("schemas", name, "properties", "savedQueryLanguage"),
            _or_null("QueryLanguage"),
            _NULL,
            "2026-08",
        )
        for name in ("Dashboard", "CreateDashboardRequest", "UpdateDashboardRequest")
    ),
    *_QUERIES,
    *_CLICKSTACK,
    *_PIPES,
    _of_team("GET /api/v2/team", _object(id=_TEXT, name=_TEXT)),
    _of_team("GET /api/v2/team/members", _list(_MEMBER)),
    _of_team("DELETE /api/v2/team/member/{id}", _REMOVED),
    _of_team("GET /api/v2/team/invitations", _list(_INVITATION)),
    _of_team("POST /api/v2/team/invitation", _INVITED),
    _of_team("DELETE /api/v2/team/invitation/{id}", _REMOVED),
    Entry(
        OBSERVABILITY,
        ("operations", "POST /api/v2/team/invitation", "request"),
        {_JSON: _object(["name"], email={"type": "string", "format": "email"}, name=_TEXT)},
        _TEAM,
        "2026-08",
        adds=True,
    ),
)


def _permitted() -> Iterator[Entry]:
    """Yield the entries with the permissions of all operations, which an operation that an entry adds has in it."""
    needed = json.loads(PERMISSIONS.read_text(encoding="utf-8"))
    for each in _PARTS:
        permissions = needed.pop(str(each.at[1]), None) if len(each.at) == len(("operations", "name")) else None
        yield replace(each, fact={**each.fact, "permissions": permissions}) if permissions else each
    for operation, permissions in needed.items():
        yield Entry(CLOUD, ("operations", operation, "permissions"), permissions, _SCOPES, "2026-09", adds=True)


OVERLAY: tuple[Entry, ...] = tuple(_permitted())


def found_at(facts: Facts, at: Way) -> Any:
    """Return what the facts have in a place; None if they lack the place."""
    found: Any = _content(facts)
    for step in at:
        within = found is not None and (step in found if isinstance(step, str) else step < len(found))
        found = found[step] if within else None
    return found


def corrected(facts: Facts, entries: Iterable[Entry]) -> Facts:
    """Return the facts with the entries in their places."""
    found = _content(facts)
    for each in entries:
        found = _replaced(found, each.at, each.fact)
    return replace(facts, operations=found["operations"], schemas=found["schemas"])


def _content(facts: Facts) -> dict[str, Any]:
    return {"operations": facts.operations, "schemas": facts.schemas}


def _replaced(content: Any, at: Way, fact: Any) -> Any:
    if not at:
        return fact
    if isinstance(content, list):
        return [_replaced(each, at[1:], fact) if number == at[0] else each for number, each in enumerate(content)]
    return {**content, at[0]: _replaced(content.get(at[0]), at[1:], fact)}
