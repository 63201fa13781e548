"""Data sources of an observability server."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from pulumi_clouddb.api.collection import Collection as Objects
from pulumi_clouddb.api.collections.dashboards import Dashboards
from pulumi_clouddb.api.collections.saved_searches import SavedSearches
from pulumi_clouddb.api.collections.sources import Sources
from pulumi_clouddb.models.base import NoRecord, wire_name
from pulumi_clouddb.models.source import LIST_SOURCES, SOURCE, SourceArgs, SourceResponse
from pulumi_clouddb.models.source_fields import USUAL_PRECISION, SourceKind

from .functions import Function, listing, named
from .observability import ObservabilityResource
from .session import Session
from .state import Flat, State
from .users import users_of

_USERS: Mapping[str, type[Objects[Any]]] = {"dashboard": Dashboards, "saved search": SavedSearches}


class SourceResource(ObservabilityResource[SourceArgs, SourceResponse, NoRecord]):
    """A data source of a managed or self-hosted server."""

    type = SOURCE
    collection = Sources
    functions = (
        Function(
            LIST_SOURCES,
            lambda api, args: listing(
                LIST_SOURCES, (each.answer for each in named(args.name, api.of(Sources, args.service_id).list()))
            ),
        ),
    )

    def body(self, args: SourceArgs, names: Collection[str] | None = None) -> Flat:
        """Return what is sent, with what servers ask for.

        Of a source of metrics the table, which may be empty; of one of traces the precision, as its description says.
        """
        body = super().body(args, names)
        if body.get("kind") == SourceKind.TRACE:
            body.setdefault(wire_name(SourceArgs, "duration_precision"), USUAL_PRECISION)
        if body.get("kind") == SourceKind.METRIC and "from" in body:
            body["from"] = {"tableName": "", **body["from"]}
        return body

    def delete(self, session: Session, object_id: str, state: State[SourceArgs, SourceResponse, NoRecord]) -> None:
        """Delete the source.

        A server deletes one that is in use without a word, and refuses the next update of what uses it
        (tests/test_sources.py): these objects are named.
        """
        used = users_of(session, object_id, state.args.service_id, _USERS)
        super().delete(session, object_id, state)
        if used and (used := users_of(session, object_id, state.args.service_id, _USERS, max_age=0.0)):
            session.warn(
                f"{self.what(state.args)} (id {object_id}) is deleted, but still used by {', '.join(used)}: the server "
                "refuses updates of these until they name another source."
            )
