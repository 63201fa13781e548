"""The private names of pulumi-policy that this package uses; no other module imports one.

See "Why policy/ extends a private class" in docs/architecture.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from pulumi_policy import Secret

VERSION = version("pulumi-policy")

TESTED_VERSIONS = ">=1.21,<1.22"
"""The versions with these names, as in setup.py; `test_both_servers_return_the_same` compares their behavior."""

try:
    from pulumi_policy.deserialize import deserialize_properties
    from pulumi_policy.policy import _NotApplicableError as NotApplicableError
    from pulumi_policy.policy import _PolicyAnalyzerServicer as PolicyAnalyzerServicer
    from pulumi_policy.proxy import UNKNOWN_STRING_VALUE, UnknownValueError
except ImportError as error:
    raise ImportError(
        f"pulumi_clouddb.policy cannot use pulumi-policy {VERSION}: {error}\n"
        f"install a tested version: pip install 'pulumi-policy{TESTED_VERSIONS}'"
    ) from error

POLICIES = "_PolicyAnalyzerServicer__policies"
"""The attribute of `PolicyAnalyzerServicer` with its policies."""


def has_secret_elements(props: Mapping[str, Any], name: str) -> bool:
    """Return whether a property in the arguments of a remediation is a list with secret elements.

    The proxies show the elements without their marks, so that a copy of the list would not be secret.
    """
    unproxied = props.get("__target", props)
    value = unproxied.get(name)
    return isinstance(value, list) and any(isinstance(each, Secret) for each in value)


__all__ = [
    "POLICIES",
    "TESTED_VERSIONS",
    "UNKNOWN_STRING_VALUE",
    "VERSION",
    "NotApplicableError",
    "PolicyAnalyzerServicer",
    "UnknownValueError",
    "deserialize_properties",
    "has_secret_elements",
]
