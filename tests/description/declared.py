"""What this package sends in each request and reads of each response, and why it leaves out the rest.

Trees of properties (`support.trees`), derived from the models. The tests compare them with the description, and
`make description` says of a new property whether it must be declared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pydantic import BaseModel

from pulumi_clouddb.client.caller import Caller
from pulumi_clouddb.client.operation import Forms
from pulumi_clouddb.registry import COLLECTIONS
from pulumi_clouddb.schema.base import names_in, names_with, wire_names
from pulumi_clouddb.schema.convert import construct, fields_of
from pulumi_clouddb.schema.thing import Thing, body_of, inputs_of, listed_of, own_of, record_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from pulumi_clouddb.things.alerts.alert import Alert
from pulumi_clouddb.things.api_keys.api import KeyMark
from pulumi_clouddb.things.api_keys.api_key import ApiKey, KeyCreated
from pulumi_clouddb.things.byoc_infrastructures.byoc_infrastructure import ByocInfrastructure
from pulumi_clouddb.things.byoc_infrastructures.validation import (
    ByocPrivateEndpointConfig,
    ByocValidation,
)
from pulumi_clouddb.things.dashboards.dashboard import Dashboard
from pulumi_clouddb.things.organizations.api import OrganizationParts
from pulumi_clouddb.things.organizations.notifications import NotificationType, PrometheusTarget
from pulumi_clouddb.things.organizations.organization_settings import OrganizationSettings
from pulumi_clouddb.things.organizations.usage import CreditBalances, Quota, ServiceProfile, UsageCost
from pulumi_clouddb.things.pipes.api import Command as PipeCommand
from pulumi_clouddb.things.pipes.changes import NEVER, keys_of
from pulumi_clouddb.things.pipes.credentials import PipeCredentials, accepted_by, in_source, with_credentials
from pulumi_clouddb.things.pipes.discovery import PipeSchema, PipeServiceContext
from pulumi_clouddb.things.pipes.parts import ScalingFields
from pulumi_clouddb.things.pipes.pipe import Pipe
from pulumi_clouddb.things.pipes.scaling import PIPE_SCALING
from pulumi_clouddb.things.pipes.sources import KINDS, MAPPINGS, StreamSource
from pulumi_clouddb.things.postgres_services.api import Command as PostgresCommand
from pulumi_clouddb.things.postgres_services.history import PostgresBackup, PostgresLogEntry
from pulumi_clouddb.things.postgres_services.postgres_service import CONFIG, DETAILS, PASSWORD_UPDATE, PostgresService
from pulumi_clouddb.things.private_endpoints.private_endpoint import PrivateEndpoint
from pulumi_clouddb.things.reverse_private_endpoints.reverse_private_endpoint import ReversePrivateEndpoint
from pulumi_clouddb.things.services.api import Command
from pulumi_clouddb.things.services.service import (
    BASIC_DETAILS,
    REPLICA_SCALING,
    SERVICE,
    TOTAL_SCALING,
    Backup,
    PrivateEndpointConfig,
    Service,
    ServiceCreated,
    Snapshot,
)
from pulumi_clouddb.things.services.settings import BUCKET, PASSWORD_HASHES, SECRETS_OF_BUCKETS
from pulumi_clouddb.things.services.updates import details_body
from pulumi_clouddb.things.stack_invitations.stack_invitation import StackMember, Team
from pulumi_clouddb.things.user_defined_functions.user_defined_function import (
    FunctionSandboxVersion,
    UserDefinedFunction,
)
from pulumi_clouddb.things.webhooks.webhook import Webhook
from support.trees import OPEN, Tree, merged, tree_of_model


def _of_service(names: Iterable[str]) -> Tree:
    tree = tree_of_model(SERVICE.inputs_in(CLICKHOUSE))
    return {name: tree[name] for name in names}


def _details() -> Tree:
    """Return the body of an update of the basic details: for some lists, additions and removals."""
    body = details_body(Service(), construct(Service, {name: [] for name in BASIC_DETAILS}))
    tree = _of_service(BASIC_DETAILS)
    return {
        name: dict.fromkeys(body[name], tree[name]) if isinstance(body[name], dict) else tree[name] for name in tree
    }


def _setting(operation: str) -> Tree:
    """Return the type of the service property that an operation sets."""
    (name,) = names_in(Service, operation)
    return _of_service([name])[name]


def _bucket() -> Tree:
    """Return the properties of a bucket, with the secret of each cloud."""
    return {**_of_service([BUCKET])[BUCKET], **dict.fromkeys(SECRETS_OF_BUCKETS.values())}


def _scaling() -> Tree:
    tree = tree_of_model(PIPE_SCALING.inputs_in(CLICKHOUSE))
    return {name: tree[name] for name in wire_names(ScalingFields)}


_PIPE = {name: tree for name, tree in tree_of_model(body_of(Pipe)).items() if name != "credentials"}
"""Credentials are sent within the source: `_sources`."""
_OF_PIPES = tree_of_model(inputs_of(PipeCredentials))


def _nested(model: type[BaseModel], name: str) -> type[BaseModel]:
    return next(nested for wire, _, nested in fields_of(model) if wire == name and nested)


def _sources(*, new: bool) -> Tree:
    """Return the source properties of each kind that a create or an update sends, with credentials in their places."""
    sources = {}
    for kind, (_, model) in KINDS.items():
        part = _PIPE["source"][kind]
        if not new:
            part = {name: part[name] for name in part if name not in names_with(model, "replaces")}
            if nested := part.get("settings"):
                fixed = names_with(_nested(model, "settings"), "replaces")
                part["settings"] = {name: nested[name] for name in nested if name not in fixed}
            if mappings := part.pop(MAPPINGS, None):
                keys = keys_of(_nested(model, MAPPINGS))
                part |= {f"{MAPPINGS}ToAdd": mappings, f"{MAPPINGS}ToRemove": {name: mappings[name] for name in keys}}
        credentials = {name: _OF_PIPES[name] for name in accepted_by(kind)}
        sources[kind] = (
            with_credentials({kind: part}, credentials)[kind] if new else {**part, **in_source(kind, credentials)}
        )
    return {kind: part for kind, part in sources.items() if new or kind not in NEVER}


_PRIVATE_ENDPOINT = {
    name: tree for name, tree in tree_of_model(record_of(PrivateEndpoint)).items() if name != "endpointId"
}
_ENDPOINT = tree_of_model(body_of(ReversePrivateEndpoint))
_NAMES = "customPrivateDnsMappings"
_POSTGRES = tree_of_model(body_of(PostgresService))
_PG_CONFIGURATION = {name: _POSTGRES[name] for name in names_in(PostgresService, CONFIG)}
_PG_ORIGIN = {**_PG_CONFIGURATION, **{name: _POSTGRES[name] for name in ("name", "tags")}}
_FUNCTION = {**tree_of_model(body_of(UserDefinedFunction)), "uploadId": None}
_NO_SAMPLES = {"source.validateSamples": "experimental, as its description says: it may be removed"}
_SANDBOX_VERSION = dict.fromkeys(
    ("sandboxVersion", *(f"sandboxVersion={each.value}" for each in FunctionSandboxVersion)),
    "is the server's: the requests in the description of November 2026 do not have it",
)
_RECORD = tree_of_model(record_of(Service))
_DASHBOARD = tree_of_model(body_of(Dashboard))
_HASHES: Mapping[str, object] = KeyMark("", "").put_on({})["hashData"]


def _bodies() -> Iterator[tuple[str, Tree]]:
    """Yield the body of each create and update that sends the inputs of a thing as they are."""
    for collection in COLLECTIONS:
        for forms in (vars(collection).get("CREATE"), vars(collection).get("UPDATE")) if collection.body else ():
            if isinstance(forms, Forms) and collection.body:
                yield forms.managed.name, tree_of_model(collection.body)


def _records() -> Iterator[tuple[str, Tree]]:
    """Yield the record of each thing; the last one is that of a collection with a list of its own."""
    for collection in sorted(COLLECTIONS, key=lambda each: each.LIST.managed.lists):
        if issubclass(collection.model, Thing):
            yield collection.LIST.managed.record, tree_of_model(record_of(collection.model))


SENT: Mapping[str, Tree] = {
    **dict(_bodies()),
    "create_service": _of_service(wire_names(body_of(Service))),
    "update_service": _details(),
    "scale_service": _of_service(REPLICA_SCALING),
    "scale_service_total": _of_service(TOTAL_SCALING),
    "command_service": {"command": tree_of_model(Command)},
    "reset_password": dict.fromkeys(PASSWORD_HASHES.values()),
    **{
        name: _setting(name)
        for name in (
            "configure_backups",
            "configure_snapshots",
            "update_replica_aware_routing",
            "set_query_endpoint",
            "set_scaling_schedule",
            "set_upgrade_window",
        )
    },
    "update_settings": {"settings": _setting("update_settings")},
    **dict.fromkeys(("create_backup_bucket", "update_backup_bucket"), _bucket()),
    "scale_pipe": _scaling(),
    "create_pipe": {**_PIPE, "source": _sources(new=True)},
    "update_pipe": {
        **{name: _PIPE[name] for name in ("name", "fieldMappings", "settings")},
        "destination": {"columns": _PIPE["destination"]["columns"]},
        "source": _sources(new=False),
    },
    "command_pipe": {"command": tree_of_model(PipeCommand)},
    "discover_pipe_schema": {"source": {kind: _sources(new=True)[kind] for kind in wire_names(StreamSource)}},
    "update_reverse_private_endpoint": {_NAMES: _ENDPOINT[_NAMES]},
    "validate_pipe_ssh_key": {},
    "set_pipe_settings": _PIPE["settings"],
    "create_postgres_service": _POSTGRES,
    "update_postgres_service": {name: _POSTGRES[name] for name in names_in(PostgresService, DETAILS)},
    "command_postgres_service": {"command": tree_of_model(PostgresCommand)},
    "create_postgres_read_replica": _PG_ORIGIN,
    "restore_postgres_service": {**_PG_ORIGIN, "restoreTarget": None},
    "set_postgres_password": dict.fromkeys(names_in(PostgresService, PASSWORD_UPDATE)),
    **dict.fromkeys(("update_postgres_config", "replace_postgres_config"), _PG_CONFIGURATION),
    "create_key": {**tree_of_model(body_of(ApiKey)), "hashData": dict.fromkeys(_HASHES)},
    "update_key": tree_of_model(body_of(ApiKey)),
    "create_user_defined_function": _FUNCTION,
    "publish_user_defined_function": {name: each for name, each in _FUNCTION.items() if name != "name"},
    "update_byoc_infrastructure": {
        name: tree
        for name, tree in tree_of_model(inputs_of(ByocInfrastructure)).items()
        if name in ("displayName", "tags", *names_with(ByocInfrastructure, "later"))
    },
    "validate_byoc_infrastructure": {
        name: tree for name, tree in tree_of_model(body_of(ByocInfrastructure)).items() if name != "displayName"
    },
    "attach_udf": {"version": None},
    "update_organization": {
        **tree_of_model(body_of(OrganizationSettings)),
        "privateEndpoints": dict.fromkeys(("add", "remove"), _PRIVATE_ENDPOINT),
    },
    "create_private_endpoint": {name: _PRIVATE_ENDPOINT[name] for name in ("id", "description")},
    "create_dashboard": _DASHBOARD,
    "update_dashboard": _DASHBOARD,
    "validate_dashboard": _DASHBOARD,
    "validate_webhook": tree_of_model(body_of(Webhook)),
    **dict.fromkeys(("create_alert", "update_alert"), tree_of_model(body_of(Alert))),
}
"""All that this package can send in each request, under neutral names; by default the request's body."""


def _organization() -> Tree:
    """Return what is read of the organization, whose record lists the objects of some things."""
    tree = tree_of_model(record_of(OrganizationSettings))
    parts = {each.part: tree_of_model(each.model) for each in OrganizationParts.__subclasses__()}
    return tree | {name: merged([tree[name], part]) for name, part in parts.items()}


READ: Mapping[str, Tree] = {
    **dict(_records()),
    "Organization": _organization(),
    "Service": tree_of_model(listed_of(Service)),
    "ServiceCreated": tree_of_model(ServiceCreated),
    "Password": tree_of_model(own_of(Service)),
    "BackupConfiguration": _RECORD["backupConfiguration"],
    "QueryEndpoint": _RECORD["queryEndpoint"],
    "ScalingSchedule": tree_of_model(listed_of(Service))["scalingSchedule"],
    "UpgradeWindow": _RECORD["upgradeWindow"],
    "Validation": {"valid": None, "errors": dict.fromkeys(("path", "message"))},
    "ServiceSettings": {"settings": dict.fromkeys(("name", "value"))},
    "SettingsSchema": {"settings": dict.fromkeys(("name", "type", "enum", "deprecationNotice"))},
    "SettingsChanged": {"settings": OPEN, "warnings": dict.fromkeys(("name", "message"))},
    "BackupBucket": _RECORD["backupBucket"],
    "PrivateEndpointConfig": tree_of_model(PrivateEndpointConfig),
    "Backup": tree_of_model(Backup),
    "SnapshotConfiguration": _RECORD["snapshotConfiguration"],
    "ReplicaAwareRouting": _RECORD["replicaAwareRouting"],
    "Snapshot": tree_of_model(Snapshot),
    "Settings": _PIPE["settings"],
    "PipeSchema": tree_of_model(PipeSchema),
    "PrivateEndpoint": _PRIVATE_ENDPOINT,
    "PostgresService": tree_of_model(listed_of(PostgresService)),
    "PostgresPassword": {},
    "PostgresConfig": {**_PG_CONFIGURATION, "message": None},
    "PostgresCertificates": None,
    "KeyCreated": tree_of_model(KeyCreated),
    "Upload": dict.fromkeys(("uploadId", "uploadUrl")),
    **dict.fromkeys(("ByocInfrastructure", "ByocDetails", "ByocTags"), tree_of_model(record_of(ByocInfrastructure))),
    "ByocProgress": {"status": None, "stages": OPEN},  # stages contain stages
    "ByocValidation": tree_of_model(ByocValidation),
    "ByocPrivateEndpointConfig": tree_of_model(ByocPrivateEndpointConfig),
    "Invited": dict.fromkeys(("email", "invitationId", "url")),
    "Removed": {},
    "StackMember": tree_of_model(StackMember),
    "Team": tree_of_model(Team),
    "Quota": tree_of_model(Quota),
    "UsageCost": tree_of_model(UsageCost),
    "ServiceProfile": tree_of_model(ServiceProfile),
    "NotificationType": tree_of_model(NotificationType),
    "PrometheusTarget": tree_of_model(PrometheusTarget),
    "Caller": tree_of_model(Caller),
    "PipeContext": tree_of_model(PipeServiceContext),
    "PostgresBackup": tree_of_model(PostgresBackup),
    "PostgresLogEntry": tree_of_model(PostgresLogEntry),
    "CreditBalances": tree_of_model(CreditBalances),
    "None": {},
}
"""All that this package reads of each record, under neutral names; by default the record's class."""

_ID_OF_TILE = {"tiles.id": "is sent for existing tiles (test_tile_keys.py)"}

NOT_SENT: Mapping[str, Mapping[str, str]] = {
    "create_pipe": _NO_SAMPLES,
    "update_pipe": {
        **_NO_SAMPLES,
        **dict.fromkeys(
            (
                f"source.{kind}.tableMappingsToRemove.{name}"
                for kind, names in {
                    "postgres": ("tableEngine", "partitionKey", "partitionByExpr"),
                    "mysql": ("tableEngine", "partitionKey"),
                    "mongodb": ("tableEngine",),
                }.items()
                for name in names
            ),
            "identifies no table: the description requires the names only",
        ),
    },
    "command_pipe": {"command=resync": "copies all data again, which no program can want at each update"},
    "command_postgres_service": {"command=switchover": "is a single action, which leaves no state to describe"},
    "create_dashboard": _ID_OF_TILE,
    "update_dashboard": {**_ID_OF_TILE, "filters.id": "is sent with every filter, or support.judge fails the test"},
    "validate_dashboard": _ID_OF_TILE,
    **{name: {"id": "is read-only: servers ignore it"} for name in ("create_source", "update_source")},
    **dict.fromkeys(("create_user_defined_function", "publish_user_defined_function"), _SANDBOX_VERSION),
}
"""Properties of requests that programs cannot set, and why."""

_SOURCE_NEWER = dict.fromkeys(
    ("tableFilterExpression", "orderByExpression", "sampleRateExpression", "spanLinksValueExpression", "seriesTable"),
    "only newer self-hosted servers have it; check rejects it for the cloud",
)

_OF_HEATMAPS = dict.fromkeys(
    ("chartConfig.select.countExpression", "chartConfig.select.heatmapScaleType"),
    "is of heatmaps: a rule refuses it in an alert",
)

_COLUMNS = {"tiles.config.columns": "is sent as the text of `select`"}

NOT_DESCRIBED: Mapping[str, Mapping[str, str]] = {
    "validate_dashboard": {
        "tiles.series.dataSource": "neutral dialect only: it is not sent to the vendor's servers",
        **_COLUMNS,
    },
    **dict.fromkeys(("create_dashboard", "update_dashboard"), _COLUMNS),
    **dict.fromkeys(("create_source", "update_source"), _SOURCE_NEWER),
    **dict.fromkeys(("create_alert", "update_alert"), _OF_HEATMAPS),
}
"""Properties that programs can set and that the vendor's description lacks, and why."""

NOT_READ: Mapping[str, Mapping[str, str]] = {
    "QueryEndpoint": {"id": "is not needed: every operation on an endpoint uses the service's id"},
    "SettingsSchema": {
        **dict.fromkeys(("settings.description", "settings.example"), "are for people who look for a setting"),
        "settings.warning": "is in the response to an update",
    },
    "PostgresPassword": {"password": "is returned only if none was sent, and one is always sent"},
    "Caller": dict.fromkeys(("keyId", "userId", "email"), "is not needed: the name says whose key it is"),
    "ByocProgress": dict.fromkeys(("id", "updatedAt"), "is not needed: a wait shows the current stage only"),
    "Invited": {"status": "is pending for every new invitation"},
    "Removed": {"success": "repeats the HTTP status"},
    "Upload": {"expiresAt": "is not needed: the upload follows at once"},
    "None": dict.fromkeys(("valid", "errors", "normalized"), "are for the sandbox: a preview validates by itself"),
}
"""Properties of records that are not read, and why."""

PAGINATION: Tree = {"pagination": {"nextCursor": None}}
"""What is read beside the records of a page, if both are in the result."""

PAGES_NOT_READ: Mapping[str, str] = dict.fromkeys(
    ("limit", "meta", "pagination.limit", "pagination.currentCursor", "pagination.totalRecords", "totalCount"),
    "is not needed: lists are read until a page is not full or names no cursor",
)
"""Properties of the pages of lists that are not read, and why."""
