"""Rules over several fields of one model, each said once: for the failure and for the description of its property."""

from __future__ import annotations

import functools
from collections.abc import Callable
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
class Rule(Generic[ArgsT]):
    """A rule over several fields of one model.

    Attributes:
        field: Reads the field that the failure is shown on.
        test: Given a view of the inputs and the context, returns what a failure adds to `text`, or None if the rule is
            kept.
        text: The rule in words that go on from the name of the field; the description of the field says them, too.
        only: The dialect whose servers have this rule, or None for all.
    """

    field: Callable[[ArgsT], object]
    test: Callable[[ArgsT, RuleContext], str | None]
    text: str = ""
    only: VocabularyName | None = None

    @property
    def description(self) -> str:
        """The rule as the description of its field says it."""
        return f"with `{self.only.setting}` {self.text}" if self.only and self.text else self.text

    @functools.cached_property
    def path(self) -> str:
        """The wire name of the field that the failure is shown on."""
        return name_of(self.field)

    def failure(self, seen: ArgsT, context: RuleContext) -> str | None:
        """Return why the inputs break the rule, or None if they keep it, or if a value that it reads is unknown."""
        if self.only not in (None, context.vocabulary):
            return None
        try:
            detail = self.test(seen, context)
        except UnknownValueError:
            return None
        return None if detail is None else self.text + detail


class _Names:
    """Stands in for a model: each property is its own name on the wire."""

    def __getattr__(self, name: str) -> str:
        return to_camel(name)


def name_of(field: Callable[[ArgsT], object]) -> str:
    """Return the wire name of the field that a function such as `lambda args: args.tier` reads."""
    return cast(str, field(cast(ArgsT, _Names())))
