"""What the provider and the sandbox assume of servers about dashboards."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import ALL, MEASURED, Assumption

UPDATE_DELETES_ALERTS_OF_REMOVED_TILES = Assumption(
    "An update of a dashboard deletes the alerts on tiles that it removes.", MEASURED, ALL, of_interface=True
)
UPDATE_DELETES_ALERTS_OF_OTHER_KINDS = Assumption(
    "An update of a dashboard deletes the alerts on its tiles that are neither lines, stacked bars nor numbers.",
    MEASURED,
    ALL,
)
ALERT_IS_ACCEPTED_ON_ANY_KIND = Assumption(
    "A new alert is accepted on a tile of any kind, also if the next update of the dashboard deletes it.", MEASURED, ALL
)
DASHBOARD_TAKES_ITS_ALERTS = Assumption(
    "Deleting a dashboard deletes the alerts on its tiles.", MEASURED, ALL, of_interface=True
)
REFUSALS_NAME_UNKNOWN_SOURCES = Assumption(
    "The refusal of a tile of an unknown source contains the id of the source.", MEASURED, ALL
)
DASHBOARD_UPDATE_KEEPS_WHAT_IT_OMITS = Assumption(
    "An update of a dashboard keeps the tags, filters, query, filter values and containers that it omits.",
    MEASURED,
    ALL,
)
EMPTY_VALUES_CLEAR_A_DASHBOARD = Assumption(
    "An empty list, or null as the query, clears these properties of a dashboard.", MEASURED, ALL
)
SERIES_ARE_RETURNED_AS_CONFIG = Assumption("A tile that was sent with series is returned with a config.", MEASURED, ALL)
TILES_KEEP_THEIR_ORDER = Assumption(
    "A dashboard returns its tiles in the order in which they were sent.", MEASURED, ALL, of_interface=True
)
KNOWN_TILES_KEEP_THEIR_IDS = Assumption(
    "A tile that an update sends with an id of the dashboard keeps that id.", MEASURED, ALL, of_interface=True
)
OTHER_TILES_GET_NEW_IDS = Assumption(
    "A tile without an id, or with one that the dashboard does not have, gets a new one.",
    MEASURED,
    ALL,
    of_interface=True,
)
NEW_FILTER_GETS_ANOTHER_ID = Assumption(
    "An update gives another id to a filter with an unknown id, and keeps the ids of known filters.", MEASURED, ALL
)
NEW_DASHBOARD_HAS_FILTERS_WITHOUT_IDS = Assumption(
    "A new dashboard is refused if one of its filters has an id.", MEASURED, ALL
)
TILES_DROP_FOREIGN_PROPERTIES = Assumption(
    "Properties that the kind of a tile does not have are dropped without an error.", MEASURED, ALL
)
DASHBOARDS_ARE_LISTED_BY_NAME = Assumption("Dashboards are listed in descending order of their names.", MEASURED, ALL)
UNKNOWN_DASHBOARD_IS_DELETED = Assumption("Deleting a dashboard that does not exist is not an error.", MEASURED, ALL)
TAGS_LOSE_DUPLICATES = Assumption("A dashboard is stored without duplicate tags.", MEASURED, ALL)
LINES_GET_DEFAULTS = Assumption("A line is returned with `asRatio` and `fillNulls`.", MEASURED, ALL)
SAVED_QUERY_GETS_A_LANGUAGE = Assumption("The language of a query without one is Lucene.", MEASURED, ALL)
FILTER_VALUES_GET_A_KIND = Assumption("A value of a filter without a kind is SQL.", MEASURED, ALL)
FILTERS_REFUSE_UNKNOWN_PROPERTIES = Assumption("A filter with an unknown property is refused.", MEASURED, ALL)
MISSING_LANGUAGE_IS_STORED_AS_NULL = Assumption(
    "An update stores null for the language that a selected value leaves out, and a create stores none; both return "
    "Lucene. The page cannot save a dashboard with null.",
    MEASURED,
    ALL,
)
