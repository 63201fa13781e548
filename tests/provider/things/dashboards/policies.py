"""Policy cases of dashboards: tags, the sources, keys and number of tiles, and the cost of queries."""

from __future__ import annotations

from typing import Any

from clouddb_tools.testing import UNKNOWN
from policy.case import Case, Values


def tiles(*contents: Any) -> Values:
    """Return tiles with these contents, each with a key."""
    return {"tiles": [{"key": str(index), **content} for index, content in enumerate(contents)]}


def series(**properties: Any) -> Values:
    """Return a tile with one series."""
    return {"series": [properties]}


def sql(template: Any, **properties: Any) -> Values:
    """Return a tile with raw SQL."""
    return {"config": {"configType": "sql", "connectionId": "c", "sqlTemplate": template, **properties}}


UNBOUND = "SELECT count() FROM logs"
BOUND = "SELECT count() FROM logs WHERE $__timeFilter(Timestamp)"

CASES = [
    Case(
        "dashboard-tagged",
        "Dashboard",
        settings={"tags": ["shop", "team-a"]},
        fails={"tags": ["own", "shop"]},
        says="tags does not contain 'team-a'; add the tags",
        passes={"tags": ["team-a", "shop"]},
        unknown={"tags": ["shop", UNKNOWN]},
        fixed={"tags": ["own", "shop", "team-a"]},
    ),
    Case(
        "dashboard-tagged",
        "Dashboard",
        fails={"tags": []},
        says="tags is empty; set at least 1 tag",
        also=(({}, "tags is empty"),),
        passes={"tags": ["own"]},
        unfixed=({"tags": []},),
    ),
    Case(
        "dashboard-tiles-name-source",
        "Dashboard",
        fails=tiles(series(sourceId="logs"), series(type="time", aggFn="count")),
        says="tiles[1].series[0].sourceId is not set; set the id of a Source, or of getSource with its name",
        also=(
            ({"tiles": [None, *tiles(series(sourceId=""))["tiles"]]}, "tiles[1].series[0].sourceId is empty"),
            (tiles({"config": {"displayType": "line"}}), "tiles[0].config.sourceId is not set"),
            (tiles({"series": UNKNOWN}, series(sourceId="")), "tiles[1].series[0].sourceId is empty"),
        ),
        passes=tiles(series(type="markdown"), {"config": {"displayType": "markdown"}}, sql(BOUND)),
        unknown=tiles(series(sourceId=UNKNOWN), series(type=UNKNOWN), {"config": {"displayType": UNKNOWN}}),
    ),
    Case(
        "dashboard-sql-time-bound",
        "Dashboard",
        fails=tiles(sql(BOUND), sql(UNBOUND)),
        says="tiles[1].config.sqlTemplate does not use the time range of the dashboard; add one of ",
        also=(
            (
                tiles(series(sourceId="logs", whereLanguage="sql", where="UserId IN (SELECT id FROM users)")),
                "tiles[0].series[0].where does not use the time range of the dashboard",
            ),
        ),
        passes=tiles(sql("SELECT {startDateMilliseconds:Int64}"), series(whereLanguage="sql", where="Level = 'error'")),
        unknown=tiles(sql(UNKNOWN), {"config": UNKNOWN}, series(whereLanguage="sql", where=UNKNOWN)),
    ),
    Case(
        "dashboard-tile-keys",
        "Dashboard",
        fails={"tiles": [{"key": "a"}, {"name": "Errors"}]},
        says="tiles[1].key is not set; set a short key that never changes",
        passes={"tiles": [{"key": "a"}]},
        unknown={"tiles": [{"key": UNKNOWN}, UNKNOWN]},
    ),
    Case(
        "dashboard-size",
        "Dashboard",
        settings={"maximumTiles": 2},
        fails=tiles({}, {}, UNKNOWN_TILE := {"series": UNKNOWN}),
        says="tiles has 3 elements; use at most 2",
        passes=tiles({}, UNKNOWN_TILE),
        unknown={"tiles": UNKNOWN},
    ),
]
