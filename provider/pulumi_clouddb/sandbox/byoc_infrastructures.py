"""Infrastructures in accounts of the organization: provisioned for a while, and listed with the organization."""

from __future__ import annotations

from collections.abc import Iterator

from pulumi_clouddb.byoc_infrastructures.api import ByocInfrastructures
from pulumi_clouddb.byoc_infrastructures.byoc_infrastructure import NEVER_ANSWERED, ByocInfrastructure, ByocState
from pulumi_clouddb.schema.thing import body_of

from .lifecycle import GONE, begin
from .served import Handler, Served
from .state import Call, SandboxState
from .store import Document

DISPLAY_NAME = "displayName"


class ServedInfrastructures(Served):
    """The infrastructures; all but their list is served here."""

    def handlers(self) -> Iterator[tuple[str, Handler]]:
        """Yield what creates, changes and deletes one."""
        own = {each.managed.name for each in (self.collection.CREATE, self.collection.UPDATE, self.collection.DELETE)}
        yield from ((name, each) for name, each in super().handlers() if name in own)

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return what the body sets, or refuse it; an update takes the name and drops all else."""
        fields = super().fields(state, call)
        return {name: fields[name] for name in fields if name == DISPLAY_NAME or call.operation.method == "POST"}

    def create(self, state: SandboxState, call: Call) -> Document:
        """Create an infrastructure, which is ready after a while."""
        document = super().create(state, call)
        begin(state, document, ByocState.PROVISIONING, ByocState.READY, state.latency.start, self.kind)
        return document

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete an infrastructure; it is terminated, and gone after a while."""
        begin(state, self.get(state, call), ByocState.TERMINATED, GONE, state.latency.delete, self.kind)

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Make an infrastructure that is ready."""
        region = str(fields["regionId"])
        cloud = "aws" if region[-2:-1] == "-" else "gcp" if "-" in region else "azure"
        account = {"accountName": f"Account {fields.get('accountId') or 'of ours'}"}
        usual = {"state": ByocState.READY, "cloudProvider": cloud, DISPLAY_NAME: region, **account}
        return super().add(
            state, parent, {**usual, **{name: each for name, each in fields.items() if each is not None}}
        )

    def shown(self, state: SandboxState, document: Document) -> Document:  # noqa: ARG002
        """Return the infrastructure without what responses do not have."""
        return {name: value for name, value in document.items() if name not in NEVER_ANSWERED}


SERVED = ServedInfrastructures(ByocInfrastructures, body_of(ByocInfrastructure), regionId="us-east-1")
