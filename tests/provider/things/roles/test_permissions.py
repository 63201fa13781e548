"""A refused request names the permissions that it needs; with them in a role of the key, it succeeds."""

from __future__ import annotations

import re
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.schema.values import WireDict
from support.front_ends import FrontEnds
from support.grpc_driver import GrpcDriver, HostError

VIEW = "control-plane:service:view"
ANYWHERE = ["organization/*", "instance/*"]

NEEDED: dict[str, tuple[str, WireDict, set[str]]] = {
    "a service": (
        "Service",
        {"name": "Shop", "provider": "aws", "region": "us-east-1"},
        {"control-plane:organization:create-service"},
    ),
    "a role": ("Role", {"name": "Reader", "policies": []}, {"control-plane:organization:manage"}),
}


def role_with(permissions: set[str]) -> WireDict:
    """Return a role that permits an operation on all objects."""
    policy = {"allowDeny": "ALLOW", "permissions": sorted({VIEW, *permissions}), "resources": ANYWHERE}
    return {"name": "Deployer", "policies": [policy]}


@pytest.mark.parametrize(("resource", "inputs", "needed"), NEEDED.values(), ids=NEEDED)
def test_create_succeeds_with_the_permissions_that_its_refusal_names(
    resource: str, inputs: WireDict, needed: set[str], front_ends: FrontEnds
) -> None:
    """They are added to the policies of the key's role, as the message says."""

    def act(driver: GrpcDriver) -> set[str]:
        with Sandbox() as sandbox:
            driver.configure(sandbox.config)
            role = driver.create("Role", role_with(set()))
            key: Any = driver.create("ApiKey", {"name": "ci", "assignedRoleIds": [role.id]}).outputs
            of_key = {"clouddb:keyId": key["accessKeyId"], "clouddb:keySecret": key["keySecret"]}
            driver.configure({**sandbox.config, **of_key})
            with pytest.raises(HostError) as refused:
                driver.create(resource, inputs)
            named = {*re.findall(r"control-plane:[\w:-]*\w", str(refused.value))}
            driver.configure(sandbox.config)
            driver.update("Role", role.id, role.outputs, role_with(named))
            driver.configure({**sandbox.config, **of_key})
            assert driver.create(resource, inputs).id
        return named

    assert front_ends.both(act) == (needed, needed)
