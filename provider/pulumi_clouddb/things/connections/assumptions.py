"""What the provider and the sandbox assume of servers about connections."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import MEASURED, SELF_HOSTED_ONLY, Assumption

CONNECTION_KEEPS_ITS_PREFIX = Assumption(
    "An update of a connection keeps the prefix that it omits, and clears it if it is null.", MEASURED, SELF_HOSTED_ONLY
)
CONNECTION_HIDES_ITS_PASSWORD = Assumption(
    "No response contains the password of a connection.", MEASURED, SELF_HOSTED_ONLY
)
