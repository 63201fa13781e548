"""The subjects of the matrix: each life of the lives' table, with secrets of the user."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import Secret
from lives.life import a_service, fill
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.registry import COLLECTIONS, RESOURCES
from pulumi_clouddb.schema.base import wire_names
from things.dashboards.life import BEFORE as DASHBOARD

from .engine import Wanted

Values = dict[str, Any]
CANARY = "canary-of-the-user"
"""Part of inputs that the program marks as secret."""

CARRIERS = frozenset({"where", "message", "encryptionKey", "tags"})
"""Names of texts that users may mark as secret; those of a life contain the canary."""

_TIMEOUT = "waitTimeoutMinutes"
WAIT = {name: {_TIMEOUT: 0.1} for name, each in RESOURCES.items() if _TIMEOUT in wire_names(each.type.inputs)}
"""Inputs that keep the cases short, by resource."""


@dataclass(frozen=True, eq=False)
class Subject:
    """One resource in one form.

    Attributes:
        name: Its name in the ids of cases, such as `Dashboard.managed`.
        resource: Its Pulumi type.
        kind: The sandbox's collection.
        before: Its first inputs; `$name` is replaced by a value of the setting.
        after: Its inputs after the update.
        setting: Creates the objects that it refers to.
        stays: Whether the object remains when the resource is deleted.
        hosted: Whether it is an object of the self-hosted server.
        dialect: The only dialect that supports its inputs; empty for all dialects that have the resource.
        operations: The operations to play; empty for all.
        replacement: Its inputs after a replacement that deletes first and keeps the id; empty without one.
    """

    name: str
    resource: str
    kind: str
    before: Values
    after: Values
    setting: Callable[[Sandbox], Mapping[str, str]]
    stays: bool
    hosted: bool
    dialect: str = ""
    operations: frozenset[str] = frozenset()
    replacement: Values = field(default_factory=dict)

    def is_known(self, dialect: str) -> bool:
        """Return whether the servers of a dialect have such objects."""
        if self.dialect:
            return dialect == self.dialect
        only = RESOURCES[self.resource].type.only
        return only is None or only.value == dialect

    @property
    def create_operation(self) -> str:
        """The operation that creates such objects."""
        (collection,) = (each for each in COLLECTIONS if each.plural() == self.kind)
        changes = self.resource in ("PipeScaling", "SourceLinks")  # an existing object
        create = collection.GET if changes else collection.CREATE
        return (create.self_hosted if self.hosted else create.managed).name

    def wanted(self, inputs: Values, names: Mapping[str, str]) -> Wanted:
        """Return the resource with these inputs; the SDK's class marks inputs that are always secret."""
        filled, always = fill(inputs, names), RESOURCES[self.resource].type.secrets
        marked = frozenset(name for name, value in filled.items() if CANARY in str(value) or name in always)
        return Wanted(self.resource, hidden({**filled, **WAIT.get(self.resource, {})}), marked=marked)

    def __str__(self) -> str:
        """Name it."""
        return self.name


def hidden(value: Any) -> Any:
    """Return inputs whose canaries are marked as secret."""
    if isinstance(value, Mapping):
        return {name: hidden(item) for name, item in value.items()}
    if isinstance(value, list):
        return [hidden(item) for item in value]
    return Secret(value) if isinstance(value, str) and CANARY in value else value


def with_canaries(value: Any, name: str = "") -> Any:
    """Return inputs with the canary in each text that users may mark as secret."""
    if isinstance(value, Mapping):
        return {key: with_canaries(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [with_canaries(item, name) for item in value]
    return f"{value} {CANARY}".strip() if name in CARRIERS and isinstance(value, str) else value


def managed_dashboard(sandbox: Sandbox) -> dict[str, str]:
    """Create a dashboard with two tiles on the observability server of a service."""
    names = a_service(sandbox)
    tiles = [{name: item for name, item in tile.items() if name != "key"} for tile in DASHBOARD["tiles"]]
    made = sandbox.add("dashboards", serviceId=names["service_id"], name="Watched", tiles=tiles)
    return {**names, "dashboard_id": made["id"], "one": made["tiles"][0]["id"], "two": made["tiles"][1]["id"]}


_FORMS = {
    "adopted key": ".adopted",
    "scaling of an object-storage pipe": ".storage",
    "pipe of a database": ".database",
    "self-hosted source of flows": ".flows",
    "alert with a chart": ".inline",
    "managed links of a source": ".managed",
}
"""What sets the lives of one resource apart."""

_REPLACED: Mapping[str, Values] = {"private endpoint": {"description": "Factory"}}
"""Inputs of lives whose change replaces the object, which keeps its id."""


def _subject(life: WireLife) -> Subject:
    form = (".managed" if life.managed else ".hosted") if life.observability else ""
    form = _FORMS.get(life.name, form)
    hidden_names = CARRIERS | {*RESOURCES[life.life.name].type.secrets}
    return Subject(
        life.life.name + form,
        life.life.name,
        life.life.kind,
        # A secret input that only the update adds would be in state in plain text, if a refresh reads it before.
        with_canaries({**{name: life.after[name] for name in hidden_names & {*life.after}}, **life.before}),
        with_canaries(life.after),
        life.life.setting,
        life.life.stays,
        life.observability and "serviceId" not in life.before,
        dialect=life.life.vocabulary.value if life.life.vocabulary else "",
        replacement={**life.before, **_REPLACED[life.name]} if life.name in _REPLACED else {},
    )


def _managed(alert: Subject) -> Subject:
    """Return the managed form of an alert."""
    service = {"serviceId": "$service_id"}
    return Subject(
        "Alert.managed",
        alert.resource,
        alert.kind,
        {**service, **alert.before},
        {**service, **alert.after},
        managed_dashboard,
        stays=False,
        hosted=False,
    )


_SERVICE = {"name": "orders", "provider": "aws", "region": "us-east-1"}
_NIGHT = {"name": "night", "weekdays": [1, 2], "startHourUtc": 22, "endHourUtc": 6, "numReplicas": 2}
_ENDPOINT = {"roles": ["sql_console_read_only"]}

_SETTINGS = Subject(
    "Service.settings",
    "Service",
    "services",
    {
        **_SERVICE,
        "backupConfiguration": {"backupPeriodInHours": 12},
        "snapshotConfiguration": {"enabled": True, "gap": 30, "timeFrame": 1440},
        "replicaAwareRouting": {"httpEnabled": True, "nativeEnabled": True},
        "queryEndpoint": _ENDPOINT,
        "scalingSchedule": {"entries": [_NIGHT]},
        "upgradeWindow": {"weekday": 3, "startHourUtc": 12},
        "settings": {"max_query_size": "1", "keep_alive_timeout": "30"},
        "backupBucket": {"bucketProvider": "AZURE", "containerName": "orders"},
        "backupBucketSecret": "canary-of-the-connection-string",
    },
    {
        **_SERVICE,
        "backupConfiguration": {"backupPeriodInHours": 24},
        "snapshotConfiguration": {"enabled": False},
        "replicaAwareRouting": {"nativeEnabled": False},
        "settings": {"max_query_size": "2"},
    },
    lambda sandbox: {},
    stays=False,
    hosted=False,
    dialect="clickhouse",
    operations=frozenset({"create", "update"}),
)
"""A service with settings that have their own operations: the create sets them, the update changes or deletes them."""


def _with_bucket(container: str) -> dict[str, Any]:
    bucket = {"bucketProvider": "AZURE", "containerName": container}
    return {**_SERVICE, "backupBucket": bucket, "backupBucketSecret": "canary-of-the-connection-string"}


_BUCKET = replace(
    _SETTINGS,
    name="Service.bucket",
    before=_with_bucket("orders"),
    after=_with_bucket("returns"),
    operations=frozenset({"update"}),
)
"""A service with another backup bucket in the update; the update of `Service.settings` only removes it."""

_STOPPED = replace(
    _SETTINGS,
    name="Service.stopped",
    before={**_SERVICE, "settings": {"max_query_size": "1"}, "stopped": True},
    after={**_SERVICE, "settings": {"max_query_size": "2"}, "stopped": False, "numReplicas": 5},
    operations=frozenset({"create", "update", "delete"}),
)
"""A service that the create stops, and that the update starts before its changes."""

_STARTED = replace(
    _STOPPED, name="Service.started", before=_STOPPED.after, after=_STOPPED.before, operations=frozenset({"update"})
)
"""A service that the update stops after its changes."""

OF_LIVES = [_subject(life) for life in WIRE_LIVES]
"""The subjects of the lives of all resources."""

_MORE = [_SETTINGS, _BUCKET, _STOPPED, _STARTED, *(_managed(each) for each in OF_LIVES if each.name == "Alert.hosted")]
SUBJECTS = {each.name: each for each in [*OF_LIVES, *_MORE]}
"""Every subject by its name."""
