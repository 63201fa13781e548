"""What the provider and the sandbox assume of servers about most objects."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import ALL, CLOUD_ONLY, DESCRIBED, INFERRED, MEASURED, Assumption

SCALED_SERVICE_STAYS_RUNNING = Assumption("A service whose scaling changes stays `running`.", INFERRED, CLOUD_ONLY)
MEMBERS_REPORT_WHEN_THEY_JOINED = Assumption(
    "The record of a member has the address and the time of joining.", DESCRIBED, CLOUD_ONLY
)
USED_SOURCE_IS_DELETED = Assumption(
    "A source in use is deleted; updates of the dashboards that use it are refused afterwards.", MEASURED, ALL
)
