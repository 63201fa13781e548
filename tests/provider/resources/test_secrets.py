"""Passwords, key secrets and credentials are absent in plain text from state, previews, logs and errors."""

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
def stack(clouddb_stack: MakeStack) -> FakeEngineStack:
    """Make a stack with every kind of secret in it."""
    return clouddb_stack(PROGRAM, config={"clouddb:retryTimeoutSeconds": "1"})


def secrets_of(sandbox: Sandbox, stack: FakeEngineStack) -> dict[str, str]:
    """Return every secret there is, by name."""
    made = {name: value.value for name, value in stack.outputs.items() if isinstance(value, Secret)}
    return {**made, "keySecret": sandbox.key_secret, "stackToken": sandbox.stack_token, "encryptionKey": DISK_KEY}


def told(result: Result) -> str:
    """Return all that a person could read of a run."""
    return "\n".join([*map(str, result.diagnostics), *result.stdout, repr(result.steps), repr(result.outputs)])


def test_secrets_are_secret_wherever_a_run_shows_or_keeps_them(
    clouddb_sandbox: Sandbox, stack: FakeEngineStack
) -> None:
    """No secret is in plain text in state, or in what a run prints."""
    results = [stack.preview(), stack.up(), stack.preview(), stack.refresh()]
    secrets = secrets_of(clouddb_sandbox, stack)
    assert secrets.keys() == {"password", "secret", "source", "keySecret", "stackToken", "encryptionKey"}
    for name, secret in secrets.items():
        assert len(secret) > 8, name
        assert secret not in stack.state_text, name
        assert all(secret not in told(result) for result in results), name


@pytest.mark.parametrize(
    ("operation", "kind", "details"),
    [
        ("create_service", "status", {"status": 400, "text": "BAD_REQUEST: no"}),
        ("create_key", "status", {"status": 403, "text": "FORBIDDEN: no"}),
        ("create_service", "broken_json", {}),
        ("list_services", "html", {"status": 404}),
    ],
    ids=["refused", "forbidden", "half an answer", "a page"],
)
def test_errors_tell_no_secrets(
    operation: str, kind: str, details: dict[str, object], clouddb_sandbox: Sandbox, stack: FakeEngineStack
) -> None:
    """An error names what was tried, never the credentials or what was sent."""
    clouddb_sandbox.fault(operation, kind, times=20, **details)  # type: ignore[arg-type]
    result = stack.up(expect_failure=True)
    for secret in (clouddb_sandbox.key_secret, clouddb_sandbox.stack_token, DISK_KEY):
        assert secret not in told(result)
        assert secret not in stack.state_text


def test_key_secret_survives_every_later_write_and_read(clouddb_sandbox: Sandbox, stack: FakeEngineStack) -> None:
    """What the server answered once stays in state, through updates and refreshes."""
    stack.up()
    before = secrets_of(clouddb_sandbox, stack)
    stack.set_program(PROGRAM.replace('roles=["developer"]', 'roles=["query_endpoints"]'))
    stack.up()
    stack.refresh()
    assert secrets_of(clouddb_sandbox, stack) == before


def test_provider_itself_answers_one_time_secrets_in_envelopes(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """Secrets that only the server knows leave the provider marked, whatever class a program declares them with."""
    with DynamicHost(clouddb_sandbox.config, tmp_path) as host:
        service = host.create("Service", {"name": "orders", "provider": "aws", "region": "us-east-1"})
        key = host.create("ApiKey", {"name": "ci", "roles": ["developer"]})
        assert service.secrets == {"password"}
        assert key.secrets == {"keySecret"}
        assert host.read("Service", service.id, service.outputs).secrets == {"password"}
