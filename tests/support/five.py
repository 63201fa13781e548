"""The five resources of the interface as a program for either front end, and as existing objects."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from clouddb_tools.commands.export.python import python_program
from clouddb_tools.commands.export.statements import Ref, Step
from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.engine.plugin.schema import schema_text
from pulumi_clouddb.schema.config import environment_name
from support.ids import CALM, LOGS

Inputs = dict[str, Any]
SCHEMA = json.loads(schema_text())
KINDS = {"Service": "services", "PipeScaling": "pipes", "ApiKey": "keys", "Dashboard": "dashboards", "Alert": "alerts"}
"""The sandbox's name for the objects of each resource."""

SIZES = (32, 48)
"""The two sizes of the program; each resource has a property that depends on it."""

TILES = [
    {
        "key": name.lower(),
        "name": name,
        "x": 0,
        "y": 0,
        "w": 8,
        "h": 3,
        "series": [{"type": "time", "aggFn": "count", "sourceId": LOGS, "where": "", "groupBy": []}],
    }
    for name in ("Errors", "Speed")
]

NATIVE = '''
import pulumi


def made(kind, name, properties, outputs, secrets, aliases, **options):
    """Register a resource as Pulumi's generated SDK does."""
    options = pulumi.ResourceOptions(
        additional_secret_outputs=secrets, aliases=[pulumi.Alias(type_=each) for each in aliases], **options
    )
    return pulumi.CustomResource(f"clouddb:index:{kind}", name, {**dict.fromkeys(outputs), **properties}, options)


'''


def setting(sandbox: Sandbox) -> dict[str, str]:
    """Create a service with a pipe for the program to refer to, and return their ids."""
    service = sandbox.add("services", name="existing", provider="aws", region="us-east-1")
    return {"serviceId": service["id"], "pipeId": sandbox.add_pipe(service["id"], name="clicks")["id"]}


def five(names: Mapping[str, str], size: int = SIZES[0]) -> list[Step]:
    """Return the program: all five resources, the dashboard and its alert on the existing service."""
    service = {"serviceId": names["serviceId"]}
    steps: dict[str, Inputs] = {
        "Service": {
            "name": "orders",
            "provider": "aws",
            "region": "us-east-1",
            "minReplicaMemoryGb": 16,
            "maxReplicaMemoryGb": size,
            "ipAccessList": [{"source": "10.0.0.0/8", "description": "office"}],
        },
        "PipeScaling": {**names, "replicas": size // 16},
        "ApiKey": {"name": f"ci {size}", "roles": ["developer"], "expireAt": "2030-01-01T00:00:00Z"},
        "Dashboard": {**service, "name": f"Orders {size}", "tags": ["shop"], "tiles": TILES},
        "Alert": {
            **service,
            "dashboardId": Ref("dashboard.id"),
            "tileId": Ref("dashboard.tileIds", "errors"),
            "threshold": size,
            "interval": "5m",
            "thresholdType": "above",
            "channel": {"type": "webhook", "webhookId": CALM},
        },
    }
    return [Step(kind.lower(), kind, properties) for kind, properties in steps.items()]


def dynamic_program(steps: Sequence[Step]) -> str:
    """Return the program with the classes of this package."""
    return python_program(steps, SCHEMA)


def native_program(steps: Sequence[Step], **options: str) -> str:
    """Return the program for the plugin; `options` are resource options by name, as Python expressions."""
    lines = [NATIVE]
    arguments = "".join(f", {name}={expression}" for name, expression in options.items())
    for step in steps:
        spec = SCHEMA["resources"][f"clouddb:index:{step.kind}"]
        secrets = [name for name, each in spec["properties"].items() if each.get("secret")]
        aliases = [each["type"] for each in spec["aliases"]]
        lines.append(
            f"{step.variable} = made({step.kind!r}, {step.name or step.variable!r}, {_python(step.properties)}, "
            f"{list(spec['properties'])}, {secrets}, {aliases}{arguments})\n"
        )
    return "".join(lines)


def _python(value: Any) -> str:
    if isinstance(value, Ref):
        return f"{value.path}[{value.key!r}]" if value.key else value.path
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {_python(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_python, value)) + "]"
    return repr(value)


def create_unmanaged(sandbox: Sandbox) -> dict[str, str]:
    """Create one object of each kind that no program manages, and return their import ids."""
    names = setting(sandbox)
    service_id = names["serviceId"]
    sandbox.change("services", service_id, ipAccessList=[{"source": "10.0.0.0/8", "description": "office"}])
    tiles = [{name: value for name, value in tile.items() if name != "key"} for tile in TILES]
    dashboard = sandbox.add("dashboards", serviceId=service_id, name="Orders “today”", tags=["shop"], tiles=tiles)
    watched = {"dashboardId": dashboard["id"], "tileId": dashboard["tiles"][0]["id"]}
    rule = {"threshold": 10, "interval": "5m", "thresholdType": "above", "source": "tile"}
    channel = {"type": "webhook", "webhookId": CALM}
    alert = sandbox.add("alerts", serviceId=service_id, **watched, **rule, channel=channel, name="Too many")
    return {
        "Service": service_id,
        "PipeScaling": f"{service_id}/{names['pipeId']}",
        "ApiKey": sandbox.add_key(name="found", roles=["developer"])["key"]["id"],
        "Dashboard": f"{service_id}/{dashboard['id']}",
        "Alert": f"{service_id}/{alert['id']}",
    }


def environment(sandbox: Sandbox) -> dict[str, str]:
    """Return the sandbox's configuration as environment variables."""
    return {environment_name(name.removeprefix("clouddb:")): value for name, value in sandbox.config.items()}
