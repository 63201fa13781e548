"""What the provider and the sandbox assume of servers about user-defined functions."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import described

UPLOADS_HAVE_AN_ADDRESS = described(
    "A request for an upload is answered by 201, with the id and the address of the upload."
)
UPLOADS_ARE_USED_ONCE = described("An upload can be used by one create, or by one version.")
