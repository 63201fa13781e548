"""Lives of SSH keys of pipes: an update validates the connection, and changes nothing."""

from __future__ import annotations

from lives.life import Life, a_service
from lives.wire import wire_life

BASTION = {
    "serviceId": "$service_id",
    "name": "Bastion",
    "host": "bastion.example.com",
    "username": "pipes",
    "port": 2222,
    "description": "Reaches the shop",
}

KEY = Life(
    "PipeSshKey",
    before=BASTION,
    after={**BASTION, "validateConnection": True},
    drift=None,
    other={"host": "mine.example.com"},
    setting=a_service,
)
LIVES = {"SSH key of pipes": KEY}

WIRE_LIVES = [wire_life("SSH key of pipes", KEY)]

OF_NO_INPUT = frozenset({"publicKey", "status", "statusMessage", "lastValidatedAt"})
"""Outputs that copy no input."""
