"""Errors as a person at the terminal reads them: one or two lines, without a traceback."""

from __future__ import annotations

import os

from pulumi_clouddb.api.errors import CloudDBError
from pulumi_clouddb.models.hidden import redacted

DEBUG_VARIABLE = "CLOUDDB_DEBUG"


def debugging() -> bool:
    """Tell whether tracebacks are wanted: `CLOUDDB_DEBUG=1`."""
    return os.environ.get(DEBUG_VARIABLE, "") not in ("", "0")


def message(error: Exception) -> str:
    """Return an error as a person reads it, without the secrets of the operation."""
    if isinstance(error, CloudDBError):
        return redacted(str(error))
    return (
        f"unexpected {type(error).__name__}: {redacted(str(error))}\n"
        f"This is a fault of pulumi-clouddb. Run again with {DEBUG_VARIABLE}=1 and report the traceback it shows."
    )
