"""Objects of this package can be saved in the page of the observability server, after a create and after an update."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from clouddb_tools.sandbox import Release, Sandbox
from lives.life import Life, fill
from lives.table import LIVES
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from support.ids import CONNECTION, LOGS, TRACES
from support.page_of_server import SAVED, refusals_of_save
from support.sessions import ProviderProcess, config_for

COUNT = {"aggFn": "count"}
CONFIGS: dict[str, dict[str, Any]] = {
    **{kind: {"sourceId": LOGS, "select": [COUNT]} for kind in ("line", "stacked_bar", "table", "number", "pie")},
    "bar": {"sourceId": LOGS, "select": [{"aggFn": "quantile", "valueExpression": "Duration"}]},
    "heatmap": {"sourceId": TRACES, "select": [{"valueExpression": "Duration"}]},
    "search": {"sourceId": LOGS, "columns": ""},
    "event_patterns": {"sourceId": LOGS},
    "markdown": {"markdown": "Hi"},
}
RAW_SQL = {"configType": "sql", "displayType": "table", "connectionId": CONNECTION, "sqlTemplate": "SELECT 1"}
FILTER = {"type": "QUERY_EXPRESSION", "name": "Host", "expression": "Host", "sourceId": LOGS}
WHOLE = {
    "tags": ["shop"],
    "filters": [{**FILTER, "where": "a = 1"}],
    "savedQuery": "a:b",
    "savedFilterValues": [{"condition": "a IN ('b')"}],
    "containers": [{"id": "c", "title": "C", "collapsed": False}],
}


def board_of(config: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a dashboard with one tile."""
    return {"name": "Board", "tiles": [{"name": "A", "x": 0, "y": 0, "w": 6, "h": 3, "config": config}], **more}


LEAST: dict[str, Life] = {
    f"dashboard with the least of a {kind}": Life(
        "Dashboard", before=board_of(config, **WHOLE), after=board_of(config, filters=[FILTER]), drift=None
    )
    for kind, config in {
        **{kind: {"displayType": kind, **config} for kind, config in CONFIGS.items()},
        "table of raw SQL": RAW_SQL,
    }.items()
}
OF_PAGES = {name: life for name, life in LIVES.items() if life.name in SAVED and "service_id" not in str(life.before)}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A sandbox of the newest release, which accepts the inputs of all lives."""
    with Sandbox(vocabulary="clickhouse", release=Release.OCTOBER_2026) as running:
        yield running


@pytest.mark.parametrize("life", [*LEAST.values(), *OF_PAGES.values()], ids=[*LEAST, *OF_PAGES])
def test_page_can_save_it(life: Life, process: ProviderProcess, sandbox: Sandbox) -> None:
    """No create and no update leaves a value behind that the page's models refuse."""
    names = life.setting(sandbox)
    id_, state = process.create(life.name, fill(life.before, names))
    assert refusals_of_save(life.name, sandbox.objects(life.kind)[id_]) == []
    process.update(life.name, id_, state, fill(life.after, names))
    assert refusals_of_save(life.name, sandbox.objects(life.kind)[id_]) == []


@pytest.mark.parametrize("dialect", ["neutral", "clickhouse"])
def test_update_heals_a_dashboard_of_an_older_version(dialect: str, tmp_path: Any) -> None:
    """Its values have a language of null; programs in the neutral dialect meet the same servers."""
    with Sandbox(vocabulary=CLICKHOUSE) as server:
        process = ProviderProcess(config_for(server, vocabulary=dialect), tmp_path)
        inputs = board_of({"displayType": "line", **CONFIGS["line"]})
        id_, state = process.create("Dashboard", inputs)
        with server.self_hosted() as http:
            sent = {name: state[name] for name in ("name", "tiles")}
            response = http.put(f"/dashboards/{id_}", json=sent).json()["data"]
        assert response["tiles"][0]["config"]["select"][0]["whereLanguage"] == "lucene"
        assert refusals_of_save("Dashboard", server.objects("dashboards")[id_]) != []
        process.update("Dashboard", id_, state, {**inputs, "tags": ["new"]})
        assert refusals_of_save("Dashboard", server.objects("dashboards")[id_]) == []
