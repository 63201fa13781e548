"""SSH keys of the pipes of a service."""

from __future__ import annotations

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.operation import SERVICE, of_vendor
from pulumi_clouddb.schema.names import NAME
from pulumi_clouddb.schema.thing import body_of

from .pipe_ssh_key import PipeSshKey

PATH = SERVICE + "/clickpipesSshKeyResources"
ONE = PATH + "/{sshKeyId}"

_RECORD, _WORDS = "PipeSshKey", "the pipe SSH key"
OCTOBER = "the vendor's Terraform provider of October 2026 (clickhouse_clickpipes_ssh_key)"


class PipeSshKeys(Collection[PipeSshKey]):
    """The SSH keys of one service."""

    model = PipeSshKey
    body = body_of(PipeSshKey)
    id_part = "ssh_key_id"
    unique_by = (NAME,)
    source = OCTOBER

    LIST = of_vendor("list_pipe_ssh_keys", "GET", PATH, _RECORD, f"list {_WORDS}s")
    CREATE = of_vendor("create_pipe_ssh_key", "POST", PATH, _RECORD, f"create {_WORDS}")
    GET = of_vendor("get_pipe_ssh_key", "GET", ONE, _RECORD, f"read {_WORDS}")
    VALIDATE = of_vendor("validate_pipe_ssh_key", "POST", ONE + "/validate", _RECORD, f"validate {_WORDS}")
    DELETE = of_vendor("delete_pipe_ssh_key", "DELETE", ONE, "None", f"delete {_WORDS}")

    def validate(self, key_id: str) -> PipeSshKey:
        """Let the server connect with a key, and return the key with its new status.

        Raises:
            NotFoundError: The server does not find it.
        """
        try:
            return self.parsed(self.call(self.VALIDATE, key_id, {}))
        finally:
            self.invalidate()
