"""Lives of the organization's settings."""

from __future__ import annotations

from lives.life import Life
from lives.wire import WireLife

ORGANIZATION_SETTINGS = Life(
    name="OrganizationSettings",
    kind="organizations",
    before="name='Acme'",
    after="name='Acme Inc.', enable_core_dumps=False",
    updated=frozenset({"name", "enableCoreDumps"}),
    drift=lambda sandbox, id_: sandbox.change("organizations", id_, name="Mine"),
    drifted=frozenset({"name"}),
    as_wanted=lambda organization: (organization["name"], organization["enableCoreDumps"]) == ("Acme Inc.", False),
    stays=True,
)
LIVES = {"organization settings": ORGANIZATION_SETTINGS}

WIRE_LIVES = [
    WireLife(
        "organization settings",
        ORGANIZATION_SETTINGS,
        operations=("update_organization", "update_organization", "update_organization", "list_organizations"),
        before={"name": "Acme"},
        after={"name": "Acme Inc.", "enableCoreDumps": False},
        details={"name": "UPDATE", "enableCoreDumps": "ADD"},
        left_alone=frozenset({"original", "createdAt", "privateEndpoints", "byocConfig"}),
    )
]

OF_NO_INPUT = frozenset({"id", "createdAt", "privateEndpoints", "byocConfig"})
"""Outputs that tell nothing of an input."""
