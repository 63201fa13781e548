"""What the provider and the sandbox assume of servers about roles."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import CLOUD_ONLY, Assumption, described

POLICIES_GET_NEW_IDS = Assumption(
    "An update of a role gives its policies new ids.",
    "the acceptance tests of the vendor's Terraform provider",
    CLOUD_ONLY,
)
POLICIES_GAIN_PERMISSIONS = Assumption(
    "A policy that grants `control-plane:service:manage` gets `control-plane:service:delete`, too.",
    "the acceptance tests of the vendor's Terraform provider",
    CLOUD_ONLY,
)
ROLE_LISTS_ITS_KEYS = described("The actors of a role are the keys, members and invitations that have it.")
ROLE_UPDATE_KEEPS_WHAT_IT_OMITS = Assumption(
    "An update of a role keeps the policies that it omits.", "the meaning of PATCH (RFC 5789)", CLOUD_ONLY
)
ROLE_NEEDS_ACTORS = described("A role is refused without a list of actors, which may be empty.")
