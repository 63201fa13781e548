"""Rules over several fields of one model, each said once: for the failure and for the description of its property."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .values import WireValues


@dataclass(frozen=True)
class RuleContext:
    """What the configuration says that rules depend on.

    Attributes:
        paid: Whether the organization pays; the ceilings of memory are lower when it does not.
        organization_tier: BASIC, SCALE, ENTERPRISE, or None when the configuration is silent.
    """

    paid: bool = True
    organization_tier: str | None = None


@dataclass(frozen=True)
class Rule:
    """A rule over several fields of one model.

    Attributes:
        path: The wire name of the field that the failure is shown on.
        reads: The wire names it looks at; it is skipped while one of them is unknown.
        test: Given the inputs and the context, returns what a failure adds to `text`, or None if the rule is kept.
        text: The rule in words that go on from the name of the field; the description of the field says them, too.
    """

    path: str
    reads: tuple[str, ...]
    test: Callable[[WireValues, RuleContext], str | None]
    text: str = ""

    def failure(self, inputs: WireValues, context: RuleContext) -> str | None:
        """Return why the inputs break the rule, or None if they keep it."""
        detail = self.test(inputs, context)
        return None if detail is None else self.text + detail
