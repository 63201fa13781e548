"""Rules over several fields of one model, each said once: for the failure and for the description of its property."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from pydantic.alias_generators import to_camel

from .values import UnknownValueError
from .vocabulary import VocabularyName

ArgsT = TypeVar("ArgsT")


@dataclass(frozen=True)
class RuleContext:
    """What the configuration says that rules depend on.

    Attributes:
        paid: Whether the organization pays; the ceilings of memory are lower when it does not.
        organization_tier: BASIC, SCALE, ENTERPRISE, or None when the configuration is silent.
        vocabulary: The dialect of the servers.
    """

    paid: bool = True
    organization_tier: str | None = None
    vocabulary: VocabularyName = VocabularyName.NEUTRAL


@dataclass(frozen=True)
class ServerMessage:
    """What a server says of a broken rule.

    Attributes:
        text: Its words.
        at: Wire name of the property that it says it of; empty for the object that the rule is about.
    """

    text: str
    at: str = ""


@dataclass(frozen=True)
class Rule(Generic[ArgsT]):
    """A rule over several fields of one model.

    Attributes:
        field: Reads the field that the failure is shown on.
        test: Given a view of the inputs and the context, returns whether the rule is broken, or what a failure adds to
            `text`.
        text: The rule in words that go on from the name of the field; the description of the field says them, too.
        only: The dialect whose servers have this rule, or None for all.
        refusal: What these servers say, and at which property of the object, where it is not the object itself; None
            where they take what breaks the rule, and drop it.
    """

    field: Callable[[ArgsT], object]
    test: Callable[[ArgsT, RuleContext], str | bool | None]
    text: str = ""
    only: VocabularyName | None = None
    refusal: ServerMessage | None = None

    @functools.cached_property
    def path(self) -> str:
        """The wire name of the field that the failure is shown on."""
        return name_of(self.field)

    def failure(self, seen: ArgsT, context: RuleContext) -> str | None:
        """Return why the inputs break the rule, or None if they keep it, or if a value that it reads is unknown."""
        if self.only not in (None, context.vocabulary):
            return None
        try:
            broken = self.test(seen, context)
        except UnknownValueError:
            return None
        if broken is None or broken is False:
            return None
        return self.text if broken is True else self.text + broken


def in_dialects(said: Iterable[tuple[VocabularyName | None, str]]) -> list[str]:
    """Return rules as the description of a field says them, those of each dialect together."""
    by_dialect: dict[VocabularyName | None, list[str]] = {None: []}
    for only, text in said:
        by_dialect.setdefault(only, []).append(text)
    theirs = [f"with `{only.setting}` {'; '.join(texts)}" for only, texts in by_dialect.items() if only]
    return by_dialect[None] + theirs


def wire_case(attribute: str) -> str:
    """Return the wire name of an attribute; the underscore behind a keyword of Python is none of it."""
    return to_camel(attribute.removesuffix("_"))


class Names:
    """Stands in for a model: each property is its own name on the wire, which `of` tells by its attribute."""

    def __init__(self, of: Callable[[str], str] = wire_case) -> None:
        self._of = of

    def __getattr__(self, name: str) -> str:
        return self._of(name)


def name_of(field: Callable[[ArgsT], object]) -> str:
    """Return the wire name of the field that a function such as `lambda args: args.tier` reads."""
    return cast(str, field(cast(ArgsT, Names())))
