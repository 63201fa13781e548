"""The run after an interrupted one, where the program has changed since: what it says, and that it leads out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from faults.subjects import fill
from lives.life import own_id
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.sandbox import Sandbox
from pulumi_clouddb.sandbox.user_defined_functions import code_of
from support.ids import LOGS
from support.sessions import ProviderProcess, config_for

SERVICE = {"name": "Orders", "provider": "aws", "region": "us-east-1"}
KEY = {"name": "ci", "roles": ["developer"]}
SERIES = {"type": "time", "aggFn": "count", "sourceId": LOGS, "where": "", "groupBy": []}
DASHBOARD = {"name": "Orders", "tiles": [{"name": "errors", "x": 0, "y": 0, "w": 4, "h": 2, "series": [SERIES]}]}

FILTER = {"name": "Host", "type": "QUERY_EXPRESSION", "expression": "host", "sourceId": LOGS}

Run = Callable[[], ProviderProcess]


@pytest.fixture(params=["neutral", "clickhouse"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A sandbox of each dialect."""
    with Sandbox(vocabulary=request.param) as running:
        yield running


@pytest.fixture
def run(sandbox: Sandbox, tmp_path: Path) -> Run:
    """Make the session of a run on this machine. What one creates is in no state: the next one finds its record."""
    config: dict[str, Any] = {"requestTimeoutSeconds": 2, "retryTimeoutSeconds": 1, "pollIntervalSeconds": 0.05}
    return lambda: ProviderProcess(config_for(sandbox, **config), tmp_path)


def life_of(name: str) -> WireLife:
    """Return a life by its name."""
    return next(each for each in WIRE_LIVES if each.name == name)


def test_another_region_is_refused_with_the_one_to_put_back(sandbox: Sandbox, run: Run) -> None:
    """The service is there, and no update moves it; with the old region it is adopted."""
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
    ],
)
def test_what_no_update_changes_is_refused(life: str, fixed: str, one: str, other: str, tmp_path: Path) -> None:
    """State must not have the edit, which cannot arrive; with the old value the object is adopted."""
    played = life_of(life)
    name = played.life.name
    with Sandbox(vocabulary="clickhouse") as sandbox:
        inputs = {**fill(played.before, played.life.setting(sandbox)), fixed: one}
        object_id, _ = ProviderProcess(config_for(sandbox), tmp_path).create(name, inputs, urn="urn:it")
        with pytest.raises(ResourceError, match=f"with another {fixed}\nPut {fixed} '{one}' back into the program, or"):
            ProviderProcess(config_for(sandbox), tmp_path).create(name, {**inputs, fixed: other}, urn="urn:it")
        assert ProviderProcess(config_for(sandbox), tmp_path).create(name, inputs, urn="urn:it")[0] == object_id


@pytest.mark.parametrize(
    ("life", "fixed", "one", "other"),
    [
        ("BYOC infrastructure", "accountId", "123456789012", "210987654321"),
        ("BYOC infrastructure", "availabilityZoneSuffixes", ["a", "b"], ["a", "c"]),
        ("BYOC infrastructure", "vpcCidrRange", "10.0.0.0/16", "10.1.0.0/16"),
        ("BYOC infrastructure", "vpcCidrRange", None, "10.1.0.0/16"),
    ],
)
def test_what_no_update_changes_and_no_server_returns_is_refused(
    life: str, fixed: str, one: object, other: object, tmp_path: Path
) -> None:
    """The record of the create proves that it differs, but not what it was; each further run is refused, too."""
    played = life_of(life)
    name = played.life.name
    with Sandbox(vocabulary="clickhouse") as sandbox:
        inputs = {**fill(played.before, played.life.setting(sandbox)), fixed: one}
        inputs = {each: value for each, value in inputs.items() if value is not None}
        config = config_for(sandbox, pollIntervalSeconds=0.05)
        object_id, _ = ProviderProcess(config, tmp_path).create(name, inputs, urn="urn:it")
        for _ in range(2):
            with pytest.raises(ResourceError, match=f"with another {fixed}\nPut the former {fixed} back into the prog"):
                ProviderProcess(config, tmp_path).create(name, {**inputs, fixed: other}, urn="urn:it")
        assert ProviderProcess(config, tmp_path).create(name, inputs, urn="urn:it")[0] == object_id


def test_a_service_from_another_backup_is_refused(sandbox: Sandbox, run: Run) -> None:
    """It has other data; no server returns the backup."""
    origin = sandbox.add("services", **SERVICE)["id"]
    one, other = (sandbox.add("backups", serviceId=origin)["id"] for _ in range(2))
    service_id, _ = run().create("Service", {**SERVICE, "name": "Copy", "backupId": one}, urn="urn:copy")
    with pytest.raises(ResourceError, match="with another backupId\nPut the former backupId back"):
        run().create("Service", {**SERVICE, "name": "Copy", "backupId": other}, urn="urn:copy")
    again = run().create("Service", {**SERVICE, "name": "Copy", "backupId": one}, urn="urn:copy")
    assert again[0] == service_id


def test_a_service_of_another_region_that_is_deleted_makes_room(sandbox: Sandbox, run: Run) -> None:
    """The other way on."""
    first, _ = run().create("Service", SERVICE)
    sandbox.remove("services", first)
    second, _ = run().create("Service", {**SERVICE, "region": "eu-central-1"})
    assert list(sandbox.services) == [second]


def test_what_was_made_in_another_place_is_named(sandbox: Sandbox, run: Run) -> None:
    """A dashboard belongs into the stack of a service by now: the old one stays, and is named."""
    service = sandbox.add("services", **SERVICE)["id"]
    old, _ = run().create("Dashboard", DASHBOARD, urn="urn:board")
    second = run()
    new, _ = second.create("Dashboard", {**DASHBOARD, "serviceId": service}, urn="urn:board")
    assert second.warnings == [
        (
            f"An interrupted run had created dashboard 'Orders' (id {old}), which is not listed where dashboard "
            "'Orders' belongs; if it is still there, delete it by hand."
        )
    ]
    assert {old, new} <= set(sandbox.dashboards)


def test_what_was_adopted_is_not_deleted_as_the_one_that_it_replaces(sandbox: Sandbox, run: Run) -> None:
    """`--replace` creates first: that finds the object, which the delete that follows would take away."""
    run().create("Service", SERVICE)
    second = run()
    service_id, state = second.create("Service", SERVICE)
    second.delete("Service", service_id, state)
    assert second.warnings == [
        f"Adopted service 'Orders' (id {service_id}): an interrupted run had created it.",
        f"Service {service_id} is not deleted: it is the one that this run has adopted.",
    ]
    assert list(sandbox.services) == [service_id]


def test_a_key_whose_secret_was_lost_and_that_could_not_be_deleted(sandbox: Sandbox, run: Run) -> None:
    """The next run deletes it and creates another."""
    if sandbox.vocabulary == "clickhouse":
        pytest.skip("its secret is made here")
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
def test_an_edit_of_what_no_server_returns_reaches_what_is_adopted(life: str, edited: str, tmp_path: Path) -> None:
    """Nobody can compare secrets and code: they are sent, so that the object is as after an update."""
    played = life_of(life)
    name, kind = played.life.name, played.life.kind
    objects: list[str] = []
    for how in ("updated", "adopted"):
        with Sandbox(**played.life.server) as sandbox:
            names = played.life.setting(sandbox)
            before, after = fill(played.before, names), fill(played.after, names)
            config = config_for(sandbox, pollIntervalSeconds=0.05)
            first, second = (ProviderProcess(config, tmp_path / how) for _ in range(2))
            object_id, state = first.create(name, before, urn="urn:it")
            if how == "updated":
                second.update(name, object_id, state, {**before, edited: after[edited]})
            else:
                assert second.create(name, {**before, edited: after[edited]}, urn="urn:it")[0] == object_id
            record = sandbox.objects(kind)[own_id(kind, object_id)]
            shown = {each: record.get(each) for each in ("version", "source", "content", edited)}
            objects.append(re.sub("[0-9a-f-]{8,}", "ID", json.dumps(shown, indent=1, sort_keys=True)))
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
def test_what_the_program_no_longer_has_is_cleared(life: str, dropped: str, value: object, tmp_path: Path) -> None:
    """An interrupted run has sent it: an update without it would have cleared it."""
    played = life_of(life)
    name, kind = played.life.name, played.life.kind
    objects: list[str] = []
    for how in ("updated", "adopted"):
        with Sandbox(vocabulary="clickhouse") as sandbox:
            names = played.life.setting(sandbox)
            without = {each: one for each, one in fill(played.before, names).items() if each != dropped}
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


def test_an_edit_of_an_interrupted_run_is_cleared_too(tmp_path: Path) -> None:
    """Each of three runs is interrupted: the second one adds a body, and the third one takes it out again."""
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
        ("adopted key", "name", "found and kept"),
        ("adopted key", "expireAt", "2099-01-01T00:00:00Z"),
    ],
)
def test_what_an_override_no_longer_has_is_restored(life: str, dropped: str, value: object, tmp_path: Path) -> None:
    """As an update would restore it: no destroy does, as state does not name it."""
    played = life_of(life)
    name, kind = played.life.name, played.life.kind
    with Sandbox(**played.life.server) as sandbox:
        inputs = {
            each: one for each, one in fill(played.before, played.life.setting(sandbox)).items() if each != dropped
        }

        def shown() -> dict[str, object]:
            records = sandbox.objects(kind).items()
            return {each: record.get("scaling", record).get(dropped) for each, record in records}

        original, config = shown(), config_for(sandbox, pollIntervalSeconds=0.05)
        ProviderProcess(config, tmp_path).create(name, {**inputs, dropped: value}, urn="urn:it")
        assert shown() != original
        ProviderProcess(config, tmp_path).create(name, inputs, urn="urn:it")
        assert shown() == original


def test_code_that_did_not_change_makes_no_second_version(tmp_path: Path) -> None:
    """The record of the create proves that the function has the code of the program."""
    life = life_of("user-defined function")
    with Sandbox(**life.life.server) as sandbox:
        inputs = fill(life.before, life.life.setting(sandbox))
        for _ in range(3):
            ProviderProcess(config_for(sandbox), tmp_path).create(life.life.name, inputs, urn="urn:it")
        assert [each["version"] for each in sandbox.objects(life.life.kind).values() if each["name"] == "twice"] == [1]


def test_credentials_are_sent_to_the_pipe_that_is_adopted(tmp_path: Path) -> None:
    """An interrupted run may have created it with others."""
    life = life_of("pipe of a stream")
    with Sandbox(**life.life.server) as sandbox:
        inputs = fill(life.before, life.life.setting(sandbox))
        for _ in range(2):
            ProviderProcess(config_for(sandbox), tmp_path).create(life.life.name, inputs, urn="urn:it")
        bodies = [each.body for each in sandbox.requests if each.method in ("POST", "PATCH")]
        assert ["credentials" in body["source"]["kafka"] for body in bodies] == [True, True]


def test_code_that_goes_back_reaches_the_function_that_is_adopted(tmp_path: Path) -> None:
    """Each run is interrupted: what the first one sent is no longer what the function has."""
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
