"""Probes of alerts, and of what they depend on."""

from __future__ import annotations

from typing import Any

from acceptance.bench import Bench, Values
from acceptance.outcome import Outcome, each_holds, equal, holds_if


def _exists(bench: Bench, alert: Values) -> bool:
    """Return whether an alert exists."""
    return bench.stack("GET", f"/alerts/{alert['id']}").response.is_success


def _replaced(bench: Bench, alert: Values, body: Values) -> Values:
    """Replace an alert, and return it as it is read afterwards."""
    bench.replace(f"/alerts/{alert['id']}", body)
    found: Values = bench.stack("GET", f"/alerts/{alert['id']}").result
    return found


def update_deletes_alerts_of_removed_tiles(bench: Bench) -> Outcome:
    """Remove one of two tiles with alerts."""
    board = bench.board([bench.tile(), bench.tile()])
    kept, removed = bench.alert(board, 0), bench.alert(board, 1)
    bench.replace(f"/dashboards/{board['id']}", {"name": board["name"], "tiles": board["tiles"][:1]})
    return each_holds(
        holds_if(_exists(bench, kept), "the alert of the other tile is deleted, too"),
        holds_if(not _exists(bench, removed), "the alert of a removed tile stays"),
    )


def update_deletes_alerts_of_other_kinds(bench: Bench) -> Outcome:
    """Update a dashboard with an alert on a table."""
    board = bench.board([bench.tile("table")])
    alert = bench.alert(board)
    bench.replace(f"/dashboards/{board['id']}", {"name": board["name"], "tiles": board["tiles"]})
    return holds_if(not _exists(bench, alert), "the alert on a table stays")


def alert_is_accepted_on_any_kind(bench: Bench) -> Outcome:
    """Create an alert on a table."""
    board = bench.board([bench.tile("table")])
    reply = bench.stack("POST", "/alerts", bench.alert_body(board))
    if reply.response.is_success:
        bench.will_delete(f"{bench.stack_path}/alerts/{reply.result['id']}")
    return holds_if(reply.response.is_success, reply.words)


def dashboard_takes_its_alerts(bench: Bench) -> Outcome:
    """Delete a dashboard with an alert."""
    board = bench.board([bench.tile()])
    alert = bench.alert(board)
    bench.stack("DELETE", f"/dashboards/{board['id']}").check()
    return holds_if(not _exists(bench, alert), "the alert of a deleted dashboard stays")


def search_takes_its_alerts(bench: Bench) -> Outcome:
    """Delete a saved search with an alert."""
    search = bench.search()
    alert = bench.make_on_stack("/alerts", _of_search(bench, search))
    bench.stack("DELETE", f"/saved-searches/{search['id']}").check()
    return holds_if(not _exists(bench, alert), "the alert of a deleted saved search stays")


def _of_search(bench: Bench, search: Values) -> Values:
    return {
        "name": bench.name("Alert"),
        "source": "saved_search",
        "savedSearchId": search["id"],
        "interval": "5m",
        "threshold": 1,
        "thresholdType": "above",
        "channel": bench.channel(bench.webhook_id),
    }


def a_tile_has_several_alerts(bench: Bench) -> Outcome:
    """Create two alerts on one tile."""
    board = bench.board([bench.tile()])
    one, other = bench.alert(board), bench.alert(board)
    return holds_if(one["id"] != other["id"] and _exists(bench, one), "a second alert on a tile replaces the first one")


def alert_shows_both_forms_of_channels(bench: Bench) -> Outcome:
    """Create an alert with one channel, in the older form."""
    alert = bench.alert(bench.board([bench.tile()]))
    channels: list[Values] = alert.get("channels") or []
    first = (alert.get("channel") or {}).get("webhookId")
    shown = [each.get("webhookId") for each in channels]
    return equal((first, shown), (bench.webhook_id, [bench.webhook_id]), "channel and channels")


def new_alert_is_ok(bench: Bench) -> Outcome:
    """Create an alert, whose first check may be over when it is read."""
    return equal(bench.alert(bench.board([bench.tile()]))["state"], "OK", "the state of a new alert")


def _two_channels(bench: Bench) -> tuple[Values, list[Values]]:
    """Return an alert with two channels, and these."""
    other = bench.make_on_stack("/webhooks", bench.webhook_body())
    channels = [bench.channel(bench.webhook_id), bench.channel(other["id"])]
    return bench.alert(bench.board([bench.tile()]), channels=channels), channels


_OF_BODY = (
    *("name", "source", "dashboardId", "tileId", "interval", "threshold", "thresholdType", "channel", "message"),
    *("note", "numConsecutiveWindows", "thresholdMax", "scheduleOffsetMinutes", "scheduleStartAt"),
)


def _body_of(alert: Values, *omitted: str, **more: Any) -> Values:
    """Return the body that leaves an alert as it is, without some properties and with others."""
    body = {name: alert[name] for name in _OF_BODY if name not in omitted and alert.get(name) is not None}
    return {**body, **more}


def channel_alone_drops_the_others(bench: Bench) -> Outcome:
    """Replace an alert that has two channels, with `channel` alone."""
    alert, channels = _two_channels(bench)
    after = _replaced(bench, alert, _body_of(alert, channel=channels[0]))
    return equal(len(after["channels"]), 1, "the number of channels")


def channel_is_the_first_of_channels(bench: Bench) -> Outcome:
    """Send as `channel` the second of `channels`."""
    alert, channels = _two_channels(bench)
    body = _body_of(alert, channel=channels[1], channels=channels)
    reply = bench.stack("PUT", f"/alerts/{alert['id']}", body)
    return holds_if(reply.refused(), reply.words)


def update_clears_texts_of_an_alert(bench: Bench) -> Outcome:
    """Replace an alert without name, message, note and number of windows."""
    texts: Values = {"message": "m", "note": "n", "numConsecutiveWindows": 2}
    alert = bench.alert(bench.board([bench.tile()]), **texts)
    after = _replaced(bench, alert, _body_of(alert, "name", *texts))
    kept = [name for name in ("name", *texts) if after.get(name) is not None]
    return holds_if(not kept, f"an update that omits {', '.join(kept)} keeps them")


def update_keeps_the_range_of_an_alert(bench: Bench) -> Outcome:
    """Replace an alert without its upper threshold and without its offset."""
    fixed: Values = {"thresholdType": "between", "thresholdMax": 5, "scheduleOffsetMinutes": 2}
    alert = bench.alert(bench.board([bench.tile()]), **fixed)
    after = _replaced(bench, alert, _body_of(alert, "thresholdMax", "scheduleOffsetMinutes", thresholdType="above"))
    found = after.get("thresholdMax"), after.get("scheduleOffsetMinutes")
    return equal(found, (5, 2), "thresholdMax and scheduleOffsetMinutes")


def null_clears_the_start_of_an_alert(bench: Bench) -> Outcome:
    """Send null as the start, and zero as the offset."""
    start = "2026-01-01T00:00:00.000Z"
    alert = bench.alert(bench.board([bench.tile()]), scheduleStartAt=start)
    kept = _replaced(bench, alert, _body_of(alert, "scheduleStartAt", "scheduleOffsetMinutes"))
    cleared = {**_body_of(alert, "scheduleStartAt", "scheduleOffsetMinutes"), "scheduleStartAt": None}
    after = _replaced(bench, alert, cleared)
    return each_holds(
        equal(kept.get("scheduleStartAt"), start, "scheduleStartAt after an update that omits it"),
        equal(after.get("scheduleStartAt"), None, "scheduleStartAt after null"),
    )


def start_resets_the_offset(bench: Bench) -> Outcome:
    """Give a start to an alert that has an offset."""
    alert = bench.alert(bench.board([bench.tile()]), scheduleOffsetMinutes=2)
    body = _body_of(alert, "scheduleOffsetMinutes", scheduleStartAt="2026-01-01T00:00:00.000Z")
    return equal(_replaced(bench, alert, body).get("scheduleOffsetMinutes"), 0, "scheduleOffsetMinutes")


def times_have_milliseconds(bench: Bench) -> Outcome:
    """Send a time with microseconds."""
    alert = bench.alert(bench.board([bench.tile()]), scheduleStartAt="2026-01-01T00:00:00.123456Z")
    return equal(alert["scheduleStartAt"], "2026-01-01T00:00:00.123Z", "scheduleStartAt")


def self_hosted_channel_drops_properties_of_the_cloud(bench: Bench) -> Outcome:
    """Create an alert whose channel has a severity."""
    channel = {**bench.channel(bench.webhook_id), "severity": "critical"}
    alert = bench.alert(bench.board([bench.tile()]), channel=channel)
    return holds_if("severity" not in alert["channel"], "the channel has a severity")


def _inline_body(bench: Bench) -> Values:
    return {
        "name": bench.name("Alert"),
        "source": "inline",
        "chartConfig": {"displayType": "line", "sourceId": bench.source_id, "select": [{"aggFn": "count"}]},
        "interval": "5m",
        "threshold": 1,
        "thresholdType": "above",
        "channel": bench.channel(bench.webhook_id),
    }


def lists_leave_out_the_chart_of_an_alert(bench: Bench) -> Outcome:
    """Create an alert with a chart, and read it by its id and in the list."""
    reply = bench.stack("POST", "/alerts", _inline_body(bench))
    if reply.refused():
        return holds_if("inline" in reply.words or "source" in reply.words, reply.words)
    alert = reply.result
    bench.will_delete(f"{bench.stack_path}/alerts/{alert['id']}")
    read: Values = bench.stack("GET", f"/alerts/{alert['id']}").result
    (listed,) = (each for each in bench.stack("GET", "/alerts").result if each["id"] == alert["id"])
    return each_holds(
        holds_if("chartConfig" in alert and "chartConfig" in read, "the chart is not returned"),
        holds_if("chartConfig" not in listed, "the list has the chart"),
    )


def update_derives_the_title_of_an_alert(bench: Bench) -> Outcome:
    """Give a title and tags to an alert, and replace it without them."""
    title: Values = {"displayName": "Probed", "tags": ["probed"]}
    board = bench.board([bench.tile()])
    alert = bench.alert(board, **title)
    if "displayName" not in alert:
        return holds_if("tags" not in alert, "the alert has tags, but no title")
    after = _replaced(bench, alert, _body_of(alert))
    derived = f"{board['name']} - {board['tiles'][0]['name'] or 'Tile'}"
    return each_holds(
        equal({name: alert[name] for name in title}, title, "what is stored"),
        equal((after["displayName"], after["tags"]), (derived, board.get("tags") or []), "displayName and tags"),
    )


def cloud_has_no_inline_alerts(bench: Bench) -> Outcome:
    """Create an alert with a chart, and one with a title."""
    reply = bench.stack("POST", "/alerts", _inline_body(bench))
    if not reply.refused():
        bench.will_delete(f"{bench.stack_path}/alerts/{reply.result['id']}")
        return holds_if(False, "an alert with a chart is accepted")
    alert = bench.alert(bench.board([bench.tile()]), displayName="Probed")
    return holds_if("displayName" not in alert, "an alert has a title")


def webhooks_are_validated(bench: Bench) -> Outcome:
    """Validate a webhook, and one with an address that is none."""
    good = bench.stack("POST", "/webhooks/validate", bench.webhook_body())
    if good.status in (404, 405):
        return holds_if(True, "")
    bad = bench.stack("POST", "/webhooks/validate", bench.webhook_body(url="nowhere"))
    found, faults = good.body, bad.body
    found, faults = (each.get("result", each) if isinstance(each, dict) else {} for each in (found, faults))
    return each_holds(
        equal((found.get("valid"), faults.get("valid")), (True, False), "valid"),
        equal([sorted(each) for each in faults.get("errors", [])], [["message", "path"]], "the errors"),
    )
