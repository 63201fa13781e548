"""Examples of infrastructures in accounts of one's own."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import Example, Examples

_OURS = Step(
    "ours",
    "ByocInfrastructure",
    {
        "regionId": "us-east-1",
        "accountId": "123456789012",
        "availabilityZoneSuffixes": ["a", "b", "c"],
        "vpcCidrRange": "10.0.0.0/16",
        "displayName": "Shop",
    },
)

EXAMPLES: Examples = {
    "ByocInfrastructure": (Example("Prepare a region of your own account", [_OURS], {"byocId": Ref("ours.id")}),),
}
