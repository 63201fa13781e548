"""User-defined functions, their versions, and the services that have them; all lists have pages with a cursor."""

from __future__ import annotations

import base64
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from itertools import count
from typing import ClassVar

from pulumi_clouddb.client.collection import Collection, identified
from pulumi_clouddb.client.errors import (
    AmbiguousError,
    InvalidResponseError,
    ListNotFoundError,
    RateLimitError,
    ResourceError,
    first_line,
)
from pulumi_clouddb.client.operation import ORGANIZATION, of_vendor
from pulumi_clouddb.client.retries import may_retry, wait_for_retry
from pulumi_clouddb.resource.settled import repeated
from pulumi_clouddb.schema.names import ID, NAME
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.values import WireDict, WireValues, number_of, whole_number

from .attachment import FUNCTION_NAME, SERVICE_ID, AttachmentStatus, UdfAttachment
from .user_defined_function import CODE, CREATED_AT, VERSION, UserDefinedFunction

PATH = ORGANIZATION + "/udfs"
ONE = PATH + "/{functionName}"
VERSIONS = ONE + "/versions"
ATTACHMENTS = ONE + "/attachments"
ATTACHMENT = ATTACHMENTS + "/{serviceId}"
UPLOAD = ORGANIZATION + "/udfUploads/url"

ZIP = "application/zip"
PER_PAGE = 100
_EXECUTABLE = 0o100755 << 16
_MOMENT = (1980, 1, 1, 0, 0, 0)
"""The oldest time that an archive can have for a file."""

_RECORD, _WORDS = "UserDefinedFunction", "the user-defined function"


class UserDefinedFunctions(Collection[UserDefinedFunction]):
    """The user-defined functions of the organization, each in its latest version."""

    model = UserDefinedFunction
    body = body_of(UserDefinedFunction)
    identity: ClassVar[tuple[str, ...]] = (NAME,)
    id_part = "function_name"

    LIST = of_vendor(
        "list_user_defined_functions", "GET", PATH, _RECORD, "list the user-defined functions", per_page=PER_PAGE
    )
    CREATE = of_vendor("create_user_defined_function", "POST", PATH, _RECORD, f"create {_WORDS}", status=201)
    GET = of_vendor("get_user_defined_function", "GET", ONE, _RECORD, f"read {_WORDS}")
    LIST_VERSIONS = of_vendor(
        "list_user_defined_function_versions",
        "GET",
        VERSIONS,
        _RECORD,
        f"list the versions of {_WORDS}",
        per_page=PER_PAGE,
    )
    UPDATE = of_vendor(
        "publish_user_defined_function", "POST", VERSIONS, _RECORD, f"make a version of {_WORDS}", status=201
    )
    DELETE = of_vendor("delete_user_defined_function", "DELETE", ONE, "None", f"delete {_WORDS}")
    DELETE_VERSION = of_vendor(
        "delete_user_defined_function_version",
        "DELETE",
        VERSIONS + "/{version}",
        "None",
        f"delete the version of {_WORDS}",
    )
    CREATE_UPLOAD = of_vendor(
        "create_upload", "POST", UPLOAD, "Upload", "ask where the code is uploaded to", status=201
    )

    def parsed(self, record: WireValues) -> UserDefinedFunction:
        """Return the record of a response; the name of a function is its id."""
        return super().parsed({ID: record.get(NAME), **record})

    def create(self, body: WireValues, what: str) -> tuple[UserDefinedFunction, WireValues]:
        """Upload the code of a body, and send the rest of it.

        Each attempt uploads again.

        Raises:
            InvalidResponseError: The response does not have the version.
        """
        code = {name: body[name] for name in CODE if name in body}
        upload = {"uploadId": self._uploaded(_archive_of(code), what)}
        sent = {**{name: value for name, value in body.items() if name not in CODE}, **upload}
        try:
            result: WireDict = self.call(self.CREATE, None, sent, once=True)
        finally:
            self.invalidate()
        if not isinstance(result.get(NAME), str) or not isinstance(number_of(result.get(VERSION)), int):
            operation = self.CREATE.managed
            raise InvalidResponseError(operation, operation.path, f"returned no version for {what}")
        return self.parsed(result), result

    def delete_version(self, name: str, version: int) -> None:
        """Delete a version that is neither the latest one nor attached to a service.

        Raises:
            ConflictError: It is, or it is still being built.
        """
        self.call(self.DELETE_VERSION, name, version=str(version))

    def _uploaded(self, archive: bytes, what: str) -> str:
        """Upload an archive, and return the id of the upload, which creates nothing else."""
        client, operation = self.api.client, self.CREATE_UPLOAD.managed
        started = client.runtime.monotonic()
        for attempt in count():
            try:
                return repeated(lambda: self._upload(archive))  # an unused address or file does no harm
            except RateLimitError as error:  # that of the API was waited for, but not that of the address
                elapsed = client.runtime.monotonic() - started
                if not may_retry(client.config, operation, error, elapsed, once=False):
                    raise
                refusal = error
            except AmbiguousError as error:
                raise ResourceError(
                    f"could not upload the code of {what}: {first_line(error)}", "Nothing was created. Run again."
                ) from None
            wait_for_retry(client.runtime, refusal, attempt)
        raise AssertionError  # count() does not end

    def _upload(self, archive: bytes) -> str:
        operation, upload = self.CREATE_UPLOAD.managed, self.call(self.CREATE_UPLOAD)
        if not isinstance(upload.get("uploadId"), str) or not isinstance(upload.get("uploadUrl"), str):
            raise InvalidResponseError(operation, operation.path, "returned no address for the upload")
        self.api.client.sender.upload(operation, upload["uploadUrl"], archive, ZIP)
        return str(upload["uploadId"])


class Versions(UserDefinedFunctions):
    """The versions of one user-defined function, whose name is used in place of the service's id.

    A new function of the same name numbers its versions from 1 again, so their ids here include the time of creation.
    """

    identity = (NAME, CREATED_AT)

    LIST = UserDefinedFunctions.LIST_VERSIONS
    CREATE = UserDefinedFunctions.UPDATE

    def parsed(self, record: WireValues) -> UserDefinedFunction:
        """Return the record of a response, with an id that no other version has."""
        return super().parsed({**record, ID: version_id(record.get(NAME), record.get(VERSION), record.get(CREATED_AT))})

    def place_of(self, object_id: str | None) -> dict[str, str | None]:
        """Return the part of a path that names the function."""
        return super().place_of(object_id or self.parent)


def _archive_of(code: WireValues) -> bytes:
    """Return the ZIP archive of the code, by wire name `files` or `archive`; equal code gives equal bytes."""
    if code.get("archive") is not None:
        return base64.b64decode(code["archive"])
    written = BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in sorted((code.get("files") or {}).items()):
            file = zipfile.ZipInfo(name, _MOMENT)
            file.external_attr, file.compress_type = _EXECUTABLE, zipfile.ZIP_DEFLATED
            archive.writestr(file, text)
    return written.getvalue()


def version_id(name: object, version: object, created_at: object) -> str:
    """Return the id of a version."""
    return f"{name}/{whole_number(number_of(version or 0))}/{created_at}"


def attachment_id(function_name: object, service_id: object) -> str:
    """Return the id of an attachment."""
    return f"{function_name}/{str(service_id).lower()}"


class UdfAttachments(Collection[UdfAttachment]):
    """The services that have one function, whose name is used in place of the service's id, or any function."""

    model = UdfAttachment
    body = body_of(UdfAttachment)
    identity = (FUNCTION_NAME, SERVICE_ID)
    id_part = "udf_attachment_id"

    LIST = of_vendor(
        "list_udf_attachments",
        "GET",
        ATTACHMENTS,
        "UdfAttachment",
        "list the services that have the function",
        per_page=PER_PAGE,
    )
    GET = of_vendor("get_udf_attachment", "GET", ATTACHMENT, "UdfAttachment", "read the attachment of the function")
    CREATE = of_vendor("attach_udf", "PUT", ATTACHMENT, "UdfAttachment", "attach the function to the service")
    UPDATE = CREATE
    DELETE = of_vendor("detach_udf", "DELETE", ATTACHMENT, "None", "detach the function from the service")

    def list(self) -> dict[str, UdfAttachment]:
        """Request the attachments of the function, or of all functions of the organization."""
        functions = [self.parent] if self.parent else [*(self.api.of(UserDefinedFunctions).records() or {})]
        return {self.id_of(each): each for name in functions for each in self._of(name)}

    def _of(self, function: str) -> Iterator[UdfAttachment]:
        with suppress(ListNotFoundError):  # the function was deleted since
            listed = self.api.of(UdfAttachments, function).call(self.LIST)
            yield from map(self.parsed, identified(self.list_operation, listed, self.identity))

    def parsed(self, record: WireValues) -> UdfAttachment:
        """Return the record of a response; the function and the service are its id."""
        return super().parsed({**record, ID: attachment_id(record.get(FUNCTION_NAME), record.get(SERVICE_ID))})

    def create(self, body: WireValues, what: str) -> tuple[UdfAttachment, WireValues]:
        """Attach a function to a service; a second request could change what somebody else has attached meanwhile.

        Raises:
            InvalidResponseError: The response does not have the attachment.
        """
        object_id = attachment_id(body[FUNCTION_NAME], body[SERVICE_ID])
        sent = {name: body[name] for name in body if name == VERSION}
        try:
            record = self.parsed(self.call(self.CREATE, object_id, sent, once=True))
        finally:
            self.invalidate()
        if self.id_of(record) != object_id:
            operation = self.CREATE.managed
            raise InvalidResponseError(operation, operation.path, f"returned no id for {what}")
        return record, record.answer

    def place_of(self, object_id: str | None) -> dict[str, str | None]:
        """Return the parts of a path that name the function and the service, which the id of an attachment has."""
        function, _, service = (object_id or "").partition("/")
        return {"function_name": function or self.parent, "service_id": service or None}

    def name_of(self, record: UdfAttachment) -> str | None:
        """Return the function and the service, which one attachment has."""
        return record.id

    def exists(self, record: UdfAttachment) -> bool:
        """Return whether the function is not being detached."""
        return record.status != AttachmentStatus.DEPROVISIONING
