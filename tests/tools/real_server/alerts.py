"""Alerts: all kinds, limits and mistakes, and updates."""

from __future__ import annotations

from typing import Any

from .request import ABSENT, Request, Scenario, Values, each_alone, scenario, without
from .tiles import LINE, board, builder, sql, tile

WEBHOOK: Values = {"type": "webhook", "webhookId": "<webhook.id>"}
OTHER: Values = {"type": "webhook", "webhookId": "<other_webhook.id>"}
LIMIT: Values = {"interval": "5m", "threshold": 10, "thresholdType": "above", "channel": WEBHOOK}
ON_TILE: Values = {**LIMIT, "source": "tile", "dashboardId": "<board.id>", "tileId": "<board.tiles.0.id>"}
ON_SEARCH: Values = {**LIMIT, "source": "saved_search", "savedSearchId": "<search.id>"}
MORE: Values = {
    "name": "Busy",
    "message": "Too many",
    "note": "Look at the queue",
    "numConsecutiveWindows": 3,
    "scheduleOffsetMinutes": 2,
}
WHOLE_TILE: Values = {**without(ON_TILE, "channel"), **MORE, "channels": [WEBHOOK, OTHER]}
WHOLE_SEARCH: Values = {**without(ON_SEARCH, "channel"), **MORE, "channels": [WEBHOOK, OTHER], "groupBy": "ServiceName"}
RANGE: Values = {**ON_TILE, "thresholdType": "between", "threshold": 1, "thresholdMax": 2}
STARTED: Values = {**ON_TILE, "scheduleStartAt": "2026-01-01T00:00:00Z"}


def on_tile(**more: Any) -> Values:
    """Return an alert on a tile; None removes a property."""
    return {name: each for name, each in {**ON_TILE, **more}.items() if each is not None}


def null(name: str) -> Values:
    """Return an alert on a tile with a null property."""
    return {**ON_TILE, name: None}


CREATED: dict[str, Any] = {
    "on a tile": ON_TILE,
    "on a tile with everything": WHOLE_TILE,
    "on a saved search": ON_SEARCH,
    "on a saved search with everything": WHOLE_SEARCH,
    **{f"every {each}": on_tile(interval=each) for each in ("1m", "15m", "30m", "1h", "6h", "12h", "1d")},
    **{
        f"{each} a threshold": on_tile(thresholdType=each)
        for each in ("below", "above_exclusive", "below_or_equal", "equal", "not_equal")
    },
    "between": RANGE,
    "not between": {**RANGE, "thresholdType": "not_between"},
    "between the same": {**RANGE, "thresholdMax": 1},
    "between backwards": {**RANGE, "thresholdMax": 0.5},
    "between one": on_tile(thresholdType="between"),
    "above with an upper end": on_tile(thresholdMax=20),
    "every 2m": on_tile(interval="2m"),
    "every null": null("interval"),
    "every nothing": on_tile(interval=None),
    "gt a threshold": on_tile(thresholdType="gt"),
    "of a threshold of 0": on_tile(threshold=0),
    "of a negative threshold": on_tile(threshold=-1.5),
    "of a threshold of text": on_tile(threshold="1"),
    "of no threshold": on_tile(threshold=None),
    "of a threshold of null": null("threshold"),
    "of no source": on_tile(source=None),
    "of a custom source": on_tile(source="custom"),
    "of no tile": on_tile(tileId=None),
    "of an empty tile": on_tile(tileId=""),
    "of an absent tile": on_tile(tileId=ABSENT),
    "of no dashboard": on_tile(dashboardId=None),
    "of an absent dashboard": on_tile(dashboardId=ABSENT),
    "of a malformed dashboard": on_tile(dashboardId="orders"),
    "of a dashboard of twelve letters": on_tile(dashboardId="twelve chars"),
    "of no saved search": without(ON_SEARCH, "savedSearchId"),
    "of an absent saved search": {**ON_SEARCH, "savedSearchId": ABSENT},
    "of a malformed saved search": {**ON_SEARCH, "savedSearchId": "errors"},
    "of a saved search beside a tile": on_tile(savedSearchId="<search.id>"),
    "of a tile beside a saved search": {**ON_SEARCH, "dashboardId": "<board.id>", "tileId": ABSENT},
    "of a group beside a tile": on_tile(groupBy="ServiceName"),
    "of a group of null": {**ON_SEARCH, "groupBy": None},
    "of an empty group": {**ON_SEARCH, "groupBy": ""},
    "of a group of a number": {**ON_SEARCH, "groupBy": 1},
    "to nobody": on_tile(channel=None),
    "to a channel of null": null("channel"),
    "to channels of null": null("channels"),
    "to one of several": on_tile(channel=None, channels=[OTHER]),
    "to no channels": on_tile(channel=None, channels=[]),
    "to a channel and the same channels": on_tile(channels=[WEBHOOK, OTHER]),
    "to a channel and others": on_tile(channels=[OTHER, WEBHOOK]),
    "to a channel twice": on_tile(channel=None, channels=[WEBHOOK, WEBHOOK]),
    "to 11 channels": on_tile(
        channel=None, channels=[{"type": "webhook", "webhookId": f"{number:024x}"} for number in range(11)]
    ),
    "to an absent webhook": on_tile(channel={**WEBHOOK, "webhookId": ABSENT}),
    "to an absent second webhook": on_tile(channel=None, channels=[WEBHOOK, {**WEBHOOK, "webhookId": ABSENT}]),
    "to a malformed webhook": on_tile(channel={**WEBHOOK, "webhookId": "pager"}),
    "to an empty webhook": on_tile(channel={**WEBHOOK, "webhookId": ""}),
    "to a webhook of no id": on_tile(channel={"type": "webhook"}),
    "to mail": on_tile(channel={"type": "email", "emailRecipients": ["ops@example.com"]}),
    "to slack": on_tile(channel={"type": "slack", "webhookId": "<webhook.id>"}),
    "to a channel of no type": on_tile(channel={"webhookId": "<webhook.id>"}),
    "to a channel that nobody knows": on_tile(channel={**WEBHOOK, "severity": "critical", "colour": "red"}),
    "of a name of 512": on_tile(name="n" * 512),
    "of a name of 513": on_tile(name="n" * 513),
    "of an empty name": on_tile(name=""),
    "of a name of null": null("name"),
    "of a message of 4096": on_tile(message="m" * 4096),
    "of a message of 4097": on_tile(message="m" * 4097),
    "of an empty message": on_tile(message=""),
    "of a note of 4097": on_tile(note="n" * 4097),
    "of an empty note": on_tile(note=""),
    "of a note of null": null("note"),
    "of 0 windows": on_tile(numConsecutiveWindows=0),
    "of half a window": on_tile(numConsecutiveWindows=1.5),
    "of windows of null": null("numConsecutiveWindows"),
    "at an offset of 0": on_tile(scheduleOffsetMinutes=0),
    "at an offset of 4": on_tile(scheduleOffsetMinutes=4),
    "at an offset of the interval": on_tile(scheduleOffsetMinutes=5),
    "at an offset of 1439": on_tile(interval="1d", scheduleOffsetMinutes=1439),
    "at an offset of 1440": on_tile(interval="1d", scheduleOffsetMinutes=1440),
    "at an offset of -1": on_tile(scheduleOffsetMinutes=-1),
    "at an offset of null": null("scheduleOffsetMinutes"),
    "at an offset of every minute": on_tile(interval="1m", scheduleOffsetMinutes=1),
    "from a start": STARTED,
    "from a start with an offset": {**STARTED, "scheduleOffsetMinutes": 1},
    "from a start with an offset of 0": {**STARTED, "scheduleOffsetMinutes": 0},
    "from a start elsewhere": {**STARTED, "scheduleStartAt": "2026-01-01T00:00:00+02:00"},
    "from a start with milliseconds": {**STARTED, "scheduleStartAt": "2026-01-01T00:00:00.123Z"},
    "from a start of a day": {**STARTED, "scheduleStartAt": "2026-01-01"},
    "from a start that is none": {**STARTED, "scheduleStartAt": "soon"},
    "from an empty start": {**STARTED, "scheduleStartAt": ""},
    "from a start of null": null("scheduleStartAt"),
    "from a start far ahead": {**STARTED, "scheduleStartAt": "2999-01-01T00:00:00Z"},
    "from a start long ago": {**STARTED, "scheduleStartAt": "1999-01-01T00:00:00Z"},
    "with an upper end of null": null("thresholdMax"),
    "of a name that nobody knows": on_tile(colour="red", state="ALERT", silenced=True, id=ABSENT),
    "of nothing": {},
    "of a list": [],
    "of several mistakes": on_tile(interval="2m", thresholdType="gt", name="", numConsecutiveWindows=0),
}

WATCHED: dict[str, Values] = {
    f"a {name} tile": {"tileId": f"<board.tiles.{number}.id>"}
    for number, name in enumerate(("line", "stacked bar", "number", "table", "pie", "bar"))
    if name != "line"  # `ON_TILE` is on it
}
OTHER_TILES: dict[str, Values] = {
    "markdown": {"displayType": "markdown"},
    "search": builder("search", select=""),
    "event patterns": {"displayType": "event_patterns", "sourceId": "<logs.id>"},
    "heatmap": builder("heatmap", sourceId="<traces.id>", select=[{"valueExpression": "Duration"}]),
    "raw SQL of lines": sql("line"),
    "raw SQL of lines with times": sql("line", sqlTemplate="SELECT $__timeInterval(t), 1 WHERE $__timeFilter(t)"),
    "raw SQL of lines with parameters": sql(
        "line",
        sqlTemplate="SELECT toStartOfInterval(t, INTERVAL {intervalSeconds:Int64} second), count() FROM a "
        "WHERE t >= fromUnixTimestamp64Milli({startDateMilliseconds:Int64}) "
        "AND t < fromUnixTimestamp64Milli({endDateMilliseconds:Int64}) GROUP BY 1",
    ),
    "raw SQL of a number": sql("number"),
    "raw SQL of a number with times": sql("number", sqlTemplate="SELECT 1 WHERE $__timeFilter(t)"),
    "raw SQL of a table": sql("table"),
    "raw SQL of a pie": sql("pie"),
    "a table of formulas": builder("table", formulas=[{"expression": "A"}]),
    "lines of formulas": builder("line", formulas=[{"expression": "A"}]),
}
ON_TILES: tuple[Scenario, ...] = (
    *(scenario("an alert on", (name, "POST", "alerts", {**ON_TILE, **place})) for name, place in WATCHED.items()),
    *(
        scenario(
            f"an alert on {name}",
            ("dashboard", "POST", "dashboards", board(tile(config)), "made"),
            ("create", "POST", "alerts", on_tile(dashboardId="<made.id>", tileId="<made.tiles.0.id>"), "alert"),
            ("update of its dashboard", "PUT", "dashboards/<made.id>", "<made>"),
            ("list after", "GET", "alerts"),
        )
        for name, config in OTHER_TILES.items()
    ),
)


def updated(name: str, body: Any, first: Values) -> Scenario:
    """Return a scenario in which a body replaces an alert, which is then read."""
    return scenario(
        f"an update of an alert {name}",
        ("create", "POST", "alerts", first, "made"),
        ("update", "PUT", "alerts/<made.id>", body),
        ("read", "GET", "alerts/<made.id>"),
    )


UPDATES: tuple[Scenario, ...] = (
    updated("on a tile that leaves all out", ON_TILE, WHOLE_TILE),
    updated("on a search that leaves all out", ON_SEARCH, WHOLE_SEARCH),
    updated("that moves to a search", ON_SEARCH, WHOLE_TILE),
    updated("that moves to a tile", ON_TILE, WHOLE_SEARCH),
    updated("that moves to another tile", on_tile(tileId="<board.tiles.1.id>"), ON_TILE),
    updated("with channels alone", {**without(ON_TILE, "channel"), "channels": [OTHER]}, WHOLE_TILE),
    updated("with both", {**WHOLE_TILE, "channel": WEBHOOK}, ON_TILE),
    updated(
        "with nulls", {**ON_TILE, **dict.fromkeys(("name", "message", "note", "numConsecutiveWindows"))}, WHOLE_TILE
    ),
    updated("that leaves its upper end out", {**RANGE, "thresholdType": "above", "thresholdMax": 9}, RANGE),
    updated("from a range", ON_TILE, RANGE),
    updated("of a range", without(RANGE, "thresholdMax"), RANGE),
    updated("that leaves its start out", ON_TILE, STARTED),
    updated("that clears its start", null("scheduleStartAt"), STARTED),
    updated("that gives it a start", STARTED, WHOLE_TILE),
    updated("that gives it an offset", on_tile(scheduleOffsetMinutes=1), STARTED),
    updated("that clears its offset", on_tile(scheduleOffsetMinutes=0), WHOLE_TILE),
    updated("to an interval within its offset", on_tile(interval="1m"), WHOLE_TILE),
    updated("to no source", on_tile(source=None), ON_TILE),
    updated("to an absent webhook", on_tile(channel={**WEBHOOK, "webhookId": ABSENT}), ON_TILE),
    updated("by what was read", "<made>", WHOLE_TILE),
    updated("on a search by what was read", "<made>", WHOLE_SEARCH),
    updated("by what was read of a range", "<made>", RANGE),
    updated("by what was read of a start", "<made>", STARTED),
    updated("that clears its group", {**ON_SEARCH, "groupBy": None}, WHOLE_SEARCH),
)
IDS: tuple[Scenario, ...] = tuple(
    scenario(
        f"{method} of an alert",
        ("malformed id", method, "alerts/nonsense", body),
        ("absent id", method, f"alerts/{ABSENT}", body),
        ("absent id of twelve letters", method, "alerts/twelve_chars", body),
    )
    for method, body in (("GET", None), ("PUT", ON_TILE), ("DELETE", None))
)
LIVES: tuple[Scenario, ...] = (
    scenario(
        "alerts in pages",
        ("first", "POST", "alerts", ON_TILE, "first"),
        ("second", "POST", "alerts", {**ON_TILE, "name": "b"}, "second"),
        ("third", "POST", "alerts", {**ON_SEARCH, "name": "a"}, "third"),
        ("list", "GET", "alerts"),
        ("one", "GET", "alerts?limit=1"),
        ("the second", "GET", "alerts?limit=1&offset=1"),
        ("after the last", "GET", "alerts?offset=9"),
        ("the most", "GET", "alerts?limit=1000"),
        ("more than the most", "GET", "alerts?limit=1001"),
        ("none", "GET", "alerts?limit=0"),
        ("a limit of text", "GET", "alerts?limit=all"),
        ("an empty limit", "GET", "alerts?limit="),
        ("half a limit", "GET", "alerts?limit=1.5"),
        ("a limit of 1e2", "GET", "alerts?limit=1e2"),
        ("before the first", "GET", "alerts?offset=-1"),
        ("an empty offset", "GET", "alerts?offset="),
        ("a limit twice", "GET", "alerts?limit=1&limit=2"),
        ("both wrong", "GET", "alerts?limit=0&offset=-1"),
        ("a query that nobody knows", "GET", "alerts?colour=red"),
        ("delete", "DELETE", "alerts/<first.id>"),
        ("read after", "GET", "alerts/<first.id>"),
        ("delete again", "DELETE", "alerts/<first.id>"),
    ),
    scenario(
        "an alert whose tile goes",
        ("dashboard", "POST", "dashboards", board(tile(LINE), tile(LINE, name="b")), "made"),
        ("first", "POST", "alerts", on_tile(dashboardId="<made.id>", tileId="<made.tiles.0.id>"), "first"),
        ("second", "POST", "alerts", on_tile(dashboardId="<made.id>", tileId="<made.tiles.1.id>"), "second"),
        ("a tile less", "PUT", "dashboards/<made.id>", board(tile(LINE, id="<made.tiles.0.id>", x=3))),
        ("list", "GET", "alerts"),
        ("another kind", "PUT", "dashboards/<made.id>", board(tile(builder("table"), id="<made.tiles.0.id>"))),
        ("list then", "GET", "alerts"),
    ),
    scenario(
        "an alert whose dashboard goes",
        ("dashboard", "POST", "dashboards", board(tile(LINE)), "made"),
        ("alert", "POST", "alerts", on_tile(dashboardId="<made.id>", tileId="<made.tiles.0.id>"), "alert"),
        ("delete", "DELETE", "dashboards/<made.id>"),
        ("read", "GET", "alerts/<alert.id>"),
        ("update", "PUT", "alerts/<alert.id>", on_tile(dashboardId="<made.id>", tileId="<made.tiles.0.id>")),
    ),
    scenario(
        "an alert whose search goes",
        ("search", "POST", "saved-searches", {"name": "Gone", "sourceId": "<logs.id>"}, "made"),
        ("alert", "POST", "alerts", {**ON_SEARCH, "savedSearchId": "<made.id>"}, "alert"),
        ("delete", "DELETE", "saved-searches/<made.id>"),
        ("read", "GET", "alerts/<alert.id>"),
    ),
    scenario(
        "an alert whose webhooks go",
        ("webhook", "POST", "webhooks", {"name": "A", "service": "generic", "url": "https://example.com/a"}, "one"),
        ("another", "POST", "webhooks", {"name": "B", "service": "generic", "url": "https://example.com/b"}, "two"),
        (
            "alert",
            "POST",
            "alerts",
            on_tile(
                channel=None, channels=[{**WEBHOOK, "webhookId": "<one.id>"}, {**WEBHOOK, "webhookId": "<two.id>"}]
            ),
            "alert",
        ),
        ("delete the first", "DELETE", "webhooks/<one.id>"),
        ("delete the second", "DELETE", "webhooks/<two.id>"),
        ("read", "GET", "alerts/<alert.id>"),
        ("put back", "PUT", "alerts/<alert.id>", "<alert>"),
    ),
    scenario(
        "odd requests of alerts",
        Request("no body", "POST", "alerts"),
        Request("broken JSON", "POST", "alerts", raw=b"{"),
        Request("a method", "PATCH", f"alerts/{ABSENT}", ON_TILE),
        Request("nobody's token", "GET", "alerts", token=False),
    ),
)

ALERTS: tuple[Scenario, ...] = (*each_alone("an alert", "POST", "alerts", CREATED), *ON_TILES, *UPDATES, *IDS, *LIVES)
