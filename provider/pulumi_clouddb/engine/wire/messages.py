"""Errors as a person at the terminal reads them: one or two lines, without a traceback and without a secret."""

from __future__ import annotations

import os
import traceback

from pulumi_clouddb.client.errors import CloudDBError, two_lines
from pulumi_clouddb.schema.redaction import redact

DEBUG_VARIABLE = "CLOUDDB_DEBUG"

NOT_CONFIGURED = "the provider was used before it was configured"

DEEPEST_CALLS = 50
"""So many calls of a traceback are shown. It is set here, because `dynamic.errors` sets it to none for the host."""


def debugging() -> bool:
    """Return whether tracebacks are wanted: `CLOUDDB_DEBUG=1`."""
    return os.environ.get(DEBUG_VARIABLE, "") not in ("", "0")


def message(error: BaseException) -> str:
    """Return an error as a person reads it: at most two lines, without a secret; a traceback when debugging."""
    if debugging():
        return redact("".join(traceback.format_exception(error, limit=-DEEPEST_CALLS)))
    if isinstance(error, CloudDBError):
        return redact(str(error))
    return redact(
        two_lines(
            f"unexpected {type(error).__name__}: {error}\n"
            f"This is a fault of pulumi-clouddb. Run again with {DEBUG_VARIABLE}=1 and report the traceback it shows."
        )
    )
