"""User-defined functions, their uploads and versions. An upload can be used once; building a version takes a while."""

from __future__ import annotations

import base64
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from io import BytesIO
from typing import Any

from pulumi_clouddb.schema.base import Uuid, prop
from pulumi_clouddb.schema.names import NAME
from pulumi_clouddb.schema.thing import body_of, make_model
from pulumi_clouddb.things.user_defined_functions.api import UdfAttachments, UserDefinedFunctions
from pulumi_clouddb.things.user_defined_functions.user_defined_function import (
    CODE,
    VERSION,
    BuildStatus,
    FunctionKind,
    UserDefinedFunction,
)

from .faults import FaultKind
from .lifecycle import begin
from .responses import HTTPError, bad_request, conflict, not_found
from .served import Served
from .settings import to_stamp
from .state import Call, SandboxState
from .store import Document

UPLOADS, ATTACHED = "uploads", UdfAttachments.plural()
STATUS, OLDER, UPLOAD_ID = "status", "older", "uploadId"
UPLOAD_PATH = "/_uploads/"
"""Prefix of the paths of uploads."""
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
    "deterministic": False,
    "memoryLimitMib": None,
}
"""Defaults of a version (OpenAPI: `UdfCreateRequest`)."""
NULLABLE = ("returnName", "poolSize", "maxCommandExecutionTime", "memoryLimitMib")
OF_AUTUMN = ("deterministic", "memoryLimitMib")
"""What only the newest release has."""
_POOL_SIZE = 3
_UPLOADED: dict[str, Any] = {UPLOAD_ID: (Uuid, prop("Upload with the code.", required=True))}
NewFunction = make_model("NewFunction", __base__=body_of(UserDefinedFunction), **_UPLOADED)


class ServedFunctions(Served):
    """The functions of the organization; each record contains its older versions."""

    strict = True

    def list_versions(self, state: SandboxState, call: Call) -> Any:
        """List the versions of a function, newest first."""
        document = self.get(state, call)
        return self.page_of(state, call, [document, *document[OLDER][::-1]])

    def create_upload(self, state: SandboxState, call: Call) -> Document:
        """Return an address for an upload."""
        id_ = state.ids.uuid()
        upload: Document = {"id": id_, "signature": state.ids.text(40), "content": None}
        state.store.put(UPLOADS, id_, upload)
        return {
            UPLOAD_ID: id_,
            "uploadUrl": f"{call.origin.rstrip('/')}{UPLOAD_PATH}{id_}/{upload['signature']}",
            "expiresAt": to_stamp(state.clock.moment() + timedelta(hours=1)),
        }

    def create(self, state: SandboxState, call: Call) -> Document:
        """Create a function and build its first version."""
        fields = self.fields(state, call)
        if self.find(state, "", fields[NAME]) is not None:
            raise conflict(f"UDF {fields[NAME]} already exists")
        return self._built(state, call, self.add(state, "", self._with_code(state, fields)))

    def update(self, state: SandboxState, call: Call) -> Document:
        """Create and build a new version."""
        old = self.get(state, call)
        body = {**(call.body if isinstance(call.body, dict) else {}), "functionName": old[NAME]}
        fields = self.fields(state, replace(call, body=body))
        if old[STATUS] == BuildStatus.BUILDING:
            raise conflict("A concurrent request conflicted with this request")
        old_version = {name: value for name, value in old.items() if name != OLDER}
        now = {"createdAt": state.clock.stamp(), "updatedAt": state.clock.stamp(), "error": None}
        version = {**self._with_code(state, fields), VERSION: old[VERSION] + 1, **now}
        return self._built(state, call, {"id": old["id"], **version, OLDER: [*old[OLDER], old_version]})

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete a function with all its versions and attachments."""
        document = self.get(state, call)
        if document[STATUS] == BuildStatus.BUILDING:
            raise conflict("A UDF version is still building")
        self.remove(state, document["id"])

    def delete_version(self, state: SandboxState, call: Call) -> None:
        """Delete a version that is neither the latest nor attached."""
        document, number = self.get(state, call), call.params["version"]
        others = [each for each in document[OLDER] if str(each[VERSION]) != number]
        attached = [each for each in state.store.all(ATTACHED) if each["functionName"] == document[NAME]]
        if str(document[VERSION]) == number or any(str(each[VERSION]) == number for each in attached):
            raise conflict("The UDF version is the latest version, is attached to a service, or is still building")
        if len(others) == len(document[OLDER]):
            raise not_found("UDF version")
        state.store.put(self.kind, document["id"], {**document, OLDER: others})

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return the validated fields in the neutral dialect, with defaults."""
        body = state.dialect.from_server(self.record, call.body)
        given = body if isinstance(body, dict) else {}
        if not state.is_newest and (newer := [name for name in OF_AUTUMN if name in given]):
            raise bad_request(f"request body.{newer[0]}: is not known")
        return {**USUAL, **self.checked(state, NewFunction, body, nullable=NULLABLE)}

    def add_by_hand(self, state: SandboxState, fields: Document) -> Document:
        """Add a function without validation, except that its name, which is its id, must be text."""
        if not isinstance(fields.get(NAME, ""), str):
            raise bad_request("name must be text")
        return super().add_by_hand(state, fields)

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add a function that is ready."""
        pool = {"poolSize": _POOL_SIZE} if fields.get("type") == FunctionKind.EXECUTABLE_POOL else {}
        usual = {**USUAL, **pool, VERSION: 1, STATUS: BuildStatus.READY, "error": None, OLDER: []}
        without = {*CODE, *(name for name in pool if fields.get(name) is None)}
        given = {name: value for name, value in fields.items() if name not in without}
        return super().add(state, parent, {"id": fields[NAME], **usual, **given})

    def remove(self, state: SandboxState, id_: str) -> None:
        """Remove a function with its attachments."""
        document = state.store.get(self.kind, id_)
        super().remove(state, id_)
        for each in state.store.all(ATTACHED):
            if document and each["functionName"] == document[NAME]:
                state.store.delete(ATTACHED, each["id"])

    def _id_in(self, call: Call) -> str:
        return call.params["functionName"]

    def find(self, state: SandboxState, parent: str, id_: str) -> Document | None:
        """Return the function with this name, which is case-sensitive."""
        return state.store.get(self.kind, id_, parent)

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return a function as responses show it."""
        hidden = ("id", OLDER, "content", *(() if state.is_newest else OF_AUTUMN))
        record = {name: value for name, value in document.items() if name not in hidden}
        if document[STATUS] == BuildStatus.ERROR and not document.get("error"):
            record["error"] = "main.py: the build failed"
        return record

    def _with_code(self, state: SandboxState, fields: Document) -> Document:
        """Return the fields with the code of their upload, which is deleted."""
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


def receive_upload(state: SandboxState, upload_id: str, signature: str, content: bytes) -> bool:
    """Store an upload if its address is valid, and return whether it is."""
    upload = state.store.get(UPLOADS, upload_id)
    if upload is None or upload["signature"] != signature:
        return False
    state.store.put(UPLOADS, upload_id, {**upload, "content": base64.b64encode(content).decode()})
    return True


def code_of(document: Document) -> dict[str, str]:
    """Return the text of each file in a function's archive."""
    with zipfile.ZipFile(BytesIO(base64.b64decode(document["content"]))) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def _is_zip(content: str) -> bool:
    return zipfile.is_zipfile(BytesIO(base64.b64decode(content)))
