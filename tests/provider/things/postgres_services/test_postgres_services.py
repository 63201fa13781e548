"""Postgres services: checks, requests, drift, waits, repairs and lost responses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from clouddb_tools.sandbox import Sandbox
from description.bodies import facts_of
from description.facts import CLOUD
from description.shapes import tree_of
from pulumi_clouddb.client.errors import ClientError, InvalidResponseError, ResourceError
from pulumi_clouddb.registry import FUNCTIONS, RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.check.findings import findings_of
from pulumi_clouddb.schema.convert import construct
from pulumi_clouddb.schema.tags import CREATE_TAG, MAX_TAGS
from pulumi_clouddb.things.postgres_services.api import PostgresServices
from pulumi_clouddb.things.postgres_services.configuration import PG_SETTINGS
from pulumi_clouddb.things.postgres_services.login import connection_string, own_password
from pulumi_clouddb.things.postgres_services.postgres_service import PostgresService
from support.rows import UUID
from support.sessions import ProviderProcess, config_for

KIND, NAME = "postgres_services", "PostgresService"
POSTGRES = RESOURCES[NAME]
ORDERS: dict[str, Any] = {"name": "orders", "provider": "aws", "region": "us-east-1", "size": "m6gd.large"}
PASSWORD = "Orders-0123456"
PAST = "2026-01-01T00:00:00Z"
NEVER = {"waitTimeoutMinutes": 0}
SHORT = {"waitTimeoutMinutes": 0.003}


def create(process: ProviderProcess, **more: Any) -> tuple[str, dict[str, Any]]:
    """Create a service."""
    return process.create(NAME, {**ORDERS, **more})


def refreshed(process: ProviderProcess, id_: str, state: dict[str, Any]) -> dict[str, Any]:
    """Return the state of a service from a list that is requested now."""
    process.api.of(PostgresServices).invalidate()
    return dict(process.read(NAME, id_, state).state)


def configuration(sandbox: Sandbox, id_: str) -> dict[str, Any]:
    """Return the settings on the server."""
    with sandbox.management() as http:
        return dict(http.get(f"/postgres/{id_}/config").json()["result"])


def sent(sandbox: Sandbox, start: int = 0) -> list[str]:
    """Return the operations of all writes, in order."""
    return [str(each.operation) for each in sandbox.requests[start:] if each.method != "GET"]


def bodies(sandbox: Sandbox, operation: str) -> list[Any]:
    """Return the bodies of the requests of an operation."""
    return [each.body for each in sandbox.requests if each.operation == operation]


NEWER = {
    "a name": ({"max_conections": "1"}, "max_conections is not; did you mean max_connections?"),
    "a word": ({"wal_compression": "gzip"}, "wal_compression has off, on, lz4, zstd, not 'gzip'"),
}


@pytest.mark.parametrize(("settings", "reason"), NEWER.values(), ids=NEWER)
def test_check_warns_of_settings_that_the_vendor_may_have_added(
    settings: dict[str, str], reason: str, process: ProviderProcess
) -> None:
    """The server decides: that of the sandbox refuses them."""
    inputs = {**ORDERS, "pgConfig": settings}
    found = findings_of(POSTGRES.type.inputs, inputs, process.rules)
    assert (found.failures, [str(each) for each in found.warnings]) == (
        [],
        [f"pgConfig should contain known settings; {reason}"],
    )
    with pytest.raises(ClientError, match=re.escape(reason)):
        process.create(NAME, inputs)


@pytest.mark.parametrize(
    "settings",
    [{"work_mem": "4MB"}, {"max_slot_wal_keep_size": "-1"}, {"random_page_cost": "1.1"}, {"wal_compression": "zstd"}],
)
def test_check_accepts_values_of_settings(settings: dict[str, str], process: ProviderProcess) -> None:
    """They have a unit, no limit, a fraction, or are a word."""
    assert not POSTGRES.check(process, {**ORDERS, "pgConfig": settings}).failures


@pytest.mark.parametrize(
    ("origin", "name"),
    [
        ({"readReplicaOf": UUID}, "readReplicaOf"),
        ({"restoreFrom": {"postgresServiceId": UUID, "time": PAST}}, "restoreFrom.postgresServiceId"),
    ],
)
def test_origin_that_does_not_exist_is_named(origin: dict[str, Any], name: str, process: ProviderProcess) -> None:
    """The server's 404 names no property."""
    advice = rf"Postgres service not found .*\nCheck {name}: the server has no such object; take the output id of"
    with pytest.raises(ResourceError, match=advice):
        process.create(NAME, {"name": "copy", **origin})


def test_settings_are_those_of_the_description() -> None:
    """Their names and values are equal."""
    facts = facts_of(CLOUD)
    described = tree_of(facts, facts.schemas["pgConfig"])
    assert described.keys() == PG_SETTINGS.keys()
    words = {name: set(limit) for name, limit in PG_SETTINGS.items() if isinstance(limit, tuple)}
    assert words == {name: values for name, values in described.items() if isinstance(values, frozenset)}


def test_created_service_is_running_and_has_a_password(process: ProviderProcess, sandbox: Sandbox) -> None:
    """No later response has the password, and a refresh keeps it."""
    id_, state = create(process)
    assert state["state"] == "running"
    assert state["password"] in state["connectionString"]
    assert state["storageSize"] == 118
    assert refreshed(process, id_, state) == state
    assert process.changes(NAME, state, ORDERS) == ()
    assert CREATE_TAG in str(sandbox.objects(KIND)[id_]["tags"])
    assert CREATE_TAG not in str(state)


def test_refresh_of_an_unchanged_service_only_reads_the_list(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Outputs that only a read of one service returns are kept."""
    id_, state = create(process)
    start = len(sandbox.requests)
    refreshed(process, id_, state)
    assert [each.operation for each in sandbox.requests[start:]] == ["list_postgres_services"]


def test_refresh_of_a_changed_service_reads_it(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A new name changes the host, and a new size the storage, which no list contains."""
    id_, state = create(process)
    with sandbox.management() as http:
        assert http.patch(f"/postgres/{id_}", json={"name": "returns", "size": "m6gd.xlarge"}).is_success
    state = refreshed(process, id_, state)
    assert (state["hostname"].partition(".")[0], state["storageSize"]) == ("returns", 236)
    assert "@returns." in state["connectionString"]


def test_password_of_the_program_replaces_the_servers(process: ProviderProcess, sandbox: Sandbox) -> None:
    """It is sent once and after each change, and is in the connection string."""
    id_, state = create(process, password=PASSWORD)
    assert state["password"] == PASSWORD
    assert f"postgres:{PASSWORD}@{state['hostname']}:5432" in state["connectionString"]
    other = {**ORDERS, "password": "Other-p4ss/word"}
    state = process.update(NAME, id_, state, other)
    assert (state["password"], "Other-p4ss%2Fword@" in state["connectionString"]) == ("Other-p4ss/word", True)
    process.update(NAME, id_, state, {**other, "size": "m6gd.xlarge"})
    assert len(bodies(sandbox, "set_postgres_password")) == 2
    assert sandbox.password_works(id_, "Other-p4ss/word")


def test_renamed_service_has_another_host(process: ProviderProcess) -> None:
    """The connection string contains it."""
    id_, state = create(process)
    new = process.update(NAME, id_, state, {**ORDERS, "name": "returns"})
    assert new["hostname"].startswith("returns.")
    assert new["connectionString"] == state["connectionString"].replace("@orders.", "@returns.")


USUAL = "postgres://me:New%2F1@new.example:5432/postgres?sslmode=require"
LOGINS: dict[str, tuple[str | None, str]] = {
    "host and password": ("postgres://me:old@old.example:1/db?a=b", "postgres://me:New%2F1@new.example:1/db?a=b"),
    "no port": ("postgres://me:old@old.example/db", "postgres://me:New%2F1@new.example/db"),
    "another host": ("postgres://me:old@pool.example/db", USUAL),
    "no string": (None, USUAL),
    "not a URL": ("postgres://[", USUAL),
}


@pytest.mark.parametrize(("previous", "expected"), LOGINS.values(), ids=LOGINS)
def test_connection_string_is_updated(previous: str | None, expected: str) -> None:
    """A string with unknown parts is replaced; without a password there is none."""
    service = construct(PostgresService, {"hostname": "new.example", "username": "me", "password": "New/1"})
    assert connection_string(previous, "old.example", service) == expected
    service.password = None
    assert connection_string(previous, "old.example", service) is None


def test_settings_are_added_and_removed(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Settings that the server had before are kept; removed and later ones go back to the server's default."""
    id_, state = create(process)
    with sandbox.management() as http:
        other = {"pgConfig": {"work_mem": 128}, "pgBouncerConfig": {"max_db_connections": "5"}}
        assert http.patch(f"/postgres/{id_}/config", json=other).is_success
    start = len(sandbox.requests)
    inputs = {**ORDERS, "pgConfig": {"max_connections": "200", "lock_timeout": "1s"}}
    inputs["pgBouncerConfig"] = {"default_pool_size": "16"}
    state = process.update(NAME, id_, state, inputs)
    assert sent(sandbox, start) == ["update_postgres_config"]
    assert any("needs a restart" in each for each in process.warnings)
    with sandbox.management() as http:
        assert http.patch(f"/postgres/{id_}/config", json={**other, "pgConfig": {"wal_keep_size": 1}}).is_success
    start = len(sandbox.requests)
    state = process.update(NAME, id_, state, {**ORDERS, "pgConfig": {"lock_timeout": "1s"}})
    assert sent(sandbox, start) == ["replace_postgres_config"]
    assert configuration(sandbox, id_) == {
        "pgConfig": {"work_mem": "128", "lock_timeout": "1s"},
        "pgBouncerConfig": {"max_db_connections": "5"},
    }
    state = process.update(NAME, id_, state, ORDERS)
    assert configuration(sandbox, id_)["pgConfig"] == {"work_mem": "128"}


def test_number_in_a_response_is_no_drift(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Programs write numbers as strings."""
    inputs = {**ORDERS, "pgConfig": {"max_connections": "100"}}
    id_, state = process.create(NAME, inputs)
    with sandbox.management() as http:
        numbers = {"pgConfig": {"max_connections": 100}, "pgBouncerConfig": {"a": "b"}}
        assert http.post(f"/postgres/{id_}/config", json=numbers).is_success
    state = refreshed(process, id_, state)
    assert process.changes(NAME, state, inputs) == ()


TAGS = [{"key": "team", "value": "shop"}]
MANY_TAGS = [{"key": f"k{index}", "value": "v"} for index in range(MAX_TAGS)]
"""So many that an update sends the last one: the create's tag is in its place until then."""


def test_update_keeps_tags(process: ProviderProcess, sandbox: Sandbox) -> None:
    """An update without tags would remove all of them, including the create's tag and those of other clients."""
    id_, state = create(process, tags=TAGS)
    other = {"key": "cost", "value": "7"}
    sandbox.change(KIND, id_, tags=[*sandbox.objects(KIND)[id_]["tags"], other])
    process.api.of(PostgresServices).invalidate()
    state = process.update(NAME, id_, state, {**ORDERS, "tags": TAGS, "size": "m6gd.xlarge"})
    assert {each["key"] for each in sandbox.objects(KIND)[id_]["tags"]} == {"team", CREATE_TAG}
    sandbox.change(KIND, id_, tags=[*sandbox.objects(KIND)[id_]["tags"], other])
    process.api.of(PostgresServices).invalidate()
    process.update(NAME, id_, state, {**ORDERS, "size": "m6gd.xlarge"})
    assert {each["key"] for each in sandbox.objects(KIND)[id_]["tags"]} == {"cost", CREATE_TAG}


def test_service_can_have_the_maximum_of_tags(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The create's tag is in the place of the last one only until the service runs."""
    id_, state = create(process, tags=MANY_TAGS)
    assert sandbox.objects(KIND)[id_]["tags"] == MANY_TAGS
    assert process.changes(NAME, state, {**ORDERS, "tags": MANY_TAGS}) == ()


def test_resize_is_awaited(process: ProviderProcess) -> None:
    """The update ends when the list has the new size, and the service runs."""
    id_, state = create(process)
    state = process.update(NAME, id_, state, {**ORDERS, "size": "m6gd.xlarge", "haType": "async"})
    assert (state["state"], state["size"], state["storageSize"]) == ("running", "m6gd.xlarge", 236)


def test_replacement_requires_allow_replacement(process: ProviderProcess) -> None:
    """A protected service is not replaced either way."""
    _, state = create(process, deletionProtection=True)
    moved = {**ORDERS, "region": "us-west-2"}
    with pytest.raises(ResourceError, match=r"cannot change region \('us-east-1' to 'us-west-2'\) in place"):
        POSTGRES.diff(state, moved)
    with pytest.raises(ResourceError, match="which is protected"):
        POSTGRES.diff(state, {**moved, "allowReplacement": True})


def test_protected_service_is_not_deleted(process: ProviderProcess, sandbox: Sandbox) -> None:
    """It still exists after the error."""
    id_, state = create(process, deletionProtection=True)
    with pytest.raises(ResourceError, match="deletionProtection is set"):
        process.delete(NAME, id_, state)
    assert id_ in sandbox.objects(KIND)


def replica(process: ProviderProcess, primary: str, **more: Any) -> tuple[str, dict[str, Any]]:
    """Create a read replica."""
    return process.create(NAME, {"name": "reports", "readReplicaOf": primary, **more})


def test_replica_has_the_properties_of_its_primary(process: ProviderProcess, sandbox: Sandbox) -> None:
    """It has no separate password, and is not a primary."""
    primary, _ = create(process)
    id_, state = replica(process, primary)
    assert (state["isPrimary"], state["size"], state["state"]) == (False, "m6gd.large", "running")
    assert "password" not in state
    assert sent(sandbox)[-1] == "create_postgres_read_replica"
    assert process.changes(NAME, refreshed(process, id_, state), {"name": "reports", "readReplicaOf": primary}) == ()


REPEATED = {"provider": "aws", "region": "us-east-1", "size": "m6gd.large", "postgresVersion": "18"}
"""What the vendor's example of a replica repeats, and the version."""


def test_replica_may_repeat_what_its_primary_has(process: ProviderProcess, sandbox: Sandbox) -> None:
    """None of it is sent, and none is a difference, also after the promotion."""
    primary, _ = create(process)
    inputs = {"name": "reports", "readReplicaOf": primary, **REPEATED}
    assert lifecycle.check(process, POSTGRES, inputs).failures == []
    id_, state = process.create(NAME, inputs)
    assert bodies(sandbox, "create_postgres_read_replica") == [{"name": "reports", "tags": ANY}]
    state = refreshed(process, id_, state)
    assert process.changes(NAME, state, inputs) == ()
    promoted = {"name": "reports", **REPEATED}
    state = process.update(NAME, id_, state, promoted)
    assert (state["isPrimary"], process.changes(NAME, state, promoted)) == (True, ())


@pytest.mark.parametrize(("name", "value"), [("region", "eu-central-1"), ("size", "m6gd.xlarge"), ("provider", "gcp")])
def test_replica_cannot_have_what_its_primary_has_not(
    name: str, value: str, process: ProviderProcess, sandbox: Sandbox
) -> None:
    """The preview says so, and no replica is created."""
    primary, _ = create(process)
    inputs = {"name": "reports", "readReplicaOf": primary, **REPEATED, name: value}
    (failure,) = lifecycle.check(process, POSTGRES, inputs).failures
    assert f"{REPEATED[name]}, not {value}" in str(failure)
    with pytest.raises(ResourceError, match=f"Remove {name}"):
        process.create(NAME, inputs)
    assert list(sandbox.objects(KIND)) == [primary]


def test_size_of_a_replica_follows_its_primary(process: ProviderProcess, sandbox: Sandbox) -> None:
    """No server takes another one; once it has the size, the update sends nothing."""
    primary, _ = create(process)
    inputs = {"name": "reports", "readReplicaOf": primary, **REPEATED}
    id_, state = process.create(NAME, inputs)
    larger = {**inputs, "size": "m6gd.xlarge"}
    with pytest.raises(ResourceError, match="Change the size of the primary"):
        process.update(NAME, id_, state, larger)
    sandbox.change(KIND, id_, size="m6gd.xlarge")
    process.api.of(PostgresServices).invalidate()
    state = process.update(NAME, id_, state, larger)
    assert (state["size"], "update_postgres_service" in sent(sandbox)) == ("m6gd.xlarge", False)
    assert process.changes(NAME, refreshed(process, id_, state), larger) == ()


def test_replica_waits_for_the_first_backup_of_its_primary(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A new primary has none, and rejects the request."""
    primary, _ = create(process)
    text = "Parent server is not ready for read replicas. There are no backups, yet."
    sandbox.fault("create_postgres_read_replica", "status", status=400, text=text, times=2)
    replica(process, primary)
    assert [each.status for each in sandbox.requests if each.operation == "create_postgres_read_replica"] == [
        400,
        400,
        200,
    ]
    sandbox.fault("create_postgres_read_replica", "status", status=400, text=text, times=2)
    with pytest.raises(ClientError, match="There are no backups, yet"):
        process.create(NAME, {"name": "more", "readReplicaOf": primary, **NEVER})
    assert len(sandbox.objects(KIND)) == 2


def test_replica_without_read_replica_of_is_promoted(process: ProviderProcess, sandbox: Sandbox) -> None:
    """It is not replaced, so it keeps its data."""
    primary, _ = create(process)
    id_, state = replica(process, primary)
    own = {**ORDERS, "name": "reports"}
    assert POSTGRES.diff(state, own).replaces == ()
    state = process.update(NAME, id_, state, own)
    assert (state["isPrimary"], state["state"]) == (True, "running")
    assert bodies(sandbox, "command_postgres_service") == [{"command": "promote"}]
    assert process.changes(NAME, state, own) == ()


def test_promoted_replica_is_not_promoted_again(process: ProviderProcess, sandbox: Sandbox) -> None:
    """If a run fails after the promotion, state still has the primary, and the server would reject a second one."""
    id_, state = replica(process, create(process)[0])
    own = {**ORDERS, "name": "sales"}
    sandbox.fault("update_postgres_service", "status", status=400)
    with pytest.raises(ClientError, match="400"):
        process.update(NAME, id_, state, own)
    state = process.update(NAME, id_, state, own)
    assert (state["isPrimary"], state["name"]) == (True, "sales")
    assert bodies(sandbox, "command_postgres_service") == [{"command": "promote"}]


def test_promoted_replica_can_have_a_separate_password(process: ProviderProcess, sandbox: Sandbox) -> None:
    """It is set after the promotion; before, the server rejects it."""
    id_, state = replica(process, create(process)[0])
    process.update(NAME, id_, state, {**ORDERS, "name": "reports", "password": PASSWORD})
    assert sandbox.password_works(id_, PASSWORD)


def test_slow_promotion_delays_other_changes(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The run fails before it sends them, and the next run sends them."""
    id_, state = replica(process, create(process)[0])
    own = {**ORDERS, "name": "sales", "size": "m6gd.xlarge", "pgConfig": {"max_connections": "100"}}
    sandbox.set_latency(start=1)
    with pytest.raises(ResourceError, match=r"not running after 0\.003 minutes, but restarting"):
        process.update(NAME, id_, state, {**own, **SHORT})
    sandbox.set_latency(start=0.01)
    process.update(NAME, id_, state, own)
    service = sandbox.objects(KIND)[id_]
    assert (service["name"], service["size"]) == ("sales", "m6gd.xlarge")
    assert configuration(sandbox, id_)["pgConfig"] == {"max_connections": "100"}


def test_promotion_by_hand_is_an_error(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A replacement by a new replica would delete the data written since."""
    primary, _ = create(process)
    id_, state = replica(process, primary)
    sandbox.change(KIND, id_, isPrimary=True)
    state = refreshed(process, id_, state)
    with pytest.raises(ResourceError, match="cannot change readReplicaOf"):
        POSTGRES.diff(state, {"name": "reports", "readReplicaOf": primary})


def test_imported_replica_can_name_its_primary(process: ProviderProcess, sandbox: Sandbox) -> None:
    """No server returns the primary, so it is not a change."""
    primary, _ = create(process)
    id_, _ = replica(process, primary)
    live = process.read(NAME, id_, {})
    assert "readReplicaOf" not in live.inputs
    wanted = {"name": "reports", "readReplicaOf": primary}
    assert POSTGRES.diff(live.state, wanted).replaces == ()
    start = len(sandbox.requests)
    state = process.update(NAME, id_, live.state, wanted)
    assert sent(sandbox, start) == []
    assert process.changes(NAME, state, wanted) == ()


def test_restored_service_can_have_another_size(process: ProviderProcess, sandbox: Sandbox) -> None:
    """It starts with the size of the backup, and is updated; `restoreFrom` can be removed later."""
    origin, _ = create(process)
    inputs = {"name": "then", "restoreFrom": {"postgresServiceId": origin, "time": PAST}, "size": "m6gd.xlarge"}
    id_, state = process.create(NAME, inputs)
    assert bodies(sandbox, "restore_postgres_service")[0].keys() == {"name", "restoreTarget", "tags"}
    assert (sandbox.objects(KIND)[id_]["size"], state["size"], state["region"]) == ("m6gd.xlarge",) * 2 + ("us-east-1",)
    assert POSTGRES.diff(state, {**ORDERS, "name": "then", "size": "m6gd.xlarge"}).replaces == ()
    other = {**inputs, "restoreFrom": {"postgresServiceId": origin, "time": "2026-01-02T00:00:00Z"}}
    with pytest.raises(ResourceError, match="cannot change restoreFrom"):
        POSTGRES.diff(state, other)


# -- failures --------------------------------------------------------------------------------------------------------


def test_service_that_does_not_start_is_in_state_and_is_restarted(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The first run warns, and the next one restarts the service."""
    sandbox.fault("create_postgres_service", "failed")
    id_, state = create(process, **SHORT)
    assert "not running after 0.003 minutes, but unavailable" in state["lastError"]
    assert state["password"]
    assert process.changes(NAME, state, ORDERS) != ()
    state = process.update(NAME, id_, state, ORDERS)
    assert (state["state"], "lastError" in state) == ("running", False)
    assert bodies(sandbox, "command_postgres_service") == [{"command": "restart"}]


def test_service_that_cannot_be_restarted_is_an_error(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The error has the server's message."""
    sandbox.fault("create_postgres_service", "failed")
    id_, state = create(process, **SHORT)
    sandbox.fault("command_postgres_service", "status", status=400, text="No machine is free")
    with pytest.raises(ClientError, match="No machine is free"):
        process.update(NAME, id_, state, {**ORDERS, **SHORT})


def test_lost_create_is_adopted_by_its_tag(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The server's password is lost, so a derived one is set."""
    sandbox.add(KIND, name="orders too")
    sandbox.fault("create_postgres_service", "lose")
    id_, state = create(process)
    assert len(sandbox.objects(KIND)) == 2
    assert state["password"] == own_password(id_, str(process.config.key_secret))
    assert sandbox.password_works(id_, state["password"])


@pytest.mark.parametrize("operation", ["create_postgres_read_replica", "restore_postgres_service"])
def test_lost_replica_or_restore_is_adopted(operation: str, process: ProviderProcess, sandbox: Sandbox) -> None:
    """Its password is not reset: it has the password of its origin."""
    origin, _ = create(process)
    sandbox.fault(operation, "lose")
    place = {"readReplicaOf": origin}
    if operation == "restore_postgres_service":
        place = {"restoreFrom": {"postgresServiceId": origin, "time": PAST}}  # type: ignore[dict-item]
    id_, state = process.create(NAME, {"name": "again", **place})
    assert {*sandbox.objects(KIND)} == {origin, id_}
    assert bodies(sandbox, "set_postgres_password") == []
    assert process.changes(NAME, state, {"name": "again", **place}) == ()


def test_next_run_sends_a_password_that_failed(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The service is in state, without the password."""
    sandbox.fault("set_postgres_password", "status", status=400)
    id_, state = create(process, password=PASSWORD)
    assert state["__settingsUnread"] is True
    assert state["password"] != PASSWORD
    state = process.update(NAME, id_, state, {**ORDERS, "password": PASSWORD})
    assert (state["password"], "lastError" in state) == (PASSWORD, False)


@pytest.mark.parametrize("fault", ["lose", "commit_then_status"])
@pytest.mark.parametrize("operation", ["update_postgres_service", "update_postgres_config", "set_postgres_password"])
def test_lost_update_is_repeated_or_recognized(
    operation: str, fault: str, process: ProviderProcess, sandbox: Sandbox
) -> None:
    """State has the new values."""
    inputs = {**ORDERS, "pgConfig": {"max_connections": "100"}, "password": PASSWORD}
    id_, state = process.create(NAME, inputs)
    new = {**inputs, "pgConfig": {"max_connections": "200"}, "password": "Orders-999999", "haType": "sync"}
    sandbox.fault(operation, fault)
    state = process.update(NAME, id_, state, new)
    assert sandbox.objects(KIND)[id_]["haType"] == "sync"
    assert configuration(sandbox, id_)["pgConfig"] == {"max_connections": "200"}
    assert process.changes(NAME, refreshed(process, id_, state), new) == ()


def test_delete_is_retried_after_409(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A server returns 409 while it is busy; the delete is sent again until the wait ends."""
    id_, state = create(process)
    sandbox.fault("delete_postgres_service", "status", status=409, text="busy", times=2)
    process.delete(NAME, id_, state)
    assert id_ not in sandbox.objects(KIND)
    process.delete(NAME, id_, state)


def test_service_with_a_replica_is_not_deleted(process: ProviderProcess, sandbox: Sandbox) -> None:
    """After the wait, the error has the server's message."""
    primary, state = create(process, **SHORT)
    replica(process, primary)
    with pytest.raises(ClientError, match="Read replicas depend on this service"):
        process.delete(NAME, primary, state)
    assert primary in sandbox.objects(KIND)


def test_deletion_by_hand_during_an_update_is_an_error(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The message says that the service is being deleted."""
    id_, state = create(process)
    sandbox.change(KIND, id_, state="deleting")
    process.api.of(PostgresServices).invalidate()
    with pytest.raises(ResourceError, match="somebody is deleting it"):
        process.update(NAME, id_, state, {**ORDERS, "haType": "sync"})


def test_deletion_by_hand_during_a_create_leaves_nothing(
    process: ProviderProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither state nor the pending creates have it, so the next run creates a new one."""

    def deleting(_: PostgresServices, object_id: str, __: object) -> PostgresService:
        return construct(PostgresService, {"id": object_id, "state": "deleting"})

    monkeypatch.setattr(PostgresServices, "current", deleting)
    with pytest.raises(ResourceError, match=r"somebody is deleting it\nRun again: another one is created"):
        create(process, tags=MANY_TAGS)
    assert not list(process.pending.folder.glob("*.json"))


def test_password_is_in_state_although_a_later_update_failed(process: ProviderProcess, sandbox: Sandbox) -> None:
    """It works, and the next run sends the failed update."""
    sandbox.fault("update_postgres_service", "status", status=400)
    id_, state = create(process, password=PASSWORD, tags=MANY_TAGS)
    assert state["__settingsUnread"] is True
    assert (state["password"], PASSWORD in state["connectionString"]) == (PASSWORD, True)
    assert sandbox.password_works(id_, PASSWORD)
    wanted = {**ORDERS, "password": PASSWORD, "tags": MANY_TAGS}
    assert "lastError" not in process.update(NAME, id_, state, wanted)
    assert sandbox.objects(KIND)[id_]["tags"] == MANY_TAGS


def test_import_reads_all_inputs_except_the_password(process: ProviderProcess, sandbox: Sandbox) -> None:
    """This includes settings, and an update with these inputs sends nothing."""
    inputs = {**ORDERS, "tags": TAGS, "pgConfig": {"max_connections": "100"}, "haType": "async"}
    id_, _ = process.create(NAME, inputs)
    live = process.read(NAME, id_, {})
    assert live.inputs == {**inputs, "postgresVersion": "18"}
    assert process.changes(NAME, live.state, inputs) == ("postgresVersion",)
    start = len(sandbox.requests)
    process.update(NAME, id_, live.state, {**inputs, "postgresVersion": "18"})
    assert sent(sandbox, start) == []
    with pytest.raises(ResourceError, match="does not exist"):
        lifecycle.read(process, POSTGRES, UUID, {}, {})


def test_get_postgres_certificates_returns_pem(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A gateway's page is an error."""
    id_, _ = create(process)
    read = FUNCTIONS["getPostgresCertificates"]
    assert read.call(process, {"postgresServiceId": id_})["pem"].startswith("-----BEGIN CERTIFICATE-----\n")
    sandbox.fault("get_postgres_certificates", "html", status=200)
    with pytest.raises(InvalidResponseError, match="returned no certificate"):
        read.call(process, {"postgresServiceId": id_})
    with pytest.raises(ResourceError, match="there is no such object"):
        read.call(process, {"postgresServiceId": UUID})


def interrupted(process: ProviderProcess, sandbox: Sandbox, **more: Any) -> str:
    """Send a create whose response is lost and that no list shows; return the id of the created service."""
    sandbox.fault("create_postgres_service", "lose")
    sandbox.fault("list_postgres_services", "lag", wait=3600, seconds=3600)
    with pytest.raises(ResourceError, match="the list shows no new one"):
        create(process, **more)
    sandbox.clear_faults()
    (id_,) = sandbox.objects(KIND)
    return id_


def test_adopted_service_loses_removed_settings(process: ProviderProcess, sandbox: Sandbox) -> None:
    """They were set by an older version of the program, because no other client knows the service."""
    id_ = interrupted(process, sandbox, pgConfig={"max_connections": "100", "lock_timeout": "1s"}, tags=TAGS)
    adopted, state = create(process, pgConfig={"max_connections": "200"}, haType="async")
    assert (adopted, state["haType"], sandbox.objects(KIND)[id_]["haType"]) == (id_, "async", "async")
    assert configuration(sandbox, id_)["pgConfig"] == {"max_connections": "200"}
    assert sandbox.password_works(id_, state["password"])


def test_next_run_clears_removed_settings_of_an_adopted_service(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Its settings could not be read in the first run."""
    id_ = interrupted(process, sandbox, pgConfig={"max_connections": "100", "lock_timeout": "1s"})
    sandbox.fault("get_postgres_config", "status", status=400, times=1)
    wanted = {**ORDERS, "pgConfig": {"max_connections": "100"}}
    _, state = process.create(NAME, wanted)
    assert state["__settingsUnread"] is True
    state = process.update(NAME, id_, state, wanted)
    assert configuration(sandbox, id_)["pgConfig"] == {"max_connections": "100"}
    assert "lastError" not in state


def test_service_in_another_region_is_not_adopted(process: ProviderProcess, sandbox: Sandbox) -> None:
    """An older version of the program created it, and no update changes the region."""
    id_ = interrupted(process, sandbox)
    with pytest.raises(ResourceError, match=rf"\({id_}\) was created by an interrupted run with another region"):
        create(process, region="us-west-2")


def test_new_host_that_cannot_be_read_fails_the_update(process: ProviderProcess, sandbox: Sandbox) -> None:
    """State has the old host, so the next run sends the name again."""
    id_, state = create(process)
    sandbox.fault("get_postgres_service", "status", status=400, times=1)
    with pytest.raises(ClientError):
        process.update(NAME, id_, state, {**ORDERS, "name": "returns"})
    state = process.update(NAME, id_, state, {**ORDERS, "name": "returns"})
    assert state["hostname"].startswith("returns.")


def test_new_service_that_cannot_be_read_is_in_state(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The next run, or a refresh, reads the missing outputs."""
    sandbox.fault("create_postgres_service", "lose")
    sandbox.fault("get_postgres_service", "status", status=400, times=1)
    id_, state = create(process)
    assert ("hostname" in state, state["__settingsUnread"]) == (False, True)
    assert refreshed(process, id_, state)["hostname"].startswith("orders.")
    state = process.update(NAME, id_, state, ORDERS)
    assert ("hostname" in state, "connectionString" in state, "lastError" in state) == (True, True, False)


def test_another_machine_adopts_by_the_tag(process: ProviderProcess, sandbox: Sandbox, tmp_path: Path) -> None:
    """It has no pending create, and no other service has the tag."""
    id_ = interrupted(process, sandbox)
    adopted, _ = create(ProviderProcess(config_for(sandbox), tmp_path / "other"))
    assert (adopted, [*sandbox.objects(KIND)]) == (id_, [id_])
