"""What the provider and the sandbox assume of servers about sources."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import ALL, MEASURED, Assumption

METRICS_NEED_A_TABLE_NAME = Assumption(
    "A source of metrics is refused without a name of a table, which may be empty.", MEASURED, ALL
)
SOURCES_MAY_REFER_TO_EACH_OTHER = Assumption(
    "A source may refer to another one that refers to it, and a delete of one leaves the id in the other.",
    "read in the observability server 2.36.0 (controllers/sources.ts)",
    ALL,
)
SOURCE_UPDATE_REPLACES = Assumption("An update of a source clears the properties that it omits.", MEASURED, ALL)
TRACES_GET_A_PRECISION = Assumption("A source of traces without a precision has three digits.", MEASURED, ALL)
SOURCE_NEEDS_A_CONNECTION = Assumption("A source with an unknown connection is refused.", MEASURED, ALL)
SOURCES_GET_DEFAULTS = Assumption("A source is returned with `disabled` and `querySettings`.", MEASURED, ALL)
