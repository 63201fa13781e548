"""User-defined functions, their versions and their attachments to services."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import Required, TypedDict

from description.exchange import Exchange
from description.notation import Moment, Uuid

Identifier = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$")]
Positive = Annotated[int, Field(gt=0)]
Runtime = Literal["python3.11", "native"]
Kind = Literal["executable", "executable_pool"]


class Argument(TypedDict):
    name: Identifier
    type: str


class NewVersion(TypedDict, total=False):
    """A new version; omitted properties have their defaults."""

    uploadId: Required[Uuid]
    runtime: Required[Runtime]
    arguments: Required[list[Argument]]
    returnType: Required[str]
    returnName: Identifier | None
    commandReadTimeout: Positive
    commandWriteTimeout: Positive
    sendChunkHeader: bool
    format: str
    sandboxType: Literal["basic", "netenable"]
    sandboxVersion: Literal["v1", "v2", "v3"]
    type: Required[Kind]
    poolSize: Positive | None  # null alone for executable
    maxCommandExecutionTime: Positive | None  # null for executable alone


class Create(NewVersion, total=False):
    functionName: Required[Identifier]


class Function(TypedDict):
    """A version of a function."""

    functionName: str
    version: Positive
    status: Literal["building", "error", "ready"]
    runtime: Runtime
    type: Kind
    arguments: list[Argument]
    returnType: str
    returnName: str | None
    poolSize: Positive | None
    commandReadTimeout: Positive
    commandWriteTimeout: Positive
    maxCommandExecutionTime: Positive | None
    sendChunkHeader: bool
    format: str
    sandboxType: Literal["basic", "netenable"]
    sandboxVersion: Literal["v1", "v2", "v3"]
    error: str | None
    createdAt: Moment
    updatedAt: Moment


class Upload(TypedDict):
    uploadId: Uuid
    uploadUrl: str
    expiresAt: Moment


class Attach(TypedDict, total=False):
    """The version for a service; by default, the latest one that is ready."""

    version: Positive


class Attachment(TypedDict):
    """A function that is attached to a service."""

    functionName: str
    serviceId: Uuid
    status: Literal["deployed", "deprovisioning", "error", "provisioning", "standby"]
    version: Positive


EXCHANGES = {
    "list_user_defined_functions": Exchange(response=list[Function], per_page=100),
    "create_user_defined_function": Exchange(Create, Function, 201),
    "get_user_defined_function": Exchange(response=Function),
    "list_user_defined_function_versions": Exchange(response=list[Function], per_page=100),
    "publish_user_defined_function": Exchange(NewVersion, Function, 201),
    "delete_user_defined_function": Exchange(),
    "delete_user_defined_function_version": Exchange(),
    "create_upload": Exchange(response=Upload, status=201),
    "list_udf_attachments": Exchange(response=list[Attachment], per_page=100),
    "get_udf_attachment": Exchange(response=Attachment),
    "attach_udf": Exchange(Attach, Attachment),
    "detach_udf": Exchange(),
}
