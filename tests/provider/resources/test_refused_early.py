"""Inputs that no server rejects and that must be mistakes: check rejects them."""

from __future__ import annotations

import base64
import zipfile
from io import BytesIO
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import a_service, fill
from lives.table import WIRE_LIVES
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.values import UNKNOWN
from support.rules import CIDR, UUID
from support.sessions import ProviderProcess

SERVICE = {"name": "Orders", "provider": "aws", "region": "us-east-1"}
FUNCTION = next(each.before for each in WIRE_LIVES if each.life.name == "UserDefinedFunction")
MAPPING = {"sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "orders"}


def archive(name: str) -> str:
    """Return a base64 archive with one file."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        file.writestr(name, "print()")
    return base64.b64encode(content.getvalue()).decode()


def pipe(**postgres: Any) -> dict[str, Any]:
    """Return a pipe of a Postgres database."""
    source = {"host": "db.example", "port": 5432, "database": "shop", "tableMappings": [MAPPING], **postgres}
    return {
        "serviceId": UUID,
        "name": "Orders",
        "source": {"postgres": source},
        "destination": {"database": "default"},
        "credentials": {"username": "reader", "password": "secret"},
    }


def mysql(*states: bool) -> dict[str, Any]:
    """Return a service that enables or disables MySQL."""
    return {**SERVICE, "endpoints": [{"protocol": "mysql", "enabled": state} for state in states]}


MAPPINGS = "source.postgres.tableMappings must have one or more mappings, each once"
MAIN = "must have main.py, which Python runs"
CASES: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    (
        "Service",
        mysql(True, True),
        mysql(True, False),
        "endpoints must turn each protocol either on or off, not 'mysql' on and off",
    ),
    (
        "Service",
        {**SERVICE, "minTotalMemoryGb": 48, "minReplicaMemoryGb": 16},
        {**SERVICE, "minTotalMemoryGb": 24, "minReplicaMemoryGb": 16},
        "minTotalMemoryGb must be 3 times minReplicaMemoryGb (48), not 24",
    ),
    (
        "Service",
        {**SERVICE, "maxTotalMemoryGb": UNKNOWN, "maxReplicaMemoryGb": 16},
        {**SERVICE, "maxTotalMemoryGb": 72, "maxReplicaMemoryGb": 16},
        "maxTotalMemoryGb must be 3 times maxReplicaMemoryGb (48), not 72",
    ),
    (
        "Service",
        {**SERVICE, "ipAccessList": [{"source": "fe80::1"}]},
        {**SERVICE, "ipAccessList": [{"source": "fe80::1%a b\n"}]},
        f"ipAccessList[0].source {CIDR}, not 'fe80::1%a b\\n'",
    ),
    (
        "UserDefinedFunction",
        {**FUNCTION, "files": {"main.py": ""}},
        {**FUNCTION, "files": {"run.py": ""}},
        f"files {MAIN}",
    ),
    (
        "UserDefinedFunction",
        {**FUNCTION, "files": None, "archive": archive("main.py")},
        {**FUNCTION, "files": None, "archive": archive("run.py")},
        f"archive {MAIN}",
    ),
    ("Pipe", pipe(), pipe(tableMappings=[]), f"{MAPPINGS}, not an empty list"),
    (
        "Pipe",
        pipe(tableMappings=[MAPPING, {**MAPPING, "sourceTable": UNKNOWN}]),
        pipe(tableMappings=[MAPPING, {**MAPPING, "excludedColumns": None}]),
        f"{MAPPINGS}; duplicate: [1]",
    ),
    (
        "Pipe",
        pipe(),
        pipe(host="db.example\n"),
        "source.postgres.host must not be empty, and must not contain blanks, not 'db.example\\n'",
    ),
]


@pytest.mark.parametrize(("kind", "valid", "invalid", "message"), CASES, ids=[each[3][:60] for each in CASES])
def test_check_rejects_a_mistake(
    kind: str, valid: dict[str, Any], invalid: dict[str, Any], message: str, process: ProviderProcess, sandbox: Sandbox
) -> None:
    """The failure has the path, the rule and the value; unknown values are accepted."""
    names = a_service(sandbox)
    resource = RESOURCES[kind]
    assert [str(each) for each in resource.check(process, fill(valid, names)).failures] == []
    assert message in [str(each) for each in resource.check(process, fill(invalid, names)).failures]
