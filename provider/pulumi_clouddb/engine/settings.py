"""From stack configuration and environment to a checked configuration."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from pulumi_clouddb.api.errors import ConfigError
from pulumi_clouddb.models.check import failures_of
from pulumi_clouddb.models.config import ProviderConfig, environment_name, gather


def provider_config(stack_config: Callable[[str], Any]) -> ProviderConfig:
    """Return the configuration: `stack_config(name)` for each key, else the environment, else the default.

    Raises:
        ConfigError: A value is not usable; all of them are named.
    """
    values = gather(stack_config, os.environ)
    failures = failures_of(ProviderConfig, values)
    if failures:
        lines = "; ".join(f"clouddb:{failure.path} {failure.reason}" for failure in failures)
        first = failures[0].path.partition(".")[0]
        raise ConfigError(
            f"{lines}\nSet it with `pulumi config set`, or in the environment as {environment_name(first)}."
        )
    return ProviderConfig.model_validate(values)
