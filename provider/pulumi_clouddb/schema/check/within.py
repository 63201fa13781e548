"""Declarations for one dialect: limits of a property, and the model of an object that the other dialect leaves open."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any

from pydantic import BaseModel, Field, GetCoreSchemaHandler, TypeAdapter, ValidationError, ValidationInfo
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from pulumi_clouddb.schema.annotations import model_in, parts_of
from pulumi_clouddb.schema.vocabulary import VocabularyName

from .wording import DOUBTED, LIMITS, kind_of

_MISSPELT = 0.72
"""The least similarity of a word and the known one that is probably meant."""


def _holds(only: VocabularyName, info: ValidationInfo) -> bool:
    return (info.context or {}).get("vocabulary") is only


def _is_doubted(only: VocabularyName, info: ValidationInfo) -> bool:
    return DOUBTED in (info.context or {}) and not _holds(only, info)


def _is_like(word: str, known: str) -> bool:
    return difflib.SequenceMatcher(None, word, known).ratio() >= _MISSPELT


def _spelt_alike(word: str, known: list[str]) -> str:
    """Return the known word that this one is probably meant to be: each part is like it, unlike `above` and `below`."""
    parts = word.split("_")
    for each in difflib.get_close_matches(word, known, len(known) or 1, _MISSPELT):
        own = each.split("_")
        if len(parts) != len(own) or all(map(_is_like, parts, own)):
            return each
    return ""


def _doubt_spelling(value: object, values: type[Enum]) -> None:
    """Doubt a word that is nearly a known one; its numbers, such as those of durations, are not misspelt."""
    known = [each.value for each in values if re.findall(r"\d+", each.value) == re.findall(r"\d+", str(value))]
    near = "" if value in known else _spelt_alike(str(value).lower(), known)
    if near:
        words = "must be a word that the server knows"
        raise PydanticCustomError(
            DOUBTED, "{words}", {"words": words, "suggestion": f"; did you mean {near}?", "then": ""}
        )


class Within:
    """Limits of one dialect, in the metadata of a field.

    The servers of the other dialect may have others: check warns of a value outside of these limits, unless it is a
    word unlike any known one, or not in the form of an id.

    Args:
        only: The dialect.
        values: The enum of the allowed values.
        each: Limits of the elements of a list.
        limits: Arguments of pydantic's `Field`, such as `ge`.
    """

    def __init__(
        self,
        only: VocabularyName,
        values: type[Enum] | None = None,
        each: Mapping[str, Any] | None = None,
        **limits: Any,
    ) -> None:
        self.only, self.values, self.each, self.limits = only, values, each or {}, limits

    @functools.cached_property
    def _adapter(self) -> TypeAdapter[object]:
        kind: Any = self.values or Any
        if self.each:
            kind = list[Annotated[Any, Field(**self.each)]]
        return TypeAdapter(Annotated[kind, Field(**self.limits)])

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check the limits after all other validation."""

        def validate(value: object, info: ValidationInfo) -> object:
            if value is not None and _holds(self.only, info):
                self._adapter.validate_python(value)
            elif value is not None and _is_doubted(self.only, info):
                self._doubt(value)
            return value

        return core_schema.with_info_after_validator_function(validate, handler(source))

    def _doubt(self, value: object) -> None:
        if self.values:
            _doubt_spelling(value, self.values)
            return
        try:
            self._adapter.validate_python(value)
        except ValidationError as error:
            broken = error.errors(include_url=False)[0]
            if broken["type"] != "string_pattern_mismatch":
                limit = LIMITS[kind_of(broken)].format_map(broken["ctx"])
                words = f"{limit} on the servers of {self.only.setting}"
                raise PydanticCustomError(DOUBTED, "{words}", {"words": words, "suggestion": "", "then": ""}) from error


@dataclass(frozen=True)
class Suggested:
    """Values of a text that others may join, in the metadata of a field.

    Attributes:
        values: Their enum.
        only: The dialect with rules of its own about it; in the other, check warns of a misspelt one.
    """

    values: type[Enum]
    only: VocabularyName

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Doubt a misspelt value after all other validation."""

        def validate(value: object, info: ValidationInfo) -> object:
            if value is not None and _is_doubted(self.only, info):
                _doubt_spelling(value, self.values)
            return value

        return core_schema.with_info_after_validator_function(validate, handler(source))


@dataclass(frozen=True)
class Typed:
    """The model of an object in one dialect; the other dialect leaves it open.

    The value stays a plain object, so that unknown entries are sent, too.

    Attributes:
        model: Its model.
        only: The dialect.
        plain: Its type in every dialect.
    """

    model: type[Any]
    only: VocabularyName
    plain: Any

    def __get_pydantic_core_schema__(self, _: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validate the plain object, and in the dialect also its model; its JSON schema is that of the model."""
        plain: TypeAdapter[object] = TypeAdapter(self.plain)

        def validate(value: object, by_model: core_schema.ValidatorFunctionWrapHandler, info: ValidationInfo) -> object:
            validated = plain.validate_python(value)
            if _holds(self.only, info):
                by_model(value)
            return validated

        return core_schema.with_info_wrap_validator_function(validate, handler.generate_schema(self.model))


def object_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model of the objects in an annotation, even if only one dialect has that model."""
    return model_in(annotation) or typed_in(annotation)


def typed_in(annotation: Any) -> type[Any] | None:
    """Return the model of the first `Typed` in an annotation, if there is one."""
    return next((each.model for each in parts_of(annotation) if isinstance(each, Typed)), None)
