"""Connections of a self-hosted observability server; their passwords are only ever written."""

from __future__ import annotations

from pulumi_clouddb.api.collections.connections import Connections
from pulumi_clouddb.api.collections.sources import Sources
from pulumi_clouddb.models.base import NoRecord
from pulumi_clouddb.models.connection import CONNECTION, LIST_CONNECTIONS, ConnectionArgs, ConnectionResponse
from pulumi_clouddb.models.convert import to_wire

from .functions import Function, listing, named
from .observability import ObservabilityResource
from .session import Session
from .state import State
from .users import users_of

_USERS = {"source": Sources}


class ConnectionResource(ObservabilityResource[ConnectionArgs, ConnectionResponse, NoRecord]):
    """A connection of a self-hosted server."""

    type = CONNECTION
    collection = Connections
    functions = (
        Function(
            LIST_CONNECTIONS,
            lambda api, args: listing(
                LIST_CONNECTIONS, (to_wire(each) for each in named(args.name, api.of(Connections).list()))
            ),
        ),
    )

    def delete(
        self, session: Session, object_id: str, state: State[ConnectionArgs, ConnectionResponse, NoRecord]
    ) -> None:
        """Delete the connection.

        A server deletes one that is in use without a word, and refuses the next update of what uses it
        (tests/test_connections.py): these sources are named.
        """
        used = users_of(session, object_id, None, _USERS)
        super().delete(session, object_id, state)
        if used and (used := users_of(session, object_id, None, _USERS, max_age=0.0)):
            session.warn(
                f"{self.what(state.args)} (id {object_id}) is deleted, but still used by {', '.join(used)}: the server "
                "refuses updates of these until they name another connection."
            )
