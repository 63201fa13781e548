"""Functions for Python programs: they run in the program itself, under the program's configuration."""

from __future__ import annotations

import functools

import pulumi

from pulumi_clouddb import registry
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.engine.wire.settings import provider_config
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.values import WireDict, WireValues


def call(name: str, arguments: WireValues) -> WireDict:
    """Answer a function such as `getPipe`; arguments and answer carry wire names.

    Raises:
        ConfigError: The configuration cannot be used.
        ResourceError: Arguments are wrong, or the object does not exist.
        ApiError: It could not be read.
    """
    config = provider_config(pulumi.Config("clouddb").get)
    return registry.FUNCTIONS[name].call(_session(config.model_dump_json()), arguments)


@functools.lru_cache(maxsize=4)
def _session(config: str) -> Session:
    """Return the session for a configuration; a program has one, its tests may have several."""
    return Session(ProviderConfig.model_validate_json(config, by_name=True), scope="", warn=pulumi.log.warn)
