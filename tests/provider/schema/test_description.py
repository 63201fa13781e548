"""The models have every property of the vendor's requests and responses, as `description` contains them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import BaseModel

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.served import Served
from description.bodies import (
    SELF_HOSTED,
    bodies_of,
    described,
    facts_of,
    status_of,
    tree_of_body,
)
from description.declared import NOT_DESCRIBED, SENT
from description.facts import CLOUD, OBSERVABILITY, Schema
from description.shapes import tree_of, types_of
from description.validators import faults
from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.client.responses import Envelope, StackEnvelope
from pulumi_clouddb.client.sender import USER_AGENT
from pulumi_clouddb.registry import OPERATIONS, RESOURCES
from pulumi_clouddb.schema.base import names_with, wire_names
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.thing import body_of, inputs_of, record_of
from pulumi_clouddb.schema.view import view_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from pulumi_clouddb.things.dashboards.tile import SERIES
from pulumi_clouddb.things.dashboards.tile_config import KINDS
from pulumi_clouddb.things.sources.source import Source
from support.ids import LOGS
from support.judge import JUDGE, undescribed
from support.trees import Tree, lacking, tree_of_model

DIALECT = DIALECTS[CLICKHOUSE]
UNKNOWN_ID = "11111111-2222-4333-8444-555555555555"
NAMES = [name for name, operation in OPERATIONS.items() if operation.only in (None, CLICKHOUSE)]
FORMS = {name.removeprefix(SELF_HOSTED): OPERATIONS[name] for name in reversed(NAMES)}
"""An operation of both forms of the API stands once, in its managed form: its bodies are those of both descriptions."""
WITH_BODY = [name for name in FORMS if any(each.schema for each in bodies_of(name, "request"))]
UNLIMITED: Schema = {"schema": {}}


@pytest.mark.parametrize("name", WITH_BODY)
def test_every_sent_property_is_described(name: str) -> None:
    """Servers silently drop unknown properties; a new field that no description has is named."""
    sent = DIALECT.to_server(FORMS[name].record, SENT[name])
    undescribed_paths = {path for path in lacking(sent, tree_of_body(name, "request")) if "=" not in path}
    assert undescribed_paths == set(NOT_DESCRIBED.get(name, {})), "SENT or NOT_DESCRIBED of description/declared.py"


@pytest.mark.parametrize("name", NAMES)
def test_statuses_and_pages_are_as_described(name: str) -> None:
    """The sandbox returns this status, and pages of this size."""
    found = [operation for _, operation in described(name)]
    assert {status_of(each) for each in found} == {str(OPERATIONS[name].status)}
    limits = [each.get("parameters", {}).get("query limit", UNLIMITED)["schema"] for each in found]
    assert OPERATIONS[name].per_page == limits[-1].get("maximum") == limits[-1].get("default")


READ_ALONE = {
    each.collection: (each.collection.LIST.managed, each.collection.GET.managed)
    for each in RESOURCES.values()
    if hasattr(each.collection, "GET") and each.collection.LIST.managed.name in NAMES
    if each.collection.LIST.managed.lists
}


@pytest.mark.parametrize("collection", READ_ALONE, ids=lambda each: each.__name__)
def test_fields_that_lists_leave_out_are_declared(collection: type[Collection[Any]]) -> None:
    """The response to a single read has them; only the response to a create has a secret."""
    listed, read = (tree_of_body(each.name, "response") for each in READ_ALONE[collection])
    thing: Any = collection.model
    once = {each for model in (inputs_of, record_of) for each in names_with(model(thing), "secret")}
    left_out = DIALECT.to_server(READ_ALONE[collection][0].record, dict.fromkeys(collection.not_listed))
    assert read.keys() - listed.keys() - once == left_out.keys()


def variants(*names: str) -> list[Any]:
    """Return the properties of each variant of a type, which has a name in each description."""
    facts = [facts_of(file) for file in (CLOUD, OBSERVABILITY)]
    return [
        pytest.param(tree_of(each, variant), id=f"{name}-{number}")
        for each, name in zip(facts, names, strict=True)
        for number, variant in enumerate(types_of(each, each.schemas[name]))
    ]


@pytest.mark.parametrize("tree", variants("ClickStackTileConfig", "TileConfig"))
def test_tile_rules_accept_all_properties_of_a_kind(tree: Tree) -> None:
    """The rules of tile configurations list the properties of each kind."""
    (config_type,) = tree.get("configType", {None})
    for display_type in tree["displayType"]:
        fields = KINDS.fields(display_type, config_type) or ()
        names = DIALECT.to_server("Config", dict.fromkeys(fields, ""))
        assert tree.keys() - {"displayType", "configType"} <= names.keys(), (display_type, config_type)


@pytest.mark.parametrize("tree", variants("ClickStackDashboardChartSeries", "DashboardChartSeries"))
def test_series_rules_accept_all_properties_of_a_kind(tree: Tree) -> None:
    """The rules of series list the properties of each kind."""
    (kind,) = tree["type"]
    assert tree.keys() <= SERIES[kind]


@pytest.mark.parametrize("tree", variants("ClickStackSource", "Source"))
def test_source_rules_accept_all_properties_of_a_kind(tree: Tree) -> None:
    """The rules of a source list the properties of each kind."""
    of_kinds = [rule for rule in Source.RULES if rule.text.startswith("is for kind")]
    (kind,) = tree["kind"]
    values = {**dict.fromkeys(wire_names(body_of(Source)), "x"), "kind": kind}
    seen = view_of(Source, values, context=RuleContext(vocabulary=CLICKHOUSE))
    refused = {rule.path for rule in of_kinds if rule.failure(seen) is not None}
    assert refused
    assert refused.isdisjoint(tree)


ENVELOPES: Mapping[str, tuple[str, str, str, type[BaseModel], set[str]]] = {
    "a list": ("list_services", "200", "/services", Envelope, set()),
    "a page of a list": ("list_keys", "200", "/keys", Envelope, {"limit", "totalCount"}),
    "a failure": ("get_key", "400", f"/keys/{UNKNOWN_ID}", Envelope, set()),
    "a self-hosted list": ("self_hosted_list_alerts", "200", "/alerts", StackEnvelope, {"meta"}),
    "a self-hosted failure": ("self_hosted_get_alert", "404", "/alerts/1", StackEnvelope, set()),
}
"""The operation, a status, a path, and what is not read of the envelope: lists are read until a page is not full."""


@pytest.mark.parametrize("case", ENVELOPES)
def test_envelopes_are_described_and_read(case: str) -> None:
    """The sandbox's envelopes match the description, and the models read them."""
    name, status, path, model, unread = ENVELOPES[case]
    form = "self_hosted" if OPERATIONS[name].server_kind is ServerKind.SELF_HOSTED else "management"
    with Sandbox(vocabulary="clickhouse") as sandbox, getattr(sandbox, form)() as http:
        assert faults(name, status, http.get(path).json()) == []
    assert tree_of_body(name, status).keys() - tree_of_model(model).keys() == unread


def test_judge_reports_undescribed_properties(monkeypatch: pytest.MonkeyPatch) -> None:
    """It judges requests of this package and all responses, but not requests that a test sends itself."""
    search = {"name": "Errors", "sourceId": LOGS, "tags": [1], "colour": "red"}
    with Sandbox(vocabulary="clickhouse") as sandbox, sandbox.self_hosted() as http:
        assert http.post("/saved-searches", json=search).status_code == 400
        search["tags"] = []
        assert http.post("/saved-searches", json=search).status_code == 200
        assert JUDGE.pop_faults() == []
        assert http.post("/saved-searches", json=search, headers={"User-Agent": USER_AGENT}).status_code == 200
        expected = "self_hosted_create_saved_search request colour: is not described"
        assert JUDGE.pop_faults() == [expected]
        assert undescribed(sandbox.requests) == [expected, expected]  # the log does not contain the client
        monkeypatch.setattr(Served, "shown", lambda _, __, document: {**document, "tags": None})
        http.get("/saved-searches")
        expected = "self_hosted_list_saved_searches response 0.tags: None is not of type 'array'"
        assert JUDGE.pop_faults() == [expected, expected.replace("0", "1", 1)]
