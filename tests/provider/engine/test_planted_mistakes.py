"""Mistakes of first-time users: the message of the preview alone says what to write instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, stack_config
from support.front_ends import MakeFrontEnds
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
    "a property of the source": (
        "clouddb.Pipe('p', name='P', kafka={})",
        "it has no argument 'kafka', which belongs into source",
    ),
    "a property of each tile": (
        'clouddb.Dashboard("board", name="Board", config={}, tiles=[])',
        "it has no argument 'config', which belongs into tiles",
    ),
    "a name that is one letter here": (
        "clouddb.TileArgs(name='E', config={}, width=3)",
        "it has no argument 'width' (did you mean 'w'?)",
    ),
    "the end of a name": (
        "clouddb.AlertChannelArgs(type='webhook', id='x')",
        "it has no argument 'id' (did you mean 'webhook_id'?)",
    ),
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
        ": write a single one, without the brackets; it is one text, with several separated by commas",
    ),
    "several brokers": (
        SERVICE + PIPE + '{"kafka": {"brokers": ["a:9092", "b:9092"]}})',
        "source.kafka.brokers must be text, not a list; it is one text, with several separated by commas",
    ),
    "a list of settings": (
        service('settings=[{"name": "max_threads", "value": 8}]'),
        'settings must be an object, not a list: write {"NAME": VALUE}, with an entry for each element',
    ),
    "several objects for one": (
        alert(f'name="E", dashboard_id=board.id, {CONDITION}, channel=[{{"type": "webhook"}}, {{"type": "webhook"}}]'),
        "channel must be an object, not a list",
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
    "an output within a text": (
        SERVICE + "clouddb.ApiKey('k', name=f'Key of {service.name}', roles=['developer'])",
        "name contains a message of Pulumi in place of an output, which a text cannot contain: write pulumi.Output",
    ),
    "an output as the text of an id": (
        SERVICE + "clouddb.Dashboard('b', service_id=str(service.id), name='B', tiles=[])",
        "service_id contains a message of Pulumi in place of an output",
    ),
    "a map for tags": (
        service('tags={"team": "checkout"}'),
        "tags must be a list, not {'team': 'checkout'}; did you mean [{'key': 'team', 'value': 'checkout'}]?",
    ),
    "a map for tags that are texts": (
        dashboard("[]", 'tags={"team": "checkout"}'),
        "tags must be a list, not {'team': 'checkout'}; write ['…', '…']",
    ),
    "one object for a list": (
        service('ip_access_list={"source": "203.0.113.0/24"}'),
        "; did you mean [{'source': '203.0.113.0/24'}]?",
    ),
    "a network for a list": (
        service('ip_access_list="203.0.113.0/24"'),
        "ip_access_list must be a list, not '203.0.113.0/24'; write [{source: …, description: …}]",
    ),
    "networks for objects": (
        service('ip_access_list=["203.0.113.0/24"]'),
        "; did you mean {'source': '203.0.113.0/24'}?",
    ),
    "a network with a mask": (
        service('ip_access_list=[{"source": "203.0.113.0/255.255.255.0"}]'),
        "source must be an IP address or a range in CIDR notation such as 203.0.113.0/24, not",
    ),
    "a property of another provider": (
        service('ip_access_list=[{"source": "203.0.113.7", "label": "Office"}]'),
        "ip_access_list[0].label is not supported here; it has source, description",
    ),
    "a text with a unit for a number": (
        service('max_replica_memory_gb="16GB"'),
        "max_replica_memory_gb must be a whole number, not '16GB'; write a number without a unit",
    ),
    "a text of another unit": (
        service('idle_scaling=True, idle_timeout_minutes="1h"'),
        "idle_timeout_minutes must be a number, not '1h'; write a number without a unit",
    ),
    "megabytes for gigabytes": (
        service("max_replica_memory_gb=16384, min_replicas=1, num_replicas=3"),
        "should be at most 356, not 16384, as far as this version knows",
    ),
    "two ways to set replicas": (
        service("num_replicas=3, min_replicas=1, max_replicas=4"),
        "num_replicas excludes min_replicas and max_replicas: remove it, or both of these",
    ),
    "a region of another cloud": (
        service("", 'provider="aws", region="europe-west4"'),
        "region must be a region of the provider (aws), not 'europe-west4' of gcp",
    ),
    "a password for a hash": (service('password_hash="Secret-1"'), "must be a SHA-256 hash in Base64, 44 characters"),
    "a date of another form": (
        "clouddb.ApiKey('k', name='K', roles=['developer'], expire_at='31.12.2027')",
        "expire_at must be an ISO-8601 date-time such as 2027-01-31T00:00:00Z",
    ),
    "a name for the id of a pipe": (
        SERVICE + "clouddb.PipeScaling('s', service_id=service.id, pipe_id='events', replicas=2)",
        "pipe_id must be a UUID, not 'events'; take the output id of its resource, or what `clouddb find NAME` prints",
    ),
    "a name for the id of a source": (
        dashboard(f"[{{'name': 'E', {CONFIG.replace(LOGS, 'Logs')}}}]"),
        "source_id must be an id of 24 hexadecimal digits, not 'Logs'; take the output id of its resource, or what",
    ),
    "a kind of source as a text": (
        SERVICE + PIPE + '"kafka")',
        "source must be an object, not 'kafka'; write {kafka: …}",
    ),
    "no receiver": (
        alert(f'name="E", dashboard_id=board.id, tile_id=board.tile_ids["Errors"], {CONDITION}'),
        "channel is required: write {type: webhook, webhook_id: …}, or several of these in channels",
    ),
    "a receiver as a text": (
        alert(f'name="E", dashboard_id=board.id, tile_id=board.tile_ids["Errors"], {CONDITION}, channel="slack"'),
        "channel must be an object, not 'slack'; write {type: …, webhook_id: …}",
    ),
    "the service of a webhook as the type": (
        alert(
            f'name="E", dashboard_id=board.id, tile_id=board.tile_ids["Errors"], {CONDITION}, '
            f'channel={{"type": "slack", "webhook_id": "{CALM}"}}'
        ),
        "channel is of type 'slack': write webhook, with the id of a Webhook, whose service it is",
    ),
    "a condition of a tile": (
        dashboard(f"[{{'name': 'E', 'where': 'level:error', {CONFIG}}}]"),
        "tiles[0].where is not supported here; did you mean config.where?",
    ),
    "a tile without config": (
        dashboard(f"[{{'name': 'E', {CONFIG.removeprefix(chr(34) + 'config' + chr(34) + ': {').removesuffix('}')}}}]"),
        "tiles[0].display_type is not supported here; did you mean config.display_type?",
    ),
    "tiles by key": (
        dashboard(f"{{'errors': {{'name': 'E', {CONFIG}}}}}"),
        "; write [{key: …, name: …}]",
    ),
    "SQL in a property of another name": (
        dashboard("[{'name': 'E', 'config': {'display_type': 'line', 'sql': 'SELECT 1'}}]"),
        "is not known to this version, which sends it as it is; did you mean sql_template?",
    ),
    "a kind of chart of another product": (
        dashboard(f"[{{'name': 'E', {CONFIG.replace('line', 'graph')}}}]"),
        "display_type must be one of line, stacked_bar, table, number",
    ),
    "the id of no object": (
        "clouddb.Dashboard.get('b', 'My board')",
        "Give the id of the object and not its name: `clouddb find NAME` prints it.",
    ),
    "a tile's id as an attribute": (BOARD + "board.tile_ids.Errors", "write ['Errors'] in place of .Errors"),
}
"""Programs in Python, and what their message must contain."""


@pytest.mark.parametrize(("program", "expected"), PYTHON.values(), ids=PYTHON)
def test_python_program(program: str, expected: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """Nothing is sent."""
    text = f"import pulumi\nimport pulumi_clouddb as clouddb\n{program}\n"
    stack = FakeEngineStack(text, config=stack_config(sandbox), work_dir=tmp_path)
    refused = stack.preview(expect_failure=True)
    assert refused.errors
    assert expected in "\n".join(map(str, refused.diagnostics))
    assert not sandbox.objects("services")


ORDERS = {"name": "Orders", "provider": "aws", "region": "eu-central-1"}
OUTPUT = "Key of Calling [toString] on an [Output<T>] is not supported."
PLUGIN: dict[str, tuple[str, dict[str, Any], str]] = {
    "an option as a property": (
        "Service",
        {**ORDERS, "protect": True},
        "protect is not supported here: it is an option of Pulumi, beside the properties",
    ),
    "a number for a name": ("Service", {**ORDERS, "name": 2027}, "name must be text, not 2027; in YAML, quote it"),
    "an output within a text in TypeScript": (
        "ApiKey",
        {"name": OUTPUT, "roles": ["developer"]},
        "name contains a message of Pulumi in place of an output",
    ),
}
"""Inputs as other languages send them, and what only the front ends say of them; support/planted.py has the others."""


@pytest.mark.parametrize(("resource", "inputs", "expected"), PLUGIN.values(), ids=PLUGIN)
def test_inputs_of_the_plugin(
    resource: str, inputs: dict[str, Any], expected: str, front_ends_of: MakeFrontEnds
) -> None:
    """Languages without type checks, and values that are known only when the program runs, reach the plugin."""
    plugin = front_ends_of(vocabulary="clickhouse").native
    assert expected in "\n".join(plugin.check(resource, inputs).failures)
