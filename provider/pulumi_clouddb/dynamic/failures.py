"""How failures look at the terminal: the message, in one or two lines, without a traceback."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from pulumi_clouddb.api.errors import CloudDBError

DEBUG_VARIABLE = "CLOUDDB_DEBUG"

Method = TypeVar("Method", bound=Callable[..., Any])


class Shown(Exception):
    """An error as the person sees it. The host prints its name and message, so the name is the product's."""


Shown.__module__ = "builtins"
Shown.__qualname__ = "clouddb"


def debugging() -> bool:
    """Tell whether tracebacks are wanted: `CLOUDDB_DEBUG=1`."""
    return os.environ.get(DEBUG_VARIABLE, "") not in ("", "0")


def hide_tracebacks() -> None:
    """Let the host, which prints tracebacks, print messages only; unless they are wanted."""
    if not debugging():
        sys.tracebacklimit = 0


def readable(method: Method) -> Method:
    """Let errors leave `method` as messages for a person."""

    @functools.wraps(method)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        hide_tracebacks()
        try:
            return method(*args, **kwargs)
        except Exception as error:
            if debugging():
                raise
            raise Shown(message(error)) from None

    return wrapper  # type: ignore[return-value]


def message(error: Exception) -> str:
    """Return an error as a person reads it."""
    if isinstance(error, CloudDBError):
        return str(error)
    return (
        f"unexpected {type(error).__name__}: {error}\n"
        f"This is a fault of pulumi-clouddb. Run again with {DEBUG_VARIABLE}=1 and report the traceback it shows."
    )
