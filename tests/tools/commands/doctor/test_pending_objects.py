"""Pending creates whose object somebody has deleted."""

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
def test_a_database_that_is_gone(
    kind: str,
    plural: str,
    inputs: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    sandbox: Sandbox,
    process: ProviderProcess,
) -> None:
    """The record can be removed; while the database exists, the next run adopts it."""
    object_id, _ = process.create(kind, inputs, urn=f"urn:pulumi:dev::shop::clouddb:index:{kind}::it")
    monkeypatch.setenv(FOLDER_VARIABLE, str(process.pending.folder))
    for code in ("pending", "pending-gone"):
        situation = Situation(os.environ, "dev", sandbox.config)
        assert [finding.code for finding in check_pending(situation)] == [code]
        situation.close()
        if code == "pending":
            sandbox.remove(plural, object_id)
