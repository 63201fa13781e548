"""Errors and values as users see them, without tracebacks and secrets."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from typing import Any, Final

from pulumi_clouddb.client.errors import DEBUG_VARIABLE, CloudDBError, debugging, two_lines
from pulumi_clouddb.schema.secrets.redaction import redact
from pulumi_clouddb.schema.secrets.spellings import MASK
from pulumi_clouddb.schema.values import UNKNOWN

from .secret import Secret

NOT_YET: Final = "[unknown]"


def shown(value: Any) -> Any:
    """Return a value for display, with texts in place of secrets and unknown values."""
    if isinstance(value, Secret):
        return MASK
    if value is UNKNOWN:
        return NOT_YET
    if isinstance(value, Mapping):
        return {key: shown(inner) for key, inner in value.items() if not key.startswith("__")}
    if isinstance(value, list):
        return [shown(inner) for inner in value]
    return value


NOT_CONFIGURED = "the provider was used before it was configured"

DEEPEST_CALLS = 50
"""The number of calls in a traceback; `dynamic.messages` sets the default to none."""


def message(error: BaseException) -> str:
    """Return the message of an error: at most two lines without secrets, or a traceback when debugging."""
    if debugging():
        return redact("".join(traceback.format_exception(error, limit=-DEEPEST_CALLS)))
    if isinstance(error, CloudDBError):
        return redact(str(error))
    return redact(
        two_lines(
            f"unexpected {type(error).__name__}: {error}\n"
            f"This is a bug in pulumi-clouddb. Run again with {DEBUG_VARIABLE}=1 and report the traceback it shows."
        )
    )
