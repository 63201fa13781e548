"""What the provider and the sandbox assume of servers about dashboards."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import measured

UPDATE_DELETES_ALERTS_OF_REMOVED_TILES = measured(
    "An update of a dashboard deletes the alerts on tiles that it removes.", of_interface=True
)
UPDATE_DELETES_ALERTS_OF_OTHER_KINDS = measured(
    "An update of a dashboard deletes the alerts on its tiles that are neither lines, stacked bars nor numbers."
)
ALERT_IS_ACCEPTED_ON_ANY_KIND = measured(
    "A new alert is accepted on a tile of any kind, also if the next update of the dashboard deletes it."
)
DASHBOARD_TAKES_ITS_ALERTS = measured("Deleting a dashboard deletes the alerts on its tiles.", of_interface=True)
REFUSALS_NAME_UNKNOWN_SOURCES = measured("The refusal of a tile of an unknown source contains the id of the source.")
DASHBOARD_UPDATE_KEEPS_WHAT_IT_OMITS = measured(
    "An update of a dashboard keeps the tags, filters, query, filter values and containers that it omits."
)
EMPTY_VALUES_CLEAR_A_DASHBOARD = measured(
    "An empty list, or null as the query, clears these properties of a dashboard."
)
SERIES_ARE_RETURNED_AS_CONFIG = measured("A tile that was sent with series is returned with a config.")
TILES_KEEP_THEIR_ORDER = measured(
    "A dashboard returns its tiles in the order in which they were sent.", of_interface=True
)
KNOWN_TILES_KEEP_THEIR_IDS = measured(
    "A tile that an update sends with an id of the dashboard keeps that id.", of_interface=True
)
OTHER_TILES_GET_NEW_IDS = measured(
    "A tile without an id, or with one that the dashboard does not have, gets a new one.", of_interface=True
)
NEW_FILTER_GETS_ANOTHER_ID = measured(
    "An update gives another id to a filter with an unknown id, and keeps the ids of known filters."
)
NEW_DASHBOARD_HAS_FILTERS_WITHOUT_IDS = measured("A new dashboard is refused if one of its filters has an id.")
TILES_DROP_FOREIGN_PROPERTIES = measured(
    "Properties that the kind of a tile does not have are dropped without an error."
)
DASHBOARDS_ARE_LISTED_BY_NAME = measured("Dashboards are listed in descending order of their names.")
UNKNOWN_DASHBOARD_IS_DELETED = measured("Deleting a dashboard that does not exist is not an error.")
TAGS_LOSE_DUPLICATES = measured("A dashboard is stored without duplicate tags.")
LINES_GET_DEFAULTS = measured("A line is returned with `asRatio` and `fillNulls`.")
SAVED_QUERY_GETS_A_LANGUAGE = measured("The language of a query without one is Lucene.")
FILTER_VALUES_GET_A_KIND = measured("A value of a filter without a kind is SQL.")
FILTERS_REFUSE_UNKNOWN_PROPERTIES = measured("A filter with an unknown property is refused.")
MISSING_LANGUAGE_IS_STORED_AS_NULL = measured(
    "An update stores null for the language that a selected value leaves out, and a create stores none; both return "
    "Lucene. The page cannot save a dashboard with null.",
)
