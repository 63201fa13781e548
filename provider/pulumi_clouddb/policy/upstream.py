"""The names of pulumi-policy that it does not export: nothing else in this package imports one.

pulumi-policy serves packs itself, in `PolicyPack`, but has no hook there: see "Why policy/ has a server of its own" in
docs/architecture.md. What such a server needs is how the engine's properties are read and written, secrets and unknown
values included, and the error that touching an unknown value raises.
"""

from __future__ import annotations

from importlib.metadata import version

VERSION = version("pulumi-policy")

HELD_AGAINST = ">=1.21,<1.22"
"""The versions whose names these are, as setup.py asks for them. Held by `test_both_servers_say_the_same`."""

try:
    from pulumi_policy.deserialize import deserialize_properties, serialize_properties
    from pulumi_policy.proxy import UNKNOWN_STRING_VALUE, UnknownValueError, unknown_checking_proxy
except ImportError as error:
    raise ImportError(
        f"pulumi_clouddb.policy cannot use pulumi-policy {VERSION}: {error}\n"
        f"install a version that it is tested with: pip install 'pulumi-policy{HELD_AGAINST}'"
    ) from error

__all__ = [
    "HELD_AGAINST",
    "UNKNOWN_STRING_VALUE",
    "VERSION",
    "UnknownValueError",
    "deserialize_properties",
    "serialize_properties",
    "unknown_checking_proxy",
]
