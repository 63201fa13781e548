"""Files with the state of a stack."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pulumi_clouddb.client.errors import ResourceError

from .printing import usage_error

ResultT = TypeVar("ResultT")


def in_state_file(file: str, read: Callable[[str, Any], ResultT]) -> ResultT:
    """Return what is read from a state file.

    Args:
        file: Its path; `-` is standard input.
        read: Gets its name for messages, and its content, which can be any JSON.

    Raises:
        BadParameter: The file cannot be opened.
        ResourceError: It is not a state.
    """
    name = "standard input" if file == "-" else file
    try:
        return read(name, json.loads(sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()))
    except OSError as error:
        raise usage_error(f"{file} cannot be opened: {error.strerror}", "--state-file") from None
    except (ValueError, AttributeError, TypeError, RecursionError):
        raise ResourceError(
            f"{name} is not a state from `pulumi stack export`", "Write it with `pulumi stack export --file FILE`."
        ) from None
