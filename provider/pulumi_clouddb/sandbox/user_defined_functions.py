"""User-defined functions: an upload is taken once, a version is built for a while, and a service has one version."""

from __future__ import annotations

import base64
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from io import BytesIO
from typing import Any

from pulumi_clouddb.schema.base import Model, Uuid, Whole, prop
from pulumi_clouddb.schema.names import NAME
from pulumi_clouddb.schema.thing import body_of, make_model
from pulumi_clouddb.udfs.api import UdfAttachments, UserDefinedFunctions
from pulumi_clouddb.udfs.attachment import AttachmentStatus
from pulumi_clouddb.udfs.user_defined_function import CODE, VERSION, BuildStatus, FunctionKind, UserDefinedFunction

from .faults import FaultKind
from .lifecycle import GONE, SERVICES, begin
from .pipes import refuse_asleep
from .responses import HTTPError, bad_request, conflict, not_found
from .served import Served
from .settings import to_stamp
from .state import Call, SandboxState
from .store import Document

UPLOADS, ATTACHED = "uploads", UdfAttachments.plural()
STATUS, OLDER, UPLOAD_ID = "status", "older", "uploadId"
PER_PAGE = 100
UPLOAD_PATH = "/_uploads/"
"""Where addresses of uploads begin."""
CREATED = ("create_user_defined_function", "publish_user_defined_function", "create_upload")
"""The operations that answer 201 (openapi)."""
USUAL: Mapping[str, object] = {
    "returnName": None,
    "poolSize": None,
    "commandReadTimeout": 10000,
    "commandWriteTimeout": 10000,
    "maxCommandExecutionTime": 10,
    "sendChunkHeader": False,
    "format": "TabSeparated",
    "sandboxType": "basic",
    "sandboxVersion": "v2",
}
"""What a version has that no request says (openapi: `UdfCreateRequest`)."""
NULLABLE = ("returnName", "poolSize", "maxCommandExecutionTime")
_POOL_SIZE = 3
_UPLOADED: dict[str, Any] = {UPLOAD_ID: (Uuid, prop("Upload with the code.", required=True))}
NewFunction = make_model("NewFunction", __base__=body_of(UserDefinedFunction), **_UPLOADED)


def page_of(found: list[Document], call: Call) -> Document:
    """Return the page of a list that a cursor begins; the cursor is the number of records before it."""
    start = int(call.query.get("cursor") or 0)
    limit = min(int(call.query.get("limit") or PER_PAGE), PER_PAGE)
    following = str(start + limit) if start + limit < len(found) else None
    cursors = {"currentCursor": call.query.get("cursor"), "nextCursor": following}
    return {
        "items": found[start : start + limit],
        "pagination": {"totalRecords": len(found), "limit": limit, **cursors},
    }


class ServedFunctions(Served):
    """The functions of the organization, each with its older versions."""

    def list(self, state: SandboxState, call: Call) -> Any:
        """List the functions, each in its latest version."""
        latest = state.clock.now() - call.hidden_for
        there = [
            document
            for id_, document in state.store.items(self.kind, "")
            if not call.hidden_for or state.store.created_at(self.kind, id_) <= latest
        ]
        return page_of([self._said(state, each) for each in there], call)

    def list_versions(self, state: SandboxState, call: Call) -> Any:
        """List the versions of a function, the latest one first."""
        document = self.get(state, call)
        return page_of([self._said(state, each) for each in (document, *document[OLDER][::-1])], call)

    def create_upload(self, state: SandboxState, call: Call) -> Document:
        """Tell where the code is uploaded to."""
        id_ = state.ids.uuid()
        upload: Document = {"id": id_, "signature": state.ids.text(40), "content": None}
        state.store.put(UPLOADS, id_, upload)
        return {
            UPLOAD_ID: id_,
            "uploadUrl": f"{call.origin.rstrip('/')}{UPLOAD_PATH}{id_}/{upload['signature']}",
            "expiresAt": to_stamp(state.clock.moment() + timedelta(hours=1)),
        }

    def create(self, state: SandboxState, call: Call) -> Document:
        """Create a function, whose first version is built."""
        fields = self.fields(state, call)
        if self.find(state, "", fields[NAME]) is not None:
            raise conflict(f"UDF {fields[NAME]} already exists")
        return self._built(state, call, self.add(state, "", self._without_upload(state, fields)))

    def update(self, state: SandboxState, call: Call) -> Document:
        """Make a version, which is built."""
        old = self.get(state, call)
        body = {**(call.body if isinstance(call.body, dict) else {}), "functionName": old[NAME]}
        fields = self.fields(state, replace(call, body=body))
        if old[STATUS] == BuildStatus.BUILDING:
            raise conflict("A concurrent request conflicted with this request")
        before = {name: value for name, value in old.items() if name != OLDER}
        now = {"createdAt": state.clock.stamp(), "updatedAt": state.clock.stamp(), "error": None}
        made = {
            **self._without_upload(state, fields),
            VERSION: old[VERSION] + 1,
            **now,
        }
        return self._built(state, call, {"id": old["id"], **made, OLDER: [*old[OLDER], before]})

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete a function with all versions; services that have it lose it."""
        document = self.get(state, call)
        if document[STATUS] == BuildStatus.BUILDING:
            raise conflict("A UDF version is still building")
        self.remove(state, document["id"])

    def delete_version(self, state: SandboxState, call: Call) -> None:
        """Delete a version that is neither the latest one nor attached."""
        document, number = self.get(state, call), call.params["version"]
        left = [each for each in document[OLDER] if str(each[VERSION]) != number]
        attached = [each for each in state.store.all(ATTACHED) if each["functionName"] == document[NAME]]
        if str(document[VERSION]) == number or any(str(each[VERSION]) == number for each in attached):
            raise conflict("The UDF version is the latest version, is attached to a service, or is still building")
        if len(left) == len(document[OLDER]):
            raise not_found("UDF version")
        state.store.put(self.kind, document["id"], {**document, OLDER: left})

    # -- parts -----------------------------------------------------------------------------------------------------

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return what a body sets, in the words of the interface, or refuse it."""
        body = state.dialect.from_server(self.record, call.body)
        return {**USUAL, **self.checked(state, NewFunction, body, nullable=NULLABLE)}

    def add_by_hand(self, state: SandboxState, fields: Document) -> Document:
        """Make a function without asking any rule but that its name, which is its id, is text."""
        if not isinstance(fields.get(NAME, ""), str):
            raise bad_request("name must be text")
        return super().add_by_hand(state, fields)

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Make a function that is ready."""
        pool = {"poolSize": _POOL_SIZE} if fields.get("type") == FunctionKind.EXECUTABLE_POOL else {}
        usual = {**USUAL, **pool, VERSION: 1, STATUS: BuildStatus.READY, "error": None, OLDER: []}
        without = {*CODE, *(name for name in pool if fields.get(name) is None)}
        given = {name: value for name, value in fields.items() if name not in without}
        return super().add(state, parent, {"id": fields[NAME], **usual, **given})

    def remove(self, state: SandboxState, id_: str) -> None:
        """Remove a function, and take it from all services."""
        document = state.store.get(self.kind, id_)
        super().remove(state, id_)
        for each in state.store.all(ATTACHED):
            if document and each["functionName"] == document[NAME]:
                state.store.delete(ATTACHED, each["id"])

    def _id_in(self, call: Call) -> str:
        return call.params["functionName"]

    def find(self, state: SandboxState, parent: str, id_: str) -> Document | None:
        """Return the function of a name, whose case means something."""
        return state.store.get(self.kind, id_, parent)

    def shown(self, state: SandboxState, document: Document) -> Document:  # noqa: ARG002
        """Return a function as responses show it; a page is shown already."""
        return document if "items" in document or UPLOAD_ID in document else self._record(document)

    def _record(self, document: Document) -> Document:
        failed = document[STATUS] == BuildStatus.ERROR
        error = {"error": "main.py: the build failed"} if failed and not document.get("error") else {}
        return {
            **{name: value for name, value in document.items() if name not in ("id", OLDER, "content")},
            **error,
        }

    def _said(self, state: SandboxState, document: Document) -> Document:
        said: Document = state.dialect.to_server(self.record, self._record(document))
        return said

    def _without_upload(self, state: SandboxState, fields: Document) -> Document:
        """Return the fields with the code of their upload, which is taken only once."""
        upload = state.store.get(UPLOADS, fields[UPLOAD_ID].lower())
        if upload is None or upload["content"] is None:
            raise HTTPError(410, "The source archive is unavailable")
        state.store.delete(UPLOADS, upload["id"])
        pool = fields["poolSize"] or _POOL_SIZE if fields["type"] == FunctionKind.EXECUTABLE_POOL else None
        code = {"content": upload["content"], "poolSize": pool}
        return {**{name: value for name, value in fields.items() if name != UPLOAD_ID}, **code}

    def _built(self, state: SandboxState, call: Call, document: Document) -> Document:
        operation, now = call.operation.name, state.clock.now()
        fails = state.faults.consume(operation, (FaultKind.FAILED,), now, document) or not _is_zip(document["content"])
        outcome = BuildStatus.ERROR if fails else BuildStatus.READY
        begin(state, document, BuildStatus.BUILDING, outcome, state.latency.start, self.kind, STATUS)
        return document


SERVED = ServedFunctions(
    UserDefinedFunctions,
    name="twice",
    runtime="python3.11",
    type="executable",
    arguments=[{"name": "x", "type": "UInt8"}],
    returnType="UInt8",
)


def receive(state: SandboxState, upload_id: str, signature: str, content: bytes) -> bool:
    """Keep what is sent to an address that `create_upload` has told, and return whether it is one."""
    upload = state.store.get(UPLOADS, upload_id)
    if upload is None or upload["signature"] != signature:
        return False
    state.store.put(UPLOADS, upload_id, {**upload, "content": base64.b64encode(content).decode()})
    return True


def code_of(document: Document) -> dict[str, str]:
    """Return the text of each file of a function's code."""
    with zipfile.ZipFile(BytesIO(base64.b64decode(document["content"]))) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def _is_zip(content: str) -> bool:
    return zipfile.is_zipfile(BytesIO(base64.b64decode(content)))


class NewAttachment(Model):
    """Body of an attachment."""

    version: Whole | None = prop("Version to attach.", ge=1)


class ServedAttachments(Served):
    """The services that have functions."""

    def list(self, state: SandboxState, call: Call) -> Any:
        """List the services that have a function."""
        function = self._function(state, call)
        found = [each for each in state.store.all(self.kind) if each["functionName"] == function[NAME]]
        return page_of([self._record(each) for each in found], call)

    def create(self, state: SandboxState, call: Call) -> Document:
        """Attach a version to a service, in place of the one that it has."""
        function, service_id = self._function(state, call), call.stack.lower()
        if state.store.get(SERVICES, service_id) is None:
            raise not_found("Service")
        refuse_asleep(state, service_id, "UDF attachment")
        old = state.store.get(self.kind, self._id_in(call))
        if old and old[STATUS] in (AttachmentStatus.PROVISIONING, AttachmentStatus.DEPROVISIONING):
            raise conflict("Another attachment transition is in progress")
        number = self.checked(state, NewAttachment, call.body or {}).get(VERSION)
        versions = [function, *function[OLDER]]
        ready = [each[VERSION] for each in versions if each[STATUS] == BuildStatus.READY]
        if number is not None and number not in [each[VERSION] for each in versions]:
            raise not_found("UDF version")
        if (number is None and not ready) or (number is not None and number not in ready):
            raise conflict("The requested version is not ready")
        fields = {"functionName": function[NAME], "serviceId": service_id, VERSION: number or max(ready)}
        document = self.add(state, "", {"id": self._id_in(call), **fields})
        fails = state.faults.consume(call.operation.name, (FaultKind.FAILED,), state.clock.now(), document)
        outcome = AttachmentStatus.ERROR if fails else AttachmentStatus.DEPLOYED
        begin(state, document, AttachmentStatus.PROVISIONING, outcome, state.latency.start, self.kind, STATUS)
        return document

    update = create

    def delete(self, state: SandboxState, call: Call) -> None:
        """Take a function from a service, which takes a while."""
        self._function(state, call)
        document = state.store.get(self.kind, self._id_in(call))
        if document is None:
            raise not_found("UDF attachment")
        if document[STATUS] in (AttachmentStatus.PROVISIONING, AttachmentStatus.DEPROVISIONING):
            raise conflict("An attachment transition is already in progress")
        begin(state, document, AttachmentStatus.DEPROVISIONING, GONE, state.latency.delete, self.kind, STATUS)

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:  # noqa: ARG002
        """Make an attachment."""
        own = f"{fields['functionName']}/{fields['serviceId']}"
        document: Document = {"id": own, VERSION: 1, STATUS: AttachmentStatus.DEPLOYED, **fields}
        state.store.put(self.kind, own, document)
        return document

    def add_by_hand(self, state: SandboxState, fields: Document) -> Document:
        """Make an attachment without asking any rule."""
        return self.add(state, "", {**self.defaults, **fields})

    def _id_in(self, call: Call) -> str:
        return f"{call.params['functionName']}/{call.stack.lower()}"

    def shown(self, state: SandboxState, document: Document) -> Document:  # noqa: ARG002
        """Return an attachment as responses show it; a page is shown already."""
        return document if "items" in document else self._record(document)

    def _record(self, document: Document) -> Document:
        return {name: value for name, value in document.items() if name != "id"}

    def _function(self, state: SandboxState, call: Call) -> Document:
        function = state.store.get(SERVED.kind, call.params["functionName"])
        if function is None:
            raise not_found("UDF")
        return function


SERVED_ATTACHMENTS = ServedAttachments(UdfAttachments, NewAttachment, functionName="twice")
