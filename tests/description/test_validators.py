"""Bodies are validated against the kept facts and the overlay."""

from __future__ import annotations

from typing import Any

import pytest

from description.validators import faults

ALERT: dict[str, Any] = {
    "threshold": 1,
    "thresholdType": "above",
    "interval": "5m",
    "channel": {"type": "webhook", "webhookId": "0" * 24},
}
WITHOUT_THRESHOLD = {name: value for name, value in ALERT.items() if name != "threshold"}
TILE = {"name": "Errors", "x": 0, "y": 0, "w": 6, "h": 4}
LINE = {"displayType": "line", "sourceId": "0" * 24, "select": [{"aggFn": "count"}]}
EMAIL = {"type": "email", "emailRecipients": ["a@example.com"]}

FILTERS = {"databaseName": "default", "tableName": "filters", "columns": []}
LOGS = {
    "kind": "log",
    "name": "Logs",
    "connection": "0" * 24,
    "from": {"databaseName": "default", "tableName": "otel_logs"},
    "timestampValueExpression": "Timestamp",
    "defaultTableSelectExpression": "Body",
}


def board(*configs: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a dashboard with tiles of these configurations."""
    return {"name": "Errors", "tiles": [{**TILE, "config": config} for config in configs], **more}


def kafka(**credentials: str) -> dict[str, Any]:
    """Return a change of the credentials of a pipe."""
    return {"source": {"kafka": {"credentials": credentials}}}


BODIES: dict[str, tuple[str, str, Any, list[str]]] = {
    "a valid body": ("self_hosted_create_alert", "request", ALERT, []),
    "an unknown property": (
        "self_hosted_create_alert",
        "request",
        {**ALERT, "colour": "red"},
        ["additionalProperties colour"],
    ),
    "an unknown property of a type among several": (
        "create_alert",
        "request",
        {**ALERT, "channel": {"type": "webhook", "webhookId": "0" * 24, "colour": "red"}},
        ["additionalProperties channel.colour"],
    ),
    "a missing property": ("self_hosted_create_alert", "request", WITHOUT_THRESHOLD, ["required threshold"]),
    "another type": ("self_hosted_create_alert", "request", {**ALERT, "threshold": "1"}, ["type threshold"]),
    "an unknown value": ("self_hosted_create_alert", "request", {**ALERT, "interval": "2m"}, ["enum interval"]),
    "no date": (
        "self_hosted_create_alert",
        "request",
        {**ALERT, "scheduleStartAt": "soon"},
        ["format scheduleStartAt"],
    ),
    "no id": ("create_private_endpoint", "response", {"id": 1}, ["type id"]),
    "no object": ("create_alert", "request", [], ["type "]),
    "a body that is not described": ("delete_alert", "response", {"id": "1"}, [" "]),
    "a missing property of one of fifteen configurations": (
        "create_dashboard",
        "request",
        board(LINE, {"displayType": "line", "sourceId": "0" * 24}),
        ["required tiles.1.config.select"],
    ),
    "a property of another configuration": (
        "create_dashboard",
        "request",
        board({**LINE, "markdown": "#"}),
        ["additionalProperties tiles.0.config.markdown"],
    ),
    "a configuration that has more of another one": (
        "create_dashboard",
        "request",
        board({"displayType": "line", "markdown": "#"}),
        [
            "additionalProperties tiles.0.config.markdown",
            "required tiles.0.config.select",
            "required tiles.0.config.sourceId",
        ],
    ),
    "no known configuration": (
        "create_dashboard",
        "request",
        board({**LINE, "displayType": "lime"}),
        ["enum tiles.0.config.displayType"],
    ),
    "the last of hundreds of tiles": (
        "create_dashboard",
        "request",
        board(*[LINE] * 400, {**LINE, "colour": "red"}),
        ["additionalProperties tiles.400.config.colour"],
    ),
    "one of several kinds of credentials": ("update_pipe", "request", kafka(username="a", password="b"), []),
    "credentials of two kinds": (
        "update_pipe",
        "request",
        kafka(username="a", password="b", connectionString="c"),
        ["additionalProperties source.kafka.credentials.connectionString"],
    ),
    "a property that only the newer description has": (
        "create_dashboard",
        "request",
        board({**LINE, "seriesLimit": 3}),
        [],
    ),
    "a property that only the cloud has": ("create_alert", "request", {**ALERT, "channel": EMAIL}, []),
    "one of each in the same value": (
        "create_source",
        "request",
        {**LOGS, "filterSettings": FILTERS, "serviceVersionExpression": "version"},
        [],
    ),
    "a property of the cloud on a self-hosted server": (
        "self_hosted_create_alert",
        "request",
        {**ALERT, "channel": EMAIL},
        [
            "required channel.webhookId",
            "enum channel.type",
            "additionalProperties channel.emailRecipients",
        ],
    ),
    "a limit that only the newer description has": (
        "create_dashboard",
        "request",
        board(name="n" * 1025),
        ["maxLength name"],
    ),
    "a value in a response beyond a limit that only the newer description has": (
        "validate_dashboard",
        "response",
        {"errors": [], "valid": True, "normalized": board(name="n" * 1025)},
        [],
    ),
    "null against the description": ("self_hosted_get_dashboard", "response", {"savedQueryLanguage": None}, []),
}


@pytest.mark.parametrize("case", BODIES)
def test_bodies_are_validated_against_the_facts(case: str) -> None:
    """The faults of a value of several types are those of the type that it has."""
    name, part, value, expected = BODIES[case]
    found = [f"{each.keyword} {'.'.join(map(str, each.path))}" for each in faults(name, part, value)]
    assert sorted(found) == sorted(expected)
