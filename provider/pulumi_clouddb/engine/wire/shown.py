"""Values as a person may see them: without secrets, and with a word for what is not known yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pulumi_clouddb.schema.operation_secrets import MASK
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
