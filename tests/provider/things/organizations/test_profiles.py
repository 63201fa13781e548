"""Profiles of services: those of an infrastructure, and none in a region without any."""

from __future__ import annotations

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import FUNCTIONS
from support.sessions import ProviderProcess

PROFILES = FUNCTIONS["listServiceProfiles"]


def test_profiles_of_an_infrastructure(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A region without profiles of its own has an empty list."""
    infrastructure = sandbox.add("byoc_infrastructures", regionId="us-east-1", accountId="1")["id"]
    found = PROFILES.call(process, {"byocId": infrastructure})["serviceProfiles"]
    assert found[0] == {"profile": "v1-standard-byoc-4", "cpuCores": 4, "memoryGi": 16}
    assert PROFILES.call(process, {"regionId": "us-east-1"}) == {"serviceProfiles": []}


def test_region_or_infrastructure_is_needed(process: ProviderProcess) -> None:
    """The error names both, and no request is sent."""
    with pytest.raises(ResourceError, match="or byocId is needed"):
        PROFILES.call(process, {})
