"""The subject of the checks: the settings and their sources, the environment, and the configured servers."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pulumi_clouddb.client.errors import ConfigError, first_line
from pulumi_clouddb.client.needed import NEEDED, missing_settings
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.client.transport import trusted
from pulumi_clouddb.engine.wire.settings import settings_failures
from pulumi_clouddb.schema.base import names_with
from pulumi_clouddb.schema.check.findings import Failure
from pulumi_clouddb.schema.config import NAMESPACE, ProviderConfig, environment_name, gather
from pulumi_clouddb.schema.secrets.masking import secrets_of_settings
from pulumi_clouddb.schema.secrets.redaction import remember
from pulumi_clouddb.schema.values import WireDict

from .servers import Management, SelfHosted, Server

SELF_HOSTED_SETTINGS = tuple(NEEDED[ServerKind.SELF_HOSTED])
"""The required settings of a self-hosted server."""


@dataclass(frozen=True)
class Situation:
    """The subject of the checks.

    Attributes:
        environment: The environment variables.
        stack: The stack whose configuration is checked, or None for the environment alone.
        stack_config: Its configuration by full key, such as `clouddb:keyId`.
        config_error: Why its configuration could not be read; empty if it was.
        plaintext_credentials: The full keys of the credentials that its configuration stores in plain text.
    """

    environment: Mapping[str, str]
    stack: str | None = None
    stack_config: Mapping[str, str] = field(default_factory=dict)
    config_error: str = ""
    plaintext_credentials: Sequence[str] = ()

    @cached_property
    def values(self) -> WireDict:
        """The settings by wire name, not validated."""
        values = gather(lambda name: self.stack_config.get(f"{NAMESPACE}:{name}"), self.environment)
        remember(secrets_of_settings(values))
        return values

    @cached_property
    def failures(self) -> list[Failure]:
        """The validation errors of the settings."""
        return settings_failures(self.values)

    @cached_property
    def config(self) -> ProviderConfig:
        """The configuration without invalid settings."""
        failed = {failure.path.partition(".")[0] for failure in self.failures}
        return ProviderConfig.model_validate({name: self.values[name] for name in self.values if name not in failed})

    @cached_property
    def distrust(self) -> str:
        """Why no certificate authorities can be loaded; empty if they are loaded."""
        try:
            trusted()
        except ConfigError as error:
            return first_line(error)
        return ""

    @cached_property
    def servers(self) -> tuple[Server, ...]:
        """The servers whose settings are complete; none can be reached without certificate authorities."""
        if self.distrust:
            return ()
        given = self.config.model_dump(by_alias=True)
        failed = {failure.path for failure in self.failures}
        found: list[Server] = []
        lacking = missing_settings(self.config, ServerKind.MANAGEMENT, organization=True)
        if not lacking and not failed & {"baseUrl", "vocabulary"}:
            found.append(Management(self.config))
        if all(given[name] for name in SELF_HOSTED_SETTINGS) and "vocabulary" not in failed:
            found.append(SelfHosted(self.config))
        return tuple(found)

    @property
    def management_settings(self) -> list[str]:
        """The required settings of the management API in this dialect."""
        empty = ProviderConfig.model_validate({"vocabulary": self.config.vocabulary})
        return missing_settings(empty, ServerKind.MANAGEMENT, organization=True)

    def to_set(self, name: str, value: str | None = None) -> str:
        """Return the command that sets a setting in the stack's configuration, or else in the environment.

        Args:
            name: Wire name of the setting.
            value: Its value; None for a placeholder that the user replaces.
        """
        secret = name in names_with(ProviderConfig, "secret")
        variable = environment_name(name)
        shown = variable.replace("CLOUDDB_", "YOUR_") if value is None else shlex.quote(value)
        if self.stack is None:
            return f"export {variable}={shown}"
        key = f"{NAMESPACE}:{name}"
        # Pulumi prompts for a secret, which keeps it off the screen and out of the shell's history. Without a flag,
        # it rejects a value that looks like a secret.
        return f"{self.of_stack('set')} {f'--secret {key}' if secret else f'--plaintext {key} {shown}'}"

    def to_remove(self, name: str) -> str:
        """Return the command that removes a setting from the stack's configuration, or else from the environment."""
        if self.stack is None:
            return f"unset {environment_name(name)}"
        return f"{self.of_stack('rm')} {NAMESPACE}:{name}"

    def of_stack(self, command: str) -> str:
        """Return the start of a `pulumi config` command for the stack."""
        return f"pulumi config {command} --stack {shlex.quote(self.stack or '')}"

    @property
    def again(self) -> str:
        """The command that repeats the checks."""
        return f"clouddb doctor --stack {shlex.quote(self.stack)}" if self.stack else "clouddb doctor"

    def close(self) -> None:
        """Close all connections."""
        for server in self.servers:
            server.close()
