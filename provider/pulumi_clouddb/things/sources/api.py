"""Data sources of an observability server."""

from __future__ import annotations

from collections.abc import Mapping

from pulumi_clouddb.client.collection import SHARED_LIST_SECONDS, Collection
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.client.operation import observability
from pulumi_clouddb.client.replaced import ReplacedCollection
from pulumi_clouddb.resource.plain import service_and_id
from pulumi_clouddb.schema.convert import parse
from pulumi_clouddb.schema.names import ID, property_name
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.values import WireDict, WireValues
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .parts import SourceFrom, SourceKind
from .source import Source, links_of_kind
from .source_links import LINKS, SourceLinks

KIND = property_name(Source, lambda source: source.kind)
FROM = property_name(Source, lambda args: args.from_)
TABLE_NAME = property_name(SourceFrom, lambda place: place.table_name)


def with_table_name(kind: SourceKind | None, body: WireDict) -> WireDict:
    """Return the body of a source with a name of its table, maybe an empty one, if its kind is metrics."""
    table = body.get(FROM)
    if kind != SourceKind.METRIC or not isinstance(table, Mapping):
        return body
    return {**body, FROM: {**table, TABLE_NAME: table.get(TABLE_NAME) or ""}}


PATH = "/sources"
ONE = PATH + "/{sourceId}"


class Sources(ReplacedCollection[Source]):
    """The data sources of one server; the interface only lists them."""

    model = Source
    body = body_of(Source)
    id_part = "source_id"
    KINDS = SourceKind
    """The kinds of sources."""

    LIST = observability("list_sources", "GET", PATH, "Source", "list the data sources")
    CREATE = observability("create_source", "POST", PATH, "Source", "create the data source", only=CLICKHOUSE)
    GET = observability("get_source", "GET", ONE, "Source", "read the data source", only=CLICKHOUSE)
    UPDATE = observability("update_source", "PUT", ONE, "Source", "update the data source", only=CLICKHOUSE)
    DELETE = observability("delete_source", "DELETE", ONE, "None", "delete the data source", only=CLICKHOUSE)

    def current(self, object_id: str, known: WireValues) -> Source | None:
        """Request one source now: another process may have set its links since the last list.

        An update replaces the source with all that its program does not set.
        """
        read = self.api.if_offered(self.form(self.GET), lambda: self.get(object_id))
        return read or super().current(object_id, known)


class LinkedSources(Collection[SourceLinks]):
    """The links of the sources of one server; the id of each is that of its source, with the service if it has one."""

    def object_key(self, object_id: str) -> tuple[str, ...]:
        """Return what identifies the source."""
        return self._sources.object_key(service_and_id(object_id, None)[1])

    def get(self, object_id: str) -> SourceLinks:
        """Read the source."""
        return _links_in(self._sources.get(service_and_id(object_id, None)[1]))

    def find(self, object_id: str, *, max_age: float = SHARED_LIST_SECONDS) -> SourceLinks | None:
        """Find the source in the shared list of sources."""
        source = self._sources.find(service_and_id(object_id, None)[1], max_age=max_age)
        return None if source is None else _links_in(source)

    def change(self, object_id: str, body: WireValues) -> SourceLinks:
        """Replace the source by its current record with other links: servers have no other update.

        Raises:
            ResourceError: Sources of its kind do not have such a link; the server would drop it.
            NotFoundError: The source does not exist.
        """
        source_id = service_and_id(object_id, None)[1]
        before = self._sources.get(source_id)
        kind, allowed = before.kind, links_of_kind(before.kind)
        if wrong := [name for name, value in body.items() if value and name not in allowed]:
            raise ResourceError(
                f"SourceLinks {object_id}: the source is of kind {kind}, which has no {', '.join(wrong)}",
                f"Set {' or '.join(allowed)} instead." if allowed else "Link sources of another kind.",
            )
        links = {name: value or None for name, value in body.items()}
        record = {name: value for name, value in {**before.answer, **links}.items() if name != ID and value is not None}
        return _links_in(self._sources.replace(source_id, with_table_name(kind, record), before))

    @property
    def _sources(self) -> Sources:
        """The sources, whose shared list has the links, too: an update of a source must not use an older one."""
        return self.api.of(Sources, self.parent)


def _links_in(source: Source) -> SourceLinks:
    return parse(SourceLinks, {name: source.answer[name] for name in (KIND, *LINKS) if name in source.answer})
