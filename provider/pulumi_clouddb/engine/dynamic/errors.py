"""How failures leave the dynamic host, which prints tracebacks: as messages."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import TypeVar

from pulumi_clouddb.client.errors import ApiError
from pulumi_clouddb.engine.wire import told_secrets
from pulumi_clouddb.engine.wire.messages import message
from pulumi_clouddb.schema import operation_secrets

from .python_names import in_python

Method = TypeVar("Method", bound=Callable[..., object])


class UserError(Exception):
    """An error as the person sees it. The host prints its name and message, so the name is the product's."""


UserError.__module__ = "builtins"
UserError.__qualname__ = "clouddb"


def hide_tracebacks() -> None:
    """Let the host, which prints tracebacks, print messages only: a traceback of its own would quote anything."""
    sys.tracebacklimit = 0


def user_errors(method: Method) -> Method:
    """Let errors leave `method` as messages for a person, which show no secret that `method` has hidden."""

    @functools.wraps(method)
    def wrapper(*args: object, **kwargs: object) -> object:
        hide_tracebacks()
        with operation_secrets.scope():
            try:
                return method(*args, **kwargs)
            except Exception as error:  # noqa: BLE001 (every error becomes a message)
                # What an API error quotes are the words of a server.
                words = message(error)
                raise UserError(words if isinstance(error, ApiError) else in_python(words)) from None
            finally:
                told_secrets.tell()

    return wrapper  # type: ignore[return-value]
