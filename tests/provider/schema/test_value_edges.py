"""Values at the limits of what can be sent, stored and compared: check rejects them, or they work."""

from __future__ import annotations

import enum
import json
import math
import re
import time
import types
import typing
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Union

import pytest
from google.protobuf import struct_pb2
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pulumi.runtime import rpc
from pulumi_policy import proxy
from pydantic.alias_generators import to_snake

from clouddb_tools.sandbox import Sandbox
from lives.table import WIRE_LIVES
from pulumi_clouddb.client.client import Client
from pulumi_clouddb.engine.wire.codec import UNKNOWN_TEXTS, from_struct, to_struct, write
from pulumi_clouddb.engine.wire.secret import Secret, strip
from pulumi_clouddb.registry import OPERATIONS, RESOURCES
from pulumi_clouddb.resource.state import MANAGED
from pulumi_clouddb.schema.base import Model, wire_name, wire_names
from pulumi_clouddb.schema.check.findings import Failure, failures_of
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.equality import as_access_list, as_set
from pulumi_clouddb.schema.secrets.spellings import MASK
from pulumi_clouddb.schema.times import as_utc
from pulumi_clouddb.schema.values import MAX_DEPTH, UNKNOWN, contains_unknown, show_path, storable, whole_numbers
from pulumi_clouddb.schema.values import Path as ValuePath
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, VocabularyName
from support import refused as wrong_inputs
from support.front_ends import FrontEnds
from support.grpc_driver import GrpcDriver
from support.ids import PLACEHOLDERS
from support.scripted import Response, Scripted, ok
from support.sessions import ProviderProcess, config_of

Inputs = dict[str, Any]
ID = "5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11"
TABLE = {"sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "orders"}
LEAST: dict[str, Inputs] = {
    **{each.life.name: json.loads(re.sub(r"\$\w+", ID, json.dumps(each.before))) for each in WIRE_LIVES},
    "Service": {"name": "orders"},
    "Pipe": {
        "serviceId": ID,
        "name": "orders",
        "source": {"postgres": {"host": "db", "port": 5432, "database": "shop", "tableMappings": [TABLE]}},
        "destination": {},
    },
    "PipeScaling": {"serviceId": ID, "pipeId": ID},
    "ApiKey": {"name": "ci", "roles": ["developer"]},
    "Dashboard": {"name": "Orders", "tiles": []},
    "Alert": {"threshold": 1, "interval": "5m", "thresholdType": "above", "channel": {"type": "webhook"}},
}
"""The minimal inputs of each resource, or those of its life."""


def failures(kind: str, inputs: Inputs) -> list[Failure]:
    """Return the failures that check finds in inputs."""
    return failures_of(RESOURCES[kind].type.inputs, inputs, RuleContext())


CONDITION = "ServiceName IN ('shop')"
SPELLINGS: dict[str, tuple[str, str, Any, Any, Any]] = {
    "the type of a filter is explicit": (
        *("SavedSearch", "filters"),
        [{"condition": CONDITION}],
        [{"type": "sql", "condition": CONDITION}],
        [{"condition": "Duration > 5"}],
    ),
    "a name is stored without surrounding space": ("SavedSearch", "name", " Errors\ufeff", "Errors", "errors"),
    "an id within an object": (
        "Alert",
        "channel",
        {"webhookId": "AB" * 12},
        {"webhookId": "ab" * 12},
        {"webhookId": "b"},
    ),
    "an id of another form": ("Alert", "tileId", "Tile-1", "Tile-1", "tile-1"),
}
"""Resource, property, the program's value, the server's form of it, and another value."""


@pytest.mark.parametrize(("kind", "name", "value", "returned", "other"), SPELLINGS.values(), ids=SPELLINGS)
def test_server_form_of_a_value_is_no_difference(kind: str, name: str, value: Any, returned: Any, other: Any) -> None:
    """Another value is one."""
    assert RESOURCES[kind].same(name, value, returned)
    assert not RESOURCES[kind].same(name, value, other)


IDS = [
    (kind, name)
    for kind, handler in RESOURCES.items()
    for name in wire_names(handler.type.inputs)
    if name.endswith(("Id", "Ids"))
]


@pytest.mark.parametrize(("kind", "name"), IDS)
def test_ids_in_capitals_are_no_difference(kind: str, name: str) -> None:
    """Servers return them in lower case."""
    type_ = RESOURCES[kind].type
    for upper, lower in ((ID.upper(), ID), ("AB" * 12, "ab" * 12)):
        given, returned = ([upper], [lower]) if name.endswith("Ids") else (upper, lower)
        assert RESOURCES[kind].same(name, given, returned)
        assert type_.evidence(name, given) == type_.evidence(name, returned)


def deep(levels: int) -> Any:
    """Return an object with this many levels."""
    value: Any = {"end": 1}
    for _ in range(levels - 1):
        value = {"in": value}
    return value


TOO_DEEP = deep(100_000)


def tiles(**tile: Any) -> Inputs:
    """Return a dashboard with one tile."""
    return {"tiles": [{"name": "t", **tile}]}


NO_TEXT = "must be text without NUL characters and lone surrogates"
ADDRESS = "must be an email address, without blanks"
YEARS = "must be within the years 1 to 9999 in UTC"
REFUSED: dict[str, tuple[str, Inputs, str]] = {
    "infinite": ("Alert", {"threshold": math.inf}, "threshold must be a finite number, not inf"),
    "not a number": ("Alert", {"threshold": math.nan}, "threshold must be a finite number, not nan"),
    "an infinite tile": ("Dashboard", tiles(w=-math.inf), "tiles[0].w must be a finite number, not -inf"),
    "an infinite whole number": ("Service", {"numReplicas": math.inf}, "numReplicas must be a whole number, not inf"),
    "an infinite timeout": ("Service", {"waitTimeoutMinutes": math.inf}, "waitTimeoutMinutes must be a finite number"),
    "a huge whole number": ("PipeScaling", {"replicas": 10**400}, "replicas must be at most 10, not 1000"),
    "a number too long to print": ("PipeScaling", {"replicas": 10**5000}, "replicas must be at most 10, not the value"),
    "an invitation without roles": ("Invitation", {"assignedRoleIds": []}, "assignedRoleIds must have at least 1 elem"),
    "a member without roles": ("Member", {"assignedRoleIds": []}, "assignedRoleIds must have at least 1 element"),
    "a huge number": ("Alert", {"threshold": 10**400}, "threshold must be a number, not 1000"),
    "before the first year": ("ApiKey", {"expireAt": "0001-01-01T00:00:00+14:00"}, f"expireAt {YEARS}, not '0001-01"),
    "after the last year": ("ApiKey", {"expireAt": "9999-12-31T23:59:59-01:00"}, f"expireAt {YEARS}, not '9999-12"),
    "a lone surrogate": ("ApiKey", {"name": "a\ud800"}, f"name {NO_TEXT}, not 'a\\ud800'"),
    "a NUL": ("Alert", {"message": "a\0b"}, f"message {NO_TEXT}, not 'a\\x00b'"),
    "an address with a blank": (
        "Invitation",
        {"email": "ada @example.com"},
        f"email {ADDRESS}, not 'ada @example.com'",
    ),
    "an address with a line end": ("StackInvitation", {"email": "ada@example.com\n"}, f"email {ADDRESS}"),
    "a NUL in an address": (
        "ApiKey",
        {"ipAccessList": [{"source": "10.0.0.1\0"}]},
        f"ipAccessList[0].source {NO_TEXT}",
    ),
    "a NUL in a list": ("Dashboard", {"tags": ["a", "\0"]}, f"tags[1] {NO_TEXT}"),
    "a NUL in an object": (
        "Dashboard",
        tiles(config={"a": [{"b": "\0"}]}),
        f"tiles[0].config {NO_TEXT} (at a[0].b), not ",
    ),
    "a NUL in a name": ("Dashboard", tiles(config={"\0": 1}), f"tiles[0].config {NO_TEXT} in every name"),
    "an infinite number in an object": (
        "Dashboard",
        tiles(config={"limit": math.inf}),
        "tiles[0].config must be a finite number (at limit)",
    ),
    "an object that is one level too deep": (
        "Dashboard",
        tiles(config=deep(MAX_DEPTH + 1)),
        f"tiles[0].config must be nested at most {MAX_DEPTH} levels deep (at in)",
    ),
    "a list that is too deep": ("Dashboard", tiles(config={"a": [deep(MAX_DEPTH)]}), "levels deep (at a)"),
    "an extremely deep object": ("Dashboard", tiles(config=TOO_DEEP), "levels deep (at in), not the value given"),
    "an extremely deep text": ("Alert", {"name": TOO_DEEP}, "name must be text, not the value given"),
    "an extremely deep number": ("Service", {"numReplicas": TOO_DEEP}, "numReplicas must be a whole number"),
    "an extremely deep key": ("Dashboard", tiles(key=TOO_DEEP), "tiles[0].key must be text, not the value given"),
}


@pytest.mark.parametrize(("kind", "inputs", "message"), REFUSED.values(), ids=REFUSED)
def test_value_beyond_a_limit_is_rejected(kind: str, inputs: Inputs, message: str) -> None:
    """Check reports the path, the limit and the value."""
    result = failures(kind, {**LEAST[kind], **inputs})
    assert len(result) == 1
    assert message in f"{result[0].path} {result[0].reason}"


OTHER_TYPES: dict[str, tuple[str, Inputs, str]] = {
    "text for a number": (
        "Service",
        {"backupConfiguration": {"backupPeriodInHours": "12", "backupStartTime": "10:00"}},
        "backupConfiguration.backupPeriodInHours must be a whole number, not '12'",
    ),
    "an object for a list": ("Service", {"scalingSchedule": {"entries": {}}}, "scalingSchedule.entries must be a list"),
    "nothing for a number": ("Service", {"scalingSchedule": {"entries": [{}]}}, "entries[0].startHourUtc is required"),
    "an object for an id": (
        "Dashboard",
        {"containers": [{"id": {}, "title": "Errors", "collapsed": True}]},
        "containers[0].id must be text, not {}",
    ),
    "an object for a webhook": (
        "Alert",
        {"channel": {"type": "webhook", "webhookId": {}}},
        "channel.webhookId must be text, not {}",
    ),
    "a number for a list": (
        "Alert",
        {"channels": [{"type": "email", "emailRecipients": 5}]},
        "channels[0].emailRecipients must be a list, not 5",
    ),
}


@pytest.mark.parametrize(("kind", "inputs", "message"), OTHER_TYPES.values(), ids=OTHER_TYPES)
def test_value_of_another_type_within_an_object_is_a_failure(kind: str, inputs: Inputs, message: str) -> None:
    """Rules over the whole object skip it, as they would raise otherwise."""
    context = RuleContext(vocabulary=CLICKHOUSE)
    result = failures_of(RESOURCES[kind].type.inputs, {**LEAST[kind], **inputs}, context)
    assert any(message in f"{each.path} {each.reason}" for each in result)


@pytest.mark.parametrize("kind", RESOURCES)
def test_every_number_must_be_finite(kind: str) -> None:
    """At any depth, also within an object of any form, and in both dialects: JSON, and so state, has no other ones."""
    type_ = RESOURCES[kind].type
    for dialect, wrong in product(VocabularyName, (math.inf, -math.inf, math.nan, {"any": math.inf})):
        model = type_.inputs_in(dialect)
        for depth in wrong_inputs.depths_of(model):
            paths: list[ValuePath] = []

            def leaf(path: ValuePath, paths: list[ValuePath] = paths, wrong: Any = wrong) -> Any:
                paths.append(path)
                return wrong

            inputs = wrong_inputs.inputs_of(model, depth, leaf)
            refused = {
                each.path.replace(MASK, wrong_inputs.MAP_KEY)
                for each in failures_of(model, type_.with_texts(inputs), RuleContext(vocabulary=dialect))
            }
            places = {show_path(path): {show_path(path[:end]) for end in range(1, len(path) + 1)} for path in paths}
            for place, above in places.items():
                assert refused & above or any(each.startswith(place) for each in refused), (dialect, place, wrong)


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1E+400", "1" * 400, "NaN", "Infinity"])
@pytest.mark.parametrize("operation", ["get_service", "self_hosted_get_alert"])
def test_number_that_state_cannot_store_is_null_in_a_response(operation: str, number: str) -> None:
    """The engine could not save the state."""
    result = f'{{"a": {{"b": [{number}, 1.5e30]}}, "text": "NaN 1e400"}}'
    body = f'{{"status": 200, "result": {result}, "data": {result}}}'
    with Scripted(Response(200, body, {"content-type": "application/json"})) as server:
        client = Client(config_of(baseUrl=server.url, stackUrl=server.url, stackToken="t"))
        parts: dict[str, Any] = dict.fromkeys(map(to_snake, PLACEHOLDERS), "1")
        found: Any = client.call(OPERATIONS[operation], None, **parts)
    assert found["a"]["b"][1:] == [1.5e30]
    assert found["text"] == "NaN 1e400"
    json.dumps(found, allow_nan=False)
    to_struct(found, secrets=False)
    assert not isinstance(found["a"]["b"][0], float)


VALUES_AT_THE_LIMIT: dict[str, tuple[str, Inputs]] = {
    "the deepest object": ("Dashboard", tiles(config=deep(MAX_DEPTH))),
    "the largest number": ("Alert", {"threshold": 1.7e308}),
    "any other character": ("ApiKey", {"name": "\x01\u2028😀\ufffe"}),
    "the first possible time": ("ApiKey", {"expireAt": "0001-01-01T00:00:00Z"}),
    "a time without a zone": ("ApiKey", {"expireAt": "9999-12-31T23:59:59"}),
}


@pytest.mark.parametrize(("kind", "inputs"), VALUES_AT_THE_LIMIT.values(), ids=VALUES_AT_THE_LIMIT)
def test_value_at_a_limit_is_accepted(kind: str, inputs: Inputs) -> None:
    """Check reports no failure."""
    assert failures(kind, {**LEAST[kind], **inputs}) == []


def test_deepest_object_passes_both_front_ends(neutral_sandbox: Sandbox, processes: FrontEnds) -> None:
    """They check, create, read, diff and update a dashboard of the maximum depth."""
    processes.configure(neutral_sandbox.config)
    inputs = {"name": "Deep", **tiles(config=deep(MAX_DEPTH))}

    def live(driver: GrpcDriver) -> None:
        assert driver.check("Dashboard", inputs).failures == []
        made = driver.create("Dashboard", inputs)
        read = driver.read("Dashboard", made.id, made.outputs, inputs)
        assert not driver.diff("Dashboard", made.id, read.outputs, inputs, inputs).changes
        driver.update("Dashboard", made.id, read.outputs, {**inputs, "name": "Deeper"})

    processes.both(live)


@pytest.mark.parametrize("state", [None, {"is": "running"}, ["running"], True], ids=str)
def test_service_state_that_is_not_text_is_ignored(state: Any, tmp_path: Path) -> None:
    """The service counts as ready, like one without a state, both when it is created and when it is read."""
    inputs = {"name": "orders", "provider": "aws", "region": "us-east-1"}
    record = {**inputs, "id": ID, "state": state, "createdAt": "2030-01-01T00:00:00Z"}
    with Scripted(ok([]), ok({"service": record, "password": "initial"}), ok([record])) as server:
        process = ProviderProcess(config_of(baseUrl=server.url), tmp_path)
        service_id, made = process.create("Service", inputs)
        read = process.read("Service", service_id, made).state
        assert process.changes("Service", read, inputs) == ()
    assert made["password"] == "initial"
    assert not {"state", "lastError"} & {*made, *read}


ANSWERS: dict[str, Any] = {
    "no entries": [None, 5, "10.0.0.1", [], {}, ["x"]],
    "entries of other types": [{"source": None}, {"source": 5}, {"source": ["x"], "description": {"a": [1]}}],
    "impossible times": ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", " T", "T\0", "12 T"],
    "no list": {"source": "10.0.0.1"},
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_any_response_can_be_compared(answer: Any) -> None:
    """No comparison raises, whatever replaces a list, an address or a time."""
    for meaning in (as_set, as_access_list, as_utc):
        assert meaning(answer) == meaning(json.loads(json.dumps(answer)))
        for item in answer:
            assert meaning(item) == meaning(item)
            assert meaning([item]) == meaning([item])


HOST, DESCRIBED = {"source": "10.0.0.1"}, {"source": "10.0.0.2", "description": "b"}
EQUAL: dict[str, tuple[Any, Any]] = {
    "a host and a network of one address": ([HOST], [{"source": "10.0.0.1/32"}]),
    "no description and an empty one": ([HOST], [{**HOST, "description": ""}]),
    "no description and null": ([HOST], [{**HOST, "description": None}]),
    "another order": ([HOST, DESCRIBED], [DESCRIBED, HOST]),
    "an entry twice": ([HOST], [HOST, HOST]),
}


@pytest.mark.parametrize(("one", "other"), EQUAL.values(), ids=EQUAL)
def test_access_lists_that_mean_the_same_are_equal(one: Any, other: Any) -> None:
    """Otherwise each preview would show a change that no update can make."""
    assert as_access_list(one) == as_access_list(other)


def test_any_response_can_be_stored() -> None:
    """Lone surrogates and infinite numbers, which Python's JSON parser accepts, never reach state."""
    answer = json.loads('{"a\\ud800": ["\\udc00", NaN, -Infinity, 1.5, true, null, {"b": "\\u0000"}]}')
    assert storable(answer) == {"a?": ["?", None, None, 1.5, True, None, {"b": "\0"}]}
    to_struct(storable(answer), secrets=False).SerializeToString()


# -- the wire ----------------------------------------------------------------------------------------------------


def test_signatures_match_pulumi() -> None:
    """They mark secrets and unknown values; in Python only pulumi-policy defines all kinds of unknown values."""
    assert write(Secret("s")) == rpc.wrap_rpc_secret("s")
    assert write(UNKNOWN) == rpc.UNKNOWN
    assert {value for name, value in vars(proxy).items() if name.startswith("UNKNOWN_")} == UNKNOWN_TEXTS


def test_wire_round_trip_keeps_values() -> None:
    """This includes nested secrets, unknown values within them, null, and the largest exact integer."""
    values = {
        "rules": [{"token": Secret("s"), "name": "n"}, Secret({"port": 8, "host": UNKNOWN}), None],
        "numbers": [2**53 - 1, -3, 0.5, True],
        "url": UNKNOWN,
    }
    assert from_struct(to_struct(values, secrets=True)) == values
    assert from_struct(to_struct(values, secrets=False)) == strip(values)
    assert from_struct(to_struct(values, secrets=True, unknowns=False)).keys() == {"rules", "numbers"}


# -- properties --------------------------------------------------------------------------------------------------

EDGES = ["", " ", "\0", "\ud800", "a" * 51, ID, "5m", "10.0.0.0/8", "::1", "2030-01-01T00:00:00Z", "a'\"\\"]
TIMES = ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-00:01", "2030-01-01 00:00", "T", "2030-02-30T00:00:00Z"]
TEXTS = st.sampled_from([*EDGES, *TIMES]) | st.text(st.characters(), max_size=8)
NUMBERS = st.integers() | st.floats() | st.sampled_from([10**400, -(10**400), 8, 24, 48, 2**53, 0.5, -0.0])
LEAVES = st.none() | st.booleans() | NUMBERS | TEXTS | st.just(UNKNOWN)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=8
)


@st.composite
def anything(draw: st.DrawFn) -> Any:
    """Return any value; the short name appears once for each property in hypothesis's output."""
    return draw(VALUES)


ANYTHING = anything()
JSON = ANYTHING.map(storable).filter(lambda value: not contains_unknown(value))


def like(annotation: Any) -> st.SearchStrategy[Any]:
    """Return values of a field's type, and some of other types."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return like(inner[0])
    if origin in (Union, types.UnionType):
        return st.one_of([like(each) for each in inner if each is not type(None)])
    if origin is list:
        return st.lists(like(inner[0]), max_size=3)
    if origin is dict:
        return st.dictionaries(TEXTS, ANYTHING, max_size=3)
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return st.sampled_from([each.value for each in annotation])
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return inputs_of(annotation)
    return {str: TEXTS, int: NUMBERS, float: NUMBERS, bool: st.booleans()}.get(annotation, ANYTHING)


def inputs_of(model: type[Model]) -> st.SearchStrategy[Inputs]:
    """Return inputs for a model: each property is absent, of its type, or anything."""
    fields = {wire_name(model, name): like(info.annotation) | ANYTHING for name, info in model.model_fields.items()}
    return st.fixed_dictionaries({}, optional=fields)


def accepted(kind: str, inputs: Inputs) -> Inputs:
    """Return inputs without the properties that check rejects."""
    least = LEAST[kind]
    kept = {name: value for name, value in inputs.items() if value is not None}
    for _ in range(len(kept) + 1):
        result = failures(kind, {**least, **kept})
        rejected = {each.path.partition("[")[0].partition(".")[0] for each in result}
        if not rejected:
            return {**least, **kept}
        kept = {name: value for name, value in kept.items() if name not in rejected}
        if not rejected & kept.keys() and failures(kind, {**least, **kept}) == result:
            return dict(least)
    return dict(least)


def known(value: Any) -> Any:
    """Return a value without its unknown parts."""
    if isinstance(value, Mapping):
        return {key: known(item) for key, item in value.items() if item is not UNKNOWN}
    return [known(item) for item in value if item is not UNKNOWN] if isinstance(value, list) else value


EXAMPLES = [pytest.param(10, id="some"), pytest.param(300, id="many", marks=pytest.mark.slow)]
"""How many inputs are generated for each resource; each run generates the same."""


def of(examples: int) -> settings:
    """Return the settings of the generation."""
    return settings(max_examples=examples, derandomize=True, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("examples", EXAMPLES)
@pytest.mark.parametrize("kind", LEAST)
def test_accepted_inputs_can_be_sent_and_stored(kind: str, examples: int) -> None:
    """Check never raises; accepted inputs are JSON, fit the wire, and show no change once they are in state."""
    handler = RESOURCES[kind]

    @of(examples)
    @given(inputs_of(handler.type.inputs))
    def holds(inputs: Inputs) -> None:
        for failure in failures(kind, inputs):
            f"{failure.path} {failure.reason}".encode()
        taken = accepted(kind, inputs)
        good = known(taken)
        json.dumps(whole_numbers(good), allow_nan=False, ensure_ascii=False).encode()
        struct_pb2.Struct.FromString(to_struct({"__server": good}, secrets=False).SerializeToString())
        good = {name: value for name, value in taken.items() if not contains_unknown(value)}
        again = json.loads(json.dumps(good))
        assert handler.diff({**good, MANAGED: sorted(good)}, again).changed == ()

    holds()


@pytest.mark.parametrize("examples", EXAMPLES)
@pytest.mark.parametrize("kind", LEAST)
def test_same_is_reflexive_and_symmetric(kind: str, examples: int) -> None:
    """A value is the same as itself, and the order of two values does not matter.

    Endpoints are an exception: state may contain more than the inputs.
    """
    handler = RESOURCES[kind]
    names = st.sampled_from(wire_names(handler.type.state))
    kinds = [like(info.annotation) for info in handler.type.state.model_fields.values()]

    @st.composite
    def look_alike(draw: st.DrawFn) -> Any:  # the short name replaces a long list in hypothesis's output
        return draw(st.one_of(kinds))

    values = look_alike().map(storable).filter(lambda value: not contains_unknown(value)) | JSON

    @of(examples)
    @given(names, values, values)
    def holds(name: str, one: Any, other: Any) -> None:
        assert handler.same(name, one, json.loads(json.dumps(one)))
        there, back = handler.same(name, one, other), handler.same(name, other, one)
        assert there == back or name == "endpoints"

    holds()


def test_text_without_its_end_is_read_once() -> None:
    """A second look from each quote in SQL of the longest size would take hours."""
    tile = {"key": "t", "config": {"configType": "sql", "displayType": "table", "sqlTemplate": "'\\" * 50_000}}
    before = time.process_time()
    failures_of(
        RESOURCES["Dashboard"].type.inputs_in(CLICKHOUSE), {"tiles": [tile]}, RuleContext(vocabulary=CLICKHOUSE)
    )
    assert time.process_time() - before < 2
