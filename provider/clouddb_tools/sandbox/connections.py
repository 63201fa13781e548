"""Connections of the self-hosted server to databases. Responses never contain passwords.

They follow the vendor's observability server 2.36.0 (routers/external-api/v2/connections.ts).
"""

from __future__ import annotations

from pulumi_clouddb.schema.base import Text, prop
from pulumi_clouddb.things.connections.api import Connections
from pulumi_clouddb.things.connections.connection import Connection

from .bodies import body_with
from .responses import HTTPError
from .served import ServedWithPredefined
from .state import SELF_HOSTED, Call, SandboxState
from .store import Document
from .zod import checked

CONNECTION = "65f5e4a3b9e77c001a567800"

_PREFIX = "hyperdxSettingPrefix"
_KEPT = ("password", _PREFIX, "isPrometheusEndpoint")


_BODY = body_with(Connection, name=(Text | None, prop("Name; it may be empty.", required=True)))


class ServedConnections(ServedWithPredefined):
    """The connections of the self-hosted server; the servers of services have no route for connections."""

    def parent(self, state: SandboxState, call: Call) -> str:
        """Return the parent of all objects of the self-hosted server."""
        return SELF_HOSTED

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return the validated fields. Null removes the prefix.

        In an update, an empty text removes the prefix too, and an empty password keeps the old password.
        """
        given = call.body
        empty = (None, "") if call.operation.method == "PUT" else (None,)
        clears = isinstance(given, dict) and _PREFIX in given and given[_PREFIX] in empty
        if clears:
            given = {name: value for name, value in given.items() if name != _PREFIX}
        body = checked(_BODY, given)
        if call.operation.method == "PUT" and not body.get("password"):
            body.pop("password", None)
        return {**body, **({_PREFIX: None} if clears else {})}

    def kept(self, old: Document) -> Document:
        """Return the fields that a replacement keeps unless it sets them."""
        return {**super().kept(old), **{name: old[name] for name in _KEPT if name in old}}

    def update(self, state: SandboxState, call: Call) -> Document:
        """Replace a connection, and remove a prefix of null."""
        document = super().update(state, call)
        document = {name: value for name, value in document.items() if value is not None}
        state.store.put(self.kind, document["id"], document)
        return document

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the connection without its password."""
        return {name: value for name, value in document.items() if name != "password" and value is not None}

    def missing(self) -> HTTPError:
        """Return the error for an unknown id, which is plain text."""
        return HTTPError(404, "Not Found", plain=True)


SERVED = ServedConnections(Connections, name="Connection", host="http://localhost:8123", username="default")


def add_predefined(state: SandboxState, stack: str) -> None:
    """Add the predefined connection of a stack."""
    fields = {"name": "Local", "host": "http://localhost:8123", "username": "default", "password": ""}
    SERVED.add_predefined(state, stack, {CONNECTION: fields})
