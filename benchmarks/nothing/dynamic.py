"""A dynamic provider that does nothing and returns its inputs."""

from __future__ import annotations

import functools
import uuid
from typing import Any

import pulumi
from pulumi.dynamic import CreateResult, ReadResult, ResourceProvider, UpdateResult
from pulumi.dynamic.dynamic import PROVIDER_KEY, serialize_provider


class Nothing(ResourceProvider):
    """Returns its arguments."""

    serialize_as_secret_always = False

    def create(self, props: dict[str, Any]) -> CreateResult:
        """Return the inputs."""
        return CreateResult(uuid.uuid4().hex, dict(props))

    def read(self, id_: str, props: dict[str, Any]) -> ReadResult:
        """Return the state."""
        return ReadResult(id_, dict(props))

    def update(self, _id: str, _olds: dict[str, Any], _news: dict[str, Any]) -> UpdateResult:
        """Return the new inputs."""
        return UpdateResult(dict(_news))


@functools.cache
def serialized() -> str:
    """Return the provider as state stores it."""
    return str(serialize_provider(Nothing()))


class Thing(pulumi.CustomResource):
    """A resource of this provider.

    It is not a `pulumi.dynamic.Resource`, which serializes the provider for each resource, and a program of some 970 of
    them fails with a RecursionError (pulumi 3.272).
    """

    def __init__(self, name: str, properties: dict[str, Any]) -> None:
        super().__init__("pulumi-python:dynamic/nothing:Thing", name, {PROVIDER_KEY: serialized(), **properties})
