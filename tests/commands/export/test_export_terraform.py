"""`clouddb export --from-terraform`: the objects of a state file, and what has no counterpart."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.commands.export.terraform import PARTS, read_state
from pulumi_clouddb.sandbox import Sandbox
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.exported import Exported, export, run
from support.schema import SCHEMA
from support.terraform import PASSWORD, instance, resource, state, whole

Existing = tuple[Sandbox, dict[str, str]]


@pytest.fixture(scope="module")
def existing() -> Iterator[Existing]:
    """A sandbox with one object of each kind in a self-hosted server, a service with a pipe, and their ids."""
    with Sandbox(vocabulary=VocabularyName.CLICKHOUSE) as sandbox:
        service = sandbox.add("services", name="shop", provider="aws", region="us-east-1")["id"]
        made = {"service": service, "pipe": sandbox.add_pipe(service, name="clicks")["id"]}
        sandbox.add_pipe(service, "postgres", name="orders")
        made["postgres"] = sandbox.add("postgres_services", name="Orders")["id"]
        made["office"] = sandbox.add("private_endpoints", endpointId="vpce-1", description="Office")["id"]
        attachment = {"type": "GCP_PSC_SERVICE_ATTACHMENT", "gcpServiceAttachment": "projects/p"}
        made["reach"] = sandbox.add("reverse_private_endpoints", serviceId=service, description="Kafka", **attachment)[
            "id"
        ]
        twice = {"name": "twice", "runtime": "native", "type": "executable", "returnType": "UInt8"}
        sandbox.add("user_defined_functions", **twice, arguments=[])
        sandbox.add("udf_attachments", functionName="twice", serviceId=service)
        made["role"] = sandbox.add("roles", name="Reader")["id"]
        host = "https://db.example.com"
        made["connection"] = sandbox.add("connections", name="main", host=host, username="u")["id"]
        table = {"from": {"databaseName": "otel", "tableName": "logs"}, "connection": made["connection"]}
        read = {"timestampValueExpression": "T", "defaultTableSelectExpression": "T, Body"}
        made["source"] = logs = sandbox.add("sources", **{"name": "logs", "kind": "log", **table, **read})["id"]
        address = "https://hooks.example.com/x"
        made["webhook"] = sandbox.add("webhooks", name="hook", service="generic", url=address)["id"]
        made["search"] = sandbox.add("saved_searches", name="errors", sourceId=logs, where="")["id"]
        line = {"displayType": "line", "sourceId": logs, "select": [{"aggFn": "count"}]}
        tile = {"name": "rows", "x": 0, "y": 0, "w": 6, "h": 3, "config": line}
        board = sandbox.add("dashboards", name="board", tiles=[tile])
        made["dashboard"] = board["id"]
        made["alert"] = sandbox.add(
            "alerts",
            name="many",
            source="tile",
            dashboardId=board["id"],
            tileId=board["tiles"][0]["id"],
            threshold=1,
            interval="5m",
            thresholdType="above",
            channel={"type": "webhook", "webhookId": made["webhook"]},
        )["id"]
        yield sandbox, made


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


def test_its_objects_are_exported_under_its_names(exported: Exported) -> None:
    """With references, and nothing that the state does not manage."""
    assert sorted((kind.rpartition(":")[2], name) for kind, name in exported.entries) == [
        ("Alert", "many"),
        ("Connection", "main"),
        ("Dashboard", "board-0"),
        ("Pipe", "clicks"),
        ("PipeCdcScaling", "size"),
        ("PostgresService", "orders"),
        ("PrivateEndpoint", "office"),
        ("ReversePrivateEndpoint", "kafka"),
        ("Role", "reader"),
        ("SavedSearch", "errors"),
        ("Service", "shop-db-eu"),
        ("Source", "logs"),
        ("UdfAttachment", "twice"),
        ("UserDefinedFunction", "twice"),
        ("Webhook", "hook"),
    ]
    for reference in ('${board0.tileIds["rows"]}', "${board0.id}", "${hook.id}", "${logs.id}", "${shopDbEu.id}"):
        assert reference in exported.program


def test_what_stays_with_terraform_has_its_reason(exported: Exported, existing: Existing) -> None:
    """Each resource without a counterpart is in the table, also one that is not there or only begun."""
    table = rows(exported.said)
    ids = existing[1]
    schedule = table.pop("clickhouse_service_scheduled_scaling.week")
    assert schedule.endswith("remove both from Terraform together; the program sets scalingSchedule")
    names = table.pop("clickhouse_clickpipes_reverse_private_endpoint_custom_private_dns.names")
    assert names.startswith("is a part of ReversePrivateEndpoint here")
    assert table.pop("clickhouse_clickstack_alert.gone") == f"{'0' * 24} is not exported: not found, or omitted above"
    assert table.pop("clickhouse_clickstack_alert.begun").startswith("has no id in the state")
    assert table.pop("clickhouse_clickstack_alert.old") == "is deposed: the next Terraform apply deletes it"
    assert table.keys() == {"clickhouse_clickstack_team.team"}
    assert all(reason.startswith("has no resource in this package") for reason in table.values())
    assert ids["service"] in exported.entries["clouddb:index:Service", "shop-db-eu"]["id"]


def test_terraform_is_let_go_of_what_pulumi_manages(exported: Exported) -> None:
    """By a command that can be pasted."""
    assert "When the preview shows no change, remove the exported objects from Terraform's state:" in exported.said
    assert "and from its configuration. Until then, its plan shows no change." in exported.said
    (command,) = re.findall(r"^  terraform state rm (.*)$", exported.said, re.MULTILINE)
    assert command == " ".join(
        [
            "'module.shop.clickhouse_service.db[\"eu\"]'",
            *(f"clickhouse_clickstack_{each}" for each in ("connection.main", "source.logs", "webhook.hook")),
            "clickhouse_clickstack_saved_search.errors 'clickhouse_clickstack_dashboard.board[0]'",
            "clickhouse_clickstack_alert.many clickhouse_clickpipe.clicks",
            "clickhouse_clickpipes_reverse_private_endpoint.kafka clickhouse_clickpipe_cdc_infrastructure.size",
            "clickhouse_private_endpoint_registration.office clickhouse_postgres_service.orders clickhouse_role.reader",
            "clickhouse_udf.twice clickhouse_udf_attachment.twice",
        ]
    )


def test_nothing_is_changed_and_no_secret_of_the_state_is_written(exported: Exported, existing: Existing) -> None:
    """The state has passwords in plain text."""
    assert {entry.method for entry in existing[0].requests} == {"GET"}
    texts = [file.read_text(encoding="utf-8") for file in exported.folder.iterdir()]
    assert not any(PASSWORD in text for text in [*texts, exported.said])


def test_nothing_refers_to_a_scaling_in_place_of_its_service(existing: Existing, tmp_path: Path) -> None:
    """The scaling has the id of a service that is not in the program, and needs the pipes that would wait for it."""
    sandbox, ids = existing
    only = [each for each in whole(ids)["resources"] if each["name"] in ("clicks", "size", "kafka")]
    file = state_file(tmp_path, state(*only))
    exported = export(sandbox, tmp_path / "out", "yaml", "--from-terraform", str(file))
    assert exported.program.count(ids["service"]) == len(only)
    assert f"Service {ids['service']}: not in this program" in " ".join(exported.said.split())


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
    only = [each for each in whole(existing[1])["resources"] if each["name"] == "team"]
    done = run(existing[0], tmp_path / "out", "--from-terraform", str(state_file(tmp_path, state(*only))))
    assert done.exit_code == 1
    assert "error: there is nothing to export" in done.stderr


def test_the_properties_that_the_table_names_exist() -> None:
    """As inputs of their resource."""
    for owner, name in PARTS.values():
        assert name in SCHEMA["resources"][f"clouddb:index:{owner}"]["inputProperties"]


def test_the_table_tells_which_properties_the_program_sets(tmp_path: Path) -> None:
    """Of objects that have all of them; the others are to be added by hand."""
    night = {"name": "night", "weekdays": [1], "startHourUtc": 22, "endHourUtc": 6, "numReplicas": 2}
    with Sandbox(vocabulary=VocabularyName.CLICKHOUSE) as sandbox, sandbox.management() as http:
        key = {"hasTransparentDataEncryption": True, "transparentDataEncryptionKeyId": "arn:aws:kms:us-east-1:1:key/1"}
        place = {"provider": "aws", "region": "us-east-1"}
        service = sandbox.add("services", name="shop", privateEndpointIds=["vpce-1"], **place, **key)["id"]
        http.post(f"/services/{service}/scalingSchedule", json={"entries": [night]}).raise_for_status()
        http.put(f"/services/{service}/upgradeWindow", json={"weekday": 6, "startHourUtc": 18}).raise_for_status()
        role = sandbox.add("roles", name="Reader", actors=["user/1"])["id"]
        names = {"customPrivateDnsMappings": [{"privateDnsName": "a.example.com"}]}
        attachment = {"type": "GCP_PSC_SERVICE_ATTACHMENT", "gcpServiceAttachment": "projects/p"}
        where = {"serviceId": service, "description": "Kafka"}
        reach = sandbox.add("reverse_private_endpoints", **where, **attachment, **names)["id"]
        content = state(
            resource("clickhouse_service", "shop", instance(service)),
            resource("clickhouse_role", "reader", instance(role)),
            resource(
                "clickhouse_clickpipes_reverse_private_endpoint",
                "kafka",
                instance(reach, attributes={"service_id": service}),
            ),
            *(resource(f"clickhouse_{kind}", "part", instance(service)) for kind in PARTS),
        )
        exported = export(sandbox, tmp_path / "out", "yaml", "--from-terraform", str(state_file(tmp_path, content)))
    reasons = rows(exported.said)
    told = {kind: reasons[f"clickhouse_{kind}.part"].rpartition("; ")[2] for kind in PARTS}
    assert told == {
        kind: f"the program sets {name}"
        if f"{name}:" in exported.program
        else f"add {name} to the program, or it stays unmanaged"
        for kind, (_, name) in PARTS.items()
    }
    assert sum(reason.startswith("the program sets ") for reason in told.values()) == len(PARTS) - 2


def test_a_resource_is_known_by_its_type(tmp_path: Path) -> None:
    """The provider calls each resource as this package does, but pipes, and roles of observability servers."""
    kinds = ("service", "clickstack_saved_search", "clickpipe", "saved_search", "clickstack_service", "clickstack_role")
    content = state(*(resource(f"clickhouse_{kind}", "x", {"attributes": {"id": "1"}}) for kind in kinds))
    found = [each.kind for each in read_state(state_file(tmp_path, content))]
    assert found == ["Service", "SavedSearch", "Pipe", "", "", "StackRole"]
