"""What the provider and the sandbox assume of servers about BYOC infrastructures."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import CLOUD_ONLY, Assumption

BYOC_TAGS_ARE_READ_BY_THEMSELVES = Assumption(
    "The details of a BYOC infrastructure lack its tags, which are read at `/tags`.",
    "the vendor's description of autumn 2026",
    CLOUD_ONLY,
)
