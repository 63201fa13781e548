"""Probes of services, and of their settings."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

import httpx

from acceptance.bench import Bench, NotMadeError, Reply, Values
from acceptance.outcome import NotProbed, Outcome, each_holds, equal, holds_if
from real_server.request import without


@dataclass
class _Life:
    """What the life of a second service has shown.

    Attributes:
        created: The result of its create.
        record: Its record once it runs.
        shared_name: The name that it shares with another service.
        replies: The responses to requests in its life.
        states: Its states after it was asked to stop.
        lists_without: Whether a list lacks it in the end.
        unlisted: Whether it was created without an IP access list.
    """

    created: Values
    record: Values
    shared_name: str
    replies: dict[str, Reply] = field(default_factory=dict)
    states: list[str] = field(default_factory=list)
    lists_without: bool = False
    unlisted: bool = True


def _life(bench: Bench) -> _Life:
    """Create, stop and delete a service of the same name as the shared one."""
    name = bench.service["name"]
    body, unlisted = bench.service_body(name), True
    try:
        created = bench.make_cloud("/services", without(body, "ipAccessList"), keep=True)
    except NotMadeError:
        created, unlisted = bench.make_cloud("/services", body, keep=True), False
    path = f"/services/{created['service']['id']}"
    life = _Life(created, bench.running(created["service"]["id"]), name, unlisted=unlisted)
    life.replies["start"] = bench.cloud("PATCH", f"{path}/state", {"command": "start"})
    life.replies["early"] = bench.cloud("DELETE", path)
    if not life.replies["early"].response.is_success:
        _stop_and_delete(bench, path, life)
    listed = bench.until(lambda: _listed(bench, created["service"]["id"]), lambda found: not found)
    life.lists_without = not listed
    life.replies["gone"] = bench.cloud("GET", path)
    return life


def _stop_and_delete(bench: Bench, path: str, life: _Life) -> None:
    life.states.append(bench.cloud("PATCH", f"{path}/state", {"command": "stop"}).result["state"])
    life.states.append(
        bench.until(lambda: bench.cloud("GET", path).result, lambda seen: seen["state"] == "stopped")["state"]
    )
    endpoint = {
        "description": bench.name(),
        "type": "VPC_ENDPOINT_SERVICE",
        "vpcEndpointServiceName": "com.amazonaws.vpce.us-east-1.vpce-svc-12345678901234567",
    }
    life.replies["endpoint"] = bench.cloud("POST", f"{path}/clickpipesReversePrivateEndpoints", endpoint)
    life.replies["settings"] = bench.cloud("PATCH", f"{path}/clickhouseSettings", {"settings": {"max_query_size": 1}})
    life.replies["scaled"] = bench.cloud("PATCH", f"{path}/replicaScaling", {"idleTimeoutMinutes": 20})
    life.replies["renamed"] = bench.cloud("PATCH", path, {"name": bench.name("Stopped")})
    life.replies["deleted"] = bench.cloud("DELETE", path)


def _stopped(bench: Bench) -> _Life:
    """Return the life of a service that was stopped.

    Raises:
        NotMadeError: The server has deleted it while it ran.
    """
    life: _Life = bench.once(_life)
    if not life.states:
        raise NotMadeError("the server has deleted the service while it ran")
    return life


def _listed(bench: Bench, service_id: str) -> list[Values]:
    return [each for each in bench.cloud("GET", "/services").result if each["id"] == service_id]


def _patched(bench: Bench, body: Values) -> Values:
    result: Values = bench.of_service("PATCH", "", body).result
    return result


# -- the life of a service --------------------------------------------------------------------------------------------


def service_password_is_only_in_the_create(bench: Bench) -> Outcome:
    """Look for the password in the response to a create, and in the record."""
    life: _Life = bench.once(_life)
    return each_holds(
        holds_if(life.created.get("password"), "the response to the create has no password"),
        holds_if("password" not in life.record, "the record has a password"),
    )


def service_keeps_its_tags(bench: Bench) -> Outcome:
    """Look for the tag of the create in a list."""
    (listed,) = _listed(bench, bench.service["id"])
    tags = [{name: each.get(name) for name in ("key", "value")} for each in listed.get("tags") or ()]
    return holds_if(bench.account.run.tag in tags, f"the tags are {tags}")


def service_is_created_before_it_runs(bench: Bench) -> Outcome:
    """Look at the state in the response to a create."""
    life: _Life = bench.once(_life)
    return equal(life.created["service"]["state"], "provisioning", "the state of a new service")


def service_names_repeat(bench: Bench) -> Outcome:
    """Compare the name of the second service with that of the first."""
    life: _Life = bench.once(_life)
    return equal(life.record["name"], life.shared_name, "the name of a second service")


def running_service_is_not_started(bench: Bench) -> Outcome:
    """Start a service that runs."""
    reply: Reply = bench.once(_life).replies["start"]
    return holds_if(reply.refused(), reply.words)


def service_needs_no_ip_access_list(bench: Bench) -> Outcome:
    """Create a service without one; if that is refused, with one."""
    return equal(bench.once(_life).unlisted, True, "whether a service was created without an IP access list")


def running_service_is_not_deleted(bench: Bench) -> Outcome:
    """Delete a service that runs."""
    reply: Reply = bench.once(_life).replies["early"]
    return holds_if(reply.refused(409), reply.words)


def service_stops_for_a_while(bench: Bench) -> Outcome:
    """Look at the states after the command."""
    return equal(_stopped(bench).states, ["stopping", "stopped"], "the states of a service that stops")


def stopped_service_refuses_pipes_with_424(bench: Bench) -> Outcome:
    """Create a reverse private endpoint, for pipes, while the service is stopped."""
    reply = _stopped(bench).replies["endpoint"]
    return holds_if(reply.refused(424), reply.words)


def stopped_service_refuses_engine_settings(bench: Bench) -> Outcome:
    """Change a setting of the engine while the service is stopped."""
    reply = _stopped(bench).replies["settings"]
    return holds_if(reply.refused(), reply.words)


def stopped_service_keeps_its_settings(bench: Bench) -> Outcome:
    """Change the scaling and the name while the service is stopped."""
    replies = [_stopped(bench).replies[name] for name in ("scaled", "renamed")]
    return each_holds(
        *(holds_if(each.response.is_success, each.words) for each in replies),
        *(equal(each.result["state"], "stopped", "the state") for each in replies if each.response.is_success),
    )


def stopped_service_is_deleted(bench: Bench) -> Outcome:
    """Delete a service that has stopped."""
    reply = _stopped(bench).replies["deleted"]
    return holds_if(reply.response.is_success, reply.words)


def deleted_service_leaves_the_list(bench: Bench) -> Outcome:
    """List services until a deleted one is missing, and read it."""
    life: _Life = bench.once(_life)
    return each_holds(
        holds_if(life.lists_without, "a deleted service stays in the list"),
        holds_if(life.replies["gone"].refused(404), life.replies["gone"].words),
    )


# -- basic details ----------------------------------------------------------------------------------------------------


def _addresses(record: Values) -> list[str]:
    return [each["source"] for each in record["ipAccessList"]]


def _with_addresses(bench: Bench, *sources: str) -> Values:
    """Give the service these addresses, in this order, and return its record."""
    there = bench.of_service("GET", "").result["ipAccessList"]
    if there:
        _patched(bench, {"ipAccessList": {"add": [], "remove": there}})
    for source in sources:
        record = _patched(bench, {"ipAccessList": {"add": [{"source": source, "description": "Probe"}]}})
    return record


def ip_list_is_changed_in_parts(bench: Bench) -> Outcome:
    """Add an address, and remove another."""
    _with_addresses(bench, "192.0.2.1", "192.0.2.2")
    change = {"add": [{"source": "192.0.2.3"}], "remove": [{"source": "192.0.2.1"}]}
    return equal(sorted(_addresses(_patched(bench, {"ipAccessList": change}))), ["192.0.2.2", "192.0.2.3"], "the list")


def ip_list_keeps_its_order(bench: Bench) -> Outcome:
    """Add three addresses, one after the other."""
    sources = ("192.0.2.2", "192.0.2.3", "192.0.2.1")
    _with_addresses(bench, *sources)
    return equal(_addresses(bench.of_service("GET", "").result), [*sources], "the order of the list")


def tags_are_removed_before_others_are_added(bench: Bench) -> Outcome:
    """Add and remove a tag of one key in one request."""
    _patched(bench, {"tags": {"add": [{"key": "probe", "value": "old"}]}})
    change = {"add": [{"key": "probe", "value": "new"}], "remove": [{"key": "probe", "value": "old"}]}
    tags = _patched(bench, {"tags": change})["tags"]
    return equal([each.get("value") for each in tags if each["key"] == "probe"], ["new"], "the values of the tag")


def services_are_listed_by_tag(bench: Bench) -> Outcome:
    """List with the tag of the run, and with one that no service has."""
    tag = bench.account.run.tag
    ours = bench.cloud("GET", f"/services?filter=tag:{tag['key']}={tag['value']}").result
    none = bench.cloud("GET", f"/services?filter=tag:{tag['key']}=of-nobody").result
    return each_holds(
        holds_if(bench.service["id"] in [each["id"] for each in ours], "the list by tag lacks a service"),
        equal(len(none), 0, "the number of services with the tag of nobody"),
    )


def service_update_keeps_what_it_omits(bench: Bench) -> Outcome:
    """Change the name alone."""
    before = _with_addresses(bench, "192.0.2.1")
    after = _patched(bench, {"name": bench.name("Renamed")})
    kept = ("ipAccessList", "tags", "idleScaling", "idleTimeoutMinutes", "numReplicas", "endpoints")
    lost = [name for name in kept if before.get(name) != after.get(name)]
    return holds_if(not lost, f"an update of the name changes {', '.join(lost)}")


# -- scaling ----------------------------------------------------------------------------------------------------------


def scaled_service_stays_running(bench: Bench) -> Outcome:
    """Change the minutes until the service idles."""
    record = bench.of_service("PATCH", "/replicaScaling", {"idleTimeoutMinutes": 20}).result
    return equal(record["state"], "running", "the state")


def replica_band_needs_both_ends(bench: Bench) -> Outcome:
    """Send the lower end of a range alone."""
    reply = bench.of_service("PATCH", "/replicaScaling", {"minReplicas": 2})
    return holds_if(reply.refused(), reply.words)


def total_memory_is_that_of_three_replicas(bench: Bench) -> Outcome:
    """Compare total and memory of a replica."""
    record = bench.of_service("GET", "").result
    pairs = {"minReplicaMemoryGb": "minTotalMemoryGb", "maxReplicaMemoryGb": "maxTotalMemoryGb"}
    wrong = [total for one, total in pairs.items() if total in record and record[total] != 3 * record[one]]
    return holds_if(not wrong, f"{', '.join(wrong)} is not three times that of a replica")


def schedule_has_bounds_for_a_number(bench: Bench) -> Outcome:
    """Set a schedule with a number of replicas, and delete it."""
    count = bench.service["numReplicas"]
    entry = {"name": "Probe", "weekdays": [0], "startHourUtc": 1, "endHourUtc": 2, "numReplicas": count}
    sizes = {"minReplicaMemoryGb": 8, "maxReplicaMemoryGb": 8, "idleScaling": True, "idleTimeoutMinutes": 15}
    schedule = bench.of_service("POST", "/scalingSchedule", {"entries": [{**entry, **sizes}]}).result
    bench.of_service("DELETE", "/scalingSchedule").check()
    shown = schedule["entries"][0]
    return equal((shown.get("minReplicas"), shown.get("maxReplicas")), (count, count), "the bounds of an entry")


# -- settings with operations of their own ----------------------------------------------------------------------------


def missing_settings_are_404(bench: Bench) -> Outcome:
    """Read settings that the service does not have."""
    names = ("scalingSchedule", "upgradeWindow", "serviceQueryEndpoint", "backupBucket")
    replies = [bench.of_service("GET", f"/{name}") for name in names]
    return each_holds(*(holds_if(each.refused(404), each.words) for each in replies))


def null_restores_the_defaults_of_backups(bench: Bench) -> Outcome:
    """Change how long backups are kept, and send null."""
    name = "backupRetentionPeriodInHours"
    usual = bench.of_service("GET", "/backupConfiguration").result.get(name)
    changed = bench.of_service("PATCH", "/backupConfiguration", {name: 48}).result.get(name)
    after = bench.of_service("PATCH", "/backupConfiguration", {name: None}).result.get(name)
    return each_holds(equal(changed, 48, name), equal(after, usual, f"{name} after null"))


OLDER = "the server is older than replica-aware routing"


def routing_needs_the_feature(bench: Bench) -> Outcome:
    """Read the replica-aware routing: an organization with the feature has one."""
    reply = bench.of_service("GET", "/replicaAwareRouting")
    if reply.status == 404:
        return NotProbed(OLDER)
    return holds_if(reply.response.is_success or reply.refused(400) or reply.refused(403), reply.words)


def routing_is_changed_in_parts(bench: Bench) -> Outcome:
    """Set both properties of the replica-aware routing, and then one of them."""
    reply = bench.of_service("PATCH", "/replicaAwareRouting", {"httpEnabled": True, "nativeEnabled": True})
    if reply.status == 404 or reply.refused(400) or reply.refused(403):
        return NotProbed(OLDER if reply.status == 404 else "the organization does not have the feature of routing")
    found = bench.of_service("PATCH", "/replicaAwareRouting", {"nativeEnabled": False}).result
    return equal(found, {"httpEnabled": True, "nativeEnabled": False}, "the routing after an update of one property")


def snapshots_need_enrolment(bench: Bench) -> Outcome:
    """Read the configuration of snapshots: an organization that is enrolled has one."""
    reply = bench.of_service("GET", "/snapshotConfiguration")
    return holds_if(reply.response.is_success or reply.refused(403), reply.words)


def snapshot_configuration_is_changed_in_parts(bench: Bench) -> Outcome:
    """Set the times, and turn snapshots off."""
    times = {"gap": 30, "timeFrame": 1440}
    reply = bench.of_service("PATCH", "/snapshotConfiguration", times)
    if reply.refused(403):
        return NotProbed("the organization is not enrolled in snapshots")
    found = bench.of_service("PATCH", "/snapshotConfiguration", {"enabled": False}).result
    return equal({name: found.get(name) for name in times}, times, "the times")


def backups_are_kept_for_a_day(bench: Bench) -> Outcome:
    """Look at the configuration of a service that nobody has configured."""
    found = bench.of_service("GET", "/backupConfiguration").result
    hours = (found.get("backupPeriodInHours"), found.get("backupRetentionPeriodInHours"))
    return equal(hours, (24, 24), "the hours of backups")


def query_endpoint_may_be_empty(bench: Bench) -> Outcome:
    """Set a query endpoint that lets nothing in, and delete it."""
    reply = bench.of_service("POST", "/serviceQueryEndpoint", {"roles": [], "openApiKeys": [], "allowedOrigins": ""})
    if reply.response.is_success:
        bench.of_service("DELETE", "/serviceQueryEndpoint").check()
    return holds_if(reply.response.is_success, reply.words)


def upgrade_window_lasts_six_hours(bench: Bench) -> Outcome:
    """Set an upgrade window, and delete it."""
    window = bench.of_service("PUT", "/upgradeWindow", {"weekday": 0, "startHourUtc": 6}).result
    bench.of_service("DELETE", "/upgradeWindow").check()
    return equal(window.get("duration"), 6, "the hours of the window")


_RESTARTING = ("keep_alive_timeout", "shared_merge_tree_disable_merges_and_mutations_assignment")
"""Settings of the engine that restart it (the description of the operation that resets one)."""


def _two_settings(bench: Bench) -> dict[str, Any]:
    """Return two settings of the engine, each with the example of the schema as its value.

    Raises:
        NotMadeError: The schema has fewer.
    """
    values: dict[str, Any] = {}
    for each in bench.of_service("GET", "/clickhouseSettings/schema").result["settings"]:
        example = each.get("example")
        if example is not None and each["name"] not in _RESTARTING and each.get("type") in ("integer", "string"):
            values[each["name"]] = int(example) if each["type"] == "integer" else str(example)
    if len(values) < 2:
        raise NotMadeError("the schema of the engine's settings has no two examples")
    return dict(sorted(values.items())[:2])


def _set(bench: Bench) -> dict[str, str]:
    """Return the settings of the engine that are set, as text."""
    found = bench.of_service("GET", "/clickhouseSettings").result["settings"]
    return {each["name"]: str(each["value"]) for each in found}


def _change(bench: Bench, settings: dict[str, Any]) -> Reply:
    """Change settings of the engine in the form that the server takes: an object, or JSON in a text."""
    reply = bench.of_service("PATCH", "/clickhouseSettings", {"settings": settings})
    if reply.status != httpx.codes.BAD_REQUEST:
        return reply
    return bench.of_service("PATCH", "/clickhouseSettings", {"settings": json.dumps(settings)})


def settings_in_another_form_are_refused(bench: Bench) -> Outcome:
    """Set a setting of the engine in an object, and if that is refused, in a text; then reset it."""
    ((name, value), *_) = _two_settings(bench).items()
    reply = _change(bench, {name: value})
    found = _set(bench).get(name)
    bench.of_service("DELETE", f"/clickhouseSettings/{name}").check()
    return each_holds(equal(reply.status, 200, "the status"), equal(found, str(value), f"the setting {name}"))


def engine_settings_are_changed_in_parts(bench: Bench) -> Outcome:
    """Set two settings of the engine, one after the other, and reset both."""
    values = _two_settings(bench)
    first, second = values
    for name, value in values.items():
        _change(bench, {name: value}).check()
    both = _set(bench)
    bench.of_service("DELETE", f"/clickhouseSettings/{first}").check()
    one = _set(bench)
    bench.of_service("DELETE", f"/clickhouseSettings/{second}").check()
    expected = {name: str(value) for name, value in values.items()}
    return each_holds(
        equal({name: both.get(name) for name in values}, expected, "the settings"),
        equal((first in one, one.get(second)), (False, expected[second]), "the reset setting, and the other one"),
    )


def unknown_engine_settings_are_refused(bench: Bench) -> Outcome:
    """Set a setting that no engine has."""
    reply = _change(bench, {"probed_by_nobody": 1})
    return holds_if(reply.refused(), reply.words)


def engine_settings_have_a_schema(bench: Bench) -> Outcome:
    """Read the names and types of the settings."""
    found: list[Any] = bench.of_service("GET", "/clickhouseSettings/schema").result["settings"]
    lacking = [each for each in found if not {"name", "type"} <= {*each}]
    return holds_if(found and not lacking, f"a setting of the schema is {lacking[:1]}")


# -- passwords --------------------------------------------------------------------------------------------------------


def password_is_set_by_hashes(bench: Bench) -> Outcome:
    """Set a password by its hashes."""
    once = hashlib.sha1(b"probe-Password-1", usedforsecurity=False).digest()
    twice = hashlib.sha1(once, usedforsecurity=False).hexdigest()
    hashed = base64.b64encode(hashlib.sha256(b"probe-Password-1").digest()).decode()
    result = bench.of_service("PATCH", "/password", {"newPasswordHash": hashed, "newDoubleSha1Hash": twice}).result
    return holds_if(not (result or {}).get("password"), "the response has a password")


def password_is_generated_without_hashes(bench: Bench) -> Outcome:
    """Reset the password."""
    result = bench.of_service("PATCH", "/password", {}).result
    return holds_if(isinstance(result.get("password"), str) and result["password"], "the response has no password")
