"""Lives of infrastructures: only the name changes in place."""

from __future__ import annotations

from lives.life import Life
from lives.wire import WireLife

_PLACE = "region_id='us-east-1', account_id='123456789012', availability_zone_suffixes=['a', 'b'], "
_PLACE += "vpc_cidr_range='10.0.0.0/16'"

INFRASTRUCTURE = Life(
    name="ByocInfrastructure",
    kind="byoc_infrastructures",
    before=f"{_PLACE}, display_name='Ours'",
    after=f"{_PLACE}, display_name='Shop', wait_timeout_minutes=5",
    updated=frozenset({"displayName", "waitTimeoutMinutes"}),
    drift=lambda sandbox, id_: sandbox.change("byoc_infrastructures", id_, displayName="Mine"),
    drifted=frozenset({"displayName"}),
    as_wanted=lambda infrastructure: (
        (infrastructure["displayName"], infrastructure["accountId"]) == ("Shop", "123456789012")
    ),
)
LIVES = {"BYOC infrastructure": INFRASTRUCTURE}

_OURS = {"regionId": "us-east-1", "accountId": "123456789012", "displayName": "Ours"}

WIRE_LIVES = [
    WireLife(
        "BYOC infrastructure",
        INFRASTRUCTURE,
        operations=(
            *("create_byoc_infrastructure", "update_byoc_infrastructure", "delete_byoc_infrastructure"),
            "get_organization",
        ),
        before=_OURS,
        after={**_OURS, "displayName": "Shop"},
        details={"displayName": "UPDATE"},
        left_alone=frozenset({"regionId", "accountId"}),
        extra=frozenset({"accountId"}),
    )
]

OF_NO_INPUT = frozenset({"id", "state", "accountName", "cloudProvider", "lastError"})
"""Outputs that tell nothing of an input."""
