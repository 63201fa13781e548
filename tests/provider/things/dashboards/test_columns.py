"""The columns of tiles have a property of their own; servers and earlier versions have them as a text in `select`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from support.ids import LOGS
from support.sessions import ProviderProcess, config_for

COLUMNS = "Timestamp, Body"


@pytest.fixture(params=["neutral", "clickhouse"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Run a server of each dialect."""
    with Sandbox(vocabulary=request.param) as running:
        yield running


@pytest.fixture
def process(sandbox: Sandbox, tmp_path: Path) -> ProviderProcess:
    """Return a process of the provider for the self-hosted server."""
    return ProviderProcess(config_for(sandbox), tmp_path)


def board(*, title: str = "Rows", **content: Any) -> dict[str, Any]:
    """Return a dashboard with one search."""
    config = {"displayType": "search", "sourceId": LOGS, "where": "", "whereLanguage": "lucene", **content}
    tile = {"key": "rows", "name": title, "x": 0, "y": 0, "w": 6, "h": 3, "config": config}
    return {"name": "Orders", "tiles": [tile]}


def of_earlier_version(state: dict[str, Any]) -> dict[str, Any]:
    """Return state as earlier versions wrote it: the difference of `__served` has no columns in either form."""
    (tile,) = state["tiles"]
    config = {"select" if name == "columns" else name: value for name, value in tile["config"].items()}
    return {**state, "tiles": [{**tile, "config": config}]}


def sent(sandbox: Sandbox) -> dict[str, Any]:
    """Return the config of the last request that wrote a dashboard."""
    bodies = [each.body for each in sandbox.requests if each.method in ("POST", "PUT") and "tiles" in (each.body or {})]
    config: dict[str, Any] = bodies[-1]["tiles"][0]["config"]
    return config


def test_servers_have_them_in_select(process: ProviderProcess, sandbox: Sandbox) -> None:
    """In requests and responses they are the text of `select`."""
    id_, state = process.create("Dashboard", board(columns=COLUMNS))
    assert (sent(sandbox).get("select"), "columns" in sent(sandbox)) == (COLUMNS, False)
    read = process.read("Dashboard", id_, state)
    assert read.inputs == board(columns=COLUMNS)
    assert process.warnings == []


def test_state_of_an_earlier_version_goes_on(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Preview and refresh show no change, and an update sends what it sent then."""
    id_, newer = process.create("Dashboard", board(columns=COLUMNS))
    state = of_earlier_version(newer)
    assert process.changes("Dashboard", state, board(columns=COLUMNS)) == ()
    read = process.read("Dashboard", id_, state)
    assert read.inputs == board(columns=COLUMNS)
    assert process.changes("Dashboard", read.state, board(columns=COLUMNS)) == ()
    updated = process.update("Dashboard", id_, state, board(title="All rows", columns=COLUMNS))
    assert sent(sandbox)["select"] == COLUMNS
    assert updated["tiles"][0]["config"]["columns"] == COLUMNS
    assert "select" not in updated["tiles"][0]["config"]
    process.delete("Dashboard", id_, state)


def test_drift_of_columns_is_found_in_state_of_either_version(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Only the columns differ."""
    id_, newer = process.create("Dashboard", board(columns=COLUMNS))
    tile = {**sandbox.dashboards[id_]["tiles"][0]}
    tile["config"] = {**tile["config"], "columns": "Body"}
    sandbox.change("dashboards", id_, tiles=[tile])
    for state in (newer, of_earlier_version(newer)):
        assert process.read("Dashboard", id_, state).inputs == board(columns="Body")


def test_program_of_an_earlier_version_goes_on_with_a_warning(process: ProviderProcess, sandbox: Sandbox) -> None:
    """It is told what to write."""
    id_, state = process.create("Dashboard", board(select=COLUMNS))
    assert [each.count("`columns` in place of `select`") for each in process.warnings] == [1]
    assert sent(sandbox)["select"] == COLUMNS
    assert process.changes("Dashboard", state, board(columns=COLUMNS)) == ()
    assert process.changes("Dashboard", of_earlier_version(state), board(select=COLUMNS)) == ()
    assert process.read("Dashboard", id_, state).inputs == board(columns=COLUMNS)
