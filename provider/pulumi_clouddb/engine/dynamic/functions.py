"""Functions for Python programs. They run in the program itself, with the stack's configuration."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import pulumi
from pulumi.runtime.mocks import MockMonitor
from pulumi.runtime.settings import get_monitor
from pydantic import BaseModel

from pulumi_clouddb import registry
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.engine.wire.settings import provider_config
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.convert import fields_of
from pulumi_clouddb.schema.public_names import in_python, python_name
from pulumi_clouddb.schema.values import WireDict, WireValues


def call(name: str, arguments: WireValues) -> WireDict:
    """Call a function such as `getPipe`; arguments and result have wire names.

    In a unit test, Pulumi's mocks return the result, as they do for providers that the engine calls.

    Raises:
        ConfigError: A setting is invalid.
        ResourceError: An argument is invalid, or the object does not exist.
        ApiError: The object could not be read.
    """
    function = registry.FUNCTIONS[name]
    given = _in_wire_names(function.type.inputs, arguments)
    if isinstance(get_monitor(), MockMonitor):
        result: WireDict = pulumi.runtime.invoke(f"clouddb:index:{name}", given).value
        return result
    config = provider_config(pulumi.Config("clouddb").get)
    return function.call(_session(config.model_dump_json()), given)


def _in_wire_names(model: type[BaseModel], arguments: WireValues) -> WireDict:
    """Return arguments with wire names, also in the objects in them.

    A dict in a program has Python names; the SDK has already translated instances of its classes.
    """
    names = {each: (wire, nested) for wire, _, nested in fields_of(model) for each in (python_name(wire), wire)}
    translated = {}
    for name, value in arguments.items():
        wire, nested = names.get(name, (name, None))
        translated[wire] = _each_in_wire_names(nested, value) if nested else value
    return translated


def _each_in_wire_names(model: type[BaseModel], value: object) -> object:
    if isinstance(value, Mapping):
        return _in_wire_names(model, value)
    return [_each_in_wire_names(model, each) for each in value] if isinstance(value, list) else value


@functools.lru_cache(maxsize=4)
def _session(config: str) -> Session:
    """Return the session for a configuration; tests of a program may use several."""
    return Session(ProviderConfig.model_validate_json(config, by_name=True), scope="", warn=_warn)


def _warn(message: str, _: str) -> None:
    pulumi.log.warn(in_python(message))
