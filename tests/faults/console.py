"""What people do on the server beside the programs: a colleague's objects, and trying out a password or a key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulumi_clouddb.engine.wire.secret import strip

from .engine import Wanted

DIFFERENT: Mapping[str, Mapping[str, Any]] = {
    "services": {"region": "us-east-2"},
    "pipes": {"destination": {"database": "mine"}},
    "private_endpoints": {"description": "mine"},
    "reverse_private_endpoints": {"vpcResourceConfigurationId": "mine"},
    "postgres_services": {"size": "m6gd.2xlarge"},
    "user_defined_functions": {"returnType": "Mine"},
    "udf_attachments": {"version": 1},
    "byoc_infrastructures": {"regionId": "us-west-2"},
    "keys": {"roles": ["admin"]},
    "invitations": {"role": "developer"},
    "roles": {"actors": ["user/mine"]},
    "dashboards": {"tags": ["mine"]},
    "alerts": {"threshold": 77},
    "saved_searches": {"where": "mine"},
    "stack_roles": {"permissions": []},
    "stack_invitations": {"name": "Mine"},
    "webhooks": {"url": "https://mine.example.com/"},
    "sources": {"timestampValueExpression": "Mine"},
    "connections": {"username": "mine"},
}
"""What another person gives an object of the same name: another value of what programs give, too."""


def neighbour(sandbox: Any, wanted: Wanted, kind: str, *, same_name: bool = False, alike: bool = True) -> None:
    """Let a colleague make an object of the same form; a service under another name, as two are refused."""
    ours = ("waitTimeoutMinutes", "keyId", "credentials", "stopped")
    body = {name: value for name, value in strip(wanted.inputs).items() if name not in ours}
    if wanted.resource == "PipeScaling":
        sandbox.add_pipe(wanted.inputs["serviceId"], name="clicks")
        return
    if kind == "services":
        body = {"name": body["name"] if same_name else "neighbour", "provider": "aws", "region": "us-east-1"}
    if kind == "postgres_services":
        body = {**{name: value for name, value in body.items() if name != "password"}}
        body["name"] = body["name"] if same_name else "neighbour"
    if kind in ("webhooks", "stack_roles"):
        body["name"] = "neighbour"  # no server has two of a name; test_webhooks.py has who comes first
    if kind == "private_endpoints":
        body["endpointId"] = f"vpce-{len(sandbox.objects(kind))}-of-mine"
    if kind == "dashboards":
        body["tiles"] = [{key: item for key, item in tile.items() if key != "key"} for tile in body["tiles"]]
    if kind == "user_defined_functions":
        body = {name: value for name, value in body.items() if name != "files"}
        body["name"] = f"mine_{len(sandbox.objects(kind))}"
    if kind == "stack_invitations":
        body["email"] = f"mine-{len(sandbox.objects(kind))}@example.com"
    if kind == "udf_attachments":
        body["functionName"] = f"mine_{len(sandbox.objects(kind))}"
    if not alike:
        body.update(DIFFERENT[kind])
    sandbox.add(kind, **body)


def works(sandbox: Any, kind: str, id_: str, outputs: Mapping[str, Any]) -> bool:
    """Return whether the secret in state is that of the object; True for what has none."""
    if kind in ("services", "postgres_services"):
        password = outputs.get("password")
        return isinstance(password, str) and bool(sandbox.password_works(id_, password))
    if kind != "keys" or outputs.get("adopted"):
        return True
    if not isinstance(outputs.get("keySecret"), str):
        return False
    record = sandbox.keys[id_]
    sandbox.change("keys", id_, state="enabled", ipAccessList=[{"source": "127.0.0.1"}], roles=["admin"])
    with sandbox.management(outputs["accessKeyId"], outputs["keySecret"]) as http:
        status = http.get("/keys").status_code
    sandbox.change("keys", id_, **{name: record.get(name) for name in ("state", "ipAccessList", "roles")})
    return bool(status == 200)
