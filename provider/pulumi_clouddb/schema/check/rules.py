"""Rules over several fields of a model, for failures and for descriptions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from pydantic.alias_generators import to_camel

from pulumi_clouddb.schema.secrets.spellings import without_credentials
from pulumi_clouddb.schema.values import UnknownValueError
from pulumi_clouddb.schema.vocabulary import VocabularyName

ArgsT = TypeVar("ArgsT")


@dataclass(frozen=True)
class RuleContext:
    """The configuration that rules depend on.

    Attributes:
        paid: Whether the organization pays; if not, memory is more limited.
        organization_tier: BASIC, SCALE, ENTERPRISE, or None if it is not configured.
        vocabulary: The dialect of the servers.
        public: Whether requests go to the vendor, on the internet.
    """

    paid: bool = True
    organization_tier: str | None = None
    vocabulary: VocabularyName = VocabularyName.NEUTRAL
    public: bool = False


@dataclass(frozen=True)
class ServerMessage:
    """The message of a server about a broken rule.

    Attributes:
        text: The message.
        at: Wire name of the property that it names; empty for the object with the rule.
    """

    text: str
    at: str = ""


@dataclass(frozen=True)
class Rule(Generic[ArgsT]):
    """A rule over several fields of one model.

    Attributes:
        field: Reads the field that the failure names.
        test: Given a view of the inputs and the context, returns whether the rule is broken, or the text that a failure
            adds.
        text: The rule in words, to follow the name of the field; also part of its description. If it
            is empty, and the test returns no text, only servers have the rule: check fills in what they require.
        only: The dialect whose servers have this rule, or None for all.
        refusal: The message of these servers; None if they accept the request and drop the invalid value.
        lists: Whether servers may accept more than it, such as values that the vendor adds: in the dialect
            `clickhouse`, and in that of `only`, check only warns.
        then: What servers do with such a value of which check only warns, such as `LATER`; empty if that is not known,
            or the text says it.
    """

    field: Callable[[ArgsT], object]
    test: Callable[[ArgsT, RuleContext], str | bool | None]
    text: str = ""
    only: VocabularyName | None = None
    refusal: ServerMessage | None = None
    lists: bool = False
    then: str = ""

    @functools.cached_property
    def path(self) -> str:
        """The wire name of the field that the failure names."""
        return name_of(self.field)

    def failure(self, seen: ArgsT, context: RuleContext) -> str | None:
        """Return why the inputs break the rule; None if they do not, or if it reads an unknown value."""
        if self.only not in (None, context.vocabulary):
            return None
        try:
            broken = self.test(seen, context)
        except UnknownValueError:
            return None
        if broken is None or broken is False:
            return None
        return self.text + (without_credentials(broken) if isinstance(broken, str) else "")


def wire_case(attribute: str) -> str:
    """Return the wire name of an attribute, without the underscore after a Python keyword."""
    return to_camel(attribute.removesuffix("_"))


class Names:
    """An object with an attribute for each property, whose value is the wire name of the property."""

    def __init__(self, of: Callable[[str], str] = wire_case) -> None:
        self._of = of

    def __getattr__(self, name: str) -> str:
        return self._of(name)


def name_of(field: Callable[[ArgsT], object]) -> str:
    """Return the wire name of the field that a function such as `lambda args: args.tier` reads."""
    return cast(str, field(cast(ArgsT, Names())))
