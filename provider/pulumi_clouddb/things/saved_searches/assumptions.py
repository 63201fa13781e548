"""What the provider and the sandbox assume of servers about saved searches."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import measured

SEARCH_FILTERS_ARE_THOSE_OF_THE_SIDEBAR = measured(
    "A new filter of a saved search is refused unless it is one column with IN, NOT IN or BETWEEN."
)
SEARCH_UPDATE_RESTORES_DEFAULTS = measured("An update of a saved search restores the defaults of what it omits.")
SEARCH_NEEDS_A_SOURCE = measured("A saved search of an unknown source is refused.")
SEARCH_TAKES_ITS_ALERTS = measured("Deleting a saved search deletes its alerts.")
