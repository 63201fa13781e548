"""Functions for Python programs: they run in the program itself, under the program's configuration."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import pulumi
from pydantic import BaseModel

from pulumi_clouddb import registry
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.engine.wire.settings import provider_config
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.convert import fields_of
from pulumi_clouddb.schema.public_names import python_name
from pulumi_clouddb.schema.values import WireDict, WireValues


def call(name: str, arguments: WireValues) -> WireDict:
    """Answer a function such as `getPipe`; arguments and answer carry wire names.

    Raises:
        ConfigError: The configuration cannot be used.
        ResourceError: Arguments are wrong, or the object does not exist.
        ApiError: It could not be read.
    """
    config = provider_config(pulumi.Config("clouddb").get)
    function = registry.FUNCTIONS[name]
    return function.call(_session(config.model_dump_json()), _in_wire_names(function.type.inputs, arguments))


def _in_wire_names(model: type[BaseModel], given: WireValues) -> WireDict:
    """Return arguments whose objects have the names of the wire, as the SDK gives those of resources.

    A dict of a program has the names that properties have in Python; one that a class was has those of the wire.
    """
    found = {}
    names = {each: (wire, nested) for wire, _, nested in fields_of(model) for each in (python_name(wire), wire)}
    for name, value in given.items():
        wire, nested = names.get(name, (name, None))
        found[wire] = _each_in_wire_names(nested, value) if nested else value
    return found


def _each_in_wire_names(model: type[BaseModel], value: object) -> object:
    if isinstance(value, Mapping):
        return _in_wire_names(model, value)
    return [_each_in_wire_names(model, each) for each in value] if isinstance(value, list) else value


@functools.lru_cache(maxsize=4)
def _session(config: str) -> Session:
    """Return the session for a configuration; a program has one, its tests may have several."""
    return Session(ProviderConfig.model_validate_json(config, by_name=True), scope="", warn=pulumi.log.warn)
