"""The models have every property of the vendor's requests and responses, as `description` contains them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.served import Served
from description import series, tile_config
from description.bodies import tree_of_body
from description.declared import NOT_DESCRIBED, NOT_READ, NOT_SENT, READ, SENT
from description.operations import EXCHANGES
from description.validators import faults
from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.client.responses import Envelope, StackEnvelope
from pulumi_clouddb.registry import OPERATIONS, RESOURCES
from pulumi_clouddb.schema.base import names_marked, wire_names
from pulumi_clouddb.schema.rules import RuleContext
from pulumi_clouddb.schema.thing import body_of, inputs_of, record_of
from pulumi_clouddb.schema.view import view_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from pulumi_clouddb.things.dashboards.tile import SERIES
from pulumi_clouddb.things.dashboards.tile_config_fields import fields_of_config
from pulumi_clouddb.things.sources.source import Source
from support.ids import LOGS
from support.judge import JUDGE, OURS, undescribed
from support.trees import Tree, lacking, tree_of_model, tree_of_type
from things.sources import described as source

DIALECT = DIALECTS[CLICKHOUSE]
UNKNOWN_ID = "11111111-2222-4333-8444-555555555555"
NAMES = [name for name, operation in OPERATIONS.items() if operation.only in (None, CLICKHOUSE)]


DESCRIBED = [(name, EXCHANGES[name]) for name in NAMES if name in EXCHANGES]
WITH_BODY = [name for name, exchange in DESCRIBED if exchange.request is not None]
WITH_RESPONSE = [name for name, exchange in DESCRIBED if exchange.response is not None]


def _row(table: Mapping[str, Tree], name: str, table_name: str) -> Tree:
    assert name in table, f"{table_name} of this module has no row for {name}"
    return table[name]


def _form(name: str) -> str:
    """Return the name of the operation in the managed form."""
    return name.removeprefix("self_hosted_")


def test_every_operation_is_described() -> None:
    """This includes those that only the sandbox uses, for other clients."""
    assert set(EXCHANGES) - set(NAMES) == set(), "EXCHANGES of a described.py have an operation that nothing has"
    assert set(NAMES) - set(EXCHANGES) == set(), "EXCHANGES in described.py of a thing lack an operation"


def test_every_property_of_a_request_can_be_sent() -> None:
    """This includes nested objects and all values of enums; NOT_SENT lists exactly the exceptions."""
    for name in WITH_BODY:
        sent = DIALECT.to_server(OPERATIONS[name].record, _row(SENT, _form(name), "SENT"))
        assert set(lacking(tree_of_type(EXCHANGES[name].request), sent)) == set(NOT_SENT.get(_form(name), {})), name


def test_every_sent_property_is_described() -> None:
    """Servers silently drop unknown properties; a new field without a line in `described.py` is named."""
    for name in WITH_BODY:
        sent = DIALECT.to_server(OPERATIONS[name].record, _row(SENT, _form(name), "SENT"))
        undescribed_paths = {path for path in lacking(sent, tree_of_type(EXCHANGES[name].request)) if "=" not in path}
        assert undescribed_paths == set(NOT_DESCRIBED.get(_form(name), {})), name


def test_every_property_of_a_response_is_read() -> None:
    """This includes nested objects; NOT_READ lists exactly the exceptions."""
    for name in WITH_RESPONSE:
        record = OPERATIONS[name].record
        read = DIALECT.to_server(record, _row(READ, record, "READ"))
        assert set(lacking(tree_of_type(EXCHANGES[name].response), read)) == set(NOT_READ.get(record, {})), name


def test_statuses_and_pages_are_as_described() -> None:
    """The sandbox returns this status, and pages of this size."""
    for name, exchange in DESCRIBED:
        operation = OPERATIONS[name]
        assert (operation.status, operation.per_page) == (exchange.status, exchange.per_page), name


READ_ALONE = {
    each.collection: (each.collection.LIST.managed, each.collection.GET.managed)
    for each in RESOURCES.values()
    if hasattr(each.collection, "GET") and each.collection.LIST.managed.name in EXCHANGES
    if each.collection.LIST.managed.lists
}


@pytest.mark.parametrize("collection", READ_ALONE, ids=lambda each: each.__name__)
def test_fields_that_lists_leave_out_are_declared(collection: type[Collection[Any]]) -> None:
    """The response to a single read has them; only the response to a create has a secret."""
    listed, read = (tree_of_type(EXCHANGES[each.name].response) for each in READ_ALONE[collection])
    thing: Any = collection.model
    once = {each for model in (inputs_of, record_of) for each in names_marked(model(thing), "secret")}
    left_out = DIALECT.to_server(READ_ALONE[collection][0].record, dict.fromkeys(collection.not_listed))
    assert read.keys() - listed.keys() - once == left_out.keys()


def test_tile_rules_accept_all_properties_of_a_kind() -> None:
    """The rules of tile configurations and series list the properties of each kind."""
    for variant in get_args(get_args(tile_config.Config)[0]):
        tree = tree_of_type(get_args(variant)[0])
        (config_type,) = tree.get("configType", {None})
        for display_type in tree["displayType"]:
            names = fields_of_config(display_type, config_type) or frozenset()
            assert tree.keys() - {"displayType", "configType"} <= names, (display_type, config_type)
    for variant in get_args(get_args(series.Series)[0]):
        tree = tree_of_type(variant)
        (kind,) = tree["type"]
        assert tree.keys() <= SERIES[kind], kind


def test_source_rules_accept_all_properties_of_a_kind() -> None:
    """The rules of a source list the properties of each kind."""
    of_kinds = [rule for rule in Source.RULES if rule.text.startswith("is for kind")]
    for variant in get_args(get_args(source.Source)[0]):
        tree = tree_of_type(variant)
        (kind,) = tree["kind"]
        seen = view_of(Source, {**dict.fromkeys(wire_names(body_of(Source)), "x"), "kind": kind})
        refused = {rule.path for rule in of_kinds if rule.failure(seen, RuleContext(vocabulary=CLICKHOUSE)) is not None}
        assert refused, kind
        assert refused.isdisjoint(tree), kind


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
        assert http.post("/saved-searches", json=search, headers={"User-Agent": OURS}).status_code == 200
        expected = "self_hosted_create_saved_search request colour: is not described"
        assert JUDGE.pop_faults() == [expected]
        assert undescribed(sandbox.requests) == [expected, expected]  # the log does not contain the client
        monkeypatch.setattr(Served, "shown", lambda _, __, document: {**document, "tags": None})
        http.get("/saved-searches")
        expected = "self_hosted_list_saved_searches response 0.tags: None is not of type 'array'"
        assert JUDGE.pop_faults() == [expected, expected.replace("0", "1", 1)]
