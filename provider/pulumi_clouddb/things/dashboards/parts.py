"""The parts of a dashboard besides its tiles: filters, containers, and saved conditions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, ClassVar, TypeAlias

from pydantic import Field

from pulumi_clouddb.schema.base import Code, Data, Flag, Model, SqlPart, Text, prop
from pulumi_clouddb.schema.check.rules import SERVER, ArgsT, Rule, ServerMessage, Source, name_of, rule
from pulumi_clouddb.schema.choice import ClosedChoice, OpenChoice
from pulumi_clouddb.schema.names import each_of
from pulumi_clouddb.schema.observability import SearchLanguage, StackId
from pulumi_clouddb.schema.vendor import LONGEST_EXPRESSION, ObjectId, among, repeated
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, VocabularyName

LONGEST_ID = 256
MOST_TABS = 20
MOST_OPTIONS = 1000
LONGEST_LABEL = 1024
VARIABLE_NAME = "^[a-zA-Z][a-zA-Z0-9_]*$"


class DashboardFilterType(OpenChoice):
    """Where the values of a filter come from."""

    QUERY_EXPRESSION = "QUERY_EXPRESSION", "the values of an expression"
    STATIC_LIST = "STATIC_LIST", "a list, on self-hosted servers newer than 2.36"
    PROMETHEUS_LABEL = "PROMETHEUS_LABEL", "the values of a label, on self-hosted servers newer than 2.36"


QUERY, LIST, LABEL = DashboardFilterType
VARIABLES_ONLY = (LIST, LABEL)
"""The types whose value is always a variable, and never a condition on tiles."""

Reader: TypeAlias = "Callable[[DashboardFilter], object]"
Readers: TypeAlias = "Callable[[DashboardFilter], tuple[object, ...]]"

OF_TYPES: Mapping[tuple[DashboardFilterType, ...], Readers] = {
    (QUERY,): lambda it: (it.expression, it.source_metric_type, it.where, it.where_language, it.applies_to_source_ids),
    (QUERY, LABEL): lambda it: (it.source_id,),
    (LIST,): lambda it: (it.options,),
    (LABEL,): lambda it: (it.label, it.match),
}
"""The properties that only some types have; all types have the others, and so may types of newer servers."""


def _required(item: DashboardFilter) -> tuple[object, ...]:
    """Return the properties that the types that have them require."""
    return item.expression, item.source_id, item.options, item.label


class MetricDataType(OpenChoice):
    """Kind of metric."""

    SUM = "sum"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"
    SUMMARY = "summary"
    EXPONENTIAL_HISTOGRAM = "exponential histogram"


def broadcasts(item: DashboardFilter) -> bool:
    """Return whether the chosen value is a condition on tiles, which is the default where a type can do it."""
    return item.is_broadcast_enabled is not False and item.type not in VARIABLES_ONLY


def is_variable(item: DashboardFilter) -> bool:
    """Return whether the chosen value is a variable in queries of tiles."""
    return item.is_variable_enabled is True or item.type in VARIABLES_ONLY


def variable_of(item: DashboardFilter) -> str | None:
    """Return the name of the variable with the chosen value; by default it is derived from the filter's name."""
    if item.variable_name is not None:
        return item.variable_name
    derived = re.sub(r"[^a-zA-Z0-9_]", "", re.sub(r"\s+", "_", (item.name or "").strip()))
    named = f"v{derived}" if re.match(r"[0-9_]", derived) else derived
    return named if re.fullmatch(VARIABLE_NAME, named) else None


_SCHEMAS = SERVER("common-utils/src/types.ts")
_VALIDATION = SERVER("common-utils/src/dashboardValidation.ts")


def required(
    read: Callable[[ArgsT], object],
    text: str,
    source: Source,
    when: Callable[[ArgsT], object] = lambda _: True,
    only: VocabularyName | None = None,
) -> Rule[ArgsT]:
    """Return the rule that a field is given, if only under a condition; servers refuse others with `Required`."""
    refusal = ServerMessage("Required", name_of(read))
    return rule(read, text, lambda args: when(args) and read(args) is None, only=only, refusal=refusal, source=source)


def _of_types(read: Reader, types: tuple[DashboardFilterType, ...]) -> Rule[DashboardFilter]:
    others = [each for each in DashboardFilterType if each not in types]
    refusal = ServerMessage(f"Unrecognized key(s) in object: {name_of(read)!r}")
    text = f"is for type {among(types)}"
    return rule(read, text, lambda item: item.type in others, given=read, refusal=refusal, source=_SCHEMAS)


def _needed(read: Reader, types: tuple[DashboardFilterType, ...]) -> Rule[DashboardFilter]:
    return required(read, f"is required for type {among(types)}", _SCHEMAS, lambda item: item.type in types)


def _rules_by_type() -> Iterator[Rule[DashboardFilter]]:
    needed = [*map(name_of, each_of(_required))]
    for types, fields in OF_TYPES.items():
        for read in each_of(fields):
            yield _of_types(read, types)
            if name_of(read) in needed:
                yield _needed(read, types)


Option = Annotated[Data, Field(min_length=1, max_length=LONGEST_EXPRESSION)]


class DashboardFilter(Model):
    """A filter at the top of a dashboard: its value is a condition on tiles, or a variable in their queries, or both.

    Name and expression identify it, and also its source if these are equal; the server assigns an id.
    """

    DIALECT = CLICKHOUSE
    SERVER_SETS: ClassVar[Mapping[str, str]] = {"id": ": name and expression identify a filter"}
    RULES: ClassVar[tuple[Rule[DashboardFilter], ...]] = (
        *_rules_by_type(),
        rule(
            lambda item: item.is_broadcast_enabled,
            f"must be false for type {among(VARIABLES_ONLY)}",
            lambda item: item.type in VARIABLES_ONLY and item.is_broadcast_enabled is True,
            source=_SCHEMAS,
            refusal=ServerMessage("Invalid literal value, expected false", "isBroadcastEnabled"),
        ),
        rule(
            lambda item: item.is_variable_enabled,
            f"must be true for type {among(VARIABLES_ONLY)}",
            lambda item: item.type in VARIABLES_ONLY and item.is_variable_enabled is False,
            source=_SCHEMAS,
            refusal=ServerMessage("Invalid literal value, expected true", "isVariableEnabled"),
        ),
        rule(
            lambda item: item.is_broadcast_enabled,
            "must be true if isVariableEnabled is not",
            lambda item: not broadcasts(item) and not is_variable(item),
            source=_VALIDATION,
            refusal=ServerMessage(
                "Filter must broadcast its value, be available as a variable, or both", "isBroadcastEnabled"
            ),
        ),
        rule(
            lambda item: item.variable_name,
            "is for filters whose isVariableEnabled is true",
            lambda item: not is_variable(item),
            given=lambda item: item.variable_name,
            source=_VALIDATION,
            refusal=ServerMessage(
                "Filter sets variableName but is not available as a variable; set isVariableEnabled to true or drop "
                "variableName",
                "variableName",
            ),
        ),
        rule(
            lambda item: item.variable_name,
            "is required if isVariableEnabled is true and the filter's name contains no name of a variable",
            lambda item: is_variable(item) and variable_of(item) is None,
            source=_VALIDATION,
            refusal=ServerMessage("Variable name is required for filter", "variableName"),
        ),
        rule(
            lambda item: item.applies_to_source_ids,
            "is for filters whose isBroadcastEnabled is true",
            lambda item: bool(item.applies_to_source_ids) and not broadcasts(item) and item.type not in VARIABLES_ONLY,
            source=_VALIDATION,
            refusal=ServerMessage(
                "Filter sets appliesToSourceIds but does not broadcast its value; set isBroadcastEnabled to true or "
                "drop appliesToSourceIds",
                "appliesToSourceIds",
            ),
        ),
    )

    type: DashboardFilterType = prop("Where its values come from.", required=True)
    name: Text = prop("Name of the filter.", required=True, min_length=1)
    expression: SqlPart | None = prop("SQL expression of the values to choose from.", min_length=1)
    source_id: ObjectId | None = prop("Id of the data source of the values; for a label, one of kind `promql`.")
    options: list[Option] | None = prop("Values to choose from.", min_length=1, max_length=MOST_OPTIONS)
    label: Text | None = prop("Label with the values to choose from.", min_length=1, max_length=LONGEST_LABEL)
    match: Code | None = prop('Selector of the series that have the label, such as `up{job="api"}`.', min_length=1)
    source_metric_type: MetricDataType | None = prop("Kind of metric, for sources of metrics.")
    where: Code | None = prop("Condition on the rows of the values.")
    where_language: SearchLanguage | None = prop(
        "Language of the condition.", unset=SearchLanguage.SQL, with_text="where"
    )
    applies_to_source_ids: list[StackId] | None = prop(
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
        rule(
            lambda item: item.tabs,
            "must have unique ids",
            lambda item: repeated(tab.id for tab in item.tabs or ()),
            source=_VALIDATION,
        ),
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


class SavedFilterKind(ClosedChoice, because="it decides which properties a value has"):
    """Kinds of values of filters."""

    SQL = "sql", "a condition such as `ServiceName IN ('checkout')`"
    VARIABLE = "variable", "the chosen values of a filter that is a variable"


def _is_value(item: SavedFilterValue) -> bool:
    return item.type == SavedFilterKind.VARIABLE


def _rules_of_variables(read: Callable[[SavedFilterValue], object]) -> tuple[Rule[SavedFilterValue], ...]:
    return (
        required(read, "is required for type variable", _SCHEMAS, _is_value),
        rule(read, "is for type variable", lambda item: not _is_value(item), given=read, source=_SCHEMAS),
    )


class SavedFilterValue(Model):
    """A condition of the dashboard when it is opened, or the chosen values of a variable."""

    DIALECT = CLICKHOUSE
    RULES: ClassVar[tuple[Rule[SavedFilterValue], ...]] = (
        required(lambda item: item.condition, "is required for type sql", _SCHEMAS, lambda item: not _is_value(item)),
        rule(
            lambda item: item.condition,
            "is for type sql",
            _is_value,
            given=lambda item: item.condition,
            source=_SCHEMAS,
            refusal=ServerMessage("Unrecognized key(s) in object: 'condition'"),
        ),
        *_rules_of_variables(lambda item: item.name),
        *_rules_of_variables(lambda item: item.values),
    )

    type: SavedFilterKind | None = prop("Kind of value.", unset=SavedFilterKind.SQL)
    condition: SqlPart | None = prop(
        "The condition, such as `ServiceName IN ('checkout')`.", max_length=LONGEST_EXPRESSION
    )
    name: Text | None = prop("Name of the variable: `variableName` of its filter.", min_length=1, max_length=1024)
    values: list[Annotated[Data, Field(max_length=LONGEST_EXPRESSION)]] | None = prop(
        "The chosen values.", max_length=1000
    )
