"""Looks for objects on the configured servers and in the states of stacks; one request for each list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from clouddb_tools.commands.export.choice import Choice
from clouddb_tools.commands.export.inventory import Listing, Progress, is_observability, item_of
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.base import Record
from pulumi_clouddb.schema.names import similar
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from pulumi_clouddb.things.alerts.alert import ALERT, Alert
from pulumi_clouddb.things.dashboards.dashboard import DASHBOARD, Dashboard
from pulumi_clouddb.things.saved_searches.saved_search import SAVED_SEARCH

from .query import TILE, Query, path_of
from .servers import SERVERS, Servers
from .stacks import PARTS, Managed, managing

NEAREST, LIKE = 3, 0.6
"""So many names are suggested, of at least this similarity."""

API = "/api"
"""The address of a server's page, with this at the end, is one of its API: the page forwards these requests
(pages/api/[...all].ts of the observability server 2.36.0)."""


@dataclass(frozen=True)
class Match:
    """A found object.

    Attributes:
        kind: The Pulumi name of its resource, or `TILE`.
        name: Its name; empty without one.
        object_id: Its id, without the service.
        listing: Where it was found; None if only a state has it.
        import_id: Its import id; empty for a tile.
        within: The dashboard of a tile.
        watches: What an alert watches.
        managed: The resources that manage it.
        can_be_managed: Whether a program can manage it; a predefined object belongs to the server.
        missing: Why it is only in a state; empty if a server lists it.
    """

    kind: str
    name: str
    object_id: str
    listing: Listing | None
    import_id: str = ""
    within: Match | None = None
    watches: Match | None = None
    managed: Sequence[Managed] = ()
    can_be_managed: bool = True
    missing: str = ""

    @property
    def path(self) -> str:
        """The path of its page on a self-hosted server, or of what an alert watches; empty without one."""
        if self.watches is not None:
            return self.watches.path
        if self.listing is None or self.listing.place != SERVERS[ServerKind.SELF_HOSTED]:
            return ""
        return path_of(self.kind, self.object_id, self.within.object_id if self.within else "")


@dataclass
class Result:
    """What a search has found.

    Attributes:
        matches: The found objects.
        page: The address of the self-hosted server's page; empty if it is not known, None if its paths are not.
        near: Similar names, if nothing was found.
    """

    matches: list[Match] = field(default_factory=list)
    page: str | None = ""
    near: list[str] = field(default_factory=list)


def search(
    session: Session, servers: Servers, query: Query, choice: Choice, managed: Sequence[Managed], progress: Progress
) -> Result:
    """Look for objects: for an id until it is found, for a name in every list.

    Args:
        session: The configuration.
        servers: The servers; they note the lists that cannot be read.
        query: What is looked for.
        choice: The kinds and services to search.
        managed: The resources of the stacks that were read.
        progress: Called with the current list.
    """
    finding = _Search(servers, query, choice, managed)
    matches = finding.matches(progress)
    page = _page(session, query) if session.rules.vocabulary is CLICKHOUSE else None
    return Result(matches, page, [] if matches else finding.near())


def _page(session: Session, query: Query) -> str:
    """Return the address of the self-hosted server's page, from a link or the address of its API."""
    url = session.config.stack_url or ""
    return query.page or (url.removesuffix(API) if url.endswith(API) else "")


class _Search:
    def __init__(self, servers: Servers, query: Query, choice: Choice, managed: Sequence[Managed]) -> None:
        self._servers, self._query, self._choice, self._managed = servers, query, choice, managed
        self._names: set[str] = {each.name for each in managed if each.name}
        self._listed: set[tuple[str, str]] = set()

    def matches(self, progress: Progress) -> list[Match]:
        found: list[Match] = []
        lists = sorted(self._servers.lists(), key=self._rank) if self._query.target else self._servers.lists()
        for number, listing in enumerate(lists):
            progress(f"{listing.kind} of {listing.place}", number, len(lists))
            found += self._in_list(listing)
            if found and self._query.target:
                return [*found, *self._alerts_on(found)]
        return [*found, *self._only_in_state()]

    def near(self) -> list[str]:
        """Return similar names; a part of a name is compared with each word."""
        words = {word: name for name in self._names for word in name.split()} | {each: each for each in self._names}
        return list(dict.fromkeys(words[each] for each in similar(self._query.text, words, NEAREST, LIKE)))

    def _rank(self, listing: Listing) -> tuple[bool, bool, bool]:
        """Return what sorts the lists that probably have the target first."""
        kind = DASHBOARD.name if self._query.kind == TILE else self._query.kind
        fits = is_observability(listing.kind) is self._query.is_of_observability
        return listing.kind != kind, not fits, listing.service_id is not None

    # -- servers ---------------------------------------------------------------------------------------------------

    def _in_list(self, listing: Listing) -> Iterator[Match]:
        collection = self._servers.collection(listing)
        for record in self._servers.records(listing):
            item, own_id = item_of(collection, listing, record), collection.id_of(record)
            managed = list(managing(self._managed, listing.kind, own_id, listing.service_id))
            self._listed.add((listing.kind, own_id))
            match = Match(listing.kind, item.name, own_id, listing, item.object_id, managed=managed)
            match = replace(match, can_be_managed=collection.can_be_managed(record))
            if self._is_wanted(match, [item.name, *(each.resource for each in managed)]):
                yield self._with_target(match, record)
            if isinstance(record, Dashboard):
                yield from (each for each in _tiles(match, record) if self._is_wanted(each, [each.name]))

    def _is_wanted(self, match: Match, names: Iterable[str]) -> bool:
        query = self._query
        self._names.update(filter(None, names))
        if query.kind == TILE and not (match.within and match.within.object_id in query.words):
            return False
        if match.import_id == query.text or match.object_id in (query.text, query.target):
            return True
        return not query.target and (match.object_id in query.words or any(map(query.names, names)))

    def _with_target(self, match: Match, record: Record) -> Match:
        """Return an alert with what it watches; other objects as they are."""
        if not isinstance(record, Alert) or match.listing is None:
            return match
        kind = SAVED_SEARCH.name if record.saved_search_id else DASHBOARD.name
        listing = replace(match.listing, kind=kind)
        watched = (each for found in self._servers.records(listing) for each in self._watchable(listing, found))
        return replace(match, watches=next((each for each in watched if _watches(record, each)), None))

    def _watchable(self, listing: Listing, record: Record) -> list[Match]:
        own_id = self._servers.collection(listing).id_of(record)
        match = Match(listing.kind, str(record.answer.get("name") or ""), own_id, listing)
        return [*_tiles(match, record)] if isinstance(record, Dashboard) else [match]

    def _alerts_on(self, found: Sequence[Match]) -> Iterator[Match]:
        """Yield the alerts that watch found objects: a notification has only the link to what its alert watches."""
        for match in found:
            if match.listing is None or match.kind not in (TILE, SAVED_SEARCH.name):
                continue
            listing = replace(match.listing, kind=ALERT.name)
            collection = self._servers.collection(listing)
            for record in self._servers.records(listing):
                if _watches(cast(Alert, record), match):
                    item, own_id = item_of(collection, listing, record), collection.id_of(record)
                    managed = list(managing(self._managed, ALERT.name, own_id, listing.service_id))
                    yield Match(ALERT.name, item.name, own_id, listing, item.object_id, watches=match, managed=managed)

    # -- states ----------------------------------------------------------------------------------------------------

    def _only_in_state(self) -> Iterator[Match]:
        """Yield wanted resources whose objects no server has listed."""
        for each in self._managed:
            kinds = {each.kind, PARTS.get(each.kind, each.kind)}
            listed = any((kind, each.object_id) in self._listed for kind in kinds)
            if listed or not any(map(self._choice.takes_kind, kinds)):
                continue
            lists = (listing for listing in self._servers.read if listing.kind in kinds)
            searched = any(listing.service_id in (None, each.service_id) for listing in lists)
            missing = "no server lists it" if searched else "not known: its server was not asked, or did not answer"
            match = Match(each.kind, each.name, each.object_id, None, managed=[each], missing=missing)
            # No state says which of its tiles a link means.
            has_tile = self._query.kind == TILE and each.object_id in self._query.words
            if has_tile or self._is_wanted(match, [each.name, each.resource]):
                yield match


def _tiles(dashboard: Match, record: Dashboard) -> Iterator[Match]:
    for tile in record.tiles or ():
        if tile.id:
            yield Match(TILE, tile.name or "", tile.id, dashboard.listing, within=dashboard, managed=dashboard.managed)


def _watches(alert: Alert, match: Match) -> bool:
    if match.kind == SAVED_SEARCH.name:
        return alert.saved_search_id == match.object_id
    boards = (None, match.within.object_id if match.within else None)
    return alert.tile_id == match.object_id and alert.dashboard_id in boards
