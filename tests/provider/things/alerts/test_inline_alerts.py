"""Alerts with charts of their own, and the titles and tags that servers derive."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from clouddb_tools.release import Release
from clouddb_tools.sandbox import Sandbox
from lives.life import a_dashboard, a_service
from pulumi_clouddb.errors import CloudDBError, ResourceError
from pulumi_clouddb.registry import RESOURCES
from support.ids import CALM, CONNECTION, LOGS
from support.sessions import ProviderProcess

Values = dict[str, Any]
CHART: Values = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]}
RAW: Values = {
    "configType": "sql",
    "displayType": "stacked_bar",
    "connectionId": CONNECTION,
    "sqlTemplate": "SELECT $__timeInterval(t) AS ts, count() FROM t GROUP BY ts",
}
USUAL: Values = {
    "interval": "5m",
    "threshold": 10,
    "thresholdType": "above",
    "channel": {"type": "webhook", "webhookId": CALM},
}
INLINE: Values = {**USUAL, "source": "inline", "chartConfig": CHART, "name": "Errors"}
OF_THE_PAGE: Values = {**CHART, "having": "count() > 5"}


def on_tile(sandbox: Sandbox, **more: Any) -> Values:
    """Return an alert on the first tile of a new dashboard."""
    tile = a_dashboard(sandbox)
    return {**USUAL, "source": "tile", "dashboardId": tile["dashboard_id"], "tileId": tile["one"], **more}


def stored(sandbox: Sandbox, id_: str) -> Values:
    """Return an alert as the server has it."""
    return dict(sandbox.objects("alerts")[id_])


@pytest.mark.parametrize("chart", [CHART, RAW, {**CHART, "displayType": "number"}], ids=["line", "raw SQL", "number"])
def test_alert_with_a_chart_lives(chart: Values, process: ProviderProcess, sandbox: Sandbox) -> None:
    """The defaults of the server are no drift, and what somebody changes in the chart is."""
    inputs = {**INLINE, "chartConfig": chart}
    id_, state = process.create("Alert", inputs)
    found = process.read("Alert", id_, state)
    assert process.changes("Alert", found.state, inputs) == ()
    assert found.inputs["chartConfig"] == chart
    sandbox.change("alerts", id_, chartConfig={**stored(sandbox, id_)["chartConfig"], "name": "Mine"})
    process.api.lists.clear()
    drifted = process.read("Alert", id_, found.state).state
    assert process.changes("Alert", drifted, inputs) == ("chartConfig",)
    repaired = process.update("Alert", id_, drifted, inputs)
    assert "name" not in stored(sandbox, id_)["chartConfig"]
    assert process.changes("Alert", repaired, inputs) == ()
    process.delete("Alert", id_, repaired)
    assert id_ not in sandbox.objects("alerts")


def test_source_follows_from_the_chart(process: ProviderProcess) -> None:
    """A program need not name it."""
    inputs = {name: value for name, value in INLINE.items() if name != "source"}
    assert RESOURCES["Alert"].check(process, inputs).inputs["source"] == "inline"


def test_only_alerts_with_charts_are_read_by_their_id(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A refresh of all others needs one list."""
    inline, inline_state = process.create("Alert", INLINE, urn="a")
    other, other_state = process.create("Alert", on_tile(sandbox), urn="b")
    sandbox.forget_requests()
    process.read("Alert", inline, inline_state)
    process.read("Alert", other, other_state)
    assert sandbox.count("self_hosted_get_alert") == 1
    assert sandbox.count("self_hosted_list_alerts") == 1


def test_chart_that_the_api_cannot_express_is_kept(process: ProviderProcess, sandbox: Sandbox) -> None:
    """State keeps what it has, with a warning; an update is refused, and an import, too."""
    id_, state = process.create("Alert", INLINE)
    sandbox.change("alerts", id_, chartConfig=OF_THE_PAGE)
    process.api.lists.clear()
    found = process.read("Alert", id_, state)
    assert process.changes("Alert", found.state, INLINE) == ()
    assert any("does not return the chart of alert 'Errors'" in each for each in process.warnings)
    with pytest.raises(ResourceError, match="An update would lose it\nRemove that from the chart on the page"):
        process.update("Alert", id_, found.state, {**INLINE, "threshold": 11})
    with pytest.raises(CloudDBError, match="cannot be imported: its server does not return its chart"):
        process.read("Alert", id_, {})
    assert stored(sandbox, id_)["chartConfig"] == OF_THE_PAGE


def test_imported_chart_is_the_programs(process: ProviderProcess) -> None:
    """An import returns the chart without derived values, and a program with it shows no change."""
    id_, _ = process.create("Alert", {**INLINE, "chartConfig": {**CHART, "name": "Rate"}})
    process.api.lists.clear()
    imported = process.read("Alert", id_, {})
    assert imported.inputs["chartConfig"]["name"] == "Rate"
    assert not {"displayName", "tags"} & imported.inputs.keys()


def test_derived_title_is_no_drift_and_follows_the_alert(
    process: ProviderProcess, sandbox: Sandbox, http: httpx.Client
) -> None:
    """An update keeps it while the alert stays where it is; on another tile, the server derives it again."""
    inputs = on_tile(sandbox)
    id_, state = process.create("Alert", inputs)
    assert state["displayName"] == "Watched - one"
    board = http.get(f"/dashboards/{inputs['dashboardId']}").json()["data"]
    two = next(each["id"] for each in board["tiles"] if each["name"] == "two")
    assert process.changes("Alert", process.read("Alert", id_, state).state, inputs) == ()
    state = process.update("Alert", id_, state, {**inputs, "threshold": 11})
    assert state["displayName"] == "Watched - one"
    state = process.update("Alert", id_, state, {**inputs, "tileId": two})
    assert state["displayName"] == "Watched - two"


def test_title_that_a_person_set_is_kept(process: ProviderProcess, sandbox: Sandbox, http: httpx.Client) -> None:
    """Also if the alert moves; neither it nor its tags are drift."""
    inputs = on_tile(sandbox)
    id_, state = process.create("Alert", inputs)
    sandbox.change("alerts", id_, displayName="Mine", tags=["on call"])
    process.api.lists.clear()
    state = process.read("Alert", id_, state).state
    assert process.changes("Alert", state, inputs) == ()
    board = http.get(f"/dashboards/{inputs['dashboardId']}").json()["data"]
    two = next(each["id"] for each in board["tiles"] if each["name"] == "two")
    for change in ({"threshold": 11}, {"tileId": two}):
        state = process.update("Alert", id_, state, {**inputs, **change})
        assert (state["displayName"], state["tags"]) == ("Mine", ["on call"])
    imported = process.read("Alert", id_, {}).inputs
    assert (imported["displayName"], imported["tags"]) == ("Mine", ["on call"])


def test_title_of_the_program_is_always_sent(process: ProviderProcess, sandbox: Sandbox) -> None:
    """An update of something else does not reset it; if it is removed, the server derives it."""
    titled = {"displayName": "Mine", "tags": ["shop"]}
    inputs = on_tile(sandbox)
    id_, state = process.create("Alert", {**inputs, **titled})
    state = process.update("Alert", id_, state, {**inputs, **titled, "threshold": 11})
    assert {name: stored(sandbox, id_)[name] for name in titled} == titled
    sandbox.change("alerts", id_, displayName="Other")
    process.api.lists.clear()
    drifted = process.read("Alert", id_, state).state
    assert process.changes("Alert", drifted, {**inputs, **titled, "threshold": 11}) == ("displayName",)
    state = process.update("Alert", id_, drifted, inputs)
    assert (state["displayName"], state["tags"]) == ("Watched - one", [])


@pytest.mark.parametrize("place", ["an older server", "the cloud"])
def test_server_without_titles_warns(place: str, process: ProviderProcess, sandbox: Sandbox) -> None:
    """The value is no endless difference; a program without titles sees none of it, and a chart is refused."""
    service = {"serviceId": a_service(sandbox)["service_id"]} if place == "the cloud" else {}
    sandbox.set_release(Release.AUGUST_2026 if place == "an older server" else Release.OCTOBER_2026)
    inputs = {**on_tile(sandbox), "displayName": "Mine"}
    if service:
        search, _ = process.create("SavedSearch", {**service, "name": "s", "sourceId": LOGS}, urn="search")
        inputs = {**USUAL, **service, "source": "saved_search", "savedSearchId": search, "displayName": "Mine"}
    id_, state = process.create("Alert", inputs, urn="alert")
    found = process.read("Alert", id_, state).state
    assert process.changes("Alert", found, inputs) == ()
    assert any("has not stored displayName of alert 'Mine'" in each for each in process.warnings)
    with pytest.raises(CloudDBError, match="source"):
        process.create("Alert", {**INLINE, **service}, urn="inline")


def test_all_channels_are_sent_with_the_first_of_them(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The description of the cloud does not state that `channels` alone is accepted."""
    inputs = {name: value for name, value in INLINE.items() if name != "channel"}
    process.create("Alert", {**inputs, "channels": [USUAL["channel"]]})
    (request,) = (each for each in sandbox.requests if each.operation == "self_hosted_create_alert")
    assert request.body["channel"] == request.body["channels"][0] == USUAL["channel"]


def test_upgrade_of_the_server_shows_no_change(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The titles that it derives for existing alerts are the server's."""
    sandbox.set_release(Release.AUGUST_2026)
    inputs = on_tile(sandbox)
    id_, state = process.create("Alert", inputs)
    assert "displayName" not in state
    sandbox.set_release(Release.OCTOBER_2026)
    process.api.lists.clear()
    state = process.read("Alert", id_, state).state
    assert (state["displayName"], process.changes("Alert", state, inputs)) == ("Watched - one", ())
