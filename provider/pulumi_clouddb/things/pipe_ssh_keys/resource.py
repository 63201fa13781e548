"""SSH keys of pipes: the server generates them, and an update validates their connection."""

from __future__ import annotations

from collections.abc import Iterable

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.functions import get_one, list_all
from pulumi_clouddb.resource.plain import PlainResource
from pulumi_clouddb.resource.settled import repeated
from pulumi_clouddb.resource.state import State
from pulumi_clouddb.schema.names import property_name

from .api import PipeSshKeys
from .pipe_ssh_key import PIPE_SSH_KEY, PipeSshKey, SshKeyStatus

UNVALIDATED = (SshKeyStatus.PENDING, SshKeyStatus.FAILED)
STATUS = property_name(PipeSshKey, lambda key: key.status)
OF_VALIDATION = (
    STATUS,
    property_name(PipeSshKey, lambda key: key.status_message),
    property_name(PipeSshKey, lambda key: key.last_validated_at),
    property_name(PipeSshKey, lambda key: key.updated_at),
)


class PipeSshKeyResource(PlainResource[PipeSshKey]):
    """An SSH key of pipes."""

    type = PIPE_SSH_KEY
    collection = PipeSshKeys
    functions = (get_one(PIPE_SSH_KEY, PipeSshKeys), list_all(PIPE_SSH_KEY, PipeSshKeys, by_name=True))

    def create(self, session: Session, wanted: PipeSshKey) -> tuple[str, State[PipeSshKey]]:
        """Create the key, which no SSH server knows yet."""
        key_id, state = super().create(session, wanted)
        if self.needs_repair(state):
            session.warn(
                f"{self.what(wanted)} (id {key_id}) is not validated by the run that creates it.\n"
                f"Install its publicKey for {wanted.username} on {wanted.host}, then run again."
            )
        return key_id, state

    def update(self, session: Session, object_id: str, old: State[PipeSshKey], wanted: PipeSshKey) -> State[PipeSshKey]:
        """Validate the connection, if the program asks for that.

        Raises:
            ResourceError: The server cannot connect with the key.
        """
        state = super().update(session, object_id, old, wanted)
        if not wanted.validate_connection or old.actual.status == SshKeyStatus.ACTIVE:
            return state
        keys = session.api.of(PipeSshKeys, wanted.service_id)
        record = repeated(lambda: keys.validate(object_id))
        if record.status != SshKeyStatus.ACTIVE:
            reason = record.status_message or f"its status is {record.status}"
            raise ResourceError(
                f"{self.what(wanted)} (id {object_id}): the server cannot connect with it: {reason}",
                f"Install its publicKey for {wanted.username} on {wanted.host}, then run again.",
            )
        return self.state_of(session, wanted, record, object_id)

    def needs_repair(self, old: State[PipeSshKey]) -> tuple[str, ...]:
        """Return the status if the connection is still to be validated."""
        return (STATUS,) if old.wanted.validate_connection and old.actual.status in UNVALIDATED else ()

    def outputs_changed_by(self, old: State[PipeSshKey], changed: tuple[str, ...]) -> Iterable[str]:
        """Return the outputs that a validation changes; the public key stays known."""
        return OF_VALIDATION
