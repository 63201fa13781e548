"""The links of a source: an override that restores the original links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.overrides import OverrideResource
from pulumi_clouddb.resource.plain import service_and_id
from pulumi_clouddb.resource.state import State
from pulumi_clouddb.schema.base import Model
from pulumi_clouddb.schema.check.findings import Failure
from pulumi_clouddb.schema.convert import construct, to_wire
from pulumi_clouddb.schema.values import WireValues

from .api import LinkedSources, Sources
from .parts import SourceKind
from .source import links_apart
from .source_links import LINKS, SOURCE_LINKS, SourceLinkFields, SourceLinks

_CLEARED: Mapping[str, str] = dict.fromkeys(LINKS, "")


class SourceLinksResource(OverrideResource[SourceLinks]):
    """The links of a source; the id is that of the source, or `serviceId/sourceId`."""

    type = SOURCE_LINKS
    collection = Sources
    fields = SourceLinkFields

    def object_of(self, session: Session, wanted: SourceLinks) -> str:
        """Return the id of the source, with the service if it has one."""
        return "/".join(each for each in (wanted.service_id, wanted.source_id) if each)

    def named(self, object_id: str) -> SourceLinks:
        """Return the arguments that name a source."""
        service_id, source_id = service_and_id(object_id, None)
        links = SourceLinks.model_construct(source_id=source_id)
        if service_id:
            links.service_id = service_id
        return links

    def objects(self, session: Session, object_id: str) -> LinkedSources:
        """Return the links of the sources of the server."""
        return session.api.of(LinkedSources, service_and_id(object_id, None)[0])

    def import_(self, session: Session, object_id: str, hints: SourceLinks) -> tuple[str, State[SourceLinks]]:
        """Import the links; destroying clears them, except the one that a source of sessions needs."""
        service_id, source_id = service_and_id(object_id, hints.service_id)
        own_id, state = super().import_(session, f"{service_id}/{source_id}" if service_id else source_id, hints)
        if state.actual.kind == SourceKind.SESSION:
            return own_id, state
        cleared = state.actual.model_copy(update={self.original: construct(SourceLinkFields, _CLEARED)})
        return own_id, replace(state, actual=cleared)

    def importable(
        self, session: Session, given: SourceLinks, reported: WireValues, hints: SourceLinks | None = None
    ) -> tuple[SourceLinks, tuple[Failure, ...]]:
        """Return the links to sources that refer back, which an import of the source leaves out; without one, all."""
        others = session.api.of(Sources, given.service_id).records() or {}
        source = others.get(str(given.source_id))
        apart = links_apart(source, others) if source else ()
        shown = {name: value for name, value in reported.items() if name not in LINKS or name in (apart or LINKS)}
        return super().importable(session, given, shown, hints)

    def took(self, served: SourceLinks, sent: Model) -> bool:  # type: ignore[override]
        """Return whether a source has all links that were sent; an empty one is absent."""
        links = to_wire(served)
        return all((links.get(name) or "") == value for name, value in to_wire(sent).items())

    def _fields_of(self, record: SourceLinks) -> SourceLinkFields:
        """Return all links, those that the source does not have as empty texts: an override restores these, too."""
        return construct(SourceLinkFields, {**_CLEARED, **to_wire(super()._fields_of(record))})
