"""Calls to a provider, with what the engine does to their arguments and answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf import struct_pb2
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from pulumi_clouddb.engine.wire import urns
from pulumi_clouddb.engine.wire.codec import Properties, from_struct, to_struct
from pulumi_clouddb.engine.wire.secret import strip

from .paths import ignoring
from .state import Resource
from .values import changed_keys, remark, same


class ProviderError(Exception):
    """A call to the provider failed; the text is what the user sees."""

    @classmethod
    def from_rpc(cls, error: grpc.RpcError) -> ProviderError:
        """Take the message of a failed call."""
        details = error.details() if isinstance(error, grpc.Call) else None
        return cls(str(details or error))


@dataclass(frozen=True)
class Diff:
    """A provider's answer to Diff."""

    changes: bool
    replaces: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    delete_before_replace: bool = False


@dataclass(frozen=True)
class ReadResult:
    """A provider's answer to Read; without an id the object is gone."""

    id: str
    outputs: Properties
    inputs: Properties | None


class Provider:
    """A configured provider that does not take part in previews.

    A host that does not accept secrets gets every value in plain text, and what it answers is marked again by the
    values that went in (plugin/provider_plugin.go: Check by the new inputs, Create and Update by the inputs, Read by
    the old state). Secrets that it marks itself are always kept. In a preview Create and Update are not called: the
    inputs stand for the outputs, and a new object has no id (there too, for hosts without supportsPreview).
    """

    def __init__(self, stub: provider_pb2_grpc.ResourceProviderStub, *, accepts_secrets: bool) -> None:
        self._stub = stub
        self._accepts_secrets = accepts_secrets

    def check(
        self, urn: str, olds: Properties, news: Properties, *, unknowns: bool
    ) -> tuple[Properties, list[tuple[str, str]]]:
        """Let the provider judge inputs; returns them as it wants them, and (property, reason) of each failure."""
        answer = self._call(
            self._stub.Check,
            provider_pb2.CheckRequest(
                urn=urn,
                name=urns.name(urn),
                type=urns.plain_type(urn),
                olds=self._struct(olds, unknowns),
                news=self._struct(news, unknowns),
            ),
        )
        return self._marked(answer.inputs, news), [(each.property, each.reason) for each in answer.failures]

    def diff(self, old: Resource, inputs: Properties, ignored: list[str], *, unknowns: bool) -> Diff:
        """Ask what has changed between an object's state and new inputs.

        A provider that cannot tell leaves it to a comparison of old and new inputs, all keys included, with ignored
        ones set back (deploy/step_generator.go, diffResource).
        """
        answer = self._call(
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
        changes = answer.changes == provider_pb2.DiffResponse.DIFF_SOME
        changed = tuple(answer.diffs)
        if answer.changes == provider_pb2.DiffResponse.DIFF_UNKNOWN:
            before, after = strip(old.inputs), strip(ignoring(inputs, old.inputs, ignored))
            changes, changed = not same(before, after), changed_keys(before, after)
        return Diff(changes, tuple(answer.replaces), changed, answer.deleteBeforeReplace)

    def create(self, urn: str, inputs: Properties, *, preview: bool) -> tuple[str, Properties]:
        """Create an object."""
        if preview:
            return "", dict(inputs)
        request = provider_pb2.CreateRequest(
            urn=urn, name=urns.name(urn), type=urns.plain_type(urn), properties=self._struct(inputs, unknowns=False)
        )
        answer = self._call(self._stub.Create, request)
        if not answer.id:
            raise ProviderError(f"the provider returned no id for {urn}")
        return answer.id, self._marked(answer.properties, inputs)

    def update(self, old: Resource, inputs: Properties, ignored: list[str], *, preview: bool) -> Properties:
        """Bring an object into the form of new inputs."""
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
        """Look at the live object; the provider chooses by the state which of its classes answers."""
        answer = self._call(
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
        new_inputs = self._marked(answer.inputs, inputs) if answer.HasField("inputs") else None
        return ReadResult(answer.id, self._marked(answer.properties, state), new_inputs)

    def delete(self, old: Resource) -> None:
        """Delete an object; the old outputs choose which of the provider's classes does it."""
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

    def _marked(self, answer: struct_pb2.Struct, by: Properties) -> Properties:
        properties = from_struct(answer)
        if not self._accepts_secrets:
            remark(properties, by)
        return properties

    @staticmethod
    def _call(method: Any, request: Any) -> Any:
        try:
            return method(request)
        except grpc.RpcError as error:
            raise ProviderError.from_rpc(error) from None
