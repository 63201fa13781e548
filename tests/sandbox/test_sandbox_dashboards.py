"""In the vendor's dialect a service's observability server treats dashboards as a self-hosted one does.

That the self-hosted one treats them as the vendor's server does is in tests/real_server.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from pulumi_clouddb.sandbox import Sandbox
from support.ids import CALM, CONNECTION, LOGS

Values = dict[str, Any]

PLACE: Values = {"name": "a", "x": 0, "y": 0, "w": 6, "h": 3}
LINE: Values = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]}
SQL: Values = {"displayType": "table", "configType": "sql", "connectionId": CONNECTION, "sqlTemplate": "SELECT 1"}
TIME: Values = {"type": "time", "sourceId": LOGS, "aggFn": "count", "where": "", "groupBy": []}
FILTER: Values = {"type": "QUERY_EXPRESSION", "name": "Service", "expression": "ServiceName", "sourceId": LOGS}
TABS = [{"id": "t", "title": "Tab"}]
CONTAINER: Values = {"id": "c", "title": "Group", "collapsed": False, "tabs": TABS}


@pytest.fixture(scope="module")
def forms() -> Iterator[list[httpx.Client]]:
    """A client of each form, for paths below the observability API."""
    with Sandbox(vocabulary="clickhouse") as running, running.self_hosted() as hosted, running.management() as managed:
        service_id = running.add("services", name="orders")["id"]
        managed.base_url = managed.base_url.join(f"services/{service_id}/clickstack/")
        yield [hosted, managed]


def answered(answer: httpx.Response) -> tuple[int, Any]:
    """Return the status, and what either form has in its envelope."""
    body = answer.json()
    if answer.status_code == httpx.codes.OK:
        return 200, body.get("data", body.get("result", body))
    return answer.status_code, body.get("message") or body["error"].removeprefix("BAD_REQUEST: ")


def without_ids(value: Any) -> Any:
    """Return a dashboard without the ids that its server made."""
    if isinstance(value, dict):
        return {name: without_ids(each) for name, each in value.items() if name != "id"}
    return [without_ids(each) for each in value] if isinstance(value, list | tuple) else value


def board(*tiles: Values, **more: Any) -> Values:
    """Return the body of a create."""
    return {"name": "Orders", "tiles": list(tiles), **more}


BODIES: dict[str, Values] = {
    "a config, with defaults and what its kind does not have": board({**PLACE, "config": {**LINE, "having": "a"}}),
    "raw SQL": board({**PLACE, "config": SQL}),
    "series, answered as a config": board({**PLACE, "series": [TIME, TIME], "asRatio": True}),
    "containers, filters and a query": board(
        {**PLACE, "config": LINE, "containerId": "c", "tabId": "t"},
        containers=[CONTAINER],
        filters=[FILTER],
        savedQuery="a:1",
        tags=["a", "a"],
    ),
    "refused by its schema": board({**PLACE, "config": LINE, "x": 24}),
    "refused beyond its schema": board({**PLACE, "config": LINE, "containerId": "d"}, containers=[CONTAINER]),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_both_forms_answer_alike(body: Values, forms: list[httpx.Client]) -> None:
    """A create, a validation, and an update with what was answered; nothing changes by it."""
    hosted, managed = (
        [answered(each.post(path, json=body)) for path in ("dashboards", "dashboards/validate")] for each in forms
    )
    assert without_ids(managed) == without_ids(hosted)
    status, made = managed[0]
    if status == httpx.codes.OK:
        path = f"dashboards/{made['id']}"
        assert answered(forms[1].put(path, json=made)) == answered(forms[1].get(path)) == (200, made)


def test_both_forms_drop_an_alert_that_its_tile_cannot_raise(forms: list[httpx.Client]) -> None:
    """With the next update of the dashboard; one on a line stays."""
    for each in forms:
        tiles = ({**PLACE, "config": {**LINE, "displayType": kind}} for kind in ("line", "table"))
        _, made = answered(each.post("dashboards", json=board(*tiles)))
        rule = {"source": "tile", "threshold": 1, "thresholdType": "above", "interval": "5m"}
        channel = {"type": "webhook", "webhookId": CALM}
        for tile in made["tiles"]:
            watched = {"dashboardId": made["id"], "tileId": tile["id"]}
            assert answered(each.post("alerts", json={**rule, **watched, "channel": channel}))[0] == 200
        assert answered(each.put(f"dashboards/{made['id']}", json=made))[0] == 200
        left = [alert["tileId"] for alert in answered(each.get("alerts"))[1] if alert["dashboardId"] == made["id"]]
        assert left == [made["tiles"][0]["id"]]
