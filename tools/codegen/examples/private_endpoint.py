"""Examples of private endpoints."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import SERVICE_ID, Example, Examples

_OFFICE = Step(
    "office",
    "PrivateEndpoint",
    {"endpointId": "vpce-12345678901234567", "serviceId": SERVICE_ID, "description": "Office network"},
)

EXAMPLES: Examples = {
    "PrivateEndpoint": (Example("Let a network reach a service", [_OFFICE], {"region": Ref("office.region")}),),
}
