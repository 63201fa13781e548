"""Settings of the engine on servers that take them as an object, and on older ones that take JSON in a text."""

from __future__ import annotations

from pathlib import Path

import pytest

from clouddb_tools.sandbox import Release, Sandbox
from pulumi_clouddb.client.errors import ClientError
from support.sessions import ProviderProcess, config_for

ORDERS = {"name": "orders", "provider": "aws", "region": "us-east-1"}
SETTINGS = {"max_query_size": "300000", "compatibility": "25.8"}


def statuses(sandbox: Sandbox) -> list[int | None]:
    """Return the statuses of the updates since the last call."""
    found = [each.status for each in sandbox.logged("update_settings")]
    sandbox.forget_requests()
    return found


@pytest.mark.parametrize("releases", [[*Release], [*Release][::-1]], ids=["upgrade", "downgrade"])
def test_each_release_accepts_what_is_sent(tmp_path: Path, releases: list[Release]) -> None:
    """A refused form is not sent again, and the values show no change after an upgrade or a downgrade."""
    with Sandbox(vocabulary="clickhouse", release=releases[0]) as sandbox:
        process = ProviderProcess(config_for(sandbox), tmp_path)
        id_, state = process.create("Service", {**ORDERS, "settings": SETTINGS})
        assert statuses(sandbox) == ([400, 200] if releases[0] is Release.AUGUST_2026 else [200])
        for release, size in zip((releases[0], releases[1], releases[1]), ("1", "2", "3"), strict=True):
            changed = {**ORDERS, "settings": {**SETTINGS, "max_query_size": size}}
            first = sandbox.state()["release"] != release
            sandbox.set_release(release)
            state = process.read("Service", id_, state).state
            state = process.update("Service", id_, state, changed)
            assert statuses(sandbox) == ([400, 200] if first else [200])
            assert process.changes("Service", process.read("Service", id_, state).state, changed) == ()


@pytest.mark.parametrize("release", Release)
def test_refused_value_is_an_error_of_the_first_form(tmp_path: Path, release: Release) -> None:
    """The error has the reason of the form that the server takes, not that the other form is wrong."""
    with Sandbox(vocabulary="clickhouse", release=release) as sandbox:
        process = ProviderProcess(config_for(sandbox), tmp_path)
        id_, state = process.create("Service", {**ORDERS, "settings": SETTINGS})
        sandbox.fault("update_settings", "status", status=400, text="too large")
        changed = {**ORDERS, "settings": {**SETTINGS, "max_query_size": "7"}}
        with pytest.raises(ClientError, match="too large"):
            process.update("Service", id_, state, changed)
