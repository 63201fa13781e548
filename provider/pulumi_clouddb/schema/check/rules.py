"""Rules over several fields of a model, for failures and for descriptions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from pydantic.alias_generators import to_camel

from pulumi_clouddb.schema.secrets.spellings import without_credentials
from pulumi_clouddb.schema.values import UnknownValueError
from pulumi_clouddb.schema.vocabulary import VocabularyName

ArgsT = TypeVar("ArgsT")
ArgsT_contra = TypeVar("ArgsT_contra", contravariant=True)


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


USUAL_CONTEXT = RuleContext()


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
class Source:
    """Where a rule is stated.

    Attributes:
        kind: What states it.
        place: Where there, such as a property of the description, a file, or an address.
        refuses: Whether servers refuse what breaks a rule of this source.
    """

    kind: str
    place: str = ""
    refuses: bool = False


API = functools.partial(Source, "the vendor's description", refuses=True)
TF = functools.partial(Source, "the vendor's Terraform provider")
SERVER = functools.partial(Source, "the server's code", refuses=True)
PAGE = functools.partial(Source, "the page of a vendor")
SEEN = functools.partial(Source, "a public record")
INTERFACE = Source("the documented interface", refuses=True)
OURS = Source("this provider")
"""What states a rule; of `OURS` are those about its options, and about what cannot be meant."""


@dataclass(frozen=True)
class Rule(Generic[ArgsT_contra]):
    """A rule over several fields of one model; made by `rule`, which describes the attributes."""

    at: Callable[[ArgsT_contra], object]
    text: str
    broken: Callable[[ArgsT_contra], object]
    source: Source
    given: Callable[[ArgsT_contra], object] | None = None
    warns: bool = False
    then: str = ""
    only: VocabularyName | None = None
    refusal: ServerMessage | None = None

    @functools.cached_property
    def path(self) -> str:
        """The wire name of the field that the failure names."""
        return name_of(self.at)

    @functools.cached_property
    def needs(self) -> tuple[str, ...]:
        """The wire names of the fields without which the rule holds."""
        given: object = name_of(self.given) if self.given else ()
        return (given,) if isinstance(given, str) else cast("tuple[str, ...]", given)

    @property
    def is_of_servers(self) -> bool:
        """Whether servers refuse what breaks it."""
        return bool(self.refusal) or (not self.warns and self.source.refuses)

    def failure(self, seen: ArgsT_contra) -> str | None:
        """Return why a view of the inputs breaks the rule; None if it does not, or if it reads an unknown value."""
        if self.only and self.only is not context_of(seen).vocabulary:
            return None
        for name in self.needs:
            if cast(Any, seen)._values.get(name) is None:
                return None
        try:
            if self.given:
                self.given(seen)  # which may be unknown
            broken = self.broken(seen)
        except UnknownValueError:
            return None
        if not broken:
            return None
        return self.text + (without_credentials(broken) if isinstance(broken, str) else "")


def rule(
    at: Callable[[ArgsT], object],
    text: str,
    broken: Callable[[ArgsT], object],
    *,
    source: Source,
    given: Callable[[ArgsT], object] | None = None,
    warns: bool = False,
    then: str = "",
    only: VocabularyName | None = None,
    refusal: ServerMessage | None = None,
) -> Rule[ArgsT]:
    """Return a rule over several fields of one model.

    Args:
        at: Reads the field that the failure names.
        text: The rule in words, to follow the name of the field; also part of its description. If it is empty, and
            `broken` returns no text, only servers have the rule: check fills in what they require.
        broken: Given a view of the inputs, returns what is at fault, or nothing, which may be empty. A text is added
            to the failure. `context_of` returns the configuration.
        source: What states it.
        given: Reads the fields, several in a tuple, without which the rule holds; they are not None in `broken`.
        warns: Whether check only warns in the dialect `clickhouse`, and in that of `only`: servers may accept it, such
            as a value that the vendor has added.
        then: What servers do with such a value, such as `LATER`; empty if that is not known, or the text says it.
        only: The dialect whose servers have this rule, or None for all.
        refusal: The message of these servers; None if they accept the request and drop the invalid value.
    """
    return Rule(at, text, broken, source, given, warns, then, only, refusal)


def context_of(seen: object) -> RuleContext:
    """Return the configuration that a view of inputs was made with."""
    return cast(RuleContext, cast(Any, seen)._context)


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
