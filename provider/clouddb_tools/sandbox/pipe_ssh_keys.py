"""SSH keys of pipes: a validation decides their status."""

from __future__ import annotations

from pulumi_clouddb.things.pipe_ssh_keys.api import PipeSshKeys
from pulumi_clouddb.things.pipe_ssh_keys.pipe_ssh_key import SshKeyStatus

from .served import Served
from .state import Call, SandboxState
from .store import Document

PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGEga2V5IG9mIHRoZSBzYW5kYm94IG9ubHkuLi4uLi4u"
"""A public key; the comment that follows it distinguishes the keys."""

NOWHERE = ".invalid"
"""The end of hosts that never exist (RFC 2606), with which a validation fails."""


class ServedPipeSshKeys(Served):
    """The SSH keys of a service."""

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add a pending key."""
        usual: Document = {
            "serviceId": parent,
            "port": 22,
            "description": "",
            "publicKey": f"{PUBLIC_KEY} {state.ids.uuid()}",
            "status": SshKeyStatus.PENDING,
            "statusMessage": "",
            "lastValidatedAt": None,
        }
        return super().add(state, parent, {**usual, **fields})

    def validate(self, state: SandboxState, call: Call) -> Document:
        """Connect to the host of a key, as far as a sandbox can."""
        key, now = self.get(state, call), state.clock.stamp()
        fails = key["host"].endswith(NOWHERE)
        document = {
            **key,
            "status": SshKeyStatus.FAILED if fails else SshKeyStatus.ACTIVE,
            "statusMessage": f"getaddrinfo ENOTFOUND {key['host']}" if fails else "",
            "lastValidatedAt": now,
            "updatedAt": now,
        }
        state.store.put(self.kind, key["id"], document)
        return document


SERVED = ServedPipeSshKeys(PipeSshKeys, name="Key", host="bastion.example.com", username="pipes")
