"""What a program marks as secret is told to the command that masks it: by the front ends, and to nobody else."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from pulumi_clouddb.engine.wire.told_secrets import VARIABLE, listening, tell
from pulumi_clouddb.schema import operation_secrets
from pulumi_clouddb.testing import Secret
from support.canaries import registered
from support.host import DynamicHost
from support.plugin import NativePlugin
from support.sessions import NOWHERE


def told_of(value: object) -> None:
    """Tell a value as an operation does in which it is secret."""
    with operation_secrets.scope():
        operation_secrets.hide(value)
        tell()


def test_what_is_secret_in_an_operation_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """All texts of it, once they are taken; nothing is told of an operation without secrets."""
    with listening() as (environment, told):
        monkeypatch.setenv(VARIABLE, environment[VARIABLE])
        told_of({"X-Token": ["one\n", 4711.25]})
        assert told == {"X-Token", "one\n", "4711.25"}
        told_of("")
        told_of("two")
        assert told == {"X-Token", "one\n", "4711.25", "", "two"}


def test_nothing_is_told_where_nobody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in every run that `clouddb ci` has not begun."""
    monkeypatch.delenv(VARIABLE, raising=False)
    with listening() as (_, told):
        told_of("one")
    assert told == set()


def test_who_does_not_know_the_word_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process of this machine cannot have the report masked; what is no message ends nothing."""
    with listening() as (environment, told):
        port, word = environment[VARIABLE].split()
        monkeypatch.setenv(VARIABLE, f"{port} another")
        told_of("one")
        for message in (b"\n", b"no JSON\n", b"[]\n", b""):
            with socket.create_connection(("127.0.0.1", int(port))) as connection:
                connection.sendall(message)
        monkeypatch.setenv(VARIABLE, f"{port} {word}")
        told_of("two")
    assert told == {"two"}


@pytest.mark.parametrize("where", ["1 word", "no-port word", "70000 word"])
def test_an_operation_goes_on_where_nobody_listens_any_more(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Masking is the second safeguard, and no reason to fail."""
    monkeypatch.setenv(VARIABLE, where)
    told_of("one")


@pytest.mark.slow
@pytest.mark.parametrize("kind", [DynamicHost, NativePlugin])
def test_front_ends_tell_what_a_program_marks(kind: type[DynamicHost] | type[NativePlugin], tmp_path: Path) -> None:
    """Of an input that is refused, too: it is in no state, and in no event of the engine."""
    inputs = {"name": Secret("c4nary!"), "ipAccessList": [{"source": Secret("c4nary-source")}]}
    with listening() as (environment, told), kind(NOWHERE, tmp_path, environment) as front_end:
        if isinstance(front_end, NativePlugin):
            front_end._secrets = True
        assert front_end.check("Service", registered(inputs)).failures
        assert {"c4nary!", "c4nary-source"} <= told
