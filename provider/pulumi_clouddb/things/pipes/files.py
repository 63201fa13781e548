"""The source of a pipe that is files in object storage."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, ClassVar

from pulumi_clouddb.schema.base import Data, Flag, Text, prop
from pulumi_clouddb.schema.check.rules import API, OURS, PAGE, Rule, rule
from pulumi_clouddb.schema.check.wording import doubted, matching
from pulumi_clouddb.schema.usual import RoleArn
from pulumi_clouddb.schema.vendor import only_there, without

from .enums import WORKLOAD_IDENTITY, Compression, FileFormat, ObjectStorageAuthentication, ObjectStorageType
from .shared import IN_TERRAFORM, Shared, fixed, fixed_there, role_in_vain, role_missing

_SQS = r"https://sqs\.[a-z0-9.-]+\.amazonaws\.com/[0-9]{12}/[a-zA-Z0-9._-]+"
_A_QUEUE = "should be a queue `https://sqs.REGION.amazonaws.com/ACCOUNT/NAME`, or `projects/…/subscriptions/…`"
QueueUrl = Annotated[Text, doubted(_A_QUEUE, matching(rf"|{_SQS}|projects/.+/subscriptions/.+"))]
_CONSOLE = r"//([^/]+\.)?(console\.aws\.amazon|(console|storage)\.cloud\.google|portal\.azure)\.com/|\.s3-website[.-]"
_FILES_AT = "`https://BUCKET.s3.REGION.amazonaws.com/PATH/*`"
_NO_FOLDER = doubted("should name files, such as all of a folder by `/*` at its end", without(r"(/|\A\w+://[^/]+)\Z"))
FilesUrl = Annotated[
    Text,
    doubted(f"should begin with a protocol, as {_FILES_AT} does", without(r"\A(?!\w+://|\Z)")),
    doubted(f"should be an address of files, such as {_FILES_AT}, not of a page", without(_CONSOLE)),
    doubted(  # as in ClickHouse/ClickHouse#60890
        "should have no signature, which expires: remove it, and set authentication",
        without(r"(?i)[?&][\w-]*sig(nature)?="),
    ),
    _NO_FOLDER,
]
StoredName = Annotated[
    Text, doubted("should be a name within the storage, without its address and a `/` before it", without(r"\A/|://"))
]
StoredPath = Annotated[StoredName, _NO_FOLDER]
Delimiter = Annotated[Data, doubted("should be one character, such as `;` or a tab", without(r"(?s)\A[^\\]."))]


_COMPRESSED = {"gz": ("gzip", "gz"), "br": ("brotli", "br"), "xz": ("xz", "LZMA"), "zst": ("zstd",)}
_WRITTEN: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("csv", "tsv"), ("CSV", "CSVWithNames", "TabSeparated", "TabSeparatedWithNames")),
    **dict.fromkeys(("json", "jsonl", "ndjson"), ("JSONEachRow", "JSONAsObject")),
    "parquet": ("Parquet",),
    "avro": ("Avro",),
}
_STORES: Mapping[str, str] = {"amazonaws.com/": "s3", "s3://": "s3", ".core.windows.net/": "azureblobstorage"}
"""The compression and the format of a file by the end of its name, and the type of storage by parts of its address."""


def _files_of(source: ObjectStorageSource) -> str:
    return str(source.path or source.url or "")


def _compressed_otherwise(source: ObjectStorageSource) -> str | None:
    known = _COMPRESSED.get(_files_of(source).rpartition(".")[2], ())
    return f": write auto or {known[0]}" if known and source.compression not in (None, "auto", *known) else None


def _written_otherwise(source: ObjectStorageSource) -> str | None:
    *_, last, end = ("", "", *_files_of(source).split("."))
    known = _WRITTEN.get(last if end in _COMPRESSED else end, ())
    return f": write {known[0]}" if known and source.format in {*FileFormat}.difference(known) else None


def _stored_elsewhere(source: ObjectStorageSource) -> str | None:
    if source.type == "azureblobstorage" and source.url:
        return ": for azureblobstorage, write azureContainerName and path instead"
    type_ = next((type_ for part, type_ in _STORES.items() if part in (source.url or "")), source.type)
    return f", not of {source.type}: its type is {type_}" if source.type not in (None, type_) else None


def _single_file(source: ObjectStorageSource) -> bool:
    files = _files_of(source)
    return bool(files and source.is_continuous) and not source.queue_url and not re.search(r"[*?{\[]|/\Z", files)


def _queue_of_others(source: ObjectStorageSource) -> str | None:
    queue, other = source.queue_url or "", {"s3": "projects/", "gcs": "https://"}.get(str(source.type), "-")
    if queue.startswith(other) or queue.endswith(".fifo"):
        return ": for s3 a standard queue of SQS, for gcs a subscription of Pub/Sub"
    regions = [re.findall(r"\b(?:s3|sqs)[.-]([a-z-]+-\d)\.amazonaws", each or "") for each in (queue, source.url)]
    return f", in {regions[1][0]}" if all(regions) and regions[0] != regions[1] else None


_AUTHENTICATION = API("ClickPipePostObjectStorageSource.authentication")


class ObjectStorageSource(Shared):
    """Source variant: files in object storage."""

    RULES: ClassVar[tuple[Rule[ObjectStorageSource], ...]] = (
        rule(
            lambda source: source.authentication,
            f"`{WORKLOAD_IDENTITY}` needs type gcs",
            lambda source: source.authentication == WORKLOAD_IDENTITY and source.type != ObjectStorageType.GCS,
            source=_AUTHENTICATION,
        ),
        rule(
            lambda source: source.authentication,
            "`IAM_ROLE` is not for type gcs: write IAM_USER or SERVICE_ACCOUNT",
            lambda source: (source.authentication, source.type) == ("IAM_ROLE", "gcs"),
            source=_AUTHENTICATION,
        ),
        rule(
            lambda source: source.authentication,
            "`SERVICE_ACCOUNT` needs type gcs",
            lambda source: source.authentication == "SERVICE_ACCOUNT" and source.type not in (None, "gcs"),
            source=_AUTHENTICATION,
        ),
        rule(
            lambda source: source.authentication,
            "`IAM_ROLE` is for type s3",
            lambda source: source.authentication == "IAM_ROLE" and source.type not in (None, "s3", "gcs"),
            warns=True,
            source=_AUTHENTICATION,
        ),
        rule(
            lambda source: source.azure_container_name,
            "should be given for type azureblobstorage",
            lambda source: source.type == "azureblobstorage" and not source.azure_container_name,
            warns=True,
            source=API("ClickPipePostObjectStorageSource.azureContainerName"),
        ),
        rule(
            lambda source: source.queue_url,
            "has no effect without isContinuous: true and authentication: queues are not for public files",
            lambda source: not source.is_continuous or source.authentication is None,
            given=lambda source: source.queue_url or None,
            warns=True,
            source=API("ClickPipePostObjectStorageSource.queueUrl"),
        ),
        rule(
            lambda source: source.queue_url,
            "is for types s3 and gcs",
            lambda source: source.type not in ("s3", "gcs"),
            given=lambda source: source.queue_url or None,
            warns=True,
            source=IN_TERRAFORM,
        ),
        rule(
            lambda source: source.queue_url,
            "should be a queue that the bucket can write to",
            _queue_of_others,
            warns=True,
            source=PAGE(
                "https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-event-types-and-destinations.html"
            ),
        ),
        rule(
            lambda source: source.skip_initial_load,
            "has no effect without queueUrl: nothing would be read",
            lambda source: source.skip_initial_load is True and not source.queue_url,
            warns=True,
            source=API("ClickPipePostObjectStorageSource.skipInitialLoad"),
        ),
        rule(
            lambda source: source.start_after,
            "must be left out if skipInitialLoad is true",
            lambda source: source.skip_initial_load is True and bool(source.start_after),
            source=API("ClickPipePostObjectStorageSource.startAfter"),
        ),
        rule(
            lambda source: source.url,
            "should be an address of its type",
            _stored_elsewhere,
            warns=True,
            source=IN_TERRAFORM,
        ),
        rule(
            lambda source: source.compression,
            "should be that of the files",
            _compressed_otherwise,
            warns=True,
            source=OURS,
        ),
        rule(lambda source: source.format, "should be that of the files", _written_otherwise, warns=True, source=OURS),
        rule(
            lambda source: source.is_continuous,
            "should not be true for one file: write a wildcard such as `*` in its address",
            _single_file,
            warns=True,
            source=OURS,
        ),
        rule(
            lambda source: source.connection_string,
            "must be in `credentials`",
            lambda _: True,
            given=lambda source: source.connection_string,
            source=OURS,
        ),
        role_missing("ClickPipePostObjectStorageSource"),
        role_in_vain("ClickPipePostObjectStorageSource"),
    )

    type: ObjectStorageType | None = fixed_there("Kind of storage.", required=True)
    format: FileFormat | None = fixed_there("Format of the files.", required=True)
    url: FilesUrl | None = fixed("Address of the files; may contain wildcards.")
    delimiter: Delimiter | None = fixed("Delimiter of fields.")
    compression: Compression | None = fixed("Compression.")
    is_continuous: Flag | None = fixed("Whether new files are read continuously.")
    queue_url: QueueUrl | None = fixed("Queue with notifications of new files.")
    skip_initial_load: Flag | None = only_there("Whether only files from the queue are read.")
    start_after: StoredName | None = only_there("File after which the initial load starts.")
    authentication: ObjectStorageAuthentication | None = only_there("Kind of authentication; none for public files.")
    iam_role: RoleArn | None = prop("Role used to read the files.")
    connection_string: Text | None = prop(
        "Connection string; it contains credentials, so programs set it in `credentials`.", secret=True
    )
    path: StoredPath | None = prop("Path of the files in the container, on Azure; may contain wildcards.")
    azure_container_name: StoredName | None = prop("Container, on Azure.")
