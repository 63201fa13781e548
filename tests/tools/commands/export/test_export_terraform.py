"""`clouddb export --from-terraform`: the objects of a state file, and resources without a counterpart."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from clouddb_tools.commands.export.terraform import NONE, PARTS, compared, read_state
from clouddb_tools.commands.export.terraform_attributes import lost
from clouddb_tools.sandbox import Sandbox
from codegen.terraform import RESOURCES as OFFICIAL
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.schema.base import identity
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.exported import LANGUAGES, Exported, export, recording_cli, run
from support.schema import SCHEMA
from support.terraform import SECRETS, instance, instances, recorded, resource, state, whole

Existing = tuple[Sandbox, dict[str, str]]


@pytest.fixture(scope="module")
def existing() -> Iterator[Existing]:
    """A sandbox with the objects of the recorded state, and their ids by their names in the state."""
    with Sandbox(vocabulary=VocabularyName.CLICKHOUSE) as sandbox, sandbox.management() as http:
        place = {"provider": "aws", "region": "us-east-1"}
        watcher = sandbox.add("services", name="Watcher", **place)["id"]
        sandbox.add("private_endpoints", endpointId=ENDPOINT, description="Office")
        service = sandbox.add(
            "services", name="shop", privateEndpointIds=[ENDPOINT], hasTransparentDataEncryption=True, **place
        )["id"]
        sandbox.change("services", service, transparentDataEncryptionKeyId=KEY)
        http.post(f"/services/{service}/scalingSchedule", json={"entries": [NIGHT]}).raise_for_status()
        http.put(f"/services/{service}/upgradeWindow", json={"weekday": 3, "startHourUtc": 12}).raise_for_status()
        made = {"service.shop[eu]": service}
        made["service.shop[a ${b} 'c']"] = sandbox.add("services", name="odd", **place)["id"]
        made["clickpipe.clicks"] = sandbox.add_pipe(service, name="clicks")["id"]
        made["clickpipe.orders"] = sandbox.add_pipe(service, "postgres", name="orders")["id"]
        settings = {"settings": {"max_query_size": 524288}}
        http.patch(f"/services/{service}/clickhouseSettings", json=settings).raise_for_status()
        query = {"serviceId": service, "name": "Daily", "sql": "SELECT 1"}
        made["saved_query.daily"] = sandbox.add("saved_queries", **query)["id"]
        made["query_api_endpoint.daily"] = sandbox.add("query_api_endpoints", **query)["id"]
        bastion = {"serviceId": service, "name": "Bastion", "host": "bastion.example.com", "username": "u"}
        made["clickpipes_ssh_key.bastion"] = sandbox.add("pipe_ssh_keys", **bastion)["id"]
        made["api_key.scraper"] = sandbox.add_key(name="Scraper")["key"]["id"]
        infrastructure = {"regionId": "us-east-1", "accountId": "123456789012"}
        made["byoc_infrastructure.ours"] = sandbox.add("byoc_infrastructures", **infrastructure)["id"]
        made["invitation.alice"] = sandbox.add("invitations", email="alice@example.com")["id"]
        made["postgres_service.orders"] = sandbox.add("postgres_services", name="Orders")["id"]
        names = {"customPrivateDnsMappings": [{"privateDnsName": "a.example.com"}]}
        attachment = {"type": "GCP_PSC_SERVICE_ATTACHMENT", "gcpServiceAttachment": "projects/p"}
        where = {"serviceId": service, "description": "Kafka"}
        reach = sandbox.add("reverse_private_endpoints", **where, **attachment, **names)["id"]
        made["clickpipes_reverse_private_endpoint.kafka"] = reach
        echo = {"name": "echo_string", "runtime": "native", "type": "executable", "returnType": "UInt8"}
        sandbox.add("user_defined_functions", **echo, arguments=[])
        sandbox.add("udf_attachments", functionName="echo_string", serviceId=service)
        made["role.reader"] = sandbox.add("roles", name="Reader", actors=["user/1", "apiKey/2"])["id"]
        system = [each for each in sandbox.objects("roles").values() if each["type"] == "system"]
        assigned = next((each for each in system if each["name"] == "Member"), system[0])
        made |= {"role_assignment.member": assigned["id"], "the system role": assigned["name"]}
        made["organization_settings.this"] = sandbox.config["clouddb:organizationId"]
        host = "https://db.example.com"
        connection = sandbox.add("connections", name="main", host=host, username="u")["id"]
        table = {"from": {"databaseName": "otel", "tableName": "logs"}, "connection": connection}
        read = {"timestampValueExpression": "T", "defaultTableSelectExpression": "T, Body"}
        logs = sandbox.add("sources", **{"name": "logs", "kind": "log", **table, **read})["id"]
        linked = {"name": "traces", "kind": "trace", "logSourceId": logs}
        traces = sandbox.add("sources", **{**table, **read, **linked})["id"]
        sandbox.change("sources", logs, traceSourceId=traces)
        hook = {"service": "generic", "url": "https://hooks.example.com/x"}
        ops = sandbox.add("webhooks", name="hook", **hook)["id"]
        cloud = sandbox.add("webhooks", serviceId=watcher, name="cloud", **hook)["id"]
        analyst = sandbox.add("stack_roles", serviceId=watcher, name="Analyst", permissions=PERMISSIONS)["id"]
        search = sandbox.add("saved_searches", name="errors", sourceId=logs, where="")["id"]
        line = {"displayType": "line", "sourceId": logs, "select": [{"aggFn": "count"}]}
        tile = {"name": "rows", "x": 0, "y": 0, "w": 6, "h": 3, "config": line}
        board = sandbox.add("dashboards", name="board", tiles=[tile])
        alert = sandbox.add(
            "alerts",
            name="many",
            source="tile",
            dashboardId=board["id"],
            tileId=board["tiles"][0]["id"],
            threshold=1,
            interval="5m",
            thresholdType="above",
            channel={"type": "webhook", "webhookId": ops},
        )["id"]
        stack = {"connection.main": connection, "source.logs": logs, "webhook.ops": ops, "webhook.cloud": cloud}
        stack |= {
            "role.analyst": analyst,
            "source_links.traces": traces,
            "saved_search.errors": search,
            "dashboard.board[0]": board["id"],
        }
        made |= {f"clickstack_{name}": own_id for name, own_id in {**stack, "alert.many": alert}.items()}
        sandbox.forget_requests()
        yield sandbox, made


KEY = "arn:aws:kms:us-east-1:1:key/1"
ENDPOINT = "vpce-0123456789abcdef0"
NIGHT = {
    "autoscalingMode": "vertical",
    "name": "night",
    "weekdays": [1],
    "startHourUtc": 22,
    "endHourUtc": 6,
    "numReplicas": 2,
}
PERMISSIONS = [{"action": "read", "subject": "Dashboard"}]


def state_file(folder: Path, content: Any) -> Path:
    """Write a state file."""
    file = folder / "terraform.tfstate"
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return file


def rows(stderr: str) -> dict[str, str]:
    """Return the reasons of resources that stay with Terraform by address, from a table with wrapped lines."""
    _, _, table = stderr.partition("Why it stays there")
    reasons: dict[str, str] = {}
    for row in re.split(r"^[├┡].*$", table.partition("└")[0], flags=re.MULTILINE)[1:]:
        cells = [[cell.strip() for cell in line.split("│")[1:3]] for line in row.strip().splitlines()]
        reasons["".join(cell for cell, _ in cells)] = " ".join(cell for _, cell in cells if cell)
    return reasons


@pytest.fixture(scope="module")
def exported(existing: Existing, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    """The export of a whole state."""
    folder = tmp_path_factory.mktemp("terraform")
    file = state_file(folder, whole(existing[1]))
    return export(existing[0], folder / "out", "yaml", "--from-terraform", str(file))


def removed(stderr: str) -> list[str]:
    """Return the addresses in the printed command."""
    (command,) = re.findall(r"^  terraform state rm (.*)$", stderr, re.MULTILINE)
    return shlex.split(command)


def test_recorded_state_has_every_resource_of_the_provider() -> None:
    """All resources in the documentation of the Terraform provider."""
    assert {each["type"] for _, each, _ in instances(recorded({}))} == {f"clickhouse_{each}" for each in OFFICIAL}


def test_objects_of_a_state_are_exported_with_its_names(exported: Exported) -> None:
    """With references, and without objects that the state does not manage."""
    assert sorted((kind.rpartition(":")[2], name) for kind, name in exported.entries) == [
        ("Alert", "many"),
        ("ApiKey", "scraper"),
        ("ByocInfrastructure", "ours"),
        ("Connection", "main"),
        ("Dashboard", "boards-eu-0"),
        ("Invitation", "alice"),
        ("OrganizationSettings", "organization-settings"),
        ("Pipe", "clicks"),
        ("Pipe", "orders"),
        ("PipeCdcScaling", "size"),
        ("PipeSshKey", "bastion"),
        ("PostgresService", "orders"),
        ("PrivateEndpoint", "office"),
        ("QueryApiEndpoint", "daily"),
        ("ReversePrivateEndpoint", "kafka"),
        ("Role", "reader"),
        ("SavedQuery", "daily"),
        ("SavedSearch", "errors"),
        ("Service", "shop-a-b-c"),
        ("Service", "shop-eu"),
        ("Source", "logs"),
        ("SourceLinks", "traces"),
        ("StackRole", "analyst"),
        ("UdfAttachment", "echo"),
        ("UserDefinedFunction", "echo"),
        ("Webhook", "cloud"),
        ("Webhook", "ops"),
    ]
    for reference in ('${boardsEu0.tileIds["rows"]}', "${ops.id}", "${logs.id}", "${shopEu.id}", "${office.id}"):
        assert reference in exported.program


STAYS = {
    "clickhouse_clickstack_alert.gone": f"{'0' * 24} is not exported: not found, or omitted above; its configuration "
    "has to name the ids of clickhouse_clickstack_webhook.ops in place of references",
    "clickhouse_clickstack_alert.begun": "has no id in the state: its create failed or is still running",
    "clickhouse_clickstack_alert.old": f"is deposed: a replacement left {'1' * 24} behind, which the next Terraform "
    "apply deletes. Let Terraform delete it, or keep it: export it with --id, and then run `terraform state rm` of "
    "this address",
    "clickhouse_clickstack_team.main": f"{NONE}",
    "clickhouse_clickstack_team_member.carol": f"{NONE}; its configuration has to name the ids of "
    "clickhouse_clickstack_role.analyst in place of references",
    "clickhouse_role_assignment.member": "assigns the system role {role}, which no program declares; leave it in "
    "Terraform, or name the role in assignedRoleIds of each Member and ApiKey, and then remove it from Terraform's "
    "state",
}


def test_resources_that_stay_with_terraform_have_a_reason(exported: Exported, existing: Existing) -> None:
    """Each resource without a counterpart is in the table, also if it is gone or incomplete."""
    role = existing[1]["the system role"]
    assert rows(exported.stderr) == {address: reason.format(role=role) for address, reason in STAYS.items()}


def test_export_prints_a_command_that_removes_exported_resources_from_the_state(
    exported: Exported, existing: Existing
) -> None:
    """The command can be pasted, with keys in Terraform's notation."""
    assert "remove the exported objects, and their parts, from Terraform's state:" in exported.stderr
    assert exported.stderr.rstrip().endswith(
        "and from its configuration. Then run `terraform plan`, and continue only if it shows no changes, or 0 to add "
        "and 0 to destroy."
    )
    gone = removed(exported.stderr)
    assert """ 'clickhouse_service.shop["a $${b} '"'"'c'"'"'"]' 'clickhouse_service.shop["eu"]' """ in exported.stderr
    assert 'module.boards["eu"].clickhouse_clickstack_dashboard.board[0]' in gone
    official = [each for _, each, _ in instances(whole(existing[1])) if each["type"] != "random_id"]
    assert len(gone) + len(STAYS) == sum(
        len(each["instances"]) for each in {id(each): each for each in official}.values()
    )


def test_reasons_name_all_resources_that_terraform_would_destroy(exported: Exported, existing: Existing) -> None:
    """Terraform destroys resources whose configuration refers to removed resources.

    The table names all of these, with the ids to use in their configuration; no other resource depends on removed ones.
    """
    gone = {KEY_OF_ADDRESS.sub("", address) for address in removed(exported.stderr)}
    left = {
        KEY_OF_ADDRESS.sub("", ".".join([*filter(None, [each.get("module")]), each["type"], each["name"]])): found.get(
            "dependencies", []
        )
        for _, each, found in instances(whole(existing[1]))
        if each["type"].startswith("clickhouse_")
    }
    destroyed = {name for name, used in left.items() if name not in gone and not gone.isdisjoint(used)}
    assert destroyed == {name for name, reason in rows(exported.stderr).items() if "in place of references" in reason}
    assert destroyed <= STAYS.keys()


KEY_OF_ADDRESS = re.compile(r"\[[^]]*\]")
"""The key in an address; dependencies in a state have none."""

IN_PROGRAM = {
    "actors": ("reader", ["user/1", "apiKey/2"]),
    "customPrivateDnsMappings": ("kafka", [{"privateDnsName": "a.example.com"}]),
    "privateEndpointIds": ("shopEu", ["${office.id}"]),
    "scalingSchedule": ("shopEu", {"entries": [{**NIGHT, "autoscalingMode": None}]}),  # a default
    "settings": ("shopEu", {"max_query_size": "524288"}),
    "transparentDataEncryptionKeyId": ("shopEu", KEY),
    "upgradeWindow": ("shopEu", {"weekday": 3, "startHourUtc": 12}),
}


def test_parts_of_an_object_are_properties_in_the_program(exported: Exported) -> None:
    """All parts are removed from Terraform's state; otherwise Terraform would destroy them on the servers."""
    declared = yaml.safe_load(exported.program)["resources"]
    assert IN_PROGRAM.keys() == {part.name for part in PARTS.values()}
    for name, (variable, value) in IN_PROGRAM.items():
        assert declared[variable]["properties"][name] == identity(value)


@pytest.mark.parametrize("language", LANGUAGES)
def test_import_file_contains_the_parts(language: str, existing: Existing, tmp_path: Path) -> None:
    """An import by id does not contain these, because other resources can set them."""
    file = state_file(tmp_path, whole(existing[1]))
    entries = export(existing[0], tmp_path / "out", language, "--from-terraform", str(file)).entries
    with_state = {name: each for (_, name), each in entries.items() if "inputs" in each}
    if language != "python":
        assert with_state.keys() == {"reader", "shop-eu"}
    for name, part, value in (
        ("reader", "actors", ["user/1", "apiKey/2"]),
        ("shop-eu", "privateEndpointIds", [ENDPOINT]),
    ):
        assert with_state[name]["inputs"][part] == with_state[name]["outputs"][part] == value


def test_part_of_an_object_that_is_not_exported_stays_with_terraform(existing: Existing, tmp_path: Path) -> None:
    """The service can be in the state of another configuration."""
    sandbox, ids = existing
    only = [each for each in recorded(ids)["resources"] if each["name"] in ("week", "ops")]
    exported = export(sandbox, tmp_path / "out", "yaml", "--from-terraform", str(state_file(tmp_path, state(*only))))
    assert removed(exported.stderr) == ["clickhouse_clickstack_webhook.ops"]
    assert rows(exported.stderr) == {
        "clickhouse_service_scheduled_scaling.week": "is a part of a service that is not exported"
    }


def test_parts_that_terraform_does_not_manage_are_not_exported(existing: Existing, tmp_path: Path) -> None:
    """Without parts in the state, other resources can set the actors of a role and the endpoints of a service."""
    sandbox, ids = existing
    only = [each for each in recorded(ids)["resources"] if each["type"] in ("clickhouse_service", "clickhouse_role")]
    exported = export(sandbox, tmp_path / "out", "yaml", "--from-terraform", str(state_file(tmp_path, state(*only))))
    assert "actors:" not in exported.program
    assert "privateEndpointIds:" not in exported.program


UNDER_ONE_ADDRESS = {
    "alone": ([instance("A")], ["clickhouse_service.shop"]),
    "with a deposed one": ([instance("A"), instance("B", deposed="abcd1234")], []),
    "with one that is not exported, under a key": ([instance("A"), instance("B", 0)], []),
    "with a deposed one of another key": (
        [instance("A", "x"), instance("B", "xy", deposed="abcd1234"), instance("B", "xy")],
        ['clickhouse_service.shop["x"]'],
    ),
}


@pytest.mark.parametrize(("found", "leaving"), UNDER_ONE_ADDRESS.values(), ids=UNDER_ONE_ADDRESS)
def test_address_leaves_only_if_nothing_else_stands_under_it(
    found: list[Any], leaving: list[str], tmp_path: Path
) -> None:
    """`terraform state rm` of an address forgets all of its objects, also deposed ones and those under keys."""
    managed = read_state(state_file(tmp_path, state(resource("clickhouse_service", "shop", *found))))
    left, remaining = compared(managed, {("Service", "A")}, {})
    assert left == leaving
    assert len(left) + len(remaining) == len(found)


def test_deposed_object_is_named_and_can_be_kept(existing: Existing, tmp_path: Path) -> None:
    """An interrupted replacement left two services under one address: none is forgotten, and both can be exported."""
    sandbox, ids = existing
    current, deposed = ids["service.shop[eu]"], ids["service.shop[a ${b} 'c']"]
    both = resource("clickhouse_service", "shop", instance(current), instance(deposed, deposed="abcd1234"))
    file = state_file(tmp_path, state(both, resource("clickhouse_role", "r", instance(ids["role.reader"]))))
    exported = export(sandbox, tmp_path / "out", "yaml", "--from-terraform", str(file))
    assert removed(exported.stderr) == ["clickhouse_role.r"]
    assert f"a replacement left {deposed} behind" in rows(exported.stderr)["clickhouse_service.shop"]
    assert [each["id"] for each in exported.entries.values() if each["type"].endswith(":Service")] == [current]
    kept = export(sandbox, tmp_path / "kept", "yaml", "--id", deposed)
    assert [each["id"] for each in kept.entries.values()] == [deposed]


KEYS = {
    "plain": ("eu", "eu"),
    "template": ("${a} %{b} $${c}", "$${a} %%{b} $$${c}"),
    "not a template": ("$5 100%", "$5 100%"),
    "quote and backslash": ('a"\\', 'a\\"\\\\'),
    "line breaks": ("a\r\n\t", "a\\r\\n\\t"),
    "not printable": ("\u202e\u00a0\x08\U000e0001", "\\u202e\\u00a0\\u0008\\U000e0001"),
    "letters": ("Größe 😀", "Größe 😀"),
}


@pytest.mark.parametrize(("key", "written"), KEYS.values(), ids=KEYS)
def test_address_has_the_key_in_terraforms_notation(key: str, written: str, tmp_path: Path) -> None:
    """See toHCLQuotedString in Terraform's internal/addrs/instance_key.go; other spellings are other addresses."""
    content = state(resource("clickhouse_service", "a", instance("1", key)))
    assert read_state(state_file(tmp_path, content))[0].address == f'clickhouse_service.a["{written}"]'


def test_private_endpoint_of_an_older_state_is_found(tmp_path: Path) -> None:
    """Before version 1.0.0 of the provider, `private_endpoint_id` was called `id`."""
    content = state(resource("clickhouse_private_endpoint_registration", "office", instance("vpce-1a2b3c4d")))
    (found,) = read_state(state_file(tmp_path, content))
    assert (found.kind, found.object_id) == ("PrivateEndpoint", "vpce-1a2b3c4d")


def test_export_only_reads_and_writes_no_secret_of_the_state(exported: Exported, existing: Existing) -> None:
    """The state contains passwords in plain text."""
    assert {entry.method for entry in existing[0].requests} == {"GET"}
    texts = [file.read_text(encoding="utf-8") for file in exported.folder.iterdir()]
    assert not any(secret in text for secret in SECRETS for text in [*texts, exported.stderr])


def test_references_to_a_service_do_not_refer_to_its_scaling(existing: Existing, tmp_path: Path) -> None:
    """The scaling has the id of its service, and depends on the pipes, which would then depend on the scaling."""
    sandbox, ids = existing
    only = [each for each in whole(ids)["resources"] if each["name"] in ("clicks", "size", "kafka")]
    file = state_file(tmp_path, state(*only))
    exported = export(sandbox, tmp_path / "out", "yaml", "--from-terraform", str(file))
    assert exported.program.count(ids["service.shop[eu]"]) == len(only)
    assert f"Service {ids['service.shop[eu]']}: not in this program" in " ".join(exported.stderr.split())


def test_attributes_that_no_program_can_express_are_named(existing: Existing, tmp_path: Path) -> None:
    """Only if the state sets them, and only of objects that are exported; nested ones in each element of a list."""
    sandbox, ids = existing
    role = {"team": "t1", "permissions": [{"fields": []}, {"fields": ["Body"]}], "service_id": None}
    file = state_file(
        tmp_path,
        state(
            resource("clickhouse_clickstack_webhook", "ops", instance(ids["clickstack_webhook.ops"], attributes=role)),
            resource("clickhouse_clickstack_alert", "many", instance(ids["clickstack_alert.many"])),
            resource("clickhouse_clickstack_alert", "gone", instance("0" * 24, attributes={"team": "t1"})),
        ),
    )
    exported = export(sandbox, tmp_path / "out", "yaml", "--from-terraform", str(file))
    warnings = [line for line in exported.stderr.splitlines() if "no counterpart here" in line]
    address = "clickhouse_clickstack_webhook.ops"
    assert warnings == [f"warning: {address}: team has no counterpart here: the team of the token is used"]
    assert [each.partition(" ")[0] for each in lost("clickstack_role", role)] == ["team", "permissions.fields"]


MOVED = {
    "clickhouse_api_key.scraper": ("key_secret", "scraperKeySecret"),
    'clickhouse_service.shop["eu"]': ("generated_password", "shopEuGeneratedPassword"),
    "clickhouse_postgres_service.orders": ("password", "ordersPassword"),
}
"""By address, the attribute with a secret that no server returns, and its key in the configuration."""


@pytest.mark.parametrize("language", ["python", "yaml"])
@pytest.mark.parametrize("init", [False, True], ids=["no stack", "a stack"])
def test_secrets_that_only_terraform_has_are_kept(
    init: bool, language: str, existing: Existing, tmp_path: Path
) -> None:
    """A stack gets them, encrypted; without one, a line says what to do before they are lost. No text repeats them."""
    sandbox, ids = existing
    values = {address: f"canary-{number}-of-the-state" for number, address in enumerate(MOVED)}
    content = [
        resource(
            address.partition(".")[0],
            address.partition(".")[2].partition("[")[0],
            instance(
                ids[address.removeprefix("clickhouse_").replace('"', "")],
                "eu" if "[" in address else None,
                attributes={name: values[address]},
            ),
        )
        for address, (name, _) in MOVED.items()
    ]
    log = tmp_path / "log"
    recording_cli(tmp_path / "bin" / "pulumi", log)
    words = ["--language", language, "--from-terraform", str(state_file(tmp_path, state(*content)))]
    done = run(sandbox, tmp_path / "out", *words, *(["--init", "dev"] if init else []), PATH=str(tmp_path / "bin"))
    assert done.exit_code == 0, done.output
    lines = [line for line in done.stderr.splitlines() if "no server returns" in line]
    assert [line.split(": ")[1] for line in lines] == list(MOVED)
    for (name, key), line in zip(MOVED.values(), lines, strict=True):
        assert name in line
        assert (key if init else "--init") in line
    calls = [json.loads(line) for line in log.read_text().splitlines()] if init else []
    stored = {words[3]: text for words, text in calls if words[:3] == ["config", "set", "--secret"]}
    right = {key: values[address] for address, (_, key) in MOVED.items()}
    assert {key: stored.get(key) for key in right} == (
        {key: json.dumps(text) if language == "yaml" else text for key, text in right.items()}
        if init
        else dict.fromkeys(right)
    )
    texts = [done.output, *(file.read_text(encoding="utf-8") for file in (tmp_path / "out").iterdir())]
    assert not any(value in text for value in values.values() for text in texts)


UNREADABLE: dict[str, tuple[Any, str]] = {
    "not JSON": ("{", "is not JSON"),
    "deeply nested": ("[" * 100_000, "is not JSON"),
    "instances of other types": (
        {"version": 4, "resources": [5, {"mode": "managed", "type": "clickhouse_service", "instances": None}]},
        "contains no resource of the ClickHouse provider",
    ),
    "not a state": ({"resources": []}, "is not a Terraform state of version 4"),
    "an older version": ({"version": 3, "modules": []}, "is not a Terraform state of version 4"),
    "an encrypted state": ({"version": 4, "encrypted_data": "x"}, "is not a Terraform state of version 4"),
    "another provider": (state(resource("random_id", "x")), "contains no resource of the ClickHouse provider"),
}


@pytest.mark.parametrize(("content", "message"), UNREADABLE.values(), ids=UNREADABLE)
def test_unreadable_state_is_rejected(content: Any, message: str, existing: Existing, tmp_path: Path) -> None:
    """With advice, and before any request."""
    sandbox, _ = existing
    sandbox.forget_requests()
    file = state_file(tmp_path, content)
    done = run(sandbox, tmp_path / "out", "--from-terraform", str(file))
    assert (done.exit_code, sandbox.requests) == (1, [])
    assert f"error: {file} {message}\nWrite the state to a file with `terraform state pull" in done.stderr


def test_state_that_cannot_be_opened_is_rejected(tmp_path: Path) -> None:
    """The command line checks that the file exists, but it can disappear."""
    with pytest.raises(ResourceError, match="cannot be read: Is a directory\nSpecify the path of a state file"):
        read_state(tmp_path)


def test_state_without_exportable_objects_exports_nothing(existing: Existing, tmp_path: Path) -> None:
    """The command fails."""
    only = [
        each for each in whole(existing[1])["resources"] if each["name"] == "main" and each["type"].endswith("team")
    ]
    done = run(existing[0], tmp_path / "out", "--from-terraform", str(state_file(tmp_path, state(*only))))
    assert done.exit_code == 1
    assert "error: there is nothing to export" in done.stderr


def test_properties_for_parts_exist() -> None:
    """Each is an input of its resource."""
    for owner, name, _ in PARTS.values():
        assert name in SCHEMA["resources"][f"clouddb:index:{owner}"]["inputProperties"]


def test_terraform_types_map_to_resources(tmp_path: Path) -> None:
    """The names are equal, except for pipes and roles of observability servers."""
    kinds = ("service", "clickstack_saved_search", "clickpipe", "saved_search", "clickstack_service", "clickstack_role")
    content = state(*(resource(f"clickhouse_{kind}", "x", {"attributes": {"id": "1"}}) for kind in kinds))
    found = [each.kind for each in read_state(state_file(tmp_path, content))]
    assert found == ["Service", "SavedSearch", "Pipe", "", "", "StackRole"]


OF_A_SERVICE = {
    "clickpipe": "Pipe",
    "clickpipes_reverse_private_endpoint": "ReversePrivateEndpoint",
    "clickpipes_ssh_key": "PipeSshKey",
    "query_api_endpoint": "QueryApiEndpoint",
    "saved_query": "SavedQuery",
}


def test_ids_of_objects_of_a_service_begin_with_its_id(tmp_path: Path) -> None:
    """Lists of these objects are those of a service; the scaling of pipes has the id of its service."""
    kinds = (*OF_A_SERVICE, "clickpipe_cdc_infrastructure", "postgres_service")
    content = state(*(resource(f"clickhouse_{each}", "x", instance("1", attributes=SERVICE)) for each in kinds))
    found = {each.kind: each.object_id for each in read_state(state_file(tmp_path, content))}
    assert found == {**dict.fromkeys(OF_A_SERVICE.values(), "s/1"), "PipeCdcScaling": "s", "PostgresService": "1"}


SERVICE = {"service_id": "s"}


TEAM = "65f5e4a3b9e77c0000000001"
OF_THE_PAGE = """# HyperDX Terraform import file
terraform {{
  required_providers {{
    clickhouse = {{
      source = "ClickHouse/clickhouse"
    }}
  }}
}}

provider "clickhouse" {{
  clickstack_endpoint = var.clickstack_endpoint
}}

locals {{
  connection_{connection}_id = "{connection}"
}}

{blocks}
"""


def import_file(folder: Path, ids: dict[str, str], connection: str, team: str) -> Path:
    """Write the file of the page's "Export to Terraform", which names an object after its kind and id."""
    block = '# a name\nimport {{\n  to = clickhouse_clickstack_{kind}.{kind}_{id}\n  id = "{team}{id}"\n}}'
    blocks = "\n\n".join(block.format(kind=kind, id=own_id, team=team) for kind, own_id in ids.items())
    file = folder / "hyperdx-import.tf"
    file.write_text(OF_THE_PAGE.format(connection=connection, blocks=blocks), encoding="utf-8")
    return file


@pytest.mark.parametrize("team", ["", f"{TEAM}/"], ids=["of 2.36", "with the team"])
def test_import_file_of_the_page_is_taken(team: str, existing: Existing, tmp_path: Path) -> None:
    """Its objects get the names that they have on the server; nothing has to leave Terraform's state."""
    sandbox, made = existing
    names = {"dashboard": "dashboard.board[0]", "alert": "alert.many", "saved_search": "saved_search.errors"}
    ids = {kind: made[f"clickstack_{name}"] for kind, name in names.items()}
    file = import_file(tmp_path, {**ids, "source": TEAM}, made["clickstack_connection.main"], team)
    exported = export(sandbox, tmp_path / "out", "yaml", "--from-terraform", str(file))
    found = {(kind.rpartition(":")[2], name) for kind, name, *_ in exported.entries}
    assert found == {("Dashboard", "board"), ("Alert", "many"), ("SavedSearch", "errors")}
    assert "terraform state rm" not in exported.stderr
    assert [*rows(exported.stderr)] == [f"clickhouse_clickstack_source.source_{TEAM}"]
