"""What the provider and the sandbox assume of servers about invitations."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import CLOUD_ONLY, DESCRIBED, Assumption

INVITATIONS_EXPIRE = Assumption(
    "An invitation has the time at which it expires, and its address in lower case.", DESCRIBED, CLOUD_ONLY
)
