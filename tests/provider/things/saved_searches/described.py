"""Saved searches."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import Required, TypedDict

from description.exchange import both_forms, collection
from description.notation import Moment

Language = Literal["lucene", "sql"]


class Filter(TypedDict, total=False):
    type: Literal["sql"]
    condition: Required[Annotated[str, Field(max_length=8192)]]


class Change(TypedDict, total=False):
    name: Required[Annotated[str, Field(max_length=1024)]]
    sourceId: Required[str]
    select: Annotated[str, Field(max_length=4096)]
    where: Annotated[str, Field(max_length=8192)]
    whereLanguage: Language
    orderBy: Annotated[str, Field(max_length=1024)]
    tags: Annotated[list[Annotated[str, Field(max_length=32)]], Field(max_length=50)]
    filters: Annotated[list[Filter], Field(max_length=100)]


class SavedSearch(Change, total=False):
    id: Required[str]
    teamId: str
    createdAt: Moment
    updatedAt: Moment


EXCHANGES = both_forms(collection("saved_search", "saved_searches", Change, Change, SavedSearch, 1000))
