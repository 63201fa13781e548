"""Points in time: what programs may write, what is sent, and what means the same."""

from __future__ import annotations

from datetime import datetime, timezone

from pydantic import TypeAdapter, ValidationError

from .check.wording import Form

YEARS = "must be within the years 1 to 9999 in UTC"
DAYS = "must be a day that exists, such as 2027-01-31T00:00:00Z"
_datetime = TypeAdapter(datetime)
_NOT_EXISTING = "outside expected range"
"""The words of pydantic's errors about the 30th of February, or month 13."""


class LimitError(ValueError):
    """A value of the right form breaks a limit; the text is a message for the user."""


class Moment(Form):
    """The form of a text that is a point in time."""


def parse_timestamp(value: str) -> datetime:
    """Return the time in an ISO-8601 date-time string, in UTC; without a time zone, it is in UTC.

    Raises:
        LimitError: There is no such day, or not within the years of `datetime` in UTC.
        ValueError: The text is not such a string.
    """
    if "T" not in value.upper() and " " not in value:
        raise ValueError(value)
    try:
        time = _datetime.validate_python(value)
    except ValidationError as error:
        if _NOT_EXISTING in str(error):
            raise LimitError(DAYS) from None
        raise
    try:
        return time.replace(tzinfo=time.tzinfo or timezone.utc).astimezone(timezone.utc)
    except OverflowError:
        raise LimitError(YEARS) from None


def as_utc(value: object) -> object:
    """Return a time in UTC; None for an empty text."""
    if not isinstance(value, str):
        return value
    try:
        return parse_timestamp(value) if value else None
    except ValueError:
        return value


def stamp_of(value: object) -> object:
    """Return the text that is sent for a time, the same for all its spellings: in UTC, with `Z`.

    It has milliseconds at most: the servers are written in JavaScript, whose times have no more, and would return
    another value.
    """
    time = as_utc(value)
    if not isinstance(time, datetime):
        return time
    text = time.replace(tzinfo=None).isoformat(timespec="milliseconds").removesuffix(".000")
    return f"{text}Z"
