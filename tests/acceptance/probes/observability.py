"""Probes of what dashboards and alerts refer to: sources, connections, webhooks, saved searches, and the team."""

from __future__ import annotations

import re

from acceptance.bench import ABSENT, Bench, Values
from acceptance.outcome import NotProbed, Outcome, each_holds, equal, holds_if


def _created_or_refused(bench: Bench, path: str, body: Values) -> tuple[bool, str]:
    """Return whether a create is refused with the API's own 400, and the response in words."""
    reply = bench.stack("POST", path, body)
    if reply.response.is_success:
        bench.will_delete(f"{bench.stack_path}{path}/{reply.result['id']}")
    return reply.refused(), reply.words


def _refused(bench: Bench, path: str, body: Values) -> Outcome:
    return holds_if(*_created_or_refused(bench, path, body))


# -- sources ----------------------------------------------------------------------------------------------------------


def source_update_replaces(bench: Bench) -> Outcome:
    """Replace a source without one of its expressions."""
    body = bench.source_body()
    source = bench.make_on_stack("/sources", {**body, "severityTextExpression": "SeverityText"})
    after = bench.replace(f"/sources/{source['id']}", body)
    return holds_if(not after.get("severityTextExpression"), "an update that omits severityTextExpression keeps it")


def metrics_need_a_table_name(bench: Bench) -> Outcome:
    """Create a source of metrics without a name of a table."""
    body = {
        **{name: value for name, value in bench.source_body().items() if name != "defaultTableSelectExpression"},
        "kind": "metric",
        "from": {"databaseName": "default"},
        "metricTables": {"gauge": "otel_metrics_gauge"},
        "resourceAttributesExpression": "ResourceAttributes",
    }
    return _refused(bench, "/sources", body)


def traces_get_a_precision(bench: Bench) -> Outcome:
    """Create a source of traces without a precision."""
    body = {
        **bench.source_body(kind="trace"),
        "durationExpression": "Duration",
        "traceIdExpression": "TraceId",
        "spanIdExpression": "SpanId",
        "parentSpanIdExpression": "ParentSpanId",
        "spanNameExpression": "SpanName",
        "spanKindExpression": "SpanKind",
    }
    return equal(bench.make_on_stack("/sources", body).get("durationPrecision"), 3, "durationPrecision")


def source_needs_a_connection(bench: Bench) -> Outcome:
    """Create a source of an unknown connection."""
    return _refused(bench, "/sources", bench.source_body(connection=ABSENT))


def used_source_is_deleted(bench: Bench) -> Outcome:
    """Delete the source of a tile, and then update the dashboard."""
    source = bench.make_on_stack("/sources", bench.source_body())
    board = bench.board([bench.tile(source=source["id"])])
    deleted = bench.stack("DELETE", f"/sources/{source['id']}")
    body = {"name": board["name"], "tiles": board["tiles"]}
    reply = bench.stack("PUT", f"/dashboards/{board['id']}", body)
    return each_holds(holds_if(deleted.response.is_success, deleted.words), holds_if(reply.status == 400, reply.words))


def sources_may_refer_to_each_other(bench: Bench) -> Outcome:
    """Create two sources, let each refer to the other, and delete one."""
    first = bench.make_on_stack("/sources", bench.source_body())
    second = bench.make_on_stack("/sources", {**bench.source_body(), "traceSourceId": first["id"]})
    body = {**bench.source_body(), "traceSourceId": second["id"]}
    linked = bench.stack("PUT", f"/sources/{first['id']}", body)
    deleted = bench.stack("DELETE", f"/sources/{second['id']}")
    link = bench.stack("GET", f"/sources/{first['id']}").result.get("traceSourceId")
    succeeded = linked.response.is_success and deleted.response.is_success
    return each_holds(holds_if(succeeded, deleted.words), equal(link, second["id"], "the link to the deleted source"))


def sources_get_defaults(bench: Bench) -> Outcome:
    """Create a source with what it requires."""
    source = bench.make_on_stack("/sources", bench.source_body())
    return equal((source.get("disabled"), source.get("querySettings")), (False, []), "disabled and querySettings")


# -- connections ------------------------------------------------------------------------------------------------------


def _connection(bench: Bench, **more: object) -> Values:
    body = {"name": bench.name(), "host": "http://localhost:8123", "username": "default", "password": "s3cret"}
    return bench.make_on_stack("/connections", {**body, **more})


def connection_hides_its_password(bench: Bench) -> Outcome:
    """Create a connection, and list it."""
    made = _connection(bench)
    listed = [each for each in bench.stack("GET", "/connections").result if each["id"] == made["id"]]
    return holds_if(listed and not any("password" in each for each in (made, *listed)), "a connection has a password")


def connection_keeps_its_prefix(bench: Bench) -> Outcome:
    """Replace a connection without its prefix, and then with null."""
    made = _connection(bench, hyperdxSettingPrefix="probe_")
    body = {"name": made["name"], "host": made["host"], "username": made["username"]}
    kept = bench.replace(f"/connections/{made['id']}", body)
    cleared = bench.replace(f"/connections/{made['id']}", {**body, "hyperdxSettingPrefix": None})
    return each_holds(
        equal(kept.get("hyperdxSettingPrefix"), "probe_", "the prefix after an update that omits it"),
        equal(cleared.get("hyperdxSettingPrefix"), None, "the prefix after null"),
    )


# -- webhooks ---------------------------------------------------------------------------------------------------------


def webhooks_are_not_read_alone(bench: Bench) -> Outcome:
    """Read a webhook by its id."""
    reply = bench.stack("GET", f"/webhooks/{bench.webhook_id}")
    return holds_if(reply.is_unknown, reply.words)


def webhooks_of_two_services_share_a_name(bench: Bench) -> Outcome:
    """Create two webhooks of one name and two services."""
    body = bench.webhook_body()
    bench.make_on_stack("/webhooks", body)
    other = bench.stack("POST", "/webhooks", {**body, "service": "incidentio"})
    if other.response.is_success:
        bench.will_delete(f"{bench.stack_path}/webhooks/{other.result['id']}")
    return holds_if(other.response.is_success, other.words)


def first_webhook_of_an_alert_stays(bench: Bench) -> Outcome:
    """Delete the only webhook of an alert."""
    hook = bench.make_on_stack("/webhooks", bench.webhook_body())
    bench.alert(bench.board([bench.tile()]), channel=bench.channel(hook["id"]))
    reply = bench.stack("DELETE", f"/webhooks/{hook['id']}")
    return holds_if(reply.refused(409), reply.words)


def other_webhooks_of_an_alert_are_deleted(bench: Bench) -> Outcome:
    """Delete the second webhook of an alert."""
    hook = bench.make_on_stack("/webhooks", bench.webhook_body())
    channels = [bench.channel(bench.webhook_id), bench.channel(hook["id"])]
    bench.alert(bench.board([bench.tile()]), channels=channels)
    reply = bench.stack("DELETE", f"/webhooks/{hook['id']}")
    return holds_if(reply.response.is_success, reply.words)


def private_addresses_are_refused(bench: Bench) -> Outcome:
    """Create a webhook with a private address."""
    return _refused(bench, "/webhooks", bench.webhook_body(url="http://10.1.2.3/probe"))


def webhook_hides_headers(bench: Bench) -> Outcome:
    """Create a webhook with a header and a query parameter, and list it."""
    more = {"headers": {"X-Probe": "s3cret"}, "queryParams": {"probe": "s3cret"}}
    made = bench.make_on_stack("/webhooks", bench.webhook_body(**more))
    listed = [each for each in bench.stack("GET", "/webhooks").result if each["id"] == made["id"]]
    shown = [name for name in more if any(name in each for each in (made, *listed))]
    return holds_if(listed and not shown, f"a webhook shows {', '.join(shown)}")


def slack_has_no_headers(bench: Bench) -> Outcome:
    """Create a webhook of Slack with a header."""
    address = "https://hooks.slack.com/services/probe"
    return _refused(bench, "/webhooks", bench.webhook_body(service="slack", url=address, headers={"X-Probe": "1"}))


def names_are_trimmed(bench: Bench) -> Outcome:
    """Create a webhook whose name has white space around it."""
    body = bench.webhook_body()
    made = bench.make_on_stack("/webhooks", {**body, "name": f"  {body['name']} "})
    return equal(made["name"], body["name"], "the name")


# -- saved searches ---------------------------------------------------------------------------------------------------


def search_update_restores_defaults(bench: Bench) -> Outcome:
    """Replace a saved search by its name and its source."""
    search = bench.search(where="level:error", tags=["a"], orderBy="Timestamp DESC")
    after = bench.replace(f"/saved-searches/{search['id']}", {"name": search["name"], "sourceId": search["sourceId"]})
    found = {name: after.get(name) for name in ("where", "whereLanguage", "tags", "orderBy", "filters")}
    usual = {"where": "", "whereLanguage": "lucene", "tags": [], "orderBy": "", "filters": []}
    return equal(found, usual, "a search after an update that omits everything")


def search_needs_a_source(bench: Bench) -> Outcome:
    """Create a saved search of an unknown source."""
    return _refused(bench, "/saved-searches", {"name": bench.name(), "sourceId": ABSENT})


def search_filters_are_those_of_the_sidebar(bench: Bench) -> Outcome:
    """Create searches with a filter that the sidebar shows, and with another."""
    shown = bench.search(filters=[{"type": "sql", "condition": "ServiceName IN ('a', 'b')"}])
    other = {"name": bench.name(), "sourceId": bench.source_id}
    refused = _refused(bench, "/saved-searches", {**other, "filters": [{"type": "sql", "condition": "Duration = 5"}]})
    return each_holds(equal(len(shown["filters"]), 1, "the number of filters"), refused)


# -- team -------------------------------------------------------------------------------------------------------------


def predefined_stack_roles_are_marked(bench: Bench) -> Outcome:
    """Look for a predefined role."""
    roles = bench.stack("GET", "/roles").result
    return holds_if(any(each.get("isPredefined") is True for each in roles), "no role of the list is predefined")


def team_members_have_dated_ids(bench: Bench) -> Outcome:
    """Look at the members of the team."""
    members = bench.stack("GET", "/team/members").result
    fit = [re.fullmatch("[0-9a-f]{24}", str(each.get("id"))) and each.get("email") for each in members]
    return holds_if(members and all(fit), "a member has another id, or no email")


def inviting_again_returns_the_invitation(bench: Bench) -> Outcome:
    """Invite an address of the needs twice, with other letter case."""
    address = bench.invited()
    if address is None:
        return NotProbed("the needs name no address to `invite`")
    first = bench.stack("POST", "/team/invitation", {"email": address}).result
    bench.will_delete(f"{bench.stack_path}/team/invitation/{first['invitationId']}")
    second = bench.stack("POST", "/team/invitation", {"email": address.lower()}).result
    return each_holds(
        equal(second["invitationId"], first["invitationId"], "the second invitation"),
        equal(first["email"], address.lower(), "the address"),
    )
