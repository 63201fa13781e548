"""The series of a tile, the deprecated form: servers accept it and never return it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import Required, TypedDict

from .tile_parts import Aggregation, Language, Metric, NumberFormat

Groups = Annotated[list[str], Field(max_length=10)]


class Search(TypedDict, total=False):
    type: Required[Literal["search"]]
    sourceId: Required[str]
    fields: Required[list[str]]
    where: Required[str]
    whereLanguage: Required[Language]  # the server accepts a series without it


class Markdown(TypedDict, total=False):
    type: Required[Literal["markdown"]]
    content: Required[Annotated[str, Field(max_length=100000)]]


class Aggregated(TypedDict, total=False):
    """The common properties of the other types."""

    sourceId: Required[str]
    aggFn: Required[Aggregation]
    level: Annotated[float, Field(ge=0, le=1)]
    field: str
    alias: str
    where: Required[str]
    whereLanguage: Required[Language]  # the server accepts a series without it
    numberFormat: NumberFormat
    metricDataType: Metric
    metricName: str


class Time(Aggregated, total=False):
    type: Required[Literal["time"]]
    groupBy: Required[Groups]
    displayType: Literal["stacked_bar", "line"]


class Table(Aggregated, total=False):
    type: Required[Literal["table"]]
    groupBy: Required[Groups]
    sortOrder: Literal["desc", "asc"]


class Number(Aggregated, total=False):
    type: Required[Literal["number"]]


Series = Annotated[Time | Table | Number | Search | Markdown, Field(discriminator="type")]
