"""Connections of a stack to databases: one from the start; passwords are kept, and no response shows them.

They follow the vendor's observability server 2.36.0 (routers/external-api/v2/connections.ts).
"""

from __future__ import annotations

from pulumi_clouddb.connections.api import Connections
from pulumi_clouddb.connections.connection import Connection
from pulumi_clouddb.schema.base import Text, prop

from .bodies import body_with
from .responses import HTTPError
from .served import Furnished
from .state import SELF_HOSTED, Call, SandboxState
from .store import Document
from .zod import checked

CONNECTION = "65f5e4a3b9e77c001a567800"

_PREFIX = "hyperdxSettingPrefix"
_KEPT = ("password", _PREFIX, "isPrometheusEndpoint")


_BODY = body_with(Connection, name=(Text | None, prop("Name; it may be empty.", required=True)))


class ServedConnections(Furnished):
    """The connections of the self-hosted server; those of managed stacks have no route."""

    def parent(self, state: SandboxState, call: Call) -> str:  # noqa: ARG002
        """Return the place of the self-hosted objects."""
        return SELF_HOSTED

    def fields(self, state: SandboxState, call: Call) -> Document:  # noqa: ARG002
        """Return what the body sets, or refuse it; null, and in an update the empty text, is no prefix.

        In an update an empty password is none either: the old one stays.
        """
        given = call.body
        none = (None, "") if call.operation.method == "PUT" else (None,)
        clears = isinstance(given, dict) and _PREFIX in given and given[_PREFIX] in none
        if clears:
            given = {name: value for name, value in given.items() if name != _PREFIX}
        body = checked(_BODY, given)
        if call.operation.method == "PUT" and not body.get("password"):
            body.pop("password", None)
        return {**body, **({_PREFIX: None} if clears else {})}

    def kept(self, old: Document) -> Document:
        """Return what a replacement leaves as it was, unless it sets it."""
        return {**super().kept(old), **{name: old[name] for name in _KEPT if name in old}}

    def update(self, state: SandboxState, call: Call) -> Document:
        """Replace a connection; a prefix of null is none."""
        document = super().update(state, call)
        document = {name: value for name, value in document.items() if value is not None}
        state.store.put(self.kind, document["id"], document)
        return document

    def shown(self, state: SandboxState, document: Document) -> Document:  # noqa: ARG002
        """Return the connection without its password."""
        return {name: value for name, value in document.items() if name != "password" and value is not None}

    def missing(self) -> HTTPError:
        """There is no such connection; the server says so in plain text."""
        return HTTPError(404, "Not Found", plain=True)


SERVED = ServedConnections(Connections, name="Connection", host="http://localhost:8123", username="default")


def add_usual(state: SandboxState, stack: str) -> None:
    """Give a stack its connection."""
    fields = {"name": "Local", "host": "http://localhost:8123", "username": "default", "password": ""}
    SERVED.furnish(state, stack, {CONNECTION: fields})
