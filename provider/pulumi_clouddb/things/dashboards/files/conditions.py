"""Conditions of a whole chart, which the API does not have: they move into the condition of each selected value.

This changes no result. The server computes a value with a condition C as `aggIf(C)`, and if all values have one, it
adds `C1 OR C2 ...` to the WHERE clause (`renderWhere` and `renderSelectList` in renderChartConfig.ts of HyperDX
2.36.0). With the chart's condition W in each of them, all have one, and the clause is `W AND (C1 OR C2 ...)`,
as before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pulumi_clouddb.schema.observability import SearchLanguage


@dataclass(frozen=True)
class Condition:
    """A condition with its language."""

    text: str
    language: str

    def __bool__(self) -> bool:
        return bool(self.text.strip())


class MixedLanguagesError(ValueError):
    """Two conditions in different languages that cannot be joined; its text quotes both."""


def condition(text: str | None, language: str | None) -> Condition:
    """Return a condition of a file; the renderer reads one of a chart without a language as SQL."""
    return Condition(text or "", language or SearchLanguage.SQL.value)


def both(chart: Condition, value: Condition) -> Condition:
    """Return the condition under which both are true, in the language of the value if that is possible.

    Raises:
        MixedLanguagesError: Their languages differ, and neither has an equivalent in the other one.
    """
    if not chart or not value:
        return chart if chart else value
    if chart.language != value.language:
        chart, value = in_sql(chart), in_sql(value)
    return Condition(f"({chart.text}) AND ({value.text})", value.language)


def in_sql(given: Condition) -> Condition:
    """Return a condition in SQL.

    Only the forms are translated whose meaning does not depend on the columns of a table: `field:*`, `field:"text"` and
    `field:text`, joined by AND or OR, over the columns of OpenTelemetry that contain text.

    Raises:
        MixedLanguagesError: It is in another language, or has another form.
    """
    if given.language == SearchLanguage.SQL:
        return given
    tokens = _tokens(given.text) if given.language == SearchLanguage.LUCENE else None
    if not tokens:
        raise MixedLanguagesError(given.text)
    parser = _Parser(tokens, given.text)
    text = parser.joined()
    if parser.rest:
        raise MixedLanguagesError(given.text)
    return Condition(text, SearchLanguage.SQL.value)


_TOKEN = re.compile(
    r"""\s*(?:
        (?P<sign>[()]) | (?P<word>AND|OR)(?![^\s()])
      | (?P<field>[A-Za-z][\w.\-/]*):
        (?:(?P<any>\*) | "(?P<exact>[^"\\]+)" | (?P<part>[A-Za-z0-9][A-Za-z0-9.\-]*)) (?![^\s()])
    )""",
    re.VERBOSE,
)


def _tokens(text: str) -> list[re.Match[str]] | None:
    """Return the tokens of a condition in Lucene; None if it has another form."""
    tokens, place = [], 0
    while place < len(text.rstrip()):
        match = _TOKEN.match(text, place)
        if match is None:
            return None
        tokens.append(match)
        place = match.end()
    return tokens


class _Parser:
    """Translates tokens by descent.

    AND and OR without parentheses between them are refused: the server's parser has no precedence.
    """

    def __init__(self, tokens: list[re.Match[str]], text: str) -> None:
        self.rest, self._text = tokens, text

    def joined(self) -> str:
        """Return terms that are joined by one operator."""
        parts, operators = [self._one()], set()
        while operator := next((each for each in ("AND", "OR") if self._takes(each)), None):
            operators.add(operator)
            parts.append(self._one())
        if len(operators) > 1:
            raise MixedLanguagesError(self._text)
        return f" {operators.pop()} ".join(parts) if operators else parts[0]

    def _one(self) -> str:
        if self._takes("("):
            inner = self.joined()
            if not self._takes(")"):
                raise MixedLanguagesError(self._text)
            return f"({inner})"
        if not self.rest or not self.rest[0]["field"]:
            raise MixedLanguagesError(self._text)
        return self._comparison(self.rest.pop(0))

    def _takes(self, token: str) -> bool:
        if not self.rest or token not in (self.rest[0]["sign"], self.rest[0]["word"]):
            return False
        self.rest.pop(0)
        return True

    def _comparison(self, token: re.Match[str]) -> str:
        """Translate as the server's parser does (queryParser.ts: `isNotNull`, `eq`, `fieldSearch`)."""
        column = _column(token["field"])
        if column is None:
            raise MixedLanguagesError(self._text)
        if token["any"]:
            return f"notEmpty({column})"
        if token["exact"] is not None:
            return f"{column} = {_quoted(token['exact'])}"
        return f"{column} ILIKE {_quoted('%' + token['part'] + '%')}"


_MAPS = frozenset({"ResourceAttributes", "SpanAttributes", "LogAttributes", "Attributes", "ScopeAttributes"})
_TEXTS = frozenset(
    {
        *("ServiceName", "ScopeName", "ScopeVersion", "TraceId", "SpanId", "Body", "SeverityText", "EventName"),
        *("SpanName", "SpanKind", "ParentSpanId", "StatusCode", "StatusMessage", "MetricName"),
    }
)
"""Columns with text, and with maps of texts, in the tables of OpenTelemetry's exporter for ClickHouse."""


def _column(field: str) -> str | None:
    column, _, key = field.partition(".")
    if key:
        return f"{column}[{_quoted(key)}]" if column in _MAPS else None
    return column if column in _TEXTS else None


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "\\'") + "'"
