"""Filters of dashboards: values of an expression, a list, or a label, and the values that are chosen at first."""

from __future__ import annotations

from typing import Any

import httpx

from clouddb_tools.sandbox import Sandbox
from support.ids import METRICS
from support.sessions import ProviderProcess
from things.dashboards.config_checks import LINE, PLACE
from things.dashboards.vendor_checks import FILTER, LABELLED, LISTED

BOARD: dict[str, Any] = {
    "name": "Orders",
    "tiles": [{**PLACE, "config": LINE}],
    "filters": [FILTER, {**LISTED, "variableName": "env"}, LABELLED],
    "savedFilterValues": [{"condition": "a = 1"}, {"type": "variable", "name": "env", "values": ["prod"]}],
}


def test_filters_of_each_type_are_no_drift_and_keep_their_ids(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A server adds the flags that a type of filters always has."""
    id_, state = process.create("Dashboard", BOARD)
    live = process.read("Dashboard", id_, state)
    assert process.changes("Dashboard", live.state, BOARD) == ()
    ids = [each["id"] for each in sandbox.dashboards[id_]["filters"]]
    more = {**BOARD, "filters": [FILTER, {**LISTED, "variableName": "env", "options": ["prod"]}, LABELLED]}
    state = process.update("Dashboard", id_, live.state, more)
    stored = sandbox.dashboards[id_]["filters"]
    assert [each["id"] for each in stored] == ids
    assert (stored[1]["options"], stored[1]["isVariableEnabled"]) == (["prod"], True)
    assert process.changes("Dashboard", process.read("Dashboard", id_, state).state, more) == ()


def test_changes_of_filters_by_somebody_else_are_drift(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The filters and the chosen values that the program does not set stay as they are."""
    id_, state = process.create("Dashboard", BOARD)
    bare = {"name": "Bare", "tiles": BOARD["tiles"]}
    other, others = process.create("Dashboard", bare)
    for board in (id_, other):
        filters = [{**LISTED, "id": "f", "isBroadcastEnabled": False, "isVariableEnabled": True, "options": ["mine"]}]
        sandbox.change("dashboards", board, filters=filters)
    assert process.changes("Dashboard", process.read("Dashboard", id_, state).state, BOARD) == ("filters",)
    seen = process.read("Dashboard", other, others).state
    assert process.changes("Dashboard", seen, bare) == ()
    process.update("Dashboard", other, seen, {**bare, "name": "Other"})
    assert [each["options"] for each in sandbox.dashboards[other]["filters"]] == [["mine"]]


def test_a_type_of_filters_that_this_version_does_not_know_survives_updates(
    process: ProviderProcess, sandbox: Sandbox
) -> None:
    """The program does not set the filters, and the server keeps those that a request leaves out."""
    bare = {"name": "Bare", "tiles": BOARD["tiles"]}
    id_, state = process.create("Dashboard", bare)
    newer = {"id": "f", "type": "SOMETHING_NEW", "name": "Region", "area": "eu"}
    sandbox.change("dashboards", id_, filters=[newer])
    process.update("Dashboard", id_, process.read("Dashboard", id_, state).state, {**bare, "name": "Other"})
    assert (sandbox.dashboards[id_]["name"], sandbox.dashboards[id_]["filters"]) == ("Other", [newer])


def test_sandbox_refuses_what_the_types_do_not_have(http: httpx.Client) -> None:
    """Types of configs, which earlier servers dropped, are refused as well."""
    tile = {**PLACE, "config": {**LINE, "configType": "promql"}}
    for board, words in (
        ({"filters": [{**LISTED, "label": "job"}]}, "filters.0: Unrecognized key(s) in object: 'label'"),
        ({"filters": [{**LISTED, "isBroadcastEnabled": True}]}, "filters.0.isBroadcastEnabled: Invalid literal value"),
        ({"filters": [{**LABELLED, "sourceId": None}]}, "filters.0.sourceId: Expected string, received null"),
        ({"savedFilterValues": [{"type": "variable", "name": "env"}]}, "savedFilterValues.0.values: Required"),
        ({"tiles": [tile]}, 'tiles.0.config.configType: configType must be "sql" or omitted'),
    ):
        response = http.post("/dashboards", json={**BOARD, **board})
        assert response.status_code == 400
        assert words in response.json()["message"]
    accepted = http.post("/dashboards", json={**BOARD, "filters": [{**LABELLED, "sourceId": METRICS}]})
    assert accepted.status_code == 200
