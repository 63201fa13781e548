"""Declarations for one dialect: limits of a property, and the model of an object that the other dialect leaves open."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any

from pydantic import BaseModel, Field, GetCoreSchemaHandler, TypeAdapter, ValidationInfo
from pydantic_core import CoreSchema, core_schema

from .annotations import model_in, parts_of
from .vocabulary import VocabularyName


def _holds(only: VocabularyName, info: ValidationInfo) -> bool:
    return (info.context or {}).get("vocabulary") is only


class Within:
    """Limits of one dialect, in the metadata of a field.

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
            return value

        return core_schema.with_info_after_validator_function(validate, handler(source))


@dataclass(frozen=True)
class Suggested:
    """Values of a text that others may join, in the metadata of a field.

    Attributes:
        values: Their enum.
    """

    values: type[Enum]


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
