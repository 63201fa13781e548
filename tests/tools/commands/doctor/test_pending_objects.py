"""Pending creates whose object was deleted."""

from __future__ import annotations

import os
from typing import Any

import pytest

from clouddb_tools.commands.doctor.pending import check_pending
from clouddb_tools.commands.doctor.situation import Situation
from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.create.pending_files import FOLDER_VARIABLE
from support.sessions import ProviderProcess

PLACE = {"provider": "aws", "region": "us-east-1"}


@pytest.mark.parametrize(
    ("kind", "plural", "inputs"),
    [
        ("Service", "services", {"name": "Orders", **PLACE}),
        ("PostgresService", "postgres_services", {"name": "Orders", **PLACE, "size": "m6gd.large"}),
    ],
)
def test_doctor_reports_a_pending_create_of_a_deleted_database(
    kind: str,
    plural: str,
    inputs: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    sandbox: Sandbox,
    process: ProviderProcess,
) -> None:
    """While the database exists, the next run adopts it; afterwards, the record can be removed."""
    object_id, _ = process.create(kind, inputs, urn=f"urn:pulumi:dev::shop::clouddb:index:{kind}::it")
    monkeypatch.setenv(FOLDER_VARIABLE, str(process.pending.folder))
    for code in ("pending", "pending-gone"):
        situation = Situation(os.environ, "dev", sandbox.config)
        assert [finding.code for finding in check_pending(situation)] == [code]
        situation.close()
        if code == "pending":
            sandbox.remove(plural, object_id)
