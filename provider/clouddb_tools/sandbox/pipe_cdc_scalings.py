"""The scaling that all database pipes of a service share. It exists from the first pipe on; changes take a while."""

from __future__ import annotations

from pulumi_clouddb.things.pipes.api import PipeCdcScalings

from .lifecycle import SERVICES
from .responses import not_found
from .served import Served
from .state import Call, SandboxState
from .store import Document

SIZE = {"replicaCpuMillicores": 2000, "replicaMemoryGb": 8}
BEFORE = "pipe_cdc_scalings_before"
"""The old scaling that is reported until a change takes effect, by service."""


class ServedCdcScalings(Served):
    """The scaling of each service with a database pipe."""

    def get(self, state: SandboxState, call: Call) -> Document:
        """Read the scaling of a service."""
        document = state.store.get(self.kind, self.parent(state, call))
        if document is None:
            raise not_found("CDC scaling")
        return document

    def update(self, state: SandboxState, call: Call) -> Document:
        """Change the scaling; reads report the old one for a while."""
        document, fields = self.get(state, call), self.fields(state, call)
        before = {name: self.shown(state, document)[name] for name in SIZE}
        until = state.clock.now() + state.latency.start
        state.store.put(BEFORE, document["id"], {"size": before, "until": until}, document["id"])
        changed = {**document, **fields}
        state.store.put(self.kind, document["id"], changed)
        return changed

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the scaling that reads report now."""
        before = state.store.get(BEFORE, document["id"])
        shown = before["size"] if before and before["until"] > state.clock.now() else document
        return {name: shown[name] for name in SIZE}

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add the scaling of a service, if it has none."""
        if state.store.get(SERVICES, parent) is None:
            raise not_found("Service")
        if existing := state.store.get(self.kind, parent):
            return existing
        document = {"id": parent, **SIZE, **fields}
        state.store.put(self.kind, parent, document, parent)
        return document

    def remove(self, state: SandboxState, id_: str) -> None:
        """Remove the scaling; its id is the service's, whose other objects stay."""
        state.store.delete(self.kind, id_)


SERVED = ServedCdcScalings(PipeCdcScalings)
