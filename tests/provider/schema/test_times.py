"""Times: each accepted form is sent in one form and causes no drift; others are rejected with an example."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from description.bodies import bodies_of, facts_of
from description.facts import Facts, Schema
from description.shapes import types_of
from pulumi_clouddb.registry import OPERATIONS, RESOURCES
from pulumi_clouddb.schema.base import Model
from pulumi_clouddb.schema.check.findings import failures_of
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.convert import with_stamps
from pulumi_clouddb.schema.values import Path as ValuePath
from pulumi_clouddb.schema.values import show_path
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, VocabularyName
from support.front_ends import MakeFrontEnds
from support.ids import CALM, LOGS
from support.refused import properties_of
from support.sessions import ProviderProcess, config_for

NOON = (datetime.now(timezone.utc) + timedelta(days=30)).replace(hour=12, minute=0, second=0, microsecond=0)
DAY = f"{NOON:%Y-%m-%d}"
STAMP = f"{DAY}T12:00:00Z"
EXAMPLE = "such as 2027-01-31T00:00:00Z"

ACCEPTED = {
    "UTC": (STAMP, STAMP),
    "UTC with milliseconds": (f"{DAY}T12:00:00.000Z", STAMP),
    "part of a second": (f"{DAY}T12:00:00.25Z", f"{DAY}T12:00:00.250Z"),
    "microseconds": (f"{DAY}T12:00:00.123456Z", f"{DAY}T12:00:00.123Z"),
    "nanoseconds": (f"{DAY}T12:00:00.123456789Z", f"{DAY}T12:00:00.123Z"),
    "Python's isoformat in UTC": (NOON.isoformat(), STAMP),
    "Python's microseconds": (NOON.replace(microsecond=987654).isoformat(), f"{DAY}T12:00:00.987Z"),
    "Python's isoformat without a time zone": (NOON.replace(tzinfo=None).isoformat(), STAMP),
    "Python's str": (str(NOON), STAMP),
    "east of UTC": (f"{DAY}T14:00:00+02:00", STAMP),
    "west of UTC": (f"{DAY}T06:30:00-05:30", STAMP),
    "an offset without a colon": (f"{DAY}T14:00:00+0200", STAMP),
    "lower case": (f"{DAY}t12:00:00z", STAMP),
    "without seconds": (f"{DAY}T12:00Z", STAMP),
}
"""Accepted forms, and what is sent."""

REFUSED = {
    "a day": DAY,
    "a word": "soon",
    "seconds since 1970": str(int(NOON.timestamp())),
    "without punctuation": f"{NOON:%Y%m%dT%H%M%SZ}",
    "a day that does not exist": "2027-02-30T00:00:00Z",
    "a time zone by name": f"{DAY}T12:00:00 CET",
}


def places(model: type[Model], value: str) -> Iterator[tuple[ValuePath, dict[str, Any]]]:
    """Yield the path of each time at any depth, and inputs with this value there."""
    written = (inputs for _, inputs in properties_of(model, f"{DAY}T12:00:00.000Z"))
    for (path, inputs), in_another_form in zip(properties_of(model, value), written, strict=True):
        if _at(with_stamps(model, in_another_form), path) == STAMP:
            yield path, inputs


def _at(value: Any, path: ValuePath) -> Any:
    for part in path:
        value = value[part]
    return value


def _with(value: Any, path: ValuePath, time: str) -> Any:
    """Return a value with another time at a path."""
    if not path:
        return time
    first, *rest = path
    copied = value.copy()
    copied[first] = _with(value[first], tuple(rest), time)
    return copied


TIMES = [
    pytest.param(kind, path, id=f"{kind}.{show_path(path)}")
    for kind, handler in RESOURCES.items()
    for path, _ in places(handler.type.inputs, STAMP)
]


ELSEWHERE = {"PostgresService.restoreTarget": "PostgresService.restoreFrom.time"}
"""Times that programs set under another name."""


def described_times(facts: Facts, schema: Schema, path: str) -> Iterator[str]:
    """Yield the path of each time at any depth of a described value."""
    for type_ in types_of(facts, schema):
        if type_.get("format") == "date-time":
            yield path
        for name, each in type_.get("properties", {}).items():
            yield from described_times(facts, each, f"{path}.{name}")
        if "items" in type_:
            yield from described_times(facts, type_["items"], f"{path}[0]")


def test_times_are_declared_where_they_are_described() -> None:
    """A time that is declared as text would be missing, and a text that is declared as a time would be too much."""
    described = {
        path
        for name, operation in OPERATIONS.items()
        for resource in [next(kind for kind, each in RESOURCES.items() if operation in each.collection.operations())]
        for body in bodies_of(name, "request")
        for path in described_times(facts_of(body.file), body.schema or {}, resource)
    }
    assert {each.id for each in TIMES} == {ELSEWHERE.get(path, path) for path in described}


@pytest.mark.parametrize("spelling", [*ACCEPTED, *REFUSED])
@pytest.mark.parametrize(("kind", "path"), TIMES)
def test_time_is_sent_in_one_form_or_rejected(kind: str, path: ValuePath, spelling: str) -> None:
    """The error has the path, the value and an example. An accepted time equals the server's form of it."""
    type_, name = RESOURCES[kind].type, str(path[0])
    value, sent = ACCEPTED.get(spelling) or (REFUSED[spelling], "")
    inputs = next(inputs for each, inputs in places(type_.inputs, value) if each == path)
    failures = failures_of(type_.inputs, inputs, RuleContext(vocabulary=CLICKHOUSE))
    reasons = [each.reason for each in failures if each.path == show_path(path)]
    if spelling in REFUSED:
        assert len(reasons) == 1
        assert EXAMPLE in reasons[0]
        assert reasons[0].endswith(f"not {value!r}")
        return
    assert reasons == []
    body = with_stamps(type_.inputs, inputs)
    assert _at(body, path) == sent
    answered = _with(inputs, path, sent.replace(":00Z", ":00.000Z"))
    assert type_.normalized(name, inputs[name]) == type_.normalized(name, answered[name])


@pytest.mark.parametrize("spelling", ACCEPTED)
def test_key_and_alert_keep_their_time(spelling: str, tmp_path: Path) -> None:
    """The server returns milliseconds: this causes neither drift nor a second update."""
    value, sent = ACCEPTED[spelling]
    on_server = sent if "." in sent else sent.replace("Z", ".000Z")
    with Sandbox(vocabulary=VocabularyName.CLICKHOUSE) as sandbox:
        process = ProviderProcess(config_for(sandbox), tmp_path)
        board = {
            "name": "Errors",
            "tiles": [
                {
                    "name": "Errors",
                    "x": 0,
                    "y": 0,
                    "w": 6,
                    "h": 3,
                    "config": {
                        "displayType": "line",
                        "sourceId": LOGS,
                        "select": [{"aggFn": "count", "where": "", "whereLanguage": "lucene"}],
                    },
                }
            ],
        }
        board_id, outputs = process.create("Dashboard", board)
        alert = {
            "dashboardId": board_id,
            "tileId": outputs["tileIds"]["Errors"],
            "scheduleStartAt": value,
            "threshold": 1,
            "thresholdType": "above",
            "interval": "5m",
            "channel": {"type": "webhook", "webhookId": CALM},
        }
        for kind, inputs, name in (
            ("ApiKey", {"name": "ci", "roles": ["developer"], "expireAt": value}, "expireAt"),
            ("Alert", alert, "scheduleStartAt"),
        ):
            id_, state = process.create(kind, inputs)
            objects = sandbox.keys if kind == "ApiKey" else sandbox.objects("alerts")
            assert objects[id_][name] == on_server
            live = process.read(kind, id_, state)
            assert (live.inputs[name], live.state[name]) == (value, value)
            assert process.changes(kind, live.state, inputs) == ()


def test_both_front_ends_accept_a_time_without_a_time_zone(front_ends_of: MakeFrontEnds) -> None:
    """It has the form of `str(datetime)`."""
    alert = {
        "dashboardId": "d",
        "tileId": "t",
        "threshold": 1,
        "thresholdType": "above",
        "interval": "5m",
        "channel": {"type": "webhook", "webhookId": CALM},
        "scheduleStartAt": ACCEPTED["Python's str"][0],
    }
    assert front_ends_of(vocabulary="clickhouse").check("Alert", alert).failures == []
