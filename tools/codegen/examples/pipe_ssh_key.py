"""Examples of SSH keys of pipes."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import SERVICE_ID, Example, Examples

SSH_KEY_ID = "5b2c9d10-7e4f-4a63-8d21-90ab3c4d5e6f"

_KEY = Step(
    "bastion",
    "PipeSshKey",
    {
        "serviceId": SERVICE_ID,
        "name": "Bastion of the shop",
        "host": "bastion.example.com",
        "username": "pipes",
        "port": 2222,
    },
)

EXAMPLES: Examples = {
    "PipeSshKey": (
        Example("Reach a database through an SSH server", [_KEY], {"authorizedKey": Ref("bastion.publicKey")}),
    ),
    "getPipeSshKey": (
        Example(
            "Read a key",
            [Step("key", "getPipeSshKey", {"serviceId": SERVICE_ID, "sshKeyId": SSH_KEY_ID})],
            {"authorizedKey": Ref("key.publicKey")},
        ),
    ),
    "listPipeSshKeys": (
        Example(
            "Find a key by its name",
            [Step("found", "listPipeSshKeys", {"serviceId": SERVICE_ID, "name": "Bastion of the shop"})],
            {"keys": Ref("found.pipeSshKeys")},
        ),
    ),
}
