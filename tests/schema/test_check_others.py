"""Check of scalings, keys, dashboards and alerts, through both front ends, and of the configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pulumi_clouddb.client.errors import ConfigError
from pulumi_clouddb.engine.wire.settings import provider_config
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.testing import UNKNOWN
from support import vendor_dashboards, vendor_rules, vendor_service_rules
from support.front_ends import FrontEnds, MakeFrontEnds
from support.grpc_driver import HostError
from support.host import DynamicHost
from support.refused import quotes_nothing
from support.rules import Case, limits, one_of, wrong_types
from support.sessions import ProviderProcess, config_of

UUID = "11111111-2222-4333-8444-555555555555"
URL = "http://127.0.0.1:9"
MOMENT = "must be an ISO-8601 date-time such as 2027-01-31T00:00:00Z, or empty"
CIDR = "must be an IP address or a range in CIDR notation such as 203.0.113.0/24"
KEYS = "must have unique keys, but {} occurs more than once; give these tiles a key"

WHOLE_TILE: dict[str, Any] = {
    "name": "Rate",
    "x": 0,
    "y": 0,
    "w": 12,
    "h": 4.5,
    "asRatio": True,
    "series": [
        {
            "type": "time",
            "sourceId": "s",
            "dataSource": "events",
            "aggFn": "count",
            "field": "f",
            "where": "",
            "whereLanguage": "sql",
            "groupBy": ["a", "b"],
            "metricDataType": "gauge",
            "metricName": "m",
        }
    ],
}

USUAL: dict[str, dict[str, Any]] = {
    "PipeScaling": {"serviceId": UUID, "pipeId": UUID},
    "ApiKey": {"name": "reports", "roles": ["developer"]},
    "Dashboard": {"name": "Orders", "tiles": [{"name": "Rate"}]},
    "Alert": {
        "dashboardId": "d1",
        "tileId": "t1",
        "threshold": 5,
        "interval": "5m",
        "source": "tile",
        "thresholdType": "above",
        "channel": {"type": "webhook", "webhookId": "w1"},
    },
}
"""Good inputs of each resource, to which each case makes one change."""


def uuids(*names: str) -> list[Case]:
    """Cases of ids."""
    return [Case(f"{n} is a UUID", {n: UUID}, {n: "s-1"}, (f"{n} must be a UUID, not 's-1'",)) for n in names]


def required(resource: str, *names: str) -> list[Case]:
    """Cases of what must be there."""
    return [Case(f"{n} is required", {n: USUAL[resource][n]}, {n: None}, (f"{n} is required",)) for n in names]


def filled(**values: Any) -> list[Case]:
    """Cases of text that must not be blank."""
    return [
        Case(f"{n} is not empty", {n: v}, {n: " "}, (f"{n} must not be empty, not ' '",)) for n, v in values.items()
    ]


CASES: dict[str, list[Case]] = {
    "PipeScaling": [
        *limits("replicas", 1, 10, 0, 11),
        *limits("concurrency", 0, 34, -1, 35),
        *limits("replicaCpuMillicores", 125, 2000, 124, 2001),
        *limits("replicaMemoryGb", 0.5, 8, 0.25, 8.5),
        *one_of("onDelete", "restore retain"),
        *uuids("serviceId", "pipeId"),
        *required("PipeScaling", "serviceId", "pipeId"),
        *wrong_types(
            {
                "replicas": (2, 1.5, "must be a whole number"),
                "concurrency": (2, "2", "must be a whole number"),
                "replicaCpuMillicores": (250, True, "must be a whole number"),
                "replicaMemoryGb": (1.5, "1.5", "must be a number"),
            }
        ),
    ],
    "ApiKey": [
        Case(
            "roles have at least 1 element",
            {"roles": ["admin", "developer", "query_endpoints"]},
            {"roles": []},
            ("roles must have at least 1 element(s), not []",),
        ),
        Case(
            "each role is a known one",
            {"roles": ["query_endpoints"]},
            {"roles": ["admin", "root"]},
            ("roles[1] must be one of admin, developer, query_endpoints, not 'root'",),
        ),
        Case(
            "a new key has a name",
            {"name": None, "keyId": UUID},
            {"name": None},
            ("name is required for a new key; to adopt an existing one, give keyId",),
        ),
        Case(
            "a new key has roles",
            {"roles": None, "keyId": UUID},
            {"roles": None},
            ("roles is required for a new key, with at least 1 element",),
        ),
        Case("a name is not empty", {"name": "k"}, {"name": ""}, ("name must have at least 1 character(s), not ''",)),
        *one_of("state", "enabled disabled"),
        *(
            Case(
                f"expireAt may be {value!r}",
                {"expireAt": value},
                {"expireAt": bad},
                (f"expireAt {MOMENT}, not {bad!r}",),
            )
            for value, bad in (
                ("2999-01-31T00:00:00Z", "tomorrow"),
                ("2999-01-31T00:00:00.000+02:00", "2027-02-30T00:00:00Z"),
                ("", "2027"),
            )
        ),
        Case(
            "an entry of the IP list is an address",
            {"ipAccessList": [{"source": "10.0.0.0/8", "description": "office"}]},
            {"ipAccessList": [{"source": "10.0.0.0/8"}, {"source": "10.0.0.0/33"}, {"description": "office"}]},
            (f"ipAccessList[1].source {CIDR}, not '10.0.0.0/33'", "ipAccessList[2].source is required"),
        ),
        Case(
            "an expiry is not over",
            {"expireAt": "2999-01-31T00:00:00Z"},
            {"expireAt": "2025-01-31T00:00:00Z"},
            ("expireAt must be in the future, not 2025-01-31T00:00:00Z",),
        ),
        *vendor_service_rules.KEYS,
        *uuids("keyId"),
        Case(
            "an adopted key is not rotated",
            {"rotation": "2"},
            {"rotation": "2", "keyId": UUID},
            ("rotation is for keys this program creates; an adopted key (keyId) cannot be rotated",),
        ),
        Case(
            "an adopted key is not deleted",
            {"onDelete": "restore", "keyId": UUID},
            {"onDelete": "delete", "keyId": UUID},
            ("onDelete must be restore, disable or retain for an adopted key (keyId), not 'delete'",),
        ),
        Case(
            "a created key has nothing to restore",
            {"onDelete": "delete"},
            {"onDelete": "restore"},
            ("onDelete must be delete, disable or retain for a key this program creates, not 'restore'",),
        ),
        Case(
            "onDelete is one of four",
            {"onDelete": "disable"},
            {"onDelete": "other"},
            ("onDelete must be one of delete, restore, disable, retain, not 'other'",),
        ),
        *wrong_types(
            {
                "name": ("k", 5, "must be text"),
                "roles": (["admin"], "admin", "must be a list"),
                "rotation": ("1", 1, "must be text"),
            }
        ),
    ],
    "Dashboard": [
        *required("Dashboard", "name", "tiles"),
        *uuids("serviceId"),
        Case(
            "tiles have unique names",
            {"tiles": [{"name": "Rate"}, {"name": "Errors"}]},
            {"tiles": [{"name": "Rate"}, {"name": "Errors"}, {"name": "Rate"}]},
            (f"tiles {KEYS.format(repr('Rate'))}",),
        ),
        Case(
            "tiles of one name have keys of their own",
            {"tiles": [{"name": "Rate", "key": "a"}, {"name": "Rate"}]},
            {"tiles": [{"name": "Rate", "key": "a"}, {"name": "a"}]},
            (f"tiles {KEYS.format(repr('a'))}",),
        ),
        Case(
            "tiles have a key or a name",
            {"tiles": [{"key": "a"}, {"name": "b"}, {"name": ""}]},
            {"tiles": [{"key": "a"}, {"x": 1}, {"y": 1}]},
            ("tiles must each have a key or a name; without one: number 1, 2",),
        ),
        Case(
            "tiles have series or config",
            {"tiles": [{"name": "a", "series": []}, {"name": "b", "config": {"any": [1]}}]},
            {"tiles": [{"name": "a", "series": [], "config": {}}]},
            ("tiles must have series or config, not both: 'a'",),
        ),
        Case(
            "a key is not empty",
            {"tiles": [{"key": "a"}]},
            {"tiles": [{"name": "a", "key": ""}]},
            ("tiles[0].key must not be empty, not ''",),
        ),
        Case(
            "a failure is on the field of the series that it is about",
            {"tiles": [WHOLE_TILE]},
            {
                "tiles": [
                    {"name": "a", "x": "1", "asRatio": 1},
                    {"name": "b", "series": [{"aggFn": 5, "groupBy": ["a", 5]}, {"level": 0.9}, 7]},
                    "c",
                ]
            },
            (
                "tiles[0].x must be a number, not '1'",
                "tiles[0].asRatio must be true or false, not 1",
                "tiles[1].series[0].aggFn must be text, not 5",
                "tiles[1].series[0].groupBy[1] must be text, not 5",
                "tiles[1].series[1].level is supported only with clouddb:vocabulary=clickhouse",
                "tiles[1].series[2] must be an object, not 7",
                "tiles[2] must be an object, not 'c'",
            ),
        ),
        *wrong_types(
            {
                "name": ("d", 5, "must be text"),
                "tags": (["a"], "a", "must be a list"),
                "tiles": ([{"name": "a"}], {}, "must be a list"),
            }
        ),
        Case("tags are text", {"tags": []}, {"tags": ["a", 1]}, ("tags[1] must be text, not 1",)),
        Case(
            "config is an object",
            {"tiles": [{"name": "a", "config": {}}]},
            {"tiles": [{"name": "a", "config": []}]},
            ("tiles[0].config must be an object, not []",),
        ),
        *vendor_dashboards.DASHBOARDS,
    ],
    "Alert": [
        *required("Alert", "threshold", "interval", "thresholdType", "channel"),
        *uuids("serviceId"),
        *filled(dashboardId="d", tileId="t", source="saved_search", thresholdType="below", name="n", message="m"),
        *(
            Case(
                f"an interval may be {value}",
                {"interval": value},
                {"interval": bad},
                (f"interval must be a number with a unit such as 5m or 1h, not {bad!r}",),
            )
            for value, bad in (("1m", "5"), ("30m", "m"), ("12h", "0m"), ("1d", "5 m"))
        ),
        Case(
            "a channel has a type",
            {"channel": {"type": "email"}},
            {"channel": {"webhookId": ""}},
            ("channel.type is required", "channel.webhookId must not be empty, not ''"),
        ),
        *wrong_types(
            {
                "threshold": (-0.5, "5", "must be a number"),
                "interval": ("5m", 5, "must be text"),
                "channel": ({"type": "webhook"}, "w1", "must be an object"),
            }
        ),
        *vendor_rules.ALERTS,
    ],
}
for _cases in CASES.values():
    _cases.append(Case("there are no other properties", {}, {"colour": "red"}, ("colour is not supported here",)))

ALL = [
    pytest.param(resource, case, id=f"{resource}: {case.rule}") for resource, cases in CASES.items() for case in cases
]


@pytest.mark.parametrize(("resource", "case"), ALL)
def test_what_keeps_the_rule_passes(resource: str, case: Case, front_ends_of: MakeFrontEnds) -> None:
    """Inputs within a limit come back unchanged and without a failure."""
    inputs = {name: value for name, value in {**USUAL[resource], **case.passes}.items() if value is not None}
    checked = front_ends_of(**case.config).check(resource, inputs)
    assert checked.failures == []
    assert checked.inputs == inputs


@pytest.mark.parametrize(("resource", "case"), ALL)
def test_what_breaks_the_rule_fails_on_its_property(resource: str, case: Case, front_ends_of: MakeFrontEnds) -> None:
    """The failure is on the property's path, and says the limit and the value."""
    checked = front_ends_of(**case.config).check(resource, {**USUAL[resource], **case.fails})
    assert checked.failures == list(case.says)


@pytest.mark.parametrize(("resource", "case"), ALL)
def test_what_breaks_the_rule_is_not_quoted_where_it_is_secret(resource: str, case: Case, tmp_path: Path) -> None:
    """The rule is said, and nothing of the values, be they checked by themselves or against each other."""
    inputs = {**USUAL[resource], **case.fails}
    process = ProviderProcess(config_of(baseUrl=URL, stackUrl=URL, **case.config), tmp_path)
    failures = RESOURCES[resource].check(process, inputs, {*inputs}).failures
    assert len(failures) == len(case.says)
    assert [failure for failure in failures if not quotes_nothing(failure)] == []


@pytest.mark.parametrize("resource", CASES)
def test_every_property_has_a_case(resource: str) -> None:
    """A property that is added to a model needs a rule here."""
    named = {name for case in CASES[resource] for name in case.passes}
    assert named == set(RESOURCES[resource].type.inputs.model_json_schema()["properties"])


@pytest.mark.parametrize(
    ("resource", "name"),
    [
        (resource, name)
        for resource in CASES
        for name in RESOURCES[resource].type.inputs.model_json_schema()["properties"]
    ],
)
def test_a_value_that_is_not_known_yet_is_let_through(resource: str, name: str, front_ends: FrontEnds) -> None:
    """Nothing is said about an unknown value, and it stays unknown."""
    checked = front_ends.check(resource, {**USUAL[resource], name: UNKNOWN})
    assert checked.failures == []
    assert checked.inputs[name] is UNKNOWN


@pytest.mark.parametrize(
    ("resource", "inputs", "paths"),
    [
        pytest.param(
            "ApiKey", {"keyId": UNKNOWN, "rotation": "1", "onDelete": "delete"}, [], id="a key of unknown origin"
        ),
        pytest.param("ApiKey", {"name": "k", "roles": [UNKNOWN, "root"]}, ["roles[1]"], id="a role among unknown ones"),
        pytest.param(
            "Dashboard",
            {"name": "d", "tiles": [{"name": UNKNOWN}, {"name": UNKNOWN}, {"key": UNKNOWN, "x": "1"}]},
            ["tiles[2].x"],
            id="tiles of unknown names",
        ),
        pytest.param(
            "Dashboard", {"name": "d", "tiles": [{"name": UNKNOWN}, {"x": 0}]}, ["tiles"], id="a tile without any name"
        ),
        pytest.param(
            "Dashboard",
            {"name": "d", "tiles": [{"name": "a", "series": [{"sourceId": UNKNOWN, "aggFn": 1}], "config": UNKNOWN}]},
            ["tiles[0].series[0].aggFn", "tiles"],
            id="a series of an unknown source",
        ),
        pytest.param(
            "Dashboard", {"name": "d", "tiles": [{"name": "a", "config": {"b": [UNKNOWN]}}]}, [], id="unknown config"
        ),
        pytest.param(
            "Alert",
            {**USUAL["Alert"], "channel": {"type": UNKNOWN, "webhookId": 1}},
            ["channel.webhookId"],
            id="an unknown channel",
        ),
    ],
)
def test_unknown_values_hide_nothing_else(
    resource: str, inputs: dict[str, Any], paths: list[str], front_ends: FrontEnds
) -> None:
    """Beside unknown values, at any depth, the known ones are judged as ever, and rules between fields wait."""
    assert front_ends.check(resource, inputs).paths == paths


@pytest.mark.parametrize(
    ("resource", "inputs", "paths"),
    [
        ("PipeScaling", {"replicas": 11, "concurrency": 35}, ["replicas", "concurrency", "serviceId", "pipeId"]),
        (
            "ApiKey",
            {"state": "on", "roles": [], "ipAccessList": [{}]},
            ["ipAccessList[0].source", "roles", "state", "name"],
        ),
        ("Dashboard", {"tags": 1}, ["name", "tags", "tiles"]),
        ("Alert", {"name": ""}, ["threshold", "interval", "thresholdType", "name", "channel"]),
    ],
)
def test_all_failures_show_together(
    resource: str, inputs: dict[str, Any], paths: list[str], front_ends: FrontEnds
) -> None:
    """One preview shows everything that is wrong."""
    assert front_ends.check(resource, inputs).paths == paths


def test_defaults_are_filled_in(front_ends: FrontEnds) -> None:
    """What has a constant default is there after check, so that it shows in a preview."""
    given = {name: value for name, value in USUAL["Alert"].items() if name != "source"}
    assert front_ends.check("Alert", given).inputs == USUAL["Alert"]


@pytest.mark.parametrize(("vocabulary", "most"), [("neutral", 10), ("clickhouse", 40)])
def test_the_vocabulary_decides_on_the_most_replicas_of_a_pipe(
    vocabulary: str, most: int, front_ends_of: MakeFrontEnds
) -> None:
    """The vendor's own servers let a pipe have 40 replicas."""
    host = front_ends_of(vocabulary=vocabulary)
    assert host.check("PipeScaling", {**USUAL["PipeScaling"], "replicas": most}).failures == []
    (failure,) = host.check("PipeScaling", {**USUAL["PipeScaling"], "replicas": most + 1}).failures
    assert failure == f"replicas must be at most {most}, not {most + 1}"


CONFIG = [
    (
        "baseUrl",
        "api.example.com",
        "must be an http or https address such as https://api.example.com, not 'api.example.com'",
    ),
    ("baseUrl", "ftp://example.com", "must be an http or https address"),
    ("baseUrl", "http://api.example.com", "must be https: plain http would show the credentials"),
    ("stackUrl", "http://localhost.example.com:8000", "must be https: plain http would show the credentials"),
    ("stackUrl", "http://10.0.0.1", "must be https: plain http would show the credentials"),
    ("baseUrl", "https://user:hunter2@api.example.com", "must not hold credentials; they belong in clouddb:keyId"),
    ("organizationId", "my-org", "must be a UUID, not 'my-org'"),
    ("vocabulary", "klingon", "must be one of neutral, clickhouse, not 'klingon'"),
    ("organizationTier", "basic", "must be one of BASIC, SCALE, ENTERPRISE, not 'basic'"),
    ("paid", "yes", "must be true or false, not 'yes'"),
    ("pacing", "1", "must be true or false, not 1"),
    ("requestTimeoutSeconds", "0.5", "must be at least 1, not 0.5"),
    ("requestTimeoutSeconds", "601", "must be at most 600, not 601"),
    ("retryTimeoutSeconds", "-1", "must be at least 0, not -1"),
    ("retryTimeoutSeconds", "3601", "must be at most 3600, not 3601"),
    ("pollIntervalSeconds", "0.01", "must be at least 0.05, not 0.01"),
    ("pollIntervalSeconds", "301", "must be at most 300, not 301"),
    ("pollIntervalSeconds", "soon", "must be a number, not 'soon'"),
    ("paths", "list_services=/v1", "must be an object, not 'list_services=/v1'"),
]


@pytest.mark.parametrize(("name", "value", "says"), CONFIG, ids=[f"{name}={value}" for name, value, _ in CONFIG])
def test_a_setting_that_cannot_be_used_is_refused(name: str, value: str, says: str) -> None:
    """The message names the setting, the limit and the value, and where to set it; never credentials."""
    with pytest.raises(ConfigError) as caught:
        provider_config({name: value}.get)
    first, second = str(caught.value).split("\n")
    assert first.startswith(f"clouddb:{name} {says}")
    assert second.startswith("Set it with `pulumi config set`, or in the environment as CLOUDDB_")
    assert "hunter2" not in str(caught.value)
    assert "Traceback" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("paid", "false", False),
        ("pacing", "true", True),
        ("requestTimeoutSeconds", "1", 1),
        ("retryTimeoutSeconds", "0", 0),
        ("pollIntervalSeconds", "0.05", 0.05),
        ("baseUrl", "https://api.example.com/prefix/", "https://api.example.com/prefix"),
        ("baseUrl", "http://127.0.0.1:8980", "http://127.0.0.1:8980"),
        ("stackUrl", "http://localhost:8000/", "http://localhost:8000"),
        ("stackUrl", "http://[::1]:8000", "http://[::1]:8000"),
        ("keySecret", "12345", "12345"),
        ("paths", '{"list_services": "/v1/all"}', {"list_services": "/v1/all"}),
    ],
)
def test_settings_are_text_and_mean_what_they_say(name: str, text: str, value: Any) -> None:
    """Stack configuration holds text only; numbers, flags and objects are read from it."""
    assert provider_config({name: text}.get).model_dump(by_alias=True)[name] == value


@pytest.mark.parametrize(
    ("stack", "environment", "expected"),
    [
        ("from-stack", "from-env", "from-stack"),
        (None, "from-env", "from-env"),
        ("", "from-env", "from-env"),
        (None, "", None),
    ],
)
def test_the_stack_comes_before_the_environment(
    stack: str | None, environment: str, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Empty text counts as none."""
    monkeypatch.setenv("CLOUDDB_KEY_ID", environment)
    assert provider_config({"keyId": stack}.get).key_id == expected


def test_several_bad_settings_show_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them are named in one message."""
    monkeypatch.setenv("CLOUDDB_PAID", "maybe")
    with pytest.raises(ConfigError) as caught:
        provider_config({"vocabulary": "klingon"}.get)
    assert "clouddb:vocabulary must be one of" in str(caught.value)
    assert "clouddb:paid must be true or false, not 'maybe'" in str(caught.value)
    assert str(caught.value).count("\n") == 1


def test_a_bad_setting_shows_as_a_message_at_the_terminal(tmp_path: Path) -> None:
    """Through the real host, too, the user reads what to set, and no credentials."""
    config = {"clouddb:baseUrl": "https://user:hunter2@api.example.com"}
    with DynamicHost(config, tmp_path) as host, pytest.raises(HostError) as caught:
        host.check("Alert", USUAL["Alert"])
    assert "clouddb:baseUrl must not hold credentials" in str(caught.value)
    assert "hunter2" not in str(caught.value)
