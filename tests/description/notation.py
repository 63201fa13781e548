"""The notation of the description: types of `typing`, limits of pydantic's `Field`, and the types of this module."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, GetCoreSchemaHandler, TypeAdapter, ValidationInfo
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

_DATE_TIME: TypeAdapter[datetime] = TypeAdapter(datetime)


def _uuid(value: str) -> str:
    uuid.UUID(value)
    return value


def _moment(value: str) -> str:
    if "T" not in value:
        raise ValueError("not a date-time")
    _DATE_TIME.validate_python(value)
    return value


Uuid = Annotated[str, AfterValidator(_uuid)]
Moment = Annotated[str, AfterValidator(_moment)]
"""A date-time of ISO 8601."""


def one_of(*values: float) -> AfterValidator:
    """Accept only these numbers; `Literal` does not allow floats."""

    def validate(value: float) -> float:
        if value not in values:
            raise ValueError(f"is none of {values}")
        return value

    return AfterValidator(validate)


@dataclass(frozen=True)
class Words:
    """Accepts only the words of a text: a short notation for a `Literal` of many values."""

    text: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the schema of a `Literal`."""
        return core_schema.literal_schema(self.text.split())


ONLY = "only_in"
"""The type of the error for a property that only another form of the API has."""


@dataclass(frozen=True)
class OnlyIn:
    """Marks a property that only one form of the API has.

    Attributes:
        form: The form.
        refused: Whether the other form rejects it; otherwise its description is only older.
    """

    form: str
    refused: bool = True

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Reject the value in another form."""

        def validate(value: Any, info: ValidationInfo) -> Any:
            if self.refused and value is not None and (info.context or {}).get("form", self.form) != self.form:
                raise PydanticCustomError(ONLY, "is in the {form} form only", {"form": self.form})
            return value

        return core_schema.with_info_before_validator_function(validate, handler(source))


CLOUD = OnlyIn("managed")
SELF_HOSTED = OnlyIn("self-hosted", refused=False)
"""The self-hosted server's description is three weeks newer than the cloud's; the cloud runs the same program."""
