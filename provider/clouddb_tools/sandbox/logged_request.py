"""One request in the log of a sandbox. The client loads this module, and nothing of the server."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class LoggedRequest:
    """One request.

    Attributes:
        number: Its index in the log.
        at: Time in seconds since 1970.
        method: HTTP method.
        path: The path as sent, not decoded and without the query.
        query: The query as sent.
        operation: Name of the operation in `api.operations`, or None for a path that is not offered.
        vocabulary: Dialect of the sandbox.
        scheme: Scheme of the Authorization header, such as `Basic`; None without the header.
        caller: Key id for Basic; None otherwise.
        headers: Names of all headers, in lower case and in the order received.
        content_type: The Content-Type header.
        body: The parsed JSON body with secrets replaced by `[secret]`, text if it was not JSON, None if there was none.
        status: HTTP status of the response; None if the connection was reset.
        request_id: The `requestId` of the response.
        fault: Kind of the simulated fault, if any.
        ms: Milliseconds until the response was ready; None until then.
    """

    at: float
    method: str
    path: str
    number: int = 0
    query: str = ""
    operation: str | None = None
    vocabulary: str = ""
    scheme: str | None = None
    caller: str | None = None
    headers: list[str] = field(default_factory=list)
    content_type: str | None = None
    body: Any = None
    status: int | None = None
    request_id: str | None = None
    fault: str | None = None
    ms: float | None = None
