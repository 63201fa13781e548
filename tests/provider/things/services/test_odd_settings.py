"""Servers that answer something else than settings: nothing is taken for a setting, or for the lack of one."""

from __future__ import annotations

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import InvalidResponseError
from pulumi_clouddb.things.services.api import Services
from support.sessions import ProviderProcess

ORDERS = {"name": "orders", "provider": "aws", "region": "us-east-1", "settings": {"max_query_size": "1"}}
WHY = "answered settings without their names"


def test_a_schema_that_is_none_is_asked_for_again(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The service is in state, with the reason; the next run sends the setting, typed as the schema has it."""
    sandbox.fault("get_settings_schema", "wrong_types")
    service_id, state = process.create("Service", ORDERS)
    assert WHY in state["lastError"]
    assert "settings" not in state
    state = process.update("Service", service_id, state, ORDERS)
    assert "lastError" not in state
    assert process.api.of(Services).settings(service_id) == {"max_query_size": "1"}


def test_settings_that_are_none_are_an_error(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A refresh that took them for no settings would clear what the program says."""
    service_id, state = process.create("Service", ORDERS)
    sandbox.fault("get_settings", "wrong_types")
    with pytest.raises(InvalidResponseError, match=WHY):
        process.read("Service", service_id, state)


def test_warnings_that_are_none_do_not_fail_a_change_that_was_made(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The server has stored the setting by then."""
    service_id, state = process.create("Service", ORDERS)
    sandbox.fault("update_settings", "wrong_types")
    changed = {**ORDERS, "settings": {"compatibility": "26.1"}}
    assert process.update("Service", service_id, state, changed)["settings"] == {"compatibility": "26.1"}
    assert process.api.of(Services).settings(service_id) == {"compatibility": "26.1"}
