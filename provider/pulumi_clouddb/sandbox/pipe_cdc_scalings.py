"""The scaling that the pipes of databases of a service share: there with the first one, and slow to change."""

from __future__ import annotations

from pulumi_clouddb.pipes.api import PipeCdcScalings

from .lifecycle import SERVICES
from .responses import not_found
from .served import Served
from .state import Call, SandboxState
from .store import Document

SIZE = {"replicaCpuMillicores": 2000, "replicaMemoryGb": 8}
BEFORE = "pipe_cdc_scalings_before"
"""What is reported until a change shows, by service."""


class ServedCdcScalings(Served):
    """The scaling of each service that has, or had, a pipe of a database."""

    def get(self, state: SandboxState, call: Call) -> Document:
        """Read the scaling, or refuse a service without one."""
        document = state.store.get(self.kind, self.parent(state, call))
        if document is None:
            raise not_found("CDC scaling")
        return document

    def update(self, state: SandboxState, call: Call) -> Document:
        """Change the scaling; for a while the old one is reported."""
        document, fields = self.get(state, call), self.fields(state, call)
        before = {name: self.shown(state, document)[name] for name in SIZE}
        until = state.clock.now() + state.latency.start
        state.store.put(BEFORE, document["id"], {"size": before, "until": until}, document["id"])
        changed = {**document, **fields}
        state.store.put(self.kind, document["id"], changed)
        return changed

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return what is reported now."""
        before = state.store.get(BEFORE, document["id"])
        shown = before["size"] if before and before["until"] > state.clock.now() else document
        return {name: shown[name] for name in SIZE}

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Give a service its scaling, if it has none."""
        if state.store.get(SERVICES, parent) is None:
            raise not_found("Service")
        if found := state.store.get(self.kind, parent):
            return found
        document = {"id": parent, **SIZE, **fields}
        state.store.put(self.kind, parent, document, parent)
        return document


SERVED = ServedCdcScalings(PipeCdcScalings)
