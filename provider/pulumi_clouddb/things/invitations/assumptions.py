"""What the provider and the sandbox assume of servers about invitations."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import described

INVITATIONS_EXPIRE = described("An invitation has the time at which it expires, and its address in lower case.")
