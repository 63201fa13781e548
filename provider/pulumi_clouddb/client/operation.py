"""Operations: method, path, record, and whether the interface documents them or they are inferred.

Inferred operations follow the vendor's own servers; a server may lack them. The reference pages name them. Paths are
those of the interface; `dialect` translates them to the server's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import ParamSpec

from pulumi_clouddb.schema.config import MANAGEMENT_PREFIX, SELF_HOSTED_PREFIX
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, VocabularyName

ORGANIZATION = MANAGEMENT_PREFIX + "/organizations/{organizationId}"
SERVICE = ORGANIZATION + "/services/{serviceId}"
OBSERVABILITY = SERVICE + "/stack"
JSON = "application/json"

DeclaredP = ParamSpec("DeclaredP")


class ServerKind(str, Enum):
    """Which of the two HTTP APIs; they differ in address, authentication and envelope."""

    MANAGEMENT = "management"
    SELF_HOSTED = "self-hosted"


@dataclass(frozen=True)
class Operation:
    """One HTTP operation.

    Attributes:
        name: Its name here, by which `clouddb:paths` overrides its path.
        method: HTTP method.
        path: Path template of the interface.
        record: The record in its result: Service, ServiceCreated, Pipe, Key, KeyCreated, Dashboard, Alert, Source …
        documented: Whether the interface documents this path; otherwise it is inferred.
        server_kind: The API that has it.
        action: What it does, as in "could not create the service".
        only: The dialect whose servers have it, or None for all.
        shared: Whether all processes of a machine share its result: many poll it, and it contains no secret.
        media: The media type of its response; if that is not JSON, the result is the text.
        per_page: The records on a full page of a list, with the server's default and largest `limit`; None if it is not
            known to have pages. A response that names the cursor of a next page has pages in any case.
        status: The HTTP status of a success, as the vendor describes it; any other success is accepted, too.
        bare: Whether a success has no envelope: its body is a list, on a self-hosted server an object.
    """

    name: str
    method: str
    path: str
    record: str
    action: str
    documented: bool = False
    server_kind: ServerKind = ServerKind.MANAGEMENT
    only: VocabularyName | None = None
    shared: bool = False
    media: str = JSON
    per_page: int | None = None
    status: int = 200
    bare: bool = False

    @property
    def address_setting(self) -> str:
        """The setting with the address of its server, for messages."""
        return "clouddb:stackUrl" if self.server_kind is ServerKind.SELF_HOSTED else "clouddb:baseUrl"

    @property
    def prefix(self) -> str:
        """The prefix of all paths of its server, which the address leaves out."""
        return SELF_HOSTED_PREFIX if self.server_kind is ServerKind.SELF_HOSTED else MANAGEMENT_PREFIX

    @property
    def repeatable(self) -> bool:
        """Whether it can be sent again if the response was lost: reads, full replacements and deletions."""
        return self.method in ("GET", "PUT", "DELETE")

    @property
    def lists(self) -> bool:
        """Whether it returns a list of records."""
        return self.name.removeprefix("self_hosted_").startswith("list_")

    @property
    def by_offset(self) -> bool:
        """Whether a full page is followed by one at the next offset: observability servers return no cursors."""
        stack = self.server_kind is ServerKind.SELF_HOSTED or self.path.startswith(OBSERVABILITY)
        return stack and self.per_page is not None

    @property
    def is_of_service(self) -> bool:
        """Whether each service has such an operation of its own."""
        return "{serviceId}" in self.path

    @property
    def writes(self) -> bool:
        """Whether it may change something."""
        return self.method != "GET"


@dataclass(frozen=True)
class Forms:
    """The forms of one operation: that of a service's own server, and the self-hosted one; they may be the same."""

    managed: Operation
    self_hosted: Operation


def _in_one_form(declare: Callable[DeclaredP, Operation]) -> Callable[DeclaredP, Forms]:
    def declared(*args: DeclaredP.args, **options: DeclaredP.kwargs) -> Forms:
        operation = declare(*args, **options)
        return Forms(operation, operation)

    return declared


management = _in_one_form(Operation)
"""Declare an operation of the management API; a list `per_page` has cursors."""

of_vendor = partial(management, only=CLICKHOUSE)
"""Declare an operation of the management API that only the vendor's servers have."""


def self_hosted(name: str, method: str, path: str, record: str, action: str) -> Forms:
    """Declare an operation that only the vendor's self-hosted observability servers have."""
    kind, whole_path = ServerKind.SELF_HOSTED, SELF_HOSTED_PREFIX + path
    return management(name, method, whole_path, record, action, server_kind=kind, only=CLICKHOUSE)


def observability(
    name: str,
    method: str,
    path: str,
    record: str,
    action: str,
    *,
    managed: bool = False,
    hosted: bool = False,
    only: VocabularyName | None = None,
    per_page: int | None = None,
    bare: bool = False,
) -> Forms:
    """Declare an operation of the observability API; the flags are the forms in which it is documented.

    A list `per_page` has offsets; a self-hosted server returns a `bare` result without its envelope.
    """
    of_service = Operation(name, method, OBSERVABILITY + path, record, action, managed, only=only, per_page=per_page)
    own_server = replace(
        of_service,
        name=f"self_hosted_{name}",
        path=SELF_HOSTED_PREFIX + path,
        documented=hosted,
        server_kind=ServerKind.SELF_HOSTED,
        bare=bare,
    )
    return Forms(of_service, own_server)


WHO_AM_I = Operation(
    "who_am_i", "GET", SELF_HOSTED_PREFIX, "User", "get the user of the token", server_kind=ServerKind.SELF_HOSTED
)
"""The user of the token."""

CALLER = Operation(
    "get_caller", "GET", MANAGEMENT_PREFIX + "/whoami", "Caller", "find the organization of the key", only=CLICKHOUSE
)
"""The owner of the key, with its organization, for configurations without one."""

HEALTH = Operation("health", "GET", "/health", "Health", "get the version", server_kind=ServerKind.SELF_HOSTED)
"""The version; the request needs no token."""


READ_SERVICE = management("get_service", "GET", SERVICE, "Service", "read the service")
"""Every object of a service is gone if the server does not find the service."""
