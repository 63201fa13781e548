"""Unmanaged values survive every update: a replacement by PUT contains the server's values."""

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
    """Create a service with a dashboard: only servers of the cloud store the severity of a channel."""
    service = a_service(sandbox)
    config = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]}
    tile = {"name": "one", "x": 0, "y": 0, "w": 4, "h": 3, "config": config}
    with sandbox.management() as client:
        path = f"/services/{service['service_id']}/clickstack/dashboards"
        made = client.post(path, json={"name": "Watched", "tiles": [tile]}).json()["result"]
    return {**service, "dashboard_id": made["id"], "one": made["tiles"][0]["id"]}


def a_dashboard_and_a_webhook(sandbox: Sandbox) -> dict[str, str]:
    """Create a dashboard and a third webhook."""
    sandbox.add("webhooks", id=THIRD, name="Third")
    return a_dashboard(sandbox)


def by_hand(kind: str, **fields: Any) -> Step:
    """Change the object directly on the server."""
    return change(lambda run: run.sandbox.change(kind, run.id, **fields))


def has_on_server(kind: str, **fields: Any) -> Step:
    """Assert the server's values."""

    def act(run: Run) -> None:
        record = run.sandbox.objects(kind)[run.id]
        assert {name: record.get(name) for name in fields} == run.fill(fields)

    return change(act)


def edits(inputs: dict[str, Any], name: str, *values: Any) -> list[Step]:
    """Update one property several times, each time in another command."""
    return [step for value in values for step in (later_command(), update({**inputs, name: value}))]


CASES = [
    Case(
        "alert: changes by hand survive ten updates of another property",
        "Alert",
        (
            create(MANAGED),
            by_hand("alerts", **BY_HAND),
            later_command(),
            refresh(),
            diff(MANAGED, changes=False),
            *edits(MANAGED, "threshold", *range(11, 21)),
            has_on_server("alerts", **{**BY_HAND, "threshold": 20}),
            refresh(),
        ),
        setting=a_managed_dashboard,
        server=CLICKHOUSE,
    ),
    Case(
        "alert: another channel replaces the program's own",
        "Alert",
        (
            create(ALERT),
            by_hand("alerts", channel=WEBHOOK, channels=[WEBHOOK, WEBHOOK | {"webhookId": THIRD}]),
            later_command(),
            update({**ALERT, "channel": OTHER}),
            has_on_server("alerts", channels=[OTHER, WEBHOOK | {"webhookId": THIRD}]),
        ),
        setting=a_dashboard_and_a_webhook,
        server=CLICKHOUSE,
    ),
    Case(
        "alert: the first of several channels is removed",
        "Alert",
        (
            create({**SEVERAL, "channels": [WEBHOOK, OTHER]}),
            later_command(),
            update({**SEVERAL, "channels": [OTHER]}),
            has_on_server("alerts", channel=OTHER, channels=[OTHER]),
        ),
        setting=a_dashboard,
        server=CLICKHOUSE,
    ),
    Case(
        "alert: removed properties are cleared",
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
            has_on_server(
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
        "alert: every property is created, read, and compared",
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
        "saved search: changes by hand survive an update of another property",
        "SavedSearch",
        (
            create(SEARCH),
            by_hand("saved_searches", tags=["shop"], orderBy="Timestamp", newerThanUs={"a": [1]}),
            later_command(),
            refresh(),
            diff(SEARCH, changes=False),
            update({**SEARCH, "where": "x:1"}),
            has_on_server("saved_searches", tags=["shop"], orderBy="Timestamp", where="x:1"),
        ),
        server=CLICKHOUSE,
    ),
]
