"""Calls to a provider, with the engine's conversions of requests and responses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import grpc
from google.protobuf import struct_pb2
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from pulumi_clouddb.engine.wire import urns
from pulumi_clouddb.engine.wire.codec import Properties, from_struct, to_struct
from pulumi_clouddb.engine.wire.secret import strip

from .state import Resource
from .values import changed_keys, covers, differing, ignoring, parse, remark, same


class ProviderError(Exception):
    """A call to the provider failed; the user sees the text."""

    @classmethod
    def from_rpc(cls, error: grpc.RpcError) -> ProviderError:
        """Return an error with the message of a failed call."""
        details = error.details() if isinstance(error, grpc.Call) else None
        return cls(str(details or error))


@dataclass(frozen=True)
class Diff:
    """The result of a provider's Diff.

    Attributes:
        changes: Whether there is a difference.
        replaces: The properties that replace the object.
        changed: The properties that change.
        paths: The paths that change, from the detailed difference.
        delete_before_replace: Whether a replacement deletes the old object first.
    """

    changes: bool
    replaces: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    paths: tuple[tuple[str | int, ...], ...] = ()
    delete_before_replace: bool = False

    def with_option(self, replace_on_changes: Iterable[str]) -> Diff:
        """Return the difference with the option applied (deploy/step_generator.go, applyReplaceOnChanges).

        A path within a property counts only if the difference is detailed.
        """
        changes = [*self.paths, *((name,) for name in self.changed)]
        covered = (str(each[0]) for each in changes for path in replace_on_changes if covers(path, [*each]))
        return replace(self, replaces=tuple(dict.fromkeys([*self.replaces, *covered]))) if self.changes else self


@dataclass(frozen=True)
class ReadResult:
    """The result of a provider's Read; without an id, the object does not exist."""

    id: str
    outputs: Properties
    inputs: Properties | None


class Provider:
    """A configured provider without support for previews.

    A host that does not accept secrets receives plain text, and its results are marked as secret like the values that
    were sent (plugin/provider_plugin.go: Check like the new inputs, Create and Update like the inputs, Read like the
    old state). Secrets in its results are always kept. A preview does not call Create and Update: the outputs are the
    inputs, and a new object has no id (in the same file, for hosts without supportsPreview).
    """

    def __init__(self, stub: provider_pb2_grpc.ResourceProviderStub, *, accepts_secrets: bool) -> None:
        self._stub = stub
        self._accepts_secrets = accepts_secrets

    def check(
        self, urn: str, olds: Properties, news: Properties, *, unknowns: bool
    ) -> tuple[Properties, list[tuple[str, str]]]:
        """Return the checked inputs, and the property and reason of each failure."""
        response = self._call(
            self._stub.Check,
            provider_pb2.CheckRequest(
                urn=urn,
                name=urns.name(urn),
                type=urns.plain_type(urn),
                olds=self._struct(olds, unknowns),
                news=self._struct(news, unknowns),
            ),
        )
        return self._marked(response.inputs, news), [(each.property, each.reason) for each in response.failures]

    def diff(self, old: Resource, inputs: Properties, ignored: list[str], *, unknowns: bool) -> Diff:
        """Return the differences between an object's state and new inputs.

        If the provider returns DIFF_UNKNOWN, the result is a comparison of old and new inputs without ignored changes
        (deploy/step_generator.go, diffResource).
        """
        response = self._call(
            self._stub.Diff,
            provider_pb2.DiffRequest(
                id=old.id,
                urn=old.urn,
                name=old.name,
                type=old.type,
                olds=self._struct(old.outputs, unknowns),
                news=self._struct(inputs, unknowns),
                old_inputs=self._struct(old.inputs, unknowns),
                ignoreChanges=ignored,
            ),
        )
        changes = response.changes == provider_pb2.DiffResponse.DIFF_SOME
        changed = tuple(response.diffs)
        paths = [parse(path) for path in response.detailedDiff]
        if response.changes == provider_pb2.DiffResponse.DIFF_UNKNOWN:
            before, after = strip(old.inputs), strip(ignoring(inputs, old.inputs, ignored))
            changes, changed = not same(before, after), changed_keys(before, after)
            paths = [*differing(before, after)]
        first = response.deleteBeforeReplace
        return Diff(changes, tuple(response.replaces), changed, tuple(map(tuple, paths)), first)

    def create(self, urn: str, inputs: Properties, *, preview: bool) -> tuple[str, Properties]:
        """Create an object."""
        if preview:
            return "", dict(inputs)
        request = provider_pb2.CreateRequest(
            urn=urn, name=urns.name(urn), type=urns.plain_type(urn), properties=self._struct(inputs, unknowns=False)
        )
        response = self._call(self._stub.Create, request)
        if not response.id:
            raise ProviderError(f"the provider returned no id for {urn}")
        return response.id, self._marked(response.properties, inputs)

    def update(self, old: Resource, inputs: Properties, ignored: list[str], *, preview: bool) -> Properties:
        """Update an object to new inputs, and return its outputs."""
        if preview:
            return dict(inputs)
        request = provider_pb2.UpdateRequest(
            id=old.id,
            urn=old.urn,
            name=old.name,
            type=old.type,
            olds=self._struct(old.outputs, unknowns=False),
            news=self._struct(inputs, unknowns=False),
            old_inputs=self._struct(old.inputs, unknowns=False),
            ignoreChanges=ignored,
        )
        return self._marked(self._call(self._stub.Update, request).properties, inputs)

    def read(self, urn: str, id_: str, inputs: Properties, state: Properties) -> ReadResult:
        """Read the real object; the provider selects its class by the state."""
        response = self._call(
            self._stub.Read,
            provider_pb2.ReadRequest(
                id=id_,
                urn=urn,
                name=urns.name(urn),
                type=urns.plain_type(urn),
                properties=self._struct(state, unknowns=False),
                inputs=self._struct(inputs, unknowns=False),
            ),
        )
        new_inputs = self._marked(response.inputs, inputs) if response.HasField("inputs") else None
        return ReadResult(response.id, self._marked(response.properties, state), new_inputs)

    def delete(self, old: Resource) -> None:
        """Delete an object; the provider selects its class by the old outputs."""
        request = provider_pb2.DeleteRequest(
            id=old.id,
            urn=old.urn,
            name=old.name,
            type=old.type,
            properties=self._struct(old.outputs, unknowns=False),
            old_inputs=self._struct(old.inputs, unknowns=False),
        )
        self._call(self._stub.Delete, request)

    def _struct(self, properties: Mapping[str, Any], unknowns: bool) -> struct_pb2.Struct:
        return to_struct(properties, secrets=self._accepts_secrets, unknowns=unknowns)

    def _marked(self, response: struct_pb2.Struct, by: Properties) -> Properties:
        properties = from_struct(response)
        if not self._accepts_secrets:
            remark(properties, by)
        return properties

    @staticmethod
    def _call(method: Any, request: Any) -> Any:
        try:
            return method(request)
        except grpc.RpcError as error:
            raise ProviderError.from_rpc(error) from None
