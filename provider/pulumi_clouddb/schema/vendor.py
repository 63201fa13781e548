"""Declarations for the vendor's own servers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from enum import Enum
from functools import partial
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, ConfigDict, Field

from .base import Code, FilledCode, FilledText, Model, SqlPart, Text, TextKind, prop
from .check.rules import PAGE, SEEN, SERVER, Rule, name_of, rule
from .check.within import Within
from .check.wording import LATER, OBJECT_ID, doubted, matching
from .vocabulary import CLICKHOUSE

LONGEST_EXPRESSION = 10_000
LONGEST_SQL = 4_194_304

ObjectId = Annotated[Text, Field(pattern=OBJECT_ID)]
Expression = Annotated[SqlPart, Field(max_length=LONGEST_EXPRESSION)]
Condition = Annotated[Code, Field(max_length=LONGEST_EXPRESSION)]
RowTemplate = Annotated[Text, TextKind.ROW_TEMPLATE, Field(max_length=LONGEST_EXPRESSION)]


def _in_sql(order: str) -> str:
    other = r"(?i)(\s+(?=\w+ending)|:)(asc|desc)(ending)?(?=\s*(,|\Z))"
    return re.sub(other, lambda word: f" {word[2].upper()}", order)


AN_ORDER = doubted("should be an order in SQL, with ASC or DESC", _in_sql)


def _table_alone(name: str) -> str:
    return re.sub(r"\A([^.]+)\.(?!v?\d+\Z)([^.]+)\Z", r"\2, with \1 in the property of its database or schema", name)


A_TABLE = doubted("should be the name of a table without its database or schema", _table_alone, CLICKHOUSE)
TableName = Annotated[Text, A_TABLE]
FilledTableName = Annotated[FilledText, A_TABLE]

_database_alone = partial(re.sub, r"\A([^.]+)\.[^.]+\Z", r"\1")
A_DATABASE = doubted("should be the name of a database without its table", _database_alone, CLICKHOUSE)
DatabaseName = Annotated[Text, A_DATABASE]
FilledDatabaseName = Annotated[FilledText, A_DATABASE]

AN_SQL = doubted("should be SQL itself rather than its name", matching(r"(?s)(?!\s*[\w./\\:~-]+\s*\Z).*"), CLICKHOUSE)
Sql = Annotated[Code, AN_SQL]
FilledSql = Annotated[FilledCode, AN_SQL]

ArgsT = TypeVar("ArgsT")

only_there = partial(prop, only=CLICKHOUSE)
"""Declare a property of these servers only."""

within = partial(Within, CLICKHOUSE)
"""Return limits of these servers only."""


class OpenModel(Model):
    """Base of objects in which newer servers accept further entries: unknown entries are sent unchanged."""

    DIALECT = CLICKHOUSE
    model_config = ConfigDict(extra="allow")


_LOCAL = r"(localhost|127(\.\d+){3}|0\.0\.0\.0|\[?::1\]?|host\.docker\.internal|[\w.-]+\.svc\.cluster\.local)"
_HERE = re.compile(rf"(\A|[,/@\s]){_LOCAL}(?=[:,/?\s]|\Z)")


def reachable(address: Callable[[ArgsT], str | None], tunnel: Callable[[ArgsT], object] | None = None) -> Rule[ArgsT]:
    """Return the rule that an address is known outside of a machine or a cluster, or reached through another one."""
    unless = f", unless {name_of(tunnel)} is set" if tunnel else ""
    return rule(
        address,
        f"should be an address that is known outside of its machine or cluster{unless}",
        lambda args: not (tunnel and tunnel(args)) and _HERE.search(address(args) or ""),
        warns=True,
        source=SEEN("scylladb/scylla-cdc-source-connector#79"),
    )


_MISTAKEN = SEEN("MicrosoftDocs/azure-docs#31517")
_PORTS = {22: "SSH", 3306: "MySQL", 5432: "Postgres"}


def of_server(port: Callable[[ArgsT], float | None], own: str, usual: int) -> Rule[ArgsT]:
    """Return the rule that a port is not that of another kind of server."""

    def broken(args: ArgsT) -> str | None:
        other = _PORTS.get(int(port(args) or 0), own)
        return None if other == own else f", not {port(args):g} of {other}"

    return rule(port, f"should be that of {own}, such as {usual}", broken, given=port, warns=True, source=_MISTAKEN)


NO_CODE = re.compile(r"'(?:[^'\\]|\\.?)*(?:'|\Z)|\"[^\"]*(?:\"|\Z)|`[^`]*(?:`|\Z)|--[^\n]*|/\*(?:.*?\*/|.*)", re.DOTALL)
"""Texts, quoted names and comments in SQL; one without its end reaches to the end, which needs no second look at it."""


def without(fault: str) -> Callable[[str], str]:
    """Return a function that returns a text without a fault, and an empty one for any other."""
    form = re.compile(fault)
    return lambda text: "" if form.search(text) else text


def with_variables(variables: str) -> AfterValidator:
    """Return a validator of texts in the form of Handlebars with these variables: check warns of others.

    Servers send nothing if they cannot read a text, and leave out variables that they do not have.
    """
    one = "|".join(variables.split())
    return doubted(
        f"should write variables as {{{{{one.partition('|')[0]}}}}}; there are {', '.join(variables.split())}",
        without(
            rf"(?s)\A(?!.*\{{\{{#(each|with)\b).*?(\{{%|\$\{{?({one})\b|(?<![{{/$\w])\{{({one})\}}(?!\}})"
            rf"|(?<!\{{)\{{\{{(?!\{{)[^{{}}]*\}}(\}}\}}|(?!\}}))|\{{\{{\s*(?!(else|{one})\b)[A-Za-z_][\w.]*\s*\}}\}}"
            r"|\{\{[^{}]*((?<=[{\s])\.[A-Za-z]|\$[A-Za-z]|(?<!as )\|)[^{}]*\}\})"
        ),
        CLICKHOUSE,
        then="The server accepts it, and sends nothing if it cannot read it.",
    )


_UNTYPED = re.compile(
    r"(?<!\{)\{\s*[A-Za-z_]\w*\s*\}(?!\})|%\(\w+\)s|(?<=[=(,<>])\s*(?::[A-Za-z_]\w*|(?:\$\d+|\?|%s)(?!\w))"
)

_TYPED = re.compile(r"\{\s*(\w+)\s*:\s*(\w[^{}]*)\}")
_IN_QUOTES = re.compile(r"\{\s*\w+\s*:\s*(?:\w+\()*(?:String|U?Int\d+|Float\d+|Date\w*|UUID)\b[^{}]*\}")
_IN_LOWER_CASE = re.compile(r"\{\s*\w+\s*:\s*(?:string|uuid|uint\d+|float\d+|array|nullable)\b[^{}]*\}")
_AS_TABLE = re.compile(r"(?<!''\s)\b(?:FROM|JOIN|INTO)\s+(?:[\w`]+\.)?(\{\s*\w+\s*:\s*String\s*\})", re.IGNORECASE)


def parameters_in(sql: str | None) -> dict[str, str]:
    """Return the types of the parameters in SQL by name."""
    return {name: kind.strip() for name, kind in _TYPED.findall(NO_CODE.sub("''", sql or ""))}


PARAMETERS_IN_SQL = PAGE("https://clickhouse.com/docs/sql-reference/syntax#defining-and-using-query-parameters")


def typed_parameters(sql: Callable[[ArgsT], str | None], such_as: str = "{day:Date}") -> Rule[ArgsT]:
    """Return the rule that each parameter in SQL is one that the database knows.

    Another may have no type or a misspelt one, be in quotes, or have the form of another database; other texts, quoted
    names and comments are ignored.
    """

    def broken(args: ArgsT) -> str | None:
        text = sql(args) or ""
        if found := _UNTYPED.search(NO_CODE.sub("''", text)):
            return f", not {found[0].strip()}"
        if found := _AS_TABLE.search(NO_CODE.sub("''", text)):
            return f", not {found[1]} for the name of a table: the type is Identifier"
        if found := _IN_LOWER_CASE.search(NO_CODE.sub("''", text)):
            return f", not {found[0]}: a type is spelt as String, UInt64 or Array(UUID)"
        quoted = (_IN_QUOTES.search(each[0]) for each in NO_CODE.finditer(text) if each[0][0] in "'\"`")
        found = next(filter(None, quoted), None)
        return f", and without quotes, in which {found[0]} is plain text" if found else None

    text = f"should give each parameter its name and type, such as `{such_as}`"
    return rule(sql, text, broken, warns=True, then=LATER, only=CLICKHOUSE, source=PARAMETERS_IN_SQL)


def one_statement(sql: Callable[[ArgsT], str | None]) -> Rule[ArgsT]:
    """Return the rule that SQL has one statement."""

    def broken(args: ArgsT) -> str | None:
        several = re.search(r";\s*[^\s;]", NO_CODE.sub(" ", sql(args) or ""))
        return ": remove those after the first `;`" if several else None

    source = SERVER("ClickHouse, src/Parsers/parseQuery.cpp")
    return rule(sql, "should be one statement", broken, warns=True, then=LATER, only=CLICKHOUSE, source=source)


def repeated(values: Iterable[object]) -> str | None:
    """Return the text that a failure adds about texts that occur more than once, or None if none does."""
    counted = Counter(each for each in values if isinstance(each, str))
    twice = sorted(each for each, count in counted.items() if count > 1)
    return f", but {', '.join(map(repr, twice))} occurs more than once" if twice else None


def among(values: Iterable[Any]) -> str:
    """Return values as a list in a sentence: `a, b and c`."""
    *first, last = [each.value if isinstance(each, Enum) else str(each) for each in values]
    return f"{', '.join(first)} and {last}" if first else last


def alternatives(values: Iterable[str]) -> str:
    """Return values as in an error of these servers: `'a' | 'b'`."""
    return " | ".join(repr(str(each.value if isinstance(each, Enum) else each)) for each in values)
