"""The parts of a dashboard besides its tiles: filters, containers, and saved conditions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from pulumi_clouddb.schema.base import FilledText, Flag, Model, Text, prop
from pulumi_clouddb.schema.choice import OpenChoice
from pulumi_clouddb.schema.observability import FilterKind, SearchLanguage
from pulumi_clouddb.schema.rules import Rule
from pulumi_clouddb.schema.vendor import LONGEST_EXPRESSION, ObjectId, repeated, rule
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

LONGEST_ID = 256
MOST_TABS = 20
VARIABLE_NAME = "^[a-zA-Z][a-zA-Z0-9_]*$"


class DashboardFilterType(OpenChoice):
    """Kind of filter."""

    QUERY_EXPRESSION = "QUERY_EXPRESSION", "the values of an expression"


class MetricDataType(OpenChoice):
    """Kind of metric."""

    SUM = "sum"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"
    SUMMARY = "summary"
    EXPONENTIAL_HISTOGRAM = "exponential histogram"


def broadcasts(item: DashboardFilter) -> bool:
    """Return whether the chosen value is a condition on tiles, which is the default."""
    return item.is_broadcast_enabled is not False


def variable_of(item: DashboardFilter) -> str | None:
    """Return the name of the variable with the chosen value; by default it is derived from the filter's name."""
    if item.variable_name is not None:
        return item.variable_name
    derived = re.sub(r"[^a-zA-Z0-9_]", "", re.sub(r"\s+", "_", (item.name or "").strip()))
    named = f"v{derived}" if re.match(r"[0-9_]", derived) else derived
    return named if re.fullmatch(VARIABLE_NAME, named) else None


class DashboardFilter(Model):
    """A filter at the top of a dashboard: its value is a condition on tiles, or a variable in their queries, or both.

    Name and expression identify it, and also its source if these are equal; the server assigns an id.
    """

    DIALECT = CLICKHOUSE
    SERVER_SETS: ClassVar[Mapping[str, str]] = {"id": ": name and expression identify a filter"}
    RULES: ClassVar[tuple[Rule[DashboardFilter], ...]] = (
        rule(
            lambda item: item.is_broadcast_enabled,
            lambda item: not broadcasts(item) and not item.is_variable_enabled,
            "must be true if isVariableEnabled is not",
            "Filter must broadcast its value, be available as a variable, or both",
            "isBroadcastEnabled",
        ),
        rule(
            lambda item: item.variable_name,
            lambda item: item.variable_name is not None and not item.is_variable_enabled,
            "is for filters whose isVariableEnabled is true",
            "Filter sets variableName but is not available as a variable; set isVariableEnabled to true or drop "
            "variableName",
            "variableName",
        ),
        rule(
            lambda item: item.variable_name,
            lambda item: item.is_variable_enabled and variable_of(item) is None,
            "is required if isVariableEnabled is true and the filter's name contains no name of a variable",
            "Variable name is required for filter",
            "variableName",
        ),
        rule(
            lambda item: item.applies_to_source_ids,
            lambda item: bool(item.applies_to_source_ids) and not broadcasts(item),
            "is for filters whose isBroadcastEnabled is true",
            "Filter sets appliesToSourceIds but does not broadcast its value; set isBroadcastEnabled to true or drop "
            "appliesToSourceIds",
            "appliesToSourceIds",
        ),
    )

    type: DashboardFilterType = prop("Kind of filter.", required=True)
    name: Text = prop("Name of the filter.", required=True, min_length=1)
    expression: Text = prop("SQL expression of the values to choose from.", required=True, min_length=1)
    source_id: ObjectId = prop("Id of the data source of the values.", required=True)
    source_metric_type: MetricDataType | None = prop("Kind of metric, for sources of metrics.")
    where: Text | None = prop("Condition on the rows of the values.")
    where_language: SearchLanguage | None = prop(
        "Language of the condition.", unset=SearchLanguage.SQL, with_text="where"
    )
    applies_to_source_ids: list[FilledText] | None = prop(
        "Ids of the data sources whose tiles the value applies to; empty for all."
    )
    is_broadcast_enabled: Flag | None = prop("Whether the value is a condition on tiles.", unset=True)
    is_variable_enabled: Flag | None = prop("Whether the value is a variable in queries of tiles.", unset=False)
    variable_name: Text | None = prop(
        "Name of the variable: tiles write `$name`.",
        unset="made of the filter's name",
        max_length=64,
        pattern=VARIABLE_NAME,
    )


class DashboardContainerTab(Model):
    """A tab of a container."""

    id: Text = prop(
        "Name of the tab within its container; tiles refer to it as `tabId`.",
        required=True,
        min_length=1,
        max_length=LONGEST_ID,
    )
    title: Text = prop("Title of the tab.", required=True, min_length=1, max_length=LONGEST_ID)


class DashboardContainer(Model):
    """A group of tiles; a tile joins it by `containerId`."""

    DIALECT = CLICKHOUSE
    RULES: ClassVar[tuple[Rule[DashboardContainer], ...]] = (
        rule(lambda item: item.tabs, lambda item: repeated(tab.id for tab in item.tabs or ()), "must have unique ids"),
    )

    id: Text = prop(
        "Name of the container within its dashboard; tiles refer to it as `containerId`.",
        required=True,
        min_length=1,
        max_length=LONGEST_ID,
    )
    title: Text = prop("Title of the container.", required=True, min_length=1, max_length=LONGEST_ID)
    collapsed: Flag = prop("Whether it is shown collapsed at first.", required=True)
    collapsible: Flag | None = prop("Whether it can be collapsed.", unset=True)
    bordered: Flag | None = prop("Whether it has a border.", unset=True)
    tabs: list[DashboardContainerTab] | None = prop("Tabs, in order; two or more are shown.", max_length=MOST_TABS)


class SavedFilterValue(Model):
    """A condition of the dashboard when it is opened."""

    type: FilterKind | None = prop("Kind of condition.", unset=FilterKind.SQL)
    condition: Text = prop(
        "The condition, such as `ServiceName IN ('checkout')`.", required=True, max_length=LONGEST_EXPRESSION
    )
