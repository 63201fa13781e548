"""Reading JSON that anybody may have sent."""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import from_json


def parsed(raw: bytes | str) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: It is none, or it could be neither stored nor sent back: it contains NaN, a number that no float
            holds, half of a surrogate pair, or more than 200 levels of nesting.
    """
    value = from_json(raw, allow_inf_nan=False)
    json.dumps(value, allow_nan=False)  # 1e400 is read as infinite
    return value
