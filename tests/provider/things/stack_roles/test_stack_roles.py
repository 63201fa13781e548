"""Roles of an observability server: predefined ones cannot be imported, and names are unique."""

from __future__ import annotations

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.stack_roles import PREDEFINED
from lives.life import a_service
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from support.sessions import ProviderProcess

READ = [{"action": "read", "subject": "dashboard"}]


def test_duplicate_name_is_an_error(process: ProviderProcess, sandbox: Sandbox) -> None:
    """No request is sent, and the error names the existing role."""
    role = {"serviceId": a_service(sandbox)["service_id"], "name": "Reader", "permissions": READ}
    id_, _ = process.create("StackRole", role)
    with pytest.raises(ResourceError, match=f"exists already, with the id {id_}"):
        process.create("StackRole", role, urn="urn:other")


def test_predefined_role_is_not_imported(process: ProviderProcess, sandbox: Sandbox) -> None:
    """It cannot be changed or deleted."""
    service_id = a_service(sandbox)["service_id"]
    for id_ in PREDEFINED:
        with pytest.raises(ResourceError, match="is the server's own"):
            lifecycle.read(process, RESOURCES["StackRole"], f"{service_id}/{id_}", {}, {})
