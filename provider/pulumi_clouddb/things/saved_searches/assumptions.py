"""What the provider and the sandbox assume of servers about saved searches."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import ALL, MEASURED, Assumption

SEARCH_FILTERS_ARE_THOSE_OF_THE_SIDEBAR = Assumption(
    "A new filter of a saved search is refused unless it is one column with IN, NOT IN or BETWEEN.", MEASURED, ALL
)
SEARCH_UPDATE_RESTORES_DEFAULTS = Assumption(
    "An update of a saved search restores the defaults of what it omits.", MEASURED, ALL
)
SEARCH_NEEDS_A_SOURCE = Assumption("A saved search of an unknown source is refused.", MEASURED, ALL)
SEARCH_TAKES_ITS_ALERTS = Assumption("Deleting a saved search deletes its alerts.", MEASURED, ALL)
