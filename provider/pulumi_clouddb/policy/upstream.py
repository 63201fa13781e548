"""The private names of pulumi-policy that this package uses; no other module imports one.

The server of this package needs them to decode and encode properties with secrets and unknown values; see "Why policy/
has its own server" in docs/architecture.md.
"""

from __future__ import annotations

from importlib.metadata import version

VERSION = version("pulumi-policy")

TESTED_VERSIONS = ">=1.21,<1.22"
"""The versions with these names, as in setup.py; `test_both_servers_do_the_same` compares their behavior."""

try:
    from pulumi_policy.deserialize import deserialize_properties, serialize_properties
    from pulumi_policy.proxy import UNKNOWN_STRING_VALUE, UnknownValueError, unknown_checking_proxy
except ImportError as error:
    raise ImportError(
        f"pulumi_clouddb.policy cannot use pulumi-policy {VERSION}: {error}\n"
        f"install a tested version: pip install 'pulumi-policy{TESTED_VERSIONS}'"
    ) from error

__all__ = [
    "TESTED_VERSIONS",
    "UNKNOWN_STRING_VALUE",
    "VERSION",
    "UnknownValueError",
    "deserialize_properties",
    "serialize_properties",
    "unknown_checking_proxy",
]
