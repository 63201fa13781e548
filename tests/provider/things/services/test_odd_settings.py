"""Servers that return invalid settings: they mean neither a setting nor the lack of one."""

from __future__ import annotations

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import InvalidResponseError
from pulumi_clouddb.things.services.api import Services
from support.sessions import ProviderProcess

ORDERS = {"name": "orders", "provider": "aws", "region": "us-east-1", "settings": {"max_query_size": "1"}}
REASON = "returned settings without their names"


def test_next_run_reads_an_invalid_schema_again(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The service is in state with the error; the next run sends the setting with the type of the schema."""
    sandbox.fault("get_settings_schema", "wrong_types")
    service_id, state = process.create("Service", ORDERS)
    assert REASON in state["lastError"]
    assert "settings" not in state
    state = process.update("Service", service_id, state, ORDERS)
    assert "lastError" not in state
    assert process.api.of(Services).settings(service_id) == {"max_query_size": "1"}


def test_invalid_settings_are_an_error(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Otherwise a refresh would remove the program's settings."""
    service_id, state = process.create("Service", ORDERS)
    sandbox.fault("get_settings", "wrong_types")
    with pytest.raises(InvalidResponseError, match=REASON):
        process.read("Service", service_id, state)


def test_invalid_warnings_do_not_fail_an_update(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The server has already stored the setting."""
    service_id, state = process.create("Service", ORDERS)
    sandbox.fault("update_settings", "wrong_types")
    changed = {**ORDERS, "settings": {"compatibility": "26.1"}}
    assert process.update("Service", service_id, state, changed)["settings"] == {"compatibility": "26.1"}
    assert process.api.of(Services).settings(service_id) == {"compatibility": "26.1"}
