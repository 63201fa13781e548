"""Collections of which each stack of the vendor's has some objects from the start: the same ids in every stack.

So programs and tests can name them. In the interface's dialect there is none of this.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .served import Served
from .state import SELF_HOSTED, SandboxState
from .store import Document

CONNECTION = "65f5e4a3b9e77c001a567800"
LOGS = "65f5e4a3b9e77c001a567801"
TRACES = "65f5e4a3b9e77c001a567802"
METRICS = "65f5e4a3b9e77c001a567803"
CALM = "65f5e4a3b9e77c001a567890"
LOUD = "65f5e4a3b9e77c001a567891"


class Furnished(Served):
    """A collection that a stack has some objects of from the start."""

    def key(self, state: SandboxState, parent: str, id_: str) -> str:
        """Return the id, or for an object of a managed stack that has an id of every stack, the stack and the id."""
        own = f"{parent}:{id_}"
        return own if state.store.get(self.kind, own) is not None else id_

    def furnish(self, state: SandboxState, stack: str, objects: Mapping[str, Mapping[str, Any]]) -> None:
        """Give a stack its objects, by id."""
        for id_, fields in objects.items():
            document: Document = {"id": id_, **self._by_the_server(state, "teamId", "createdAt", "updatedAt"), **fields}
            state.store.put(self.kind, id_ if stack == SELF_HOSTED else f"{stack}:{id_}", document, stack)

    def is_there(self, state: SandboxState, stack: str, id_: Any) -> bool:
        """Tell whether a stack has an object of this id."""
        key = self.key(state, stack, str(id_).lower())
        return state.store.get(self.kind, key, stack) is not None
