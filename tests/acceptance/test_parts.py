"""Raw requests of the acceptance run, through its proxy, to a sandbox without objects."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from acceptance.account import Kind
from acceptance.parts import Part, client_of
from acceptance.run import Connected, clean_up, connected, new_ledger, send, sweep
from clouddb_tools.sandbox import Sandbox
from real_server import play
from support.sessions import config_for

pytestmark = pytest.mark.beyond_the_description
CONNECTION = {"name": "x", "host": "http://localhost:8123", "username": "u"}
COLLECTIONS = play.COLLECTIONS


@pytest.fixture
def connection(sandbox: Sandbox, tmp_path: Path) -> Iterator[Connected]:
    """A run that is connected to the self-hosted server of a sandbox."""
    config = config_for(sandbox)
    ledger = new_ledger(Kind.OBSERVABILITY, config, "team", folder=tmp_path)
    with connected(Kind.OBSERVABILITY, config, ledger) as connection:
        yield connection


def test_random_requests_have_equal_responses(connection: Connected, sandbox: Sandbox) -> None:
    """The sandbox responds to itself as to the run, whose proxy changes no path; nothing is left."""
    with sandbox.self_hosted() as http:
        play.empty(http)
    lines = send(connection, Part.RANDOM, count=60)
    assert [each for each in lines if ": " in each] == []
    assert connection.proxy.refused == []
    assert clean_up(connection) == []
    assert not any(sandbox.objects(each.replace("-", "_")) for each in COLLECTIONS)


def test_server_with_objects_is_refused(connection: Connected, sandbox: Sandbox) -> None:
    """Nothing is sent that writes: only of an empty server are all objects the run's."""
    sandbox.forget_requests()
    with pytest.raises(ValueError, match="must have no objects"):
        send(connection, Part.REQUESTS)
    assert {each.method for each in sandbox.requests} == {"GET"}
    assert not connection.ledger.allowances.everything


def test_sweep_empties_a_server_that_was_empty(connection: Connected, sandbox: Sandbox, tmp_path: Path) -> None:
    """What raw requests left without the name of the run is deleted, too."""
    with sandbox.self_hosted() as http:
        play.empty(http)
    send(connection, Part.RANDOM, count=1)
    with client_of(connection.account) as http:
        http.post(
            "connections", json={"name": "x", "host": "http://localhost:8123", "username": "u"}
        ).raise_for_status()
    assert len(sandbox.objects("connections")) == 1
    assert len(list(sweep(Kind.OBSERVABILITY, connection.account.config, "team", tmp_path))) == 1
    assert not sandbox.objects("connections")
