"""The query language is sent with each text: without one, an alert on a tile fails at every check, and never fires."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from support.ids import CONNECTION, LOGS, TRACES

from .case import Case, Run, Step
from .cases_unsaid import CLICKHOUSE
from .steps import change, create, diff, later_command, refresh, update

PLACE = {"x": 0, "y": 0, "w": 6, "h": 3}
COUNT = {"aggFn": "count", "where": "SeverityText:error"}
SQL = {**COUNT, "where": "SeverityText = 'error'", "whereLanguage": "sql"}
TEXTS = {"where": "whereLanguage", "whereTemplate": "whereLanguage", "savedQuery": "savedQueryLanguage"}
"""The texts in bodies, and the properties of their languages."""


def tile(name: str, config: Any) -> dict[str, Any]:
    """Return a tile with this config."""
    return {"name": name, **PLACE, "config": config}


def series(kind: str, **more: Any) -> dict[str, Any]:
    """Return a tile with one series."""
    grouped: dict[str, Any] = {"groupBy": []} if kind in ("time", "table") else {}
    fields = {"fields": ["Body"]} if kind == "search" else {"aggFn": "count", **grouped}
    return {
        "name": kind,
        **PLACE,
        "series": [{"type": kind, "sourceId": LOGS, "where": "SeverityText:error", **fields, **more}],
    }


def board(*tiles: Any, **more: Any) -> dict[str, Any]:
    """Return a dashboard."""
    return {"name": "Orders", "tiles": list(tiles), **more}


LINE = {"displayType": "line", "sourceId": LOGS, "select": [COUNT]}
RAW_SQL = {"displayType": "line", "configType": "sql", "sqlTemplate": "SELECT 1"}
CLICK = {"type": "search", "target": {"mode": "id", "id": LOGS}, "whereTemplate": "ServiceName:{{ServiceName}}"}
LATENCY = {"displayType": "heatmap", "sourceId": TRACES, "select": [{"valueExpression": "Duration"}], "where": "a:1"}
CONFIGS: dict[str, dict[str, Any]] = {
    "a selected value": LINE,
    "the second of two values": {**LINE, "select": [{"aggFn": "count"}, COUNT], "asRatio": True},
    "a table and its clicks": {**LINE, "displayType": "table", "onClick": CLICK},
    "a heatmap": LATENCY,
    "a search": {"displayType": "search", "sourceId": LOGS, "columns": "Body", "where": "a:1"},
    "event patterns": {"displayType": "event_patterns", "sourceId": LOGS, "where": "a:1"},
}
FILTER = {"type": "QUERY_EXPRESSION", "name": "Service", "expression": "ServiceName", "sourceId": LOGS, "where": "a"}
SEARCH = {"name": "Errors", "sourceId": LOGS, "where": "SeverityText:error"}
BOARDS: dict[str, dict[str, Any]] = {
    **{name: board(tile(name, config)) for name, config in CONFIGS.items()},
    "series": board(*map(series, ("time", "table", "number", "search"))),
    "a filter": board(tile("t", LINE), filters=[FILTER]),
    "a saved query": board(tile("t", LINE), savedQuery="ServiceName:checkout"),
}

EXPECTED = {"a filter": ("sql", "lucene")}
"""The languages in the order of the body, if one is not lucene."""


def sent(run: Run) -> Any:
    """Return the last body of a POST or PUT."""
    return [each.body for each in run.sandbox.requests if each.method in ("POST", "PUT")][-1]


def texts(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield each text in a body with its language."""
    if isinstance(value, dict):
        yield from ((value[name], value.get(language)) for name, language in TEXTS.items() if value.get(name))
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts(each)


def has_languages(*expected: str) -> Step:
    """Assert that each text of the last body has a language: these, in order, or lucene."""

    def act(run: Run) -> None:
        sent_languages = [language for _, language in texts(sent(run))]
        assert sent_languages, sent(run)
        assert sent_languages == list(expected or ["lucene"] * len(sent_languages)), sent(run)

    return change(act)


def without_mark() -> Step:
    """Replace the state by that of an older version, which sent no language and recorded nothing."""

    def act(run: Run) -> None:
        run.state = {name: value for name, value in run.state.items() if name != "__languages"}

    return change(act)


def languages(resource: str, name: str, *steps: Step, **more: Any) -> Case:
    """Return a case on the vendor's server."""
    return Case(f"languages: {name}", resource, steps, **{"server": CLICKHOUSE, **more})


def keeps(inputs: dict[str, Any], *expected: str) -> tuple[Step, ...]:
    """Create and update an object; there are no differences before or after."""
    edited = {**inputs, "name": "Returns"}
    return (
        create(inputs),
        has_languages(*expected),
        later_command(),
        diff(inputs, changes=False),
        refresh(inputs=inputs),
        diff(inputs, changes=False),
        update(edited),
        has_languages(*expected),
        later_command(),
        refresh(inputs=edited),
        diff(edited, changes=False),
    )


TWO = board(tile("a", LINE), tile("b", {**LINE, "select": [SQL]}))

CASES = [
    *(
        languages(
            "Dashboard", f"{name} of the vendor", *keeps(inputs, *(["lucene", "sql"] if name == "a filter" else []))
        )
        for name, inputs in BOARDS.items()
    ),
    languages("Dashboard", "a language in the program", *keeps(TWO, "lucene", "sql")),
    languages("Dashboard", "series in the neutral dialect", *keeps(board(series("time"))), server={}),
    languages("Dashboard", "a config in the neutral dialect", *keeps(BOARDS["a selected value"]), server={}),
    languages("SavedSearch", "a saved search", *keeps(SEARCH)),
    languages(
        "SavedSearch",
        "a language that was set by hand is kept",
        create({"name": "Errors", "sourceId": LOGS, "where": "a = 1"}),
        later_command(),
        change(lambda run: run.sandbox.change("saved_searches", run.id, whereLanguage="sql")),
        refresh(),
        update({"name": "Returns", "sourceId": LOGS, "where": "a = 1"}),
        has_languages("sql"),
    ),
    languages(
        "Dashboard",
        "tiles of an older version are sent once more",
        create(board(tile("a", LINE))),
        without_mark(),
        later_command(),
        refresh(inputs=board(tile("a", LINE))),
        diff(board(tile("a", LINE)), changes=True, replaces=[]),
        update(board(tile("a", LINE))),
        has_languages(),
        later_command(),
        diff(board(tile("a", LINE)), changes=False),
        refresh(),
        diff(board(tile("a", LINE)), changes=False),
        warns=("Dashboard 'Orders' is updated once, since an earlier version",),
    ),
    *(
        languages(
            "Dashboard",
            f"nothing is sent again: {name}",
            create(inputs),
            without_mark(),
            later_command(),
            diff(inputs, changes=False),
        )
        for name, inputs in {
            "the program sets the language": board(tile("a", {**LINE, "select": [SQL]})),
            "no condition": board(tile("a", {**LINE, "select": [{"aggFn": "count", "where": ""}]})),
            "servers complete a search": board(tile("a", CONFIGS["a search"])),
            "servers complete series": BOARDS["series"],
            "raw SQL": board(
                tile(
                    "a",
                    {"displayType": "line", "configType": "sql", "connectionId": CONNECTION, "sqlTemplate": "SELECT 1"},
                )
            ),
        }.items()
    ),
]
"""The cases."""
