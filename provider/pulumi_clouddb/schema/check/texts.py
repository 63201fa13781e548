"""Texts of which check warns: hardly anybody means them as they stand."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from pydantic import BaseModel

from pulumi_clouddb.schema.annotations import parts_of
from pulumi_clouddb.schema.base import TextKind, wire_name, wire_names
from pulumi_clouddb.schema.defaults import defaults_of, languages_of, models_in
from pulumi_clouddb.schema.values import MAX_DEPTH, Path, WireValues
from pulumi_clouddb.schema.vendor import NO_CODE

from .wording import PLACEHOLDER

UNKNOWN_NAME: Final = "is not known to this version, which sends it as it is"
"""The reason for a property with a name that servers may have, and drop if they do not."""

_PLACEHOLDER: Final = "is a placeholder: write the value in its place"
_FAULTS: Final = (
    (
        re.compile(r"\s|.*\s\Z", re.S),
        "begins or ends with a blank or a line break, which is part of it: write it without",
    ),
    (re.compile(r"""(["'`])(?:(?!\1).)*\1\Z""", re.S), "has quotes around it, which are part of it: write it without"),
    (re.compile(rf"{PLACEHOLDER}\Z"), _PLACEHOLDER),
    (re.compile(r"[a-z][a-z0-9+.-]*://[a-z][a-z0-9+.-]*://", re.I), "has two protocols: remove the first one"),
)
_OF_A_SHELL = r"(?-i:\$[A-Z][A-Z0-9_]{2,}|%[A-Z][A-Z0-9_]+%)"
_FAULTS_OF_SECRETS: Final = (
    (
        re.compile(
            rf"({PLACEHOLDER}|{_OF_A_SHELL}|(\w+ )?(change[-_ ]?me|to-?do|your[-_ ].*|\*+)|.*x{{8}})\Z", re.IGNORECASE
        ),
        f"{_PLACEHOLDER}, config.require_secret('NAME') without quotes (in YAML, ${{NAME}} of the configuration)",
    ),
)
_FAULTS_OF_CODE: Final = ((re.compile(r"\s*<[^<>]*>\s*\Z"), _PLACEHOLDER),)
"""Servers replace other placeholders in code, such as variables of a dashboard."""

_DEEPEST: Final = 2 * MAX_DEPTH
"""The levels of properties and of a free value in them: check refuses deeper ones, whose paths fill the memory."""


def doubts_of(model: type[BaseModel], values: WireValues, secret: Collection[str] = ()) -> Iterator[tuple[Path, str]]:
    """Yield the paths of doubtful texts, and the reasons: conditions, and other texts, of each the first one.

    A text of several lines that names something is content, such as a certificate.
    """
    waiting: list[tuple[object, Path, type[BaseModel] | None, TextKind | None]] = [(values, (), model, None)]
    for value, path, of, kind in waiting:
        if len(path) > _DEEPEST:
            continue
        if isinstance(value, Mapping):
            inner, kinds = (models_in(of), kinds_in(of)) if of else ({}, {})
            unknown = dict.fromkeys(_unknown_names(of, value) if of else (), TextKind.DATA)
            kinds = {**kinds, **unknown} if unknown else kinds
            waiting += [(each, (*path, name), inner.get(name), kinds.get(name, kind)) for name, each in value.items()]
            if of:
                yield from _misread(of, value, path)
            yield from (((*path, name), UNKNOWN_NAME) for name in unknown)
        elif isinstance(value, (list, tuple)):
            waiting += [(each, (*path, index), of, kind) for index, each in enumerate(value)]
        elif isinstance(value, str) and "\n" not in value.strip():
            yield from ((path, reason) for reason in _faults(value, kind, path[0] in secret))


def _unknown_names(model: type[BaseModel], values: WireValues) -> Iterator[str]:
    """Yield the names in an object that is sent with all its names, which the model does not have."""
    if model.model_config.get("extra") == "allow":
        known = wire_names(model)
        yield from (name for name in values if name not in known)


_SQL: Final = re.compile(
    r"""\s(=|==|!=|<>|<=|>=|<|>)\s | (=|!=|<>|<=|>=|<|>)\s*'
    | \b(IN\s*\(\s*('|\d+\s*[,)]) | (I?LIKE|BETWEEN)\s+' | (?-i:IS\s+(NOT\s+)?NULL\b | BETWEEN\s+\d))""",
    re.VERBOSE | re.IGNORECASE,
)
"""Comparisons of SQL outside double quotes, which in Lucene are words to search for, as `value is null` is."""

_LUCENE: Final = re.compile(r"""\A(?!.*[?{}])(?:.*[\s(!-])?[A-Za-z](?:[\w.]*\w)?:["'\w*<>\[(]""", re.DOTALL)
"""A field with its value outside quotes, which in SQL is an error; no cast (`::`), choice (`?`) or parameter."""

_TEMPLATE: Final = TextKind.SQL_TEMPLATE.value
_ROW: Final = TextKind.ROW_TEMPLATE.value
_QUOTED: Final = {
    "lucene": re.compile(r'"(?:[^"\\]|\\.?)*(?:"|\Z)'),
    "sql": NO_CODE,
    _TEMPLATE: NO_CODE,
    _ROW: re.compile(r"\{\{[^{}]*\}\}"),
}
_OF_A_CLAUSE: Final = "begins with the word of its clause, which the server writes: leave it out"
_OF_ANOTHER: Final = "looks like a query of another product, such as LogQL, PromQL or SPL: write it in {1}"
_OUTSIDE: Final = r"\A[^()]*(\([^()]*(\([^()]*\)[^()]*)*\)[^()]*)*"
_MACROS: Final = (
    "(time(Filter|Interval)|(from|to)Time)(_ms)?|date(Time)?Filter|dt|interval_s|filters?|sourceTable|conditionalAll"
)
_PARAMETERS: Final = "startDateMilliseconds|endDateMilliseconds|intervalSeconds|intervalMilliseconds"
_MISREAD: Final[Mapping[str, Mapping[str, str]]] = {
    "sql": {
        r"(?i)\A\s*(SELECT|WHERE|HAVING|(GROUP|ORDER)\s+BY)\s+[^\s=,]": _OF_A_CLAUSE,
        rf"(?i){_OUTSIDE}(?<!DISTINCT)\sFROM\s+[\w`\"$]": "is a query: leave out FROM and what follows",
        r";\s*\Z": "ends in a semicolon, and is only a part of a statement: leave it out",
        r"""(?i)((?<!-)[=<>]|\bIN\s*\(|\bI?LIKE\b)\s*""(?!\s*[.\[])""": (
            "has a text in double quotes, which are for names of columns: write it in single quotes"
        ),
        r"(?<!\|)\|(?!\|)|[=!]~|\[\d+[smhd]\]|\b(sum|avg|min|max|count)\s+by\s*\(": _OF_ANOTHER,
    },
    "lucene": {
        r"\A\s*WHERE\s+\S": _OF_A_CLAUSE,
        r'(?<!\|)\|\s*([=~]\s*""|(stats|where|json|logfmt|table|eval)\b)|\{\s*\w+\s*[=!]~?\s*""': _OF_ANOTHER,
        r"(\A\s*not|[\w.]:\S{1,200}\s+(and|or|not))\s+(not\s+)?[-(]*[A-Za-z][\w.]*:": (
            "has and, or or not in lower case, which is a word to search for: write AND, OR or NOT"
        ),
    },
    _TEMPLATE: {
        rf"\$__(?!({_MACROS})\b)\w+": (
            "has {0}, which is no macro of the server; $__timeFilter, $__timeInterval, $__fromTime, $__toTime, "
            "$__interval_s, $__filters and $__sourceTable are some"
        ),
        rf"\{{\s*(?!({_PARAMETERS})\b)\w+\s*:\s*[A-Z][^{{}}]{{0,99}}\}}": (
            f"has {{0}}, which the server does not set; its parameters are {_PARAMETERS.replace('|', ', ')}"
        ),
        r"\{\{[^{}]{0,99}\}\}|\[\[[A-Za-z_]\w*\]\]": "has {0}, which stays as it is: write variables as $name",
        r"(?i)\A(?!\s*([($]|(SELECT|WITH|FROM|SHOW|DESC|DESCRIBE|EXPLAIN|EXISTS)\b|\Z))": (
            "is no query: write the SQL itself, such as SELECT …"
        ),
        r"(?i)\bFORMAT\s+\w+[\s;]*\Z": "ends in FORMAT, which the server adds: leave it out",
    },
    _ROW: {r"\$?\{\w+\}": "has {0}, which stays as it is: write columns of the row as {{{{Column}}}}"},
}
"""What a language does not have, or reads otherwise, outside quotes and comments (macros.ts of HyperDX 2.36.0)."""


def _misread(model: type[BaseModel], values: WireValues, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield the queries in an object that are in another language than servers read, or more than a part of one."""
    settings = {text: name for name, text in languages_of(model).items()}
    for text, kind in kinds_in(model).items():
        if not isinstance(query := values.get(text), str):
            continue
        name = settings.get(text, "")
        stated = values.get(name) if name else kind.value
        language = next(iter(defaults_of(model, name)), None) if stated is None else stated
        if isinstance(language, str) and language in _QUOTED:
            bare = _QUOTED[language].sub(_emptied, query)
            other, form = ("sql", _SQL) if language == "lucene" else ("lucene", _LUCENE)
            if name and form.search(bare):
                read = f"{language} by default" if stated is None else language
                yield (*path, text), f"is read as {read}, and looks like {other}: set {name} to {other}"
            else:
                unreadable = _unreadable(query, bare) if language == "lucene" else []
                yield from (((*path, text), reason) for reason in unreadable or _more_than_read(bare, language))


_CLOSED: Final = re.compile(r'(?:[^"\\]|\\.|"(?:[^"\\]|\\.)*")*', re.DOTALL)
_IN_BRACKETS: Final = re.compile(r"\([^()\[\]{}]*\)|[\[{][^()\[\]{}]*[\]}]")


def _unreadable(query: str, bare: str) -> list[str]:
    """Return why a query cannot be read as Lucene, outside its quotes (the grammar of @hyperdx/lucene 3.1.1 throws)."""
    if not _CLOSED.fullmatch(query):
        return ["has a double quote without its end, with which the server cannot read it"]
    rest, found = re.sub(r"\\.", " ", bare, flags=re.DOTALL), 1
    while found:
        rest, found = _IN_BRACKETS.subn(" ", rest)
    has = re.search(r"[()\[\]{}]", rest)
    return [f"has {has[0]} without its counterpart: write what is no operator in double quotes"] if has else []


def _emptied(code: re.Match[str]) -> str:
    return code[0][0] * 2 if code[0][0] in "\"'`" else " "


def _more_than_read(bare: str, language: str) -> list[str]:
    found = ((reason, re.search(pattern, bare)) for pattern, reason in _MISREAD[language].items())
    return [reason.format(each[0][:80], language) for reason, each in found if each][:1]


@functools.lru_cache(maxsize=256)
def kinds_in(model: type[BaseModel]) -> Mapping[str, TextKind]:
    """Return the kinds of the texts of a model that name nothing, by wire name."""
    parts = {wire_name(model, name): parts_of(info.rebuild_annotation()) for name, info in model.model_fields.items()}
    kinds = {name: [each for each in found if isinstance(each, TextKind)] for name, found in parts.items()}
    return {name: found[-1] for name, found in kinds.items() if found}


def _faults(text: str, kind: TextKind | None, is_secret: bool) -> list[str]:
    of_code = _FAULTS_OF_CODE if kind and kind.is_code else ()
    faults = of_code if kind else (*_FAULTS_OF_SECRETS * is_secret, *_FAULTS)
    return [reason for pattern, reason in faults if pattern.match(text)][:1]
