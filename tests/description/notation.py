"""How the description is written: types as typing has them, limits as pydantic's `Field`, and the words here."""

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
        raise ValueError("no date-time")
    _DATE_TIME.validate_python(value)
    return value


Uuid = Annotated[str, AfterValidator(_uuid)]
Moment = Annotated[str, AfterValidator(_moment)]
"""A date-time of ISO 8601."""


def one_of(*values: float) -> AfterValidator:
    """Let only these numbers pass; `Literal` takes none with a point."""

    def judge(value: float) -> float:
        if value not in values:
            raise ValueError(f"is none of {values}")
        return value

    return AfterValidator(judge)


@dataclass(frozen=True)
class Words:
    """Lets only the words of a text pass: a `Literal` of many values, written in a few lines."""

    text: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Judge as a `Literal` does."""
        return core_schema.literal_schema(self.text.split())


ONLY = "only_in"
"""The type of the error about what another form of the API has."""


@dataclass(frozen=True)
class OnlyIn:
    """In the metadata of what one form of the API alone has.

    Attributes:
        form: The form.
        refused: Whether a request of the other form may not have it; else the other description is only older.
    """

    form: str
    refused: bool = True

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Refuse the value where another form is judged."""

        def judge(value: Any, info: ValidationInfo) -> Any:
            if self.refused and value is not None and (info.context or {}).get("form", self.form) != self.form:
                raise PydanticCustomError(ONLY, "is in the {form} form only", {"form": self.form})
            return value

        return core_schema.with_info_before_validator_function(judge, handler(source))


CLOUD = OnlyIn("managed")
SELF_HOSTED = OnlyIn("self-hosted", refused=False)
"""The self-hosted server's description is three weeks newer than the cloud's, whose servers run the same program."""
