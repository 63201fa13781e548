"""`clouddb export` of service settings with their own endpoints: backups, query endpoint, schedule, bucket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.declared import Reference
from support.exported import export
from support.read_yaml import read_yaml

ORIGINS = "https://a.example.com, https://b.example.com"
NIGHT = {"name": "night", "weekdays": [1], "startHourUtc": 22, "endHourUtc": 6, "numReplicas": 2}
OF_EACH = ("get_snapshot_configuration", "get_replica_aware_routing", "get_query_endpoint", "get_settings")
READS = (
    *("get_backup_configuration", "get_snapshot_configuration", "get_replica_aware_routing"),
    *("get_query_endpoint", "get_upgrade_window", "get_settings", "get_backup_bucket"),
)

Bodies = dict[str, dict[str, Any]]

SET: dict[str, tuple[Bodies, Bodies]] = {
    "nothing": ({}, {}),
    "the defaults of a service": ({"backupConfiguration": {"backupPeriodInHours": 24}}, {}),
    "one property of the backups": (
        {"backupConfiguration": {"backupRetentionPeriodInHours": 48}},
        {"backupConfiguration": {"backupPeriodInHours": 24, "backupRetentionPeriodInHours": 48}},
    ),
    "backups at a time of the day": (
        {"backupConfiguration": {"backupStartTime": "02:00"}},
        {
            "backupConfiguration": {
                "backupPeriodInHours": 24,
                "backupRetentionPeriodInHours": 24,
                "backupStartTime": "02:00",
            }
        },
    ),
    "no routing by replica": ({"replicaAwareRouting": {"httpEnabled": False}}, {}),
    "routing by replica": (
        {"replicaAwareRouting": {"nativeEnabled": True}},
        {"replicaAwareRouting": {"httpEnabled": False, "nativeEnabled": True}},
    ),
    "an endpoint without roles and keys": ({"serviceQueryEndpoint": {}}, {"queryEndpoint": {}}),
    "an endpoint for a key": (
        {"serviceQueryEndpoint": {"roles": ["sql_console_read_only"], "openApiKeys": ["$key"]}},
        {"queryEndpoint": {"roles": ["sql_console_read_only"], "openApiKeys": [Reference("queries", ("id",))]}},
    ),
    "an endpoint with origins": (
        {"serviceQueryEndpoint": {"allowedOrigins": ORIGINS}},
        {"queryEndpoint": {"allowedOrigins": ORIGINS}},
    ),
    "an upgrade window": (
        {"upgradeWindow": {"weekday": 6, "startHourUtc": 18}},
        {"upgradeWindow": {"weekday": 6, "startHourUtc": 18}},
    ),
    "settings of the engine": (
        {"clickhouseSettings": {"settings": {"compatibility": "24.8", "max_query_size": 1}}},
        {"settings": {"compatibility": "24.8", "max_query_size": "1"}},
    ),
    "a bucket, without its secret": (
        {"backupBucket": {"bucketProvider": "AZURE", "containerName": "c", "connectionString": "canary"}},
        {"backupBucket": {"bucketProvider": "AZURE", "containerName": "c"}},
    ),
    "a schedule": (
        {"scalingSchedule": {"entries": [NIGHT]}},
        {"scalingSchedule": {"entries": [NIGHT]}},
    ),
}
"""Bodies of requests that set the settings, and the properties in the program."""


METHODS = {
    **dict.fromkeys(("backupConfiguration", "replicaAwareRouting", "clickhouseSettings"), "PATCH"),
    "upgradeWindow": "PUT",
}


class Place:
    """A sandbox with a service for each line of the table, and a key that one of them refers to."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.key = sandbox.add_key(name="queries", roles=["developer"])["key"]["id"]
        self.ids = {name: self._service(name, bodies) for name, (bodies, _) in SET.items()}

    def _service(self, name: str, bodies: Bodies) -> str:
        service: str = self.sandbox.add("services", name=name, provider="aws", region="us-east-1")["id"]
        with self.sandbox.management() as http:
            for path, body in bodies.items():
                sent = {part: [self.key] if value == ["$key"] else value for part, value in body.items()}
                http.request(METHODS.get(path, "POST"), f"/services/{service}/{path}", json=sent).raise_for_status()
        return service


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """Services with settings."""
    with Sandbox(vocabulary=VocabularyName.CLICKHOUSE) as sandbox:
        yield Place(sandbox)


def test_exported_services_have_their_settings(place: Place, tmp_path: Path) -> None:
    """Without defaults, and with references to keys."""
    exported = export(place.sandbox, tmp_path / "out", "yaml")
    services = [each for each in read_yaml(exported.program).resources.values() if each.kind == "Service"]
    names = {name for _, expected in SET.values() for name in expected}
    settings = {
        each.properties["name"]: {name: value for name, value in each.properties.items() if name in names}
        for each in services
    }
    assert settings == {name: expected for name, (_, expected) in SET.items()}


def test_export_reads_each_setting_with_one_request(place: Place, tmp_path: Path) -> None:
    """The list contains the schedule, and a secondary service shares the backups of its warehouse."""
    sandbox = place.sandbox
    first = place.ids["nothing"]
    other = sandbox.add(
        "services", name="secondary", provider="aws", region="us-east-1", dataWarehouseId=warehouse(sandbox, first)
    )["id"]
    sandbox.forget_requests()
    try:
        exported = export(sandbox, tmp_path / "out", "yaml", "--kind", "Service", "--id", first, "--id", other)
    finally:
        sandbox.remove("services", other)
    assert [entry.operation for entry in sandbox.requests] == ["list_services", *READS, *OF_EACH]
    assert "warning" not in exported.stderr


def warehouse(sandbox: Sandbox, service: str) -> str:
    """Return the warehouse of a service."""
    with sandbox.management() as http:
        return str(http.get(f"/services/{service}").json()["result"]["dataWarehouseId"])


UNREAD: dict[str, tuple[int, str]] = {
    "a server without these operations": (405, ""),
    "a key without permission": (
        403,
        "warning: queryEndpoint of service 'nothing' ({id}) could not be read, and is left as it is: 403 ",
    ),
    "a server that rejects the request": (400, "could not be read, and is left as it is: 400 "),
}


@pytest.mark.parametrize(("status", "warning"), UNREAD.values(), ids=UNREAD)
def test_export_omits_settings_that_cannot_be_read(status: int, warning: str, place: Place, tmp_path: Path) -> None:
    """The service is exported without them, with a warning if the server rejects the request."""
    sandbox, service = place.sandbox, place.ids["nothing"]
    for operation in READS:
        sandbox.fault(operation, kind="status", status=status, times=9)
    try:
        exported = export(sandbox, tmp_path / "out", "yaml", "--kind", "Service", "--id", service)
    finally:
        sandbox.clear_faults()
    assert ("could not be read" in exported.stderr) is bool(warning)
    assert warning.format(id=service) in exported.stderr
    assert len(read_yaml(exported.program).resources) == 1


def test_export_warns_about_a_key_that_is_not_exported(place: Place, tmp_path: Path) -> None:
    """A query endpoint refers to it by its id."""
    exported = export(place.sandbox, tmp_path / "out", "python", "--kind", "Service")
    note = "# queryEndpoint.openApiKeys[0]: the id of an ApiKey that is not in this program."
    assert note in [line.strip() for line in exported.program.splitlines()]
    assert f"warning: ApiKey {place.key}: not in this program, which refers to it by its id" in exported.stderr


def test_role_of_the_system_is_named_in_a_comment(place: Place, tmp_path: Path) -> None:
    """No warning asks for it, unlike a role of the organization that is not exported."""
    sandbox = place.sandbox
    (developer,) = (id_ for id_, each in sandbox.objects("roles").items() if each["name"] == "Developer")
    custom = sandbox.add("roles", name="Reader", policies=[])["id"]
    invited = sandbox.add("invitations", email="grace@example.com", assignedRoleIds=[developer, custom])["id"]
    member = sandbox.add("members", name="Ada", assignedRoleIds=[developer, custom])["id"]
    exported = export(sandbox, tmp_path / "out", "python", "--id", invited, "--id", member)
    assert [line for line in exported.program.splitlines() if line.startswith("#")][1:] == [
        "# assignedRoleIds[1]: the id of a Role that is not in this program.",
        "# assignedRoleIds[0]: the id of the system role Developer, which no program declares.",
    ] * 2
    assert (custom in exported.stderr, developer in exported.stderr) == (True, False)
