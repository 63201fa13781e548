"""What a server would refuse of a new object, and a preview says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import fill
from lives.table import WIRE_LIVES
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from support.ids import CONNECTION, LOGS, METRICS, TRACES
from support.sessions import ProviderProcess, config_for

FUNCTION = next(each.before for each in WIRE_LIVES if each.life.name == "UserDefinedFunction")


def board(config: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a dashboard with one tile."""
    return {"name": "Shop", "tiles": [{"name": "Latency", "x": 0, "y": 0, "w": 6, "h": 3, "config": config, **more}]}


HEATMAP = {"displayType": "heatmap", "sourceId": TRACES, "select": [{"valueExpression": "Duration"}]}
FORMULA = {
    "displayType": "line",
    "sourceId": LOGS,
    "select": [{"aggFn": "count"}],
    "formulas": [{"expression": "A * 2"}],
}
CLICK: dict[str, Any] = {
    "displayType": "table",
    "sourceId": LOGS,
    "select": [{"aggFn": "count"}],
    "onClick": {"type": "search", "target": {"mode": "id", "id": LOGS}, "whereLanguage": "lucene"},
}
BY_SERVER: dict[str, tuple[str, dict[str, Any], dict[str, Any], str]] = {
    "a heatmap of logs": (
        "Dashboard",
        board(HEATMAP),
        board({**HEATMAP, "sourceId": LOGS}),
        f"is a heatmap, which needs a source of kind trace; source {LOGS} is of kind log",
    ),
    "formulas over sessions": (
        "Dashboard",
        board(FORMULA),
        board({**FORMULA, "sourceId": "$sessions"}),
        "has formulas, which needs a source of kind log, trace and metric",
    ),
    "a search of metrics": (
        "Dashboard",
        board(CLICK),
        board({**CLICK, "onClick": {**CLICK["onClick"], "target": {"mode": "id", "id": METRICS}}}),
        "opens a search, which needs a source of kind log and trace",
    ),
    "a container that is not declared": (
        "Dashboard",
        {
            **board(FORMULA, containerId="c"),
            "containers": [{"id": "c", "title": "C", "collapsed": False}],
        },
        board(FORMULA, containerId="c"),
        "has only the containers and tabs that it declares; 'Latency' has the containerId 'c'",
    ),
    "an infrastructure without its account": (
        "ByocInfrastructure",
        {"regionId": "us-east-1", "accountId": "123456789012"},
        {"regionId": "us-east-1"},
        "cannot be created: the program does not set its account",
    ),
}
"""Inputs of a new object, those that the server would refuse, and why."""


@pytest.mark.parametrize("case", BY_SERVER)
def test_preview_tells_what_the_create_would(case: str, tmp_path: Path) -> None:
    """For a check, an import is as new as a create, so both are warned; what does not change in an update passes."""
    kind, valid, invalid, message = BY_SERVER[case]
    with Sandbox(vocabulary="clickhouse") as sandbox:
        process, resource = ProviderProcess(config_for(sandbox), tmp_path), RESOURCES[kind]
        names = {"sessions": str(sandbox.add("sources", name="Sessions", kind="session", connection=CONNECTION)["id"])}
        valid, invalid = fill(valid, names), fill(invalid, names)
        for inputs, warned in ((valid, False), (invalid, True)):
            assert lifecycle.check(process, resource, inputs).failures == []
            assert any(message in each for each in process.warnings) is warned
        assert lifecycle.check(process, resource, invalid, old=invalid).failures == []


def test_update_to_another_kind_of_source_is_refused(tmp_path: Path) -> None:
    """The server refuses a changed tile for certain."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        process, resource = ProviderProcess(config_for(sandbox), tmp_path), RESOURCES["Dashboard"]
        _, valid, invalid, message = BY_SERVER["a heatmap of logs"]
        assert [message in str(each) for each in lifecycle.check(process, resource, invalid, old=valid).failures] == [
            True
        ]


def test_function_without_code_is_warned_of(process: ProviderProcess) -> None:
    """A create refuses it, and an import does not: for a check, both are new."""
    for inputs, warned in ((FUNCTION, False), ({**FUNCTION, "files": None}, True)):
        assert lifecycle.check(process, RESOURCES["UserDefinedFunction"], inputs).failures == []
        assert any("the program does not set its code" in each for each in process.warnings) is warned
