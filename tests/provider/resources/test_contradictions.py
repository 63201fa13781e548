"""Resources of one program that contradict each other: a preview names both, whichever the engine checks first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import UNKNOWN
from pulumi_clouddb.engine.wire.codec import Properties
from pulumi_clouddb.schema.public_names import in_python
from support.front_ends import FrontEnds
from support.grpc_driver import GrpcDriver
from support.ids import LOGS, TRACES
from support.rows import UUID

OTHER, THIRD = UUID.replace("1", "6"), UUID.replace("1", "7")
BOARD, TILE = "6b08ccf4690c99606839ff26", "6b08ccf4690c99606839ff27"
POLICY = {"allowDeny": "ALLOW", "permissions": ["control-plane:service:view"], "resources": ["instance/*"]}
CHART = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]}
TABLE = {**CHART, "displayType": "table"}


@dataclass(frozen=True)
class Declared:
    """A resource of a program; with an id, its object is in state with these outputs, and the former inputs."""

    kind: str
    name: str
    inputs: Properties
    id: str = ""
    outputs: Properties = field(default_factory=dict)
    former: Properties = field(default_factory=dict)

    def preview(self, driver: GrpcDriver) -> list[str]:
        """Check it, and compare it if it is in state, like the engine; return the failures."""
        urn = f"urn:pulumi:dev::shop::clouddb:index:{self.kind}::{self.name}"
        old = self.former or self.inputs
        state = {"__managed": list(old), **old, **self.outputs}
        failures = driver.check(self.kind, self.inputs, old if self.id else {}, urn=urn).failures
        if self.id:
            driver.diff(self.kind, self.id, state, self.inputs, urn=urn)
        return failures

    def having(self, **changed: object) -> Declared:
        """Return it with other inputs than in state."""
        return replace(self, inputs={**self.inputs, **changed}, former=self.inputs)


SCALING = Declared("PipeScaling", "more", {"serviceId": UUID, "pipeId": OTHER, "replicas": 2}, f"{UUID}/{OTHER}")
PIPE = Declared(
    "Pipe",
    "events",
    {
        "serviceId": UUID,
        "name": "Events",
        "source": {"kafka": {"type": "kafka", "format": "JSONEachRow", "brokers": "a:9092", "topics": "t"}},
        "destination": {
            "database": "shop",
            "table": "t",
            "managedTable": True,
            "columns": [{"name": "id", "type": "String"}],
        },
        "scaling": {"replicas": 1},
    },
    OTHER,
)
LINKS = Declared("SourceLinks", "links", {"sourceId": TRACES, "logSourceId": LOGS})
SOURCE = Declared(
    "Source",
    "traces",
    {
        "name": "Traces",
        "kind": "trace",
        "connection": BOARD,
        "from": {"databaseName": "default", "tableName": "otel_traces"},
        "timestampValueExpression": "Timestamp",
        "defaultTableSelectExpression": "Timestamp",
        "durationExpression": "Duration",
        "durationPrecision": 9,
        "traceIdExpression": "TraceId",
        "spanIdExpression": "SpanId",
        "parentSpanIdExpression": "ParentSpanId",
        "spanNameExpression": "SpanName",
        "spanKindExpression": "SpanKind",
        "logSourceId": LOGS,
    },
    TRACES,
)
MEMBER = Declared("Member", "ada", {"userId": UUID, "assignedRoleIds": [OTHER]})
SETTINGS = Declared("OrganizationSettings", "names", {"name": "Shop"})
CDC = {"serviceId": UUID, "replicaCpuMillicores": 1000, "replicaMemoryGb": 4}
DATABASES = Declared("PipeCdcScaling", "databases", CDC)
KEY = Declared("ApiKey", "ci", {"name": "ci", "assignedRoleIds": [OTHER]}, UUID)
ADOPTED = Declared("ApiKey", "adopted", {"keyId": UUID, "name": "CI"})
SERVICE = Declared(
    "Service",
    "orders",
    {"name": "Orders", "provider": "aws", "region": "eu-central-1", "privateEndpointIds": ["vpce-1a2b3c4d"]},
    UUID,
)
ENDPOINT = Declared("PrivateEndpoint", "office", {"endpointId": "vpce-2a2b3c4d", "serviceId": UUID})
ROLE = Declared("Role", "reader", {"name": "Reader", "policies": [POLICY], "actors": [f"user/{OTHER}"]}, OTHER)
ALERT = Declared(
    "Alert",
    "errors",
    {
        "name": "Errors",
        "dashboardId": BOARD,
        "tileId": TILE,
        "threshold": 5,
        "thresholdType": "above",
        "interval": "5m",
        "channel": {"type": "webhook", "webhookId": BOARD},
    },
    LOGS,
)
DASHBOARD = Declared(
    "Dashboard",
    "board",
    {"name": "Board", "tiles": [{"name": "Errors", "x": 0, "y": 0, "w": 12, "h": 4, "config": CHART}]},
    BOARD,
    {"tileIds": {"Errors": TILE}},
)
RENAMED = [{**DASHBOARD.inputs["tiles"][0], "name": "Other"}]
HOOK = Declared(
    "Webhook",
    "pager",
    {"serviceId": UUID, "name": "Pager", "service": "generic", "url": "https://pager.example.com"},
    BOARD,
)
OF_SERVICE = {
    each.kind: replace(each, inputs={**each.inputs, "serviceId": UUID}) for each in (LINKS, SOURCE, ALERT, DASHBOARD)
}
ADDED = [*DASHBOARD.inputs["tiles"], *({**each, "y": 20} for each in RENAMED)]
AS_TABLE = [{**DASHBOARD.inputs["tiles"][0], "config": TABLE}]


def both(first: str, second: str, names: str) -> str:
    """Return the beginning of the warning that two resources set something."""
    return f"{first} and {second} both set {names} of "


WARNED: dict[str, tuple[Declared, Declared, str, Declared]] = {
    "two scalings of a pipe": (
        SCALING,
        replace(SCALING, name="most"),
        both("PipeScaling 'more'", "PipeScaling 'most'", "scaling.replicas"),
        replace(SCALING, name="most").having(pipeId=THIRD),
    ),
    "the scaling of a pipe, in it and beside it": (
        SCALING,
        PIPE,
        both("Pipe 'events'", "PipeScaling 'more'", "scaling.replicas"),
        PIPE.having(scaling={"replicaMemoryGb": 2}),
    ),
    "two scalings of database pipes": (
        DATABASES,
        replace(DATABASES, name="more"),
        both("PipeCdcScaling 'databases'", "PipeCdcScaling 'more'", "replicaCpuMillicores, replicaMemoryGb"),
        replace(DATABASES, name="more").having(serviceId=OTHER),
    ),
    "a link of a source, in it and beside it": (
        LINKS,
        SOURCE,
        both("Source 'traces'", "SourceLinks 'links'", "logSourceId"),
        replace(SOURCE, id=BOARD),
    ),
    "a link of a source, in two places": (
        LINKS,
        replace(LINKS, name="more"),
        both("SourceLinks 'links'", "SourceLinks 'more'", "logSourceId"),
        replace(LINKS, name="more", inputs={"sourceId": TRACES, "sessionSourceId": LOGS}),
    ),
    "a webhook of a service that is imported twice": (
        HOOK,
        replace(HOOK, name="again"),
        both("Webhook 'again'", "Webhook 'pager'", "name, service, url"),
        replace(HOOK, name="again", inputs={**HOOK.inputs, "serviceId": OTHER}),
    ),
    "a link of a source of a service, in it and beside it": (
        replace(OF_SERVICE[LINKS.kind], id=TRACES),
        OF_SERVICE[SOURCE.kind],
        both("Source 'traces'", "SourceLinks 'links'", "logSourceId"),
        SOURCE,
    ),
    "an alert of a service on a tile that goes": (
        OF_SERVICE[ALERT.kind],
        OF_SERVICE[DASHBOARD.kind].having(tiles=RENAMED),
        f"Alert 'errors' watches a tile of Dashboard 'board', whose tileIds lacks '{TILE}'",
        DASHBOARD.having(tiles=RENAMED),
    ),
    "the roles of a member": (
        MEMBER,
        replace(MEMBER, name="eva"),
        both("Member 'ada'", "Member 'eva'", "assignedRoleIds"),
        replace(MEMBER, name="eva").having(userId=THIRD),
    ),
    "the settings of the organization": (
        SETTINGS,
        replace(SETTINGS, name="more"),
        both("OrganizationSettings 'more'", "OrganizationSettings 'names'", "name"),
        replace(SETTINGS, name="more", inputs={"enableCoreDumps": True}),
    ),
    "a key that is adopted, too": (
        ADOPTED,
        KEY,
        both("ApiKey 'adopted'", "ApiKey 'ci'", "name"),
        replace(KEY, id=OTHER),
    ),
    "an object that is imported twice": (
        SERVICE,
        replace(SERVICE, name="again", inputs={**SERVICE.inputs, "name": "Again"}),
        both("Service 'again'", "Service 'orders'", "name, privateEndpointIds, provider, region"),
        replace(SERVICE, name="again", id=OTHER, inputs={**SERVICE.inputs, "name": "Again"}),
    ),
    "an endpoint that its service does not name": (
        ENDPOINT,
        SERVICE,
        "PrivateEndpoint 'office' is attached to Service 'orders', whose privateEndpointIds lacks 'vpce-2a2b3c4d'",
        SERVICE.having(privateEndpointIds=["vpce-1a2b3c4d", "vpce-2a2b3c4d"]),
    ),
    "a key that its role does not name": (
        KEY,
        ROLE,
        f"ApiKey 'ci' has the role of Role 'reader', whose actors lacks 'apiKey/{UUID}'",
        ROLE.having(actors=[f"apiKey/{UUID}"]),
    ),
    "a member that its role does not name": (
        MEMBER,
        ROLE,
        f"Member 'ada' has the role of Role 'reader', whose actors lacks 'user/{UUID}'",
        ROLE.having(actors=[f"user/{UUID}"]),
    ),
    "a role that its key does not name": (
        ROLE.having(actors=[f"apiKey/{UUID}"]),
        KEY.having(assignedRoleIds=[UUID]),
        f"Role 'reader' has the actor ApiKey 'ci', whose assignedRoleIds lacks '{OTHER}'",
        KEY,
    ),
    "a role that its member does not name": (
        ROLE.having(actors=[f"user/{UUID}"]),
        MEMBER.having(assignedRoleIds=[THIRD]),
        f"Role 'reader' has the actor Member 'ada', whose assignedRoleIds lacks '{OTHER}'",
        MEMBER,
    ),
    "an alert on a tile that goes": (
        ALERT,
        DASHBOARD.having(tiles=RENAMED),
        f"Alert 'errors' watches a tile of Dashboard 'board', whose tileIds lacks '{TILE}'",
        DASHBOARD,
    ),
    "an alert on a tile that becomes a table": (
        ALERT,
        DASHBOARD.having(tiles=AS_TABLE),
        "Alert 'errors' watches a tile of Dashboard 'board', where it is a table tile",
        DASHBOARD,
    ),
}
"""Two resources, the warning, and what the second one is if they do not contradict each other."""


def previewed(resources: Iterable[Declared], driver: GrpcDriver, sandbox: Sandbox, ignored: str = "") -> list[str]:
    """Preview a program twice, and return the warnings."""
    own = {"clouddb:requestTimeoutSeconds": str(next(SECONDS)), "clouddb:ignoreWarnings": ignored}
    driver.configure({**sandbox.config, **own})  # a session of its own
    assert [each.preview(driver) for each in (*resources, *resources)] == [[]] * 4
    return driver.warnings


SECONDS = count(30)


@pytest.mark.parametrize(("first", "second", "expected", "usual"), WARNED.values(), ids=WARNED)
def test_contradiction(
    first: Declared, second: Declared, expected: str, usual: Declared, sandbox: Sandbox, processes: FrontEnds
) -> None:
    """It is one warning in any order, also of resources in state."""
    for pair in ((first, second), (second, first)):
        dynamic, native = processes.both(partial(previewed, pair, sandbox=sandbox))
        assert [each[: len(expected)] for each in native] == [expected]
        assert dynamic == list(map(in_python, native))
    assert processes.both(partial(previewed, (first, usual), sandbox=sandbox)) == ([], [])
    ignored = expected.partition(" ")[0]
    assert processes.both(partial(previewed, (first, second), sandbox=sandbox, ignored=ignored)) == ([], [])


@pytest.mark.parametrize("ignored", ["Service.privateEndpointIds", "Service", "PrivateEndpoint"])
def test_contradiction_is_silenced_by_its_property(ignored: str, sandbox: Sandbox, processes: FrontEnds) -> None:
    """The property is that of the other resource, which the warning names; so does either kind of resource."""
    pair = (ENDPOINT, SERVICE)
    assert processes.both(partial(previewed, pair, sandbox=sandbox, ignored=ignored)) == ([], [])


NAMES_NOTHING = {"the settings of the organization", "an object that is imported twice"}
"""The first resource of these is known by its kind, or by the id in state."""


@pytest.mark.parametrize("case", sorted(WARNED.keys() - NAMES_NOTHING))
def test_unknown_inputs_contradict_nothing(case: str, sandbox: Sandbox, processes: FrontEnds) -> None:
    """The resource may be about another object."""
    first, second, *_ = WARNED[case]
    unknown = first.having(**dict.fromkeys(first.inputs, UNKNOWN))
    assert processes.both(partial(previewed, (unknown, second), sandbox=sandbox)) == ([], [])


def test_alert_on_a_tile_that_the_same_run_adds(sandbox: Sandbox, processes: FrontEnds) -> None:
    """The dashboard was checked before its server gave the tile an id."""
    pair = (DASHBOARD.having(tiles=ADDED), replace(ALERT, inputs={**ALERT.inputs, "tileId": TRACES}))
    assert processes.both(partial(previewed, pair, sandbox=sandbox)) == ([], [])
