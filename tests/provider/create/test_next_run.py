"""The run after an interrupted one, with a changed program: its messages, and that following them helps."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.user_defined_functions import code_of
from lives.life import a_pipe, fill, own_id
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.client.errors import ApiError, ResourceError
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.create.session import Session, account_of
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.base import DiffResult
from pulumi_clouddb.resource.state import State
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.schema.vocabulary import VENDOR_URL
from support.ids import LOGS
from support.sessions import ProviderProcess, config_for, config_of

SERVICE = {"name": "Orders", "provider": "aws", "region": "us-east-1"}
KEY = {"name": "ci", "roles": ["developer"]}
SERIES = {"type": "time", "aggFn": "count", "sourceId": LOGS, "where": "", "groupBy": []}
DASHBOARD = {"name": "Orders", "tiles": [{"name": "errors", "x": 0, "y": 0, "w": 4, "h": 2, "series": [SERIES]}]}

FILTER = {"name": "Host", "type": "QUERY_EXPRESSION", "expression": "host", "sourceId": LOGS}

Run = Callable[[], ProviderProcess]


@pytest.fixture(params=["neutral", "clickhouse"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Run a sandbox of each dialect."""
    with Sandbox(vocabulary=request.param) as running:
        yield running


@pytest.fixture
def run(sandbox: Sandbox, tmp_path: Path) -> Run:
    """Return a session on this machine. State is empty: the next one finds objects by records only."""
    config: dict[str, Any] = {"requestTimeoutSeconds": 2, "retryTimeoutSeconds": 1, "pollIntervalSeconds": 0.05}
    return lambda: ProviderProcess(config_for(sandbox, **config), tmp_path)


def life_of(name: str) -> WireLife:
    """Return a life by its name."""
    return next(each for each in WIRE_LIVES if each.name == name)


def test_changed_region_is_refused(sandbox: Sandbox, run: Run) -> None:
    """No update moves the service; with the old region it is adopted."""
    service_id, first = run().create("Service", SERVICE)
    with pytest.raises(ResourceError) as refused:
        run().create("Service", {**SERVICE, "region": "eu-central-1"})
    assert str(refused.value) == (
        f"service 'Orders' ({service_id}) was created by an interrupted run with another region\n"
        "Put region 'us-east-1' back into the program, or, if nobody needs this service, delete it in the console. "
        "Then run again."
    )
    assert sandbox.password_works(service_id, first["password"])
    adopted, state = run().create("Service", SERVICE)
    assert list(sandbox.services) == [adopted] == [service_id]
    assert sandbox.password_works(service_id, state["password"])


@pytest.mark.parametrize(
    ("life", "fixed", "one", "other"),
    [
        ("private endpoint", "description", "Office", "Home"),
        ("invitation to a team", "name", "Grace", "Ada"),
        ("invitation", "email", "grace@example.com", "ada@example.com"),
        ("BYOC infrastructure", "regionId", "us-east-1", "eu-west-1"),
        ("BYOC infrastructure", "accountId", "123456789012", "210987654321"),
        ("BYOC infrastructure", "vpcCidrRange", "10.0.0.0/16", "10.1.0.0/16"),
    ],
)
def test_changed_immutable_property_is_refused(life: str, fixed: str, one: str, other: str, tmp_path: Path) -> None:
    """The edit cannot arrive, so state must not contain it; with the old value the object is adopted."""
    wire = life_of(life)
    name = wire.life.name
    with Sandbox(vocabulary="clickhouse") as sandbox:
        inputs = {**fill(wire.before, wire.life.setting(sandbox)), fixed: one}
        object_id, _ = ProviderProcess(config_for(sandbox), tmp_path).create(name, inputs, urn="urn:it")
        with pytest.raises(ResourceError, match=f"with another {fixed}\nPut {fixed} '{one}' back into the program, or"):
            ProviderProcess(config_for(sandbox), tmp_path).create(name, {**inputs, fixed: other}, urn="urn:it")
        assert ProviderProcess(config_for(sandbox), tmp_path).create(name, inputs, urn="urn:it")[0] == object_id


@pytest.mark.parametrize(
    ("life", "fixed", "one", "other"),
    [
        ("BYOC infrastructure", "availabilityZoneSuffixes", ["a", "b"], ["a", "c"]),
        ("BYOC infrastructure", "externalId", "ch-1", "ch-2"),
        ("BYOC infrastructure", "externalId", None, "ch-2"),
    ],
)
def test_changed_hidden_immutable_property_is_refused(
    life: str, fixed: str, one: object, other: object, tmp_path: Path
) -> None:
    """The record proves that the value differs, but does not contain it; each further run is refused, too."""
    wire = life_of(life)
    name = wire.life.name
    with Sandbox(vocabulary="clickhouse") as sandbox:
        inputs = {**fill(wire.before, wire.life.setting(sandbox)), fixed: one}
        inputs = {each: value for each, value in inputs.items() if value is not None}
        config = config_for(sandbox, pollIntervalSeconds=0.05)
        object_id, _ = ProviderProcess(config, tmp_path).create(name, inputs, urn="urn:it")
        for _ in range(2):
            with pytest.raises(ResourceError, match=f"with another {fixed}\nPut the former {fixed} back into the prog"):
                ProviderProcess(config, tmp_path).create(name, {**inputs, fixed: other}, urn="urn:it")
        assert ProviderProcess(config, tmp_path).create(name, inputs, urn="urn:it")[0] == object_id


def test_service_from_another_backup_is_refused(sandbox: Sandbox, run: Run) -> None:
    """It contains other data, and no server returns the backup's id."""
    origin = sandbox.add("services", **SERVICE)["id"]
    one, other = (sandbox.add("backups", serviceId=origin)["id"] for _ in range(2))
    service_id, _ = run().create("Service", {**SERVICE, "name": "Copy", "backupId": one}, urn="urn:copy")
    with pytest.raises(ResourceError, match="with another backupId\nPut the former backupId back"):
        run().create("Service", {**SERVICE, "name": "Copy", "backupId": other}, urn="urn:copy")
    again = run().create("Service", {**SERVICE, "name": "Copy", "backupId": one}, urn="urn:copy")
    assert again[0] == service_id


def test_deleted_service_allows_another_region(sandbox: Sandbox, run: Run) -> None:
    """Deleting the service in the console, as the error suggests, lets the next run create another one."""
    first, _ = run().create("Service", SERVICE)
    sandbox.remove("services", first)
    second, _ = run().create("Service", {**SERVICE, "region": "eu-central-1"})
    assert list(sandbox.services) == [second]


def test_object_in_another_place_is_named(sandbox: Sandbox, run: Run) -> None:
    """The program moved a dashboard to a service: the old dashboard is kept, and a warning names it."""
    service = sandbox.add("services", **SERVICE)["id"]
    old, _ = run().create("Dashboard", DASHBOARD, urn="urn:board")
    second = run()
    new, _ = second.create("Dashboard", {**DASHBOARD, "serviceId": service}, urn="urn:board")
    assert second.warnings == [
        (
            f"An interrupted run had created dashboard 'Orders' (id {old}), which is not listed where dashboard "
            "'Orders' belongs; if it still exists, delete it by hand."
        )
    ]
    assert {old, new} <= set(sandbox.dashboards)


def test_adopted_object_is_not_deleted_as_the_replaced_one(sandbox: Sandbox, run: Run) -> None:
    """`--replace` creates first, which adopts the object; the delete that follows must keep it."""
    run().create("Service", SERVICE, urn=URN)
    second = run()
    service_id, state = second.create("Service", SERVICE, urn=URN)
    lifecycle.delete(second.for_resource(URN), RESOURCES["Service"], service_id, state)
    adopted, kept = second.warnings
    assert f"Adopted service 'Orders' (id {service_id}): an interrupted run had created it." in adopted
    assert f"Service {service_id} is kept: its replacement is the same object." in kept
    assert list(sandbox.services) == [service_id]


def test_lost_key_that_could_not_be_deleted(sandbox: Sandbox, run: Run) -> None:
    """The next run deletes it and creates another key."""
    if sandbox.vocabulary == "clickhouse":
        pytest.skip("the provider makes the secret")
    before = set(sandbox.keys)
    sandbox.fault("create_key", "lose")
    sandbox.fault("delete_key", "status", status=400, text="no")
    with pytest.raises(ResourceError) as refused:
        run().create("ApiKey", KEY)
    (lost,) = set(sandbox.keys) - before
    first, second = str(refused.value).split("\n")
    assert first.startswith(
        f"API key 'ci' exists ({lost}), but its secret was lost with the response, and it could not"
    )
    assert second == "Run again: it is deleted and created again."
    object_id, state = run().create("ApiKey", KEY)
    assert set(sandbox.keys) - before == {object_id} != {lost}
    with sandbox.management(state["accessKeyId"], state["keySecret"]) as client:
        assert client.get("/services").status_code == 200


def test_key_of_former_credentials_is_not_taken_for_one_that_works(sandbox: Sandbox, run: Run, tmp_path: Path) -> None:
    """Its secret follows from the credentials of the interrupted run, or was only in the response."""
    first, _ = run().create("ApiKey", KEY)
    other = sandbox.add_key(name="other", roles=["admin"])
    config = run().config.model_copy(update={"key_id": other["keyId"], "key_secret": other["keySecret"]})
    process = ProviderProcess(config, tmp_path)
    second, state = process.create("ApiKey", KEY)
    assert (first in sandbox.keys) is (sandbox.vocabulary == "clickhouse")
    assert second != first
    with sandbox.management(state["accessKeyId"], state["keySecret"]) as client:
        assert client.get("/services").status_code == 200
    told = f"(id {first}) was made with other credentials"
    assert any(told in each for each in process.warnings) is (sandbox.vocabulary == "clickhouse")


@pytest.mark.parametrize(
    ("life", "edited"),
    [
        ("self-hosted webhook", "headers"),
        ("managed webhook", "queryParams"),
        ("self-hosted webhook", "body"),
        ("connection", "password"),
        ("user-defined function", "files"),
        ("self-hosted source", "metricSourceId"),
        ("managed saved search", "whereLanguage"),
        ("service", "releaseChannel"),
    ],
)
def test_edited_hidden_property_is_sent_to_an_adopted_object(life: str, edited: str, tmp_path: Path) -> None:
    """Secrets and code cannot be compared: they are sent, so that the object is as after an update."""
    wire = life_of(life)
    name, kind = wire.life.name, wire.life.kind
    objects: list[str] = []
    for how in ("updated", "adopted"):
        with Sandbox(**wire.life.server) as sandbox:
            names = wire.life.setting(sandbox)
            before, after = fill(wire.before, names), fill(wire.after, names)
            config = config_for(sandbox, pollIntervalSeconds=0.05)
            first, second = (ProviderProcess(config, tmp_path / how) for _ in range(2))
            object_id, state = first.create(name, before, urn="urn:it")
            if how == "updated":
                second.update(name, object_id, state, {**before, edited: after[edited]})
            else:
                assert second.create(name, {**before, edited: after[edited]}, urn="urn:it")[0] == object_id
            record = sandbox.objects(kind)[own_id(kind, object_id)]
            fields = {each: record.get(each) for each in ("version", "source", "content", edited)}
            objects.append(re.sub("[0-9a-f-]{8,}", "ID", json.dumps(fields, indent=1, sort_keys=True)))
    assert objects[0] == objects[1]


@pytest.mark.parametrize(
    ("life", "dropped", "value"),
    [
        ("self-hosted webhook", "headers", {"x-team": "shop"}),
        ("self-hosted webhook", "body", "{{title}}"),
        ("managed saved search", "tags", ["shop"]),
        ("connection", "hyperdxSettingPrefix", "team_"),
        (
            "self-hosted dashboard",
            "filters",
            [{"name": "Host", "type": "QUERY_EXPRESSION", "expression": "host", "sourceId": LOGS}],
        ),
        ("alert", "message", "Look."),
        ("stack role", "description", "For the night."),
        ("user-defined function", "returnName", "z"),
        ("pipe of a stream", "settings", {"streaming_max_insert_wait_ms": 1000}),
        ("service", "tags", [{"key": "team", "value": "shop"}]),
        ("Postgres service", "tags", [{"key": "team", "value": "shop"}]),
        ("created key", "expireAt", "2099-01-01T00:00:00Z"),
    ],
)
def test_removed_property_of_an_adopted_object_is_cleared(
    life: str, dropped: str, value: object, tmp_path: Path
) -> None:
    """An interrupted run has sent it: the object is as after an update that removes it."""
    wire = life_of(life)
    name, kind = wire.life.name, wire.life.kind
    objects: list[str] = []
    for how in ("updated", "adopted"):
        with Sandbox(vocabulary="clickhouse") as sandbox:
            names = wire.life.setting(sandbox)
            without = {each: one for each, one in fill(wire.before, names).items() if each != dropped}
            config = config_for(sandbox, pollIntervalSeconds=0.05)
            programs = [{**without, dropped: value}, without]
            object_id, state = ProviderProcess(config, tmp_path / how).create(name, programs[0], urn="urn:it")
            for program in programs[1:]:
                run = ProviderProcess(config, tmp_path / how)
                if how == "updated":
                    state = run.update(name, object_id, state, program)
                else:
                    assert run.create(name, program, urn="urn:it")[0] == object_id
            record = sandbox.objects(kind)[own_id(kind, object_id)]
            shown = record.get(dropped)
            shown = [tag for tag in shown or () if "pulumi" not in str(tag)] if dropped == "tags" else shown
            objects.append(json.dumps(shown))
    assert objects[0] == objects[1]
    assert str(value) not in objects


def test_property_of_an_interrupted_edit_is_cleared(tmp_path: Path) -> None:
    """Three runs are interrupted: the second one adds a body, and the third one removes it."""
    hook = {"name": "night", "service": "generic", "url": "https://hooks.example.com/night"}
    with Sandbox(vocabulary="clickhouse") as sandbox:
        for inputs in (hook, {**hook, "body": "{{title}}"}, hook):
            hook_id, _ = ProviderProcess(config_for(sandbox), tmp_path).create("Webhook", inputs, urn="urn:it")
        assert sandbox.objects("webhooks")[hook_id].get("body") is None


@pytest.mark.parametrize(
    ("life", "dropped", "value"),
    [
        ("scaling of a stream pipe", "replicas", 4),
        ("organization settings", "name", "Shop"),
        ("adopted key", "name", "adopted"),
        ("adopted key", "expireAt", "2099-01-01T00:00:00Z"),
    ],
)
def test_removed_property_of_an_override_is_restored(life: str, dropped: str, value: object, tmp_path: Path) -> None:
    """The create restores it like an update would; destroy cannot, as state does not contain it."""
    wire = life_of(life)
    name, kind = wire.life.name, wire.life.kind
    with Sandbox(**wire.life.server) as sandbox:
        inputs = {each: one for each, one in fill(wire.before, wire.life.setting(sandbox)).items() if each != dropped}

        def shown() -> dict[str, object]:
            records = sandbox.objects(kind).items()
            return {each: record.get("scaling", record).get(dropped) for each, record in records}

        original, config = shown(), config_for(sandbox, pollIntervalSeconds=0.05)
        ProviderProcess(config, tmp_path).create(name, {**inputs, dropped: value}, urn="urn:it")
        assert shown() != original
        ProviderProcess(config, tmp_path).create(name, inputs, urn="urn:it")
        assert shown() == original


def test_unchanged_code_makes_no_second_version(tmp_path: Path) -> None:
    """The record of the create proves that the function already has the program's code."""
    life = life_of("user-defined function")
    with Sandbox(**life.life.server) as sandbox:
        inputs = fill(life.before, life.life.setting(sandbox))
        for _ in range(3):
            ProviderProcess(config_for(sandbox), tmp_path).create(life.life.name, inputs, urn="urn:it")
        assert [each["version"] for each in sandbox.objects(life.life.kind).values() if each["name"] == "twice"] == [1]


def test_credentials_are_sent_to_an_adopted_pipe(tmp_path: Path) -> None:
    """An interrupted run may have created it with other credentials."""
    life = life_of("pipe of a stream")
    with Sandbox(**life.life.server) as sandbox:
        inputs = fill(life.before, life.life.setting(sandbox))
        for _ in range(2):
            ProviderProcess(config_for(sandbox), tmp_path).create(life.life.name, inputs, urn="urn:it")
        bodies = [each.body for each in sandbox.requests if each.method in ("POST", "PATCH")]
        assert ["credentials" in body["source"]["kafka"] for body in bodies] == [True, True]


def test_reverted_code_is_sent_to_an_adopted_function(tmp_path: Path) -> None:
    """Each run is interrupted: the code of the first request is no longer that of the function."""
    life = life_of("user-defined function")
    with Sandbox(**life.life.server) as sandbox:
        one = fill(life.before, life.life.setting(sandbox))
        for inputs in (
            one,
            {**one, "files": {"main.py": "import sys"}},
            {**one, "files": {"main.py": "import sys"}},
            one,
        ):
            ProviderProcess(config_for(sandbox), tmp_path).create(life.life.name, inputs, urn="urn:it")
        function = sandbox.objects(life.life.kind)["twice"]
        codes = [code_of(each) for each in (*function["older"], function)]
        assert codes == [one["files"], {"main.py": "import sys"}, one["files"]]


@pytest.mark.parametrize("fault", ["no_id", "null_id"])
def test_record_without_an_id_is_not_adopted(fault: str, tmp_path: Path) -> None:
    """A list shows the alert of a lost response without its chart; it is read again if a read shows no id."""
    life = life_of("alert with a chart")
    with Sandbox(**life.life.server) as sandbox:
        config = config_for(sandbox, requestTimeoutSeconds=2, retryTimeoutSeconds=1, pollIntervalSeconds=0.05)
        sandbox.fault("self_hosted_create_alert", "lose")
        sandbox.fault("self_hosted_get_alert", fault)
        id_, state = ProviderProcess(config, tmp_path).create("Alert", life.before, urn="urn:it")
        assert [*sandbox.objects("alerts")] == [id_] == [state["alertId"]]


# -- objects that state has otherwise ------------------------------------------------------------------------------

OBJECTS = {"ApiKey": KEY, "Dashboard": {"name": "Orders", "tiles": []}}
SERVERS = {
    "ApiKey": ("stack_url", "stack_token"),
    "Dashboard": ("base_url", "organization_id", "key_id", "key_secret"),
}
"""Of each resource, the settings of the other kind of server."""
URN, RENAMED = (f"urn:pulumi:dev::shop::clouddb:index:ApiKey::{name}" for name in ("ci", "renamed"))


@pytest.mark.parametrize("kind", SERVERS)
def test_settings_of_another_server_may_be_added(kind: str, sandbox: Sandbox, run: Run, tmp_path: Path) -> None:
    """Between the interrupted run and the next one, the program gets resources of the other server."""
    before = {*sandbox.keys, *sandbox.dashboards}
    fewer = run().config.model_copy(update=dict.fromkeys(SERVERS[kind]))
    ProviderProcess(fewer, tmp_path).create(kind, OBJECTS[kind])
    object_id, _ = run().create(kind, OBJECTS[kind])
    assert {*sandbox.keys, *sandbox.dashboards} - before == {object_id}


def test_update_in_doubt_is_known_with_more_settings(tmp_path: Path) -> None:
    """The program gets services after an update of a password on the observability server was lost."""
    inputs = {"name": "Reader", "host": "http://db.example.com:8123", "username": "reader", "password": "Former-1"}
    with Sandbox(vocabulary="clickhouse") as sandbox:
        config = config_for(sandbox, requestTimeoutSeconds=2, retryTimeoutSeconds=1)
        fewer = config.model_copy(update=dict.fromkeys(SERVERS["Dashboard"]))
        process = ProviderProcess(fewer, tmp_path)
        object_id, state = process.create("Connection", inputs)
        sandbox.fault("update_connection", "commit_then_status", status=500, times=None)
        with pytest.raises(ApiError):
            process.update("Connection", object_id, state, {**inputs, "password": "In-doubt-2"})
    later = ProviderProcess(config, tmp_path)
    assert lifecycle.diff(later, RESOURCES["Connection"], object_id, state, inputs).changed == ("password",)


def test_update_in_doubt_is_known_once_the_organization_is_named(tmp_path: Path) -> None:
    """Until then, the provider finds it by the key."""
    inputs = {"name": "o", "provider": "aws", "region": "us-east-1", "size": "c6gd.large", "password": "Former-pass-1"}
    resource, urn = RESOURCES["PostgresService"], "urn:o"
    with Sandbox(vocabulary="clickhouse") as sandbox:
        named = config_for(sandbox)
        unnamed = named.model_copy(update={"organization_id": None})
        object_id, state = ProviderProcess(unnamed, tmp_path).create("PostgresService", inputs, urn=urn)
        process = ProviderProcess(unnamed, tmp_path).for_resource(urn)
        lifecycle.update(process, resource, object_id, state, {**inputs, "password": "In-doubt-pass-2"})
        for config in (unnamed, named):
            later = ProviderProcess(config, tmp_path).for_resource(urn)
            assert lifecycle.diff(later, resource, object_id, state, inputs).changed == ("password",)


def test_account_does_not_depend_on_the_spelling_of_the_default() -> None:
    """The program names the vendor's server in the next run."""
    accounts = {account_of(config_of(**more), ServerKind.MANAGEMENT) for more in ({}, {"baseUrl": VENDOR_URL})}
    assert len(accounts) == 1


def compared(
    process: ProviderProcess, urn: str, object_id: str, state: WireDict, wanted: WireDict, kind: str = "ApiKey"
) -> DiffResult:
    """Check a resource and compare it, as the engine does."""
    session, resource = process.for_resource(urn), RESOURCES[kind]
    checked = lifecycle.check(session, resource, wanted, old=KEY)
    return lifecycle.diff(session, resource, object_id, state, checked.inputs)


def test_object_of_a_renamed_resource_is_not_adopted(sandbox: Sandbox, run: Run) -> None:
    """State has the key; the plugin sees no alias, and the program gives the old name to a new key."""
    first, state = run().create("ApiKey", KEY, urn=URN)
    process = run()
    compared(process, RENAMED, first, state, KEY)
    second, _ = process.create("ApiKey", KEY, urn=URN)
    assert second != first
    assert {first, second} <= set(sandbox.keys)


@pytest.mark.parametrize("dies", [False, True], ids=["", "before the response"])
def test_abandoned_replacement_is_told(run: Run, *, dies: bool) -> None:
    """Somebody takes the change back after the interrupted replacement, perhaps with another one, or destroys it."""
    process = run()
    first, state = process.create("ApiKey", KEY, urn=URN)
    process.pending.run_ended()
    process = run()
    compared(process, URN, first, state, {**KEY, "rotation": "2"})
    second, _ = process.create("ApiKey", {**KEY, "name": "second"}, urn=URN)
    (record,) = process.pending.folder.glob("*.json")
    if dies:
        record.write_text(json.dumps({**json.loads(record.read_text()), "id": None}))
    made = "may have created API key 'second'" if dies else f"has created API key 'second' (id {second})"
    told = (
        f"ApiKey 'ci': An interrupted run {made} to replace {first}.\n"
        "Unless state has that one, or this run creates it again, nothing manages it: delete it by hand if nobody "
        f"needs it. Then delete {record}, which ends this warning."
    )
    for wanted, warnings in ((KEY, [told]), ({**KEY, "rotation": "2"}, [])):
        process = run()
        compared(process, URN, first, state, wanted)
        assert process.warnings == warnings, wanted
    process, edited = run(), {**KEY, "name": "edited"}
    assert compared(process, URN, first, state, edited).changed == ("name",)
    lifecycle.update(process.for_resource(URN), RESOURCES["ApiKey"], first, state, edited)
    assert process.warnings == [told]
    process = run()
    lifecycle.delete(process.for_resource(URN), RESOURCES["ApiKey"], first, state)
    assert process.warnings == [told]


def test_replacement_that_goes_on_is_not_told(run: Run) -> None:
    """The next run finds the new key, and then deletes the old one."""
    process = run()
    first, state = process.create("ApiKey", KEY, urn=URN)
    process.pending.run_ended()
    changed = {**KEY, "rotation": "2"}
    run().create("ApiKey", changed, urn=URN)
    process = run()
    assert compared(process, URN, first, state, changed).replaces
    process.create("ApiKey", changed, urn=URN)
    lifecycle.delete(process.for_resource(URN), RESOURCES["ApiKey"], first, state)
    assert not [each for each in process.warnings if "nothing manages it" in each]


@pytest.mark.parametrize("then", ["imports the new one", "destroys both", "has renamed another one"])
def test_object_of_a_replacement_that_state_has_is_not_told(
    run: Run, then: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its record is left: in dynamic mode also by a run that has failed, since nothing shows that it wrote state.

    A destroy deletes both at the same time. A renamed resource has the old URN in state, and replaces nothing.
    """
    process, resource, changed = run(), RESOURCES["ApiKey"], {**KEY, "rotation": "2"}
    first, state = process.create("ApiKey", KEY, urn=URN)
    process.pending.run_ended()
    process = run()
    compared(process, URN, first, state, changed)
    second, made = process.create("ApiKey", changed, urn=URN)
    process = run()
    if then == "destroys both":
        delete = resource.delete

        def at_once(session: Session, object_id: str, state: State[Any]) -> None:
            if object_id == first:
                lifecycle.delete(process.for_resource(URN), resource, second, made)
            delete(session, object_id, state)

        monkeypatch.setattr(resource, "delete", at_once)
        lifecycle.delete(process.for_resource(URN), resource, first, state)
    elif then == "imports the new one":
        compared(process, RENAMED, second, made, changed)
        compared(process, URN, first, state, KEY)
    else:
        lifecycle.check(process.for_resource(RENAMED), resource, KEY, old=KEY)
        lifecycle.diff(process.for_resource(RENAMED), resource, first, state, KEY, stored_urn=URN)
    assert process.warnings == []


def test_abandoned_replacement_of_an_override_has_made_nothing(sandbox: Sandbox, run: Run) -> None:
    """Its record has another id, that of the other pipe, which existed before."""
    pipes = (a_pipe(sandbox), a_pipe(sandbox))
    one, other = ({"serviceId": each["service_id"], "pipeId": each["pipe_id"], "replicas": 2} for each in pipes)
    process = run()
    id_, state = process.create("PipeScaling", one, urn=URN)
    process.pending.run_ended()
    process = run()
    assert compared(process, URN, id_, state, other, "PipeScaling").replaces
    process.create("PipeScaling", other, urn=URN)
    process = run()
    assert not compared(process, URN, id_, state, one, "PipeScaling").changed
    assert process.warnings == []
