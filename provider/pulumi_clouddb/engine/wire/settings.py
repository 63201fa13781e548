"""From stack configuration and environment to a checked configuration."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pulumi_clouddb.client.errors import ConfigError
from pulumi_clouddb.schema.check import Failure, failures_of
from pulumi_clouddb.schema.config import ProviderConfig, environment_name, gather
from pulumi_clouddb.schema.redaction import Redactor, remember
from pulumi_clouddb.schema.secret_texts import secrets_of_settings

from .paths import CheckedConfig


def settings_failures(values: Mapping[str, Any]) -> list[Failure]:
    """Return everything that is wrong with a configuration by wire name; no reason quotes a secret of it."""
    redactor = Redactor(secrets_of_settings(values))
    failures = failures_of(CheckedConfig, values)
    return [replace(failure, reason=redactor(failure.reason)) for failure in failures]


def provider_config(stack_config: Callable[[str], Any]) -> ProviderConfig:
    """Return the configuration: `stack_config(name)` for each key, else the environment, else the default.

    Raises:
        ConfigError: A value is not usable; all of them are named.
    """
    values = gather(stack_config, os.environ)
    remember(secrets_of_settings(values))
    failures = settings_failures(values)
    if failures:
        reasons = "; ".join(" ".join(f"clouddb:{failure}".split()) for failure in failures)
        first = failures[0].path.partition(".")[0]
        raise ConfigError(
            f"{reasons}\nSet it with `pulumi config set`, or in the environment as {environment_name(first)}."
        )
    return ProviderConfig.model_validate(values)
