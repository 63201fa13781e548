"""What the user looks for: a name, an id, or a link to a page of an observability server."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, urlsplit

from pulumi_clouddb.things.alerts.alert import ALERT
from pulumi_clouddb.things.dashboards.dashboard import DASHBOARD
from pulumi_clouddb.things.saved_searches.saved_search import SAVED_SEARCH

TILE = "Tile"
"""The kind of a tile, which is not a resource."""

HIGHLIGHTED = "highlightedTileId"
"""The parameter with the id of a tile, in the link of an alert's notification (buildChartLink of tasks/checkAlerts/
providers/default.ts of the observability server 2.36.0), which the page of the dashboard reads."""

PAGES: Mapping[str, str] = {
    DASHBOARD.name: "/dashboards/{id}",
    SAVED_SEARCH.name: "/search/{id}",
    ALERT.name: "/alerts/{id}",
    TILE: f"/dashboards/{{dashboard}}?{HIGHLIGHTED}={{id}}",
}
"""The pages of a self-hosted server by kind (packages/app/pages of the observability server 2.36.0)."""

_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_OBJECT_ID = "[0-9a-f]{24}"


@dataclass(frozen=True)
class Query:
    """What the user looks for.

    Attributes:
        text: As the user wrote it, without spaces around it.
        words: The parts of a link that can be ids, the most specific last; empty if it is not a link.
        kind: The kind of page that a link leads to; empty if it is not known.
        page: The address up to the path of that page; empty if it is not known.
    """

    text: str
    words: tuple[str, ...] = ()
    kind: str = ""
    page: str = ""

    @property
    def target(self) -> str:
        """The id of the one object that is looked for; empty for a name."""
        if self.kind == TILE:
            return self.words[-1]
        ids = [each for each in self.words or (self.text,) if re.fullmatch(f"{_UUID}|{_OBJECT_ID}", each, re.I)]
        return ids[-1] if ids else ""

    @property
    def is_of_observability(self) -> bool:
        """Whether the target has the form of an id of an observability server."""
        return re.fullmatch(_OBJECT_ID, self.target, re.I) is not None

    def names(self, name: str) -> bool:
        """Return whether a name contains the text, ignoring case; a link has no names."""
        return not self.words and self.text.casefold() in name.casefold()


def query_of(text: str) -> Query:
    """Return what a text asks for. A link may lack its beginning, such as `/dashboards/ID`."""
    text = text.strip().strip("<>")
    parts = urlsplit(text)
    segments = [each for each in f"{parts.path}/{parts.fragment}".split("/") if each]
    parameters = dict(parse_qsl(parts.query))
    if "/" not in text and not parameters:
        return Query(text)
    tile = parameters.pop(HIGHLIGHTED, "")
    words = (*parameters.values(), *segments, *([tile] if tile else []))
    for kind, page in PAGES.items():
        before, found, _ = text.partition(page.partition("{")[0])
        if found:
            return Query(text, words, TILE if tile else kind, before if parts.netloc else "")
    return Query(text, words)


def path_of(kind: str, object_id: str, dashboard_id: str = "") -> str:
    """Return the path of an object's page on a self-hosted server; empty if it has no page of its own.

    The page of an alert is switched off in servers as they are delivered (IS_ALERT_DETAILS_ENABLED of
    packages/app/src/config.ts): they link to what it watches.
    """
    page = "" if kind == ALERT.name else PAGES.get(kind, "")
    return page.format(id=quote(object_id, safe=""), dashboard=quote(dashboard_id, safe=""))
