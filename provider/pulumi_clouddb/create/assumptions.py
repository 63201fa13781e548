"""What the provider and the sandbox assume of servers about new objects."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import ALL, DESCRIBED, INFERRED, MEASURED, Assumption

OBJECTS_ARE_DATED_BY_THE_SAME_CLOCK = Assumption(
    "The time of creation of an object is that of the clock in `Date`, to the second.", INFERRED, ALL, of_interface=True
)
NEW_OBJECTS_ARE_LISTED_SOON = Assumption(
    "A new object is in one of the four lists that follow, five seconds apart.", INFERRED, ALL, of_interface=True
)
IDS_BEGIN_WITH_THEIR_SECOND = Assumption(
    "The id of an object of an observability server begins with the second of its creation.",
    "https://www.mongodb.com/docs/manual/reference/method/ObjectId/",
    ALL,
)
DASHBOARDS_HAVE_NO_TIME = Assumption("A dashboard has no `createdAt`.", DESCRIBED, ALL)
DASHBOARD_NAMES_REPEAT = Assumption(
    "A second dashboard of the same name is another dashboard.", MEASURED, ALL, of_interface=True
)
