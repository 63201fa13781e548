"""Errors and values as a person at the terminal reads them, without a traceback and without a secret."""

from __future__ import annotations

import os
import traceback
from collections.abc import Mapping
from typing import Any, Final

from pulumi_clouddb.client.errors import CloudDBError, two_lines
from pulumi_clouddb.schema.redaction import redact
from pulumi_clouddb.schema.spellings import MASK
from pulumi_clouddb.schema.values import UNKNOWN

from .secret import Secret

NOT_YET: Final = "[unknown]"


def shown(value: Any) -> Any:
    """Return the value as JSON may show it: without secrets, with a word for what is not known yet."""
    if isinstance(value, Secret):
        return MASK
    if value is UNKNOWN:
        return NOT_YET
    if isinstance(value, Mapping):
        return {key: shown(inner) for key, inner in value.items() if not key.startswith("__")}
    if isinstance(value, list):
        return [shown(inner) for inner in value]
    return value


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
