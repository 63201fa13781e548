"""The five resources as `test_lives` takes them through life: a program before and after, and what strangers change."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pulumi_clouddb.sandbox import Sandbox

IMPORTS = ("import pulumi", "import pulumi_clouddb as clouddb")


@dataclass(frozen=True)
class Life:
    """One resource's life.

    Attributes:
        name: The Pulumi name.
        kind: The sandbox's name for such objects.
        before: The properties at first, as Python arguments.
        after: The properties later: every one that can be updated has another value.
        updated: Wire names of the properties that the update shows.
        drift: Changes the object behind the stack's back.
        drifted: Wire names of the properties that the repair shows.
        as_wanted: Tells from the server's object whether it is as `after` says.
        setting: Makes what the object needs to exist, and returns names that the arguments may use.
        stays: Whether the object itself outlives the resource.
    """

    name: str
    kind: str
    before: str
    after: str
    updated: frozenset[str]
    drift: Callable[[Sandbox, str], object]
    drifted: frozenset[str]
    as_wanted: Callable[[Mapping[str, Any]], bool]
    setting: Callable[[Sandbox], dict[str, str]] = lambda sandbox: {}  # noqa: ARG005
    stays: bool = False

    def program(self, arguments: str, names: Mapping[str, str]) -> str:
        """Return a program of this one resource."""
        return "\n".join([*IMPORTS, *self.lines("it", arguments, names), "pulumi.export('id', it.id)", ""])

    def lines(self, name: str, arguments: str, names: Mapping[str, str]) -> list[str]:
        """Return the lines of a program that make this resource under a name."""
        given = [f"{each} = {value!r}" for each, value in names.items()]
        return [*given, f"it = clouddb.{self.name}({name!r}, {arguments})"]


def from_the_create_on(
    create: str, look: str, sandbox: Sandbox, operations: tuple[str, ...], kind: str, **details: Any
) -> None:
    """Let a fault happen to `operations` from the moment on that `create` is under way, but not to the look before it.

    The create's answer waits a second, so that the fault is there in time however slow the machine is.
    """

    def watch() -> None:
        while not sandbox.count(look):
            time.sleep(0.01)
        for operation in operations:
            sandbox.fault(operation, kind, **details)

    sandbox.fault(create, "delay", wait=1.0)
    threading.Thread(target=watch, daemon=True).start()


def a_service(sandbox: Sandbox) -> dict[str, str]:
    """Make a service that is there already."""
    return {"service_id": str(sandbox.add("services", name="existing", provider="aws", region="us-east-1")["id"])}


def a_pipe(sandbox: Sandbox) -> dict[str, str]:
    """Make a service with a pipe."""
    names = a_service(sandbox)
    pipe = sandbox.add_pipe(names["service_id"], "kafka", name="clicks")
    return {**names, "pipe_id": str(pipe["id"])}


def an_archive_pipe(sandbox: Sandbox) -> dict[str, str]:
    """Make a service with a pipe from object storage."""
    names = a_service(sandbox)
    pipe = sandbox.add_pipe(names["service_id"], "objectStorage", name="files")
    return {**names, "pipe_id": str(pipe["id"])}


def a_key(sandbox: Sandbox) -> dict[str, str]:
    """Make a key that is there already."""
    return {"key_id": str(sandbox.add_key(name="found", roles=["developer"])["key"]["id"])}


def a_dashboard(sandbox: Sandbox) -> dict[str, str]:
    """Make a dashboard with two tiles that alerts can watch."""
    tiles = [
        {"name": name, "x": 0, "y": 0, "w": 4, "h": 3, "series": [{"type": "time", "aggFn": "count", "where": ""}]}
        for name in ("one", "two")
    ]
    with sandbox.self_hosted() as client:
        made = client.post("/dashboards", json={"name": "Watched", "tiles": tiles}).json()["data"]
    return {"dashboard_id": made["id"], "one": made["tiles"][0]["id"], "two": made["tiles"][1]["id"]}


def _tile(name: str, series: str, **grid: int) -> str:
    place = ", ".join(f"{side}={value}" for side, value in grid.items())
    return f"clouddb.TileArgs(key={name.lower()!r}, name={name!r}, {place}, series=[clouddb.SeriesArgs({series})])"


ERRORS = _tile("Errors", "type='time', agg_fn='count', source_id='logs', where='', group_by=[]", x=0, y=0, w=8, h=3)
SPEED = _tile("Speed", "type='number', agg_fn='avg', field='ms', source_id='logs', where=''", x=8, y=0, w=4, h=3)
SLOWEST = _tile("Speed", "type='number', agg_fn='max', field='ms', source_id='logs', where=''", x=0, y=3, w=4, h=2)

SERVICE = Life(
    name="Service",
    kind="services",
    before="""name='orders', provider='aws', region='us-east-1', min_replica_memory_gb=16, max_replica_memory_gb=32,
        num_replicas=2, idle_scaling=True, idle_timeout_minutes=10, release_channel='default',
        private_endpoint_ids=['vpce-1'], endpoints=[clouddb.EndpointSettingArgs(protocol='mysql', enabled=False)],
        ip_access_list=[clouddb.IpAccessEntryArgs(source='10.0.0.0/8', description='office')]""",
    after="""name='orders and returns', provider='aws', region='us-east-1', min_replica_memory_gb=24,
        max_replica_memory_gb=48, num_replicas=3, idle_scaling=False, idle_timeout_minutes=15, release_channel='slow',
        private_endpoint_ids=['vpce-2'], endpoints=[clouddb.EndpointSettingArgs(protocol='mysql', enabled=True)],
        ip_access_list=[clouddb.IpAccessEntryArgs(source='10.1.0.0/16', description='office'),
                        clouddb.IpAccessEntryArgs(source='192.0.2.1')]""",
    updated=frozenset(
        {
            *("name", "minReplicaMemoryGb", "maxReplicaMemoryGb", "numReplicas", "idleScaling", "idleTimeoutMinutes"),
            *("releaseChannel", "privateEndpointIds", "endpoints", "ipAccessList"),
        }
    ),
    drift=lambda sandbox, id_: sandbox.change(
        "services", id_, numReplicas=5, ipAccessList=[{"source": "0.0.0.0/0", "description": "oops"}]
    ),
    drifted=frozenset({"numReplicas", "ipAccessList"}),
    as_wanted=lambda service: (
        service["name"] == "orders and returns"
        and [service[f"{end}ReplicaMemoryGb"] for end in ("min", "max")] == [24, 48]
        and (service["numReplicas"], service["idleScaling"], service["idleTimeoutMinutes"]) == (3, False, 15)
        and service["releaseChannel"] == "slow"
        and service["privateEndpointIds"] == ["vpce-2"]
        and "mysql" in {endpoint["protocol"] for endpoint in service["endpoints"]}
        and {entry["source"] for entry in service["ipAccessList"]} == {"10.1.0.0/16", "192.0.2.1"}
    ),
)

STREAM_SCALING = Life(
    name="PipeScaling",
    kind="pipes",
    setting=a_pipe,
    before="service_id=service_id, pipe_id=pipe_id, replicas=2",
    after="service_id=service_id, pipe_id=pipe_id, replicas=4, replica_cpu_millicores=500, replica_memory_gb=2.5",
    updated=frozenset({"replicas", "replicaCpuMillicores", "replicaMemoryGb"}),
    drift=lambda sandbox, id_: sandbox.change(
        "pipes", id_.split("/")[1], scaling={**sandbox.pipes[id_.split("/")[1]]["scaling"], "replicas": 9}
    ),
    drifted=frozenset({"replicas"}),
    as_wanted=lambda pipe: (
        [pipe["scaling"][name] for name in ("replicas", "replicaCpuMillicores", "replicaMemoryGb")] == [4, 500, 2.5]
    ),
    stays=True,
)

ARCHIVE_SCALING = Life(
    **{
        **vars(STREAM_SCALING),
        "setting": an_archive_pipe,
        "before": "service_id=service_id, pipe_id=pipe_id, concurrency=0",
        "after": "service_id=service_id, pipe_id=pipe_id, concurrency=34",
        "updated": frozenset({"concurrency"}),
        "drift": lambda sandbox, id_: sandbox.change(
            "pipes", id_.split("/")[1], scaling={**sandbox.pipes[id_.split("/")[1]]["scaling"], "concurrency": 7}
        ),
        "drifted": frozenset({"concurrency"}),
        "as_wanted": lambda pipe: pipe["scaling"]["concurrency"] == 34,
    }
)

CREATED_KEY = Life(
    name="ApiKey",
    kind="keys",
    before="name='ci', roles=['developer'], expire_at='2030-01-01T00:00:00Z'",
    after="""name='ci and cd', roles=['query_endpoints', 'developer'], expire_at='2031-01-01T00:00:00+01:00',
        state='disabled', ip_access_list=[clouddb.IpAccessEntryArgs(source='192.0.2.0/24', description='runners')]""",
    updated=frozenset({"name", "roles", "expireAt", "state", "ipAccessList"}),
    drift=lambda sandbox, id_: sandbox.change("keys", id_, roles=["admin"], state="enabled"),
    drifted=frozenset({"roles", "state"}),
    as_wanted=lambda key: (
        key["name"] == "ci and cd"
        and set(key["roles"]) == {"query_endpoints", "developer"}
        and key["expireAt"].startswith("2030-12-31T23:00:00")
        and key["state"] == "disabled"
        and [entry["source"] for entry in key["ipAccessList"]] == ["192.0.2.0/24"]
    ),
)

ADOPTED_KEY = Life(
    name="ApiKey",
    kind="keys",
    setting=a_key,
    before="key_id=key_id, name='found and kept'",
    after="key_id=key_id, name='found again', roles=['query_endpoints'], expire_at='2031-01-01T00:00:00Z'",
    updated=frozenset({"name", "roles", "expireAt"}),
    drift=lambda sandbox, id_: sandbox.change("keys", id_, name="renamed by hand"),
    drifted=frozenset({"name"}),
    as_wanted=lambda key: key["name"] == "found again" and key["roles"] == ["query_endpoints"],
    stays=True,
)

SELF_HOSTED_DASHBOARD = Life(
    name="Dashboard",
    kind="dashboards",
    before=f"name='Orders', tags=['shop'], tiles=[{ERRORS}, {SPEED}]",
    after=f"name='Orders and returns', tags=['shop', 'returns'], tiles=[{SLOWEST}, {ERRORS}]",
    updated=frozenset({"name", "tags", "tiles"}),
    drift=lambda sandbox, id_: sandbox.change(
        "dashboards", id_, name="Mine now", tiles=sandbox.dashboards[id_]["tiles"][:1]
    ),
    drifted=frozenset({"name", "tiles"}),
    as_wanted=lambda dashboard: (
        dashboard["name"] == "Orders and returns"
        and dashboard["tags"] == ["shop", "returns"]
        and [(tile["name"], tile["series"][0]["aggFn"]) for tile in dashboard["tiles"]]
        == [("Speed", "max"), ("Errors", "count")]
    ),
)

MANAGED_DASHBOARD = Life(
    **{
        **vars(SELF_HOSTED_DASHBOARD),
        "setting": a_service,
        "before": f"service_id=service_id, {SELF_HOSTED_DASHBOARD.before}",
        "after": f"service_id=service_id, {SELF_HOSTED_DASHBOARD.after}",
    }
)

ALERT = Life(
    name="Alert",
    kind="alerts",
    setting=a_dashboard,
    before="""dashboard_id=dashboard_id, tile_id=one, threshold=10, interval='5m', threshold_type='above',
        channel=clouddb.AlertChannelArgs(type='webhook', webhook_id='calm'), name='Too many', message='Look.'""",
    after="""dashboard_id=dashboard_id, tile_id=two, threshold=20.5, interval='1h', threshold_type='below',
        channel=clouddb.AlertChannelArgs(type='webhook', webhook_id='loud'), name='Too few', message='Look now.'""",
    updated=frozenset(["tileId", "threshold", "interval", "thresholdType", "channel", "name", "message"]),
    drift=lambda sandbox, id_: sandbox.change("alerts", id_, threshold=1, message="never mind"),
    drifted=frozenset({"threshold", "message"}),
    as_wanted=lambda alert: (
        (alert["threshold"], alert["interval"], alert["thresholdType"]) == (20.5, "1h", "below")
        and alert["channel"] == {"type": "webhook", "webhookId": "loud"}
        and (alert["name"], alert["message"]) == ("Too few", "Look now.")
    ),
)

LIVES = {
    "service": SERVICE,
    "scaling of a stream pipe": STREAM_SCALING,
    "scaling of an object-storage pipe": ARCHIVE_SCALING,
    "created key": CREATED_KEY,
    "adopted key": ADOPTED_KEY,
    "self-hosted dashboard": SELF_HOSTED_DASHBOARD,
    "managed dashboard": MANAGED_DASHBOARD,
    "alert": ALERT,
}
