"""Objects of another user in the console, and checks of passwords and keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lives.table import LIVES
from pulumi_clouddb.engine.wire.secret import strip
from pulumi_clouddb.registry import RESOURCES

from .engine import Wanted

DATABASES = ("services", "postgres_services")
"""Collections in which servers accept a second object of the same name; this provider refuses it."""


def add_foreign(sandbox: Any, wanted: Wanted, kind: str, *, same_name: bool = False, equal: bool = True) -> str:
    """Create an object of another user with the same properties, and return its id.

    Databases get another name, names being unique.
    """
    if wanted.resource == "PipeScaling":
        return str(sandbox.add_pipe(wanted.inputs["serviceId"], name="clicks")["id"])
    handler = RESOURCES[wanted.resource]
    hidden = {*handler.type.provider_only, "credentials", "stopped"} - {"serviceId"}
    body = {name: value for name, value in strip(wanted.inputs).items() if name not in hidden}
    unique = [name for name in handler.unique_by if name != "serviceId"]
    if kind == "services":
        body = {"name": body["name"], "provider": "aws", "region": "us-east-1"}
    if kind in DATABASES:
        body = {**body, "name": body["name"] if same_name else "other"}
        body.pop("password", None)
    elif unique:  # names are unique on servers; the tests of these resources test an existing name
        body[unique[-1]] = f"mine_{len(sandbox.objects(kind))}_{body[unique[-1]]}"
    if kind == "dashboards":
        body["tiles"] = [{key: item for key, item in tile.items() if key != "key"} for tile in body["tiles"]]
    if not equal:
        body.update(next(life.of_others for life in LIVES.values() if life.kind == kind))
    added = sandbox.add(kind, **body)
    return str(added.get("key", added)["id"])


def works(sandbox: Any, kind: str, id_: str, outputs: Mapping[str, Any]) -> bool:
    """Return whether the secret in state works; True for objects without a secret."""
    if kind in DATABASES:
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
