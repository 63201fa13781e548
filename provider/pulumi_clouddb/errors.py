"""The errors of this package, for programs and tests that catch them.

The tree is drawn in `pulumi_clouddb.client.errors`; every message has at most two lines: what failed, then what to do.
"""

from __future__ import annotations

from pulumi_clouddb.client.errors import (
    AmbiguousError,
    ApiError,
    ArgumentError,
    CancelledError,
    ClientError,
    CloudDBError,
    ConfigError,
    ConflictError,
    ConnectError,
    InvalidResponseError,
    ListNotFoundError,
    NotFoundError,
    PartialListError,
    ProgramError,
    RateLimitError,
    ResourceError,
    ResponseLostError,
    ServerError,
    UnauthorizedError,
    UnknownKeyError,
    UnsupportedOperationError,
)

__all__ = [
    "AmbiguousError",
    "ApiError",
    "ArgumentError",
    "CancelledError",
    "ClientError",
    "CloudDBError",
    "ConfigError",
    "ConflictError",
    "ConnectError",
    "InvalidResponseError",
    "ListNotFoundError",
    "NotFoundError",
    "PartialListError",
    "ProgramError",
    "RateLimitError",
    "ResourceError",
    "ResponseLostError",
    "ServerError",
    "UnauthorizedError",
    "UnknownKeyError",
    "UnsupportedOperationError",
]
