"""A refresh right after a create, on a server whose lists do not contain the object yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.values import WireDict
from support.sessions import ProviderProcess, config_for

HOOK: WireDict = {"name": "On call", "service": "generic", "url": "https://events.example.com/a"}

KEY: WireDict = {"name": "ci"}
ENDPOINT: WireDict = {"endpointId": "vpce-1a2b3c4d", "cloudProvider": "aws", "region": "us-east-1"}
INVITATION: WireDict = {"email": "grace@example.com"}

SUBJECTS = {"Webhook": HOOK, "StackInvitation": INVITATION, "PrivateEndpoint": ENDPOINT, "ApiKey": KEY}
"""A key can be read by its id; the others only in a list, or in the record of the organization."""

LISTS = {"Webhook": "self_hosted_list_webhooks", "StackInvitation": "list_stack_invitations", "ApiKey": "list_keys"}


def next_command(sandbox: Sandbox, folder: Path) -> ProviderProcess:
    """Return another process on the same machine, which has no lists yet."""
    return ProviderProcess(config_for(sandbox), folder)


@pytest.mark.parametrize(("resource", "lists"), LISTS.items(), ids=LISTS)
def test_refresh_keeps_an_object_that_a_list_does_not_contain_yet(
    resource: str, lists: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    """Without it in state, the next `up` would be refused: its name is taken."""
    inputs = SUBJECTS[resource]
    id_, state = next_command(sandbox, tmp_path).create(resource, inputs)
    sandbox.fault(lists, "lag", wait=60.0, seconds=60.0, times=2)
    later = next_command(sandbox, tmp_path)
    assert later.changes(resource, later.read(resource, id_, state).state, inputs) == ()


@pytest.mark.parametrize(("resource", "inputs"), SUBJECTS.items(), ids=SUBJECTS)
def test_refresh_drops_an_object_that_was_deleted_right_after_its_create(
    resource: str, inputs: WireDict, sandbox: Sandbox, tmp_path: Path
) -> None:
    """The lists that follow, one poll interval apart, do not contain it either."""
    process = next_command(sandbox, tmp_path)
    id_, state = process.create(resource, inputs)
    process.delete(resource, id_, state)
    assert lifecycle.read(next_command(sandbox, tmp_path), RESOURCES[resource], id_, state, {}) == (id_, None)
