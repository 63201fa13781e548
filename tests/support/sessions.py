"""Sessions of the provider for a server."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from clouddb_tools.sandbox import SandboxControl
from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.lifecycle import ReadResult
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.values import WireDict

ORGANIZATION = "11111111-2222-4333-8444-555555555555"

NOWHERE = {
    "clouddb:baseUrl": "http://127.0.0.1:9",
    "clouddb:organizationId": ORGANIZATION,
    "clouddb:keyId": "key-id",
    "clouddb:keySecret": "key-secret",
    "clouddb:stackUrl": "http://127.0.0.1:9",
    "clouddb:stackToken": "stack-token",
}
"""All settings that resources need, with an address at which no server listens."""


def config_of(**values: Any) -> ProviderConfig:
    """Return a configuration from wire names, with credentials that are invalid everywhere."""
    usual = {
        "organizationId": ORGANIZATION,
        "keyId": "key-id",
        "keySecret": "key-secret",
        "stackToken": "stack-token",
        "vocabulary": "neutral",
        "pacing": False,
    }
    return ProviderConfig.model_validate({**usual, **values})


def config_for(sandbox: SandboxControl, **values: Any) -> ProviderConfig:
    """Return the configuration of a sandbox."""
    own = {name.removeprefix("clouddb:"): value for name, value in sandbox.config.items()}
    return config_of(**{**own, **values})


class ProviderProcess(Session):
    """A session that records its warnings, and calls the resources' operations by resource name."""

    def __init__(
        self,
        config: ProviderConfig,
        folder: Path,
        *,
        sleep: Callable[[float], None] = time.sleep,
        scope: str = "tests",
        stack: str | None = "tests",
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.warnings: list[str] = []
        super().__init__(
            config,
            scope=scope,
            warn=lambda message, _: self.warnings.append(message),
            folder=folder / "pending",
            runtime=Runtime(sleep),
            stack=stack,
            transport=transport,
        )

    def create(self, resource: str, inputs: WireDict, urn: str = "") -> tuple[str, WireDict]:
        """Check the inputs, which must be valid, and create the object; the default URN is derived from its name."""
        checked = RESOURCES[resource].check(self, inputs)
        assert checked.failures == []
        session = self.for_resource(urn or f"urn:{resource}:{inputs.get('name') or inputs}")
        return lifecycle.create(session, RESOURCES[resource], checked.inputs)

    def read(self, resource: str, id_: str, state: WireDict) -> ReadResult:
        """Read an object, which must exist."""
        _, result = lifecycle.read(self, RESOURCES[resource], id_, state, {})
        assert result is not None
        return result

    def changes(self, resource: str, state: WireDict, inputs: WireDict) -> tuple[str, ...]:
        """Return the names of the properties that an update would change."""
        handler = RESOURCES[resource]
        return handler.diff(state, handler.check(self, inputs).inputs).changed

    def update(self, resource: str, id_: str, state: WireDict, inputs: WireDict) -> WireDict:
        """Check the inputs, which must be valid, and update the object."""
        checked = RESOURCES[resource].check(self, inputs)
        assert checked.failures == []
        return lifecycle.update(self, RESOURCES[resource], id_, state, checked.inputs)

    def delete(self, resource: str, id_: str, state: WireDict) -> None:
        """Delete the object."""
        lifecycle.delete(self, RESOURCES[resource], id_, state)
