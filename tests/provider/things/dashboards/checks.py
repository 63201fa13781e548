"""Check cases of dashboards: valid and invalid inputs for each limit and rule of the interface."""

from __future__ import annotations

from typing import Any

from support.rows import Row

from .config_checks import BOARD, at
from .vendor_checks import DASHBOARDS

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

ALONE = "; leave out both to have the tile placed"


CASES: list[Row] = [
    *BOARD.required("name", "tiles"),
    *BOARD.uuids("serviceId"),
    BOARD.rule(
        {"tiles": [at(name="Rate"), at(10, name="Errors")]},
        {"tiles": [{"name": "Rate"}, {"name": "Errors"}, {"name": "Rate"}]},
        f"tiles {KEYS.format(repr('Rate'))}",
    ),
    BOARD.rule(
        {"tiles": [at(name="Rate", key="a"), at(10, name="Rate")]},
        {"tiles": [{"name": "Rate", "key": "a"}, {"name": "a"}]},
        f"tiles {KEYS.format(repr('a'))}",
    ),
    BOARD.rule(
        {"tiles": [at(key="a"), at(10, name="b"), at(20, name="")]},
        {"tiles": [{"key": "a"}, {"w": 1}, {"h": 1}]},
        "tiles must each have a key or a name; missing in [1], [2]",
    ),
    BOARD.rule(
        {"tiles": [at(name="a", series=[{"aggFn": "sum", "field": "count()"}]), at(10, name="b", config={"any": [1]})]},
        {"tiles": [{"name": "a", "series": [{}], "config": {}}]},
        "tiles must have series or config, not both: 'a'",
    ),
    BOARD.rule(
        {"tiles": [at(key="a")]}, {"tiles": [{"name": "a", "key": ""}]}, "tiles[0].key must not be empty, not ''"
    ),
    BOARD.rule(
        {"tiles": [at(name="a")]},
        {"tiles": [{"name": "a", "x": 0}, {"name": "b", "y": 0}]},
        f"tiles[0].y is required if x is given{ALONE}",
        f"tiles[1].x is required if y is given{ALONE}",
    ),
    BOARD.rule(
        {"tiles": [WHOLE_TILE]},
        {
            "tiles": [
                {"name": "a", "x": "1", "asRatio": 1},
                {"name": "b", "series": [{"aggFn": 5, "groupBy": ["a", 5]}, {"level": 0.9}, 7]},
                "c",
            ]
        },
        "tiles[0].x must be a number, not '1'; did you mean 1?",
        "tiles[0].asRatio must be true or false, not 1",
        "tiles[1].series[0].aggFn must be text, not 5",
        "tiles[1].series[0].groupBy[1] must be text, not 5",
        "tiles[1].series[1].level is supported only with clouddb:vocabulary=clickhouse",
        "tiles[1].series[2] must be an object, not 7",
        "tiles[2] must be an object, not 'c'; write {key: …, name: …}",
    ),
    *BOARD.wrong_types(
        {
            "name": ("d", 5, "must be text"),
            "tags": (["a"], 1, "must be a list"),
            "tiles": ([at(name="a")], 1, "must be a list"),
        }
    ),
    BOARD.rule({"tags": []}, {"tags": ["a", 1]}, "tags[1] must be text, not 1"),
    BOARD.rule(
        {"tiles": [at(name="a", config={})]},
        {"tiles": [{"name": "a", "config": []}]},
        "tiles[0].config must be an object, not []; write {displayType: …, configType: …}",
    ),
    *DASHBOARDS,
]
