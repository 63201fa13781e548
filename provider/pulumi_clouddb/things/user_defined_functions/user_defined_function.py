"""User-defined functions: code that runs as a command next to a service, in numbered versions that servers build."""

from __future__ import annotations

import ast
import base64
import binascii
import re
import sys
import zipfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from io import BytesIO
from pathlib import PurePosixPath
from typing import ClassVar, Final
from warnings import catch_warnings, simplefilter

from pulumi_clouddb.schema.base import Answer, Data, FilledText, Flag, Model, Plain, Text, Whole, prop
from pulumi_clouddb.schema.check.rules import API, OURS, PAGE, TF, Rule, rule
from pulumi_clouddb.schema.choice import OpenChoice
from pulumi_clouddb.schema.names import property_name, property_names
from pulumi_clouddb.schema.provisioned import Provisioned
from pulumi_clouddb.schema.resource_type import ResourceType, list_function
from pulumi_clouddb.schema.thing import answered, listed_of, option, ours
from pulumi_clouddb.schema.usual import ClickHouseType
from pulumi_clouddb.schema.vendor import repeated
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

IDENTIFIER = r"^[A-Za-z][A-Za-z0-9_]*$"
LARGEST: Final = 2**31 - 1
"""The description has no upper limit; every client accepts a signed integer of 32 bits."""
MOST_MEMORY_MIB: Final = 2**20
_DEFAULT = "the next version has the server's default"

_PAGE = PAGE("https://clickhouse.com/docs/products/cloud/features/sql-console-features/user-defined-functions")

MAIN = "main.py"


class Runtime(OpenChoice):
    """Runtimes of functions."""

    PYTHON_3_11 = "python3.11", "Python 3.11, which runs `main.py`"
    NATIVE = "native", "an executable for Linux"


class FunctionKind(OpenChoice):
    """How services run the command of a function."""

    EXECUTABLE = "executable", "one process for each query"
    EXECUTABLE_POOL = "executable_pool", "processes that are reused for the next query"


class FunctionSandbox(OpenChoice):
    """Network access of a function."""

    BASIC = "basic", "no access"
    NETENABLE = "netenable", "access to the network"


class FunctionSandboxVersion(OpenChoice):
    """Versions of the sandbox that functions run in."""

    V1 = "v1"
    V2 = "v2"
    V3 = "v3"


class BuildStatus:
    """The states of a version."""

    BUILDING = "building"
    ERROR = "error"
    READY = "ready"


class FunctionArgument(Model):
    """An argument of a function."""

    name: FilledText | None = prop("Name of the argument.", required=True, pattern=IDENTIFIER)
    type: ClickHouseType | None = prop("Type of the argument in ClickHouse, such as `String`.", required=True)


def _outside(function: UserDefinedFunction) -> str | None:
    files: Mapping[str, str] = function.files or {}
    wrong = [
        each for each in files if "\\" in each or {"/", ".."} & {*PurePosixPath(each).parts} or each[-1:] in ("", "/")
    ]
    return f"; not: {', '.join(map(repr, wrong))}" if wrong else None


def _no_main(files: Iterable[str] | None, function: UserDefinedFunction) -> bool:
    return files is not None and function.runtime == Runtime.PYTHON_3_11 and MAIN not in files


def _archived(archive: str | None) -> list[str] | None:
    """Return the paths in an archive; None without one, or if it is none."""
    try:
        return zipfile.ZipFile(BytesIO(base64.b64decode(archive or "", validate=True))).namelist()
    except (binascii.Error, ValueError, zipfile.BadZipFile):
        return None


def _texts(function: UserDefinedFunction, end: str = "") -> dict[str, str]:
    files = function.files or {} if not end or function.runtime == Runtime.PYTHON_3_11 else {}
    return {path: text for path, text in files.items() if isinstance(text, str) and path.endswith(end)}


def _other_than_code(function: UserDefinedFunction) -> str | None:
    for path, text in _texts(function).items():
        suffix = PurePosixPath(path).suffix
        if suffix and text.endswith(suffix) and re.fullmatch(r"[\w./\\:~-]+", text):
            return f"; {path} has a path: write the text of that file"
    code = _texts(function, ".py")
    for path, text in code.items() if sys.version_info >= (3, 11) else ():  # an older one knows less
        with suppress(ValueError, RecursionError, MemoryError), catch_warnings():
            simplefilter("ignore")
            try:
                ast.parse(text)
            except SyntaxError as error:
                return f"; {path} is not Python in line {error.lineno}"
    return None


class UserDefinedFunction(Provisioned):
    """The latest version of a user-defined function (OpenAPI: `UdfCreateRequest`, `Udf`)."""

    RULES: ClassVar[tuple[Rule[UserDefinedFunction], ...]] = (
        rule(
            lambda function: function.pool_size,
            "is for type `executable_pool`",
            lambda function: function.type != FunctionKind.EXECUTABLE_POOL,
            given=lambda function: function.pool_size,
            source=API("UdfCreateRequest.poolSize"),
        ),
        rule(
            lambda function: function.arguments,
            "should each have a name of their own",
            lambda function: repeated(each.name for each in function.arguments or ()),
            warns=True,
            only=CLICKHOUSE,
            source=OURS,
        ),
        rule(
            lambda function: function.files,
            "should have code",
            _other_than_code,
            warns=True,
            only=CLICKHOUSE,
            source=OURS,
        ),
        rule(
            lambda each: each.max_command_execution_time,
            "is for type `executable_pool`",
            lambda each: each.type == FunctionKind.EXECUTABLE,
            given=lambda each: each.max_command_execution_time,
            warns=True,
            only=CLICKHOUSE,
            source=TF("udf.go"),
        ),
        rule(
            lambda each: each.sandbox_type,
            "should be basic for runtime native",
            lambda each: each.sandbox_type not in (None, FunctionSandbox.BASIC) and each.runtime == Runtime.NATIVE,
            warns=True,
            only=CLICKHOUSE,
            source=TF("udf.go"),
        ),
        rule(
            lambda function: function.archive,
            "must be a ZIP archive in Base64",
            lambda function: _archived(function.archive) is None,
            given=lambda function: function.archive,
            source=OURS,
        ),
        rule(
            lambda function: function.archive,
            "must not be given together with files",
            lambda _: True,
            given=lambda function: (function.archive, function.files),
            source=OURS,
        ),
        rule(lambda function: function.files, "must have relative paths with `/`, without `..`", _outside, source=OURS),
        rule(
            lambda function: function.files,
            f"must have {MAIN}, which Python runs",
            lambda function: _no_main(function.files, function),
            source=_PAGE,
        ),
        rule(
            lambda function: function.archive,
            f"must have {MAIN}, which Python runs",
            lambda function: _no_main(_archived(function.archive), function),
            source=_PAGE,
        ),
    )
    READY = "a version is built"
    UNREADY = "Why the function cannot be used; absent if it can."

    name: FilledText | None = prop(
        "Name by which queries call it, with letters, digits and `_`. It must be unique in the organization, and "
        "not the name of a function of the server.",
        required=True,
        replaces=True,
        pattern=IDENTIFIER,
    )
    runtime: Runtime | None = prop("Runtime of its command.", required=True)
    type: FunctionKind | None = prop("How services run its command.", required=True)
    arguments: list[FunctionArgument] | None = prop("Its arguments, in their order.", required=True)
    return_type: ClickHouseType | None = prop("Type of its result in ClickHouse, such as `String`.", required=True)
    return_name: FilledText | None = prop(
        "Name of its result, for formats that name columns.", pattern=IDENTIFIER, taken_out="the result has no name"
    )
    format: FilledText | None = prop("Format of its input and output.", unset=Plain("TabSeparated"), taken_out=_DEFAULT)
    pool_size: Whole | None = prop("Processes in the pool.", ge=1, le=LARGEST, unset=3, taken_out=_DEFAULT)
    command_read_timeout: Whole | None = prop(
        "Milliseconds to wait for its output.", ge=1, le=LARGEST, unset=10000, taken_out=_DEFAULT
    )
    command_write_timeout: Whole | None = prop(
        "Milliseconds to wait until it reads its input.", ge=1, le=LARGEST, unset=10000, taken_out=_DEFAULT
    )
    max_command_execution_time: Whole | None = prop(
        "Longest time of its command, in seconds.", ge=1, le=LARGEST, unset=10, taken_out=_DEFAULT
    )
    send_chunk_header: Flag | None = prop(
        "Whether each chunk of its input begins with the number of rows.", unset=False, taken_out=_DEFAULT
    )
    sandbox_type: FunctionSandbox | None = prop(
        "Network access of the function.", unset=FunctionSandbox.BASIC, taken_out=_DEFAULT
    )
    sandbox_version: FunctionSandboxVersion | None = prop(
        "Version of its sandbox, an output.",
        provider_only=True,
        deprecated="the server chooses it, and requests no longer have it; remove it",
        answer=Answer("Version of its sandbox, which the server chooses."),
    )
    deterministic: Flag | None = prop(
        "Whether equal arguments give an equal result, so that the server may compute it once.",
        unset=False,
        taken_out=_DEFAULT,
    )
    memory_limit_mib: Whole | None = prop(
        "Most memory of its command, in MiB.",
        ge=1,
        le=MOST_MEMORY_MIB,
        unset="that of its sandbox",
        taken_out=_DEFAULT,
    )
    files: dict[str, Data] | None = option(
        "Its code: the text of each file, by its path in the archive. Python runs `main.py`. A change makes a new "
        "version."
    )
    archive: FilledText | None = option(
        "Its code as a ZIP archive, instead of `files`, for example for an executable. A change creates a new version."
    )
    id: Text | None = answered("Name of the function.")
    version: Whole | None = answered("Number of the latest version, for `version` of a `UdfAttachment`.")
    status: Text | None = answered("State of the latest version: `building`, `ready` or `error`.")
    error: Text | None = answered("Why the latest version could not be built.")
    created_at: Text | None = answered("When the latest version was created (ISO-8601).")
    updated_at: Text | None = answered("When the latest version was last changed (ISO-8601).")
    published_version: Whole | None = ours(
        "Number of the version with the program's code. Any other `version` was created by another client."
    )


SANDBOX_VERSION = property_name(UserDefinedFunction, lambda function: function.sandbox_version)
CODE = property_names(UserDefinedFunction, lambda function: (function.files, function.archive))
VERSION = property_name(UserDefinedFunction, lambda function: function.version)
CREATED_AT = property_name(UserDefinedFunction, lambda function: function.created_at)

USER_DEFINED_FUNCTION = ResourceType(
    UserDefinedFunction,
    "A user-defined function of the organization. Its code is uploaded and built. A change of anything but the name "
    "creates a new version; services keep their version until an attachment names another. Built versions are kept, "
    "so that an attachment can return to one; a failed version is deleted after the next one is created. Destroying "
    "the "
    "function deletes all versions, and detaches it from all services.",
    required_outputs=("name", "runtime", "type", "arguments", "returnType", "version", "status"),
    import_id="NAME",
    only=CLICKHOUSE,
    carried=CODE,
)


class OfFunctionArgs(Model):
    """Arguments of the functions that list versions and attachments."""

    name: FilledText = prop("Name of the function.", required=True)


LIST_VERSIONS = list_function(
    "listUserDefinedFunctionVersions",
    "Lists the versions of a user-defined function.",
    OfFunctionArgs,
    "versions",
    listed_of(UserDefinedFunction),
    "Its versions.",
)
