"""Errors as messages, in which properties have their Python names: only Python programs use this front end."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import TypeVar

from pulumi_clouddb.client.errors import ApiError, debugging
from pulumi_clouddb.engine.wire.messages import message
from pulumi_clouddb.engine.wire.side_channels import send_secrets
from pulumi_clouddb.schema.public_names import in_python
from pulumi_clouddb.schema.secrets.redaction import secret_scope

Method = TypeVar("Method", bound=Callable[..., object])


class UserError(Exception):
    """An error that users see. The host prints its class and message, so the class has the name of the product."""


UserError.__module__ = "builtins"
UserError.__qualname__ = "clouddb"


def _in_python(error: Exception) -> str:
    """Return the message of an error. An API error quotes the server, whose words stay; its last line is our advice."""
    text = message(error)
    if not isinstance(error, ApiError):
        return in_python(text)
    quoted, line_break, advice = text.rpartition("\n")
    return f"{quoted}{line_break}{in_python(advice)}" if quoted and not debugging() else text


def user_errors(method: Method) -> Method:
    """Wrap a method: its errors become messages, in which the secrets that it has hidden are masked."""

    @functools.wraps(method)
    def wrapper(*args: object, **kwargs: object) -> object:
        sys.tracebacklimit = 0  # the host prints tracebacks, which may quote anything
        with secret_scope():
            try:
                return method(*args, **kwargs)
            except Exception as error:  # noqa: BLE001 (every error becomes a message)
                raise UserError(_in_python(error)) from None
            finally:
                send_secrets()

    return wrapper  # type: ignore[return-value]
