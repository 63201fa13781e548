"""What the provider and the sandbox assume of servers about pipe SSH keys."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import CLOUD_ONLY, Assumption

from .api import OCTOBER

SSH_KEY_IS_PENDING_UNTIL_VALIDATED = Assumption(
    "A new pipe SSH key is pending, and the response to a validation has its outcome.", OCTOBER, CLOUD_ONLY
)
