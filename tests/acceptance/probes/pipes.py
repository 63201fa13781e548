"""Probes of pipes, and of Postgres services."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import Any
from urllib.parse import urlencode

from acceptance.bench import Bench, NotMadeError, Reply, Values
from acceptance.outcome import Outcome, each_holds, equal, holds_if
from pulumi_clouddb.things.postgres_services.history import MOST_ENTRIES

_EARLIEST = "earliestRestoreTime"
_DESTINATION: Values = {
    "database": "default",
    "table": "probed",
    "managedTable": True,
    "tableDefinition": {"engine": {"type": "MergeTree"}},
    "columns": [{"name": "id", "type": "String"}],
}


def _pipe(bench: Bench) -> str:
    """Create a pipe from the broker of the needs, and return its path once it runs."""
    kafka = bench.needs.get("kafka")
    if not kafka:
        raise NotMadeError("the needs name no `kafka`")
    source: Values = {
        **kafka["source"]["kafka"],
        **({"credentials": kafka["credentials"]} if "credentials" in kafka else {}),
    }
    body = {
        "name": bench.name("Pipe"),
        "source": {"kafka": source},
        "destination": kafka.get("destination") or _DESTINATION,
        "fieldMappings": [{"sourceField": "id", "destinationField": "id"}],
    }
    path = f"/services/{bench.service['id']}/pipes"
    made = bench.make_cloud(path, body, keep=True)
    one = f"{path}/{made['id']}"
    seen = bench.until(lambda: bench.cloud("GET", one).result, lambda it: it["state"] in ("Running", "Failed"))
    if seen["state"] != "Running":
        raise NotMadeError(f"the pipe is {seen['state']}")
    return one


def pipe_hides_credentials(bench: Bench) -> Outcome:
    """Look for the credentials of the needs in a pipe."""
    record = json.dumps(bench.cloud("GET", bench.once(_pipe)).result)
    values = [str(each) for each in (bench.needs["kafka"].get("credentials") or {}).values()]
    return holds_if(not any(json.dumps(each) in record for each in values), "a pipe shows its credentials")


def pipe_shows_what_it_knows(bench: Bench) -> Outcome:
    """Compare the source of the needs with that of the pipe."""
    shown = bench.cloud("GET", bench.once(_pipe)).result["source"]["kafka"]
    sent = bench.needs["kafka"]["source"]["kafka"]
    return each_holds(*(equal(shown.get(name), value, name) for name, value in sent.items()))


def running_pipe_is_not_started(bench: Bench) -> Outcome:
    """Start a pipe that runs."""
    reply = bench.cloud("PATCH", f"{bench.once(_pipe)}/state", {"command": "start"})
    return holds_if(reply.refused(), reply.words)


def null_restores_a_setting_of_a_pipe(bench: Bench) -> Outcome:
    """Set a setting, and send null."""
    path, name = bench.once(_pipe), "streaming_max_insert_wait_ms"
    usual = bench.cloud("GET", path).result.get("settings", {}).get(name)
    changed = bench.cloud("PATCH", path, {"settings": {name: 1000}}).result["settings"].get(name)
    after = bench.cloud("PATCH", path, {"settings": {name: None}}).result.get("settings", {}).get(name)
    return each_holds(equal(changed, 1000, name), equal(after, usual, f"{name} after null"))


def pipe_scaling_keeps_what_it_omits(bench: Bench) -> Outcome:
    """Send the number of replicas alone, which the pipe has already."""
    path = bench.once(_pipe)
    before = bench.cloud("GET", path).result["scaling"]
    after = bench.cloud("PATCH", f"{path}/scaling", {"replicas": before["replicas"], "concurrency": None}).result
    lost = [name for name in before if after["scaling"].get(name) != before[name]]
    return holds_if(not lost, f"scaling that omits {', '.join(lost)} changes them")


def pipe_update_keeps_what_it_omits(bench: Bench) -> Outcome:
    """Change the name alone."""
    path = bench.once(_pipe)
    before = bench.cloud("GET", path).result
    after = bench.cloud("PATCH", path, {"name": bench.name("Renamed")}).result
    lost = [name for name in ("source", "destination", "fieldMappings") if before.get(name) != after.get(name)]
    return holds_if(not lost, f"an update of the name changes {', '.join(lost)}")


def service_without_database_pipes_has_no_scaling(bench: Bench) -> Outcome:
    """Read the scaling of database pipes."""
    reply = bench.of_service("GET", "/clickpipesCdcScaling")
    return holds_if(reply.refused(404), reply.words)


def _ssh_key(bench: Bench) -> tuple[str, Values, Values]:
    """Create an SSH key for a host that does not exist; return the path, the body and the record."""
    path = f"/services/{bench.service['id']}/clickpipesSshKeyResources"
    body: Values = {"name": bench.name("Bastion"), "host": "bastion.invalid", "port": 22, "username": "probe"}
    return path, body, bench.make_cloud(path, body)


def ssh_key_is_pending_until_validated(bench: Bench) -> Outcome:
    """Validate a key for a host that does not exist."""
    path, _, made = _ssh_key(bench)
    validated = bench.cloud("POST", f"{path}/{made['id']}/validate", {}).result
    return each_holds(
        equal(made.get("status"), "pending", "the status of a new key"),
        equal(validated.get("status"), "failed", "the status after a validation"),
    )


# -- Postgres services ------------------------------------------------------------------------------------------------


class _Postgres:
    """A Postgres service that runs, with the result of its create and the response to an early replica."""

    def __init__(self, bench: Bench) -> None:
        needs: Values = bench.needs.get("postgres_service") or {}
        if not needs:
            raise NotMadeError("the needs name no `postgres_service`")
        body = {name: needs[name] for name in ("provider", "region", "size")}
        body |= {"name": bench.name("Postgres"), "tags": [bench.account.run.tag]}
        self.created: Values = bench.make_cloud("/postgres", body, keep=True)
        self.path = f"/postgres/{self.created['id']}"
        self.early = bench.cloud("POST", f"{self.path}/readReplica", {"name": bench.name("Replica")})
        if self.early.response.is_success:
            place = bench.of_organization("/postgres")
            bench.will_delete(f"{place}/{self.early.result['id']}", keep=True)
        bench.until(lambda: bench.cloud("GET", self.path).result, lambda seen: seen["state"] == "running")


def _postgres(bench: Bench) -> _Postgres:
    return _Postgres(bench)


def postgres_password_is_only_in_the_create(bench: Bench) -> Outcome:
    """Look for the password in the response to a create, and in the record."""
    made: _Postgres = bench.once(_postgres)
    record = bench.cloud("GET", made.path).result
    return each_holds(
        holds_if(made.created.get("password"), "the response to the create has no password"),
        holds_if("password" not in record, "the record has a password"),
    )


def new_postgres_service_has_no_replica(bench: Bench) -> Outcome:
    """Create a replica of a new service, and look for the words of the refusal."""
    reply = bench.once(_postgres).early
    return holds_if(reply.refused() and "not ready for read replicas" in str(reply.reason), reply.words)


def postgres_update_removes_omitted_tags(bench: Bench) -> Outcome:
    """Update a service without its tags, and put them back."""
    path = bench.once(_postgres).path
    after = bench.cloud("PATCH", path, {"name": bench.name("Renamed")}).result
    bench.cloud("PATCH", path, {"tags": [bench.account.run.tag]}).check()
    return equal(after.get("tags") or [], [], "the tags after an update without tags")


def postgres_configuration_is_changed_in_parts(bench: Bench) -> Outcome:
    """Set two settings, one after the other, and then replace both by the second."""
    path = f"{bench.once(_postgres).path}/config"
    for name, value in (("statement_timeout", "60000"), ("lock_timeout", "30000")):
        bench.cloud("PATCH", path, {"pgConfig": {name: value}, "pgBouncerConfig": {}}).check()
    both = _settings(bench, path)
    bench.cloud("POST", path, {"pgConfig": {"lock_timeout": "30000"}, "pgBouncerConfig": {}}).check()
    one = _settings(bench, path)
    return each_holds(
        equal((both.get("statement_timeout"), both.get("lock_timeout")), ("60000", "30000"), "the settings"),
        equal((one.get("statement_timeout"), one.get("lock_timeout")), (None, "30000"), "the replaced settings"),
    )


def _settings(bench: Bench, path: str) -> dict[str, str]:
    found: dict[str, Any] = bench.cloud("GET", path).result.get("pgConfig") or {}
    return {name: str(value) for name, value in found.items()}


def postgres_lists_omit_addresses(bench: Bench) -> Outcome:
    """Compare a record in a list with the service when it is read alone."""
    made: _Postgres = bench.once(_postgres)
    names = {"storageSize", "username", "hostname"}
    alone = bench.cloud("GET", made.path).result
    listed = next(each for each in bench.cloud("GET", "/postgres").result if each["id"] == alone["id"])
    return each_holds(
        equal(sorted(names - {*alone}), [], "what a service lacks when it is read alone"),
        equal(sorted(names & {*listed}), [], "what the list has of that"),
    )


def postgres_reports_its_earliest_restore(bench: Bench) -> Outcome:
    """Read a service that runs, and the list."""
    path = bench.once(_postgres).path
    alone = bench.cloud("GET", path).result
    listed = next(each for each in bench.cloud("GET", "/postgres").result if each["id"] == alone["id"])
    return each_holds(
        holds_if(alone.get(_EARLIEST), f"the service has no {_EARLIEST}"),
        holds_if(_EARLIEST not in listed, f"the list has {_EARLIEST}"),
    )


def postgres_backups_have_a_key(bench: Bench) -> Outcome:
    """List the backups of a new service, which may have none."""
    result = bench.cloud("GET", f"{bench.once(_postgres).path}/backups").result
    found = result["items"] if isinstance(result, dict) else result
    lacking = [each for each in found if not {"key", "lastModified"} <= {*each}]
    times = [str(each["lastModified"]) for each in found if each not in lacking]
    return each_holds(
        equal(lacking, [], "the backups without a key or a time"),
        equal(times, sorted(times, reverse=True), "the times of the backups"),
    )


def postgres_logs_have_a_limit(bench: Bench) -> Outcome:
    """Read one entry of the log, and then too many."""
    path = f"{bench.once(_postgres).path}/logs"
    period = {"from_date": _hours_from_now(-1), "to_date": _hours_from_now(1)}

    def read(limit: int) -> Reply:
        return bench.cloud("GET", f"{path}?{urlencode({**period, 'limit': limit})}")

    entries, refused = read(1).result, read(MOST_ENTRIES + 1)
    lacking = [each for each in entries if not {"timestamp", "severity", "body"} <= {*each}]
    return each_holds(
        holds_if(len(entries) <= 1, f"a limit of 1 returns {len(entries)} entries"),
        equal(lacking, [], "the entries without a time, a severity or a text"),
        holds_if(refused.refused(), refused.words),
    )


def _hours_from_now(hours: int) -> str:
    return (datetime.now(timezone.utc) + timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")
