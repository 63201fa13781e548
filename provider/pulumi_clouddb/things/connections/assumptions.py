"""What the provider and the sandbox assume of servers about connections."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import SELF_HOSTED_ONLY, measured

CONNECTION_KEEPS_ITS_PREFIX = measured(
    "An update of a connection keeps the prefix that it omits, and clears it if it is null.", servers=SELF_HOSTED_ONLY
)
CONNECTION_HIDES_ITS_PASSWORD = measured("No response contains the password of a connection.", servers=SELF_HOSTED_ONLY)
