"""Alerts whose last check failed: the server keeps their state, and sends no notification."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pulumi_clouddb.schema.base import Text
from pulumi_clouddb.schema.view import if_known

from .alert import Alert

LONGEST_WORDS = 300
"""The longest message of the server that is quoted: it may contain the whole query."""

WEBHOOK_ERROR = "WEBHOOK_ERROR"
"""The type of the errors of notifications. All others are of the check itself."""


@dataclass(frozen=True)
class FailedCheck:
    """The failure of the last check of an alert.

    Attributes:
        when: The time of the check, as the server returns it.
        text: What failed, with the server's words.
        fix: What to do, as a sentence that begins with a verb.
    """

    when: str
    text: str
    fix: str


def failed_check(alert: Alert, what: str) -> FailedCheck | None:
    """Return the failure of the last check; None if it succeeded, or if the server reports none.

    Args:
        alert: The alert, or a view of it.
        what: The alert in words, with the object that it watches.
    """
    errors = list(_errors(alert))
    if not errors:
        return None
    when, kinds = errors[0][0], {kind for _, kind, _ in errors}
    words = "; ".join(dict.fromkeys(f"{kind}: {message}" for _, kind, message in errors))
    if kinds == {WEBHOOK_ERROR}:
        return FailedCheck(
            when, f"{what} did not send its notification at {when}: {words}", "Correct the webhook of its channel."
        )
    return FailedCheck(
        when,
        f"{what} cannot fire: its check at {when} failed: {words}",
        "Correct the query that it watches.",
    )


def _errors(alert: Alert) -> Iterator[tuple[str, str, str]]:
    """Yield time, type and message of each known error."""
    for error in alert.execution_errors or ():
        with if_known:
            yield _line(error.timestamp), _line(error.type), _line(error.message)


def _line(text: Text | None) -> str:
    line = " ".join((text or "").split())
    return line if len(line) <= LONGEST_WORDS else f"{line[:LONGEST_WORDS]} …"
