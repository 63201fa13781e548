"""Differences of behaviour that are planted into a sandbox: the probes name each of them, and no other."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from acceptance.account import Kind
from acceptance.assumptions import probed
from acceptance.declared import declaring, operation_of
from acceptance.outcome import Differs, NotProbed
from acceptance.test_assumptions import EACH_KIND, NEEDS, UNPROBED, account
from clouddb_tools.sandbox.handlers import HANDLERS
from clouddb_tools.sandbox.responses import HTTPError, Listing
from clouddb_tools.sandbox.state import Call, SandboxState
from codegen.assumptions import UNIQUE
from pulumi_clouddb.client.operation import ServerKind

pytestmark = [pytest.mark.beyond_the_description, pytest.mark.slow]

Values = dict[str, Any]
Handler = Callable[[SandboxState, Call], Any]
Around = Callable[[Handler, SandboxState, Call], Any]


@dataclass(frozen=True)
class Plant:
    """A difference from one assumption: what an operation does instead."""

    name: str
    operation: str
    around: Around


def body_of(call: Call) -> Values:
    """Return the body of a request, which is an object in all probes."""
    return call.body if isinstance(call.body, dict) else {}


def returns(change: Callable[[Any, Call], Any]) -> Around:
    """Return another result; `change` gets a copy of the usual one, and changes it or returns another."""

    def around(handle: Handler, state: SandboxState, call: Call) -> Any:
        result = copy.deepcopy(handle(state, call))
        other = change(result, call)
        return result if other is None else other

    return around


def each_of(change: Callable[[Any], object], name: str | None = None) -> Around:
    """Change each item of a list, or of a list in the result."""

    def whole(result: Any, _: Call) -> None:
        for item in result[name] if name else result:
            change(item)

    return returns(whole)


def sets(**values: Any) -> Around:
    """Return a result with other values."""
    return returns(lambda result, _: result.update(values))


def lacks(*names: str) -> Around:
    """Return a result without some properties."""

    def without(result: Values, _: Call) -> None:
        for name in names:
            result.pop(name, None)

    return returns(without)


def refuses(status: int, word: str = "") -> Around:
    """Refuse with another status what is refused with a word."""

    def around(handle: Handler, state: SandboxState, call: Call) -> Any:
        try:
            return handle(state, call)
        except HTTPError as refusal:
            raise HTTPError(status if word in refusal.text else refusal.status, refusal.text) from None

    return around


def accepts(*words: str, part: str | None = None) -> Around:
    """Accept what is usually refused, with some words in the refusal; the object does not exist then."""

    def around(handle: Handler, state: SandboxState, call: Call) -> Any:
        try:
            return handle(state, call)
        except HTTPError as refusal:
            if words and not any(each in refusal.text for each in words):
                raise
            record = {"id": state.ids.object_id(), **body_of(call)}
            return {part: record} if part else record

    return around


def _needs_a_list(handle: Handler, state: SandboxState, call: Call) -> Any:
    """Refuse a service without an IP access list."""
    if "ipAccessList" not in body_of(call):
        raise HTTPError(400, "request body.ipAccessList: Required")
    return handle(state, call)


def with_body(change: Callable[[Values, SandboxState, Call], Values | None]) -> Around:
    """Handle a request as if it had more in its body."""

    def around(handle: Handler, state: SandboxState, call: Call) -> Any:
        more = change(body_of(call), state, call)
        return handle(state, replace(call, body={**body_of(call), **(more or {})}))

    return around


def kept(kind: str, parameter: str, *names: str) -> Around:
    """Keep properties of the stored object that an update omits."""

    def more(body: Values, state: SandboxState, call: Call) -> Values:
        old = state.store.get(kind, call.params[parameter]) or {}
        return {name: old[name] for name in names if name not in body and old.get(name) is not None}

    return with_body(more)


def leaves_alerts(handle: Handler, state: SandboxState, call: Call) -> Any:
    """Delete an object without its alerts."""
    alerts = state.store.items("alerts", "self-hosted") or []
    before = [(id_, copy.deepcopy(alert)) for id_, alert in alerts]
    result = handle(state, call)
    for id_, alert in before:
        if state.store.get("alerts", id_) is None:
            state.store.put("alerts", id_, alert, "self-hosted")
    return result


def _other_ids(handle: Handler, state: SandboxState, call: Call) -> Any:
    result = copy.deepcopy(handle(state, call))
    for tile in result["tiles"]:
        tile["id"] = state.ids.object_id()
    return result


def _sent_ids(result: Values, call: Call) -> None:
    for tile, sent in zip(result["tiles"], body_of(call)["tiles"], strict=True):
        tile["id"] = sent.get("id", tile["id"])


def _sent(*names: str) -> Callable[[Values, Call], None]:
    """Return a change that repeats properties of the request."""
    return lambda result, call: result.update({name: body_of(call)[name] for name in names if name in body_of(call)})


def _of_config(result: Values, call: Call) -> None:
    for tile, sent in zip(result["tiles"], body_of(call)["tiles"], strict=True):
        tile["config"].update({name: sent["config"][name] for name in ("having",) if name in sent.get("config", {})})


def _series(result: Values, call: Call) -> None:
    for tile, sent in zip(result["tiles"], body_of(call)["tiles"], strict=True):
        tile.update({name: sent[name] for name in ("series",) if name in sent})


def _dated(handle: Handler, state: SandboxState, call: Call) -> Any:
    return {**handle(state, call), "createdAt": state.clock.stamp()}


def _unknown_is_404(handle: Handler, state: SandboxState, call: Call) -> Any:
    if state.store.get("dashboards", call.params["dashboardId"]) is None:
        raise HTTPError(404, "Not Found", plain=True)
    return handle(state, call)


def _keeps_query(result: Values, call: Call) -> None:
    if body_of(call).get("savedQuery", "") is None:
        result["savedQuery"] = "level:error"


def _made_up_ids(result: Values, call: Call) -> None:
    for each, sent in zip(result["filters"], body_of(call).get("filters") or result["filters"], strict=True):
        each["id"] = sent.get("id")


def _channels(body: Values, state: SandboxState, call: Call) -> Values:
    old = state.store.get("alerts", call.params["alertId"]) or {}
    return {} if "channels" in body or len(old.get("channels", ())) < 2 else {"channels": old["channels"]}


def _without_range(handle: Handler, state: SandboxState, call: Call) -> Any:
    result = handle(state, call)
    if "thresholdMax" not in body_of(call):
        stored = state.store.get("alerts", call.params["alertId"]) or {}
        rest = {name: value for name, value in stored.items() if name != "thresholdMax"}
        state.store.put("alerts", call.params["alertId"], rest, "self-hosted")
    return result


def _refuses_used(handle: Handler, state: SandboxState, call: Call) -> Any:
    if any(call.params["sourceId"] in str(each) for each in state.store.all("dashboards")):
        raise HTTPError(409, "The source is in use")
    return handle(state, call)


def _whole_list(handle: Handler, state: SandboxState, call: Call) -> Any:
    whole = handle(state, replace(call, query={}))
    return whole.items if isinstance(whole, Listing) else whole


def _hides_new(handle: Handler, state: SandboxState, call: Call) -> Any:
    return handle(state, replace(call, hidden_for=60.0))


def _short_ids_only(handle: Handler, state: SandboxState, call: Call) -> Any:
    if len(call.params["alertId"]) == 12:
        raise HTTPError(400, "Invalid id")
    return handle(state, call)


def _starts(handle: Handler, state: SandboxState, call: Call) -> Any:
    return _read(state, call) if body_of(call).get("command") == "start" else handle(state, call)


def _read(state: SandboxState, call: Call) -> Any:
    return HANDLERS["get_service"](state, call)


def _accepts_scaling(handle: Handler, state: SandboxState, call: Call) -> Any:
    try:
        return handle(state, call)
    except HTTPError:
        return _read(state, call)


def _ignores_null(handle: Handler, state: SandboxState, call: Call) -> Any:
    return handle(state, replace(call, body={name: each for name, each in body_of(call).items() if each is not None}))


def _window(handle: Handler, state: SandboxState, call: Call) -> Any:
    try:
        return handle(state, call)
    except HTTPError:
        return {"weekday": 0, "startHourUtc": 0, "duration": 6}


def _keeps_role_ids(handle: Handler, state: SandboxState, call: Call) -> Any:
    before = (state.store.get("keys", call.params["keyId"]) or {}).get("assignedRoleIds")
    result = handle(state, call)
    stored = state.store.get("keys", call.params["keyId"])
    if before and stored and "assignedRoleIds" not in stored:
        state.store.put("keys", call.params["keyId"], {**stored, "assignedRoleIds": before})
    return result


def _longer(handle: Handler, state: SandboxState, call: Call) -> Any:
    try:
        return handle(state, call)
    except HTTPError:
        return {"grandTotalCHC": 0, "costs": []}


def _with_tags(body: Values, state: SandboxState, call: Call) -> Values:
    old = state.store.get("postgres_services", call.params["postgresServiceId"]) or {}
    return {} if "tags" in body else {"tags": old.get("tags", [])}


def _without_suffix(result: Values, call: Call) -> None:
    if "hashData" not in body_of(call):
        del result["key"]["keySuffix"]


def _credentials(result: Values, _: Call) -> None:
    result["credentials"] = {"username": "probe-user", "password": "probe-password"}


def _declared(kind: Kind) -> Iterator[Plant]:
    """Yield a difference from each assumption that a collection declares."""
    for name, collection in declaring():
        unique = name.endswith(UNIQUE)
        operation = operation_of(kind is Kind.CLOUD, collection.CREATE if unique else collection.GET)
        if kind is Kind.CLOUD or operation.server_kind is ServerKind.SELF_HOSTED:
            yield Plant(name, operation.name, accepts("already exists") if unique else lacks(*collection.not_listed))


OBSERVABILITY: Sequence[Plant] = (
    Plant("tiles_keep_their_order", "self_hosted_create_dashboard", returns(lambda it, _: it["tiles"].reverse())),
    Plant("known_tiles_keep_their_ids", "self_hosted_update_dashboard", _other_ids),
    Plant("other_tiles_get_new_ids", "self_hosted_create_dashboard", returns(_sent_ids)),
    Plant("empty_values_clear_a_dashboard", "self_hosted_update_dashboard", returns(_keeps_query)),
    Plant(
        "dashboard_update_keeps_what_it_omits",
        "self_hosted_update_dashboard",
        returns(lambda it, call: it.update(tags=body_of(call).get("tags", []))),
    ),
    Plant("tags_lose_duplicates", "self_hosted_create_dashboard", returns(_sent("tags"))),
    Plant("dashboards_are_listed_by_name", "self_hosted_list_dashboards", returns(lambda it, _: it.reverse())),
    Plant("dashboards_have_no_time", "self_hosted_create_dashboard", _dated),
    Plant("reads_have_what_writes_return", "self_hosted_create_dashboard", _dated),  # lists do not have it
    Plant("unknown_dashboard_is_deleted", "self_hosted_delete_dashboard", _unknown_is_404),
    Plant("series_are_returned_as_config", "self_hosted_create_dashboard", returns(_series)),
    Plant(
        "selected_values_get_a_language",
        "self_hosted_create_dashboard",
        each_of(lambda tile: [each.pop("whereLanguage") for each in tile["config"].get("select") or ()], "tiles"),
    ),
    Plant(
        "lines_get_defaults",
        "self_hosted_create_dashboard",
        each_of(lambda tile: tile["config"].pop("fillNulls", None), "tiles"),
    ),
    Plant("tiles_drop_foreign_properties", "self_hosted_create_dashboard", returns(_of_config)),
    Plant("new_filter_gets_another_id", "self_hosted_update_dashboard", returns(_made_up_ids)),
    Plant("unknown_properties_are_dropped", "self_hosted_create_dashboard", returns(_sent("probedByNobody"))),
    Plant("saved_query_gets_a_language", "self_hosted_create_dashboard", sets(savedQueryLanguage=None)),
    Plant("dashboard_takes_its_alerts", "self_hosted_delete_dashboard", leaves_alerts),
    Plant("search_takes_its_alerts", "self_hosted_delete_saved_search", leaves_alerts),
    Plant("channel_alone_drops_the_others", "self_hosted_update_alert", with_body(_channels)),
    Plant("update_clears_texts_of_an_alert", "self_hosted_update_alert", kept("alerts", "alertId", "note")),
    Plant("update_keeps_the_range_of_an_alert", "self_hosted_update_alert", _without_range),
    Plant("new_alert_is_ok", "self_hosted_create_alert", sets(state="PENDING")),
    Plant("times_have_milliseconds", "self_hosted_create_alert", returns(_sent("scheduleStartAt"))),
    Plant("twelve_bytes_are_an_id", "self_hosted_get_alert", _short_ids_only),
    Plant("source_update_replaces", "self_hosted_update_source", kept("sources", "sourceId", "severityTextExpression")),
    Plant("used_source_is_deleted", "self_hosted_delete_source", _refuses_used),
    Plant("connection_hides_its_password", "create_connection", returns(_sent("password"))),
    *_declared(Kind.OBSERVABILITY),
    Plant("private_addresses_are_refused", "self_hosted_create_webhook", accepts("private")),
    Plant("slack_has_no_headers", "self_hosted_create_webhook", accepts("slack")),
    Plant("names_are_trimmed", "self_hosted_create_webhook", returns(_sent("name"))),
    Plant("webhook_hides_headers", "self_hosted_create_webhook", returns(_sent("headers"))),
    Plant("first_webhook_of_an_alert_stays", "self_hosted_delete_webhook", refuses(400)),
    Plant(
        "search_update_restores_defaults",
        "self_hosted_update_saved_search",
        kept("saved_searches", "savedSearchId", "where"),
    ),
    Plant("search_needs_a_source", "self_hosted_create_saved_search", accepts("existing source")),
    Plant("offsets_select_pages", "self_hosted_list_saved_searches", _whole_list),
    Plant(
        "team_members_have_dated_ids",
        "list_stack_members",
        each_of(lambda each: each.update(id="member")),
    ),
    Plant("source_needs_a_connection", "self_hosted_create_source", refuses(500, "connection")),
)
CLOUD: Sequence[Plant] = (
    Plant("service_password_is_only_in_the_create", "create_service", lacks("password")),
    Plant("running_service_is_not_started", "command_service", _starts),
    *_declared(Kind.CLOUD),
    Plant("saved_query_update_replaces", "update_saved_query", kept("saved_queries", "savedQueryId", "parameters")),
    Plant(
        "query_api_endpoint_update_replaces",
        "update_query_api_endpoint",
        kept("query_api_endpoints", "queryApiEndpointId", "allowedOrigins"),
    ),
    Plant("query_api_endpoint_keeps_its_url", "update_query_api_endpoint", sets(url="https://elsewhere.example.com")),
    Plant("query_api_endpoint_shows_its_owner", "create_query_api_endpoint", sets(ownerType="user")),
    Plant("service_needs_no_ip_access_list", "create_service", _needs_a_list),
    Plant("running_service_is_not_deleted", "delete_service", refuses(400)),
    Plant("stopped_service_refuses_pipes_with_424", "create_reverse_private_endpoint", refuses(409)),
    Plant(
        "ip_list_keeps_its_order",
        "get_service",
        returns(lambda it, _: it["ipAccessList"].sort(key=lambda each: each["source"])),
    ),
    Plant(
        "tags_are_removed_before_others_are_added",
        "update_service",
        returns(lambda it, _: it.update(tags=[each for each in it["tags"] if each["key"] != "probe"])),
    ),
    Plant("services_are_listed_by_tag", "list_services", _whole_list),
    Plant("replica_band_needs_both_ends", "scale_service", _accepts_scaling),
    Plant("total_memory_is_that_of_three_replicas", "get_service", sets(minTotalMemoryGb=16)),
    Plant("null_restores_the_defaults_of_backups", "configure_backups", _ignores_null),
    Plant("missing_settings_are_404", "get_upgrade_window", _window),
    Plant("unknown_engine_settings_are_refused", "update_settings", accepts("unknown setting")),
    Plant("password_is_set_by_hashes", "reset_password", sets(password="secret")),
    Plant("key_hashes_are_unique", "create_key", accepts("exists already", part="key")),
    Plant("key_shows_the_end_of_its_id", "create_key", returns(_without_suffix)),
    Plant("null_clears_the_expiry_of_a_key", "update_key", _ignores_null),
    Plant("older_roles_replace_roles_by_id", "update_key", _keeps_role_ids),
    Plant("new_objects_are_listed_soon", "list_keys", _hides_new),
    Plant(
        "policies_gain_permissions",
        "create_role",
        each_of(lambda each: each.update(permissions=each["permissions"][:1]), "policies"),
    ),
    Plant("role_needs_actors", "create_role", accepts("actors")),
    Plant("usage_covers_a_month_at_most", "get_usage_cost", _longer),
    Plant(
        "members_report_when_they_joined",
        "list_members",
        each_of(lambda each: each.pop("joinedAt")),
    ),
    Plant("postgres_update_removes_omitted_tags", "update_postgres_service", with_body(_with_tags)),
    Plant("pipe_hides_credentials", "get_pipe", returns(_credentials)),
    Plant("ssh_key_is_pending_until_validated", "validate_pipe_ssh_key", sets(status="pending")),
    Plant("upgrade_window_lasts_six_hours", "set_upgrade_window", sets(duration=4)),
    Plant("organization_lists_its_parts", "get_organization", lacks("byocConfig")),
)
PLANTS = {Kind.OBSERVABILITY: OBSERVABILITY, Kind.CLOUD: CLOUD}


def _planted(around: Around, handle: Handler) -> Handler:
    return lambda state, call: around(handle, state, call)


def test_there_are_enough_plants() -> None:
    """Each is of another assumption, or of another server."""
    names = [(kind, each.name) for kind, plants in PLANTS.items() for each in plants]
    assert [name for name, count in Counter(names).items() if count > 1] == []
    assert len(names) >= 40


@EACH_KIND
def test_each_difference_is_named_and_none_is_invented(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    """All are planted into one sandbox."""
    for each in PLANTS[kind]:
        monkeypatch.setitem(HANDLERS, each.operation, _planted(each.around, HANDLERS[each.operation]))
    with account(kind) as probing:
        rows = probed(probing, NEEDS)
    expected = {each.name for each in PLANTS[kind]}
    found = {each.name: each.words for each in rows if isinstance(each.outcome, Differs)}
    assert {name: words for name, words in found.items() if name not in expected} == {}
    assert sorted(expected - found.keys()) == []
    assert {each.name for each in rows if isinstance(each.outcome, NotProbed)} <= UNPROBED


def _deletes_running(handle: Handler, state: SandboxState, call: Call) -> Any:
    if service := state.store.get("services", call.params["serviceId"]):
        state.store.put("services", service["id"], {**service, "state": "stopped"})
    return handle(state, call)


def test_server_that_deletes_running_services_is_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it cannot show afterwards is not probed."""
    monkeypatch.setitem(HANDLERS, "delete_service", _planted(_deletes_running, HANDLERS["delete_service"]))
    with account(Kind.CLOUD) as probing:
        rows = probed(probing, NEEDS)
    assert [each.name for each in rows if isinstance(each.outcome, Differs)] == ["running_service_is_not_deleted"]
    assert {each.name for each in rows if isinstance(each.outcome, NotProbed)} - UNPROBED == {
        "service_stops_for_a_while",
        "stopped_service_is_deleted",
        "stopped_service_refuses_pipes_with_424",
        "stopped_service_refuses_engine_settings",
        "stopped_service_keeps_its_settings",
    }


def test_a_service_that_cannot_be_used_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Probes that need it are not probed, and none makes another one."""
    monkeypatch.setitem(HANDLERS, "get_service", _planted(sets(state="failed"), HANDLERS["get_service"]))
    made = []
    create = _planted(returns(lambda result, _: made.append(result)), HANDLERS["create_service"])
    monkeypatch.setitem(HANDLERS, "create_service", create)
    with account(Kind.CLOUD) as probing:
        rows = probed(probing, NEEDS)
    assert len(made) == 1
    assert {each.name for each in rows if isinstance(each.outcome, Differs)} == set()
    assert sum("the service is failed" in each.words for each in rows) > 50
