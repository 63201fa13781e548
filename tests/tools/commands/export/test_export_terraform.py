"""`clouddb export --from-terraform`: the objects of a state file, and what has no counterpart."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from clouddb_tools.commands.export.terraform import NONE, PARTS, read_state
from clouddb_tools.sandbox import Sandbox
from codegen.terraform import RESOURCES as OFFICIAL
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.exported import LANGUAGES, Exported, export, run
from support.schema import SCHEMA
from support.terraform import SECRETS, instance, instances, recorded, resource, state, whole

Existing = tuple[Sandbox, dict[str, str]]


@pytest.fixture(scope="module")
def existing() -> Iterator[Existing]:
    """A sandbox with the objects of the recorded state, and their ids by the names that they have there."""
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
        given = next((each for each in system if each["name"] == "Member"), system[0])
        made |= {"role_assignment.member": given["id"], "the system role": given["name"]}
        made["organization_settings.this"] = sandbox.config["clouddb:organizationId"]
        host = "https://db.example.com"
        connection = sandbox.add("connections", name="main", host=host, username="u")["id"]
        table = {"from": {"databaseName": "otel", "tableName": "logs"}, "connection": connection}
        read = {"timestampValueExpression": "T", "defaultTableSelectExpression": "T, Body"}
        logs = sandbox.add("sources", **{"name": "logs", "kind": "log", **table, **read})["id"]
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
        stack |= {"role.analyst": analyst, "saved_search.errors": search, "dashboard.board[0]": board["id"]}
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


def rows(said: str) -> dict[str, str]:
    """Return the table of what stays with Terraform: the reason by the address, both in as many lines as they take."""
    _, _, table = said.partition("Why it stays there")
    found: dict[str, str] = {}
    for row in re.split(r"^[├┡].*$", table.partition("└")[0], flags=re.MULTILINE)[1:]:
        cells = [[cell.strip() for cell in line.split("│")[1:3]] for line in row.strip().splitlines()]
        found["".join(cell for cell, _ in cells)] = " ".join(cell for _, cell in cells if cell)
    return found


@pytest.fixture(scope="module")
def exported(existing: Existing, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    """What is exported of a whole state."""
    folder = tmp_path_factory.mktemp("terraform")
    file = state_file(folder, whole(existing[1]))
    return export(existing[0], folder / "out", "yaml", "--from-terraform", str(file))


def removed(said: str) -> list[str]:
    """Return the addresses in the printed command."""
    (command,) = re.findall(r"^  terraform state rm (.*)$", said, re.MULTILINE)
    return shlex.split(command)


def test_the_recording_has_every_resource_of_the_provider() -> None:
    """As its documentation lists them."""
    assert {each["type"] for _, each, _ in instances(recorded({}))} == {f"clickhouse_{each}" for each in OFFICIAL}


def test_its_objects_are_exported_under_its_names(exported: Exported) -> None:
    """With references, and nothing that the state does not manage."""
    assert sorted((kind.rpartition(":")[2], name) for kind, name in exported.entries) == [
        ("Alert", "many"),
        ("Connection", "main"),
        ("Dashboard", "boards-eu-board-0"),
        ("OrganizationSettings", "this"),
        ("Pipe", "clicks"),
        ("Pipe", "orders"),
        ("PipeCdcScaling", "size"),
        ("PostgresService", "orders"),
        ("PrivateEndpoint", "office"),
        ("ReversePrivateEndpoint", "kafka"),
        ("Role", "reader"),
        ("SavedSearch", "errors"),
        ("Service", "shop-a-b-c"),
        ("Service", "shop-eu"),
        ("Source", "logs"),
        ("StackRole", "analyst"),
        ("UdfAttachment", "echo"),
        ("UserDefinedFunction", "echo"),
        ("Webhook", "cloud"),
        ("Webhook", "ops"),
    ]
    for reference in ('${boardsEuBoard0.tileIds["rows"]}', "${ops.id}", "${logs.id}", "${shopEu.id}", "${office.id}"):
        assert reference in exported.program


STAYS = {
    "clickhouse_clickstack_alert.gone": f"{'0' * 24} is not exported: not found, or omitted above; its configuration "
    "has to name the ids of clickhouse_clickstack_webhook.ops in place of references",
    "clickhouse_clickstack_alert.begun": "has no id in the state: its create failed or is still running",
    "clickhouse_clickstack_alert.old": "is deposed: the next Terraform apply deletes it",
    "clickhouse_clickstack_team.main": f"{NONE}",
    "clickhouse_clickstack_team_member.carol": f"{NONE}; its configuration has to name the ids of "
    "clickhouse_clickstack_role.analyst in place of references",
    "clickhouse_role_assignment.member": "assigns the system role {role}, which no program declares; leave it in "
    "Terraform, or name the role in assignedRoleIds of each Member and ApiKey, and then remove it from Terraform's "
    "state",
}


def test_what_stays_with_terraform_has_its_reason(exported: Exported, existing: Existing) -> None:
    """Each resource without a counterpart is in the table, also one that is not there or only begun."""
    role = existing[1]["the system role"]
    assert rows(exported.stderr) == {address: reason.format(role=role) for address, reason in STAYS.items()}


def test_terraform_is_let_go_of_what_pulumi_manages(exported: Exported, existing: Existing) -> None:
    """By a command that can be pasted, with the keys as Terraform writes them."""
    assert "remove the exported objects, and their parts, from Terraform's state:" in exported.stderr
    assert exported.stderr.rstrip().endswith(
        "and from its configuration. Then run `terraform plan`, and go on only if it shows no changes, or 0 to add and "
        "0 to destroy."
    )
    gone = removed(exported.stderr)
    assert """ 'clickhouse_service.shop["a $${b} '"'"'c'"'"'"]' 'clickhouse_service.shop["eu"]' """ in exported.stderr
    assert 'module.boards["eu"].clickhouse_clickstack_dashboard.board[0]' in gone
    official = [each for _, each, _ in instances(whole(existing[1])) if each["type"] != "random_id"]
    assert len(gone) + len(STAYS) == sum(
        len(each["instances"]) for each in {id(each): each for each in official}.values()
    )


def test_nothing_that_stays_is_destroyed_with_what_leaves(exported: Exported, existing: Existing) -> None:
    """Terraform destroys what has lost its configuration, which is of all that refers to what was deleted from it.

    What the table tells to name ids in has to be edited, all else lives on its own.
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
"""In a state, what others depend on has none."""

IN_PROGRAM = {
    "actors": ("reader", ["user/1", "apiKey/2"]),
    "customPrivateDnsMappings": ("kafka", [{"privateDnsName": "a.example.com"}]),
    "privateEndpointIds": ("shopEu", ["${office.id}"]),
    "scalingSchedule": ("shopEu", {"entries": [NIGHT]}),
    "transparentDataEncryptionKeyId": ("shopEu", KEY),
    "upgradeWindow": ("shopEu", {"weekday": 3, "startHourUtc": 12}),
}


def test_the_parts_of_an_object_are_properties_of_it_in_the_program(exported: Exported) -> None:
    """All of them leave Terraform, which would destroy them on the servers."""
    declared = yaml.safe_load(exported.program)["resources"]
    assert IN_PROGRAM.keys() == {part.name for part in PARTS.values()}
    for name, (variable, value) in IN_PROGRAM.items():
        assert declared[variable]["properties"][name] == value


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_import_manages_the_parts(language: str, existing: Existing, tmp_path: Path) -> None:
    """The import file has what no import by id contains, as other resources can set it as well."""
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


def test_a_part_stays_with_an_object_that_is_not_exported(existing: Existing, tmp_path: Path) -> None:
    """Its service may be in the state of another configuration."""
    sandbox, ids = existing
    only = [each for each in recorded(ids)["resources"] if each["name"] in ("week", "ops")]
    exported = export(sandbox, tmp_path / "out", "yaml", "--from-terraform", str(state_file(tmp_path, state(*only))))
    assert removed(exported.stderr) == ["clickhouse_clickstack_webhook.ops"]
    assert rows(exported.stderr) == {
        "clickhouse_service_scheduled_scaling.week": "is a part of a service that is not exported"
    }


def test_what_terraform_does_not_manage_stays_out_of_the_program(existing: Existing, tmp_path: Path) -> None:
    """Without their parts in the state, other resources may set the actors of a role and the endpoints of a service."""
    sandbox, ids = existing
    only = [each for each in recorded(ids)["resources"] if each["type"] in ("clickhouse_service", "clickhouse_role")]
    exported = export(sandbox, tmp_path / "out", "yaml", "--from-terraform", str(state_file(tmp_path, state(*only))))
    assert "actors:" not in exported.program
    assert "privateEndpointIds:" not in exported.program


KEYS = {
    "plain": ("eu", "eu"),
    "template": ("${a} %{b} $${c}", "$${a} %%{b} $$${c}"),
    "no template": ("$5 100%", "$5 100%"),
    "quote and backslash": ('a"\\', 'a\\"\\\\'),
    "line breaks": ("a\r\n\t", "a\\r\\n\\t"),
    "not printable": ("\u202e\u00a0\x08\U000e0001", "\\u202e\\u00a0\\u0008\\U000e0001"),
    "letters": ("Größe 😀", "Größe 😀"),
}


@pytest.mark.parametrize(("key", "written"), KEYS.values(), ids=KEYS)
def test_a_key_is_written_as_terraform_writes_it(key: str, written: str, tmp_path: Path) -> None:
    """See toHCLQuotedString of its internal/addrs/instance_key.go; another spelling is no address, or another one."""
    content = state(resource("clickhouse_service", "a", instance("1", key)))
    assert read_state(state_file(tmp_path, content))[0].address == f'clickhouse_service.a["{written}"]'


def test_an_endpoint_of_an_older_state_is_found(tmp_path: Path) -> None:
    """Before version 1.0.0 of the provider, `id` was what is now `private_endpoint_id`."""
    content = state(resource("clickhouse_private_endpoint_registration", "office", instance("vpce-1")))
    (found,) = read_state(state_file(tmp_path, content))
    assert (found.kind, found.object_id) == ("PrivateEndpoint", "vpce-1")


def test_nothing_is_changed_and_no_secret_of_the_state_is_written(exported: Exported, existing: Existing) -> None:
    """The state has passwords in plain text."""
    assert {entry.method for entry in existing[0].requests} == {"GET"}
    texts = [file.read_text(encoding="utf-8") for file in exported.folder.iterdir()]
    assert not any(secret in text for secret in SECRETS for text in [*texts, exported.stderr])


def test_nothing_refers_to_a_scaling_in_place_of_its_service(existing: Existing, tmp_path: Path) -> None:
    """The scaling has the id of a service that is not in the program, and needs the pipes that would wait for it."""
    sandbox, ids = existing
    only = [each for each in whole(ids)["resources"] if each["name"] in ("clicks", "size", "kafka")]
    file = state_file(tmp_path, state(*only))
    exported = export(sandbox, tmp_path / "out", "yaml", "--from-terraform", str(file))
    assert exported.program.count(ids["service.shop[eu]"]) == len(only)
    assert f"Service {ids['service.shop[eu]']}: not in this program" in " ".join(exported.stderr.split())


UNREADABLE: dict[str, tuple[Any, str]] = {
    "no JSON": ("{", "is not JSON"),
    "nested deep": ("[" * 100_000, "is not JSON"),
    "instances that are none": (
        {"version": 4, "resources": [5, {"mode": "managed", "type": "clickhouse_service", "instances": None}]},
        "contains no resource of the ClickHouse provider",
    ),
    "no state": ({"resources": []}, "is not a Terraform state of version 4"),
    "an older version": ({"version": 3, "modules": []}, "is not a Terraform state of version 4"),
    "one that is encrypted": ({"version": 4, "encrypted_data": "x"}, "is not a Terraform state of version 4"),
    "another provider": (state(resource("random_id", "x")), "contains no resource of the ClickHouse provider"),
}


@pytest.mark.parametrize(("content", "told"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_is_no_state_is_told(content: Any, told: str, existing: Existing, tmp_path: Path) -> None:
    """With what to do, and before any request."""
    sandbox, _ = existing
    sandbox.forget_requests()
    file = state_file(tmp_path, content)
    done = run(sandbox, tmp_path / "out", "--from-terraform", str(file))
    assert (done.exit_code, sandbox.requests) == (1, [])
    assert f"error: {file} {told}\nWrite the state to a file with `terraform state pull" in done.stderr


def test_a_state_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    """The command line takes files only, which may be gone by then."""
    with pytest.raises(ResourceError, match="cannot be read: Is a directory\nGive the path of a state file"):
        read_state(tmp_path)


def test_a_state_of_other_objects_only_exports_nothing(existing: Existing, tmp_path: Path) -> None:
    """There is nothing to write."""
    only = [
        each for each in whole(existing[1])["resources"] if each["name"] == "main" and each["type"].endswith("team")
    ]
    done = run(existing[0], tmp_path / "out", "--from-terraform", str(state_file(tmp_path, state(*only))))
    assert done.exit_code == 1
    assert "error: there is nothing to export" in done.stderr


def test_the_properties_that_the_table_names_exist() -> None:
    """As inputs of their resource."""
    for owner, name, _ in PARTS.values():
        assert name in SCHEMA["resources"][f"clouddb:index:{owner}"]["inputProperties"]


def test_a_resource_is_known_by_its_type(tmp_path: Path) -> None:
    """The provider calls each resource as this package does, but pipes, and roles of observability servers."""
    kinds = ("service", "clickstack_saved_search", "clickpipe", "saved_search", "clickstack_service", "clickstack_role")
    content = state(*(resource(f"clickhouse_{kind}", "x", {"attributes": {"id": "1"}}) for kind in kinds))
    found = [each.kind for each in read_state(state_file(tmp_path, content))]
    assert found == ["Service", "SavedSearch", "Pipe", "", "", "StackRole"]
