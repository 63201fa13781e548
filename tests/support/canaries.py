"""Resources with one secret input each, whose value is unique and can be found in any text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic.alias_generators import to_snake

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import Secret
from pulumi_clouddb.engine.wire.registration import REGISTRATION_KEY
from support.ids import CALM, LOGS

Values = dict[str, Any]
NO_TEXT = 4711.25
DAY = "-03-04T05:06:07Z"
DASHBOARD = ("$dashboard", "$dashboard")
"""Placeholder for the id of the existing dashboard."""


@dataclass(frozen=True)
class Canary:
    """A resource with one secret input.

    Attributes:
        kind: Its Pulumi name.
        inputs: Returns the inputs, from the existing objects and the marked secret value.
        values: The secret value before and after the update.
        wrong: A value of the same input that check rejects, or None if it accepts any text.
    """

    kind: str
    inputs: Callable[[Mapping[str, str], Any], Values]
    values: tuple[Any, ...]
    wrong: Any = None


def _service(**more: Any) -> Values:
    return {"name": "orders", "provider": "aws", "region": "us-east-1", "allowDuplicateName": True, **more}


def _key(**more: Any) -> Values:
    return {"name": "ci", "roles": ["developer"], **more}


def _adopted(there: Mapping[str, str], **more: Any) -> Values:
    return {"keyId": there["keyId"], **more}


def _scaling(there: Mapping[str, str], **more: Any) -> Values:
    return {"serviceId": there["serviceId"], "pipeId": there["pipeId"], **more}


def _tile(**more: Any) -> Values:
    series = {"type": "number", "aggFn": "count", "where": "", "sourceId": LOGS}
    return {"name": "Errors", "x": 0, "y": 0, "w": 6, "h": 3, "series": [series], **more}


def _board(**more: Any) -> Values:
    return {"name": "Orders", "tags": ["shop"], "tiles": [_tile()], **more}


def _alert(there: Mapping[str, str], **more: Any) -> Values:
    fixed = {"dashboardId": there["dashboard_id"], "tileId": there["one"], "threshold": 10, "interval": "5m"}
    return {**fixed, "thresholdType": "above", "channel": {"type": "webhook", "webhookId": CALM}, **more}


def _texts(number: int) -> tuple[str, str]:
    return f"canary-{number}-a", f"canary-{number}-b"


def _where(text: Any) -> Values:
    return _tile(series=[{"type": "number", "aggFn": "count", "where": text, "sourceId": LOGS}])


CANARIES: dict[str, Canary] = {
    "service-name": Canary("Service", lambda _, it: _service(name=it), ("Canary1a", "Canary1b"), "Canary1!"),
    "service-access": Canary(
        "Service",
        lambda _, it: _service(ipAccessList=[{"source": "10.0.0.0/8", "description": it}]),
        _texts(2),
        4711.25,
    ),
    "service-address": Canary(
        "Service", lambda _, it: _service(ipAccessList=[{"source": it}]), ("192.0.2.101", "192.0.2.102"), "192.0.2.999"
    ),
    "service-endpoints": Canary("Service", lambda _, it: _service(privateEndpointIds=[it]), _texts(3), NO_TEXT),
    "service-role": Canary(
        "Service",
        lambda _, it: _service(encryptionKey="a-disk-key", encryptionAssumedRoleIdentifier=it),
        ("canary-4", "canary-4"),
        " ",
    ),
    "scaling": Canary("PipeScaling", lambda there, it: _scaling(there, replicaCpuMillicores=it), (1371, 1372), 4711),
    "key-name": Canary("ApiKey", lambda _, it: _key(name=it), _texts(6), NO_TEXT),
    "key-access": Canary(
        "ApiKey",
        lambda _, it: _key(name="other", ipAccessList=[{"source": "10.0.0.0/8", "description": it}]),
        _texts(7),
        4711.25,
    ),
    "key-expiry": Canary(
        "ApiKey",
        lambda _, it: _key(name="third", expireAt=it),
        ("2041-03-04T05:06:07Z", "2042-03-04T05:06:07Z"),
        "2041-33",
    ),
    "adopted-key-name": Canary("ApiKey", lambda there, it: _adopted(there, name=it), _texts(8), NO_TEXT),
    "board-name": Canary("Dashboard", lambda _, it: _board(name=it), _texts(9), NO_TEXT),
    "board-tags": Canary("Dashboard", lambda _, it: _board(tags=["shop", it]), _texts(10), NO_TEXT),
    "board-tiles": Canary(
        "Dashboard",
        lambda _, it: _board(tiles=it),
        ([_tile(name="canary-11-a")], [_tile(name="canary-11-b")]),
        "canary-11",
    ),
    "board-tile-name": Canary(
        "Dashboard",
        lambda _, it: _board(tiles=[_tile(), _tile(key="b", name=it)]),
        _texts(12),
        4711.25,
    ),
    "board-tile-key": Canary("Dashboard", lambda _, it: _board(tiles=[_tile(key=it)]), _texts(13), " "),
    "board-condition": Canary("Dashboard", lambda _, it: _board(tiles=[_where(it)]), _texts(14), NO_TEXT),
    "alert-name": Canary("Alert", lambda there, it: _alert(there, name=it), _texts(15), " "),
    "alert-message": Canary("Alert", lambda there, it: _alert(there, message=it), _texts(16), " "),
    "alert-channel": Canary(
        "Alert",
        lambda there, it: _alert(there, channel={"type": "webhook", "webhookId": it}),
        _texts(17),
        " ",
    ),
    "alert-threshold": Canary(
        "Alert", lambda there, it: _alert(there, threshold=it), (4711.125, 4711.375), "canary-18"
    ),
    "alert-dashboard": Canary("Alert", lambda there, it: _alert(there, dashboardId=it), DASHBOARD, " "),
}
"""Every kind of input of every resource, except inputs that are part of an id: ids are never secret."""


def create_objects(sandbox: Sandbox) -> dict[str, str]:
    """Create the objects that the resources refer to, and return their ids."""
    service = sandbox.add("services", name="existing", provider="aws", region="us-east-1")
    pipe = sandbox.add_pipe(service["id"], "kafka", name="clicks")
    key = sandbox.add_key(name="found", roles=["developer"])["key"]
    tiles = [{**_tile(), "name": name} for name in ("one", "two")]
    with sandbox.self_hosted() as client:
        board = client.post("/dashboards", json={"name": "Watched", "tiles": tiles}).json()["data"]
    ids = {"serviceId": service["id"], "pipeId": pipe["id"], "keyId": key["id"]}
    return {**ids, "dashboard_id": board["id"], "one": board["tiles"][0]["id"]}


def value(canary: Canary, later: bool, names: Mapping[str, str]) -> Any:
    """Return the secret value."""
    secret = canary.values[later]
    return names["dashboard_id"] if secret == "$dashboard" else secret


def shows(text: str, secret: Any) -> bool:
    """Return whether a text contains a secret value: the name of tiles, or a number as a whole word.

    State contains many ids and times; in one of about fifty runs, one contains the four digits of a number.
    """
    if isinstance(secret, list):
        return secret[0]["name"] in text
    if isinstance(secret, str):
        return secret in text
    return re.search(rf"(?<![\w.-]){re.escape(str(secret))}(?![\w-])", text) is not None


class Marked:
    """A secret in the text of a program, by reference: Python's warnings print the source line."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"pulumi.Output.secret(values[{self._name!r}])"


def program(names: Mapping[str, str], later: bool) -> str:
    """Return a program with all canaries."""
    values = {name: value(canary, later, names) for name, canary in CANARIES.items()}
    lines = ["import pulumi", "import pulumi_clouddb as clouddb", "", f"values = {values!r}"]
    for name, canary in CANARIES.items():
        inputs = canary.inputs(names, Marked(name))
        arguments = "".join(f", {to_snake(each)}={content!r}" for each, content in inputs.items())
        lines.append(f"clouddb.{canary.kind}({name!r}{arguments})")
    return "\n".join(lines) + "\n"


def registered(inputs: Values) -> Values:
    """Return inputs as the dynamic host receives them: secrets in plain text, and the names of secret inputs."""
    secret = {name: True for name, each in inputs.items() if _holds_secret(each)}
    return {**inputs, REGISTRATION_KEY: {"urn": "urn:pulumi:dev::shop::x::it", "secret": secret}}


def _holds_secret(content: Any) -> bool:
    if isinstance(content, Mapping):
        return any(map(_holds_secret, content.values()))
    return any(map(_holds_secret, content)) if isinstance(content, list) else isinstance(content, Secret)
