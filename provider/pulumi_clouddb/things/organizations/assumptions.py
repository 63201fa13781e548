"""What the provider and the sandbox assume of servers about organizations."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import CLOUD_ONLY, Assumption, described

NOTIFICATION_TYPES_ARE_LISTED = Assumption(
    "The types of notifications are listed at `/notificationTypes` of the organization. Servers before October 2026 do "
    "not have it.",
    "the vendor's description of autumn 2026 for their form; the path is inferred",
    CLOUD_ONLY,
)
PROMETHEUS_TARGETS_HAVE_NO_ENVELOPE = Assumption(
    "The targets of Prometheus are a list without an envelope.",
    "the client of clickhousectl (models/organizations.rs)",
    CLOUD_ONLY,
)
ORGANIZATION_LISTS_ITS_PARTS = described(
    "The record of the organization lists its infrastructures and its private endpoints."
)
USAGE_COVERS_A_MONTH_AT_MOST = described("A report of usage for 31 days is returned, and one for 40 days is refused.")
QUOTAS_HAVE_CODES = described("There is a quota with the code `services-per-organization`, and it is read by its code.")
