"""All checks, in the order in which they are done, and the examination that does them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from pulumi_clouddb.schema.redaction import redact

from .addresses import check_addresses
from .answers import check_clock, check_dialect, check_limit, check_organization
from .credentials import check_credentials
from .duplicates import check_duplicates
from .finding import Finding, error
from .pending import check_pending
from .settings import check_settings
from .situation import Situation
from .versions import check_plugin, check_versions


@dataclass(frozen=True)
class Check:
    """One check.

    Attributes:
        name: Its name in the report.
        about: What it looks at, for the documentation.
        run: Yields what it finds.
    """

    name: str
    about: str
    run: Callable[[Situation], Iterable[Finding]]


CHECKS = (
    Check(
        "settings",
        "misspelt names in the stack's configuration and in `CLOUDDB_*`, values that are not valid, missing settings, "
        "credentials that are in plain text in the configuration",
        check_settings,
    ),
    Check(
        "addresses",
        "name, port, certificate, proxy, redirect, a page or another server in place of the API",
        check_addresses,
    ),
    Check(
        "credentials",
        "wrong, disabled or expired keys, the IP access list, what the role may not do",
        check_credentials,
    ),
    Check("organization", "whether `organizationId` is the organization of the key", check_organization),
    Check("clock", "whether this machine's clock is more than a minute off", check_clock),
    Check("limit", "whether the limit of requests is reached, and how many it still allows", check_limit),
    Check("dialect", "which words the server speaks, and its version where it tells", check_dialect),
    Check("versions", "of this package, Python, Pulumi's SDK and its CLI", check_versions),
    Check("plugin", "none, another version, or two of them on PATH", check_plugin),
    Check(
        "pending creates",
        "what interrupted runs have left on this machine: of which stack, whether it can be read, whether its object "
        "is still there",
        check_pending,
    ),
)

DUPLICATES = Check(
    "duplicates",
    "only with `--duplicates`: objects that are equal, as an interrupted run on another machine may leave them; this "
    "takes a request for each kind of object and service",
    check_duplicates,
)


def examine(situation: Situation, checks: Iterable[Check] = CHECKS) -> Iterator[Finding]:
    """Yield the findings of all checks, each when it is known."""
    for check in checks:
        for finding in _found(check, situation):
            yield replace(finding, check=check.name)


def _found(check: Check, situation: Situation) -> Iterator[Finding]:
    try:
        yield from check.run(situation)
    except Exception as broken:  # noqa: BLE001 (a check that breaks is a finding, and the others go on)
        text = redact(f"the check itself failed: {type(broken).__name__}: {broken}")
        yield error("broken-check", text, "Report it to the maintainers of pulumi-clouddb, with this line.")
