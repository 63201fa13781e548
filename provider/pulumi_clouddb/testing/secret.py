"""A value that must not be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pulumi_clouddb.sandbox import SandboxControl

SIGNATURE_KEY = "4dabf18193072939515e22adb298388d"
SECRET_SIGNATURE = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - a type mark of the wire and of state
"""The key and the mark by which an object on the wire, and in state, is known as a secret."""


@dataclass(frozen=True)
class Secret:
    """Wraps a secret configuration value or property; printing it never shows what is inside."""

    value: Any = field(repr=False)

    def __repr__(self) -> str:
        return "Secret(...)"

    __str__ = __repr__


def has_secret(value: Any) -> bool:
    """Tell whether there is a secret anywhere in the value."""
    if isinstance(value, Mapping):
        return any(has_secret(inner) for inner in value.values())
    if isinstance(value, list):
        return any(has_secret(inner) for inner in value)
    return isinstance(value, Secret)


def stack_config(sandbox: SandboxControl) -> dict[str, str | Secret]:
    """Return the stack configuration that points a program at a sandbox, credentials as secrets."""
    secret = sandbox.secret_keys
    return {key: Secret(text) if key in secret else text for key, text in sandbox.config.items()}
