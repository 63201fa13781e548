"""All checks, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from pulumi_clouddb.schema.secrets.redaction import redact

from .addresses import check_addresses
from .alerts import check_alerts
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
        about: What it checks, for the documentation.
        run: Yields its findings.
    """

    name: str
    about: str
    run: Callable[[Situation], Iterable[Finding]]


CHECKS = (
    Check(
        "settings",
        "misspelt names in the stack's configuration and in `CLOUDDB_*`, invalid values, missing settings, "
        "credentials in plain text in the configuration",
        check_settings,
    ),
    Check(
        "addresses",
        "name, port, certificate, proxy, redirect, a web page or another server instead of the API",
        check_addresses,
    ),
    Check(
        "credentials",
        "wrong, disabled or expired keys, the IP access list, missing permissions of the role; with `--stack`, which "
        "operations of its resources the roles of the key do not permit (`clickhouse` dialect)",
        check_credentials,
    ),
    Check(
        "organization",
        "whether `organizationId` is the organization of the key; without it, to which one the key belongs",
        check_organization,
    ),
    Check("clock", "whether this machine's clock is more than a minute off", check_clock),
    Check("limit", "whether the rate limit is reached, and how many requests remain", check_limit),
    Check("dialect", "the dialect of the server, and its version if it reports one", check_dialect),
    Check(
        "alerts",
        "alerts whose last check failed, so that they cannot fire, on the self-hosted server and on those of three "
        "services (`clickhouse` dialect)",
        check_alerts,
    ),
    Check("versions", "versions of this package, Python, Pulumi's SDK and its CLI", check_versions),
    Check("plugin", "no plugin, another version, or two plugins on PATH", check_plugin),
    Check(
        "pending creates",
        "records of interrupted creates on this machine: their stack, whether they can be read, whether their objects "
        "still exist",
        check_pending,
    ),
)

DUPLICATES = Check(
    "duplicates",
    "only with `--duplicates`: equal objects, as an interrupted run on another machine may leave them; sends one "
    "request for each kind of object and service",
    check_duplicates,
)


def examine(situation: Situation, checks: Iterable[Check] = CHECKS) -> Iterator[Finding]:
    """Yield the findings of all checks as they arrive."""
    for check in checks:
        for finding in _run(check, situation):
            yield replace(finding, check=check.name)


def _run(check: Check, situation: Situation) -> Iterator[Finding]:
    try:
        yield from check.run(situation)
    except Exception as broken:  # noqa: BLE001 (a check that fails is a finding, and the others still run)
        text = redact(f"the check itself failed: {type(broken).__name__}: {broken}")
        yield error("broken-check", text, "Report this line to the maintainers of pulumi-clouddb.")
