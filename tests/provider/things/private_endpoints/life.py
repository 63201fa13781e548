"""Lives of private endpoints: only options of the provider are updated in place."""

from __future__ import annotations

from lives.life import Life, a_service
from lives.wire import wire_life

OFFICE = {"endpointId": "vpce-1a2b3c4d", "description": "Office"}
PLACE = {"cloudProvider": "aws", "region": "us-east-1"}
_OF_A_SERVICE = {**OFFICE, "serviceId": "$service_id"}

ENDPOINT = Life(
    "PrivateEndpoint",
    before={**OFFICE, **PLACE},
    after={**_OF_A_SERVICE, **PLACE},
    drift=None,
    other={"description": "mine"},
    setting=a_service,
    wanted=lambda endpoint: (endpoint["id"], endpoint["description"]) == ("vpce-1a2b3c4d", "Office"),
)
LIVES = {"private endpoint": ENDPOINT}

WIRE_LIVES = [wire_life("private endpoint", ENDPOINT, _OF_A_SERVICE, extra=frozenset({"serviceId"}))]
