"""SSH keys with which pipes of a service reach their sources through an SSH server."""

from __future__ import annotations

from typing import ClassVar

from pulumi_clouddb.schema.base import FilledHostName, FilledText, Flag, Prose, Text, Uuid, Whole, prop
from pulumi_clouddb.schema.check.rules import OURS, Rule, rule
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import Thing, answered, option
from pulumi_clouddb.schema.vendor import of_server, reachable
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE


class SshKeyStatus:
    """The states of a key."""

    PENDING = "pending"
    ACTIVE = "active"
    FAILED = "failed"


class PipeSshKey(Thing):
    """An SSH key of a service, whose private part never leaves the server."""

    RULES: ClassVar[tuple[Rule[PipeSshKey], ...]] = (
        of_server(lambda key: key.port, "SSH", 22),
        reachable(lambda key: key.host),
        rule(
            lambda key: key.username,
            "should be the user alone, without @ and the host",
            lambda key: (key.username or "").endswith(f"@{key.host}"),
            given=lambda key: key.host,
            warns=True,
            source=OURS,
        ),
    )

    service_id: Uuid | None = prop(
        "Id of the service whose pipes use it.", required=True, replaces=True, provider_only=True
    )
    name: FilledText | None = prop("Name of the key. It must be unique in the service.", required=True, replaces=True)
    host: FilledHostName | None = prop("Address of the SSH server.", required=True, replaces=True)
    username: FilledText | None = prop("User at the SSH server.", required=True, replaces=True)
    port: Whole | None = prop("Port of the SSH server.", replaces=True, default=22, ge=1, le=65535)
    description: Prose | None = prop("Purpose of the key.", replaces=True, max_length=255)
    validate_connection: Flag | None = option(
        "Whether an update lets the server connect with the key, unless it is active already. Set it once `publicKey` "
        "is installed at the SSH server: the create of a key does not validate it.",
        unset=False,
    )
    id: Text | None = answered("Id of the key.")
    public_key: Text | None = answered("Public key in the form of OpenSSH, for `authorized_keys` of the SSH server.")
    status: Text | None = answered(
        "`pending` before the first validation; then `active` or `failed`, after the last one."
    )
    status_message: Text | None = answered("Details of the status, such as the reason of a failed validation.")
    last_validated_at: Text | None = answered("When it was last validated (ISO-8601).")
    created_at: Text | None = answered("When it was created (ISO-8601).")
    updated_at: Text | None = answered("When it was last changed (ISO-8601).")


PIPE_SSH_KEY = ResourceType(
    PipeSshKey,
    "An SSH key that the server generates, with which pipes of a service reach their sources through an SSH server. "
    "Install `publicKey` there. Nothing of it can change in place.",
    required_outputs=("serviceId", "name", "host", "username", "port", "status"),
    state_inputs=("serviceId",),
    only=CLICKHOUSE,
)
