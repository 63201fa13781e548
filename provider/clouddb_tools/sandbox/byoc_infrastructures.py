"""Infrastructures in cloud accounts of the organization; the organization's record lists them."""

from __future__ import annotations

from collections.abc import Iterator

from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.things.byoc_infrastructures.api import ByocInfrastructures
from pulumi_clouddb.things.byoc_infrastructures.byoc_infrastructure import NEVER_ANSWERED, ByocInfrastructure, ByocState

from .lifecycle import GONE, begin
from .served import Handler, Served
from .state import Call, SandboxState
from .store import Document

DISPLAY_NAME = "displayName"


class ServedInfrastructures(Served):
    """The infrastructures, which have no list operation of their own."""

    def handlers(self) -> Iterator[tuple[str, Handler]]:
        """Yield the handlers of create, update and delete."""
        own = {each.managed.name for each in (self.collection.CREATE, self.collection.UPDATE, self.collection.DELETE)}
        yield from ((name, each) for name, each in super().handlers() if name in own)

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return the validated fields; an update ignores all but the name."""
        fields = super().fields(state, call)
        return {name: fields[name] for name in fields if name == DISPLAY_NAME or call.operation.method == "POST"}

    def create(self, state: SandboxState, call: Call) -> Document:
        """Create an infrastructure, which takes a while."""
        document = super().create(state, call)
        begin(state, document, ByocState.PROVISIONING, ByocState.READY, state.latency.start, self.kind)
        return document

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete an infrastructure, which takes a while."""
        begin(state, self.get(state, call), ByocState.TERMINATED, GONE, state.latency.delete, self.kind)

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add a ready infrastructure."""
        region = str(fields["regionId"])
        cloud = "aws" if region[-2:-1] == "-" else "gcp" if "-" in region else "azure"
        account = {"accountName": f"Account {fields.get('accountId') or 'of ours'}"}
        usual = {"state": ByocState.READY, "cloudProvider": cloud, DISPLAY_NAME: region, **account}
        return super().add(
            state, parent, {**usual, **{name: each for name, each in fields.items() if each is not None}}
        )

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the infrastructure without the fields that responses omit."""
        return {name: value for name, value in document.items() if name not in NEVER_ANSWERED}


SERVED = ServedInfrastructures(ByocInfrastructures, body_of(ByocInfrastructure), regionId="us-east-1")
