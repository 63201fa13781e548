"""Backups and logs of Postgres services: read by functions, and checked before a request."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.registry import FUNCTIONS
from support.sessions import ProviderProcess

BACKUPS, LOGS = FUNCTIONS["listPostgresBackups"], FUNCTIONS["listPostgresLogs"]
CREATED = "2026-01-31T12:00:00Z"
DAY: Mapping[str, object] = {"fromDate": "2026-01-31T00:00:00Z", "toDate": "2026-02-01T00:00:00Z"}


@pytest.fixture
def postgres(sandbox: Sandbox) -> str:
    """A Postgres service that was created at noon."""
    return str(sandbox.add("postgres_services", name="orders", createdAt=CREATED)["id"])


def test_backups_are_listed(postgres: str, process: ProviderProcess) -> None:
    """Each has its key and its time."""
    (backup,) = BACKUPS.call(process, {"postgresServiceId": postgres})["backups"]
    assert (backup["key"].startswith("basebackups_005/"), backup["lastModified"]) == (True, CREATED)


def test_oldest_time_of_a_restore_is_in_state(process: ProviderProcess) -> None:
    """A service that is created has it, and a refresh does not change it."""
    inputs = {"name": "orders", "provider": "gcp", "region": "us-central1", "size": "c4a-standard-4"}
    id_, state = process.create("PostgresService", inputs)
    assert state["earliestRestoreTime"] == state["createdAt"]
    assert process.read("PostgresService", id_, state).state == state


SELECTED: dict[str, tuple[Mapping[str, object], int]] = {
    "a day": ({}, 1),
    "the time itself, in another time zone": ({"fromDate": "2026-01-31T13:00:00+01:00"}, 1),
    "a later time": ({"fromDate": "2026-01-31T12:00:01Z"}, 0),
    "its severity": ({"severity": "LOG"}, 1),
    "another severity": ({"severity": "ERROR"}, 0),
    "a part of its text": ({"bodyContains": "ready to accept"}, 1),
    "a part in other letters": ({"bodyContains": "READY"}, 0),
    "the second page": ({"limit": 1, "offset": 1}, 0),
    "the largest limit, as a float": ({"limit": 2000.0, "sortOrder": "asc"}, 1),
}


@pytest.mark.parametrize(("more", "count"), SELECTED.values(), ids=SELECTED)
def test_log_is_selected(more: Mapping[str, object], count: int, postgres: str, process: ProviderProcess) -> None:
    """The server selects: this package sends each argument."""
    entries = LOGS.call(process, {**DAY, **more, "postgresServiceId": postgres})["entries"]
    assert [each["timestamp"] for each in entries] == [CREATED] * count


def test_newer_severity_is_sent_with_a_warning(postgres: str, process: ProviderProcess) -> None:
    """The vendor may add severities."""
    assert LOGS.call(process, {**DAY, "severity": "TRACE", "postgresServiceId": postgres}) == {"entries": []}
