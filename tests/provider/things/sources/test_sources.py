"""Data sources: properties by kind, removal of properties, and references to deleted sources."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import FUNCTIONS, RESOURCES
from support.ids import LOGS, METRICS, TRACES
from support.sessions import ProviderProcess, config_for
from things.sources.checks import LOG, METRIC, NETFLOW, PROMQL, SESSION, TRACE, VIEW

KINDS = {"log": LOG, "trace": TRACE, "metric": METRIC, "session": SESSION, "promql": PROMQL, "netflow": NETFLOW}

# -- the provider --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_created_read_and_imported(kind: str, process: ProviderProcess) -> None:
    """Properties that a server adds are no drift."""
    id_, state = process.create("Source", KINDS[kind])
    live = process.read("Source", id_, state)
    assert live.inputs == KINDS[kind]
    assert process.changes("Source", live.state, KINDS[kind]) == ()
    _, imported = RESOURCES["Source"].import_(process, id_, RESOURCES["Source"]._args({}))
    assert process.changes("Source", {**live.state}, KINDS[kind]) == ()
    assert imported.wanted.kind == kind


def test_unmanaged_properties_are_kept_and_removed_ones_are_cleared(process: ProviderProcess, sandbox: Sandbox) -> None:
    """This includes properties that are unknown to this package."""
    id_, state = process.create("Source", LOG)
    sandbox.change("sources", id_, section="other", orderByExpression="Timestamp DESC")
    state = process.read("Source", id_, state).state
    state = process.update("Source", id_, state, {**LOG, "name": "Other"})
    source = sandbox.objects("sources")[id_]
    assert (source["name"], source["section"]) == ("Other", "other")
    less = {name: value for name, value in LOG.items() if name != "bodyExpression"}
    process.update("Source", id_, state, less)
    assert "bodyExpression" not in sandbox.objects("sources")[id_]
    assert sandbox.objects("sources")[id_]["section"] == "other"


def test_delete_warns_of_objects_that_use_the_source(process: ProviderProcess, http: httpx.Client) -> None:
    """The server deletes it, and rejects the next update of these objects (observability_server 2.10)."""
    id_, state = process.create("Source", LOG)
    other, others = process.create("Source", {**LOG, "name": "Other"})
    series = [{"type": "number", "aggFn": "count", "sourceId": id_, "where": "", "whereLanguage": "sql"}]
    board = {"name": "Board", "tiles": [{"name": "t", "x": 0, "y": 0, "w": 4, "h": 3, "series": series}]}
    dashboard = http.post("/dashboards", json=board).raise_for_status().json()["data"]
    search = http.post("/saved-searches", json={"name": "Find", "sourceId": id_}).raise_for_status().json()["data"]
    mention = {"name": f"Was {id_}", "sourceId": other}  # a name that contains the id is no use of the source
    mentioned = http.post("/saved-searches", json=mention).raise_for_status().json()["data"]["id"]
    process.delete("Source", id_, state)
    http.delete(f"/saved-searches/{mentioned}").raise_for_status()
    process.delete("Source", other, others)
    (warning,) = process.warnings
    assert warning == (
        f"source 'Shop logs' (id {id_}) is deleted, but still used by dashboard 'Board' (id {dashboard['id']}), "
        f"saved search 'Find' (id {search['id']}): the server refuses updates of these until they name another source."
    )
    response = http.put(f"/dashboards/{dashboard['id']}", json=board)
    assert (response.status_code, response.json()["message"]) == (
        400,
        f"Could not find the following source IDs: {id_}",
    )
    response = http.put(f"/saved-searches/{search['id']}", json={"name": "Find", "sourceId": id_})
    assert (response.status_code, response.json()["message"]) == (400, "sourceId must be an existing source id")


def test_aggregation_of_a_view_is_a_known_word(process: ProviderProcess, http: httpx.Client) -> None:
    """Servers reject others, and the vendor may add some."""
    column = {"aggFn": "summ", "sourceColumn": "Bytes", "mvColumn": "s"}
    views = {"materializedViews": [{**VIEW, "aggregatedColumns": [column]}]}
    assert RESOURCES["Source"].check(process, {**LOG, **views}).failures == []
    (warning,) = process.warnings
    assert "aggFn is 'summ', which this version does not know; did you mean sum" in warning
    refusal = http.post("/sources", json={**LOG, **views}).json()["message"]
    assert "materializedViews.0.aggregatedColumns.0.aggFn: Invalid enum value. Expected 'avg' | 'count'" in refusal


# -- the sandbox ---------------------------------------------------------------------------------------------------


def test_sandbox_has_sources_with_fixed_ids(sandbox: Sandbox, http: httpx.Client) -> None:
    """The ids are the same in each service, but the records are separate."""
    service = sandbox.add("services", name="orders", provider="aws", region="us-east-1")["id"]
    assert [each["id"] for each in http.get("/sources").json()["data"]] == [LOGS, TRACES, METRICS]
    with sandbox.management() as managed:
        path = f"/services/{service}/clickstack/sources"
        assert [each["id"] for each in managed.get(path).json()["result"]] == [LOGS, TRACES, METRICS]
        record = managed.get(f"{path}/{LOGS}").json()["result"]
        record.pop("id")
        assert managed.put(f"{path}/{LOGS}", json={**record, "name": "Mine"}).json()["result"]["name"] == "Mine"
        assert http.get(f"/sources/{LOGS}").json()["data"]["name"] == "Logs"
        assert managed.delete(f"{path}/{LOGS}").status_code == 200
        assert managed.get(f"{path}/{LOGS}").json()["error"] == "NOT_FOUND: Source not found"
    assert http.get(f"/sources/{LOGS}").status_code == 200
    assert {f"{service}:{TRACES}", TRACES} < sandbox.objects("sources").keys()
    assert f"{service}:{LOGS}" not in sandbox.objects("sources")
    sandbox.change("sources", f"{service}:{TRACES}", name="Spans")
    assert http.get(f"/sources/{TRACES}").json()["data"]["name"] == "Traces"
    sandbox.remove("sources", f"{service}:{TRACES}")
    assert http.get(f"/sources/{TRACES}").status_code == 200


def test_neutral_dialect_only_lists_sources(tmp_path: Path) -> None:
    """It has no other operation on them, and neither connections nor webhooks."""
    with Sandbox(vocabulary="neutral") as sandbox, sandbox.self_hosted() as http:
        (logs, metrics) = http.get("/sources").json()["data"]
        assert (logs["name"], metrics["name"]) == ("Logs", "Metrics")
        for path in (f"/sources/{logs['id']}", "/webhooks", "/connections"):
            assert http.get(path).headers["content-type"].startswith("text/html")
        process = ProviderProcess(config_for(sandbox), tmp_path)
        result = FUNCTIONS["listSources"].call(process, {"name": "Logs"})
        assert result == {"sources": [logs]}


FOUND: dict[str, tuple[list[str], str, int]] = {
    "its name": (["Shop", "Shops"], "Shop", 0),
    "its name, beside one in another case": (["shop", "Shop"], "Shop", 1),
    "its name in another case": (["Shop", "Cart"], "SHOP", 0),
}


@pytest.mark.parametrize("case", FOUND)
def test_source_is_found_by(case: str, process: ProviderProcess, sandbox: Sandbox) -> None:
    """The exact name counts first; the result is the whole source."""
    names, wanted, place = FOUND[case]
    made = [sandbox.add("sources", name=name) for name in names]
    assert FUNCTIONS["getSource"].call(process, {"name": wanted}) == sandbox.sources[made[place]["id"]]


NOT_FOUND: dict[str, tuple[list[str], str, str]] = {
    "a misspelt name": (["Shop one", "Shop two"], "Shop oen", "there is none of this name; did you mean Shop one"),
    "no similar name": ([], "Elsewhere", "there is none of this name\nCall listSources for all names"),
    "a name of two": (["Shop", "Shop"], "Shop", "there are 2 of this name: "),
    "a name of two in other cases": (["Shop", "shop"], "SHOP", "there are 2 of this name: "),
}


@pytest.mark.parametrize("case", NOT_FOUND)
def test_source_is_not_found_by(case: str, process: ProviderProcess, sandbox: Sandbox) -> None:
    """The error has the name, and the nearest ones."""
    names, wanted, fault = NOT_FOUND[case]
    for name in names:
        sandbox.add("sources", name=name)
    with pytest.raises(ResourceError) as caught:
        FUNCTIONS["getSource"].call(process, {"name": wanted})
    assert f"getSource: data source {wanted!r}: {fault}" in str(caught.value)


def test_names_cost_one_request(process: ProviderProcess, sandbox: Sandbox) -> None:
    """All look-ups share a list; one without a result requests a new list, since the source may be newer."""
    sandbox.forget_requests()
    for name in ("Logs", "Traces", "logs"):
        FUNCTIONS["getSource"].call(process, {"name": name})
    assert [each.operation for each in sandbox.requests] == ["self_hosted_list_sources"]
    made = sandbox.add("sources", name="Later")
    assert FUNCTIONS["getSource"].call(process, {"name": "Later"})["id"] == made["id"]
    assert [each.operation for each in sandbox.requests] == ["self_hosted_list_sources"] * 2
