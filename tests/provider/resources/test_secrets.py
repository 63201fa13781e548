"""Passwords, key secrets and credentials are not in plain text in state, previews, logs and errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, Result, Secret
from support.host import DynamicHost

MakeStack = Callable[..., FakeEngineStack]
DISK_KEY = "my-own-disk-key"

PROGRAM = f"""
import pulumi
import pulumi_clouddb as clouddb

orders = clouddb.Service("orders", name="orders", provider="aws", region="us-east-1",
    encryption_key="{DISK_KEY}", encryption_assumed_role_identifier="arn:aws:iam::123456789012:role/disks")
key = clouddb.ApiKey("ci", name="ci", roles=["developer"])
archive = clouddb.list_pipes_output(service_id=orders.id, name="archive").pipes[0]
pulumi.export("password", orders.password)
pulumi.export("secret", key.key_secret)
pulumi.export("source", archive.source.object_storage.connection_string)
"""


@pytest.fixture
def clouddb_sandbox(neutral_sandbox: Sandbox) -> Sandbox:
    """The sandbox of `clouddb_stack`: that of the interface's dialect."""
    return neutral_sandbox


@pytest.fixture
def stack(clouddb_stack: MakeStack) -> FakeEngineStack:
    """Return a stack with every kind of secret."""
    return clouddb_stack(PROGRAM, config={"clouddb:retryTimeoutSeconds": "1"})


def secrets_of(sandbox: Sandbox, stack: FakeEngineStack) -> dict[str, str]:
    """Return all secrets by name."""
    outputs = {name: value.value for name, value in stack.outputs.items() if isinstance(value, Secret)}
    return {**outputs, "keySecret": sandbox.key_secret, "stackToken": sandbox.stack_token, "encryptionKey": DISK_KEY}


def printed(result: Result) -> str:
    """Return everything that a run shows to users."""
    return "\n".join([*map(str, result.diagnostics), *result.stdout, repr(result.steps), repr(result.outputs)])


def test_state_and_output_contain_no_secret(clouddb_sandbox: Sandbox, stack: FakeEngineStack) -> None:
    """This holds for previews, updates and refreshes."""
    results = [stack.preview(), stack.up(), stack.preview(), stack.refresh()]
    secrets = secrets_of(clouddb_sandbox, stack)
    assert secrets.keys() == {"password", "secret", "source", "keySecret", "stackToken", "encryptionKey"}
    for name, secret in secrets.items():
        assert len(secret) > 8, name
        assert secret not in stack.state_text, name
        assert all(secret not in printed(result) for result in results), name


@pytest.mark.parametrize(
    ("operation", "kind", "details"),
    [
        ("create_service", "status", {"status": 400, "text": "BAD_REQUEST: no"}),
        ("create_key", "status", {"status": 403, "text": "FORBIDDEN: no"}),
        ("create_service", "broken_json", {}),
        ("list_services", "html", {"status": 404}),
    ],
    ids=["refused", "forbidden", "truncated", "a page"],
)
def test_errors_contain_no_secrets(
    operation: str, kind: str, details: dict[str, object], clouddb_sandbox: Sandbox, stack: FakeEngineStack
) -> None:
    """Neither credentials nor the request body are shown."""
    clouddb_sandbox.fault(operation, kind, times=20, **details)  # type: ignore[arg-type]
    result = stack.up(expect_failure=True)
    for secret in (clouddb_sandbox.key_secret, clouddb_sandbox.stack_token, DISK_KEY):
        assert secret not in printed(result)
        assert secret not in stack.state_text


def test_key_secret_survives_updates_and_refreshes(clouddb_sandbox: Sandbox, stack: FakeEngineStack) -> None:
    """The server returns it only once, and it stays in state."""
    stack.up()
    before = secrets_of(clouddb_sandbox, stack)
    stack.set_program(PROGRAM.replace('roles=["developer"]', 'roles=["query_endpoints"]'))
    stack.up()
    stack.refresh()
    assert secrets_of(clouddb_sandbox, stack) == before


def test_dynamic_provider_marks_one_time_secrets(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """Outputs that only the server knows are secret, whatever class a program uses for the resource."""
    with DynamicHost(clouddb_sandbox.config, tmp_path) as host:
        service = host.create("Service", {"name": "orders", "provider": "aws", "region": "us-east-1"})
        key = host.create("ApiKey", {"name": "ci", "roles": ["developer"]})
        assert service.secrets == {"password"}
        assert key.secrets == {"keySecret"}
        assert host.read("Service", service.id, service.outputs).secrets == {"password"}
