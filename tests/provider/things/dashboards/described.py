"""Dashboards."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import Required, TypedDict

from description.exchange import Exchange, both_forms, collection
from description.notation import SELF_HOSTED
from description.series import Series
from description.tile_config import Config
from description.tile_parts import Language, Metric

ShortId = Annotated[str, Field(min_length=1, max_length=256)]


class Tile(TypedDict, total=False):
    name: Required[str]
    x: Required[Annotated[int, Field(ge=0, le=23)]]
    y: Required[Annotated[int, Field(ge=0)]]
    w: Required[Annotated[int, Field(ge=1, le=24)]]
    h: Required[Annotated[int, Field(ge=1)]]
    config: Config
    containerId: ShortId
    tabId: ShortId


class TileChange(Tile, total=False):
    id: Annotated[str, Field(max_length=36)]
    asRatio: bool  # deprecated
    series: Annotated[list[Series], Field(min_length=1)]  # deprecated


class TileResponse(Tile, total=False):
    id: Required[Annotated[str, Field(max_length=36)]]


class NewFilter(TypedDict, total=False):
    type: Required[Literal["QUERY_EXPRESSION"]]
    name: Required[Annotated[str, Field(min_length=1)]]
    expression: Required[Annotated[str, Field(min_length=1)]]
    sourceId: Required[str]
    sourceMetricType: Metric
    where: str
    whereLanguage: Language
    appliesToSourceIds: list[str]
    isBroadcastEnabled: Annotated[bool, SELF_HOSTED]
    isVariableEnabled: Annotated[bool, SELF_HOSTED]
    variableName: Annotated[str, Field(max_length=64, pattern="^[a-zA-Z][a-zA-Z0-9_]*$"), SELF_HOSTED]


class Filter(NewFilter, total=False):
    id: Required[str]


class FilterValue(TypedDict, total=False):
    """An initial condition of a filter."""

    type: Literal["sql"]
    condition: Required[str]


class Tab(TypedDict, total=False):
    id: Required[ShortId]
    title: Required[ShortId]


class Container(TypedDict, total=False):
    id: Required[ShortId]
    title: Required[ShortId]
    collapsed: Required[bool]
    collapsible: bool
    bordered: bool
    tabs: Annotated[list[Tab], Field(max_length=20)]


class Rest(TypedDict, total=False):
    """The properties of dashboards other than name, tiles and filters."""

    tags: Annotated[list[Annotated[str, Field(max_length=32)]], Field(max_length=50)]
    savedQuery: str | None
    savedQueryLanguage: Language | None
    savedFilterValues: list[FilterValue]
    containers: Annotated[list[Container], Field(max_length=50)]


class Create(Rest, total=False):
    name: Required[Annotated[str, Field(max_length=1024)]]
    tiles: Required[Annotated[list[TileChange], Field(max_length=500)]]
    filters: list[NewFilter]


class Update(Rest, total=False):
    """A dashboard that replaces another."""

    name: Required[Annotated[str, Field(max_length=1024)]]
    tiles: Required[Annotated[list[TileChange], Field(max_length=500)]]
    filters: list[Filter]


class Dashboard(Rest, total=False):
    id: str
    name: Annotated[str, Field(max_length=1024)]
    tiles: list[TileResponse]
    filters: list[Filter]


class ValidationError(TypedDict, total=False):
    path: Required[str]
    message: Required[str]


class Validation(TypedDict, total=False):
    """The result of a validation without a create."""

    valid: Required[bool]
    errors: Required[list[ValidationError]]
    normalized: Required[dict[str, object] | None]


EXCHANGES = {
    **both_forms(collection("dashboard", "dashboards", Create, Update, Dashboard)),
    **both_forms({"validate_dashboard": Exchange(Create, Validation)}),
}
