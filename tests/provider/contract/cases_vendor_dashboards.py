"""Dashboards of the vendor's servers: filters, containers, tiles of every kind, and alerts deleted with their tiles."""

from __future__ import annotations

from typing import Any

from lives.life import a_dashboard
from support.ids import CALM, CONNECTION, LOGS, TRACES

from .case import Case, Run, Step
from .cases_dashboards import ALERT
from .cases_unsaid import CLICKHOUSE, by_hand, has_on_server
from .differences import IMPORT
from .steps import change, check, create, diff, import_, later_command, refresh, update

PLACE = {"x": 0, "y": 0, "w": 6, "h": 3}
VALUE = {"aggFn": "count"}
LINE = {"displayType": "line", "sourceId": LOGS, "select": [VALUE]}
TABLE = {"displayType": "table", "sourceId": LOGS, "select": [{"aggFn": "sum", "valueExpression": "Duration"}]}
ERRORS = {"key": "errors", "name": "Errors", **PLACE, "config": LINE}
SPEED = {"key": "speed", "name": "Speed", **PLACE, "config": TABLE}
BOARD = {"name": "Orders", "tiles": [ERRORS, SPEED]}
FILTER = {"type": "QUERY_EXPRESSION", "name": "Service", "expression": "ServiceName", "sourceId": LOGS}
HOST = {**FILTER, "name": "Host", "expression": "HostName"}
CONTAINER = {"id": "c", "title": "Group", "collapsed": False, "tabs": [{"id": "t", "title": "Tab"}]}
WHOLE = {
    **BOARD,
    "filters": [FILTER, HOST],
    "savedQuery": "ServiceName:checkout",
    "savedQueryLanguage": "lucene",
    "savedFilterValues": [{"condition": "a = 1"}],
    "containers": [CONTAINER],
    "tiles": [{**ERRORS, "containerId": "c", "tabId": "t"}, SPEED],
}
EACH_KIND: dict[str, Any] = {
    "stacked_bar": {**LINE, "displayType": "stacked_bar", "groupBy": "ServiceName", "seriesLimit": 0},
    "number": {
        **LINE,
        "displayType": "number",
        "select": [VALUE, {"aggFn": "quantile", "valueExpression": "Duration", "level": 0.95}],
        "formulas": [{"expression": "A / B", "alias": "rate"}],
        "colorRules": [{"operator": "between", "value": [1, 2.5], "color": "chart-red"}],
        "numberFormat": {"output": "percent", "mantissa": 1},
    },
    "pie": {**LINE, "displayType": "pie", "groupBy": "ServiceName", "limit": 5},
    "bar": {**LINE, "displayType": "bar"},
    "heatmap": {"displayType": "heatmap", "sourceId": TRACES, "select": [{"valueExpression": "Duration"}]},
    "search": {"displayType": "search", "sourceId": LOGS, "columns": "Timestamp, Body", "where": "a:1"},
    "event_patterns": {"displayType": "event_patterns", "sourceId": LOGS},
    "markdown": {"displayType": "markdown", "markdown": "# Orders"},
    "raw SQL": {"displayType": "line", "configType": "sql", "connectionId": CONNECTION, "sqlTemplate": "SELECT 1"},
    "table": {**TABLE, "onClick": {"type": "external", "urlTemplate": "https://example.com/{{a}}"}, "having": "a > 1"},
}
KINDS = {"name": "Kinds", "tiles": [{"name": name, **PLACE, "config": each} for name, each in EACH_KIND.items()]}


IMPORTED = {
    **{name: value for name, value in WHOLE.items() if name not in ("savedFilterValues", "savedQueryLanguage")},
    "tiles": [
        {
            **PLACE,
            "name": "Errors",
            "config": LINE,
            "containerId": "c",
            "tabId": "t",
        },
        {
            **PLACE,
            "name": "Speed",
            "config": TABLE,
        },
    ],
}
"""The import of such a dashboard: without absent properties and defaults, and with filters without their ids."""


def board(name: str, *steps: Step, **more: Any) -> Case:
    """Return a case of a dashboard on the vendor's server."""
    return Case(f"dashboard of the vendor: {name}", "Dashboard", steps, **{"server": CLICKHOUSE, **more})


def record(run: Run) -> Any:
    """Return the server's dashboard."""
    return run.sandbox.dashboards[run.id]


def change_tile(index: int, **fields: Any) -> Step:
    """Change a tile directly on the server."""

    def act(run: Run) -> None:
        tiles = record(run)["tiles"]
        tiles[index] = {**tiles[index], **fields}
        run.sandbox.change("dashboards", run.id, tiles=tiles)

    return change(act)


def watch(index: int, name: str) -> Step:
    """Create an alert on a tile directly on the server."""

    def act(run: Run) -> None:
        watched = {"dashboardId": run.id, "tileId": record(run)["tiles"][index]["id"], "name": name}
        run.sandbox.add("alerts", **{**ALERT, **watched, "channel": {"type": "webhook", "webhookId": CALM}})

    return change(act)


def record_matches(matches: Any) -> Step:
    """Assert a condition about the server's dashboard."""

    def act(run: Run) -> None:
        assert matches(record(run), run), record(run)

    return change(act)


def without_ids(items: Any) -> Any:
    """Return objects without their ids."""
    return [{name: value for name, value in each.items() if name != "id"} for each in items]


CASES = [
    board(
        "every property is created, read and updated",
        create(WHOLE),
        later_command(),
        refresh(inputs=WHOLE),
        diff(WHOLE, changes=False),
        update({**WHOLE, "name": "Returns", "filters": [HOST, {**FILTER, "where": "a"}]}),
        record_matches(
            lambda board, _: without_ids(board["filters"]) == [HOST, {**FILTER, "where": "a", "whereLanguage": "sql"}]
        ),
        has_on_server("dashboards", savedQuery="ServiceName:checkout", containers=[CONTAINER]),
        later_command(),
        refresh(),
        diff({**WHOLE, "name": "Returns", "filters": [HOST, {**FILTER, "where": "a"}]}, changes=False),
    ),
    board(
        "reordered filters keep their ids",
        create({**BOARD, "filters": [FILTER, HOST]}),
        change(lambda run: run.names.update(first=record(run)["filters"][0]["id"])),
        update({**BOARD, "filters": [HOST, FILTER]}),
        record_matches(lambda board, run: board["filters"][1]["id"] == run.names["first"]),
    ),
    board(
        "removed properties are cleared",
        create(WHOLE),
        later_command(),
        update(BOARD),
        has_on_server(
            "dashboards", filters=[], savedQuery=None, savedQueryLanguage=None, savedFilterValues=[], containers=None
        ),
        record_matches(lambda board, _: not {"containerId", "tabId"} & set(board["tiles"][0])),
        refresh(),
        diff(BOARD, changes=False),
    ),
    board(
        "only the language is removed",
        create({**BOARD, "savedQuery": "a", "savedQueryLanguage": "sql"}),
        later_command(),
        update({**BOARD, "savedQuery": "a"}),
        has_on_server("dashboards", savedQuery="a", savedQueryLanguage="lucene"),
    ),
    board(
        "changes by hand survive ten updates of another property",
        create(BOARD),
        by_hand("dashboards", filters=[{**FILTER, "id": "f1"}], containers=[CONTAINER], savedQuery="a"),
        change_tile(0, containerId="c", tabId="t"),
        later_command(),
        refresh(),
        diff(BOARD, changes=False),
        *[step for name in "abcdefghij" for step in (later_command(), update({**BOARD, "name": name}))],
        has_on_server("dashboards", name="j", filters=[{**FILTER, "id": "f1"}], containers=[CONTAINER], savedQuery="a"),
        record_matches(lambda board, _: (board["tiles"][0]["containerId"], board["tiles"][0]["tabId"]) == ("c", "t")),
    ),
    board(
        "removing a container releases the tiles that were put into it by hand",
        create({**BOARD, "containers": [CONTAINER]}),
        change_tile(0, containerId="c", tabId="t"),
        later_command(),
        update(BOARD),
        record_matches(lambda board, _: "containerId" not in board["tiles"][0]),
    ),
    board(
        "changes by hand of a filter and a container survive",
        create({**BOARD, "filters": [FILTER], "containers": [CONTAINER]}),
        change(
            lambda run: run.sandbox.change(
                "dashboards",
                run.id,
                filters=[{**record(run)["filters"][0], "where": "a:1"}],
                containers=[{**CONTAINER, "bordered": False}],
            )
        ),
        later_command(),
        update({**BOARD, "filters": [FILTER], "containers": [{**CONTAINER, "title": "Other"}]}),
        record_matches(lambda board, _: board["filters"][0]["where"] == "a:1"),
        has_on_server("dashboards", containers=[{**CONTAINER, "title": "Other", "bordered": False}]),
    ),
    board(
        "drift is reported by name",
        create(WHOLE),
        by_hand("dashboards", savedQuery="other", containers=[{**CONTAINER, "title": "Other"}]),
        change_tile(1, h=9),
        later_command(),
        refresh(
            inputs={
                **WHOLE,
                "savedQuery": "other",
                "containers": [{**CONTAINER, "title": "Other"}],
                "tiles": [{**ERRORS, "containerId": "c", "tabId": "t"}, {**SPEED, "h": 9}],
            }
        ),
        diff(WHOLE, changes=True),
        update(WHOLE),
        has_on_server("dashboards", savedQuery="ServiceName:checkout", containers=[CONTAINER]),
    ),
    board(
        "drift of a tile contains only the changed property",
        create(BOARD),
        change_tile(0, config={**LINE, "select": [{**VALUE, "where": "a:1", "whereLanguage": "lucene"}]}),
        later_command(),
        refresh(
            inputs={**BOARD, "tiles": [{**ERRORS, "config": {**LINE, "select": [{**VALUE, "where": "a:1"}]}}, SPEED]}
        ),
        update(BOARD),
        refresh(),
        diff(BOARD, changes=False),
    ),
    board(
        "every kind of tile is read as it was written",
        create(KINDS),
        later_command(),
        refresh(inputs=KINDS),
        diff(KINDS, changes=False),
        update({**KINDS, "name": "Others"}),
        refresh(),
        diff({**KINDS, "name": "Others"}, changes=False),
    ),
    board(
        "an import omits absent properties, defaults and the ids of filters",
        create({**WHOLE, "savedFilterValues": []}),
        later_command(),
        import_("$id", inputs=IMPORTED),
        differs=frozenset({IMPORT}),
    ),
    board(
        "an unknown property is sent with a warning, and not stored if the server drops it",
        check({**BOARD, "tiles": [{**ERRORS, "config": {**LINE, "newerThanUs": 1}}]}, failures=[]),
        create({**BOARD, "tiles": [{**ERRORS, "config": {**LINE, "newerThanUs": 1}}]}),
        refresh(inputs={**BOARD, "tiles": [ERRORS]}),
        update({**BOARD, "tiles": [ERRORS]}),
        refresh(inputs={**BOARD, "tiles": [ERRORS]}),
        beyond=True,
        warns=(
            (
                "Dashboard.tiles[0].config.newerThanUs is not known to this version, which sends it as it is: a server "
                "that does not know it ignores it"
            ),
            "The server has dropped tiles[0].config.newerThanUs of dashboard 'Orders': remove it from the program.",
        ),
    ),
    board(
        "deleted alerts are named",
        create(BOARD),
        watch(0, "Too many"),
        watch(0, "Far too many"),
        later_command(),
        update({**BOARD, "tiles": [{**ERRORS, "config": {**LINE, "displayType": "pie"}}]}),
        warns=(
            (
                "Updating dashboard 'Orders' deletes alerts, because their tiles are removed or get a type without "
                "alerts: 'Too many' (<3>) on tile 'Errors', 'Far too many' (<4>) on tile 'Errors'. "
                "An alert that is still wanted needs another tile."
            ),
        ),
    ),
    board(
        "alerts that are kept are not named",
        create(BOARD),
        watch(0, "Too many"),
        later_command(),
        update({**BOARD, "tiles": [{**ERRORS, "config": {**LINE, "displayType": "number"}}]}),
        warns=(),
    ),
    Case(
        "alert: a tile that cannot keep it is refused",
        "Alert",
        (
            change(lambda run: _turn_into_pie(run, "$one")),
            create(ALERT, fails="the server deletes the alerts of a pie tile.*\nWatch a tile of displayType .*number"),
            create({**ALERT, "tileId": "$two"}),
        ),
        setting=a_dashboard,
        server=CLICKHOUSE,
    ),
    Case(
        "alert: it is not moved to a tile that cannot keep it",
        "Alert",
        (
            change(lambda run: _turn_into_pie(run, "$two")),
            create(ALERT),
            later_command(),
            update({**ALERT, "tileId": "$two"}, fails="of a pie tile with the next update of the dashboard"),
        ),
        setting=a_dashboard,
        server=CLICKHOUSE,
    ),
]


def _turn_into_pie(run: Run, name: str) -> None:
    dashboard_id, tile_id = run.fill("$dashboard_id"), run.fill(name)
    tiles = [
        {**tile, "config": {**tile["config"], "displayType": "pie"}} if tile["id"] == tile_id else tile
        for tile in run.sandbox.dashboards[dashboard_id]["tiles"]
    ]
    run.sandbox.change("dashboards", dashboard_id, tiles=tiles)
