"""Cases of check: the rules of the vendor's servers for alerts, in addition to the interface."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from pulumi_clouddb.schema.check.wording import TAKE_ID
from support.ids import CALM, LOUD
from support.rows import NEWER, THERE, Row, Usual, Values

WEBHOOK = {"type": "webhook", "webhookId": CALM}
OTHER = {"type": "webhook", "webhookId": LOUD}
SERVICE = "11111111-2222-4333-8444-555555555555"
LOGS = "65f5e4a3b9e77c001a567801"
USUAL: Values = {"channel": WEBHOOK}
ALERT = Usual(
    "Alert",
    {
        "dashboardId": "6b08ccf4690c99606839ff26",
        "tileId": "t1",
        "threshold": 5,
        "interval": "5m",
        "source": "tile",
        "thresholdType": "above",
        "channel": {"type": "webhook", "webhookId": "w1"},
    },
)
LENGTHS = {"name": 512, "message": 4096, "note": 4096}
SEARCH: Values = {**USUAL, "source": "saved_search", "savedSearchId": LOGS, "dashboardId": None, "tileId": None}
COUNT: Values = {"aggFn": "count"}
CHART: Values = {"displayType": "line", "sourceId": LOGS, "select": [COUNT]}
RAW: Values = {
    **dict.fromkeys(("sourceId", "select")),
    "configType": "sql",
    "connectionId": LOGS,
    "sqlTemplate": "SELECT $__timeInterval(t), count() FROM t WHERE $__timeFilter(t)",
}
INLINE: Values = {**USUAL, "source": "inline", "chartConfig": CHART, "dashboardId": None, "tileId": None}
OF_TWO: Values = {"select": [COUNT, COUNT]}
CHARTS: tuple[tuple[Values, Values, str], ...] = (
    (
        {"displayType": "stacked_bar"},
        {"displayType": "table"},
        "chartConfig.displayType must be line, stacked_bar or number, not 'table'",
    ),
    (
        {"where": "a:b", "whereLanguage": "lucene", "name": "n"},
        {**RAW, "where": "a:b"},
        (
            "chartConfig.where is for displayType line, stacked_bar and number without raw SQL; displayType is "
            "'line' with "
            "raw SQL: remove it"
        ),
    ),
    (
        RAW,
        {**RAW, "sqlTemplate": "SELECT 1 -- $__timeInterval(t)"},
        (
            "chartConfig.sqlTemplate must name the interval of the check over time, as `$__timeInterval(Timestamp)` or "
            "`{intervalSeconds:Int64}`"
        ),
    ),
    (
        {"displayType": "number"},
        {"displayType": "number", **OF_TWO},
        (
            "chartConfig.select must have exactly 1 element for number without formulas; displayType is 'number', and "
            "select has 2"
        ),
    ),
    ({**OF_TWO, "asRatio": True}, {"asRatio": True}, "chartConfig.asRatio needs exactly 2 elements of select, not 1"),
    (
        {"formulas": [{"expression": "A * 2"}]},
        {"formulas": [{"expression": "B * 2"}]},
        (
            "chartConfig.formulas must be arithmetic over the values of select, whose letters are A, B, C, in order; "
            "formulas[0] names B, but there are 1 value(s) in select"
        ),
    ),
    (
        {"seriesLimit": 5},
        {"displayType": "number", "groupBy": "ServiceName"},
        (
            "chartConfig.groupBy is for displayType line and stacked_bar without raw SQL; displayType is "
            "'number': remove it"
        ),
    ),
    ({}, {"select": []}, "chartConfig.select must have 1 to 20 elements, not 0"),
    (
        {"select": [{"aggFn": "increase", "valueExpression": "Value", "metricType": "sum", "metricName": "m"}]},
        {"select": [{"aggFn": "sum"}]},
        "chartConfig.select[0].valueExpression is required for every aggFn except count; aggFn is 'sum'",
    ),
)
SQL_CHART: Values = {**CHART, **RAW}
NUMBER: Values = {**CHART, "displayType": "number"}


def of_chart(passes: Values, fails: Values, *failures: str, warned: tuple[str, ...] = ()) -> Row:
    """Return a row of the chart of an alert; the paths of what is said are relative to the chart."""
    charts = (
        {"chartConfig": {name: value for name, value in each.items() if value is not None}} for each in (passes, fails)
    )
    right, wrong = ({**INLINE, **each} for each in charts)
    said = ([f"chartConfig.{each}" for each in some] for some in (failures, warned))
    return ALERT.row(right, wrong, *map(tuple, said), **THERE)


OF_CHARTS = [
    *(
        of_chart(base, {**base, name: value}, f"{name} is for {kinds}")
        for name, value, base, kinds in (
            ("alignDateRangeToGranularity", True, NUMBER, "displayType line and stacked_bar"),
            ("asRatio", True, SQL_CHART, "displayType line and stacked_bar without raw SQL"),
            ("backgroundChart", {"type": "area"}, CHART, "displayType number without raw SQL"),
            ("color", "chart-red", CHART, "displayType number"),
            (
                "colorRules",
                [{"operator": "gt", "value": 5, "color": "chart-red"}],
                CHART,
                "displayType number without raw SQL",
            ),
            ("compareToPreviousPeriod", True, NUMBER, "displayType line"),
            ("connectionId", LOGS, CHART, "raw SQL of displayType line, stacked_bar and number"),
            ("fillNulls", False, NUMBER, "displayType line and stacked_bar"),
            ("fitYAxisToData", True, NUMBER, "displayType line"),
            ("formulas", [{"expression": "A * 2"}], SQL_CHART, "displayType line, stacked_bar and number without raw"),
            ("select", [COUNT], SQL_CHART, "displayType line, stacked_bar and number without raw SQL"),
            ("seriesLimit", 5, NUMBER, "displayType line and stacked_bar"),
            ("sqlTemplate", "SELECT 1", CHART, "raw SQL of displayType line, stacked_bar and number"),
            ("whereLanguage", "sql", SQL_CHART, "displayType line, stacked_bar and number without raw SQL"),
        )
    ),
    *(
        of_chart(base, {**base, name: None}, f"{name} is required {kinds}")
        for name, base, kinds in (
            ("sourceId", CHART, "without raw SQL for displayType line, stacked_bar and number"),
            ("select", CHART, "without raw SQL for displayType line, stacked_bar and number"),
            ("connectionId", SQL_CHART, "with raw SQL"),
            ("sqlTemplate", SQL_CHART, "with raw SQL"),
        )
    ),
    of_chart(CHART, {**CHART, "displayType": None}, "displayType is required"),
    of_chart(CHART, {**CHART, "select": [{"valueExpression": "Duration"}]}, "select must each have an aggFn"),
    of_chart(
        {**NUMBER, "formulas": [{"expression": "A * 2"}]},
        {**NUMBER, "formulas": [{"expression": "A * 2"}], "showOperandSeries": True},
        "showOperandSeries is for displayType line and stacked_bar without raw SQL",
    ),
    of_chart(
        SQL_CHART,
        {**SQL_CHART, "sqlTemplate": f"{RAW['sqlTemplate']}; SELECT 2"},
        warned=("sqlTemplate should be one statement",),
    ),
    of_chart(
        SQL_CHART,
        {**SQL_CHART, "sqlTemplate": f"{RAW['sqlTemplate']} AND t > {{startDateMilliseconds}}"},
        warned=("sqlTemplate should give each parameter its name and type, such as `{startDateMilliseconds:Int64}`",),
    ),
]
"""Each kind of chart has properties of its own."""
RANGE: Values = {**USUAL, "thresholdType": "between", "threshold": 5, "thresholdMax": 9}
ENDS = (
    "thresholdMax must be given if, and only if, thresholdType is between or not_between, and must be at least the "
    "threshold"
)
START = "scheduleStartAt must be from ten years ago to a year from now"
CHANNELS = "must name webhooks by `webhookId`, or in the managed form `emailRecipients`"
TYPES = "above, below, above_exclusive, below_or_equal, equal, not_equal, between, not_between"


def moment(days: int) -> str:
    """Return the time in a number of days."""
    return (datetime.now(timezone.utc) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def refused(passes: Values, fails: Values, *failures: str) -> Row:
    """Return a case in the vendor's dialect."""
    return ALERT.of_vendor({**USUAL, **passes}, {**USUAL, **fails}, *failures)


def allowed(passes: Values, unlisted: Values, *warnings: str) -> Row:
    """Return a case of an open list."""
    return ALERT.warned({**USUAL, **passes}, {**USUAL, **unlisted}, *warnings)


ALERTS = [
    *ALERT.only_there(
        savedSearchId=LOGS,
        groupBy="g",
        thresholdMax=9,
        scheduleOffsetMinutes=1,
        scheduleStartAt="2026-01-01T00:00:00Z",
        channels=[WEBHOOK],
        note="n",
        numConsecutiveWindows=2,
        displayName="d",
        tags=["t"],
        chartConfig=CHART,
    ),
    refused(
        {**INLINE, "displayName": "d", "tags": ["t"]},
        {"chartConfig": CHART},
        "chartConfig must be given if, and only if, source is inline; source is 'tile': remove it",
    ),
    refused(
        INLINE,
        {**INLINE, "chartConfig": None},
        "chartConfig must be given if, and only if, source is inline; it is missing",
    ),
    refused(
        INLINE,
        {**INLINE, "dashboardId": LOGS, "tileId": "t1"},
        *(
            f"{name} must be left out if source is saved_search or inline; source is 'inline': remove it, "
            "or chartConfig"
            for name in ("dashboardId", "tileId")
        ),
    ),
    refused(
        SEARCH,
        {**SEARCH, "source": None, "dashboardId": LOGS, "tileId": "t1"},
        (
            "dashboardId must be left out if source is saved_search or inline; source is 'saved_search': remove it, or "
            "savedSearchId"
        ),
        (
            "tileId must be left out if source is saved_search or inline; source is 'saved_search': remove it, or "
            "savedSearchId"
        ),
    ),
    *(
        refused({**INLINE, "chartConfig": {**CHART, **passes}}, {**INLINE, "chartConfig": {**CHART, **fails}}, failure)
        for passes, fails, failure in CHARTS
    ),
    *OF_CHARTS,
    refused({}, {"tileId": None}, "dashboardId and tileId must be given for a tile; missing: tileId"),
    ALERT.row({}, {"tileId": None}, (), ("tileId should be given for source tile",)),
    ALERT.row(
        {},
        {"channel": {"type": "webhook"}},
        (),
        ("channel.webhookId is the webhook of a channel of type webhook; it is missing",),
    ),
    refused(
        {**SEARCH, "groupBy": "ServiceName"},
        {"savedSearchId": LOGS},
        "savedSearchId must be given if, and only if, source is saved_search; source is 'tile': remove it",
    ),
    refused(
        SEARCH,
        {**SEARCH, "savedSearchId": None},
        "savedSearchId must be given if, and only if, source is saved_search; it is missing",
    ),
    refused({}, {"groupBy": "g"}, "groupBy is for source saved_search only; source is 'tile': remove it"),
    refused(
        {},
        {**SEARCH, "source": "custom", "savedSearchId": None},
        "source must be one of tile, saved_search, inline, not 'custom'",
    ),
    allowed({"interval": "30s"}, {"interval": "45s"}, f"interval is '45s', {NEWER}; did you mean 30s or 1m?"),
    allowed(
        {"thresholdType": "not_equal"},
        {"thresholdType": "sideways"},
        f"thresholdType is 'sideways', {NEWER}; known values are {TYPES}",
    ),
    refused(RANGE, {"thresholdType": "between"}, f"{ENDS}; 'between' needs it"),
    refused(RANGE, {"thresholdMax": 9}, f"{ENDS}; thresholdType is 'above': remove it"),
    refused(RANGE, {**RANGE, "thresholdMax": 4.5}, f"{ENDS}, not 4.5 below 5"),
    refused(
        {"scheduleOffsetMinutes": 4},
        {"scheduleOffsetMinutes": 5},
        "scheduleOffsetMinutes must be less than the interval (5 minutes), not 5",
    ),
    refused(
        {"interval": "1d", "scheduleOffsetMinutes": 1439},
        {"interval": "1d", "scheduleOffsetMinutes": 1440},
        "scheduleOffsetMinutes must be at most 1439, not 1440",
    ),
    refused(
        {"scheduleStartAt": moment(1)},
        {"scheduleOffsetMinutes": 1, "scheduleStartAt": "2026-01-01T00:00:00Z"},
        "scheduleOffsetMinutes must be 0 or absent if scheduleStartAt is set, not 1",
    ),
    refused(
        {"scheduleStartAt": "2026-01-01T00:00:00+02:00"},
        {"scheduleStartAt": "2010-01-01T00:00:00+02:00"},
        f"{START}, not 2010-01-01T00:00:00+02:00",
    ),
    refused(
        {"scheduleStartAt": moment(-3600)},
        {"scheduleStartAt": "2011-01-01T00:00:00Z"},
        f"{START}, not 2011-01-01T00:00:00Z",
    ),
    *(
        refused({}, {name: "n" * (most + 1)}, f"{name} must have at most {most} characters but has {most + 1}")
        for name, most in LENGTHS.items()
    ),
    refused(
        {"numConsecutiveWindows": 1}, {"numConsecutiveWindows": 0}, "numConsecutiveWindows must be at least 1, not 0"
    ),
    refused(
        {"channel": None, "channels": [WEBHOOK]},
        {"channel": None},
        "channel is required: write {type: webhook, webhookId: …}, or several of these in channels",
    ),
    refused(
        {"channels": [WEBHOOK, OTHER]},
        {"channels": [OTHER, WEBHOOK]},
        "channel must be the first of `channels` if both are set, which it is not",
    ),
    refused(
        {"channels": [WEBHOOK]}, {"channel": None, "channels": []}, "channels must have at least 1 element(s), not []"
    ),
    refused(
        {"channels": [WEBHOOK, OTHER]},
        {"serviceId": SERVICE, "channel": None, "channels": [OTHER, WEBHOOK, {**OTHER, "severity": "error"}]},
        "channels must contain each channel once; duplicate: [2]",
    ),
    refused(
        {"channel": WEBHOOK},
        {"channel": {"type": "webhook"}},
        f"channel {CHANNELS}; channel has the webhookId None, not 24 hexadecimal digits{TAKE_ID}",
    ),
    refused(
        {},
        {"channel": None, "channels": [WEBHOOK, {"type": "webhook", "webhookId": "pager"}]},
        f"channels {CHANNELS}; channels[1] has the webhookId 'pager', not 24 hexadecimal digits{TAKE_ID}",
    ),
    refused(
        {},
        {"channel": {"type": "slack"}},
        f"channel {CHANNELS}; channel is of type 'slack': write webhook, with the id of a Webhook, whose service it is",
    ),
    refused(
        {"serviceId": SERVICE, "channel": {"type": "email", "emailRecipients": ["ops@example.com"]}},
        {"channel": {"type": "email", "emailRecipients": ["ops@example.com"]}},
        f"channel {CHANNELS}; channel is of type email, which self-hosted servers do not support",
    ),
    refused(
        {},
        {"serviceId": SERVICE, "channel": {"type": "email", "emailRecipients": []}},
        f"channel {CHANNELS}; channel has no emailRecipients",
    ),
    refused(
        {"serviceId": SERVICE, "channel": {"type": "email", "emailRecipients": ["ops@example.com"]}},
        {"serviceId": SERVICE, "channel": {"type": "email", "emailRecipients": ["ops@example.com "]}},
        "channel.emailRecipients[0] must be an email address, without blanks, not 'ops@example.com '; did you "
        "mean 'ops@example.com'?",
    ),
    refused(
        {"serviceId": SERVICE, "channel": {**WEBHOOK, "severity": "critical", "slackChannelId": "C1"}},
        {"channel": {**WEBHOOK, "severity": "critical", "slackChannelId": "C1"}},
        f"channel {CHANNELS}; channel sets slackChannelId, severity, which self-hosted servers ignore",
    ),
    allowed(
        {},
        {"serviceId": SERVICE, "channel": {**WEBHOOK, "severity": "grave"}},
        f"channel.severity is 'grave', {NEWER}; known values are critical, error, warning, info",
    ),
]
