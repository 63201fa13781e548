"""A lost answer on creating a key, a dashboard or an alert: one object, named by state, that works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from lives.life import a_dashboard, from_the_create_on
from pulumi_clouddb.sandbox import Sandbox
from pulumi_clouddb.testing import FakeEngineStack

MakeStack = Callable[..., FakeEngineStack]

KEY = """
import pulumi
import pulumi_clouddb as clouddb

key = clouddb.ApiKey("it", name="ci", roles=["developer"])
pulumi.export("user", key.access_key_id)
pulumi.export("secret", key.key_secret)
"""
DASHBOARD = """
import pulumi_clouddb as clouddb

clouddb.Dashboard("it", name="Orders", tiles=[
    clouddb.TileArgs(name=name, x=0, y=0, w=4, h=2, series=[clouddb.SeriesArgs(type="time", agg_fn="count", where="")])
    for name in ("errors", "speed")
])
"""
ALERT = """
import pulumi_clouddb as clouddb

clouddb.Alert("it", dashboard_id="{dashboard_id}", tile_id="{one}", threshold=1, interval="5m",
    threshold_type="above", channel=clouddb.AlertChannelArgs(type="webhook", webhook_id="65f5e4a3b9e77c001a567890"))
"""


@dataclass(frozen=True)
class Kind:
    """One kind of object: the sandbox's name for it, its program, and its operations."""

    objects: str
    program: str
    create: str
    listed: str


KINDS = {
    "key": Kind("keys", KEY, "create_key", "list_keys"),
    "dashboard": Kind("dashboards", DASHBOARD, "self_hosted_create_dashboard", "self_hosted_list_dashboards"),
    "alert": Kind("alerts", ALERT, "self_hosted_create_alert", "self_hosted_list_alerts"),
}
LOST = {
    "the connection is reset": ("lose", {}),
    "500 is answered": ("commit_then_status", {"status": 500}),
    "the answer breaks off": ("broken_json", {}),
    "the answer holds nothing": ("malformed", {}),
}


@pytest.fixture
def make(clouddb_sandbox: Sandbox, clouddb_stack: MakeStack) -> Callable[[Kind], FakeEngineStack]:
    """Make a stack of one object of a kind, with what it needs to exist."""

    def stack(kind: Kind) -> FakeEngineStack:
        names = a_dashboard(clouddb_sandbox) if kind.objects == "alerts" else {}
        config = {"clouddb:retryTimeoutSeconds": "1", "clouddb:requestTimeoutSeconds": "3"}
        return clouddb_stack(kind.program.format(**names) if names else kind.program, config=config)

    return stack


def assert_one(sandbox: Sandbox, kind: Kind, stack: FakeEngineStack, before: set[str]) -> None:
    """Exactly one new object, the one that state names; a key's secret works."""
    new = set(sandbox.objects(kind.objects)) - before
    assert new == {stack.resource("it").id}
    assert stack.preview().no_changes
    if kind.objects == "keys":
        with sandbox.management(stack.outputs["user"], stack.outputs["secret"].value) as client:
            assert client.get("/services").status_code == 200
    if kind.objects == "dashboards":
        tiles = sandbox.dashboards[stack.resource("it").id]["tiles"]
        assert stack.resource("it").outputs["tileIds"] == {tile["name"]: tile["id"] for tile in tiles}


@pytest.mark.parametrize("lost", LOST.values(), ids=LOST)
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_lost_answer_is_found_again(
    kind: Kind,
    lost: tuple[str, dict[str, int]],
    clouddb_sandbox: Sandbox,
    make: Callable[[Kind], FakeEngineStack],
) -> None:
    """The list tells what the answer did not say; a key whose secret was lost is made anew."""
    stack = make(kind)
    before = set(clouddb_sandbox.objects(kind.objects))
    clouddb_sandbox.fault(kind.create, lost[0], **lost[1])
    stack.up()
    assert_one(clouddb_sandbox, kind, stack, before)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_lost_answer_and_no_list_heals_with_the_next_up(
    kind: Kind, clouddb_sandbox: Sandbox, make: Callable[[Kind], FakeEngineStack]
) -> None:
    """Where the list cannot be read either, the pending create is remembered, and the next `up` finds the object."""
    stack = make(kind)
    before = set(clouddb_sandbox.objects(kind.objects))
    clouddb_sandbox.fault(kind.create, "lose")
    from_the_create_on(kind.create, clouddb_sandbox, (kind.listed,), "status", status=500, times=30)
    first = stack.up(expect_failure=True)
    clouddb_sandbox.clear_faults()
    assert not first.ok
    stack.up()
    assert_one(clouddb_sandbox, kind, stack, before)


def test_every_answer_lost_leaves_no_key_behind(
    clouddb_sandbox: Sandbox, make: Callable[[Kind], FakeEngineStack]
) -> None:
    """While every answer is lost, keys that nobody knows the secret of are deleted again."""
    kind = KINDS["key"]
    stack = make(kind)
    before = set(clouddb_sandbox.keys)
    clouddb_sandbox.fault(kind.create, "lose", times=3)
    first = stack.up(expect_failure=True)
    assert "its secret was lost with the response each time" in str(first.diagnostics)
    assert set(clouddb_sandbox.keys) == before
    stack.up()
    assert_one(clouddb_sandbox, kind, stack, before)
