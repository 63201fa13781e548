"""What only the vendor's own servers have, in the form in which the models of dashboards declare it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import partial
from typing import Annotated, Any, TypeVar

from pydantic import ConfigDict, Field

from .base import Model, Text, prop
from .rules import Rule, RuleContext, ServerMessage
from .vocabulary import CLICKHOUSE
from .within import Within

OBJECT_ID = "^[0-9a-fA-F]{24}$"
LONGEST_EXPRESSION = 10_000

ObjectId = Annotated[Text, Field(pattern=OBJECT_ID)]
Expression = Annotated[Text, Field(max_length=LONGEST_EXPRESSION)]

ArgsT = TypeVar("ArgsT")

only_there = partial(prop, only=CLICKHOUSE)
"""Declare a property that only these servers have."""


class OpenModel(Model):
    """Base of objects that newer servers may know more of: what this package does not know is sent as it is."""

    DIALECT = CLICKHOUSE
    model_config = ConfigDict(extra="allow")


def within(
    values: type[Enum] | None = None, each: Mapping[str, Any] | None = None, *, of_list: bool = False, **limits: Any
) -> Within:
    """Return limits that only these servers have."""
    return Within(CLICKHOUSE, values=values, each=each, of_list=of_list, **limits)


def rule(
    field: Callable[[ArgsT], object],
    test: Callable[[ArgsT], str | bool | None],
    text: str,
    refusal: str | None = None,
    at: str = "",
) -> Rule[ArgsT]:
    """Return a rule of these servers.

    Args:
        field: Reads the field that the failure is shown on.
        test: Returns whether the rule is broken, or what a failure adds to `text`.
        text: The rule in words that go on from the name of the field.
        refusal: What the servers say; None where they drop what breaks the rule.
        at: Wire name of the property that they say it of; empty for the object itself.
    """

    def judged(args: ArgsT, _: RuleContext) -> str | bool | None:
        return test(args)

    return Rule(field, judged, text, CLICKHOUSE, None if refusal is None else ServerMessage(refusal, at))


def repeated(values: Iterable[object]) -> str | None:
    """Return what a failure adds about texts that occur more than once, or None if none does."""
    counted = Counter(each for each in values if isinstance(each, str))
    twice = sorted(each for each, count in counted.items() if count > 1)
    return f", but {', '.join(map(repr, twice))} occurs more than once" if twice else None


def among(values: Iterable[Any]) -> str:
    """Return values as a text has them: `a, b and c`."""
    *first, last = [each.value if isinstance(each, Enum) else str(each) for each in values]
    return f"{', '.join(first)} and {last}" if first else last


def alternatives(values: Iterable[str]) -> str:
    """Return values as these servers name them in a refusal: `'a' | 'b'`."""
    return " | ".join(repr(str(each.value if isinstance(each, Enum) else each)) for each in values)
