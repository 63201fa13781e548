"""Dashboards and searches from the page of the observability server, which has more features than its API."""

from __future__ import annotations

from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from support.ids import LOGS, TRACES
from support.sessions import ProviderProcess

TILE: dict[str, Any] = {
    "name": "Notes",
    "x": 0,
    "y": 0,
    "w": 6,
    "h": 3,
    "config": {"displayType": "markdown", "markdown": "a"},
}
BOARD: dict[str, Any] = {"name": "Board", "tiles": [TILE]}
FILTER: dict[str, Any] = {"type": "QUERY_EXPRESSION", "name": "a", "expression": "b", "sourceId": LOGS}
OF_THE_PAGE = [
    {"type": "lucene", "condition": "a:b"},
    {"type": "sql_ast", "operator": "=", "left": "a", "right": "b"},
    {"type": "sql", "condition": "a IN ('b')"},
]
HIDDEN = (
    "this package did not make: PromQL tiles, and what only the page of "
    "the server can set (conditions of a whole chart, groups given as a list, colour rules by text, granularity, "
    "colours of series), are not shown to any client and are then deleted. Duplicate the dashboard in the page first "
    "if it has any of these."
)


@pytest.mark.beyond_the_description
@pytest.mark.parametrize("value", OF_THE_PAGE, ids=lambda each: str(each["type"]))
def test_filter_values_of_the_page_survive_an_edit(
    value: dict[str, Any], process: ProviderProcess, sandbox: Sandbox
) -> None:
    """The server returns them, rejects them in an update, and keeps them if an update omits them."""
    id_, state = process.create("Dashboard", BOARD)
    sandbox.change("dashboards", id_, savedFilterValues=[value], tags=["other"])
    state = process.read("Dashboard", id_, state).state
    process.update("Dashboard", id_, state, {**BOARD, "name": "Renamed"})
    dashboard = sandbox.objects("dashboards")[id_]
    assert (dashboard["name"], dashboard["savedFilterValues"], dashboard["tags"]) == ("Renamed", [value], ["other"])


_VARIABLE = {**FILTER, "isVariableEnabled": True, "variableName": "service"}
TWICE = {
    "filters": [{**_VARIABLE, "id": each * 24, "name": each} for each in "ab"],
    "containers": [{"id": "c", "title": each, "collapsed": False} for each in "ab"],
}


@pytest.mark.beyond_the_description
@pytest.mark.parametrize("name", TWICE)
def test_what_the_page_named_twice_survives_an_edit(name: str, process: ProviderProcess, sandbox: Sandbox) -> None:
    """Variables and containers: the server refuses them in an update, too, and keeps them if one omits them."""
    id_, state = process.create("Dashboard", BOARD)
    sandbox.change("dashboards", id_, **{name: TWICE[name]})
    state = process.read("Dashboard", id_, state).state
    process.update("Dashboard", id_, state, {**BOARD, "name": "Renamed"})
    dashboard = sandbox.objects("dashboards")[id_]
    assert (dashboard["name"], dashboard[name]) == ("Renamed", TWICE[name])


def test_filters_of_one_name_on_two_sources_keep_their_ids(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Logs and traces are usually filtered so; a filter that moves to another source keeps its id."""
    both = {**BOARD, "filters": [FILTER, {**FILTER, "sourceId": TRACES}]}
    id_, state = process.create("Dashboard", both)
    ids = [each["id"] for each in sandbox.objects("dashboards")[id_]["filters"]]
    turned = {**both, "filters": both["filters"][::-1]}
    state = process.update("Dashboard", id_, state, turned)
    assert [each["id"] for each in sandbox.objects("dashboards")[id_]["filters"]] == ids[::-1]
    one = {**BOARD, "filters": [FILTER]}
    state = process.update("Dashboard", id_, state, one)
    process.update("Dashboard", id_, state, {**BOARD, "filters": [{**FILTER, "sourceId": TRACES}]})
    assert [each["id"] for each in sandbox.objects("dashboards")[id_]["filters"]] == ids[:1]


def test_empty_tile_name_is_a_key(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The server accepts it, and a single one needs no key."""
    board = {"name": "Board", "tiles": [{**TILE, "name": ""}]}
    assert RESOURCES["Dashboard"].check(process, board).failures == []
    id_, state = process.create("Dashboard", board)
    before = sandbox.objects("dashboards")[id_]["tiles"][0]["id"]
    process.update("Dashboard", id_, state, {**board, "tiles": [{**TILE, "name": "", "x": 3}]})
    assert sandbox.objects("dashboards")[id_]["tiles"][0]["id"] == before


def test_import_and_first_update_warn_of_hidden_parts(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Each warns once: a dashboard of this package has no such parts, and after an update they are gone."""
    id_, own = process.create("Dashboard", BOARD)
    process.update("Dashboard", id_, own, {**BOARD, "tags": ["own"]})
    assert process.warnings == []
    _, imported = lifecycle.read(process, RESOURCES["Dashboard"], id_, {}, {})
    assert imported is not None
    assert process.warnings == [f"The next update of an imported dashboard replaces tiles that {HIDDEN}"]
    state = process.read("Dashboard", id_, imported.state).state
    state = process.update("Dashboard", id_, state, {**BOARD, "tags": ["a"]})
    assert process.warnings[1:] == [f"This update replaces the tiles of dashboard 'Board', which {HIDDEN}"]
    process.update("Dashboard", id_, state, {**BOARD, "tags": ["b"]})
    assert len(process.warnings) == 2
    assert sandbox.objects("dashboards")[id_]["tags"] == ["b"]


NOT_SHOWN = (
    "filters[0].condition must be one column with IN ('value', ...), NOT IN (...) or BETWEEN 1 AND 2: the server "
    "refuses other new ones"
)
CONDITIONS: dict[str, list[str]] = {
    "ServiceName IN ('a')": [],
    "Attrs['k'] NOT IN ('a', 'b')": [],
    "if(a = 'b', 1, 2) IN ('c')": [],
    "a BETWEEN 1.5 AND 2e3": [],
    "a = 'b'": [NOT_SHOWN],
    "a IN ('b') AND c = 1": [NOT_SHOWN],
    "a NOT BETWEEN 1 AND 2": [NOT_SHOWN],
}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_preview_rejects_filters_that_the_sidebar_does_not_show(condition: str, process: ProviderProcess) -> None:
    """The server rejects them, too, unless the search already has them."""
    search = {"name": "Find", "sourceId": LOGS, "filters": [{"condition": condition}]}
    resource = RESOURCES["SavedSearch"]
    assert list(map(str, resource.check(process, search).failures)) == CONDITIONS[condition]
    assert resource.check(process, search, (), search).failures == []


def test_filters_from_the_page_can_be_in_a_program(process: ProviderProcess, sandbox: Sandbox) -> None:
    """An import returns them, and an update of the search sends them back unchanged."""
    id_, _ = process.create("SavedSearch", {"name": "Find", "sourceId": LOGS})
    sandbox.change("saved_searches", id_, filters=[{"type": "sql", "condition": "a = 'b'"}])
    _, imported = lifecycle.read(process, RESOURCES["SavedSearch"], id_, {}, {})
    assert imported is not None
    renamed = {**imported.inputs, "name": "Renamed"}
    assert RESOURCES["SavedSearch"].check(process, renamed, (), imported.inputs).failures == []
    lifecycle.update(process, RESOURCES["SavedSearch"], id_, imported.state, renamed)
    stored = sandbox.objects("saved_searches")[id_]
    assert (stored["name"], stored["filters"]) == ("Renamed", [{"type": "sql", "condition": "a = 'b'"}])


EMOJI = "\U0001f600"


@pytest.mark.parametrize(
    ("name", "failures"),
    [(EMOJI * 512, []), (EMOJI * 513, ["name must have at most 1024 characters but has 1026"])],
    ids=["1024 units", "1026 units"],
)
def test_lengths_are_in_units_of_utf_16(name: str, failures: list[str], process: ProviderProcess) -> None:
    """The server counts them so; most emoji have two."""
    assert list(map(str, RESOURCES["Dashboard"].check(process, {**BOARD, "name": name}).failures)) == failures
