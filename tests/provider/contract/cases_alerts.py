"""Alerts whose check fails never fire, and their state does not show it: the provider warns."""

from __future__ import annotations

from typing import Any

from lives.life import a_dashboard
from support.ids import LOGS

from .case import Case, Run, Step
from .cases_dashboards import ALERT
from .cases_unsaid import CLICKHOUSE, by_hand
from .differences import IMPORT
from .steps import change, create, diff, import_, later_command, refresh, update

WHEN, LATER = "2026-11-26T10:49:17.679Z", "2026-11-26T10:50:17.679Z"
QUERY = {"timestamp": WHEN, "type": "QUERY_ERROR", "message": "Unknown identifier `Duration`.\n In scope SELECT 1"}
WEBHOOK = {"timestamp": WHEN, "type": "WEBHOOK_ERROR", "message": 'Failed to send notification to webhook "On call".'}
FAILED = f"cannot fire: its check at {WHEN} failed: QUERY_ERROR: Unknown identifier `Duration`. In scope SELECT 1"
NAMED = {**ALERT, "name": "Errors"}
LIVE = f"Alert 'Errors' on tile 'one' {FAILED}\nCorrect the query that it watches."


def failing(*errors: dict[str, str]) -> Step:
    """Add errors to the last check of the alert."""
    return by_hand("alerts", executionErrors=list(errors))


def has_errors(errors: list[Any]) -> Step:
    """Assert that state contains these errors."""

    def act(run: Run) -> None:
        assert run.state["executionErrors"] == errors, run.state

    return change(act)


def alert(name: str, *steps: Step, **more: Any) -> Case:
    """Return a case of an alert on the vendor's server."""
    settings = {"server": CLICKHOUSE, "setting": a_dashboard, **more}
    return Case(f"alert: {name}", "Alert", steps, **settings)


CHART: dict[str, Any] = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]}
INLINE: dict[str, Any] = {
    **{name: value for name, value in NAMED.items() if name not in ("dashboardId", "tileId")},
    "source": "inline",
    "chartConfig": CHART,
}
TITLED = {**NAMED, "displayName": "Mine", "tags": ["shop"]}

CASES = [
    alert(
        "a chart of its own",
        create(INLINE),
        later_command(),
        refresh(),
        diff(INLINE, changes=False),
        update({**INLINE, "threshold": 20}),
        by_hand("alerts", chartConfig={**CHART, "name": "Mine"}),
        later_command(),
        refresh(),
        diff({**INLINE, "threshold": 20}, changes=True),
    ),
    alert(
        "a title that somebody sets",
        create(TITLED),
        by_hand("alerts", displayName="Yours"),
        later_command(),
        refresh(),
        diff(TITLED, changes=True),
        update(TITLED),
        update({**NAMED, "threshold": 20}),
        by_hand("alerts", displayName="Yours"),
        later_command(),
        refresh(),
        diff({**NAMED, "threshold": 20}, changes=False),
    ),
    alert(
        "a refresh warns of a check that took too long",
        create(NAMED),
        failing({**QUERY, "type": "QUERY_TIMEOUT", "message": "too slow"}),
        later_command(),
        refresh(),
        warns=(f"Alert 'Errors' on tile 'one' cannot fire: its check at {WHEN} failed: QUERY_TIMEOUT: too slow",),
    ),
    alert(
        "a refresh warns of a failed check",
        create(NAMED),
        failing(QUERY),
        later_command(),
        refresh(),
        refresh(),
        diff(NAMED, changes=False),
        warns=(LIVE,),
    ),
    alert(
        "a preview and an update warn of the last known failure",
        create(NAMED),
        failing(QUERY),
        later_command(),
        refresh(),
        later_command(),
        diff(NAMED, changes=False),
        diff({**NAMED, "threshold": 20}, changes=True),
        update({**NAMED, "threshold": 20}),
        warns=(LIVE, "Alert 'Errors' on tile '"),
    ),
    alert(
        "an update warns of a failure that no refresh has read",
        create(NAMED),
        failing(QUERY),
        later_command(),
        update({**NAMED, "threshold": 20}),
        warns=(LIVE,),
    ),
    alert(
        "an import warns",
        create(NAMED),
        failing(QUERY),
        later_command(),
        import_("$id"),
        warns=(LIVE,),
        differs=frozenset({IMPORT}),
    ),
    alert(
        "a failed notification is reported as one",
        create(NAMED),
        failing(WEBHOOK),
        later_command(),
        refresh(),
        warns=(f"Alert 'Errors' on tile 'one' did not send its notification at {WHEN}: WEBHOOK_ERROR: Failed to send",),
    ),
    alert(
        "a later failure causes another warning, and a success none",
        create(NAMED),
        failing(QUERY),
        later_command(),
        refresh(),
        failing({**QUERY, "timestamp": LATER}),
        later_command(),
        refresh(),
        failing(),
        later_command(),
        refresh(),
        diff(NAMED, changes=False),
        warns=(LIVE, LIVE.replace(WHEN, LATER)),
    ),
    alert(
        "without errors, state has an empty list, which a preview knows",
        create(NAMED),
        has_errors([]),
        failing(QUERY),
        later_command(),
        refresh(),
        has_errors([QUERY]),
        failing(),
        later_command(),
        update({**NAMED, "threshold": 20}),
        has_errors([]),
    ),
    alert(
        "a long message is cut",
        create(NAMED),
        failing({**QUERY, "message": "x" * 301}),
        later_command(),
        refresh(),
        warns=(f"Alert 'Errors' on tile 'one' cannot fire: its check at {WHEN} failed: QUERY_ERROR: {'x' * 300} …\n",),
    ),
]
"""The cases."""
