"""Data sources of an observability server."""

from __future__ import annotations

from collections.abc import Collection

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.functions import get_by_name, list_all
from pulumi_clouddb.resource.observability import ObservabilityResource
from pulumi_clouddb.schema.check.findings import Failure
from pulumi_clouddb.schema.convert import parse, to_wire
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.values import WireDict, WireValues
from pulumi_clouddb.things.dashboards.api import Dashboards
from pulumi_clouddb.things.saved_searches.api import SavedSearches

from .api import Sources, with_table_name
from .parts import USUAL_PRECISION, SourceKind
from .source import SOURCE, Source, links_apart

PRECISION = property_name(Source, lambda args: args.duration_precision)


class SourceResource(ObservabilityResource[Source]):
    """A data source of a managed or self-hosted server."""

    type = SOURCE
    collection = Sources
    users = (("dashboard", Dashboards), ("saved search", SavedSearches))
    functions = (
        get_by_name(SOURCE, Sources, whole=True, called="data sources"),
        list_all(SOURCE, Sources, whole=True, by_name=True, called="data sources"),
    )

    def importable(
        self, session: Session, given: Source, reported: WireValues, hints: Source | None = None
    ) -> tuple[Source, tuple[Failure, ...]]:
        """Return the inputs of an imported source, without the links that a SourceLinks sets if programs create both.

        They are unmanaged like all that a program does not set, so that updates keep them.
        """
        others = session.api.of(Sources, given.service_id).records() or {}
        apart = {*links_apart(parse(Source, reported), others)} - (to_wire(hints) if hints else {}).keys()
        shown = {name: value for name, value in reported.items() if name not in apart}
        return super().importable(session, given, shown, hints)

    def body(self, wanted: Source, names: Collection[str] | None = None) -> WireDict:
        """Return the body of a request, with the properties that servers require.

        These are the table of a source of metrics, which may be empty, and the precision of a source of traces.
        """
        body = super().body(wanted, names)
        if wanted.kind == SourceKind.TRACE:
            body.setdefault(PRECISION, USUAL_PRECISION)
        return with_table_name(wanted.kind, body)
