"""What the provider and the sandbox assume of servers about sources."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import ALL, Assumption, measured

METRICS_NEED_A_TABLE_NAME = measured("A source of metrics is refused without a name of a table, which may be empty.")
SOURCES_MAY_REFER_TO_EACH_OTHER = Assumption(
    "A source may refer to another one that refers to it, and a delete of one leaves the id in the other.",
    "read in the observability server 2.36.0 (controllers/sources.ts)",
    ALL,
)
SOURCE_UPDATE_REPLACES = measured("An update of a source clears the properties that it omits.")
TRACES_GET_A_PRECISION = measured("A source of traces without a precision has three digits.")
SOURCE_NEEDS_A_CONNECTION = measured("A source with an unknown connection is refused.")
SOURCES_GET_DEFAULTS = measured("A source is returned with `disabled` and `querySettings`.")
