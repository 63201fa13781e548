"""What no program says survives every edit: a replacement sends along what the server holds."""

from __future__ import annotations

from typing import Any

from clouddb_tools.sandbox import Sandbox
from lives.life import a_dashboard, a_service
from support.ids import CALM, LOGS, LOUD

from .case import Case, Run, Step
from .cases_dashboards import ALERT
from .steps import change, create, diff, later_command, refresh, update

CLICKHOUSE = {"vocabulary": "clickhouse"}
THIRD = "65f5e4a3b9e77c001a567899"
WEBHOOK = {"type": "webhook", "webhookId": CALM}
OTHER = {"type": "webhook", "webhookId": LOUD}
PAGED = {**WEBHOOK, "severity": "critical"}
MANAGED = {**ALERT, "serviceId": "$service_id"}
SEVERAL = {name: value for name, value in ALERT.items() if name != "channel"}
BY_HAND = {
    "channel": PAGED,
    "channels": [PAGED, OTHER],
    "note": "Wake Ann.",
    "numConsecutiveWindows": 3,
    "scheduleStartAt": "2026-01-01T00:00:00.000Z",
    "name": "Orders",
}
SEARCH = {"name": "Errors", "sourceId": LOGS}


def a_managed_dashboard(sandbox: Sandbox) -> dict[str, str]:
    """Make a service with a dashboard: only servers of the cloud keep the severity of a channel."""
    service = a_service(sandbox)
    config = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]}
    tile = {"name": "one", "x": 0, "y": 0, "w": 4, "h": 3, "config": config}
    with sandbox.management() as client:
        path = f"/services/{service['service_id']}/clickstack/dashboards"
        made = client.post(path, json={"name": "Watched", "tiles": [tile]}).json()["result"]
    return {**service, "dashboard_id": made["id"], "one": made["tiles"][0]["id"]}


def a_dashboard_and_a_webhook(sandbox: Sandbox) -> dict[str, str]:
    """Make a dashboard, and a webhook beside those that are there from the start."""
    sandbox.add("webhooks", id=THIRD, name="Third")
    return a_dashboard(sandbox)


def by_hand(kind: str, **fields: Any) -> Step:
    """Let a person change the object."""
    return change(lambda run: run.sandbox.change(kind, run.id, **fields))


def holds(kind: str, **fields: Any) -> Step:
    """Hold what the server has."""

    def look(run: Run) -> None:
        record = run.sandbox.objects(kind)[run.id]
        assert {name: record.get(name) for name in fields} == run.fill(fields)

    return change(look)


def edits(inputs: dict[str, Any], name: str, *values: Any) -> list[Step]:
    """Edit one property several times, each time by another command."""
    return [step for value in values for step in (later_command(), update({**inputs, name: value}))]


CASES = [
    Case(
        "alert: what a person adds survives ten edits of something else",
        "Alert",
        (
            create(MANAGED),
            by_hand("alerts", **BY_HAND),
            later_command(),
            refresh(),
            diff(MANAGED, changes=False),
            *edits(MANAGED, "threshold", *range(11, 21)),
            holds("alerts", **{**BY_HAND, "threshold": 20}),
            refresh(),
        ),
        setting=a_managed_dashboard,
        server=CLICKHOUSE,
    ),
    Case(
        "alert: another channel takes the place of the program's own",
        "Alert",
        (
            create(ALERT),
            by_hand("alerts", channel=WEBHOOK, channels=[WEBHOOK, WEBHOOK | {"webhookId": THIRD}]),
            later_command(),
            update({**ALERT, "channel": OTHER}),
            holds("alerts", channels=[OTHER, WEBHOOK | {"webhookId": THIRD}]),
        ),
        setting=a_dashboard_and_a_webhook,
        server=CLICKHOUSE,
    ),
    Case(
        "alert: the first of several channels is another one",
        "Alert",
        (
            create({**SEVERAL, "channels": [WEBHOOK, OTHER]}),
            later_command(),
            update({**SEVERAL, "channels": [OTHER]}),
            holds("alerts", channel=OTHER, channels=[OTHER]),
        ),
        setting=a_dashboard,
        server=CLICKHOUSE,
    ),
    Case(
        "alert: what a program said and says no more is cleared",
        "Alert",
        (
            create(
                {
                    **ALERT,
                    "channels": [WEBHOOK, OTHER],
                    "note": "n",
                    "numConsecutiveWindows": 2,
                    "scheduleOffsetMinutes": 1,
                    "name": "a",
                    "message": "m",
                }
            ),
            later_command(),
            update(ALERT),
            holds(
                "alerts",
                channels=[WEBHOOK],
                note=None,
                numConsecutiveWindows=None,
                scheduleOffsetMinutes=0,
                name=None,
                message=None,
            ),
            refresh(),
            diff(ALERT, changes=False),
        ),
        setting=a_dashboard,
        server=CLICKHOUSE,
    ),
    Case(
        "alert: every property is created, read, and found again",
        "Alert",
        (
            create(
                {
                    **ALERT,
                    "thresholdType": "between",
                    "thresholdMax": 12.5,
                    "interval": "1h",
                    "scheduleStartAt": "2026-01-01T00:00:00Z",
                    "channels": [WEBHOOK, OTHER],
                    "note": "n",
                    "numConsecutiveWindows": 2,
                }
            ),
            later_command(),
            refresh(outputs={"thresholdMax": 12.5, "note": "n", "numConsecutiveWindows": 2}),
            by_hand("alerts", note="another"),
            later_command(),
            refresh(inputs={"note": "another"}),
        ),
        setting=a_dashboard,
        server=CLICKHOUSE,
    ),
    Case(
        "saved search: what a person adds survives an edit of something else",
        "SavedSearch",
        (
            create(SEARCH),
            by_hand("saved_searches", tags=["shop"], orderBy="Timestamp", newerThanUs={"a": [1]}),
            later_command(),
            refresh(),
            diff(SEARCH, changes=False),
            update({**SEARCH, "where": "x:1"}),
            holds("saved_searches", tags=["shop"], orderBy="Timestamp", where="x:1"),
        ),
        server=CLICKHOUSE,
    ),
]
