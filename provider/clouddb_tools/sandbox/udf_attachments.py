"""Attachments of user-defined functions to services: a service has at most one version of a function."""

from __future__ import annotations

from typing import Any

from pulumi_clouddb.schema.base import Model, Whole, prop
from pulumi_clouddb.schema.names import NAME
from pulumi_clouddb.things.user_defined_functions.api import UdfAttachments
from pulumi_clouddb.things.user_defined_functions.attachment import AttachmentStatus
from pulumi_clouddb.things.user_defined_functions.user_defined_function import VERSION, BuildStatus

from . import user_defined_functions
from .faults import FaultKind
from .lifecycle import GONE, SERVICES, begin
from .pipes import require_running
from .responses import conflict, not_found
from .served import Served
from .state import Call, SandboxState
from .store import Document
from .user_defined_functions import OLDER, STATUS

_IN_TRANSITION = (AttachmentStatus.PROVISIONING, AttachmentStatus.DEPROVISIONING)


class NewAttachment(Model):
    """Body of an attachment."""

    version: Whole | None = prop("Version to attach.", ge=1)


class ServedAttachments(Served):
    """The attachments of functions to services."""

    strict = True

    def list(self, state: SandboxState, call: Call) -> Any:
        """List the attachments of a function."""
        function = self._function(state, call)
        attachments = [each for each in state.store.all(self.kind) if each["functionName"] == function[NAME]]
        return self.page_of(state, call, attachments)

    def create(self, state: SandboxState, call: Call) -> Document:
        """Attach a version to a service, instead of the version that it has."""
        function, service_id = self._function(state, call), call.stack.lower()
        if state.store.get(SERVICES, service_id) is None:
            raise not_found("Service")
        require_running(state, service_id, "UDF attachment")
        old = state.store.get(self.kind, self._id_in(call))
        if old and old[STATUS] in _IN_TRANSITION:
            raise conflict("Another attachment transition is in progress")
        number = _ready_version(function, self.checked(state, NewAttachment, call.body or {}).get(VERSION))
        fields = {"functionName": function[NAME], "serviceId": service_id, VERSION: number}
        document = self.add(state, "", {"id": self._id_in(call), **fields})
        fails = state.faults.consume(call.operation.name, (FaultKind.FAILED,), state.clock.now(), document)
        outcome = AttachmentStatus.ERROR if fails else AttachmentStatus.DEPLOYED
        begin(state, document, AttachmentStatus.PROVISIONING, outcome, state.latency.start, self.kind, STATUS)
        return document

    update = create

    def delete(self, state: SandboxState, call: Call) -> None:
        """Detach a function from a service, which takes a while."""
        self._function(state, call)
        document = state.store.get(self.kind, self._id_in(call))
        if document is None:
            raise not_found("UDF attachment")
        if document[STATUS] in _IN_TRANSITION:
            raise conflict("An attachment transition is already in progress")
        begin(state, document, AttachmentStatus.DEPROVISIONING, GONE, state.latency.delete, self.kind, STATUS)

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add an attachment."""
        own = f"{fields['functionName']}/{fields['serviceId']}"
        document: Document = {"id": own, VERSION: 1, STATUS: AttachmentStatus.DEPLOYED, **fields}
        state.store.put(self.kind, own, document)
        return document

    def add_by_hand(self, state: SandboxState, fields: Document) -> Document:
        """Add an attachment without validation."""
        return self.add(state, "", {**self.defaults, **fields})

    def _id_in(self, call: Call) -> str:
        return f"{call.params['functionName']}/{call.stack.lower()}"

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return an attachment as responses show it."""
        return {name: value for name, value in document.items() if name != "id"}

    def _function(self, state: SandboxState, call: Call) -> Document:
        function = state.store.get(user_defined_functions.SERVED.kind, call.params["functionName"])
        if function is None:
            raise not_found("UDF")
        return function


SERVED = ServedAttachments(UdfAttachments, NewAttachment, functionName="twice")


def _ready_version(function: Document, number: int | None) -> int:
    """Return a version of a function if it is ready; without a number, the newest one that is.

    Raises:
        HTTPError: There is none, or it is not ready.
    """
    versions = [function, *function[OLDER]]
    ready = [each[VERSION] for each in versions if each[STATUS] == BuildStatus.READY]
    if number is not None and number not in [each[VERSION] for each in versions]:
        raise not_found("UDF version")
    if not ready or number not in (None, *ready):
        raise conflict("The requested version is not ready")
    return max(ready) if number is None else number
