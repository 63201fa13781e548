"""Mistakes of first-time users: the message of the preview alone says what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, stack_config
from support.ids import CALM, LOGS

PLACE = 'provider="aws", region="eu-central-1"'
SERVICE = f'service = clouddb.Service("orders", name="Orders", {PLACE})\n'
KEY = 'key = clouddb.ApiKey("reader", name="Reader", roles=["developer"])\n'
CONFIG = f'"config": {{"display_type": "line", "source_id": "{LOGS}", "select": [{{"agg_fn": "count"}}]}}'
BOARD = f'board = clouddb.Dashboard("board", name="Board", tiles=[{{"name": "Errors", {CONFIG}}}])\n'
CONDITION = 'threshold=5, interval="5m", threshold_type="above"'
CHANNEL = f'channel={{"type": "webhook", "webhook_id": "{CALM}"}}'
PIPE = 'clouddb.Pipe("p", service_id=service.id, name="P", destination={"database": "default", "table": "t"}, source='


def service(arguments: str, place: str = PLACE) -> str:
    """Return a program with a service that has these arguments."""
    return f'clouddb.Service("orders", name="Orders", {place}, {arguments})'


def dashboard(tiles: str, arguments: str = "") -> str:
    """Return a program with a dashboard of these tiles."""
    return f'clouddb.Dashboard("board", name="Board", tiles={tiles}, {arguments})'


def alert(arguments: str) -> str:
    """Return a program with an alert on a dashboard."""
    return f'{BOARD}clouddb.Alert("errors", {arguments})'


PYTHON: dict[str, tuple[str, str]] = {
    "an option as an argument": (
        service("protect=True"),
        "it has no argument 'protect', which is an option of Pulumi: write opts=pulumi.ResourceOptions(protect=…)",
    ),
    "dependencies as an argument": (service("depends_on=[]"), "opts=pulumi.ResourceOptions(depends_on=…)"),
    "options as a dict": (service('opts={"protect": True}'), "opts must be pulumi.ResourceOptions(…), not dict"),
    "arguments as a dict": (
        'clouddb.Service("orders", {"name": "Orders"})',
        "it takes its properties by name, not as dict: write Service(…, name=…) or ServiceArgs(name=…)",
    ),
    "arguments of another resource": (
        'clouddb.Service("orders", clouddb.IpAccessEntryArgs(source="203.0.113.7"))',
        "it takes its properties by name, not as IpAccessEntryArgs",
    ),
    "an argument in camel case": (service("numReplicas=3"), "(did you mean 'num_replicas'?)"),
    "an output as an argument": (
        service('password="Secret-1"'),
        "it has no argument 'password', which is an output (did you mean 'password_hash'?)",
    ),
    "references by class": (
        alert(f'name="E", dashboard=board, tile="Errors", {CONDITION}, {CHANNEL}'),
        "(did you mean 'dashboard_id'?); it has no argument 'tile' (did you mean 'tile_id'?)",
    ),
    "a class in the plural": ("clouddb.Services('orders')", "pulumi_clouddb has no 'Services'; did you mean Service?"),
    "an explicit provider": ("clouddb.Provider('p')", "explicit providers need the native plugin"),
    "a class of arguments without one": (
        service("ip_access_list=[clouddb.IpAccessEntryArgs()]"),
        "IpAccessEntryArgs: it needs 'source'",
    ),
    "a class of arguments with a misspelt one": (
        'clouddb.Service("orders", clouddb.ServiceArgs(name="Orders", replicas=3))',
        "ServiceArgs: it has no argument 'replicas' (did you mean 'num_replicas'?)",
    ),
    "a list for a name": (
        f'clouddb.Service("orders", name=["Orders"], {PLACE})',
        "Service 'orders': name must be text, not a list",
    ),
    "a list within an object": (
        SERVICE + PIPE + '{"kafka": {"brokers": ["a:9092"]}})',
        "source.kafka.brokers must be text, not a list",
    ),
    "a list for an object": (
        alert(f'name="E", dashboard_id=board.id, {CONDITION}, channel=[{{"type": "webhook"}}]'),
        "channel must be an object, not a list: write a single one, without the brackets",
    ),
    "a number in a list of texts": (
        "clouddb.ApiKey('k', name='K', roles=[['developer']])",
        "roles[0] must be text, not a list",
    ),
    "a set for a list": (
        "clouddb.ApiKey('k', name='K', roles={'developer'})",
        "roles must be a list, not set: write list(…) around it",
    ),
    "a time for a text": (
        "import datetime\nclouddb.ApiKey('k', name='K', expire_at=datetime.datetime(2030, 1, 1))",
        "expire_at must be text, not datetime: write the text that its isoformat() returns",
    ),
    "a function with a name for an id": (
        "clouddb.get_service(name='Orders')",
        "it has no argument 'name'; it needs 'service_id'; list_services(name=…) finds objects by their name",
    ),
    "a function with a positional argument": (
        "clouddb.get_service_output('Orders')",
        "it takes service_id, opts by name; list_services(name=…) finds objects by their name",
    ),
    "an output named as its reference": (
        SERVICE + "service.service_id",
        "Service has no 'service_id'; did you mean id?",
    ),
    "an output in the singular": (SERVICE + "service.endpoint", "Service has no 'endpoint'; did you mean endpoints?"),
    "an output without its first word": (KEY + "key.secret", "ApiKey has no 'secret'; did you mean key_secret?"),
    "a tile's id as an attribute": (BOARD + "board.tile_ids.Errors", "write ['Errors'] in place of .Errors"),
}
"""Programs in Python, and what their message must contain."""


@pytest.mark.parametrize(("program", "expected"), PYTHON.values(), ids=PYTHON)
def test_python_program(program: str, expected: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """Nothing is sent."""
    text = f"import pulumi\nimport pulumi_clouddb as clouddb\n{program}\n"
    stack = FakeEngineStack(text, config=stack_config(sandbox), work_dir=tmp_path)
    errors = "\n".join(stack.preview(expect_failure=True).errors)
    assert expected in errors
    assert not sandbox.objects("services")
