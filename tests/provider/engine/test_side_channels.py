"""The front ends send newly marked secrets to the command that masks them, and to nobody else."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from clouddb_tools.testing import Secret
from pulumi_clouddb.engine.wire.side_channels import SECRETS_VARIABLE, receive_secrets, send_secrets
from pulumi_clouddb.schema.secrets.redaction import hide, secret_scope
from support.canaries import registered
from support.host import DynamicHost
from support.plugin import NativePlugin
from support.sessions import NOWHERE


def send(value: object) -> None:
    """Send a value like an operation with this secret."""
    with secret_scope():
        hide(value)
        send_secrets()


def test_secrets_of_an_operation_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """All secrets, also those in an object, have been received when the call returns."""
    with receive_secrets() as (environment, received):
        monkeypatch.setenv(SECRETS_VARIABLE, environment[SECRETS_VARIABLE])
        send({"X-Token": "one\n", "X-T0ken-2": ["t0ken-two", 48151623.25, "word"]})
        objects = {"one\n", "X-T0ken-2", "t0ken-two", "48151623.25"}
        assert received == objects
        send("")
        send("two")
        assert received == objects | {"", "two"}


def test_nothing_is_sent_without_a_listener(monkeypatch: pytest.MonkeyPatch) -> None:
    """This is the case in every run without `clouddb ci`."""
    monkeypatch.delenv(SECRETS_VARIABLE, raising=False)
    with receive_secrets() as (_, received):
        send("one")
    assert received == set()


def test_wrong_password_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes of this machine cannot change the report; invalid messages do not stop the listener."""
    with receive_secrets() as (environment, received):
        port, password = environment[SECRETS_VARIABLE].split()
        monkeypatch.setenv(SECRETS_VARIABLE, f"{port} another")
        send("one")
        for message in (b"\n", b"no JSON\n", b"[]\n", b""):
            with socket.create_connection(("127.0.0.1", int(port))) as connection:
                connection.sendall(message)
        monkeypatch.setenv(SECRETS_VARIABLE, f"{port} {password}")
        send("two")
    assert received == {"two"}


@pytest.mark.parametrize("where", ["1 word", "no-port word", "70000 word"])
def test_operation_succeeds_after_the_listener_has_ended(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Masking is the second safeguard, so its failure is not an error."""
    monkeypatch.setenv(SECRETS_VARIABLE, where)
    send("one")


@pytest.mark.slow
@pytest.mark.parametrize("kind", [DynamicHost, NativePlugin])
def test_front_ends_send_what_a_program_marks(kind: type[DynamicHost] | type[NativePlugin], tmp_path: Path) -> None:
    """This includes those of a rejected input, which is neither in state nor in an event of the engine."""
    inputs = {"name": Secret("c4nary!"), "ipAccessList": [{"source": Secret("c4nary-source")}]}
    with receive_secrets() as (environment, received), kind(NOWHERE, tmp_path, environment) as front_end:
        if isinstance(front_end, NativePlugin):
            front_end._secrets = True
        assert front_end.check("Service", registered(inputs)).failures
        assert {"c4nary!", "c4nary-source"} <= received
